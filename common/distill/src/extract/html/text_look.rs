//! [`Look`]: how the text of an element looks, as far as a page says it in words that are understood, and whether a reader sees it. What
//! an element takes over from the one around it is known here; which rules apply to it is not.

use super::declarations::{Declaration, DeclaredValue, PROPERTIES, Property, is_off};

/// Size below which letters are no letters, in pixels. Chosen: hidden text is written with 0 and 1, and no browser's least size is below 6.
const LEAST_FONT_PX: f32 = 2.0;
/// Most difference of a channel between two shades that nobody tells apart. Chosen: eight steps of white have a contrast of 1.07.
const SAME_SHADE: u8 = 8;
/// Width or height in pixels up to which a box that hides its overflow shows no letter.
const NO_ROOM_PX: f32 = 1.0;

/// What is claimed of one element, the strongest claim of each property.
#[derive(Debug, Clone, Default)]
pub(super) struct ElementDeclarations([Option<(Strength, DeclaredValue)>; PROPERTIES]);

/// What decides between two claims: whether it is important, how specific its rule is, and how late it comes. The element's own style is
/// more specific than any rule, and the attributes of old pages less.
pub(super) type Strength = (bool, [usize; 4], usize);

/// Why an element and all in it are not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InvisibleReason {
    /// Nothing on the page says that it would be.
    Hidden,
    /// Faded out or shrunk, from where pages like to bring their parts in.
    Faded,
}

/// The colour of letters or of what is behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paint {
    Known([u8; 3]),
    Clear,
    Unknown,
}

/// How sure it is that letters of the shade of their ground are not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contrast {
    /// They are seen, or nothing is known.
    Some,
    /// Letters and ground are of one shade by the same element, or the letters are clear.
    None,
    /// The ground is that of an element around or of the empty page: nothing else may lie between.
    NoneOnGround,
}

/// How text looks that stands directly in an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    font_px: f32,
    color: Paint,
    ground: Paint,
    /// Colour and ground are of the same element.
    is_paired: bool,
    /// Letters are cut out of the ground, or stand before their shadow.
    is_drawn_otherwise: bool,
    /// It lies above others.
    pub(super) is_placed: bool,
}

impl ElementDeclarations {
    /// Takes up a claim, where none that is stronger has been made.
    pub(super) fn add(&mut self, claim: Declaration, specificity: [usize; 4], order: usize) {
        let strength = (claim.is_important, specificity, order);
        let best = &mut self.0[claim.property as usize];
        if best.is_none_or(|(before, _)| before <= strength) {
            *best = Some((strength, claim.value));
        }
    }

    fn get(&self, property: Property) -> Option<DeclaredValue> {
        self.0[property as usize].map(|(_, value)| value)
    }

    fn is(&self, property: Property) -> bool {
        self.get(property) == Some(DeclaredValue::Yes)
    }

    /// Whether the element has a ground of its own.
    pub(super) fn has_ground(&self) -> bool {
        !matches!(self.get(Property::Background), None | Some(DeclaredValue::Clear | DeclaredValue::Inherit))
    }

    /// Why nobody sees the element, whatever stands in it.
    pub(super) fn unseen(&self) -> Option<InvisibleReason> {
        use Property as P;
        if [P::Display, P::Visibility, P::ContentVisibility, P::TextIndent, P::ClipPath, P::Zoom]
            .into_iter()
            .any(|p| self.is(p))
            || (self.is(P::Clip) && self.is(P::Position))
            || (self.is(P::Overflow) && self.has_no_room())
            || self.is_off_screen()
        {
            return Some(InvisibleReason::Hidden);
        }
        [P::Opacity, P::Filter, P::Transform].into_iter().any(|p| self.is(p)).then_some(InvisibleReason::Faded)
    }

    /// Whether it is neither displayed nor visible in so many words.
    pub(super) fn says_so(&self) -> bool {
        self.is(Property::Display) || self.is(Property::Visibility)
    }

    fn has_no_room(&self) -> bool {
        let sizes = [Property::Width, Property::MaxWidth, Property::Height, Property::MaxHeight];
        sizes.into_iter().any(|size| matches!(self.get(size), Some(DeclaredValue::Px(px)) if px <= NO_ROOM_PX))
    }

    fn is_off_screen(&self) -> bool {
        let out = |side| self.get(side).is_some_and(is_off);
        let back = |side| matches!(self.get(side), Some(DeclaredValue::Px(px)) if is_off(DeclaredValue::Px(-px)));
        // A band over the whole page is as wide by its margins as by its padding.
        let is_band = |margin, padding| out(margin) && !back(padding);
        is_band(Property::MarginLeft, Property::PaddingLeft)
            || is_band(Property::MarginTop, Property::PaddingTop)
            || (self.is(Property::Position)
                && [Property::Left, Property::Top, Property::Right, Property::Bottom].into_iter().any(out))
    }
}

impl Look {
    /// Of an empty page: black on white, unless the page may be dark by the reader's wish.
    pub(super) fn of_page(may_be_dark: bool) -> Self {
        let (color, ground) = match may_be_dark {
            true => (Paint::Unknown, Paint::Unknown),
            false => (Paint::Known([0; 3]), Paint::Known([255; 3])),
        };
        Self { font_px: 16.0, color, ground, is_paired: false, is_drawn_otherwise: false, is_placed: false }
    }

    /// Of an element called `name` within one that looks so.
    pub(super) fn within(self, name: &str, claimed: &ElementDeclarations) -> Self {
        let mut look = self;
        look.font_px = match claimed.get(Property::FontSize) {
            Some(DeclaredValue::Px(px)) => px,
            Some(DeclaredValue::Em(em)) => em * self.font_px,
            // A size that is not understood is that of most texts.
            Some(DeclaredValue::Unknown) => 16.0,
            _ => self.font_px,
        };
        // Links and fields have colours of their own, marked text has a ground.
        if matches!(name, "a" | "button" | "input" | "select" | "textarea" | "option" | "mark") {
            (look.color, look.is_paired) = (Paint::Unknown, false);
        }
        let color = claimed.get(Property::TextFill).filter(|fill| *fill != DeclaredValue::Inherit);
        let color = color.or(claimed.get(Property::Color)).map(|value| paint(value, self.color));
        let ground = match claimed.get(Property::Background).map(|value| paint(value, self.ground)) {
            // What shows through is the ground behind.
            Some(Paint::Clear) | None if !matches!(name, "button" | "select" | "mark") => None,
            other => Some(other.unwrap_or(Paint::Unknown)),
        };
        if color.is_some() || ground.is_some() {
            look.is_paired = color.is_some() && ground.is_some();
        }
        look.color = color.unwrap_or(look.color);
        look.ground = ground.unwrap_or(look.ground);
        look.is_drawn_otherwise |= claimed.is(Property::BackgroundClip) || claimed.is(Property::TextShadow);
        look.is_placed |= claimed.is(Property::Position);
        look
    }

    /// Whether the letters are too small to be any.
    pub(super) fn is_tiny(&self) -> bool {
        self.font_px < LEAST_FONT_PX
    }

    pub(super) fn contrast(&self) -> Contrast {
        if self.is_drawn_otherwise {
            return Contrast::Some;
        }
        match (self.color, self.ground) {
            (Paint::Clear, _) => Contrast::None,
            (Paint::Known(color), Paint::Known(ground)) if is_same(color, ground) => match self.is_paired {
                true => Contrast::None,
                false => Contrast::NoneOnGround,
            },
            _ => Contrast::Some,
        }
    }
}

fn paint(value: DeclaredValue, around: Paint) -> Paint {
    match value {
        DeclaredValue::Rgb(rgb) => Paint::Known(rgb),
        DeclaredValue::Clear => Paint::Clear,
        DeclaredValue::Inherit => around,
        _ => Paint::Unknown,
    }
}

fn is_same(one: [u8; 3], other: [u8; 3]) -> bool {
    one.into_iter().zip(other).all(|(a, b)| a.abs_diff(b) <= SAME_SHADE)
}

#[cfg(test)]
mod tests {
    use super::super::declarations::claims;
    use super::*;

    fn claimed(style: &str) -> ElementDeclarations {
        let mut claimed = ElementDeclarations::default();
        claims(style).into_iter().enumerate().for_each(|(order, claim)| claimed.add(claim, [1, 0, 0, 0], order));
        claimed
    }

    fn look(styles: &[&str]) -> Look {
        styles.iter().fold(Look::of_page(false), |look, style| look.within("div", &claimed(style)))
    }

    #[test]
    fn letters_have_a_least_size_and_shades_a_least_difference() {
        for (size, is_tiny) in
            [("1.9px", true), ("2px", false), ("2.1px", false), ("0.11em", true), ("calc(0px)", false)]
        {
            assert_eq!(look(&[&format!("font-size:{size}")]).is_tiny(), is_tiny, "{size}");
        }
        assert!(look(&["font-size:0", "font-size:2em"]).is_tiny());
        assert!(!look(&["font-size:0", "font-size:12px"]).is_tiny());
        for (shade, contrast) in [(248, Contrast::NoneOnGround), (247, Contrast::NoneOnGround), (246, Contrast::Some)] {
            assert_eq!(look(&[&format!("color:rgb({shade},255,255)")]).contrast(), contrast, "{shade}");
        }
    }

    #[test]
    fn boxes_have_a_least_room() {
        for (px, is_unseen) in [("0", true), ("1px", true), ("1.1px", false), ("2px", false)] {
            let found = claimed(&format!("height:{px};overflow:hidden")).unseen();
            assert_eq!(found.is_some(), is_unseen, "{px}");
        }
    }
}

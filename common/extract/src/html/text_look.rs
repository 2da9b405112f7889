//! [`Look`]: how the text of an element looks, as far as the page's declarations are understood, and whether it is visible. Handles
//! inheritance from the parent element; which rules apply to an element is decided elsewhere.

use super::css_value::{BoxShape, DeclaredValue, is_off};
use super::declarations::Declaration;
use super::property::{PROPERTIES, Property};
use crate::runs::Position;

/// Largest size of raised or lowered text, as a share of the text around it; browsers make `sup` 0.83 of it.
const SMALLER: f32 = 0.9;
/// Least distance from the line, in sizes of the text around it, of raised or lowered text; less lines up a picture or a button. Chosen.
const LEAST_SHIFT_EM: f32 = 0.15;

/// Least readable font size, in pixels. Chosen: hidden text uses sizes 0 and 1, and no browser's minimum size is below 6.
const LEAST_FONT_PX: f32 = 2.0;
/// Largest difference per channel of two colours that look the same. Chosen: eight steps from white have a contrast of 1.07.
const SAME_SHADE: u8 = 8;
/// Width or height in pixels up to which a box that hides its overflow shows no letters.
const NO_ROOM_PX: f32 = 1.0;

/// The declarations for one element: the strongest one for each property.
#[derive(Debug, Clone)]
pub(super) struct ElementDeclarations([Option<(Strength, DeclaredValue)>; PROPERTIES]);

/// Decides between two declarations: importance, specificity of the rule, then order. An element's own style is more specific than any
/// rule, legacy presentational attributes are less specific.
pub(super) type Strength = (bool, [usize; 4], usize);

/// Why an element and its content are invisible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InvisibleReason {
    /// Hidden, with no sign that it would be shown later.
    Hidden,
    /// Faded out or shrunk, as pages do before they animate their parts in.
    Faded,
}

/// The colour of letters or of their background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paint {
    Known([u8; 3]),
    Clear,
    Unknown,
}

/// Whether letters stand out from their background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contrast {
    /// They do, or it is unknown.
    Some,
    /// They do not: one element sets the same colour for both, or the letters are transparent.
    None,
    /// They do not, but the background belongs to an ancestor or the empty page, so something else may lie between.
    NoneOnGround,
}

/// The look of text directly inside an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    font_px: f32,
    color: Paint,
    ground: Paint,
    /// Whether colour and background are set by the same element.
    is_paired: bool,
    /// Whether letters are cut out of the background, or have a shadow.
    is_drawn_otherwise: bool,
    /// Whether it lies above other elements.
    pub(super) is_placed: bool,
}

impl Default for ElementDeclarations {
    fn default() -> Self {
        Self([None; PROPERTIES])
    }
}

impl ElementDeclarations {
    /// Adds a declaration, unless a stronger one exists for the property.
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

    /// Whether the element has a background of its own.
    pub(super) fn has_ground(&self) -> bool {
        !matches!(self.get(Property::Background), None | Some(DeclaredValue::Clear | DeclaredValue::Inherit))
    }

    /// Why the element is invisible, whatever it contains; `None` if it may be visible.
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

    /// Where the text of an inline element stands against its line, in a text that looks like `around`. A length alone only moves a
    /// picture or a button: notes and exponents are smaller than their line too.
    pub(super) fn position(&self, around: Look) -> Position {
        let is_smaller = match self.get(Property::FontSize) {
            Some(DeclaredValue::Em(em)) => em <= SMALLER,
            Some(DeclaredValue::Px(px)) => px <= SMALLER * around.font_px,
            _ => false,
        };
        let by = match self.get(Property::VerticalAlign) {
            Some(DeclaredValue::Px(by)) if by.is_infinite() => by,
            Some(DeclaredValue::Px(by)) if is_smaller => by / around.font_px,
            Some(DeclaredValue::Em(by)) if is_smaller => by,
            _ => 0.0,
        };
        match by {
            by if by >= LEAST_SHIFT_EM => Position::Raised,
            by if by <= -LEAST_SHIFT_EM => Position::Lowered,
            _ => Position::Baseline,
        }
    }

    /// Whether a line is drawn through its text.
    pub(super) fn is_struck(&self) -> bool {
        self.is(Property::LineThrough)
    }

    /// The box that it is declared to be.
    pub(super) fn shape(&self) -> Option<BoxShape> {
        match self.get(Property::Shape)? {
            DeclaredValue::Box(shape) => Some(shape),
            _ => None,
        }
    }

    /// The name of the kind of numbers that its list is declared to have.
    pub(super) fn numbers(&self) -> Option<&'static str> {
        match self.get(Property::ListStyle)? {
            DeclaredValue::Numbers(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether the element is declared as not displayed, so that there is no box of it.
    pub(super) fn is_not_displayed(&self) -> bool {
        self.is(Property::Display)
    }

    /// Whether the element is declared as not displayed or not visible.
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
        // A full-width band has a negative margin compensated by an equal padding.
        let is_band = |margin, padding| out(margin) && !back(padding);
        is_band(Property::MarginLeft, Property::PaddingLeft)
            || is_band(Property::MarginTop, Property::PaddingTop)
            || ((self.is(Property::Position) || self.is(Property::Relative))
                && [Property::Left, Property::Top, Property::Right, Property::Bottom].into_iter().any(out))
    }
}

impl Look {
    /// The look of an empty page: black on white, or unknown if the page may follow a dark colour scheme.
    pub(super) fn of_page(may_be_dark: bool) -> Self {
        let (color, ground) = match may_be_dark {
            true => (Paint::Unknown, Paint::Unknown),
            false => (Paint::Known([0; 3]), Paint::Known([255; 3])),
        };
        Self { font_px: 16.0, color, ground, is_paired: false, is_drawn_otherwise: false, is_placed: false }
    }

    /// The look of an element called `name` inside an element with this look.
    pub(super) fn within(self, name: &str, claimed: &ElementDeclarations) -> Self {
        let mut look = self;
        look.font_px = match claimed.get(Property::FontSize) {
            Some(DeclaredValue::Px(px)) => px,
            Some(DeclaredValue::Em(em)) => em * self.font_px,
            // A size that is not understood counts as ordinary text size.
            Some(DeclaredValue::Unknown) => 16.0,
            _ => self.font_px,
        };
        // Links and fields have default colours, marked text has a default background.
        if matches!(name, "a" | "button" | "input" | "select" | "textarea" | "option" | "mark") {
            (look.color, look.is_paired) = (Paint::Unknown, false);
        }
        let color = claimed.get(Property::TextFill).filter(|fill| *fill != DeclaredValue::Inherit);
        let color = color.or(claimed.get(Property::Color)).map(|value| paint(value, self.color));
        let ground = match claimed.get(Property::Background).map(|value| paint(value, self.ground)) {
            // A transparent background shows the one behind it.
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

    /// Whether the letters are too small to read.
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
    use super::super::declarations::{Declared, claims};
    use super::*;

    fn claimed(style: &str) -> ElementDeclarations {
        let mut claimed = ElementDeclarations::default();
        for claim in claims(style) {
            if let Declared::Known(claim) = claim {
                claimed.add(claim, [1, 0, 0, 0], 0);
            }
        }
        claimed
    }

    fn look(styles: &[&str]) -> Look {
        styles.iter().fold(Look::of_page(false), |look, style| look.within("div", &claimed(style)))
    }

    #[test]
    fn letters_have_a_least_size_and_shades_a_least_difference() {
        for (size, is_tiny) in
            [("1.9px", true), ("2px", false), ("2.1px", false), ("0.11em", true), ("calc(0px)", true)]
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

//! One glyph as drawn by the interpreter: its text and its extent on the page. Decides which axis of the glyph's transform scales its
//! width, because that transform may contain more than the text matrix.

use hayro_interpret::font::Glyph as FontGlyph;
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, Point, Vec2};

use super::char_mapping::{is_plain, readable};
use super::collection::Collections;

/// Units of glyph space per em, as hayro states all widths.
const UNITS_PER_EM: f64 = 1000.0;
/// Sizes below this many points give no usable position.
const MIN_EM: f64 = 1e-3;
/// Largest relative difference of width and height of a transform that counts as equal.
const ALIKE: f64 = 0.01;

/// Least weight of a bold font (OpenType, `usWeightClass`: 600 is semi-bold).
const BOLD_WEIGHT: u32 = 600;
/// Parts of the names of bold fonts.
const BOLD_NAMES: [&str; 4] = ["Bold", "Black", "Heavy", "Demi"];

/// A glyph with its text and transform.
pub(super) struct DrawnGlyph {
    pub(super) text: GlyphText,
    /// Advance in glyph units, as given in the file.
    width: f64,
    type3: bool,
    /// Whether the font's outlines come from the file, so that nothing was stretched to fit; unknown (false) for Type 1.
    own_outlines: bool,
    to_page: Affine,
}

/// The text of a glyph.
pub(super) enum GlyphText {
    /// A single character, by far the most common case.
    One(char),
    Known(Vec<char>),
    /// Only its code is known.
    Code(u32),
}

/// The extent of a glyph.
pub(super) struct GlyphExtent {
    pub(super) start: Point,
    pub(super) advance: Vec2,
    /// The direction of writing; a negative advance does not reverse it.
    pub(super) along: Vec2,
    /// Height of the em square, in points.
    pub(super) em: f64,
}

/// Height of a character's middle above its baseline, in ems.
const MIDDLE_EM: f64 = 0.3;

impl GlyphExtent {
    /// The middle of the character.
    pub(super) fn middle(&self) -> Point {
        let length = self.along.hypot();
        let up = if length > 0.0 { Vec2::new(self.along.y, -self.along.x) / length } else { Vec2::ZERO };
        self.start + self.advance * 0.5 + up * (MIDDLE_EM * self.em)
    }
}

impl DrawnGlyph {
    pub(super) fn new(glyph: &FontGlyph<'_>, to_page: Affine, collections: &Collections) -> Self {
        let text = match meaning(glyph, collections).and_then(glyph_text) {
            Some(text) => text,
            None => GlyphText::Code(glyph.char_code()),
        };
        let (width, type3) = match glyph {
            FontGlyph::Outline(g) => (g.advance_width().unwrap_or(0.0), false),
            FontGlyph::Type3(g) => (g.advance_width().unwrap_or(0.0), true),
        };
        let mut drawn = Self { text, width: f64::from(width), type3, own_outlines: type3, to_page };
        if let FontGlyph::Outline(outline) = glyph
            && drawn.is_uneven()
        {
            drawn.own_outlines = outline.font_data().is_some();
        }
        drawn
    }

    /// The extent of the glyph; `None` if it has no size.
    pub(super) fn run(&self, scale: Scale, vertical: bool) -> Option<GlyphExtent> {
        let (x, y) = (self.x_axis(), self.y_axis());
        let start = self.origin();
        let mut em = self.height() * UNITS_PER_EM;
        if !(start.x.is_finite() && start.y.is_finite() && x.is_finite() && em.is_finite()) {
            return None;
        }
        if vertical {
            return (em > MIN_EM).then_some(GlyphExtent { start, advance: -y * UNITS_PER_EM, along: -y, em });
        }
        // A glyph squeezed to nothing still has a direction: across its height.
        let along = if x.hypot() > 0.0 { x } else { Vec2::new(-y.y, y.x) };
        let unit = match scale {
            Scale::Width => x,
            Scale::Height => along * (self.height() / along.hypot()),
        };
        let advance = unit * self.width;
        if self.type3 {
            em = type3_em(em, advance.hypot());
        }
        (em > MIN_EM && advance.is_finite()).then_some(GlyphExtent { start, advance, along, em })
    }

    fn origin(&self) -> Point {
        self.to_page * Point::ZERO
    }

    fn x_axis(&self) -> Vec2 {
        let c = self.to_page.as_coeffs();
        Vec2::new(c[0], c[1])
    }

    fn y_axis(&self) -> Vec2 {
        let c = self.to_page.as_coeffs();
        Vec2::new(c[2], c[3])
    }

    /// Points per glyph unit along the line.
    fn across(&self) -> f64 {
        self.x_axis().hypot()
    }

    /// Points per glyph unit of height.
    fn height(&self) -> f64 {
        self.y_axis().hypot()
    }

    fn is_uneven(&self) -> bool {
        (self.height() - self.across()).abs() > ALIKE * self.height()
    }
}

/// Whether the font of a glyph declares itself as bold; a run has one font.
pub(super) fn is_bold(glyph: &FontGlyph<'_>) -> bool {
    let FontGlyph::Outline(outline) = glyph else {
        return false;
    };
    outline.font_data().is_some_and(|font| {
        let name = font.postscript_name.unwrap_or_default();
        font.weight.is_some_and(|weight| weight >= BOLD_WEIGHT) || BOLD_NAMES.iter().any(|bold| name.contains(bold))
    })
}

/// The meaning of a glyph, from the file or from the character collection of its font.
fn meaning(glyph: &FontGlyph<'_>, collections: &Collections) -> Option<BfString> {
    glyph.as_unicode().or_else(|| match glyph {
        FontGlyph::Outline(outline) => collections.text(&outline.font_data()?.postscript_name?, glyph.char_code()),
        FontGlyph::Type3(_) => None,
    })
}

/// The characters of a meaning, possibly none (a zero-width mark); `None` if the meaning is only a placeholder for unknown.
fn glyph_text(meaning: BfString) -> Option<GlyphText> {
    let unknown = |c: char| c == char::REPLACEMENT_CHARACTER || (c.is_control() && !c.is_whitespace());
    let text = match meaning {
        BfString::Char(c) if is_plain(c) => return Some(GlyphText::One(c)),
        BfString::Char(c) => c.to_string(),
        BfString::String(s) => s,
    };
    (!text.chars().all(unknown)).then(|| GlyphText::Known(readable(text.chars()).unwrap_or_default()))
}

/// Corrects the size of a Type 3 font, which may use any unit: glyphs are rarely wider than an em or narrower than a fifth of one.
fn type3_em(em: f64, advance: f64) -> f64 {
    if advance > 0.0 && !(0.2 * em..=1.5 * em).contains(&advance) { advance * 1.6 } else { em }
}

/// The axis of a transform that scales a width to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// The width: horizontal scaling applies to both glyph and advance.
    Width,
    /// The height: the width also includes the stretch that fits a substitute glyph to the advance in the file.
    Height,
}

/// The scale of the last run that determined one, for runs that are too short.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastScale(Option<Scale>);

impl LastScale {
    /// The scale of a run. If width and height differ, the distances between its glyphs decide; a run of one glyph follows the run before
    /// it.
    pub(super) fn of(&mut self, run: &[DrawnGlyph]) -> Scale {
        if !run.iter().any(DrawnGlyph::is_uneven) || run.iter().all(|d| d.own_outlines) && run.len() == 1 {
            return Scale::Width;
        }
        // Relative to the height: the distance between two glyphs per stated width, and the stretch of the transform.
        let stated = run.windows(2).filter(|pair| pair[0].width > 0.0 && pair[0].is_uneven());
        let distance = median(stated.map(|p| (p[1].origin() - p[0].origin()).hypot() / (p[0].width * p[0].height())));
        let stretch = median(run.iter().map(|d| d.across() / d.height()));
        if let (Some(distance), Some(stretch)) = (distance, stretch) {
            let by_height = (distance - 1.0).abs() < (distance - stretch).abs();
            self.0 = Some(if by_height { Scale::Height } else { Scale::Width });
        }
        self.0.unwrap_or(Scale::Height)
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meaning_is_text_nothing_or_unknown() {
        let table = [('a', Some("a")), ('\t', Some(" ")), ('\u{200b}', Some("")), ('\u{fffd}', None), ('\u{3}', None)];
        for (c, want) in table {
            let got = glyph_text(BfString::Char(c)).map(|text| match text {
                GlyphText::One(c) => c.to_string(),
                GlyphText::Known(chars) => chars.into_iter().collect(),
                GlyphText::Code(code) => format!("code {code}"),
            });
            assert_eq!(got.as_deref(), want, "{c:?}");
        }
    }
}

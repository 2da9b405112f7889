//! Groups the characters of one direction into words: characters drawn next to each other without a gap. Keeps the drawing order.

use super::glyph::{GlyphStyle, LEFT_OUT, PlacedGlyph};

/// Least gap, in ems, that separates two words. Spaces of text fonts are a fifth to a third of an em wide and shrink in tight lines;
/// kerning is far smaller. Chosen, not measured.
pub(super) const WORD_GAP_EM: f64 = 0.1;
/// Largest step back, in ems, within a word (kerning, slanted overlaps).
const BACK_EM: f64 = 0.35;
/// Largest distance, in ems, of baselines that count as equal.
const BASELINE_EM: f64 = 0.1;

/// Largest difference, in ems, of advances that count as equal.
const PITCH: f64 = 0.01;

/// A piece of a line without gaps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LineWord {
    pub(super) text: String,
    pub(super) u0: f64,
    pub(super) u1: f64,
    pub(super) v: f64,
    pub(super) em: f64,
    /// Whether a space was drawn before it, and after it.
    pub(super) space_before: bool,
    pub(super) space_after: bool,
    /// Characters of `text`.
    pub(super) len: usize,
    pub(super) style: GlyphStyle,
    /// The advance shared by all its characters, in ems, as in a fixed-pitch font.
    pub(super) pitch: Option<f64>,
}

impl LineWord {
    fn begin(g: &PlacedGlyph, space_before: bool) -> Self {
        Self {
            text: g.ch.to_string(),
            u0: g.u0.min(g.u1),
            u1: g.u1.max(g.u0),
            v: g.v,
            em: g.em,
            space_before,
            space_after: false,
            len: 1,
            style: g.style,
            pitch: (g.em > 0.0).then(|| (g.u1 - g.u0) / g.em),
        }
    }

    fn takes(&self, g: &PlacedGlyph) -> bool {
        let em = self.em.min(g.em);
        let gap = g.u0 - self.u1;
        (-BACK_EM * em..WORD_GAP_EM * em).contains(&gap)
            && (g.v - self.v).abs() <= BASELINE_EM * em
            && (g.em - self.em).abs() <= 0.1 * em
            && g.style == self.style
            && (g.ch == LEFT_OUT) == self.text.starts_with(LEFT_OUT)
    }

    fn push(&mut self, g: &PlacedGlyph) {
        self.text.push(g.ch);
        self.u1 = self.u1.max(g.u1);
        self.len += 1;
        self.pitch = self.pitch.filter(|pitch| ((g.u1 - g.u0) / g.em - pitch).abs() <= PITCH);
    }
}

/// The words of the characters, in drawing order. White space ends a word and belongs to none.
pub(super) fn words(glyphs: &[PlacedGlyph]) -> Vec<LineWord> {
    let mut out: Vec<LineWord> = Vec::new();
    let mut open = false;
    let mut space_before = false;
    for g in glyphs {
        if g.ch == ' ' {
            if let Some(last) = out.last_mut().filter(|_| open) {
                last.space_after = true;
            }
            open = false;
            space_before = true;
            continue;
        }
        match out.last_mut().filter(|word| open && word.takes(g)) {
            Some(word) => word.push(g),
            None => out.push(LineWord::begin(g, space_before)),
        }
        open = true;
        space_before = false;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters with their left edge and baseline; then the result.
    type WordCase = (&'static [(char, f64, f64)], &'static [&'static str]);

    fn placed(ch: char, u0: f64, v: f64) -> PlacedGlyph {
        PlacedGlyph { ch, u0, u1: u0 + 5.0, v, em: 10.0, style: Default::default() }
    }

    fn texts(glyphs: &[(char, f64, f64)]) -> Vec<String> {
        let glyphs: Vec<PlacedGlyph> = glyphs.iter().map(|(c, u, v)| placed(*c, *u, *v)).collect();
        words(&glyphs).into_iter().map(|w| w.text).collect()
    }

    #[test]
    fn gaps_baselines_and_spaces_end_a_word() {
        let table: [WordCase; 6] = [
            (&[('a', 0.0, 0.0), ('b', 5.0, 0.0)], &["ab"]),
            (&[('a', 0.0, 0.0), ('b', 5.9, 0.0)], &["ab"]),
            (&[('a', 0.0, 0.0), ('b', 6.1, 0.0)], &["a", "b"]),
            (&[('a', 0.0, 0.0), ('b', 5.0, 2.0)], &["a", "b"]),
            (&[('a', 0.0, 0.0), (' ', 5.0, 0.0), ('b', 5.0, 0.0)], &["a", "b"]),
            (&[('a', 50.0, 0.0), ('b', 0.0, 0.0)], &["a", "b"]),
        ];
        for (given, want) in table {
            assert_eq!(texts(given), want, "{given:?}");
        }
    }
}

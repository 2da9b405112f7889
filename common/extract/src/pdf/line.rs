//! A line of a column: the segments of a row that belong together, joined.

use std::rc::Rc;

use super::rows::{RuledRow, SegmentRow, is_ideograph};

/// Letters that are as wide as others only in a fixed-pitch font.
const TELLING: &str = "fijlmrtw";
/// Least number of different letters, one of them in [`TELLING`], that proves a fixed pitch.
const FIXED_LETTERS: usize = 3;

/// A line of the page's text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) u0: f64,
    pub(super) u1: f64,
    /// The baseline of most of its characters.
    pub(super) v: f64,
    /// The size of most of its characters.
    pub(super) em: f64,
    /// Whether all its letters are bold.
    pub(super) bold: bool,
    /// Whether all its characters are equally wide.
    pub(super) even: bool,
    /// Whether they are, and its letters prove that this is the font's pitch.
    pub(super) fixed: bool,
    /// Whether it contains the value of a form field.
    pub(super) field: bool,
    /// Width of its first word, in points.
    pub(super) head: f64,
    /// Sizes of its first and its last word.
    pub(super) ends: [f64; 2],
    /// The cells, if it is a row of a table with lines.
    pub(super) ruled: Option<Rc<RuledRow>>,
}

impl Line {
    /// Joins the segments of a row, from left to right; `None` if there are none.
    pub(super) fn from_row(row: SegmentRow) -> Option<Self> {
        let main = row.iter().max_by_key(|s| s.len)?;
        let (v, em) = (main.v, main.em);
        let len: usize = row.iter().map(|s| s.len).sum();
        let rtl = row.iter().filter(|s| s.right_to_left).map(|s| s.len).sum::<usize>() * 2 > len;
        let spaces = row.iter().flat_map(|s| s.text.chars()).filter(|c| *c == ' ').count();
        let bold = row.iter().map(|s| s.bold).sum::<usize>() + spaces >= len;
        let field = row.iter().any(|s| s.field > 0);
        let pitch =
            row.iter().map(|s| s.pitch).reduce(|a, b| a.zip(b).filter(|(a, b)| (a - b).abs() < 0.01).map(|(a, _)| a));
        let (u0, u1) = row.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), s| (a.min(s.u0), b.max(s.u1)));
        let head = row.first().map_or(0.0, |s| s.head);
        let ends = [row.first().map_or(em, |s| s.ends[0]), row.last().map_or(em, |s| s.ends[1])];
        let ruled = row.first().filter(|_| row.len() == 1).and_then(|s| s.ruled.clone());
        let mut texts: Vec<String> = row.into_iter().map(|s| s.text).collect();
        if rtl {
            texts.reverse();
        }
        let text = join(texts);
        let even = pitch.flatten().is_some();
        let fixed = even && shows_pitch(&text);
        Some(Self { text, u0, u1, v, em, bold, even, fixed, field, head, ends, ruled })
    }
}

/// Joins texts with spaces, except between ideographs.
fn join(texts: Vec<String>) -> String {
    let mut out = String::new();
    for text in texts {
        let runs_on = ends_wide(&out) && begins_wide(&text);
        if !out.is_empty() && !runs_on {
            out.push(' ');
        }
        out.push_str(&text);
    }
    out
}

/// Whether the letters of the text suffice to recognize a fixed-pitch font.
fn shows_pitch(text: &str) -> bool {
    let mut seen: Vec<char> = text.chars().filter(char::is_ascii_lowercase).take(32).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() >= FIXED_LETTERS && seen.iter().any(|c| TELLING.contains(*c))
}

/// Whether the text ends in a character of a script that is written without spaces.
pub(super) fn ends_wide(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_wide)
}

/// Whether the text begins with a character of a script that is written without spaces.
pub(super) fn begins_wide(text: &str) -> bool {
    text.chars().next().is_some_and(is_wide)
}

/// Ideographs, kana and their punctuation. Hangul is written with spaces.
fn is_wide(c: char) -> bool {
    is_ideograph(c) || matches!(c, '\u{3001}'..='\u{301f}' | '\u{ff01}'..='\u{ff60}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideographs_are_joined_without_a_space() {
        let table: [(&[&str], &str); 4] = [
            (&["漢", "字"], "漢字"),
            (&["word", "字"], "word 字"),
            (&["文。", "「字"], "文。「字"),
            (&["한국", "어"], "한국 어"),
        ];
        for (given, want) in table {
            assert_eq!(join(given.iter().map(ToString::to_string).collect()), want);
        }
    }
}

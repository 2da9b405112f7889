//! Groups words into rows, and the words of a row into segments: pieces without a gap wide enough for a column edge.

use std::rc::Rc;

use super::super::runs::{Position, place_text};
use super::bidi;
use super::glyph::LEFT_OUT;
use super::positions::positions;
use super::words::{LineWord, WORD_GAP_EM};

/// Least gap, in ems, that may separate two columns: the narrowest gutters of newspapers are hardly wider than the spaces of a justified
/// line. Whether a gap is a gutter is decided later, from many rows.
const SEGMENT_GAP_EM: f64 = 0.6;
/// Least vertical overlap, relative to the lower height, of words of similar size in one row.
const OVERLAP: f64 = 0.55;
/// Size ratio above which words share a row only on the same baseline (a heading next to body text, an initial).
const SIZE_RATIO: f64 = 1.5;
/// Least vertical overlap of a superscript or subscript with its row.
const HANGING_OVERLAP: f64 = 0.2;
/// Largest distance, in ems of the larger word, of a superscript or subscript from that word.
const HANGING_GAP_EM: f64 = 0.35;
/// Largest distance, in ems of a word, to a row it may belong to.
const REACH_EM: f64 = 3.0;
/// Letter spacing, in ems, above which letters are words of one letter.
const MAX_LETTER_SPACING_EM: f64 = 0.4;
/// Gaps without a drawn space are letter spacing if they are below this part of the line's drawn spaces.
const SPACING_TO_SPACE: f64 = 0.45;

/// Most words of a segment examined for its usual size; limits the work.
const USUAL_WORDS: usize = 24;

/// A piece of a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LineSegment {
    pub(super) text: String,
    pub(super) u0: f64,
    pub(super) u1: f64,
    pub(super) v: f64,
    pub(super) em: f64,
    /// Characters of `text`.
    pub(super) len: usize,
    /// Number of characters in bold type, and in form fields.
    pub(super) bold: usize,
    pub(super) field: usize,
    /// Width of its first word, in points.
    pub(super) head: f64,
    /// Sizes of its first and its last word.
    pub(super) ends: [f64; 2],
    /// The advance shared by all its characters, in ems.
    pub(super) pitch: Option<f64>,
    /// Whether most of its letters are written from right to left.
    pub(super) right_to_left: bool,
    /// The cells, if it is a row of a table with lines.
    pub(super) ruled: Option<Rc<RuledRow>>,
}

/// A row of a table whose lines enclose its cells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RuledRow {
    /// The number of the table on its page.
    pub(super) table: usize,
    /// Whether it names columns, because a cell in it covers several.
    pub(super) is_head: bool,
    /// The text of each column; that of a merged cell in every column and row it covers.
    pub(super) cells: Vec<Vec<SegmentRow>>,
    /// The edges between the columns.
    pub(super) gutters: Rc<[f64]>,
}

/// Segments at one height, sorted by `u`.
pub(super) type SegmentRow = Vec<LineSegment>;

/// The text of a row, with a space between its segments.
pub(super) fn row_text(row: &SegmentRow) -> String {
    row.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The rows of a page, sorted by `v`.
pub(super) fn rows(mut words: Vec<LineWord>) -> Vec<SegmentRow> {
    // Large words come first: they form the rows that superscripts, subscripts and the like are then attached to.
    words.sort_by(|a, b| size_class(b).cmp(&size_class(a)).then(a.v.total_cmp(&b.v)).then(a.u0.total_cmp(&b.u0)));
    let mut open: Vec<OpenRow> = Vec::new();
    for word in words {
        let reach = REACH_EM * word.em;
        let from = open.partition_point(|row| row.v < word.v - reach);
        let near = open[from..].iter().take_while(|row| row.v <= word.v + reach).enumerate();
        let best = near
            .map(|(i, row)| (from + i, row.fit(&word)))
            .filter(|(_, fit)| *fit > 0.0)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        match best {
            Some((i, _)) => open[i].words.push(word),
            None => {
                let at = open.partition_point(|row| row.v <= word.v);
                open.insert(at, OpenRow { v: word.v, em: word.em, words: vec![word] });
            }
        }
    }
    open.into_iter().map(OpenRow::close).filter(|row| !row.is_empty()).collect()
}

/// Size in quarter points, so that fonts that differ by rounding have one size.
fn size_class(word: &LineWord) -> i64 {
    (word.em * 4.0).round() as i64
}

/// A row under construction. Its first word is the largest and gives the baseline.
struct OpenRow {
    v: f64,
    em: f64,
    words: Vec<LineWord>,
}

impl OpenRow {
    /// How well the word fits, 0 to 1; 0 if it does not belong to the row.
    fn fit(&self, word: &LineWord) -> f64 {
        let (a, b) = (extent(self.v, self.em), extent(word.v, word.em));
        let share = (a.1.min(b.1) - a.0.max(b.0)) / (0.95 * word.em.min(self.em));
        let same_baseline = (self.v - word.v).abs() <= 0.2 * word.em;
        let alike = self.em <= SIZE_RATIO * word.em;
        if same_baseline || (alike && share >= OVERLAP) || (share >= HANGING_OVERLAP && self.carries(word)) {
            share.max(f64::MIN_POSITIVE)
        } else {
            0.0
        }
    }

    /// Whether a smaller word is attached to a word of the row: an index, an exponent, a footnote mark.
    fn carries(&self, small: &LineWord) -> bool {
        let touches = |big: &LineWord| {
            let gap = (small.u0 - big.u1).max(big.u0 - small.u1);
            big.em > 1.15 * small.em && gap.abs() < HANGING_GAP_EM * big.em
        };
        self.words.iter().any(touches)
    }

    fn close(mut self) -> SegmentRow {
        self.words.sort_by(|a, b| a.u0.total_cmp(&b.u0));
        numerators_first(&mut self.words);
        let mut groups: Vec<Vec<LineWord>> = Vec::new();
        let mut end = f64::NEG_INFINITY;
        for word in self.words {
            let em = word.em.max(groups.last().and_then(|g| g.last()).map_or(0.0, |w| w.em));
            let apart = word.u0 - end > SEGMENT_GAP_EM * em;
            end = end.max(word.u1);
            match groups.last_mut().filter(|_| !apart) {
                Some(group) => group.push(word),
                None => groups.push(vec![word]),
            }
        }
        groups.into_iter().map(segment).filter(|segment| !segment.text.is_empty()).collect()
    }
}

/// The height of a line covered by letters: from the top of the capitals to the descenders.
fn extent(v: f64, em: f64) -> (f64, f64) {
    (v - 0.75 * em, v + 0.2 * em)
}

/// Puts the upper of two words above each other first, as in a fraction or the limits of a sum.
fn numerators_first(words: &mut [LineWord]) {
    for i in 1..words.len() {
        let (a, b) = (&words[i - 1], &words[i]);
        let shared = a.u1.min(b.u1) - a.u0.max(b.u0);
        let narrower = (a.u1 - a.u0).min(b.u1 - b.u0);
        if shared > 0.5 * narrower && b.v < a.v - 0.4 * b.em.min(a.em) {
            words.swap(i - 1, i);
        }
    }
}

/// Baseline and size of most of the characters.
fn usual_type(words: &[LineWord]) -> (f64, f64) {
    let same = |a: &LineWord, b: &LineWord| size_class(a) == size_class(b) && (a.v - b.v).abs() < 0.05 * a.em;
    // Most segments have one size; for the others, the first words are enough.
    let weight = |a: &LineWord| words.iter().take(USUAL_WORDS).filter(|b| same(a, b)).map(|b| b.len).sum::<usize>();
    let Some(first) = words.first() else {
        return (0.0, 0.0);
    };
    if words.iter().all(|w| same(first, w)) {
        return (first.v, first.em);
    }
    let usual = words.iter().take(USUAL_WORDS).max_by_key(|w| weight(w)).unwrap_or(first);
    (usual.v, usual.em)
}

fn segment(words: Vec<LineWord>) -> LineSegment {
    let (v, em) = usual_type(&words);
    let pitch =
        words.iter().map(|w| w.pitch).reduce(|a, b| a.zip(b).filter(|(a, b)| (a - b).abs() < 0.01).map(|(a, _)| a));
    let styled = |is: fn(&LineWord) -> bool| words.iter().filter(|w| is(w)).map(|w| w.len).sum::<usize>();
    let (bold, field) = (styled(|w| w.style.bold), styled(|w| w.style.field));
    let head = words.first().map_or(0.0, |w| w.u1 - w.u0);
    let ends = [words.first(), words.last()].map(|w| w.map_or(em, |w| w.em));
    let u0 = words.first().map_or(0.0, |w| w.u0);
    let u1 = words.iter().map(|w| w.u1).fold(u0, f64::max);
    let spaced_em = letter_spacing(&words).unwrap_or(WORD_GAP_EM);
    let pieces = pieces(&words, spaced_em);
    let right_to_left = bidi::is_right_to_left(&pieces);
    let text = bidi::logical(pieces, right_to_left);
    let (len, pitch) = (text.chars().count(), pitch.flatten());
    LineSegment { text, u0, u1, v, em, len, bold, field, head, ends, pitch, right_to_left, ruled: None }
}

/// The texts between the spaces of a line. Raised and lowered words are written as such.
fn pieces(words: &[LineWord], spaced_em: f64) -> Vec<String> {
    let mut pieces: Vec<Vec<(String, Position)>> = Vec::new();
    let mut last: Option<&LineWord> = None;
    let is_shown = |word: &LineWord| !word.text.starts_with(LEFT_OUT);
    for (word, position) in words.iter().zip(positions(words)).filter(|(word, _)| is_shown(word)) {
        let joins = last.is_some_and(|before| !separate(before, word, spaced_em) && !is_mixed(before, word, position));
        last = Some(word);
        let piece = pieces.last_mut();
        match piece.filter(|piece| {
            joins || (position != Position::Baseline && piece.last().is_some_and(|(_, s)| *s == position))
        }) {
            Some(piece) => match piece.last_mut().filter(|(_, before)| *before == position) {
                // Parts in one form are written together.
                Some((text, _)) => {
                    text.push_str(if joins { "" } else { " " });
                    text.push_str(&word.text);
                }
                None => piece.push((word.text.clone(), position)),
            },
            None => pieces.push(vec![(word.text.clone(), position)]),
        }
    }
    pieces.iter().map(|piece| piece.iter().map(|(text, position)| place_text(text, *position)).collect()).collect()
}

/// Whether a number begins behind the digits of another, off their baseline: a fraction behind a whole number.
fn is_mixed(before: &LineWord, word: &LineWord, position: Position) -> bool {
    position == Position::Baseline
        && before.text.ends_with(char::is_numeric)
        && word.text.starts_with(char::is_numeric)
        && (before.v - word.v).abs() > 0.12 * before.em.max(word.em)
}

/// Whether there is a space between two adjacent words of a line.
fn separate(a: &LineWord, b: &LineWord, gap_em: f64) -> bool {
    let em = a.em.min(b.em);
    let gap = b.u0 - a.u1;
    if (a.space_after || b.space_before) && gap > 0.02 * em {
        return true;
    }
    if gap < -0.5 * em {
        return true;
    }
    let ideographs =
        a.text.chars().next_back().is_some_and(is_ideograph) && b.text.chars().next().is_some_and(is_ideograph);
    gap > if ideographs { 0.6 * em } else { gap_em * em }
}

/// The gap, in ems, that separates words in a line with letter spacing; `None` for an ordinary line.
fn letter_spacing(words: &[LineWord]) -> Option<f64> {
    let (mut drawn, mut blank): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for pair in words.windows(2) {
        let gap = (pair[1].u0 - pair[0].u1) / pair[0].em.min(pair[1].em);
        let has_space = pair[0].space_after || pair[1].space_before;
        if has_space { drawn.push(gap) } else { blank.push(gap) }
    }
    drawn.sort_by(f64::total_cmp);
    blank.retain(|gap| *gap > WORD_GAP_EM);
    blank.sort_by(f64::total_cmp);
    let usual = *blank.get(blank.len() / 4)?;
    // Two drawn spaces are enough to show how wide the spaces of the line are.
    if drawn.len() >= 2 {
        return Some((SPACING_TO_SPACE * drawn[drawn.len() / 4]).clamp(WORD_GAP_EM, 0.25));
    }
    let letters = words.iter().filter(|w| w.len == 1 && w.text.chars().all(char::is_alphanumeric)).count();
    let apart = words.len() >= 4 && letters * 10 >= words.len() * 8;
    apart.then(|| (usual * 1.3 + 0.07).min(MAX_LETTER_SPACING_EM))
}

pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::super::fixture::word;
    use super::*;

    fn lines(words: Vec<LineWord>) -> Vec<String> {
        rows(words).into_iter().map(|row| row.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(" | ")).collect()
    }

    #[test]
    fn words_of_one_height_are_a_row_in_any_drawing_order() {
        let words = vec![word("low", 0.0, 24.0, 10.0), word("right", 22.0, 10.0, 10.0), word("left", 0.0, 10.4, 10.0)];
        assert_eq!(lines(words), ["left right", "low"]);
    }

    #[test]
    fn a_superscript_stays_with_its_word() {
        assert_eq!(lines(vec![word("area", 0.0, 100.0, 10.0), word("2", 20.3, 96.0, 6.0)]), ["area²"]);
    }

    #[test]
    fn a_raised_or_lowered_number_never_joins_the_digits_before_it() {
        assert_eq!(lines(vec![word("40", 0.0, 100.0, 10.0), word("1", 10.3, 96.0, 6.0)]), ["40¹"]);
        let fraction = |v: f64| {
            vec![
                word("2", 0.0, 100.0, 10.0),
                word("1", 5.3, 96.0, 6.0),
                word("/", 8.4, v, 10.0),
                word("2", 13.4, 100.0, 6.0),
            ]
        };
        assert_eq!(lines(fraction(100.0)), ["2 1/2"]);
    }

    #[test]
    fn letters_set_apart_are_one_word() {
        let words = "TITLE".chars().enumerate().map(|(i, c)| word(&c.to_string(), 8.0 * i as f64, 0.0, 10.0)).collect();
        assert_eq!(lines(words), ["TITLE"]);
    }

    #[test]
    fn gaps_far_below_the_drawn_spaces_of_a_line_are_letter_spacing() {
        let mut words = vec![
            word("D", 0.0, 0.0, 10.0),
            word("E", 7.0, 0.0, 10.0),
            word("LA", 18.0, 0.0, 10.0),
            word("VILLE", 34.0, 0.0, 10.0),
        ];
        words[1].space_after = true;
        words[2].space_after = true;
        assert_eq!(lines(words), ["DE LA VILLE"]);
    }

    #[test]
    fn a_heading_does_not_swallow_adjacent_small_lines() {
        let words =
            vec![word("Title", 0.0, 20.0, 20.0), word("small", 100.0, 16.0, 10.0), word("print", 100.0, 25.0, 10.0)];
        assert_eq!(lines(words), ["small", "Title", "print"]);
    }

    #[test]
    fn a_wide_gap_divides_a_row_into_segments() {
        assert_eq!(lines(vec![word("one", 0.0, 0.0, 10.0), word("two", 30.0, 0.0, 10.0)]), ["one | two"]);
    }

    #[test]
    fn ideographs_need_no_space() {
        assert_eq!(lines(vec![word("漢", 0.0, 0.0, 10.0), word("字", 7.0, 0.0, 10.0)]), ["漢字"]);
    }
}

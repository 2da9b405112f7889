//! Groups the lines of a column into paragraphs. A paragraph begins where the page shows it: at a wider step, another size or weight, an
//! indent, a list marker, or after a line that ends early although the next word would have fitted.

use super::super::marker::{Family, marker};
use super::line::Line;

/// Step relative to the usual one that begins a paragraph.
const LEADING: f64 = 1.35;
/// Step, in ems, that begins a paragraph in any case.
const STEP_EM: f64 = 2.0;
/// Step, in ems, up to which lines are never separated.
const TIGHT_EM: f64 = 1.3;
/// Least relative difference of two sizes that counts as different.
const SIZE: f64 = 0.08;
/// Width of an indent, in ems.
const INDENT_EM: std::ops::Range<f64> = 0.8..6.0;
/// Space, in ems, that must remain besides a word for it to fit.
const ROOM_EM: f64 = 1.0;
/// Empty part of the width that shows that a line has ended, whatever its last character is.
const SHORT: f64 = 0.4;
/// Largest distance, in ems, of edges that count as equal.
const EDGE_EM: f64 = 0.5;

/// Lines that belong together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paragraph {
    pub(super) lines: Vec<Line>,
    /// Whether its last line reaches the edge of the column, so that the text may continue elsewhere.
    pub(super) is_full: bool,
    /// Whether it is the first, and the last, of its column.
    pub(super) begins_column: bool,
    pub(super) ends_column: bool,
}

/// The paragraphs of a column.
pub(super) fn paragraphs(lines: Vec<Line>) -> Vec<Paragraph> {
    let column = ColumnMeasures::from_lines(&lines);
    let mut out: Vec<Paragraph> = Vec::new();
    let mut coming = lines.into_iter().peekable();
    while let Some(line) = coming.next() {
        match out.last_mut().filter(|p| !column.begins(&p.lines, &line, coming.peek())) {
            Some(open) => open.lines.push(line),
            None => out.push(Paragraph { lines: vec![line], is_full: false, begins_column: false, ends_column: false }),
        }
    }
    for paragraph in &mut out {
        paragraph.is_full = paragraph.lines.last().is_some_and(|line| column.is_full(line));
    }
    if let Some(first) = out.first_mut() {
        first.begins_column = true;
    }
    if let Some(last) = out.last_mut() {
        last.ends_column = true;
    }
    out
}

/// The usual measures of a column.
struct ColumnMeasures {
    right: f64,
    left: f64,
    /// The median step between lines.
    leading: f64,
}

impl ColumnMeasures {
    fn from_lines(lines: &[Line]) -> Self {
        let mut steps: Vec<f64> = lines.windows(2).map(|p| p[1].v - p[0].v).filter(|s| *s > 0.0).collect();
        steps.sort_by(f64::total_cmp);
        Self {
            right: lines.iter().map(|l| l.u1).fold(f64::NEG_INFINITY, f64::max),
            left: lines.iter().map(|l| l.u0).fold(f64::INFINITY, f64::min),
            leading: steps.get(steps.len() / 2).copied().unwrap_or(f64::INFINITY),
        }
    }

    fn is_full(&self, line: &Line) -> bool {
        self.right - line.u1 < 0.15 * (self.right - self.left).max(line.em)
    }

    /// Whether the line begins a new paragraph after the lines of `open`.
    fn begins(&self, open: &[Line], line: &Line, next: Option<&Line>) -> bool {
        let Some(last) = open.last() else {
            return true;
        };
        let em = last.em.max(line.em);
        let step = line.v - last.v;
        if step < -0.5 * em || step > STEP_EM * em || (step > LEADING * self.leading && step > TIGHT_EM * em) {
            return true;
        }
        // A line may begin or end in another size than most of it, as with emphasized words at the start of a paragraph.
        let sizes_differ = |a: f64, b: f64| (a - b).abs() > SIZE * em;
        let is_other_size = sizes_differ(line.em, last.em) && sizes_differ(line.ends[0], last.ends[1]);
        let ended = ends_sentence(&last.text);
        let short = self.has_room(last, line);
        let small_capitals = !ended && !short && (is_capital(&line.text) || is_capital(&last.text));
        if (is_other_size && !small_capitals) || (line.fixed && !last.even) || (last.fixed && !line.even) {
            return true;
        }
        if line.bold != last.bold && (ended || short || last.text.ends_with(':')) {
            return true;
        }
        self.begins_item(open, last, line, next, ended || short)
            || (ended && short)
            || self.is_cut_short(last, line)
            || self.is_indented(open, line, ended || short)
    }

    /// Whether the first word of `line` would have fitted behind `last`.
    fn has_room(&self, last: &Line, line: &Line) -> bool {
        self.right - last.u1 > line.head + ROOM_EM * last.em
    }

    fn is_cut_short(&self, last: &Line, line: &Line) -> bool {
        let starts_new = line.text.chars().find(|c| c.is_alphanumeric()).is_some_and(|c| !c.is_lowercase());
        starts_new
            && !last.text.ends_with(['-', ','])
            && self.right - last.u1 > SHORT * (self.right - self.left) + line.head
    }

    fn begins_item(&self, open: &[Line], last: &Line, line: &Line, next: Option<&Line>, closed: bool) -> bool {
        let Some(mark) = marker(&line.text) else {
            return false;
        };
        let hangs = next.is_some_and(|next| next.u0 > line.u0 + EDGE_EM * line.em && next.v > line.v);
        let among_items = open
            .first()
            .is_some_and(|first| marker(&first.text).is_some() && (first.u0 - line.u0).abs() < EDGE_EM * line.em);
        let introduced = last.text.ends_with(':');
        match mark.family == Family::Bullet && !matches!(mark.text, "-" | "–" | "—" | "*" | "·" | "+") {
            true => true,
            false => closed || introduced || ((hangs || among_items) && ends_clause(&last.text)),
        }
    }

    fn is_indented(&self, open: &[Line], line: &Line, closed: bool) -> bool {
        let (Some(first), Some(last)) = (open.first(), open.last()) else {
            return false;
        };
        let indent = (line.u0 - last.u0) / line.em;
        if INDENT_EM.contains(&indent) {
            // Lines behind a list marker are indented themselves, and so are those behind the first line of a reference.
            let hangs = open.len() == 1 && (marker(&first.text).is_some() || !closed);
            return closed && !hangs;
        }
        // Hanging indent: a line that starts further left begins the next entry.
        let back = (last.u0 - line.u0) / line.em;
        open.len() > 1
            && back >= INDENT_EM.start
            && (line.u0 - first.u0).abs() < EDGE_EM * line.em
            && (closed || ends_clause(&last.text))
    }
}

/// Whether all its letters are capitals: capitals within a text are often set a size smaller.
fn is_capital(text: &str) -> bool {
    text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase)
}

/// Whether the text ends where a sentence can end.
pub(super) fn ends_sentence(text: &str) -> bool {
    let end = text.trim_end_matches(['"', '\'', '”', '’', '»', ')', ']', '」', '』']);
    end.ends_with(['.', '!', '?', '。', '！', '？', '؟', '।', '…'])
}

/// Whether the text ends where a list item can end.
fn ends_clause(text: &str) -> bool {
    ends_sentence(text) || text.ends_with([';', ',', ':']) || text.ends_with(" and") || text.ends_with(" or")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, u0: f64, v: f64) -> Line {
        let u1 = u0 + 5.0 * text.chars().count() as f64;
        let head = 5.0 * text.split(' ').next().map_or(0, |w| w.chars().count()) as f64;
        Line { text: text.into(), u0, u1, v, em: 10.0, head, ends: [10.0; 2], ..Line::default() }
    }

    fn read(lines: Vec<Line>) -> Vec<String> {
        let text = |p: Paragraph| p.lines.into_iter().map(|l| l.text).collect::<Vec<_>>().join(" / ");
        paragraphs(lines).into_iter().map(text).collect()
    }

    #[test]
    fn an_indent_behind_a_full_stop_begins_a_paragraph() {
        let lines = vec![
            line("the first paragraph fills its lines", 0.0, 0.0),
            line("to the right edge and ends on it so.", 0.0, 12.0),
            line("Then the second one begins behind", 15.0, 24.0),
            line("an indent and goes on as the first.", 0.0, 36.0),
        ];
        assert_eq!(read(lines).len(), 2);
    }

    #[test]
    fn a_line_that_ends_early_ends_its_paragraph() {
        let lines = vec![
            line("the first paragraph fills its lines", 0.0, 0.0),
            line("but not the last.", 0.0, 12.0),
            line("Then the second one begins without", 0.0, 24.0),
        ];
        assert_eq!(read(lines).len(), 2);
    }

    #[test]
    fn a_number_at_the_start_of_a_line_is_no_item() {
        let lines = vec![
            line("what was said before in paragraph", 0.0, 0.0),
            line("3. of the same chapter goes on here", 0.0, 12.0),
        ];
        assert_eq!(read(lines).len(), 1);
    }

    #[test]
    fn items_that_hang_are_paragraphs() {
        let lines = vec![
            line("1. the first item, which runs on;", 0.0, 0.0),
            line("into a second line", 15.0, 12.0),
            line("2. the second item.", 0.0, 24.0),
            line("3. the third item.", 0.0, 36.0),
        ];
        assert_eq!(read(lines).len(), 3);
    }

    #[test]
    fn differently_sized_leading_words_belong_to_their_paragraph() {
        let mut lines =
            vec![line("FOR FURTHER INFORMATION: Ian", 0.0, 0.0), line("Won, Manager, in the office", 0.0, 12.0)];
        (lines[0].em, lines[0].ends) = (8.0, [8.0, 10.0]);
        assert_eq!(read(lines).len(), 1);
    }

    #[test]
    fn small_capitals_within_a_sentence_do_not_end_it() {
        let text = [
            "the person that is identified in the",
            "FOR FURTHER INFORMATION CONTACT PART",
            "of this note, which see.",
        ];
        let mut lines: Vec<Line> = text.iter().zip(0..).map(|(t, n)| line(t, 0.0, 12.0 * f64::from(n))).collect();
        (lines[1].em, lines[1].ends) = (8.0, [8.0; 2]);
        assert_eq!(read(lines.clone()).len(), 1);
        lines[0].text = "the person that is identified there.".into();
        assert_eq!(read(lines).len(), 3 - 1);
    }

    #[test]
    fn another_size_begins_a_paragraph() {
        let mut lines = vec![line("A heading", 0.0, 0.0), line("and its text", 0.0, 14.0)];
        lines[0].em = 12.0;
        lines[0].ends = [12.0; 2];
        assert_eq!(read(lines).len(), 2);
    }
}

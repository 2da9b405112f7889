//! [`RunText`]: the text of a block, built from runs.

use precis_proto::CodeLine;
use precis_proto::block::BlockLink;
use precis_text::{code_lines, hiding_marks, normalize, visible};

use super::left_out::LeftOut;
use super::links::Links;
use super::marks::{Marks, Position};
use super::position::place_text;

/// Longest mark of a note, in characters: `note 12`. A longer raised link is text.
const MAX_MARK_CHARS: usize = 10;

/// The runs of a block so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RunText {
    /// The text before the run that is open.
    text: String,
    /// The raised or lowered run that is open: the next piece may continue it.
    open: Option<(Position, String)>,
    /// The mark of a note that is being read, and how it is set.
    note: (String, Marks),
    /// The bracket behind the mark of a note, which goes with it.
    closing: Option<char>,
    /// Whether a formula that ends with a digit was read last.
    after_formula: bool,
    notes: Vec<String>,
    links: Links,
    left_out: LeftOut,
}

/// The words of a block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// Normalized, without invisible characters.
    pub(crate) text: String,
    /// Marks of the notes to which it leads, in order.
    pub(crate) notes: Vec<String>,
    /// Its links to other documents, in order.
    pub(crate) links: Vec<BlockLink>,
    /// Numbers of its characters that it does not say.
    pub(crate) left_out: LeftOut,
    /// Byte positions of `text` at which a line of the source begins, behind the first one; ascending.
    pub(crate) lines: Vec<usize>,
}

impl RunText {
    /// A block of one run without marks.
    pub(crate) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Appends `text` with `marks`.
    pub(crate) fn push(&mut self, text: &str, marks: Marks) {
        if marks.is_hidden {
            self.left_out.hidden += count(text);
            return;
        }
        if marks.is_struck {
            // What stands behind it is another run, also at the same height.
            self.end_run();
            self.left_out.struck += count(text);
            // The words on its sides are two, though the blank between them is struck: "40", a struck blank, "50".
            if text.contains(char::is_whitespace) {
                self.space(' ');
            }
            return;
        }
        if marks.is_note {
            self.note.0.push_str(text);
            self.note.1 = Marks { is_note: false, ..marks };
            return;
        }
        self.end_note();
        self.links.say(text);
        let text = self.closing.take().and_then(|closing| text.strip_prefix(closing)).unwrap_or(text);
        if std::mem::take(&mut self.after_formula) && text.starts_with(|c: char| c.is_numeric()) {
            self.space(' ');
        }
        let nested = inner(text, marks.inner);
        let text = nested.as_str();
        match &mut self.open {
            Some((position, run)) if *position == marks.position => run.push_str(text),
            _ => {
                self.end_run();
                match marks.position {
                    Position::Baseline => self.text.push_str(text),
                    Position::Raised | Position::Lowered => self.open = Some((marks.position, text.to_owned())),
                }
            }
        }
    }

    /// Appends `text` without marks.
    pub(crate) fn plain(&mut self, text: &str) {
        self.push(text, Marks::default());
    }

    /// Appends a formula: its number and that of the text beside it are two.
    pub(crate) fn formula(&mut self, formula: &str, marks: Marks) {
        let is_digit = |c: char| c.is_numeric();
        if self.last_char().is_some_and(is_digit) && formula.starts_with(is_digit) {
            self.space(' ');
        }
        self.push(formula, marks);
        self.after_formula = formula.ends_with(is_digit);
    }

    fn last_char(&self) -> Option<char> {
        self.open.as_ref().map_or(&self.text, |(_, run)| run).chars().next_back()
    }

    /// Begins a link to `target`: what is said until [`Self::end_link`] is its text. Links do not nest.
    pub(crate) fn begin_link(&mut self, target: &str) {
        self.links.begin(target);
    }

    /// Ends the link that is open, if one is.
    pub(crate) fn end_link(&mut self) {
        self.links.end();
    }

    /// Appends white space, which belongs to no run.
    pub(crate) fn space(&mut self, space: char) {
        self.links.say(" ");
        match &mut self.open {
            Some((_, run)) => run.push(space),
            None => self.text.push(space),
        }
    }

    /// Notes that a note with the mark `mark` is referred to here.
    pub(crate) fn note(&mut self, mark: &str) {
        self.end_note();
        self.notes.push(mark.to_owned());
    }

    /// Whether nothing was said.
    pub(crate) fn is_blank(&self) -> bool {
        let is_blank = |text: &str| text.chars().all(char::is_whitespace);
        is_blank(&self.text) && self.open.as_ref().is_none_or(|(_, run)| is_blank(run))
    }

    /// Whether it ends with a space. White space behind the mark of a note ends that mark, whatever stands before it.
    pub(crate) fn ends_apart(&self) -> bool {
        self.note.0.is_empty() && self.open.as_ref().map_or(&self.text, |(_, run)| run).ends_with(' ')
    }

    /// Number of bytes so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len() + self.open.as_ref().map_or(0, |(_, run)| run.len())
    }

    /// The words said, and what was left out of them. A run that is all of its block is set small, not raised against anything.
    pub(crate) fn words(self) -> Words {
        self.into_words_with(|_| ()).0
    }

    /// The words of code, and its lines.
    pub(crate) fn code(self) -> (Words, Vec<CodeLine>) {
        self.into_words_with(code_lines)
    }

    /// The words, and what `take` finds in them before their white space is collapsed.
    fn into_words_with<T>(mut self, take: impl FnOnce(&str) -> T) -> (Words, T) {
        self.end_note();
        match self.open.take() {
            Some((_, run)) if self.is_blank() => self.text.push_str(&run),
            open => {
                self.open = open;
                self.end_run();
            }
        }
        self.left_out.hidden += hiding_marks(&self.text) as u64;
        let shown = visible(&self.text);
        let (text, found) = (normalize(&shown), take(&shown));
        let lines = line_starts(&shown, &text);
        let links = self.links.finish(&text);
        (Words { lines, text, notes: self.notes, links, left_out: self.left_out }, found)
    }

    fn end_run(&mut self) {
        if let Some((position, run)) = self.open.take() {
            self.text.push_str(&place_text(&run, position));
        }
    }

    /// Ends the mark of a note. What is too long to be one, or is a word, is said: a link to a place of the page may be raised too.
    fn end_note(&mut self) {
        let (note, marks) = std::mem::take(&mut self.note);
        let normal = normalize(&note);
        let mark = normal.trim_matches(['[', ']', '(', ')']);
        if mark.is_empty() {
            return;
        }
        if !is_mark(mark) {
            return self.push(&note, marks);
        }
        self.notes.push(mark.to_owned());
        // Brackets around the mark that are not in the link.
        let before = self.open.as_mut().map_or(&mut self.text, |(_, run)| run);
        for (opening, closing) in [('[', ']'), ('(', ')')] {
            if before.ends_with(opening) {
                before.pop();
                self.closing = Some(closing);
            }
        }
    }
}

/// The positions in `normal` at which the lines of `text` begin, behind the first one; none if a word goes on over a line's end.
fn line_starts(text: &str, normal: &str) -> Vec<usize> {
    if !text.contains('\n') {
        return Vec::new();
    }
    let lines: Vec<String> = text.split('\n').map(normalize).filter(|line| !line.is_empty()).collect();
    if lines.join(" ") != normal {
        return Vec::new();
    }
    let ends = lines.iter().scan(0, |end, line| {
        *end += line.len() + 1;
        Some(*end)
    });
    ends.take(lines.len().saturating_sub(1)).collect()
}

/// Whether `text` can be the mark of a note: a number with a few letters, one or two letters, a Roman numeral or signs.
fn is_mark(text: &str) -> bool {
    let is_short = text.chars().nth(MAX_MARK_CHARS).is_none();
    let is_roman = || text.chars().all(|c| "ivxlcIVXLC".contains(c));
    is_short
        && (text.contains(char::is_numeric)
            || text.chars().filter(|c| c.is_alphanumeric()).nth(2).is_none()
            || is_roman())
}

/// `text` as it stands in a run that is raised or lowered itself.
fn inner(text: &str, position: Position) -> String {
    let sign = match position {
        Position::Raised => '^',
        Position::Lowered => '_',
        Position::Baseline => return text.to_owned(),
    };
    let core = text.trim();
    if core.is_empty() { text.to_owned() } else { format!("{sign}({core})") }
}

/// Number of characters of `text` that are not white space.
fn count(text: &str) -> u64 {
    text.chars().filter(|c| !c.is_whitespace()).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAISED: Marks = Marks {
        position: Position::Raised,
        inner: Position::Baseline,
        is_struck: false,
        is_hidden: false,
        is_note: false,
    };
    const LOWERED: Marks = Marks { position: Position::Lowered, ..RAISED };
    const POWER: Marks = Marks { inner: Position::Raised, ..RAISED };
    const PLAIN: Marks = Marks { position: Position::Baseline, ..RAISED };
    const STRUCK: Marks = Marks { is_struck: true, ..PLAIN };
    const HIDDEN: Marks = Marks { is_hidden: true, ..PLAIN };
    const NOTE: Marks = Marks { is_note: true, ..PLAIN };

    fn words(runs: &[(&str, Marks)]) -> Words {
        let mut text = RunText::default();
        for (run, marks) in runs {
            text.push(run, *marks);
        }
        text.words()
    }

    #[test]
    fn runs_are_joined_as_they_are_read() {
        for (runs, want) in [
            (&[("40", PLAIN), ("1", RAISED), (" million", PLAIN)][..], "40¹ million"),
            (&[("10", PLAIN), ("1", RAISED), ("2", RAISED), (" cells", PLAIN)], "10¹² cells"),
            (&[("10", PLAIN), ("1", RAISED), ("2", STRUCK), ("q", RAISED)], "10¹^(q)"),
            (&[("40", PLAIN), (" ", STRUCK), ("50 crowns", PLAIN)], "40 50 crowns"),
            (&[("14", PLAIN), (" old ", STRUCK), ("days", PLAIN)], "14 days"),
            (&[("H", PLAIN), ("2", LOWERED), ("O", PLAIN)], "H₂O"),
            (&[("x", PLAIN), ("i", LOWERED), ("2", RAISED)], "xᵢ²"),
            (&[("the 1", PLAIN), ("st ", RAISED), ("of May", PLAIN)], "the 1ˢᵗ of May"),
            (&[("1", RAISED), (" Without VAT.", RAISED)], "1 Without VAT."),
            (&[("10", PLAIN), ("2", RAISED), ("3", POWER), (" cells", PLAIN)], "10^(2^(3)) cells"),
            (&[(" ", PLAIN), ("x", RAISED), (" ", PLAIN)], "ˣ"),
        ] {
            assert_eq!(words(runs).text, want);
        }
    }

    #[test]
    fn what_is_struck_or_hidden_is_counted_and_not_said() {
        let found = words(&[("Dogs are ", PLAIN), ("not", STRUCK), (" allowed", PLAIN), ("ever yet", HIDDEN)]);
        assert_eq!(
            (found.text.as_str(), found.left_out),
            ("Dogs are allowed", LeftOut { hidden: 7, struck: 3, ..LeftOut::default() })
        );
    }

    #[test]
    fn the_mark_of_a_note_is_kept_next_to_the_words() {
        let found = words(&[("It cost 40", PLAIN), ("[1", NOTE), ("2]", NOTE), (" crowns", PLAIN), ("b", NOTE)]);
        assert_eq!((found.text.as_str(), found.notes), ("It cost 40 crowns", vec!["12".to_owned(), "b".to_owned()]));
        let found = words(&[("50", PLAIN), ("[", RAISED), ("2", NOTE), ("]", RAISED), (" now", PLAIN)]);
        assert_eq!((found.text.as_str(), found.notes), ("50 now", vec!["2".to_owned()]));
    }

    #[test]
    fn a_linked_text_that_is_no_mark_is_said() {
        let raised = Marks { is_note: true, ..RAISED };
        for (mark, said) in [
            ("1", false),
            ("note 12", false),
            ("*", false),
            ("xiv", false),
            ("ab", false),
            ("not", true),
            ("except in winter, when they are not", true),
            ("1 to 12 and on", true),
        ] {
            let found = words(&[("Dogs are allowed ", PLAIN), (mark, raised), (" on deck.", PLAIN)]);
            assert_eq!((found.notes.is_empty(), found.text != "Dogs are allowed on deck."), (said, said), "{mark}");
        }
    }

    #[test]
    fn a_formula_joins_no_adjacent_number() {
        for (before, formula, after, want) in
            [("Add 2", "3/4", " cups", "Add 2 3/4 cups"), ("", "10", "5", "10 5"), ("x", "10", "y", "x10y")]
        {
            let mut text = RunText::default();
            text.plain(before);
            text.formula(formula, PLAIN);
            text.plain(after);
            assert_eq!(text.words().text, want);
        }
    }
}

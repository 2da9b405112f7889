//! [`RunText`]: the text of a block, built from runs.

use precis_text::{hiding_marks, normalize, visible};

use super::left_out::LeftOut;
use super::marks::{Marks, Position};
use super::position::placed;

/// The runs of a block so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RunText {
    /// The text before the run that is open.
    text: String,
    /// The raised or lowered run that is open: the next piece may continue it.
    open: Option<(Position, String)>,
    /// The mark of a note that is being read.
    note: String,
    notes: Vec<String>,
    left_out: LeftOut,
}

/// The words of a block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// Normalized, without invisible characters.
    pub(crate) text: String,
    /// Marks of the notes to which it leads, in order.
    pub(crate) notes: Vec<String>,
    /// Numbers of its characters that it does not say.
    pub(crate) left_out: LeftOut,
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
            return;
        }
        if marks.is_note {
            self.note.push_str(text);
            return;
        }
        self.end_note();
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

    /// Appends white space, which belongs to no run.
    pub(crate) fn space(&mut self, space: char) {
        match &mut self.open {
            Some((_, run)) => run.push(space),
            None => self.text.push(space),
        }
    }

    /// Notes that a note with the mark `mark` is referred to here.
    pub(crate) fn note(&mut self, mark: &str) {
        self.end_note();
        self.note.push_str(mark);
        self.end_note();
    }

    /// Whether nothing was said.
    pub(crate) fn is_blank(&self) -> bool {
        let is_blank = |text: &str| text.chars().all(char::is_whitespace);
        is_blank(&self.text) && self.open.as_ref().is_none_or(|(_, run)| is_blank(run))
    }

    /// Whether it ends with a space.
    pub(crate) fn ends_apart(&self) -> bool {
        self.open.as_ref().map_or(&self.text, |(_, run)| run).ends_with(' ')
    }

    /// Number of bytes so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len() + self.open.as_ref().map_or(0, |(_, run)| run.len())
    }

    /// The words said, and what was left out of them. A run that is all of its block is set small, not raised against anything.
    pub(crate) fn words(mut self) -> Words {
        self.end_note();
        match self.open.take() {
            Some((_, run)) if self.is_blank() => self.text.push_str(&run),
            open => {
                self.open = open;
                self.end_run();
            }
        }
        self.left_out.hidden += hiding_marks(&self.text) as u64;
        Words { text: normalize(&visible(&self.text)), notes: self.notes, left_out: self.left_out }
    }

    fn end_run(&mut self) {
        if let Some((position, run)) = self.open.take() {
            self.text.push_str(&placed(&run, position));
        }
    }

    fn end_note(&mut self) {
        let mark = normalize(&std::mem::take(&mut self.note));
        let mark = mark.trim_matches(['[', ']', '(', ')']);
        if !mark.is_empty() {
            self.notes.push(mark.to_owned());
        }
    }
}

/// Number of characters of `text` that are not white space.
fn count(text: &str) -> u64 {
    text.chars().filter(|c| !c.is_whitespace()).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAISED: Marks = Marks { position: Position::Raised, is_struck: false, is_hidden: false, is_note: false };
    const LOWERED: Marks = Marks { position: Position::Lowered, ..RAISED };
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
            (&[("H", PLAIN), ("2", LOWERED), ("O", PLAIN)], "H₂O"),
            (&[("x", PLAIN), ("i", LOWERED), ("2", RAISED)], "xᵢ²"),
            (&[("the 1", PLAIN), ("st ", RAISED), ("of May", PLAIN)], "the 1ˢᵗ of May"),
            (&[("1", RAISED), (" Without VAT.", RAISED)], "1 Without VAT."),
            (&[(" ", PLAIN), ("x", RAISED), (" ", PLAIN)], "ˣ"),
        ] {
            assert_eq!(words(runs).text, want);
        }
    }

    #[test]
    fn what_is_struck_or_hidden_is_counted_and_not_said() {
        let found = words(&[("Dogs are ", PLAIN), ("not", STRUCK), (" allowed", PLAIN), ("ever yet", HIDDEN)]);
        assert_eq!((found.text.as_str(), found.left_out), ("Dogs are allowed", LeftOut { hidden: 7, struck: 3 }));
    }

    #[test]
    fn the_mark_of_a_note_is_kept_beside_the_words() {
        let found = words(&[("It cost 40", PLAIN), ("[1", NOTE), ("2]", NOTE), (" crowns", PLAIN), ("b", NOTE)]);
        assert_eq!((found.text.as_str(), found.notes), ("It cost 40 crowns", vec!["12".to_owned(), "b".to_owned()]));
    }
}

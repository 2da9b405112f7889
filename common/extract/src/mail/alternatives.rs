//! Whether the plain form of a message says what its HTML form says (RFC 2046, 5.1.4: both say the same, the last one best).
//!
//! Some senders put a sentence about mail programs, or a stub, into the plain form. A word list would know some of them; what all have in
//! common is that the words of the message are missing.

use std::collections::BTreeSet;

use precis_language::words::lower_words;
use precis_text::Leaf;

/// The plain form is read if it has at least one in this many of the different words of the HTML form. Of 28 pairs in public test files of
/// five mail libraries, forms of one message share 0.60 of them or more; below are made-up forms (0 to 0.42), and one plain form (0.36)
/// that has the reply and leaves out what it quotes.
const ONE_WORD_IN: usize = 2;
/// Least number of different words of the HTML form of which a share says anything.
const MIN_WORDS: usize = 3;

/// How many of the different words of a form another form has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SharedWords {
    /// Different words that both have.
    pub(super) shared: usize,
    /// Different words of the HTML form.
    pub(super) all: usize,
    /// Whether the plain form has no words.
    is_blank: bool,
}

impl SharedWords {
    /// The words of `html` that `plain` has.
    pub(super) fn of(html: &[Leaf], plain: &[Leaf]) -> Self {
        let words = |leaves: &[Leaf]| leaves.iter().flat_map(|leaf| lower_words(&leaf.text)).collect::<BTreeSet<_>>();
        let (html, plain) = (words(html), words(plain));
        Self { shared: html.intersection(&plain).count(), all: html.len(), is_blank: plain.is_empty() }
    }

    /// Whether the plain form is a stub.
    pub(super) fn is_stub(self) -> bool {
        self.is_blank || (self.all >= MIN_WORDS && self.shared * ONE_WORD_IN < self.all)
    }
}

/// Whether the HTML form has a table of which the plain form has less than half of the words: the numbers are there, the rest is a letter
/// around them.
pub(super) fn lacks_table(html: &[Leaf], plain: &[Leaf]) -> bool {
    let has_cells = |leaf: &&Leaf| leaf.cells.iter().filter(|cell| !cell.is_empty()).count() > 1;
    let rows: Vec<Leaf> = html.iter().filter(has_cells).cloned().collect();
    rows.len() > 1 && SharedWords::of(&rows, plain).is_stub()
}

#[cfg(test)]
mod tests {
    use precis_proto::BlockKind;

    use super::*;

    #[test]
    fn a_plain_form_may_lack_the_table_of_the_message() {
        let rows = [["May", "120"], ["June", "140"]].map(|cells| Leaf::row(1, false, &cells));
        let plain = |text: &str| vec![Leaf::new(BlockKind::Paragraph, text)];
        assert!(lacks_table(&rows, &plain("Here are the numbers of May.")));
        assert!(!lacks_table(&rows, &plain("May 120\nJune 140")));
        assert!(!lacks_table(&rows[..1], &plain("Here are the numbers.")));
        assert!(!lacks_table(&plain("May 120"), &plain("Here.")));
    }

    #[test]
    fn a_plain_form_without_the_words_of_the_message_is_a_stub() {
        for (html, plain, is_stub) in [
            ("The gate code is 5512.", "Your mail program does not show HTML.", true),
            ("The gate code is 5512.", "The gate\ncode is 5512", false),
            ("The code is 5512.", "The code: see below.", false),
            ("The new code is 5512.", "The code: see below.", true),
            ("5512", "", true),
            ("One two", "See below.", false),
            ("One two three", "See below.", true),
            ("One two three four", "See below.", true),
            ("", "Words.", false),
            ("", "", true),
        ] {
            let leaf = |text: &str| vec![Leaf::new(BlockKind::Paragraph, text)];
            assert_eq!(SharedWords::of(&leaf(html), &leaf(plain)).is_stub(), is_stub, "{html} {plain}");
        }
    }
}

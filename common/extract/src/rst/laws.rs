//! Laws of the reader, tested on pages generated from words and markup: it never panics, and no word is lost or moved.

use precis_text::CanonicalText;

use super::read;

/// Number of generated pages.
const PAGES: u64 = 6_000;
/// Words are as frequent as markup.
const WORD: &str = "w";
/// Markup that drops no text on its own.
const MARKS: [&str; 42] = [
    " ", " ", " ", " ", "  ", "\n", "\n", "\n", "\n\n", "\n\n", "\n   ", "\n\n  ", "*", "**", "`", "``", "_", "|",
    "| ", "[", "]", "- ", "+ ", "+-", "--", "----", "==", "====", "== ==", "\\", "::", "::\n\n", "1. ", "#. ", "(a) ",
    ">>> ", "\"", "(", ")", "--a  ", "=\n", "\n\n ",
];
/// Markup whose text is shown differently or not at all.
const EXPLICIT: [&str; 24] = [
    "\n\n.. ",
    ".. note::",
    ".. table::",
    ".. list-table::",
    ".. csv-table::",
    ".. figure::",
    ".. image:: x",
    ".. code::",
    ".. raw:: html",
    ".. x::",
    ".. [1] ",
    ".. [#] ",
    ".. [#a] ",
    "[#a]_",
    ".. _a: ",
    "__ ",
    ".. |w| replace::",
    "|w|",
    ":a: ",
    ":a:`",
    "<",
    ">`_",
    "\t",
    "日\u{200b}",
];

/// A number generator (the constants are Knuth's, MMIX), so that the pages are always the same.
struct NumberGenerator(u64);

impl NumberGenerator {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A page of distinct words with markup between them, and its words.
fn page(seed: u64, marks: &[&str]) -> (String, Vec<String>) {
    let mut numbers = NumberGenerator(seed);
    let (mut source, mut words) = (String::new(), Vec::new());
    for n in 0..numbers.below(60) {
        if numbers.below(2) == 0 {
            words.push(format!("{WORD}{n}{WORD}"));
            source.push_str(&words[words.len() - 1]);
        } else {
            source.push_str(marks[numbers.below(marks.len())]);
        }
    }
    (source, words)
}

#[test]
fn no_word_is_lost_and_none_is_moved() {
    let mut checked = 0;
    for seed in 0..PAGES {
        let (source, words) = page(seed, &MARKS);
        // A name behind two underscores is an address, which is not shown.
        if source.contains("__ ") {
            continue;
        }
        let found = CanonicalText::from_leaves(&read(&source).leaves);
        let mut at = 0;
        for word in &words {
            let next = found.as_str()[at..].find(word.as_str());
            assert!(next.is_some(), "{word} is lost of {source:?}: {}", found.as_str());
            at += next.unwrap_or_default();
            checked += 1;
        }
    }
    assert!(checked > 10 * PAGES, "{checked}");
}

#[test]
fn no_page_is_too_odd_to_be_read() {
    let marks = [MARKS.as_slice(), EXPLICIT.as_slice()].concat();
    for seed in 0..PAGES {
        let (source, _) = page(seed, &marks);
        let found = CanonicalText::from_leaves(&read(&source).leaves);
        assert!(found.chars() <= 4 * source.len() + 400, "{source:?}");
    }
}

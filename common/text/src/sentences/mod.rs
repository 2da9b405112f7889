//! Splits a block of text into sentences, and rates how much each looks like a whole one.
//!
//! Blocks (a paragraph, a list item, a table row) come from the document's extractor; this module never looks for them. Within a
//! block, Unicode segmentation (UAX #29) proposes breaks, and repairs may only remove them: at abbreviations, initials, ordinals, list
//! markers, reference marks. Sentences break only at real end marks, and no character is left out, so that no sentence can lose the
//! word that reverses its meaning. The module does not know queries or relevance, and does not detect languages: its word lists
//! are merged over languages.
//!
//! ```
//! use precis_text::sentences::{is_whole, sentences};
//!
//! let text = "The dam was built in 1931. See Dr. Lee.";
//! let ranges: Vec<(usize, usize)> = sentences(text).iter().map(|range| (range.start, range.end)).collect();
//! assert_eq!(ranges, [(0, 26), (27, 39)]);
//! assert!(is_whole("The dam was built in 1931."));
//! ```
//!
//! | file | what it owns |
//! | --- | --- |
//! | `block` | the sentences of a block, and of a text without blocks |
//! | `boundary` | whether a break of the segmenter is kept |
//! | `end_marks` | marks that end a sentence, and closing marks behind them |
//! | `marker` | the number, letter or bullet that opens a list item or clause |
//! | `reference` | reference marks behind the end of a sentence |
//! | `unmarked` | long stretches in scripts without end marks |
//! | `quality` | how much a range looks like a whole sentence |
//! | `boilerplate` | signs of text that is not prose |
//! | `lexicon` | the word lists |

mod block;
mod boilerplate;
mod boundary;
mod end_marks;
mod lexicon;
mod marker;
mod quality;
mod reference;
mod unmarked;

pub use block::{ends, sentences_with_ranges};
pub use block::{of_block, sentences};

/// The markers that open `text`, such as `(a)`, without white space around them; `None` if there are none.
#[must_use]
pub fn marker_of(text: &str) -> Option<&str> {
    let length = marker::length(text);
    (length > 0).then(|| text[..length].trim())
}

pub use quality::{is_question, is_reference, is_whole, quality};
pub use quality::{leans_on_earlier, refers_to_earlier};

#[cfg(test)]
mod negations;

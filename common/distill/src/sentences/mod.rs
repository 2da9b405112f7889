//! Sentences of one block of text: where they begin and end, and how far each can be trusted to be one.
//!
//! A block (a paragraph, a list item, a table row) comes from whoever read the document; this module never looks for
//! one. Within it, Unicode segmentation (UAX #29) proposes breaks, and repairs may only join what it parted: abbreviations,
//! initials, ordinals, list markers, reference marks. A break stands where a real end mark stands, and no character is left
//! out, so that no sentence can lose the word that turns its meaning. Refuses to know queries, scores of relevance and
//! languages as such: the word lists are joined over languages.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `block` | the sentences of one block, and of a text that has no blocks but its pages |
//! | `boundary` | whether a break of the segmenter holds |
//! | `end_marks` | marks that end a sentence, and marks that close behind one |
//! | `marker` | the number, letter or bullet that opens a list item or clause |
//! | `reference` | reference marks behind the end of a sentence |
//! | `unmarked` | long stretches in scripts that write no end mark |
//! | `quality` | how much a range looks like a whole sentence |
//! | `boilerplate` | marks of what is no prose |
//! | `lexicon` | the word lists of all |

mod block;
mod boilerplate;
mod boundary;
mod end_marks;
mod lexicon;
mod marker;
mod quality;
mod reference;
mod unmarked;

pub(crate) use block::located;
pub use block::{of_block, sentences};
pub use quality::{is_question, is_whole, quality};

#[cfg(test)]
mod negations;

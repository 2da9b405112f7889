//! Comparison of quotes: the things a question compares, the quotes about each, and values on which sources disagree.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `elements` | the things a question compares |
//! | `comparing_words` | words that ask for a comparison |
//! | `aspect` | the aspect in which it compares them |
//! | `table` | quotes by thing or by source |
//! | `quantity` | numbers with their units in a sentence |
//! | `claim` | a number of a sentence with its context |
//! | `context` | the sentence around a value |
//! | `date` | parses days, months and years in a sentence |
//! | `version` | parses a stated version |
//! | `status` | parses a stated status |
//! | `stated` | dates, versions and statuses stated by a sentence or a field |
//! | `timeline` | dated quotes in chronological order |
//! | `disagree` | claims of several sources that differ |
//! | `nearly_same` | sentences of several sources in nearly the same words |

mod aspect;
mod claim;
mod comparing_words;
mod context;
mod date;
mod disagree;
mod elements;
#[cfg(test)]
mod labelled;
mod nearly_same;
mod quantity;
mod stated;
mod status;
mod table;
mod timeline;
mod version;

pub use aspect::Aspect;
pub(crate) use comparing_words::{asks_to_compare, compares};
pub use disagree::{ToldDisagreement, differ, differing_values, disagreements, told_disagreements};
pub use elements::{ComparedElement, ComparisonElements, compared};
pub use table::{ComparableStatement, Rows, assign, comparison};
pub use timeline::timeline;

//! Quotes side by side: which things a question compares, which quotes speak of each, and where sources give different values
//! of one thing.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `elements` | the things a question compares |
//! | `aspect` | what it asks of them |
//! | `table` | quotes by thing or by source |
//! | `quantity` | numbers with their units in a sentence |
//! | `claim` | what a sentence says of one of its numbers |
//! | `context` | what stands around a value in its sentence |
//! | `date` | days, months and years as a sentence writes them |
//! | `version` | the version a thing is said to be |
//! | `status` | the status a thing is said to have |
//! | `stated` | what a sentence or a field says of a date, a version or a status |
//! | `timeline` | dated quotes in the order of their dates |
//! | `disagree` | claims of several sources that differ |

mod aspect;
mod claim;
mod context;
mod date;
mod disagree;
mod elements;
#[cfg(test)]
mod labelled;
mod quantity;
mod stated;
mod status;
mod table;
mod timeline;
mod version;

pub use aspect::Aspect;
pub use disagree::{ToldDisagreement, differ, disagreements, told_disagreements};
pub use elements::{ComparedElement, ComparisonElements, compared};
pub use table::{ComparableStatement, Rows, assign, comparison};
pub use timeline::timeline;

//! Quotes side by side: which things a question compares, which quotes speak of each, and where sources give different values of
//! one number.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `elements` | the things a question compares |
//! | `aspect` | what it asks of them |
//! | `table` | quotes by thing or by source |
//! | `quantity` | numbers with their units in a sentence |
//! | `claim` | what a sentence says of one of its numbers |
//! | `disagree` | claims of several sources that differ |

mod aspect;
mod claim;
mod disagree;
mod elements;
mod quantity;
mod table;

pub use aspect::Aspect;
pub use disagree::{differ, disagreements};
pub use elements::{ComparedElement, ComparisonElements, compared};
pub use table::{ComparableStatement, Rows, assign, comparison};

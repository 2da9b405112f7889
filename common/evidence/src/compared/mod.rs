//! Comparison of quotes: the things a question compares, the quotes about each, and values on which sources disagree.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `table` | quotes by thing or by source |
//! | `quantity` | numbers with their units in a sentence |
//! | `claim` | a number of a sentence with its context |
//! | `context` | the sentence around a value |
//! | `date` | parses days, months and years in a sentence |
//! | `version` | parses a stated version |
//! | `status` | parses a stated status |
//! | `clock` | parses times of day |
//! | `office` | the name of who holds an office |
//! | `polarity` | whether a sentence affirms or denies, allows or forbids |
//! | `edition` | editions of one document, by their titles |
//! | `whose` | which quotes are about the thing that a question names |
//! | `stated` | dates, versions and statuses stated by a sentence or a field |
//! | `heads` | the headings of its two columns |
//! | `timeline` | dated quotes in chronological order |
//! | `disagree` | claims of several sources that differ |
//! | `yes_or_no` | whether a sentence says yes or no to a question |
//! | `nearly_same` | sentences of several sources in nearly the same words |

mod claim;
mod clock;
mod context;
mod date;
mod disagree;
mod edition;
mod heads;
#[cfg(test)]
mod labelled;
mod nearly_same;
mod office;
mod polarity;
mod quantity;
mod stated;
mod status;
mod table;
mod timeline;
mod version;
mod whose;
mod yes_or_no;

pub use disagree::{ToldDisagreement, differ, differing_values, disagreements, told_disagreements};
pub use edition::Edition;
pub use heads::compared_heads;
pub use status::statuses_differ;
pub use table::{ComparableStatement, Rows, assign, comparison};
pub use timeline::timeline;
pub use yes_or_no::says_yes;

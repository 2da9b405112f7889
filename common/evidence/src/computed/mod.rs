//! Answers computed from the rows of a table: the highest, the lowest, a sum, an average, a count.
//!
//! Conservative: nothing is computed unless every word of the question is accounted for, by the operation, by the head of the column, by
//! cells that choose rows, by what names the table, or as a word that adds nothing. Where that holds and the numbers do not allow it, it is
//! said that it was not computed, and why.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `asked` | the words of a question, and which of them are accounted for |
//! | `grid` | the tables of a text as heads and cells |
//! | `named_text` | a text with what names it |
//! | `choice` | the cells by which a question chooses rows |
//! | `sums` | rows that sum up others |
//! | `plan` | which column, which rows and which labels a question means |
//! | `cell` | the number in a cell |
//! | `decimal` | exact decimal numbers |
//! | `result` | the operation on the rows |

mod asked;
mod cell;
mod choice;
mod decimal;
mod grid;
mod named_text;
mod plan;
mod result;
mod sums;

use precis_proto::computed::Computed;

pub use named_text::NamedText;
pub use result::holds;

/// Most answers that one text gives to a question.
pub const MOST_ANSWERS: usize = 3;
/// Most tables of a text that are looked at, the first ones. Bounds time.
const MOST_TABLES: usize = 200;

/// Whether `question` asks for something that may be computed from a table: no text needs to be read if not.
#[must_use]
pub fn asks_for_computed(question: &str) -> bool {
    asked::Asked::new(question).is_some()
}

/// What `question` asks to be computed from the tables of a text, in their order, at most [`MOST_ANSWERS`].
#[must_use]
pub fn compute(question: &str, named: &NamedText<'_>) -> Vec<Computed> {
    let Some(asked) = asked::Asked::new(question) else { return Vec::new() };
    let grids = grid::grids(named);
    let plans = grids.iter().take(MOST_TABLES).filter_map(|grid| Some((grid, plan::plan(&asked, grid)?)));
    plans.filter_map(|(grid, plan)| result::result(&plan, grid, named)).take(MOST_ANSWERS).collect()
}

#[cfg(test)]
mod tests;

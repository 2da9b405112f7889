//! What a unit of a text needs to keep its meaning: the lead-in of its list, the heading above it, the heads of its row, its question.
//!
//! An item says what its lead-in makes of it: `theft of cash` is covered or it is not. Only here all blocks of a text are at hand, so here
//! each unit is given the ranges that go with it wherever it is shown.
//!
//! | file | what it finds |
//! | --- | --- |
//! | `lead_in` | the sentences that announce the list, table or paragraph |
//! | `heading` | the headings without which a block says something else |
//! | `asked` | the question of an answer, the term of a definition |
//! | `columns` | the heads of a row, and its label where the row leaves it out |
//! | `items` | what follows a unit that announces it |
//! | `enumerator` | the mark of an item |
//! | `blocks`, `of_text` | a text with its blocks; what goes with each of its units |

mod asked;
mod blocks;
mod columns;
mod enumerator;
mod heading;
mod items;
mod lead_in;
mod of_text;
#[cfg(test)]
mod tests;

pub(crate) use blocks::{NeededRange, UnitNeeds};
pub(crate) use of_text::Needs;

//! Documents as text: parsed, indexed, counted, kept.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`parse`] | bytes to canonical text, in a child process |
//! | `parse_exchange` | what goes to that child and comes back |
//! | `archived_type` | the type of a text that comes back from an archive, with its structure |
//! | [`corpus`] | the index of a folder brought up to date |
//! | `texts` | canonical texts from the content store, and heavy pure work off the async threads |
//! | [`reductions`] | reductions in the content store |
//! | `page_versions` | which version of a page was read before, and what became of it |
//! | [`token_counts`] | token counts that are not made twice |

pub(crate) mod archived_type;
pub mod corpus;
pub(crate) mod page_versions;
pub mod parse;
mod parse_exchange;
pub mod reductions;
pub(crate) mod texts;
pub mod token_counts;

//! A draft: Markdown that a model wrote, made safe, its citations numbered, and read again.
//!
//! A draft is untrusted: the output of [`citations::cite`] contains no link, no image and no HTML, and every bracketed number in it is
//! either a citation or escaped.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`citations`], `numbering` | the numbers of citations and their records |
//! | `sanitize`, `bare_addresses`, `forged_headings` | what else a draft may contain |
//! | `inline`, `inline_writer` | a run of inline text, read and written |
//! | `text_run` | the text of a run, with its citations and sentences |
//! | `ruling` | who decides about the statements of a draft, and what may be decided |
//! | `review` | puts the statements before a reviewer, and writes what is decided |
//! | `plain_citations` | the citations in a single sentence |
//! | [`passage_citations`] | citations of passages as citations of quotes |
//! | `remark` | remarks on statements, in the language of the question |
//! | [`marks`], [`reading`] | the marks of citations in a report, and its sentences with them |

mod bare_addresses;
pub mod citations;
mod forged_headings;
pub(crate) mod inline;
pub(crate) mod inline_writer;
pub mod marks;
mod numbering;
pub mod passage_citations;
pub(crate) mod plain_citations;
pub mod reading;
mod remark;
mod review;
pub(crate) mod ruling;
mod sanitize;
mod text_run;

pub(crate) use remark::{NOT_JUDGED_SIGN, StatementMark, remark};

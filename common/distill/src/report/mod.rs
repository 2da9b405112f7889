//! The report: a draft's finding ids become proved citations, and the result becomes Markdown and one HTML page.
//!
//! A draft is a model's Markdown and therefore untrusted: the output of [`citations::cite`] contains no link, no image and no HTML,
//! and every bracketed number in it is either a citation or escaped.

mod bare_addresses;
mod body;
mod changed_statements;
pub mod citations;
pub mod context;
mod differing;
mod forged_headings;
mod frame;
pub mod html;
mod inline;
mod inline_writer;
mod labels;
pub(crate) mod language;
pub mod markdown;
pub mod marks;
mod numbering;
mod opinion;
mod process;
pub mod reading;
mod refinement;
pub(crate) mod review;
mod sanitize;
mod source_fate;
mod warning_lines;
mod words;

pub(crate) use frame::{StatementMark, compared_heads, remark};
pub use frame::{answer_line, degraded};
pub(crate) use inline_writer::literal;

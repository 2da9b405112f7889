//! The report: a draft's finding ids become proved citations, and the result becomes Markdown and one HTML page.
//!
//! A draft is a model's Markdown, hence untrusted: what leaves [`citations::cite`] holds no link, no image and no HTML,
//! and a bracketed number in it is a citation or is escaped.

mod body;
pub mod citations;
pub mod context;
mod forged;
mod frame;
mod glyph;
pub mod html;
mod labels;
pub(crate) mod language;
pub mod markdown;
pub mod marks;
mod process;
pub mod reading;
pub(crate) mod review;
mod run;
mod story;
mod tidy;
mod told;
mod words;

pub use frame::answer_line;
pub(crate) use frame::{Remark, compared_heads, remark};
pub(crate) use run::is_invisible;

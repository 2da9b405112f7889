//! A report as Markdown and as one HTML page.

mod body;
mod changed_statements;
mod computed;
pub mod context;
mod differing;
mod frame;
#[cfg(test)]
mod hostile_tests;
pub mod html;
pub mod markdown;
mod opinion;
mod process;
mod refinement;
mod source_fate;
pub mod terminal;
mod warning_lines;
mod words;

pub use frame::{DegradedTo, degraded_report};

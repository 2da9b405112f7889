//! TeX sources in the manner of LaTeX to leaves: sections with their numbers, paragraphs, lists, tables, notes, code, and formulas on one
//! line. Definitions of macros are followed; no package and no other file is read.
//!
//! No crate that is kept reads the text of TeX, since only TeX can in full: this reader knows the commands that documents use for text
//! ([`commands`]), says nothing of those that arrange it, and counts those that it does not know.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `source` | the characters still to be read, with arguments and environments |
//! | `macros` | definitions of the document, followed within limits |
//! | `commands` | what commands and environments are, with their numbers of arguments |
//! | `accents`, `math_signs` | letters and signs that have names |
//! | `math` | formulas |
//! | `reader` | the document as blocks |
//! | `counters` | numbers of sections, items and notes |
//! | `tables` | rows and cells |
//! | `tex_text` | what was read |

mod accents;
mod commands;
mod counters;
mod macros;
mod math;
mod math_signs;
mod reader;
mod source;
mod tables;
mod tex_text;

use reader::TexReader;
use tex_text::TexText;

/// Whether `text` begins like a document of LaTeX: with its class, behind comments only.
pub(super) fn is_tex(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start);
    let first = lines.take(MAX_COMMENT_LINES).find(|line| !line.is_empty() && !line.starts_with('%'));
    first.is_some_and(|line| line.starts_with("\\documentclass") || line.starts_with("\\documentstyle"))
}

/// The formula `source` of TeX on one line.
pub(super) fn formula(source: &str) -> String {
    math::render_formula(source, &mut macros::Macros::default())
}

/// Most lines of comments before the class; chosen: licences have a few dozen.
const MAX_COMMENT_LINES: usize = 200;

/// The text of `source`.
pub(super) fn read(source: &str) -> TexText {
    // References may come before what they refer to: a first reading finds the numbers.
    let numbers = TexReader::read(source, Default::default()).labels;
    TexReader::read(source, numbers).finish()
}

#[cfg(test)]
mod tests;

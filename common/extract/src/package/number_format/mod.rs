//! Number formats (ECMA-376, part 1, 18.8.31): a number as its cell shows it.
//!
//! A code has up to four sections, for positive and negative numbers, zero and text, or for conditions. Grouping and decimal signs are
//! those of the code, since a workbook does not contain those of its reader. Dates are written year first, whatever the code: day and month
//! of `01/02/2026` depend on the reader's country. They show no finer parts than their code does.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `code` | a code as sections, and which one applies |
//! | `token` | a section as a list of tokens |
//! | `digits` | the digits of a number, rounded, and their places in a code |
//! | `fraction` | numbers as fractions |
//! | `scientific` | numbers with an exponent |
//! | `calendar` | dates, times and durations |
//! | `built_in` | the codes that workbooks name by number |

mod built_in;
mod calendar;
mod code;
mod digits;
mod fraction;
mod scientific;
mod token;

pub(super) use built_in::built_in;
pub(super) use code::NumberFormat;
pub(super) use digits::shortest;

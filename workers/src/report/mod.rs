//! The directory of a report, its files, and the outcome of a run.
//!
//! | file | contents |
//! | --- | --- |
//! | [`names`] | the names of a report in its directory |
//! | `named_files` | the files that belong to a report, as it names them |
//! | `publication` | a report takes the place of an earlier one, whole, whenever the program is killed |
//! | [`directory`] | the directory a report is written to, all or nothing |
//! | [`files`] | report.json, report.md and report.html |
//! | [`outcome`] | combines the result with the unread documents into report and exit code |
//! | [`originals`] | compares documents with the ones a report was made from |
//! | [`archive`] | archived texts, found by their hash |

pub mod archive;
pub mod directory;
pub mod files;
mod named_files;
pub mod names;
pub mod originals;
pub mod outcome;
mod publication;

#[cfg(test)]
pub(crate) mod sample;

//! The directory of a report, its files, the outcome of a run, and what a later question takes over.
//!
//! | file | contents |
//! | --- | --- |
//! | [`names`] | the names of a report in its directory |
//! | `named_files` | the files that belong to a report, as it names them |
//! | `publication` | a report takes the place of an earlier one, whole, whenever the program is killed |
//! | [`directory`] | the directory a report is written to, all or nothing |
//! | [`files`] | report.json, report.md and report.html |
//! | [`outcome`] | combines the result with the unread documents into report and exit code |
//! | [`closing_summary`] | the summary printed after a run |
//! | [`follow_up`] | what a follow-up question takes over from a report and its archive |
//! | [`originals`] | compares documents with the ones a report was made from |
//! | [`archive`] | archived texts, found by their hash |

pub mod archive;
pub mod closing_summary;
pub mod directory;
pub mod files;
pub mod follow_up;
mod named_files;
pub mod names;
pub mod originals;
pub mod outcome;
mod publication;

#[cfg(test)]
pub(crate) mod sample;

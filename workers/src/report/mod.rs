//! The directory of a report, its files, and the outcome of a run.
//!
//! | file | contents |
//! | --- | --- |
//! | [`directory`] | the directory a report is written to, all or nothing |
//! | [`files`] | report.json, report.md and report.html |
//! | [`outcome`] | combines the result with the unread documents into report and exit code |
//! | [`originals`] | compares documents with the ones a report was made from |
//! | [`archive`] | archived texts, found by their hash |

pub mod archive;
pub mod directory;
pub mod files;
pub mod originals;
pub mod outcome;

#[cfg(test)]
pub(crate) mod sample;

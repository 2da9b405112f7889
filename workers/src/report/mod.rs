//! The directory of a report: its files, how a run ended, and what they are checked against.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`directory`] | the directory a report is written to, all or nothing |
//! | [`files`] | report.json, report.md and report.html |
//! | [`outcome`] | what the result and the unread documents together amount to |
//! | [`originals`] | documents as they were when a report was made of them |
//! | [`archive`] | archived texts, found by their hash |

pub mod archive;
pub mod directory;
pub mod files;
pub mod originals;
pub mod outcome;

#[cfg(test)]
pub(crate) mod sample;

//! The names of a report in its directory.

/// The machine-readable report; if it exists, the other files are complete.
pub const REPORT_JSON: &str = "report.json";
/// The report for a terminal or an editor.
pub const REPORT_MD: &str = "report.md";
/// The report for a browser.
pub const REPORT_HTML: &str = "report.html";
/// The changes since an earlier report, for programs.
pub const CHANGES_JSON: &str = "changes.json";
/// The changes since an earlier report, for readers.
pub const CHANGES_MD: &str = "changes.md";
/// Directory of the canonical texts.
pub const ARCHIVE: &str = "archive";

/// The files of a report in the order they are moved into place: `report.json` last, because it marks the report as complete.
pub(super) const FILES: [&str; 5] = [CHANGES_JSON, CHANGES_MD, REPORT_MD, REPORT_HTML, REPORT_JSON];
/// Largest `report.json` that is read, in bytes: a report on five thousand sources with their quotes takes about ten million.
pub(crate) const MAX_REPORT_BYTES: u64 = 64 << 20;

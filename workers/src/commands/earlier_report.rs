//! A finished report on disk that a command continues from.

use std::path::{Path, PathBuf};

use precis_proto::response::{ReportData, Response};
use precis_proto::source::ContentRef;

use super::disclosure::EarlierLabel;
use crate::cli::exit::{CommandFailure, Exit};
use crate::report::archive::ArchivedTexts;
use crate::report::directory;
use crate::report::names::{ARCHIVE, REPORT_JSON};

/// A report with the path it was read from.
#[derive(Debug)]
pub(super) struct EarlierReport {
    /// The content of the report.
    pub(super) data: ReportData,
    /// Hash of the report file.
    pub(super) hash: ContentRef,
    /// What may be disclosed of it.
    pub(super) label: EarlierLabel,
    path: PathBuf,
}

impl EarlierReport {
    /// Reads the report at `place`, its directory or its file.
    ///
    /// # Errors
    /// `unreadable_report` if the file is missing or contains no report; `output_unfinished` if it was being replaced when the program was
    /// stopped, and this cannot be finished.
    pub(super) fn read(place: &Path) -> Result<Self, CommandFailure> {
        let path = if place.is_dir() { place.join(REPORT_JSON) } else { place.to_owned() };
        directory::finish(path.parent().unwrap_or(Path::new("")))?;
        let bytes = super::verify::report_bytes(&path)?;
        let response: Response = serde_json::from_slice(&bytes)
            .map_err(|e| refused_report(format!("{} is not a report: {e}", path.display())))?;
        let label = EarlierLabel::of_report(&response);
        let data = response.data.ok_or_else(|| refused_report(format!("{} contains no report", path.display())))?;
        Ok(Self { data, hash: ContentRef::from_bytes(&bytes), label, path })
    }

    /// Opens the archive next to the report.
    ///
    /// # Errors
    /// `unreadable_report` with `remedy` if the archive cannot be listed.
    pub(super) fn archive(&self, remedy: &str) -> Result<ArchivedTexts, CommandFailure> {
        let dir = self.path.parent().unwrap_or(Path::new("")).join(ARCHIVE);
        ArchivedTexts::of_report(&dir, &self.data)
            .map_err(|e| refused_report(format!("read archive {}: {e}", dir.display())).with_remedy(remedy))
    }

    /// Returns the path of the report, for messages.
    pub(super) fn display_path(&self) -> String {
        self.path.display().to_string()
    }
}

/// Creates the failure for a report that cannot be used.
pub(super) fn refused_report(message: String) -> CommandFailure {
    CommandFailure::new(Exit::Refused, "unreadable_report", message)
}

//! What the door needs of reports, and does not know itself: how they look, whether they hold, what one may cost.

use std::fmt;
use std::pin::Pin;

use precis_proto::request::ResearchRequest;
use precis_proto::response::Response;
use precis_runtime::content::ContentError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::estimates::Estimate;

/// A form of a report for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportForm {
    /// `report.md`.
    Markdown,
    /// `report.html`, whose links lead to `archive/{sha256}` beside it.
    Html,
}

/// Whether a report holds against its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReportVerdict {
    /// Whether there is no mismatch.
    pub holds: bool,
    /// Citations whose quote is the archived text at its place.
    pub citations_proved: u64,
    /// Archived texts that match the hash in their name.
    pub texts_proved: u64,
    /// Whether the seal matches the data; `null` for a report without one.
    pub is_sealed: Option<bool>,
    /// What does not match, one sentence each.
    pub mismatches: Vec<String>,
}

/// Work on a report.
pub type Reporting<'a, T> = Pin<Box<dyn Future<Output = Result<T, ContentError>> + Send + 'a>>;

/// Renders and verifies reports, and says what one may cost. Implemented by whoever knows texts.
pub trait Reports: Send + Sync + fmt::Debug {
    /// Renders `response`, which has a report.
    ///
    /// # Errors
    /// [`ContentError`] if a text that is there cannot be read. A text that is gone is left out.
    fn render(&self, response: Response, form: ReportForm) -> Reporting<'_, String>;

    /// Returns `response` and its texts as a ZIP file, the same bytes whenever it is asked for; `None` if its files have more than `most` bytes
    /// together.
    ///
    /// # Errors
    /// [`ContentError`] if there is no room to make it. A text that is gone is left out.
    fn zip_report(&self, response: Response, most: u64) -> Reporting<'_, Option<Vec<u8>>>;

    /// Verifies `response`, which has a report, against the texts in the content store.
    ///
    /// # Errors
    /// [`ContentError`] if a text that is there cannot be read. A text that is gone is a mismatch.
    fn verify(&self, response: Response) -> Reporting<'_, ReportVerdict>;

    /// Says what the session of `request`, which is valid, may cost. Reads its documents and counts them, calls no model and fetches no page.
    ///
    /// # Errors
    /// [`ContentError`] if the content store cannot be used. A document that is gone, or cannot be read, costs nothing.
    fn estimate(&self, request: ResearchRequest) -> Reporting<'_, Estimate>;
}

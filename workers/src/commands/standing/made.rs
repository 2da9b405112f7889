//! What came of making a report again, and when none is needed.

use precis_proto::source::ContentRef;
use precis_proto::standing::StandingQuestion;

use crate::cli::exit::Exit;

/// What came of making the report of a question again.
pub(super) enum Made {
    /// What it searches is as it was.
    Unchanged,
    /// The report is in its directory.
    Report {
        /// The manifests of what it was made from, in the order of the record.
        manifests: Vec<ContentRef>,
    },
    /// There is no new report.
    Failed(Exit),
}

/// Whether the last report of `question` was made by this program from what has these `manifests`, and nothing else is searched.
pub(super) fn is_current(question: &StandingQuestion, manifests: &[ContentRef]) -> bool {
    let searches_web = !(question.web.is_empty() && question.academic.is_empty());
    let last = question.last.as_ref();
    !searches_web && last.is_some_and(|last| last.manifests == manifests && last.made_by == made_by())
}

/// The program that makes reports here.
pub(super) fn made_by() -> String {
    format!("precis {}", env!("CARGO_PKG_VERSION"))
}

//! A report between evaluation and refinement.

use serde::{Deserialize, Serialize};

use crate::response::ReportData;
use crate::source::ContentRef;

/// An evaluated report, before refinement decides whether to keep it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluatedReport {
    /// Visit that produced the report, that is the number of earlier passes of the session.
    pub visit: u32,
    /// Reference to the result of gathering; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<ContentRef>,
    /// The report.
    pub data: ReportData,
}

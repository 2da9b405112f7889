//! A report between evaluation and refinement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::response::ReportData;
use crate::source::ContentRef;

/// A report as evaluation made it, before it is known whether it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvaluatedReport {
    /// Passes of the session before the one that made it.
    pub visit: u32,
    /// What gathering had ended with; absent where it found nothing to settle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<ContentRef>,
    /// The report.
    pub data: ReportData,
}

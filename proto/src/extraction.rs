//! The result of extracting the text of a document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::SourceText;

/// Answer of an [`Extraction`](crate::job::Extraction) job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractionAnswer {
    /// The detected MIME type.
    pub content_type: String,
    /// The title found in the document.
    pub title: Option<String>,
    /// The canonical text.
    pub text: SourceText,
    /// Remarks, such as `extracted the first 500 of 812 pages`.
    pub remarks: Vec<String>,
    /// Tokens cut off at a limit; 0 if none were.
    pub tokens_cut: u64,
}

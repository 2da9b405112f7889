//! What extraction makes of the bytes of a document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::SourceText;

/// Answer of an [`Extraction`](crate::job::Extraction) job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractionAnswer {
    /// What the content is.
    pub content_type: String,
    /// The document's own title.
    pub title: Option<String>,
    /// Its canonical text.
    pub text: SourceText,
    /// Remarks: `extracted the first 500 of 812 pages`.
    pub remarks: Vec<String>,
    /// Tokens left out by a limit; 0 where nothing was.
    pub tokens_cut: u64,
}

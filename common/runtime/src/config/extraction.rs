//! How documents are read, and where reading stops.

use precis_proto::extraction::HtmlMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether documents are read without a filter of system calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// With what the system has.
    #[default]
    Best,
    /// Only with the filter.
    Required,
}

/// Reading documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExtractionSettings {
    /// Fetches the pages of sources that are named by an address and come without a text.
    pub follow_links: bool,
    /// Which part of an HTML page is read: the article, or all of it.
    pub html: HtmlMode,
    /// Largest document or page that is read, in bytes. A larger one is listed as failed.
    #[serde(rename = "max_document_bytes")]
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub max_bytes: u64,
    /// Most pages read of a PDF.
    #[serde(rename = "max_document_pages")]
    #[schemars(range(min = 1, max = 100_000))]
    pub max_pages: u64,
    /// Most characters kept of a document.
    #[serde(rename = "max_document_chars")]
    #[schemars(range(min = 1, max = 100_000_000))]
    pub max_chars: u64,
    /// Seconds reading one document may take.
    #[serde(rename = "extraction_timeout")]
    #[schemars(range(min = 0.1, max = 3_600.0))]
    pub timeout_seconds: f64,
    /// What is done where the system has no filter of system calls for the processes that parse documents: `best` goes without
    /// and says so, `required` reads no document.
    pub sandbox: SandboxMode,
    /// Address space of one parsing process, in bytes. Without it 1 GiB, or less where the memory of the container would not hold
    /// one for each.
    #[schemars(range(min = 134_217_728))]
    pub parser_memory_bytes: Option<u64>,
    /// Parsing processes at once, at most one per core. Without it one per core, or fewer where the memory of the container would
    /// not hold them.
    #[schemars(range(min = 1, max = 1_024))]
    pub parser_children: Option<u64>,
}

impl Default for ExtractionSettings {
    fn default() -> Self {
        Self {
            follow_links: true,
            html: HtmlMode::Main,
            max_bytes: 10 * 1024 * 1024,
            max_pages: 500,
            max_chars: 500_000,
            timeout_seconds: 30.0,
            sandbox: SandboxMode::Best,
            parser_memory_bytes: None,
            parser_children: None,
        }
    }
}

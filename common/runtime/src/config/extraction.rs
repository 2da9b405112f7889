//! How documents are read, and the limits of reading.

use precis_proto::extraction::HtmlMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether documents are read if the system offers no system-call filter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// They are, with whatever protection the system offers.
    #[default]
    Best,
    /// They are not.
    Required,
}

/// Reading documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExtractionSettings {
    /// Fetches the pages of sources given by address without a text.
    pub follow_links: bool,
    /// Which part of an HTML page is read: the article, or all of it.
    pub html: HtmlMode,
    /// Largest document or page that is read, in bytes. A larger one is listed as failed.
    #[serde(rename = "max_document_bytes")]
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub max_bytes: u64,
    /// Most pages read from a PDF.
    #[serde(rename = "max_document_pages")]
    #[schemars(range(min = 1, max = 100_000))]
    pub max_pages: u64,
    /// Most characters kept from a document.
    #[serde(rename = "max_document_chars")]
    #[schemars(range(min = 1, max = 100_000_000))]
    pub max_chars: u64,
    /// Seconds reading one document may take.
    #[serde(rename = "extraction_timeout")]
    #[schemars(range(min = 0.1, max = 3_600.0))]
    pub timeout_seconds: f64,
    /// Behaviour if the system offers no system-call filter for the processes that parse documents: `best` parses without it and logs
    /// a warning, `required` reads no document.
    pub sandbox: SandboxMode,
    /// Address space of one parsing process, in bytes. Default: 1 GiB, or less if the container's memory is too small for all parsing
    /// processes.
    #[schemars(range(min = 134_217_728))]
    pub parser_memory_bytes: Option<u64>,
    /// Most concurrent parsing processes, at most one per core. Default: one per core, or fewer if the container's memory is too small
    /// for them.
    #[schemars(range(min = 1, max = 1_024))]
    pub parser_children: Option<u64>,
    /// Recognizes the text of PDF pages that are pictures without text: `off`; `tesseract`; or the name or path of another program, which
    /// gets a picture of a page (PGM) on standard input and prints its text. It runs in a sandbox without network and without writing, or
    /// not at all where that is not to be had.
    pub ocr: String,
    /// Languages that the recognition program should expect, in its own words, such as `deu+eng`. Default: the program's own.
    pub ocr_languages: Option<String>,
    /// Seconds that recognizing one page may take. A page that takes longer stays without text.
    #[schemars(range(min = 1, max = 3_600))]
    pub ocr_timeout: u64,
    /// Address space of the recognition program, in bytes.
    #[schemars(range(min = 67_108_864))]
    pub ocr_memory_bytes: u64,
    /// Most bytes of text taken of one recognized page. A page with more stays without text.
    #[schemars(range(min = 1, max = 16_777_216))]
    pub ocr_page_bytes: u64,
    /// Most pages recognized of one document, from the first. The others stay without text, which is said.
    #[schemars(range(min = 1, max = 10_000))]
    pub ocr_max_pages: u64,
}

impl Default for ExtractionSettings {
    fn default() -> Self {
        Self {
            follow_links: true,
            html: HtmlMode::Main,
            max_bytes: 16 * 1024 * 1024,
            max_pages: 2_000,
            max_chars: 4_000_000,
            timeout_seconds: 30.0,
            sandbox: SandboxMode::Best,
            parser_memory_bytes: None,
            parser_children: None,
            ocr: "off".to_owned(),
            ocr_languages: None,
            ocr_timeout: 60,
            ocr_memory_bytes: 1 << 30,
            ocr_page_bytes: 256 << 10,
            ocr_max_pages: 100,
        }
    }
}

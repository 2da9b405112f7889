//! A document as given to a run: its id, title and origin, and its attributes known before reading.

use std::path::PathBuf;

use precis_proto::source::{ContentRef, Quality};
use precis_proto::{SourceId, Timestamp};

/// A document to read.
#[derive(Debug, Clone)]
pub struct InputSource {
    /// Id, unique in the run.
    pub source_id: SourceId,
    /// Title shown to readers.
    pub title: String,
    /// Where the bytes come from.
    pub origin: InputOrigin,
    /// Address of the page that a file is the text of; absent if the file itself is the document.
    pub url: Option<String>,
    /// MIME type, as a hint.
    pub content_type: Option<String>,
    /// Attributes known before reading.
    pub known: DocumentAttributes,
}

/// Where the bytes of a document come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputOrigin {
    /// A file, read in place.
    File {
        /// Path of the file; never part of a message.
        path: PathBuf,
        /// Hash of the bytes.
        content: ContentRef,
    },
    /// A page.
    Url(String),
}

/// Attributes of a document known before reading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DocumentAttributes {
    /// Whether the document stays in the evidence while the budget allows.
    pub protected: bool,
    /// How much the document is trusted.
    pub quality: Quality,
    /// When the document was published.
    pub published_at: Option<Timestamp>,
}

//! A document as it is given to a run: what it is called, where its bytes are, and what is known of it before it is read.

use std::path::PathBuf;

use precis_proto::source::{ContentRef, Quality};
use precis_proto::{SourceId, Timestamp};

/// A document to read.
#[derive(Debug, Clone)]
pub struct InputSource {
    /// Unique in the run.
    pub source_id: SourceId,
    /// For readers.
    pub title: String,
    /// Where its bytes are.
    pub origin: InputOrigin,
    /// Where a reader finds what a file is the text of; absent where that is the file itself.
    pub url: Option<String>,
    /// MIME type, as a hint.
    pub content_type: Option<String>,
    /// What is known of it before it is read.
    pub known: DocumentAttributes,
}

/// Where the bytes of a document are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputOrigin {
    /// A file, read where it lies.
    File {
        /// Its path; never part of a message.
        path: PathBuf,
        /// Hash of its bytes.
        content: ContentRef,
    },
    /// A page.
    Url(String),
}

/// What is known of a document before it is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DocumentAttributes {
    /// Whether it is protected.
    pub protected: bool,
    /// How far it is trusted.
    pub quality: Quality,
    /// When it was published.
    pub published_at: Option<Timestamp>,
}

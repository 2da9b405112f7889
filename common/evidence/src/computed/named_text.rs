//! A text with what names it.

use precis_proto::SourceId;
use precis_text::CanonicalText;

/// A text with what names it.
#[derive(Debug, Clone, Copy)]
pub struct NamedText<'t> {
    /// Its source.
    pub source_id: &'t SourceId,
    /// Title of the source.
    pub title: &'t str,
    /// Path of its file; empty if unknown.
    pub path: &'t str,
    /// The text with its blocks.
    pub text: &'t CanonicalText,
}

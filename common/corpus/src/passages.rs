//! The passages of a text that are indexed, as evidence cuts them.

use precis_proto::CharRange;
use precis_text::CanonicalText;
use precis_text::chunk::{Chunk, chunks, snippet};

use crate::limits::CHUNK_CHARS;

/// Each chunk with something in it, and where that stands.
pub(crate) fn chunks_with_passages(text: &CanonicalText) -> Vec<(Chunk, CharRange)> {
    let chunks = chunks(text, CHUNK_CHARS).into_iter().map(|chunk| (snippet(text, &chunk), chunk));
    chunks.filter(|(range, _)| !range.is_empty()).map(|(range, chunk)| (chunk, range)).collect()
}

/// Where the passages of a text stand, in order.
pub(crate) fn passages(text: &CanonicalText) -> Vec<CharRange> {
    chunks_with_passages(text).into_iter().map(|(_, range)| range).collect()
}

//! Limits of a corpus. A text's own limits (bytes, characters, pages) are those of extraction.

/// Files of one corpus, at most: what is found in a folder, read or not.
pub const MAX_FILES: usize = 1_000_000;
/// Hits of one search, at most.
pub const MAX_HITS: usize = 1_000;
/// Hits of one search where nobody says how many.
pub const DEFAULT_HITS: usize = 10;
/// Characters of a query, at most; as long as a question may be.
pub const MAX_QUERY_CHARS: usize = precis_proto::request::MAX_QUERY_CHARS;
/// Terms of a query that are searched, at most: the first. A question has about ten.
pub const MAX_QUERY_TERMS: usize = 64;
/// Characters a chunk aims at, as evidence does.
pub const CHUNK_CHARS: usize = 400;
/// Memory in which tantivy gathers a segment before it writes it, in bytes; its least is 15 MB. With 30 MB the same 14 million characters
/// are one segment instead of two, and indexing them takes 16 MB more.
pub(crate) const WRITER_BYTES: usize = 20 << 20;
/// Texts that an opened corpus keeps at hand, in bytes.
pub(crate) const TEXTS_BYTES: usize = 16 << 20;
/// Terms of which an opened corpus remembers what they meet.
pub(crate) const MEETINGS: usize = 10_000;
/// Longest word that is indexed, in bytes; the rest of a longer one is no word. Tantivy's own limit is 65,530.
pub(crate) const MAX_WORD_BYTES: usize = 256;

//! Limits of a corpus. The limits of single texts (bytes, characters, pages) are those of extraction.

/// Most files of a corpus, readable or not.
pub const MAX_FILES: usize = 1_000_000;
/// Most hits of one search.
pub const MAX_HITS: usize = 1_000;
/// Most links of one hit; chosen, not measured.
pub const MAX_HIT_LINKS: usize = 50;
/// Hits of one search by default.
pub const DEFAULT_HITS: usize = 10;
/// Most characters of a query, the same as of a question.
pub const MAX_QUERY_CHARS: usize = precis_proto::request::MAX_QUERY_CHARS;
/// Most terms of a query that are searched; further ones are ignored. A question has about ten.
pub const MAX_QUERY_TERMS: usize = 64;
/// Target length of a chunk, in characters, the same as for evidence.
pub const CHUNK_CHARS: usize = 400;
/// Memory in which tantivy collects a segment before writing it, in bytes; the minimum is 15 MB. With 30 MB, 14 million characters become
/// one segment instead of two, and indexing takes 16 MB more.
pub(crate) const WRITER_BYTES: usize = 20 << 20;
/// Largest part of a stored text when it is unpacked, in bytes: a thousand times what extraction allows by default. What is larger counts as
/// damaged.
pub(crate) const MAX_PART_BYTES: u64 = 1 << 30;
/// Texts that an opened corpus caches, in bytes.
pub(crate) const TEXTS_BYTES: usize = 16 << 20;
/// Terms whose meetings an opened corpus caches.
pub(crate) const MEETINGS: usize = 10_000;
/// Longest word that is indexed, in bytes; longer ones are ignored. The limit of tantivy is 65,530.
pub(crate) const MAX_WORD_BYTES: usize = 256;

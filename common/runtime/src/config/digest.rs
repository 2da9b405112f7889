//! Which sources are digested, and how much evidence a digest quotes.

use precis_proto::digest::DigestPolicy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How passages are ranked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DigestRanker {
    /// `bm25`.
    #[default]
    Auto,
    /// Share of the question's terms, with rare terms weighted higher.
    Overlap,
    /// Okapi BM25 over words, inflected and related forms, headings and table columns.
    Bm25,
}

/// Query-conditioned digests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DigestSettings {
    /// Which sources are reduced to a digest: none, those long and good enough, or all.
    #[serde(rename = "digest_policy")]
    pub policy: DigestPolicy,
    /// Shortest text, in characters, that `auto` digests.
    #[serde(rename = "digest_min_chars")]
    #[schemars(range(max = 100_000_000))]
    pub min_chars: u64,
    /// Most sources digested in one session.
    #[serde(rename = "digest_max_sources")]
    #[schemars(range(min = 1, max = 5_000))]
    pub max_sources: u64,
    /// Seconds all digests of a session may take together, counted from the first finished one. A single digest may take
    /// `digest_timeout / digest_max_concurrent`. If a digest takes longer, the full text of its source is used.
    #[serde(rename = "digest_timeout")]
    #[schemars(range(min = 1.0, max = 3_600.0))]
    pub timeout_seconds: f64,
    /// Most concurrent digests of one session.
    #[serde(rename = "digest_max_concurrent")]
    #[schemars(range(min = 1, max = 64))]
    pub max_concurrent: u64,
    /// Quotes verbatim passages in a digest.
    #[serde(rename = "digest_include_evidence")]
    pub include_evidence: bool,
    /// Target length of quoted passages, in characters. A passage may be up to 100 longer, but at most 500, to end with its sentence or
    /// paragraph.
    #[serde(rename = "digest_evidence_max_chars")]
    #[schemars(range(min = 100, max = 500))]
    pub evidence_max_chars: u64,
    /// Most passages quoted from one source.
    #[serde(rename = "digest_max_evidence_snippets")]
    #[schemars(range(min = 1, max = 10))]
    pub max_evidence_snippets: u64,
    /// Fetches PDFs given by address. PDFs given as files are always read, and `precis run` fetches the PDFs it is given unless this
    /// is set to `false`.
    #[serde(rename = "digest_fetch_pdfs")]
    pub fetch_pdfs: bool,
    /// How passages are ranked against the question. `auto` uses `bm25`, because it finds more; the scores of `overlap` are
    /// comparable between documents.
    #[serde(rename = "digest_ranker")]
    pub ranker: DigestRanker,
}

impl Default for DigestSettings {
    fn default() -> Self {
        Self {
            policy: DigestPolicy::Auto,
            min_chars: 10_000,
            max_sources: 8,
            timeout_seconds: 60.0,
            max_concurrent: 3,
            include_evidence: true,
            evidence_max_chars: 400,
            max_evidence_snippets: 5,
            fetch_pdfs: false,
            ranker: DigestRanker::Auto,
        }
    }
}

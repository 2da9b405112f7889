//! The digest payload `digest/v1`: a reduction of one document for a question, with verifiable evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Locator;
use crate::closed_words;

/// Version of the payload.
pub const DIGEST_VERSION: &str = "1.0";
/// Content type of a source whose content is a digest.
pub const DIGEST_CONTENT_TYPE: &str = "digest/v1";
/// Longest summary, in characters.
pub const MAX_SUMMARY_CHARS: usize = 2_000;
/// Longest key point, in characters.
pub const MAX_KEY_POINT_CHARS: usize = 500;
/// Most key points.
pub const MAX_KEY_POINTS: usize = 10;
/// Most evidence snippets.
pub const MAX_EVIDENCE_SNIPPETS: usize = 10;
/// Longest evidence snippet, in characters.
pub const MAX_SNIPPET_CHARS: usize = 500;

closed_words! {
    /// Which sources are digested.
    #[derive(Default, Serialize, Deserialize, JsonSchema)]
    pub enum DigestPolicy: serde {
        /// Never.
        Off => "off",
        /// Long texts of medium or high quality.
        #[default]
        Auto => "auto",
        /// Every source with a text.
        Always => "always",
    }
}

/// A digest as it is cached, stored and sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DigestPayload {
    /// Always [`DIGEST_VERSION`].
    #[schemars(extend("const" = DIGEST_VERSION))]
    pub version: String,
    /// Always [`DIGEST_CONTENT_TYPE`].
    #[schemars(extend("const" = DIGEST_CONTENT_TYPE))]
    pub content_type: String,
    /// First 8 hexadecimal digits of the query's SHA-256.
    #[schemars(regex(pattern = r"^[a-f0-9]{8}$"))]
    pub query_hash: String,
    /// Summary as prose, at most [`MAX_SUMMARY_CHARS`] characters.
    #[schemars(length(max = MAX_SUMMARY_CHARS))]
    pub summary: String,
    /// Key points, at most [`MAX_KEY_POINTS`], each of at most [`MAX_KEY_POINT_CHARS`] characters.
    #[schemars(length(max = MAX_KEY_POINTS), inner(length(max = MAX_KEY_POINT_CHARS)))]
    pub key_points: Vec<String>,
    /// Evidence, best first, at most [`MAX_EVIDENCE_SNIPPETS`] snippets.
    #[schemars(length(max = MAX_EVIDENCE_SNIPPETS))]
    pub evidence_snippets: Vec<EvidenceSnippet>,
    /// Characters of the canonical text.
    pub original_chars: u64,
    /// Characters of summary, key points and snippets together.
    pub digest_chars: u64,
    /// `digest_chars / original_chars`, at most 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub compression_ratio: f64,
    /// `sha256:` and the hash of the canonical text.
    #[schemars(regex(pattern = r"^sha256:[a-f0-9]{64}$"))]
    pub source_text_hash: String,
}

/// A verbatim piece of the canonical text and its position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvidenceSnippet {
    /// Exactly the characters at the locator.
    #[schemars(length(max = MAX_SNIPPET_CHARS))]
    pub text: String,
    /// Position in the canonical text.
    pub locator: Locator,
    /// Score of the default ranking, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub relevance_score: f64,
}

#[cfg(test)]
mod tests {
    use super::DigestPolicy;

    /// Scores are sums of `1 / log2(df + 2)`, ratios are quotients of counts: both are carried in states, answers and caches.
    #[test]
    fn a_score_and_a_ratio_read_back_as_the_same_bits() {
        let scores = (0..2_000).map(|df| 1.0 / f64::from(df + 2).log2());
        let ratios = (1..200).flat_map(|whole| (1..=whole).map(move |part| f64::from(part) / f64::from(whole)));
        for number in scores.chain(ratios) {
            let text = serde_json::to_string(&number).expect("writes");
            let back: f64 = serde_json::from_str(&text).expect("reads");
            assert_eq!(back.to_bits(), number.to_bits(), "{text}");
        }
    }

    #[test]
    fn a_policy_reads_back_its_name() {
        for policy in [DigestPolicy::Off, DigestPolicy::Auto, DigestPolicy::Always] {
            assert_eq!(serde_json::from_value::<DigestPolicy>(policy.as_str().into()).ok(), Some(policy));
        }
        assert!(serde_json::from_value::<DigestPolicy>("on".into()).is_err());
    }
}

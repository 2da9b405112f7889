//! The options of digests, resolved from the configuration.

use std::time::Duration;

use precis_context::digest::config_hash8;
use precis_evidence::ranking::Ranker;
use precis_proto::digest::DigestPolicy;
use precis_proto::task::Role;
use precis_runtime::config::{self, Settings};

use super::size::size;

/// The options of digests.
#[derive(Debug, Clone)]
pub struct DigestOptions {
    /// When sources are digested.
    pub policy: DigestPolicy,
    /// Shortest text that `auto` digests, in characters.
    pub min_chars: u64,
    /// Most digests in a session.
    pub max_sources: usize,
    /// How passages are ranked.
    pub ranker: Ranker,
    /// Preferred length of a passage, in characters.
    pub evidence_max_chars: usize,
    /// Hash of every option that changes a digest; part of its cache key.
    pub config_hash: String,
    /// Most passages of a session that get a vector to be ranked by, where a model of meaning is in use.
    pub meaning_passages: usize,
    /// Most concurrent digests of a session.
    pub at_once: usize,
    /// Time limit for all digests of a session together.
    pub together: Duration,
    snippets: usize,
    include_evidence: bool,
}

impl DigestOptions {
    /// Resolves the digest part of the configuration.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Self {
        let digest = &settings.digest;
        // Without token management nothing is shortened.
        let policy = if settings.tokens.enabled { digest.policy } else { DigestPolicy::Off };
        let ranker = match digest.ranker {
            config::DigestRanker::Overlap => Ranker::Overlap,
            config::DigestRanker::Auto | config::DigestRanker::Bm25 => Ranker::Bm25,
        };
        let chain = settings.chain(Role::Summarization).join(",");
        let text = |n: u64| n.to_string();
        let config_hash = config_hash8(&[
            ("digest_policy", policy.as_str()),
            ("digest_min_chars", &text(digest.min_chars)),
            ("digest_max_sources", &text(digest.max_sources)),
            ("digest_include_evidence", if digest.include_evidence { "true" } else { "false" }),
            ("digest_evidence_max_chars", &text(digest.evidence_max_chars)),
            ("digest_max_evidence_snippets", &text(digest.max_evidence_snippets)),
            ("digest_ranker", ranker.as_str()),
            ("html", settings.extraction.html.as_str()),
            ("providers", &chain),
        ]);
        Self {
            policy,
            min_chars: digest.min_chars,
            max_sources: size(digest.max_sources),
            ranker,
            evidence_max_chars: size(digest.evidence_max_chars),
            config_hash,
            meaning_passages: size(settings.meaning.meaning.passages),
            at_once: size(digest.max_concurrent).max(1),
            together: Duration::from_secs_f64(digest.timeout_seconds),
            snippets: size(digest.max_evidence_snippets),
            include_evidence: digest.include_evidence,
        }
    }

    /// Returns the most snippets of a digest; 0 if digests carry no evidence.
    #[must_use]
    pub fn max_snippets(&self) -> usize {
        if self.include_evidence { self.snippets } else { 0 }
    }

    /// Returns the time limit of one digest: the total divided by the concurrency.
    #[must_use]
    pub fn share(&self) -> Duration {
        self.together / u32::try_from(self.at_once).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(json: serde_json::Value) -> Settings {
        serde_json::from_value(json).expect("settings")
    }

    #[test]
    fn one_digest_has_its_share_of_the_time_for_all() {
        for (seconds, at_once, share) in [(60.0, 3, 20.0), (60.0, 1, 60.0), (1.0, 64, 1.0 / 64.0)] {
            let mut settings = Settings::default();
            (settings.digest.timeout_seconds, settings.digest.max_concurrent) = (seconds, at_once);
            let share_of = DigestOptions::from_settings(&settings).share();
            assert!((share_of.as_secs_f64() - share).abs() < 1e-6, "{share_of:?}");
        }
    }

    #[test]
    fn whatever_changes_a_digest_changes_its_key_and_its_time_does_not() {
        let hash = |json| DigestOptions::from_settings(&settings(json)).config_hash;
        let plain = hash(json!({}));
        let mut hashes = vec![plain.clone()];
        for changed in [
            json!({ "digest_policy": "always" }),
            json!({ "digest_min_chars": 9_999 }),
            json!({ "digest_max_sources": 7 }),
            json!({ "digest_include_evidence": false }),
            json!({ "digest_evidence_max_chars": 300 }),
            json!({ "digest_max_evidence_snippets": 4 }),
            json!({ "digest_ranker": "overlap" }),
            json!({ "html": "full" }),
            json!({ "roles": { "summarization": { "providers": ["a:b"] } } }),
            json!({ "roles": { "summarization": { "providers": ["a:b", "c:d"] } } }),
        ] {
            hashes.push(hash(changed));
        }
        let all = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all, "each its own");
        assert_eq!(hash(json!({ "digest_timeout": 5.0, "digest_max_concurrent": 1 })), plain);
    }

    #[test]
    fn a_digest_ranks_by_bm25_by_default() {
        for (json, ranker) in [
            (json!({}), Ranker::Bm25),
            (json!({ "digest_ranker": "auto" }), Ranker::Bm25),
            (json!({ "digest_ranker": "overlap" }), Ranker::Overlap),
            (json!({ "digest_ranker": "bm25" }), Ranker::Bm25),
        ] {
            assert_eq!(DigestOptions::from_settings(&settings(json)).ranker, ranker);
        }
    }

    #[test]
    fn a_digest_without_evidence_has_no_snippets() {
        let snippets = |json| DigestOptions::from_settings(&settings(json)).max_snippets();
        assert_eq!(snippets(json!({ "digest_max_evidence_snippets": 4 })), 4);
        assert_eq!(snippets(json!({ "digest_max_evidence_snippets": 4, "digest_include_evidence": false })), 0);
    }
}

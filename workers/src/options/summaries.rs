//! The models and limits of summaries, and the keys under which these are kept.

use std::time::Duration;

use precis_context::prompt::Limits;
use precis_proto::ids::sha256_hex;
use precis_proto::job::SummarizationJob;
use precis_proto::task::Role;
use precis_runtime::config::Settings;

use super::digest::DigestOptions;
use super::models::{is_model, limits};

/// Bump if the same model may summarize the same text differently, or the stored format changes.
const SUMMARY_VERSION: &str = "3";

/// The models and limits of summaries.
#[derive(Debug, Clone)]
pub struct SummarySettings {
    /// `NAME:MODEL` that is called first; texts are split into parts that fit its window.
    pub provider: String,
    /// The windows and limits of the models.
    pub limits: Limits,
    /// Longest time for one call over the whole chain.
    pub timeout: Duration,
    /// Whether finished summaries are kept.
    pub cache_enabled: bool,
    /// Whether a language model writes prose, for later calls and the reader of the report. The built-in model only selects sentences of
    /// the text, which the passages contain already.
    pub has_reader: bool,
    chain: Vec<String>,
}

impl SummarySettings {
    /// Resolves the summarization part of the configuration.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Self {
        let chain = settings.chain(Role::Summarization);
        Self {
            provider: chain.first().cloned().unwrap_or_default(),
            limits: limits(settings),
            timeout: Duration::from_secs_f64(settings.summarization.timeout_seconds),
            cache_enabled: settings.summarization.cache_enabled,
            has_reader: is_model(settings, Role::Summarization),
            chain,
        }
    }

    /// Whether `provider` is in the configured chain, rather than the built-in model as a fallback.
    #[must_use]
    pub fn is_asked(&self, provider: &str) -> bool {
        self.chain.iter().any(|link| link == provider)
    }

    /// Returns the cache key of a summary: content, context, level, providers, and everything else that changes it.
    #[must_use]
    pub fn cache_key(&self, job: &SummarizationJob, digest: &DigestOptions) -> String {
        let content = &job.text.content.hex()[..16];
        let context = &sha256_hex(format!("{}\u{1f}{}", job.query, job.title).as_bytes())[..8];
        let chars = digest.evidence_max_chars.to_string();
        let blocks = job.text.blocks.as_ref().map_or("", |blocks| blocks.hex());
        let passages =
            if job.with_passages { format!("{}/{chars}/{blocks}", digest.ranker.as_str()) } else { String::new() };
        let limits = serde_json::to_string(&self.limits).expect("limits have string keys and finite numbers");
        let how = [job.target_tokens.to_string(), passages, self.chain.join(","), limits];
        let how = &sha256_hex(how.join("\u{1f}").as_bytes())[..8];
        format!("summary:{SUMMARY_VERSION}:{}:{content}:{context}:{}:{how}", job.source_id, job.level.as_str())
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::SourceId;
    use precis_proto::fidelity::FidelityLevel;
    use precis_proto::source::{ContentRef, SourceText};
    use precis_runtime::config;
    use serde_json::json;

    use super::*;

    fn settings(json: serde_json::Value) -> Settings {
        serde_json::from_value(json).expect("settings")
    }

    #[test]
    fn a_summary_is_kept_under_all_that_makes_it_and_nothing_else() {
        let text = |text: &[u8]| SourceText {
            content: ContentRef::from_bytes(text),
            chars: 9,
            tokens: 3,
            pages: 0,
            blocks: None,
        };
        let job = SummarizationJob {
            source_id: SourceId::new("a").expect("an id"),
            title: "Title".to_owned(),
            text: text(b"one text"),
            query: "Why?".to_owned(),
            level: FidelityLevel::KeyPoints,
            target_tokens: 100,
            with_passages: true,
            beside: Vec::new(),
        };
        let plain = json!({ "runtime_overhead": 0 });
        let key = |json: &serde_json::Value, job: &SummarizationJob| {
            let settings = settings(json.clone());
            SummarySettings::from_settings(&settings).cache_key(job, &DigestOptions::from_settings(&settings))
        };
        assert_eq!(key(&plain, &job), key(&plain, &job.clone()));
        let jobs = [
            job.clone(),
            SummarizationJob { text: text(b"another text"), ..job.clone() },
            SummarizationJob { query: "How?".to_owned(), ..job.clone() },
            SummarizationJob { title: "Other".to_owned(), ..job.clone() },
            SummarizationJob { level: FidelityLevel::Headline, ..job.clone() },
            SummarizationJob { target_tokens: 101, ..job.clone() },
            SummarizationJob { with_passages: false, ..job.clone() },
            SummarizationJob { source_id: SourceId::new("b").expect("an id"), ..job.clone() },
        ];
        let chain = json!({ "runtime_overhead": 0, "roles": { "summarization": { "providers": ["a:b"] } } });
        let limits = json!({ "runtime_overhead": 1 });
        let keys = jobs.iter().map(|job| key(&plain, job)).chain([key(&chain, &job), key(&limits, &job)]);
        assert_eq!(keys.collect::<std::collections::BTreeSet<_>>().len(), jobs.len() + 2, "all of them differ");
    }

    #[test]
    fn prose_is_worth_asking_for_where_a_model_writes_it() {
        let has_reader = |by: &str| {
            let roles = json!({ "summarization": { "providers": [by] } });
            SummarySettings::from_settings(&settings(json!({ "roles": roles }))).has_reader
        };
        assert!(has_reader("a:b") && !has_reader(config::LOCAL_MODEL));
        assert!(!SummarySettings::from_settings(&Settings::default()).has_reader);
    }
}

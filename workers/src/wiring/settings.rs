//! The settings of the handlers, resolved from the configuration.

use std::time::Duration;

use precis_distill::digest::config_hash8;
use precis_distill::evidence::Ranker;
use precis_distill::extract::{ExtractLimits, FollowPolicy};
use precis_distill::models::BudgetingMode;
use precis_distill::models::prices::{PriceOverride, Prices};
use precis_distill::prompt::{ANALYSIS_BUDGET_PERCENT, LimitOverride, Limits, SYNTHESIS_BUDGET_PERCENT};
use precis_distill::tokens::Tokenizer;
use precis_proto::digest::DigestPolicy;
use precis_proto::ids::sha256_hex;
use precis_proto::job::SummarizationJob;
use precis_proto::task::Role;
use precis_runtime::config::{self, Settings};

/// Bump if the same model may summarize the same text differently, or the stored format changes.
const SUMMARY_VERSION: &str = "3";

/// Longest conversation of a researcher, in tokens, even if its model's window is larger. Chosen, not measured.
const MOST_CONVERSATION: u64 = 200_000;

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
        Self::ranked(settings, Ranker::Bm25)
    }

    /// [`Self::from_settings`] for a digest outside a session: ranked by overlap unless the configuration names another ranking.
    #[must_use]
    pub fn alone(settings: &Settings) -> Self {
        Self::ranked(settings, Ranker::Overlap)
    }

    fn ranked(settings: &Settings, auto: Ranker) -> Self {
        let digest = &settings.digest;
        // Without token management nothing is shortened.
        let policy = if settings.tokens.enabled { digest.policy } else { DigestPolicy::Off };
        let ranker = match digest.ranker {
            config::DigestRanker::Auto => auto,
            config::DigestRanker::Overlap => Ranker::Overlap,
            config::DigestRanker::Bm25 => Ranker::Bm25,
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

/// Whether the first model of the role is not the built-in one.
#[must_use]
pub fn is_model(settings: &Settings, role: Role) -> bool {
    settings.chain(role).first().is_some_and(|first| first != config::LOCAL_MODEL)
}

fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// Returns which sources without a text are fetched.
#[must_use]
pub fn follow_policy(settings: &Settings) -> FollowPolicy {
    FollowPolicy { follow_links: settings.extraction.follow_links, fetch_pdfs: settings.digest.fetch_pdfs }
}

/// Returns the limits of one extraction.
#[must_use]
pub fn extract_limits(settings: &Settings) -> ExtractLimits {
    let extraction = &settings.extraction;
    ExtractLimits {
        max_bytes: size(extraction.max_bytes),
        max_chars: size(extraction.max_chars),
        max_pages: size(extraction.max_pages),
    }
}

/// Returns the windows of the models and how tokens are counted. Without token management only the models' own limits apply.
#[must_use]
pub fn limits(settings: &Settings) -> Limits {
    let overrides = settings.models.model_context_overrides.iter();
    let overrides = overrides.map(|(name, o)| (name.clone(), limit_override(o))).collect();
    let servers = settings.models.servers();
    let tokens = &settings.tokens;
    match tokens.enabled {
        true => Limits {
            overrides,
            servers,
            runtime_overhead: tokens.runtime_overhead,
            safety_margin: tokens.safety_margin,
            auto_compact_threshold: tokens.auto_compact_threshold,
            allow_dropping: tokens.allow_content_dropping,
        },
        false => Limits {
            overrides,
            servers,
            runtime_overhead: 0,
            safety_margin: 0.0,
            auto_compact_threshold: None,
            allow_dropping: tokens.allow_content_dropping,
        },
    }
}

fn limit_override(o: &config::ContextOverride) -> LimitOverride {
    LimitOverride {
        context_window: o.context_window,
        max_output_tokens: o.max_output_tokens,
        budgeting_mode: o.budgeting_mode.map(|mode| match mode {
            config::BudgetingModeSetting::Combined => BudgetingMode::Combined,
            config::BudgetingModeSetting::InputOnly => BudgetingMode::InputOnly,
        }),
        output_reserved: o.output_reserved,
        tokenizer: o.tokenizer.map(|name| match name {
            config::TokenizerName::O200k => Tokenizer::O200k,
            config::TokenizerName::Cl100k => Tokenizer::Cl100k,
            config::TokenizerName::Estimate => Tokenizer::Estimate,
        }),
    }
}

/// Returns the prices of the models.
#[must_use]
pub fn prices(settings: &Settings) -> Prices {
    let overrides = settings.models.prices.iter().map(|(name, price)| {
        let over = PriceOverride { input: price.input, cached_input: price.cached_input, output: price.output };
        (name.clone(), over)
    });
    Prices { overrides: overrides.collect() }
}

/// Returns the tokens of evidence that a session may carry into the analysis: 80 % of the room of the compression model.
#[must_use]
pub fn analysis_budget(settings: &Settings) -> u64 {
    phase_budget(settings, Role::Compression, ANALYSIS_BUDGET_PERCENT)
}

/// Returns the tokens of findings in the synthesis prompt: 85 % of the room of its model.
#[must_use]
pub fn synthesis_budget(settings: &Settings) -> u64 {
    phase_budget(settings, Role::Synthesis, SYNTHESIS_BUDGET_PERCENT)
}

/// Returns the most tokens of a researcher's conversation: the room of its model, as far as it is known.
#[must_use]
pub fn research_window(settings: &Settings) -> u64 {
    phase_budget(settings, Role::Research, 100).min(MOST_CONVERSATION)
}

/// Returns the budget of the first model of the chain that has any room; one without room would answer no call.
fn phase_budget(settings: &Settings, role: Role, percent: u64) -> u64 {
    if !settings.tokens.enabled {
        return u64::MAX;
    }
    let limits = limits(settings);
    let mut chain = settings.chain(role);
    chain.push(config::LOCAL_MODEL.to_owned());
    chain.iter().map(|link| limits.phase_budget(link, percent)).find(|budget| *budget > 0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use precis_proto::SourceId;
    use precis_proto::fidelity::FidelityLevel;
    use precis_proto::source::{ContentRef, SourceText};
    use serde_json::json;

    fn settings(json: serde_json::Value) -> Settings {
        serde_json::from_value(json).expect("settings")
    }

    #[test]
    fn every_model_that_a_vendors_name_stands_for_is_in_the_catalogue() {
        let missing: Vec<String> = precis_runtime::config::tier_models()
            .filter(|model| precis_distill::models::catalogue::served_model(model).is_none())
            .collect();
        assert_eq!(missing, [""; 0], "their windows and prices are not known");
    }

    #[test]
    fn the_budget_of_a_phase_is_that_of_the_first_model_with_room() {
        let roles = json!({ "compression": { "providers": ["claude:sonnet"] }, "synthesis": { "providers": ["a:b"] } });
        let given = |window: u64| {
            settings(json!({ "roles": roles, "model_context_overrides": { "a:b": { "context_window": window } } }))
        };
        assert_eq!(analysis_budget(&given(128_000)), 51_680);
        assert_eq!(synthesis_budget(&given(128_000)), 43_210);
        let local = 1_000_000 * 85 / 100 * 85 / 100;
        assert_eq!(
            synthesis_budget(&given(60_000)),
            local,
            "nothing is left of the window: the built-in model answers"
        );
    }

    #[test]
    fn without_token_management_only_the_models_own_limits_stand() {
        let off = settings(json!({ "token_management_enabled": false, "auto_compact_threshold": 2_000 }));
        assert_eq!((analysis_budget(&off), synthesis_budget(&off)), (u64::MAX, u64::MAX));
        assert_eq!(DigestOptions::from_settings(&off).policy, DigestPolicy::Off, "nothing is digested");
        assert_eq!(DigestOptions::from_settings(&Settings::default()).policy, DigestPolicy::Auto);
        assert_eq!(limits(&off).effective_context("claude:sonnet"), 136_000);
        assert_eq!(limits(&Settings::default()).effective_context("claude:sonnet"), 64_600);
    }

    #[test]
    fn an_override_may_name_the_tokenizer() {
        let s = settings(json!({ "model_context_overrides": { "house:llama": { "tokenizer": "cl100k" } } }));
        assert_eq!(limits(&s).tokenizer("house:llama"), Tokenizer::Cl100k);
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
    fn a_session_ranks_by_bm25_and_a_digest_alone_by_overlap_unless_told_otherwise() {
        for (json, session, alone) in [
            (json!({}), Ranker::Bm25, Ranker::Overlap),
            (json!({ "digest_ranker": "auto" }), Ranker::Bm25, Ranker::Overlap),
            (json!({ "digest_ranker": "overlap" }), Ranker::Overlap, Ranker::Overlap),
            (json!({ "digest_ranker": "bm25" }), Ranker::Bm25, Ranker::Bm25),
        ] {
            let settings = settings(json);
            let found = (DigestOptions::from_settings(&settings).ranker, DigestOptions::alone(&settings).ranker);
            assert_eq!(found, (session, alone));
        }
    }

    #[test]
    fn a_digest_without_evidence_has_no_snippets() {
        let snippets = |json| DigestOptions::from_settings(&settings(json)).max_snippets();
        assert_eq!(snippets(json!({ "digest_max_evidence_snippets": 4 })), 4);
        assert_eq!(snippets(json!({ "digest_max_evidence_snippets": 4, "digest_include_evidence": false })), 0);
    }
}

//! Settings as the handlers read them, resolved from the configuration.

use std::time::Duration;

use precis_distill::digest::{DigestPolicy, config_hash8};
use precis_distill::evidence::Ranker;
use precis_distill::extract::{ExtractLimits, FollowPolicy, HtmlMode};
use precis_distill::prices::{PriceOverride, Prices};
use precis_distill::prompt::{BudgetingMode, LimitOverride, Limits};
use precis_proto::task::Role;
use precis_runtime::config::{self, Settings};

/// Share of the effective context that evidence may take in the analysis; source: seed 000.
const ANALYSIS_BUDGET_PERCENT: u64 = 80;

/// What shapes a digest.
#[derive(Debug, Clone)]
pub struct DigestSettings {
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
    /// Hash of all that changes a digest; part of its cache key.
    pub config_hash: String,
    /// Digests of a session under way at once.
    pub at_once: usize,
    /// Time for all digests of a session together.
    pub together: Duration,
    snippets: usize,
    include_evidence: bool,
}

impl DigestSettings {
    /// Resolves the digest part of the configuration.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let digest = &settings.digest;
        let policy = match digest.policy {
            config::DigestPolicy::Off => DigestPolicy::Off,
            config::DigestPolicy::Auto => DigestPolicy::Auto,
            config::DigestPolicy::Always => DigestPolicy::Always,
        };
        let ranker = match digest.ranker {
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
            ("html", html_mode(settings).as_str()),
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

    /// Most snippets; 0 where digests carry no evidence.
    #[must_use]
    pub fn max_snippets(&self) -> usize {
        if self.include_evidence { self.snippets } else { 0 }
    }

    /// Time for one digest: its share of the whole (seed 001, concurrency limits).
    #[must_use]
    pub fn share(&self) -> Duration {
        self.together / u32::try_from(self.at_once).unwrap_or(u32::MAX)
    }
}

fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// What part of a page is its text.
#[must_use]
pub fn html_mode(settings: &Settings) -> HtmlMode {
    match settings.extraction.html {
        config::HtmlMode::Main => HtmlMode::Main,
        config::HtmlMode::Full => HtmlMode::Full,
    }
}

/// Which sources without a text are fetched.
#[must_use]
pub fn follow_policy(settings: &Settings) -> FollowPolicy {
    FollowPolicy { follow_links: settings.extraction.follow_links, fetch_pdfs: settings.digest.fetch_pdfs }
}

/// Bounds of one extraction.
#[must_use]
pub fn extract_limits(settings: &Settings) -> ExtractLimits {
    let extraction = &settings.extraction;
    ExtractLimits {
        max_bytes: size(extraction.max_bytes),
        max_chars: size(extraction.max_chars),
        max_pages: size(extraction.max_pages),
    }
}

/// How much each model takes.
#[must_use]
pub fn limits(settings: &Settings) -> Limits {
    let overrides = settings.models.model_context_overrides.iter().map(|(name, o)| {
        let mode = o.budgeting_mode.map(|mode| match mode {
            config::BudgetingMode::Combined => BudgetingMode::Combined,
            config::BudgetingMode::InputOnly => BudgetingMode::InputOnly,
        });
        let over = LimitOverride {
            context_window: o.context_window,
            max_output_tokens: o.max_output_tokens,
            budgeting_mode: mode,
            output_reserved: o.output_reserved,
        };
        (name.clone(), over)
    });
    Limits {
        overrides: overrides.collect(),
        runtime_overhead: settings.tokens.runtime_overhead,
        safety_margin: settings.tokens.safety_margin,
        auto_compact_threshold: settings.tokens.auto_compact_threshold,
    }
}

/// What each model charges.
#[must_use]
pub fn prices(settings: &Settings) -> Prices {
    let overrides = settings.models.prices.iter().map(|(name, price)| {
        let over = PriceOverride { input: price.input, cached_input: price.cached_input, output: price.output };
        (name.clone(), over)
    });
    Prices { overrides: overrides.collect() }
}

/// Tokens of evidence a session may carry into the analysis: 80 % of what the compression model takes.
#[must_use]
pub fn analysis_budget(settings: &Settings) -> u64 {
    if !settings.tokens.enabled {
        return u64::MAX;
    }
    let chain = settings.chain(Role::Compression);
    let first = chain.first().map_or("", String::as_str);
    limits(settings).effective_context(first).saturating_mul(ANALYSIS_BUDGET_PERCENT) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_digest_has_its_share_of_the_time_for_all() {
        for (seconds, at_once, share) in [(60.0, 3, 20.0), (60.0, 1, 60.0), (1.0, 64, 1.0 / 64.0)] {
            let mut settings = Settings::default();
            (settings.digest.timeout_seconds, settings.digest.max_concurrent) = (seconds, at_once);
            let share_of = DigestSettings::of(&settings).share();
            assert!((share_of.as_secs_f64() - share).abs() < 1e-6, "{share_of:?}");
        }
    }
}

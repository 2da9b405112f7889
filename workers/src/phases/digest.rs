//! Digest: ranks the sources on their full text, selects and digests the eligible ones, records fidelity.

use std::collections::BTreeMap;

use precis_context::allocate::{Fate, allocate};
use precis_context::digest::{BUILT_IN_SHARE_TOKENS, DigestCandidate, SkipReason, eligible, rank_sources};
use precis_evidence::question::follow_up::{earlier_words, joined_relevance};
use precis_evidence::relevance::{TermHoldings, relevances};
use precis_proto::digest::DigestPolicy;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{Digest as Job, DigestAnswer, DigestJob, JobOutcome, PlaceAmong, content_key};
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId};
use precis_report::fold;
use precis_runtime::runner::{Pace, PhaseContext, PhaseError, PhaseHandler, Step};
use precis_runtime::telemetry::{DigestOutcome, metrics};
use precis_text::CanonicalText;

use super::route::{PhaseEnd, next};
use super::text_places::places;
use super::writer_evidence::is_whole;
use crate::documents::texts;
use crate::jobs::digest_breaker::BREAKER_OPEN;
use crate::options::DigestOptions;

/// Reason for a source that the policy or the limit on digests excludes.
const NOT_ELIGIBLE: &str = "not_eligible";

/// More specific: the writer of the report reads the whole text.
const READ_WHOLE: &str = "read_whole";

/// The digest phase.
#[derive(Debug)]
pub struct DigestPhase {
    /// Policy, sizes, ranker.
    pub settings: DigestOptions,
    /// Tokens of evidence that one call of the analysis may carry.
    pub call_budget_tokens: u64,
    /// Most calls of the analysis; `None` if the built-in model makes it, in which case all carry as much as one.
    pub calls: Option<usize>,
    /// Whether a language model reads the carried evidence; it then gets the whole budget.
    pub has_model: bool,
}

impl PhaseHandler for DigestPhase {
    const PHASE: Phase = Phase::Digest;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        // First: the shares of the budget and the selection depend on the relevance.
        rank(&mut session, ctx).await?;
        let budget = super::carried_budget(self.call_budget_tokens, self.calls, ctx).await?;
        let (shares, asides) = shares(&session, budget, super::is_paid(self.has_model, budget));
        let selected = if is_whole(&session) { Vec::new() } else { self.select(&session, &shares, &asides) };
        let share = |id: &SourceId| shares.get(id).copied().unwrap_or(0).min(self.most_tokens());
        let jobs = jobs(&session, &selected, share);
        let pace = Pace { at_once: Some(self.settings.at_once), others_within: Some(self.settings.together) };
        let outcomes = ctx.scatter_at::<Job>(pace, jobs).await?;
        let outcomes: BTreeMap<_, _> = selected.into_iter().zip(outcomes).collect();
        self.measure(&session, &outcomes);
        fold::digest(&mut session, outcomes, budget, ctx.now());
        Ok(next(session, Self::PHASE, PhaseEnd::Done))
    }
}

/// Sets every source's relevance relative to the others, measured on its full text, or on its snippet if it was not read.
async fn rank(session: &mut SessionState, ctx: &PhaseContext) -> Result<(), PhaseError> {
    let query = session.query.clone();
    let prior = ctx.prior().await?;
    let earlier = earlier_words(&query, &prior);
    let (mut read, mut of_query, mut of_earlier) = (Vec::new(), Vec::new(), Vec::new());
    for (place, source) in session.sources.iter().enumerate() {
        let text = match (&source.text, &source.snippet) {
            (Some(text), _) => texts::load(&ctx.services().content, text)
                .await
                .map_err(|e| PhaseError::transient("content_unavailable", format!("read {}: {e}", source.source_id)))?,
            (None, Some(snippet)) => CanonicalText::from_plain(snippet),
            (None, None) => continue,
        };
        let (query, earlier) = (query.clone(), earlier.clone());
        let held = move || (TermHoldings::new(&text, &query), TermHoldings::new(&text, &earlier));
        let (own, before) = texts::compute(held).await;
        read.push(place);
        of_query.push(own);
        of_earlier.push(before);
    }
    let found = relevances(&query, &of_query).into_iter().zip(relevances(&earlier, &of_earlier));
    for (place, (own, before)) in read.into_iter().zip(found) {
        session.sources[place].relevance = Some(joined_relevance(own, before));
    }
    Ok(())
}

impl DigestPhase {
    /// Counts the outcome of each readable source, and logs why a source gets no digest.
    fn measure(&self, session: &SessionState, outcomes: &BTreeMap<SourceId, JobOutcome<DigestAnswer>>) {
        for source in session.sources.iter().filter(|s| s.text.is_some()) {
            let outcome = match outcomes.get(&source.source_id) {
                Some(JobOutcome::Done(_)) => DigestOutcome::Completed,
                Some(JobOutcome::Failed(failure)) if failure.code == BREAKER_OPEN => DigestOutcome::Skipped,
                Some(JobOutcome::Failed(_)) => DigestOutcome::Error,
                None => {
                    let (reason, detail) = match is_whole(session) {
                        true => (NOT_ELIGIBLE, Some(READ_WHOLE)),
                        false => self.why_skipped(source),
                    };
                    let (session_id, source_id) = (&session.session_id, &source.source_id);
                    tracing::info!(%session_id, %source_id, reason, detail, "digest.skipped");
                    DigestOutcome::Skipped
                }
            };
            metrics().digest.source(outcome);
        }
    }

    /// Returns the reason for the audit event, from a closed set that listeners rely on, and a more specific reason if there is one.
    fn why_skipped(&self, source: &Source) -> (&'static str, Option<&'static str>) {
        match eligible(self.settings.policy, self.settings.min_chars, &candidate(source)) {
            Err(reason @ (SkipReason::PolicyOff | SkipReason::AlreadyDigested)) => (reason.as_str(), None),
            Err(reason @ (SkipReason::NoText | SkipReason::TooShort | SkipReason::LowQuality)) => {
                (NOT_ELIGIBLE, Some(reason.as_str()))
            }
            Ok(()) => (NOT_ELIGIBLE, Some("over_max_sources")),
        }
    }

    /// Returns the most tokens of one digest with its further passages.
    fn most_tokens(&self) -> u64 {
        if self.has_model { u64::MAX } else { BUILT_IN_SHARE_TOKENS }
    }

    /// Selects the sources to digest. With policy `auto`, a source that a language model gets whole, or as passages only, needs no digest.
    fn select(
        &self,
        session: &SessionState,
        shares: &BTreeMap<SourceId, u64>,
        asides: &BTreeMap<SourceId, u64>,
    ) -> Vec<SourceId> {
        let (policy, min_chars) = (self.settings.policy, self.settings.min_chars);
        let needs_none = |source: &Source| {
            let tokens = source.text.as_ref().map_or(0, |text| text.tokens);
            let is_whole = shares.get(&source.source_id).is_some_and(|share| *share >= tokens);
            self.has_model && policy == DigestPolicy::Auto && (is_whole || asides.contains_key(&source.source_id))
        };
        let sources = session.sources.iter().enumerate().filter(|(_, source)| !needs_none(source));
        let candidates = sources.map(|(place, source)| {
            let found_at = (!source.found_by.is_empty()).then_some(place);
            DigestCandidate { found_at, ..candidate(source) }
        });
        let mut chosen: Vec<DigestCandidate> = candidates.filter(|c| eligible(policy, min_chars, c).is_ok()).collect();
        rank_sources(&mut chosen);
        chosen.truncate(self.settings.max_sources);
        chosen.into_iter().map(|c| c.source_id).collect()
    }
}

/// Returns the share of the budget that each source would get if all could be summarized, and the sources for which passages are enough.
/// A digest with its further passages gets the same share, so that it is not shorter than a less important source.
fn shares(session: &SessionState, budget: u64, is_paid: bool) -> (BTreeMap<SourceId, u64>, BTreeMap<SourceId, u64>) {
    let items = super::items(session, Phase::Digest, is_paid);
    let whole: BTreeMap<&SourceId, u64> = items.iter().map(|item| (&item.source_id, item.tokens)).collect();
    let share = |(id, fate): (SourceId, Fate)| {
        let tokens = match fate {
            Fate::Keep => whole.get(&id).copied().unwrap_or(0),
            Fate::Reduce { tokens, .. } => tokens,
            Fate::Drop => 0,
        };
        (id, tokens)
    };
    let allocation = allocate(&items, budget, true);
    (allocation.fates.into_iter().map(share).collect(), allocation.asides)
}

fn candidate(source: &Source) -> DigestCandidate {
    DigestCandidate {
        source_id: source.source_id.clone(),
        found_at: None,
        quality: source.quality,
        relevance: source.relevance.unwrap_or_default(),
        chars: source.text.as_ref().map_or(0, |t| t.chars),
        is_digest: source.reduction.as_ref().is_some_and(|r| r.level == FidelityLevel::Digest),
    }
}

/// Builds the jobs of the `selected` sources. In a further iteration the first job probes whether the digest breaker can close again.
fn jobs(session: &SessionState, selected: &[SourceId], share: impl Fn(&SourceId) -> u64) -> Vec<(String, DigestJob)> {
    let places = places(session);
    let job = |id| job(session, id, share(id), places.get(id).copied());
    let mut jobs: Vec<_> = selected.iter().filter_map(job).collect();
    if let Some((_, first)) = jobs.first_mut() {
        first.probes = session.visit > 0;
    }
    jobs
}

fn job(
    session: &SessionState,
    id: &SourceId,
    share_tokens: u64,
    place: Option<PlaceAmong>,
) -> Option<(String, DigestJob)> {
    let source = session.source(id)?;
    let text = source.text.clone()?;
    let key = content_key(id, &text.content, "digest");
    let (title, query) = (source.title.clone(), session.query.clone());
    let job = DigestJob { source_id: id.clone(), title, text, query, share_tokens, probes: false, place };
    Some((key, job))
}

#[cfg(test)]
mod tests {
    use precis_runtime::config::Settings;
    use serde_json::json;

    use super::*;

    fn source(reduced_to: Option<&str>) -> Source {
        let content = precis_proto::source::ContentRef::from_bytes(b"text").to_string();
        let mut source = json!({
            "source_id": "a", "title": "A", "origin": { "url": "https://a.example" }, "quality": "high",
            "text": { "content": content, "chars": 20_000, "tokens": 5_000, "pages": 0 },
        });
        if let Some(level) = reduced_to {
            source["reduction"] = json!({ "content": content, "level": level, "tokens": 400 });
        }
        serde_json::from_value(source).expect("a source")
    }

    #[test]
    fn a_digest_source_is_not_digested_again_unlike_other_reductions() {
        let digest = DigestPhase {
            settings: DigestOptions::from_settings(&Settings::default()),
            call_budget_tokens: 1_000,
            calls: None,
            has_model: false,
        };
        for (reduced_to, is_digest, why) in [
            (None, false, ("not_eligible", Some("over_max_sources"))),
            (Some("condensed"), false, ("not_eligible", Some("over_max_sources"))),
            (Some("digest"), true, ("already_digested", None)),
        ] {
            let source = source(reduced_to);
            assert_eq!(candidate(&source).is_digest, is_digest, "{reduced_to:?}");
            assert_eq!(digest.why_skipped(&source), why, "{reduced_to:?}");
        }
    }

    #[test]
    fn the_first_digest_of_a_new_iteration_may_probe_and_no_other() {
        let (mut first, mut second) = (source(None), source(None));
        first.source_id = SourceId::new("a").expect("an id");
        second.source_id = SourceId::new("b").expect("an id");
        let state = json!({
            "schema_version": 2, "session_id": "s", "revision": 1, "phase": "digest", "query": "q", "sources": [first, second],
        });
        let mut session: SessionState = serde_json::from_value(state).expect("a state");
        let selected: Vec<SourceId> = session.sources.iter().map(|source| source.source_id.clone()).collect();
        for (visit, want) in [(0, [false, false]), (1, [true, false]), (2, [true, false])] {
            session.visit = visit;
            let jobs = jobs(&session, &selected, |_| 100);
            assert_eq!(jobs.iter().map(|(_, job)| job.probes).collect::<Vec<_>>(), want, "{visit}");
        }
        assert!(jobs(&session, &[], |_| 100).is_empty());
    }
}

//! Summarization: fit what is carried to the analysis budget, the least important going down the ladder first.

use std::collections::BTreeMap;

use precis_distill::allocate::{Allocation, Fate, Item, allocate, priority, recency};
use precis_distill::fold;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{Summarization as Job, SummarizationJob, content_key};
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId};
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

/// The summarization phase.
#[derive(Debug)]
pub struct Summarization {
    /// Tokens of evidence that the analysis may carry.
    pub budget_tokens: u64,
    /// Whether the least important may be left out.
    pub allow_dropping: bool,
}

impl PhaseHandler for Summarization {
    const PHASE: Phase = Phase::Summarization;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let budget = super::beside_earlier(self.budget_tokens, ctx).await?;
        let mut items = items(&session);
        let mut allocation = allocate(&items, budget, self.allow_dropping);
        if allocation.allocated == 0 && items.iter().any(|item| item.is_digest) {
            // A digest is carried whole or not at all. Where that would leave nothing, texts are shortened instead of digests kept.
            items.iter_mut().for_each(|item| item.is_digest = false);
            allocation = allocate(&items, budget, self.allow_dropping);
        }
        if allocation.allocated == 0 && items.iter().any(|item| item.tokens > 0) {
            return Err(nothing_fits(&session, budget));
        }
        let (ids, jobs): (Vec<_>, Vec<_>) = jobs(&session, &allocation).into_iter().unzip();
        let outcomes = ctx.scatter::<Job>(jobs).await?;
        let outcomes: BTreeMap<_, _> = ids.into_iter().zip(outcomes).collect();
        fold::summarization(&mut session, &allocation, outcomes, ctx.now());
        Ok(Step::Next(Box::new(session), Phase::Compression))
    }
}

fn nothing_fits(session: &SessionState, budget: u64) -> PhaseError {
    let message = format!("the analysis may carry {budget} tokens, in which no source fits");
    let remedy = "raise context_window or auto_compact_threshold, lower runtime_overhead or output_reserved, \
                  shorten background and conversation, or take a model with a larger window; `precis tokens` shows \
                  what is left of a window";
    super::give_up(session, "over_budget", &message, remedy)
}

/// How recent a source is counts from the session's beginning, so that a repeat of the phase decides alike.
fn items(session: &SessionState) -> Vec<Item> {
    let readable = session.sources.iter().filter(|s| s.text.is_some());
    readable
        .map(|source| Item {
            source_id: source.source_id.clone(),
            tokens: fold::carried(&session.content_fidelity, &source.source_id, Phase::Summarization),
            priority: priority(
                source.quality,
                None,
                recency(source.published_at, session.created_at),
                source.relevance,
            ),
            protected: source.protected,
            is_digest: source.reduction.as_ref().is_some_and(|r| r.level == FidelityLevel::Digest),
        })
        .collect()
}

fn jobs(session: &SessionState, allocation: &Allocation) -> Vec<(SourceId, (String, SummarizationJob))> {
    let mut jobs = Vec::new();
    for (id, fate) in &allocation.fates {
        let Fate::Reduce { level, tokens } = fate else { continue };
        let Some((source, text)) = session.source(id).and_then(|s| Some((s, s.text.clone()?))) else { continue };
        let key = content_key(id, &text.content, &format!("{}/{tokens}", level.as_str()));
        let job = SummarizationJob {
            source_id: id.clone(),
            title: source.title.clone(),
            text,
            query: session.query.clone(),
            level: *level,
            target_tokens: *tokens,
            with_passages: true,
        };
        jobs.push((id.clone(), (key, job)));
    }
    jobs
}

//! Summarization: fit what is carried to the analysis budget, the least important going down the ladder first.

use std::collections::BTreeMap;

use precis_distill::allocate::{Allocation, Fate, Item, allocate, priority, recency};
use precis_distill::reduction::{self as reduced, candidates, fit, passages};
use precis_distill::{fold, tokens};
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{JobOutcome, Summarization as Job, SummarizationAnswer, SummarizationJob, content_key};
use precis_proto::source::{ReductionRef, Source, SourceText};
use precis_proto::state::SessionState;
use precis_proto::task::Summary;
use precis_proto::{Phase, SourceId};
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use crate::settings::DigestSettings;
use crate::{reduction, texts};

/// The summarization phase.
#[derive(Debug)]
pub struct Summarization {
    /// Tokens of evidence that the analysis may carry.
    pub budget_tokens: u64,
    /// Whether the least important may be left out.
    pub allow_dropping: bool,
    /// Ranker and passage size, for sources that nobody summarizes.
    pub settings: DigestSettings,
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
        let failure = first_failure(&outcomes);
        let cuts = self.cuts(&session, fold::unmet(&allocation, &outcomes), ctx).await;
        fold::summarization(&mut session, &allocation, outcomes, cuts, ctx.now());
        let carried = |source: &Source| fold::carried(&session, &source.source_id, Phase::Compression);
        if let Some(failure) = failure.filter(|_| session.sources.iter().all(|source| carried(source) == 0)) {
            let remedy = "look at the models' configuration, or run with --provider local:extractive";
            return Err(super::give_up(&session, "summarization_failed", &failure, remedy));
        }
        Ok(Step::Next(Box::new(session), Phase::Compression))
    }
}

impl Summarization {
    /// The best passages of each source that has no summary, within its share. A text that cannot be read has none.
    async fn cuts(
        &self,
        session: &SessionState,
        unmet: Vec<(SourceId, u64)>,
        ctx: &PhaseContext,
    ) -> BTreeMap<SourceId, ReductionRef> {
        let mut cuts = BTreeMap::new();
        for (id, share) in unmet {
            let text = session.source(&id).and_then(|source| source.text.clone());
            let Some(text) = text else { continue };
            match self.cut(&id, &text, share, &session.query, &ctx.services().content).await {
                Ok(cut) => {
                    cuts.insert(id, cut);
                }
                Err(error) => {
                    tracing::warn!(%error, source_id = %id, "a source without a summary cannot be cut either")
                }
            }
        }
        cuts
    }

    async fn cut(
        &self,
        id: &SourceId,
        text: &SourceText,
        share: u64,
        query: &str,
        content: &ContentStore,
    ) -> Result<ReductionRef, ContentError> {
        let text = texts::load(content, text).await?;
        let (source_id, query, settings) = (id.clone(), query.to_owned(), self.settings.clone());
        let cut = texts::compute(move || {
            let ranked = candidates(&text, &query, settings.ranker, settings.evidence_max_chars);
            fit(&Summary::default(), passages(&source_id, ranked), share, &tokens::count)
        })
        .await;
        let tokens = reduced::tokens(&cut, &tokens::count);
        let content = reduction::store(&cut, content).await?;
        Ok(ReductionRef { content, level: FidelityLevel::Truncated, tokens })
    }
}

fn nothing_fits(session: &SessionState, budget: u64) -> PhaseError {
    let message = format!("the analysis may carry {budget} tokens, in which no source fits");
    let remedy = "raise context_window or auto_compact_threshold, lower runtime_overhead or output_reserved, \
                  shorten background and conversation, or take a model with a larger window; `precis tokens` shows \
                  what is left of a window";
    super::give_up(session, "over_budget", &message, remedy)
}

/// The first job that failed, in words.
fn first_failure(outcomes: &BTreeMap<SourceId, JobOutcome<SummarizationAnswer>>) -> Option<String> {
    outcomes.iter().find_map(|(id, outcome)| match outcome {
        JobOutcome::Done(_) => None,
        JobOutcome::Failed(failure) => Some(format!("summarize {id}: {}: {}", failure.code, failure.message)),
    })
}

/// How recent a source is counts from the session's beginning, so that a repeat of the phase decides alike.
fn items(session: &SessionState) -> Vec<Item> {
    let readable = session.sources.iter().filter(|s| s.text.is_some());
    readable
        .map(|source| Item {
            source_id: source.source_id.clone(),
            tokens: fold::carried(session, &source.source_id, Phase::Summarization),
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

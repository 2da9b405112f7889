//! Summarization: fit what is carried to the analysis budget, the least important going down the ladder first.

use std::collections::BTreeMap;

use futures_util::{StreamExt, stream};
use precis_distill::allocate::{Allocation, Fate, allocate};
use precis_distill::follow_up::earlier_words;
use precis_distill::passage::passages;
use precis_distill::reduction::{self as reduced, candidates, fit};
use precis_distill::short_texts::{TextToSummarize, groups};
use precis_distill::{fold, tokens};
use precis_proto::failure_code::FailureCode;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{JobOutcome, Summarization as Job, SummarizationAnswer, SummarizationJob, content_key};
use precis_proto::source::{ReductionRef, Source, SourceText};
use precis_proto::state::SessionState;
use precis_proto::task::Summary;
use precis_proto::{Phase, SourceId};
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use super::route::{PhaseEnd, next};
use crate::documents::reductions;
use crate::documents::texts;
use crate::wiring::settings::DigestOptions;

/// Sources that are cut at once: each is read from the store and ranked. Chosen, not measured.
const CUTS_AT_ONCE: usize = 4;

/// The summarization phase.
#[derive(Debug)]
pub struct SummarizationPhase {
    /// Tokens of evidence that the analysis may carry.
    pub budget_tokens: u64,
    /// Whether the least important may be left out.
    pub allow_dropping: bool,
    /// Ranker and passage size, for sources that nobody summarizes.
    pub settings: DigestOptions,
    /// Whether a language model reads what is carried: what has little to do with the question is not worth its price.
    pub has_model: bool,
}

impl PhaseHandler for SummarizationPhase {
    const PHASE: Phase = Phase::Summarization;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let budget = super::beside_earlier(self.budget_tokens, ctx).await?;
        let items = super::items(&session, Phase::Summarization, super::is_paid(self.has_model, budget));
        let allocation = allocate(&items, budget, self.allow_dropping);
        if allocation.allocated == 0 && items.iter().any(|item| item.tokens > 0) {
            return Err(nothing_fits(&session, budget));
        }
        let mut outcomes = BTreeMap::new();
        for jobs in rounds(jobs(&session, &allocation)) {
            let (ids, jobs): (Vec<_>, Vec<_>) = jobs.into_iter().unzip();
            outcomes.extend(ids.into_iter().zip(ctx.scatter::<Job>(jobs).await?));
        }
        outcomes.extend(shortened(&session, &allocation, ctx).await?);
        let failure = first_failure(&outcomes);
        let cuts = self.cuts(&session, fold::unmet(&allocation, &outcomes), ctx).await;
        fold::summarization(&mut session, &allocation, outcomes, cuts, ctx.now());
        let carried = |source: &Source| fold::carried(&session, &source.source_id, Phase::Compression);
        if let Some(failure) = failure.filter(|_| session.sources.iter().all(|source| carried(source) == 0)) {
            let remedy = "look at the models' configuration, or run with --provider local:extractive";
            return Err(super::give_up(&session, FailureCode::SummarizationFailed, &failure, remedy));
        }
        Ok(next(session, Self::PHASE, PhaseEnd::Done))
    }
}

impl SummarizationPhase {
    /// The best passages of each source that has no summary, within its share. A text that cannot be read has none.
    async fn cuts(
        &self,
        session: &SessionState,
        unmet: Vec<(SourceId, u64)>,
        ctx: &PhaseContext,
    ) -> BTreeMap<SourceId, ReductionRef> {
        // What cannot be read costs the conversation's words, not the passages.
        let earlier = ctx.prior().await.map_or_else(|_| String::new(), |prior| earlier_words(&session.query, &prior));
        let (earlier, content) = (&earlier, &ctx.services().content);
        let cut = |(id, share): (SourceId, u64)| async move {
            let text = session.source(&id).and_then(|source| source.text.clone())?;
            match self.cut(&id, &text, share, (&session.query, earlier), content).await {
                Ok(cut) => Some((id, cut)),
                Err(error) => {
                    tracing::warn!(%error, source_id = %id, "a source without a summary cannot be cut either");
                    None
                }
            }
        };
        stream::iter(unmet).map(cut).buffer_unordered(CUTS_AT_ONCE).filter_map(std::future::ready).collect().await
    }

    async fn cut(
        &self,
        id: &SourceId,
        text: &SourceText,
        share: u64,
        (query, earlier): (&str, &str),
        content: &ContentStore,
    ) -> Result<ReductionRef, ContentError> {
        let text = texts::load(content, text).await?;
        let (source_id, query, earlier) = (id.clone(), query.to_owned(), earlier.to_owned());
        let settings = self.settings.clone();
        let cut = texts::compute(move || {
            let asked = (query.as_str(), earlier.as_str());
            let ranked = candidates(&text, asked, settings.ranker, settings.evidence_max_chars, share);
            fit(&Summary::default(), passages(&source_id, &text, &ranked), share, &tokens::count)
        })
        .await;
        let tokens = reduced::tokens(&cut, &tokens::count);
        let content = reductions::store(&cut, content).await?;
        Ok(ReductionRef { content, level: FidelityLevel::Truncated, tokens })
    }
}

fn nothing_fits(session: &SessionState, budget: u64) -> PhaseError {
    let message = format!("the analysis may carry {budget} tokens, in which no source fits");
    let remedy = "raise context_window or auto_compact_threshold, lower runtime_overhead or output_reserved, \
                  shorten background and conversation, or take a model with a larger window; `precis tokens` shows \
                  what is left of a window";
    super::give_up(session, FailureCode::OverBudget, &message, remedy)
}

/// The first job that failed, in words.
fn first_failure(outcomes: &BTreeMap<SourceId, JobOutcome<SummarizationAnswer>>) -> Option<String> {
    outcomes.iter().find_map(|(id, outcome)| match outcome {
        JobOutcome::Done(_) => None,
        JobOutcome::Failed(failure) => Some(format!("summarize {id}: {}: {}", failure.code, failure.message)),
    })
}

fn is_digest(source: &Source) -> bool {
    source.reduction.as_ref().is_some_and(|reduction| reduction.level == FidelityLevel::Digest)
}

/// The digests that are carried shorter, made from what they hold: no model is asked again.
async fn shortened(
    session: &SessionState,
    allocation: &Allocation,
    ctx: &PhaseContext,
) -> Result<Vec<(SourceId, JobOutcome<SummarizationAnswer>)>, PhaseError> {
    let unavailable = |e: ContentError| PhaseError::transient("content_unavailable", e.to_string());
    let content = &ctx.services().content;
    let mut outcomes = Vec::new();
    for (id, fate) in &allocation.fates {
        let Fate::Reduce { level, tokens } = *fate else { continue };
        let Some(reference) = session.source(id).filter(|s| is_digest(s)).and_then(|s| s.reduction.clone()) else {
            continue;
        };
        let held = reductions::load(&reference.content, content).await.map_err(unavailable)?;
        let short = texts::compute(move || reduced::shortened(held, level, tokens, &tokens::count)).await;
        let tokens = reduced::tokens(&short, &tokens::count);
        let reduction =
            ReductionRef { content: reductions::store(&short, content).await.map_err(unavailable)?, level, tokens };
        let answer = SummarizationAnswer {
            summary: short.summary,
            key_points: short.key_points,
            level,
            tokens: 0,
            provider: String::new(),
            reduction: Some(reduction),
            parts: Vec::new(),
            losses: Vec::new(),
            is_flawed: false,
        };
        outcomes.push((id.clone(), JobOutcome::Done(answer)));
    }
    Ok(outcomes)
}

/// A job with its source and its content key.
type KeyedJob = (SourceId, (String, SummarizationJob));

/// The jobs in the order in which they are done: those of short texts that one call shortens come second, but for the first of each call,
/// which makes it. They find their summaries kept; where one is missing, it is made then.
fn rounds(jobs: Vec<KeyedJob>) -> [Vec<KeyedJob>; 2] {
    let text = |(_, (_, job)): &KeyedJob| TextToSummarize {
        level: job.level,
        tokens: job.text.tokens,
        target_tokens: job.target_tokens,
    };
    let groups = groups(&jobs.iter().map(text).collect::<Vec<_>>());
    let (mut first, mut second) = (jobs, Vec::new());
    for group in &groups {
        first[group[0]].1.1.beside = group[1..].iter().map(|at| first[*at].1.1.clone()).collect();
    }
    let mut waiting: Vec<usize> = groups.iter().flat_map(|group| &group[1..]).copied().collect();
    waiting.sort_unstable();
    for at in waiting.into_iter().rev() {
        second.push(first.remove(at));
    }
    second.reverse();
    [first, second]
}

fn jobs(session: &SessionState, allocation: &Allocation) -> Vec<KeyedJob> {
    let mut jobs = Vec::new();
    for (id, fate) in &allocation.fates {
        let Fate::Reduce { level, tokens } = fate else { continue };
        // A cut needs nobody's words, and a digest has its words already.
        if *level == FidelityLevel::Truncated || session.source(id).is_some_and(is_digest) {
            continue;
        }
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
            beside: Vec::new(),
        };
        jobs.push((id.clone(), (key, job)));
    }
    jobs
}

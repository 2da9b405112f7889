//! Summarization: fits the carried evidence to the analysis budget, shortening the least important sources first.

use std::collections::BTreeMap;

use futures_util::{StreamExt, stream};
use precis_context::allocate::{Allocation, Fate, allocate};
use precis_context::reduction as reduced;
use precis_context::reduction::{candidates, fit};
use precis_context::short_texts::{TextToSummarize, groups};
use precis_evidence::passage::passages;
use precis_evidence::question::follow_up::earlier_words;
use precis_proto::failure_code::FailureCode;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{JobOutcome, Summarization as Job, SummarizationAnswer, SummarizationJob, content_key};
use precis_proto::source::{ReductionRef, Source, SourceText};
use precis_proto::state::SessionState;
use precis_proto::task::Summary;
use precis_proto::{Phase, SourceId};
use precis_report::fold;
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};
use precis_text::tokens;

use super::route::{PhaseEnd, next};
use super::writer_evidence::is_whole;
use crate::documents::{reductions, texts};
use crate::options::DigestOptions;

/// Most sources cut at the same time: each is read from the store and ranked. Chosen, not measured.
const CUTS_AT_ONCE: usize = 4;

/// The summarization phase.
#[derive(Debug)]
pub struct SummarizationPhase {
    /// Tokens of evidence that one call of the analysis may carry.
    pub call_budget_tokens: u64,
    /// Most calls of the analysis; `None` if the built-in model makes it, in which case all carry as much as one.
    pub calls: Option<usize>,
    /// Whether the least important sources may be left out.
    pub allow_dropping: bool,
    /// Ranker and passage size, for sources that are not summarized.
    pub settings: DigestOptions,
    /// Whether a language model reads the carried evidence; text of little relevance is then not worth its price.
    pub has_model: bool,
}

impl PhaseHandler for SummarizationPhase {
    const PHASE: Phase = Phase::Summarization;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let budget = match is_whole(&session) {
            true => u64::MAX,
            false => super::carried_budget(self.call_budget_tokens, self.calls, ctx).await?,
        };
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
        outcomes.extend(shorten_digests(&session, &allocation, ctx).await?);
        let failure = first_failure(&outcomes);
        let cuts = self.cuts(&session, fold::unmet(&allocation, &outcomes), ctx).await;
        fold::summarization(&mut session, &allocation, outcomes, cuts, ctx.now());
        let carried = |source: &Source| fold::carried_tokens(&session, &source.source_id, Phase::Compression);
        if let Some(failure) = failure.filter(|_| session.sources.iter().all(|source| carried(source) == 0)) {
            let remedy = "check the models' configuration, or run with --provider local:extractive";
            return Err(super::give_up(&session, FailureCode::SummarizationFailed, &failure, remedy));
        }
        Ok(next(session, Self::PHASE, PhaseEnd::Done))
    }
}

impl SummarizationPhase {
    /// Cuts each source without a summary to its best passages, within its share. Skips a text that cannot be read.
    async fn cuts(
        &self,
        session: &SessionState,
        unmet: Vec<(SourceId, u64)>,
        ctx: &PhaseContext,
    ) -> BTreeMap<SourceId, ReductionRef> {
        // If the prior context cannot be read, rank without the conversation's words rather than lose the passages.
        let earlier = ctx.prior().await.map_or_else(|_| String::new(), |prior| earlier_words(&session.query, &prior));
        let (earlier, content) = (&earlier, &ctx.services().content);
        let cut = |(id, share): (SourceId, u64)| async move {
            let text = session.source(&id).and_then(|source| source.text.clone())?;
            match self.cut(&id, &text, share, (&session.query, earlier), content).await {
                Ok(cut) => Some((id, cut)),
                Err(error) => {
                    tracing::warn!(%error, source_id = %id, "cannot cut a source that has no summary");
                    None
                }
            }
        };
        // Unordered is safe: the results are kept by source.
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
    let message = format!("no source fits into the {budget} tokens of the analysis budget");
    let remedy = "raise context_window or auto_compact_threshold, lower runtime_overhead or output_reserved, \
                  shorten background and conversation, or use a model with a larger window; `precis tokens` shows \
                  how much of a window is left";
    super::give_up(session, FailureCode::OverBudget, &message, remedy)
}

/// Returns the message of the first failed job.
fn first_failure(outcomes: &BTreeMap<SourceId, JobOutcome<SummarizationAnswer>>) -> Option<String> {
    outcomes.iter().find_map(|(id, outcome)| match outcome {
        JobOutcome::Done(_) => None,
        JobOutcome::Failed(failure) => Some(format!("summarize {id}: {}: {}", failure.code, failure.message)),
    })
}

fn is_digest(source: &Source) -> bool {
    source.reduction.as_ref().is_some_and(|reduction| reduction.level == FidelityLevel::Digest)
}

/// Shortens the digests that must shrink, from their own content and without a model call.
async fn shorten_digests(
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
        let short = texts::compute(move || reduced::shorten(held, level, tokens, &tokens::count)).await;
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

/// Splits the jobs into two rounds. Short texts are summarized several per call: the first job of each group makes the call in the first
/// round, the others run in the second and find their summaries stored; a missing one is made then.
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
    // From the back: removing an entry shifts those behind it.
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
        // A cut needs no model, and a digest is shortened from its own content.
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

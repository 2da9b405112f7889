//! Compression: turns evidence into cited findings, one batch of sources per job; then merges repeats across batches.

use std::collections::{BTreeMap, BTreeSet};

use precis_context::compress::most_findings;
use precis_proto::failure_code::FailureCode;
use precis_proto::job::{Compression as Job, CompressionAnswer, CompressionJob, CompressionSource, JobOutcome};
use precis_proto::research::GatheringResult;
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_proto::task::QuestionContext;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SourceId};
use precis_report::fold;
use precis_research::extractive::{named_documents, subjects};
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use super::compression_batches::{CallRoom, TopicSources, batches};
use super::planning::get;
use super::refinement_log::log;
use super::route::{PhaseEnd, next};
use super::text_places::places;
use super::topics::{by_topic, gap_topics, source_topics};
use super::writer_evidence::is_whole;
use super::{document_name, give_up, pointed_findings};

/// The compression phase.
#[derive(Debug)]
pub struct CompressionPhase {
    /// Tokens of passages that one call may carry.
    pub call_budget_tokens: u64,
    /// Most calls; `None` if they cost nothing, because the built-in model makes the findings.
    pub calls: Option<usize>,
}

impl PhaseHandler for CompressionPhase {
    const PHASE: Phase = Phase::Compression;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let budget = super::beside_earlier(self.call_budget_tokens, ctx).await?;
        let gathered = load_gathered(&session, ctx).await?;
        let topics = source_topics(&session, gathered.as_ref(), &ctx.services().content).await?;
        let gaps = gap_topics(&session, log(&session, &ctx.services().content).await?.open.as_ref());
        let room = CallRoom { tokens: budget, calls: self.calls };
        let mut jobs = jobs(&session, room, gathered.as_ref(), &SourceTopics { topics, gaps });
        if is_whole(&session) {
            // The writer reads the texts themselves: the built-in model makes an index into them.
            jobs = jobs.iter().map(raw).collect();
        }
        let asked: Vec<(String, Vec<SourceId>)> = jobs.iter().map(|(_, job)| (job.topic.clone(), ids(job))).collect();
        let by_openings: Vec<(String, CompressionJob)> = jobs.iter().map(by_openings).collect();
        let mut outcomes = ctx.scatter::<Job>(jobs).await?;
        let openings = outcomes.iter().all(found_nothing_to_read);
        if openings {
            outcomes = ctx.scatter::<Job>(by_openings.clone()).await?;
        }
        let (failed, has_findings) = (all_failed(&outcomes), outcomes.iter().any(holds_findings));
        let mut outcomes: Vec<TopicOutcome> =
            asked.iter().cloned().zip(outcomes).map(|((topic, ids), outcome)| (topic, ids, outcome)).collect();
        if !has_findings {
            let raw = ctx.scatter::<Job>(by_openings.iter().map(raw).collect()).await?;
            if raw.iter().any(holds_findings) {
                session.warn(degraded_warning(failed.as_deref()));
                let raw = asked.into_iter().zip(raw).filter(|(_, outcome)| holds_findings(outcome));
                outcomes.extend(raw.map(|((topic, ids), outcome)| (topic, ids, outcome)));
            } else if !session.raw_notes.is_empty() {
                session.warn(from_notes(failed.as_deref()));
            } else if let Some(failure) = failed {
                let remedy = "check the models' configuration, or run with --provider local:extractive";
                return Err(give_up(&session, FailureCode::CompressionFailed, &failure, remedy));
            }
        }
        let unquoted = fold::unquoted_protected(&session, &outcomes);
        let mut alone: Vec<(String, CompressionJob)> =
            by_openings.iter().flat_map(|(_, job)| alone(job, &unquoted, openings)).collect();
        // A source of several topics is in several jobs.
        let mut keys = BTreeSet::new();
        alone.retain(|(key, _)| keys.insert(key.clone()));
        if !alone.is_empty() {
            let asked: Vec<Vec<SourceId>> = alone.iter().map(|(_, job)| ids(job)).collect();
            let quoted = ctx.scatter::<Job>(alone).await?;
            outcomes.extend(asked.into_iter().zip(quoted).map(|(ids, outcome)| (String::new(), ids, outcome)));
        }
        outcomes.extend(pointed_findings::findings(&session, ctx).await?);
        fold::compression(&mut session, outcomes, ctx.now());
        Ok(next(session, Self::PHASE, PhaseEnd::Done))
    }
}

/// Topic and sources of a job, and its outcome.
type TopicOutcome = (String, Vec<SourceId>, JobOutcome<CompressionAnswer>);

/// Builds a separate job for each protected source of `job` that no finding quotes.
fn alone(job: &CompressionJob, unquoted: &[SourceId], openings: bool) -> Vec<(String, CompressionJob)> {
    let of = |source: &CompressionSource| {
        let sources = vec![source.clone()];
        let job = CompressionJob { sources, max_findings: 1, openings, quote_only: true, ..job.clone() };
        (format!("protected {}", source.source_id), job)
    };
    job.sources.iter().filter(|source| unquoted.contains(&source.source_id)).map(of).collect()
}

/// Returns the same job reading the openings of its sources, for the case that no passage matches the question.
fn by_openings((key, job): &(String, CompressionJob)) -> (String, CompressionJob) {
    (format!("{key} by openings"), CompressionJob { openings: true, ..job.clone() })
}

/// Returns the same job for the built-in model, which quotes the texts unchanged, and their openings if no passage matches.
fn raw((key, job): &(String, CompressionJob)) -> (String, CompressionJob) {
    (format!("{key} raw"), CompressionJob { openings: true, quote_only: true, ..job.clone() })
}

fn holds_findings(outcome: &JobOutcome<CompressionAnswer>) -> bool {
    matches!(outcome, JobOutcome::Done(answer) if !answer.findings.is_empty())
}

/// The warning of a session whose findings are only passages; `failure` is the reason, if known.
fn degraded_warning(failure: Option<&str>) -> Warning {
    let why = failure.map_or(String::new(), |failure| format!(" ({failure})"));
    let message =
        format!("no findings could be made from the sources{why}; the report quotes passages of their texts instead");
    Warning::new(WarningCode::ReportDegraded, Phase::Compression, message)
}

/// The warning of a session of which only the notes of its researchers are left; `failure` is the reason, if known.
pub(super) fn from_notes(failure: Option<&str>) -> Warning {
    let why = failure.map_or(String::new(), |failure| format!(" ({failure})"));
    let message = format!(
        "neither findings nor passages could be read from the sources{why}; the report is made of the researchers' notes, and nothing in it is quoted"
    );
    Warning::new(WarningCode::ReportDegraded, Phase::Compression, message)
}

/// Whether the findings of a session are only passages, because no findings could be made.
pub(super) fn is_degraded(session: &SessionState) -> bool {
    session.warnings.iter().any(|warning| warning.code == WarningCode::ReportDegraded)
}

/// Whether the job had no passage to read, so that no model was called.
fn found_nothing_to_read(outcome: &JobOutcome<CompressionAnswer>) -> bool {
    matches!(outcome, JobOutcome::Done(answer) if answer.provider.is_empty() && answer.findings.is_empty())
}

fn ids(job: &CompressionJob) -> Vec<SourceId> {
    job.sources.iter().map(|s| s.source_id.clone()).collect()
}

fn all_failed<A>(outcomes: &[JobOutcome<A>]) -> Option<String> {
    let mut reason = None;
    for outcome in outcomes {
        match outcome {
            JobOutcome::Done(_) => return None,
            JobOutcome::Failed(failure) => reason = Some(format!("{}: {}", failure.code, failure.message)),
        }
    }
    reason
}

/// Loads the result of gathering; `None` if the session searched nothing.
pub(super) async fn load_gathered(
    session: &SessionState,
    ctx: &PhaseContext,
) -> Result<Option<GatheringResult>, PhaseError> {
    match session.research.as_ref().and_then(|research| research.course.as_ref()) {
        Some(course) => get(course, &ctx.services().content).await.map(Some),
        None => Ok(None),
    }
}

/// Builds the context of the question: the documents and folders it names, and the rarity of its terms.
fn question_context(session: &SessionState, gathered: Option<&GatheringResult>) -> QuestionContext {
    let documents = named_documents(&session.query, session.sources.iter().map(document_name));
    let rarity = gathered.map(|gathered| gathered.rarity.clone()).unwrap_or_default();
    let parts = gathered.map_or(0, |gathered| gathered.research.plan.len());
    let subjects = subjects(&session.query, parts, session.sources.iter().filter_map(|source| source.path.as_deref()));
    QuestionContext { documents, rarity, subjects }
}

/// The topics of each source, and the gaps for which it was found again.
struct SourceTopics {
    topics: BTreeMap<SourceId, Vec<String>>,
    gaps: BTreeMap<SourceId, Vec<String>>,
}

/// Builds the jobs: batches in the order of the sources, so that sources given together are read together; by topic if researchers had
/// topics. A source of several topics is in a job of each.
fn jobs(
    session: &SessionState,
    room: CallRoom,
    gathered: Option<&GatheringResult>,
    topics: &SourceTopics,
) -> Vec<(String, CompressionJob)> {
    let known = question_context(session, gathered);
    let mut carried: Vec<(String, CompressionSource)> = Vec::new();
    let places = places(session);
    for source in &session.sources {
        let Some(one) = self::carried_source(session, source) else { continue };
        let one = CompressionSource { place: places.get(&source.source_id).copied(), ..one };
        let number = number_in(gathered.map(|gathered| &gathered.numbers), source);
        let own = topics.topics.get(&source.source_id).cloned().unwrap_or_default();
        let one = CompressionSource { number, topics: if own.len() > 1 { own.clone() } else { Vec::new() }, ..one };
        // Read again for what the earlier report lacks, beside what was read of it before.
        for gap in topics.gaps.get(&source.source_id).into_iter().flatten() {
            let topic = own.first().map_or_else(|| gap.clone(), |own| format!("{own}\nStill open: {gap}"));
            carried.push((topic, CompressionSource { topics: Vec::new(), ..one.clone() }));
        }
        match own.is_empty() {
            true => carried.push((String::new(), one)),
            false => carried.extend(own.into_iter().map(|topic| (topic, one.clone()))),
        }
    }
    let texts = carried.iter().map(|(_, source)| &source.source_id).collect::<BTreeSet<_>>().len();
    let job = |topic: &str, sources: &[CompressionSource]| CompressionJob {
        topic: topic.to_owned(),
        query: session.query.clone(),
        sources: sources.to_vec(),
        budget_tokens: room.tokens,
        max_findings: most_findings(sources.len()),
        openings: false,
        quote_only: false,
        texts,
        known: known.clone(),
    };
    // Batch the sources of each iteration separately: earlier batches stay identical, so their answers are reused at no cost.
    let came = |(_, source): &(String, CompressionSource)| fold::first_visit(session, &source.source_id);
    let passes = carried.chunk_by(|a, b| came(a) == came(b));
    let groups: Vec<TopicSources> = passes.flat_map(by_topic).collect();
    let numbered = batches(&groups, room).into_iter().enumerate();
    numbered.map(|(n, (topic, sources))| (format!("batch {n}"), job(&topic, &sources))).collect()
}

/// Returns the number under which researchers knew a source, looked up in `known`.
pub(super) fn number_in(known: Option<&BTreeMap<String, u32>>, source: &Source) -> Option<u32> {
    [&source.path, &source.url].into_iter().flatten().find_map(|document| known?.get(document).copied())
}

fn carried_source(session: &SessionState, source: &Source) -> Option<CompressionSource> {
    let text = source.text.clone()?;
    if fold::carried_tokens(session, &source.source_id, Phase::Compression) == 0 {
        return None;
    }
    let (source_id, title, reduction) = (source.source_id.clone(), source.title.clone(), source.reduction.clone());
    let path = source.path.clone().unwrap_or_default();
    Some(CompressionSource {
        source_id,
        title,
        path,
        text,
        reduction,
        number: None,
        topics: Vec::new(),
        part: None,
        place: None,
    })
}

#[cfg(test)]
mod tests {
    use precis_proto::job::JobFailure;
    use serde_json::json;

    use super::*;

    #[test]
    fn model_free_findings_are_made_only_where_no_outcome_has_one() {
        let answer = |findings: serde_json::Value| -> JobOutcome<CompressionAnswer> {
            let answer = json!({ "findings": findings, "unmatched": [], "provider": "a:b" });
            JobOutcome::Done(serde_json::from_value(answer).expect("an answer"))
        };
        let quote = json!({ "source_id": "s", "locator": "char:0-2", "text": "It" });
        let finding = json!([{ "statement": "It", "quotes": [quote], "score": 0.5, "tokens": 1 }]);
        let failed = || JobOutcome::Failed(JobFailure::permanent("timeout", "m"));
        for (outcomes, holds, failure) in [
            (vec![answer(finding.clone()), failed()], true, None),
            (vec![answer(json!([])), failed()], false, None),
            (vec![failed(), failed()], false, Some("timeout: m")),
            (vec![], false, None),
        ] {
            assert_eq!(outcomes.iter().any(holds_findings), holds, "{outcomes:?}");
            assert_eq!(all_failed(&outcomes).as_deref(), failure, "{outcomes:?}");
        }
        let job = json!({ "topic": "", "query": "q", "sources": [], "budget_tokens": 9, "max_findings": 2 });
        let job: CompressionJob = serde_json::from_value(job).expect("a job");
        let (key, job) = raw(&("batch 0".to_owned(), job));
        assert!(key == "batch 0 raw" && job.openings && job.quote_only && job.max_findings == 2);
        assert!(degraded_warning(Some("timeout: m")).message.contains("(timeout: m)"));
    }
}

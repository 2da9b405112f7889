//! Synthesis: turns findings into a report within its budget.

use std::collections::{BTreeMap, BTreeSet};

use precis_context::markdown::escape;
use precis_context::source_notes;
use precis_evidence::question::follow_up::with_inherited;
use precis_proto::answer::Answer;

use precis_proto::meaning::read_meaning_key;
use precis_proto::research::GatheringResult;
use precis_proto::state::SessionState;
use precis_proto::task::{ReportDraft, SynthesizeTask, Task, TaskFinding, TaskNote};
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SourceId};
use precis_report::claims::Opinions;
use precis_report::draft::passage_citations::quote_passages;
use precis_report::fold::carried_findings;
use precis_report::rendering::{DegradedTo, degraded_report};
use precis_report::{conclusions, fold};
use precis_research::extractive;
use precis_research::extractive::NEUTRAL_SIMILARITY;
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::model::PieceCut;
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};
use precis_text::tokens;

use super::claims::DraftToSettle;
use super::compression::{is_degraded, load_gathered, number_in};
use super::own_notes::own_notes;
use super::route::{PhaseEnd, next};
use super::writer_evidence::WriterEvidence;
use crate::documents::reductions;

/// The synthesis phase.
#[derive(Debug)]
pub struct SynthesisPhase {
    /// Target length of the report in tokens, unless the request sets one.
    pub report_tokens: u64,
    /// Most tokens of findings in the prompt.
    pub budget_tokens: u64,
    /// Most tokens of passages in the prompt of a model; 0 if it writes from findings alone.
    pub writer_tokens: u64,
    /// Whether its model can use prose notes about the sources.
    pub reads_prose: bool,
}

impl PhaseHandler for SynthesisPhase {
    const PHASE: Phase = Phase::Synthesis;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let budget = super::beside_earlier(self.budget_tokens, ctx).await?;
        let gathered = load_gathered(&session, ctx).await?;
        let numbers = gathered.as_ref().filter(|_| self.reads_prose).map(|gathered| &gathered.numbers);
        let findings = within(budget, task_findings(&session, numbers), &mut session);
        let notes = if self.reads_prose { notes(&session, &findings, ctx).await? } else { Vec::new() };
        let degraded_to = degraded_to(&session);
        let raw_notes = if self.reads_prose {
            notes_to_show(&session, degraded_to, !findings.is_empty(), ctx).await?
        } else {
            Vec::new()
        };
        let room = room_beside(budget, &findings, &raw_notes);
        let evidence = WriterEvidence::load(&session, &findings, (self.writer_tokens, room), ctx).await?;
        let mut offered: BTreeSet<u32> = findings.iter().map(|finding| finding.id).collect();
        let asked = with_inherited(&session.query, &*ctx.prior().await?);
        session.answer = judge_answer(&asked, &findings, gathered.as_ref());
        let task = SynthesizeTask {
            query: session.query.clone(),
            findings,
            evidence: evidence.shown.clone(),
            notes,
            raw_notes,
            status: session.answer.as_ref().map(|answer| answer.status),
            target_tokens: session.options.report_tokens.unwrap_or(self.report_tokens),
            begun: String::new(),
        };
        let mut written = self.write_report(&task, ctx).await?;
        if degraded_to == Some(DegradedTo::Notes) && written.provider == LOCAL_MODEL {
            // The built-in model writes of findings only: the researchers' own words stand as they are.
            written.markdown = notes_report(&own_notes(&session, ctx).await?);
        }
        let Written { markdown, provider, cut } = written;
        let quoted = quote_passages(&markdown, &evidence.passages, &session.findings, &tokens::count);
        offered.extend(quoted.findings.iter().map(|finding| finding.finding_id));
        session.findings.extend(quoted.findings);
        let markdown = quoted.markdown;
        let cited = cited_by(&markdown, &provider, &session, ctx).await?;
        // A protected source is cited in any case.
        let (markdown, added) = fold::with_protected(markdown, &session, &cited);
        let cited: BTreeSet<u32> = cited.into_iter().chain(added).collect();
        let markdown = match degraded_to {
            Some(to) => degraded_report(&session.query, &markdown, to),
            None => markdown,
        };
        fold::synthesis(&mut session, markdown, &offered, &cited, ctx.now());
        fold::shown_to_writer(&mut session, &evidence.shown_tokens(&cut));
        Ok(next(session, Self::PHASE, PhaseEnd::Done))
    }
}

/// What the report is written from if no findings could be made.
fn degraded_to(session: &SessionState) -> Option<DegradedTo> {
    is_degraded(session).then_some(match session.findings.is_empty() {
        true => DegradedTo::Notes,
        false => DegradedTo::Passages,
    })
}

/// A report as its author wrote it.
struct Written {
    markdown: String,
    provider: String,
    /// Pieces of evidence that were left out or shortened on the way to it.
    cut: Vec<PieceCut>,
}

impl SynthesisPhase {
    /// Returns the report on the findings of `task`, and its author. Without findings a language model could only write from memory, so
    /// none is called, and the report states that no passage answers the question.
    async fn write_report(&self, task: &SynthesizeTask, ctx: &PhaseContext) -> Result<Written, PhaseError> {
        if self.reads_prose && task.findings.is_empty() && task.raw_notes.is_empty() {
            let markdown = extractive::synthesize(task, &tokens::count).markdown;
            return Ok(Written { markdown, provider: LOCAL_MODEL.to_owned(), cut: Vec::new() });
        }
        let called = ctx.model(&Task::Synthesize(task.clone())).await?;
        let draft: ReportDraft = serde_json::from_value(called.value)
            .map_err(|_| PhaseError::transient("model_failed", format!("{} returned no report", called.provider)))?;
        Ok(Written { markdown: draft.markdown, provider: called.provider, cut: called.cut })
    }
}

/// Those of `findings` that fit into `budget` tokens; the session is warned of the others.
fn within(budget: u64, findings: Vec<TaskFinding>, session: &mut SessionState) -> Vec<TaskFinding> {
    let (findings, left_out) = carried_findings(findings, &protected_numbers(session), budget, &tokens::count);
    if left_out > 0 {
        let message = format!("{left_out} findings left out of the report to meet its budget");
        session.warn(Warning::new(WarningCode::ContentDropped, Phase::Synthesis, message));
    }
    findings
}

/// The notes of researchers that the writer sees: beside findings their own words, and all of them where nothing else is there.
async fn notes_to_show(
    session: &SessionState,
    degraded_to: Option<DegradedTo>,
    has_findings: bool,
    ctx: &PhaseContext,
) -> Result<Vec<String>, PhaseError> {
    match degraded_to {
        Some(DegradedTo::Notes) => Ok([own_notes(session, ctx).await?, raw_notes(session, ctx).await?].concat()),
        _ if has_findings => own_notes(session, ctx).await,
        _ => Ok(Vec::new()),
    }
}

/// Ids of the findings that the report cites once its statements are settled.
async fn cited_by(
    markdown: &str,
    provider: &str,
    session: &SessionState,
    ctx: &PhaseContext,
) -> Result<BTreeSet<u32>, PhaseError> {
    // The call just made is not in the session's calls yet.
    let edits = provider != LOCAL_MODEL || !(session.calls.is_empty() || super::claims::is_built_in(session));
    let draft = DraftToSettle::load(session, markdown, edits, ctx).await?;
    let settled = draft.settle(Opinions::default()).await;
    Ok(settled.cited.finding_ids(&session.findings))
}

/// The researchers' own words as a report: a paragraph for each of `notes`.
fn notes_report(notes: &[String]) -> String {
    let line = |note: &String| escape(&note.split_whitespace().collect::<Vec<_>>().join(" "));
    notes.iter().map(line).collect::<Vec<_>>().join("\n\n")
}

/// Tokens that `findings` leave for passages; half of them if there are `raw_notes`, which would otherwise find no room.
fn room_beside(budget: u64, findings: &[TaskFinding], raw_notes: &[String]) -> u64 {
    let used: u64 = findings.iter().map(|finding| tokens::count(&finding.statement)).sum();
    let room = budget.saturating_sub(used);
    if raw_notes.is_empty() { room } else { room / 2 }
}

/// Judges whether the findings answer the question `asked`, using the results of research if there are any.
fn judge_answer(asked: &str, findings: &[TaskFinding], gathered: Option<&GatheringResult>) -> Option<Answer> {
    match gathered {
        Some(gathered) => conclusions::answer_status(asked, findings, &gathered.research),
        None => extractive::judge(asked, findings, None),
    }
}

/// Returns the numbers of the protected sources.
fn protected_numbers(session: &SessionState) -> BTreeSet<u32> {
    (1_u32..).zip(&session.sources).filter(|(_, source)| source.protected).map(|(n, _)| n).collect()
}

/// Returns the model's notes on the sources of `findings`, in their order. The gate limits their share of the prompt.
async fn notes(
    session: &SessionState,
    findings: &[TaskFinding],
    ctx: &PhaseContext,
) -> Result<Vec<TaskNote>, PhaseError> {
    let used: BTreeSet<u32> = findings.iter().map(|finding| finding.source).collect();
    let mut notes = Vec::new();
    for (n, source) in (1_u32..).zip(&session.sources).filter(|(n, _)| used.contains(n)) {
        let Some(reference) = &source.reduction else { continue };
        let held = reductions::load(&reference.content, &ctx.services().content).await;
        let held = held.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
        notes.extend(source_notes::for_findings(&held, n, &source.title, &source.source_id, &session.findings));
    }
    Ok(notes)
}

/// Returns the notes of the session's researchers, oldest first. The gate gives them the space that the findings leave.
pub(super) async fn raw_notes(session: &SessionState, ctx: &PhaseContext) -> Result<Vec<String>, PhaseError> {
    let mut notes = Vec::new();
    for reference in &session.raw_notes {
        let bytes = ctx.services().content.get(reference).await;
        let bytes = bytes.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
        notes.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(notes)
}

/// Returns the findings of the session; titles carry the number under which researchers knew the source, if `known` has one.
pub(super) fn task_findings(session: &SessionState, known: Option<&BTreeMap<String, u32>>) -> Vec<TaskFinding> {
    let mut numbers: BTreeMap<&SourceId, u32> = BTreeMap::new();
    for (n, source) in (1_u32..).zip(&session.sources) {
        numbers.insert(&source.source_id, n);
    }
    let is_served = session.meaning.as_deref().is_some_and(|key| read_meaning_key(key).1.is_some());
    let findings = session.findings.iter().filter_map(|finding| {
        let source = session.source(&finding.quotes.first()?.source_id)?;
        Some(TaskFinding {
            id: finding.finding_id,
            topic: finding.topic.clone(),
            statement: finding.statement.clone(),
            title: source_notes::numbered_title(&source.title, number_in(known, source)),
            source: numbers.get(&source.source_id).copied().unwrap_or(0),
            score: finding.score,
            headings: finding.quotes.first()?.headings.clone(),
            path: source.path.clone().unwrap_or_default(),
            context: finding.quotes.first()?.context.clone(),
            // A server's cosines lie elsewhere than those that the verdict was fitted with: they chose the finding, and judge nothing.
            similarity: if is_served { finding.similarity.map(|_| NEUTRAL_SIMILARITY) } else { finding.similarity },
        })
    });
    findings.collect()
}

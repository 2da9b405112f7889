//! Evaluation: verifies every citation against the canonical text, balances the ledger, and builds the result.

use std::sync::Arc;

use precis_context::prompt::compacted_history;
use precis_context::source_notes;
use precis_proto::Phase;
use precis_proto::claim::{Evaluation as Counted, JudgeCounts};
use precis_proto::evaluated::EvaluatedReport;
use precis_proto::judgement::ReportJudgement;
use precis_proto::research::GatheringResult;
use precis_proto::response::{ReportData, Response, SourceRow};
use precis_proto::state::SessionState;
use precis_proto::warning::{Warning, WarningCode};
use precis_report::answered::{AnswerBasis, ReportSaid, answer_line, statements};
use precis_report::claims::{Opinions, SettledDraft, doubt_warnings};
use precis_report::conclusions::tell;
use precis_report::draft::citations::CitedDraft;
use precis_report::{groundedness, response, shortening_warning};
use precis_runtime::config::JudgePolicy;
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use super::claims::{DraftToSettle, is_built_in};
use super::compression::gathered;
use super::ending::ending;
use super::judgement::Judging;
use super::planning::put;
use super::proof::prove;
use super::rating;
use super::refinement::refines;
use super::route::{PhaseEnd, next};
use super::synthesis::task_findings;
use crate::documents::reductions;

/// Share of a sentence's content words that its quotes must contain (chosen, not measured).
const MIN_SUPPORT: f64 = 0.3;

/// The evaluation phase.
#[derive(Debug)]
pub struct EvaluationPhase {
    /// Whether a model judges statements.
    pub has_judge: bool,
    /// The models that may judge, in the order in which they are asked.
    pub judges: Vec<String>,
    /// Which statements it judges.
    pub judge: JudgePolicy,
    /// Most tokens of statements and passages in one call to judge.
    pub judging_tokens: u64,
    /// Whether a model grades the report as a whole: only one that is named for it.
    pub rates: bool,
    /// Whether foreign models receive no private texts.
    pub is_strict: bool,
    /// Whether the report lists how much of each source was carried.
    pub manages_tokens: bool,
}

impl PhaseHandler for EvaluationPhase {
    const PHASE: Phase = Phase::Evaluation;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        // Refinement gets the session unchanged: the runner adds what this phase recorded when it hands the session on.
        let handed_on = refines(&session).then(|| session.clone());
        let draft = session.draft.clone().unwrap_or_default();
        let edits = !is_built_in(&session);
        let to_settle = DraftToSettle::load(&session, &draft, edits, ctx).await?;
        warn_of_citations(&mut session, &to_settle.cited, edits);
        let gathered = gathered(&session, ctx).await?;
        let judged = self.judged(&session, &to_settle, gathered.as_ref(), ctx).await?;
        if self.has_judge {
            // The runner adds a phase's records only when the session is handed on; this phase may end it, so add them here.
            let recorded = ctx.recorded();
            session.calls.extend(recorded.calls);
            session.token_usage.extend(recorded.usage);
            recorded.warnings.into_iter().for_each(|warning| session.warn(warning));
        }
        let JudgedReport { settled, said, judge, judgement } = judged;
        warn_of_statements(&mut session, &settled, edits);
        let code = prove(&mut session, &settled.cited.citations, ctx).await?;
        let answers = said.opinions().cloned().collect();
        let evaluation = settled.evaluation().map(|counted| Counted { judge, judgement, answers, ..counted });
        let mut data = response::assemble(&session, settled.cited, ending(&session, ctx.now()));
        (data.claims, data.evaluation, data.code) = (settled.claims, evaluation, code);
        tell_answer(&mut data, &said);
        data.privacy.get_or_insert_default().strict_privacy = self.is_strict;
        data.history = compacted_history(&ctx.prior().await?.history);
        self.add_carried(&session, &mut data.sources, ctx).await?;
        if let Some(gathered) = gathered {
            tell(gathered, &said, &mut data);
        }
        super::computed::add(&session, &mut data, ctx).await?;
        if !self.manages_tokens {
            response::without_records(&mut data);
        }
        match handed_on {
            None => Ok(Step::Finish(Box::new(session), Box::new(Response::report(data)))),
            Some(session) => refined(session, data, ctx).await,
        }
    }
}

/// A draft with its statements settled, and what the judges said of it.
struct JudgedReport {
    settled: SettledDraft,
    /// Which answers its statements give.
    said: ReportSaid,
    judge: Option<JudgeCounts>,
    judgement: Option<ReportJudgement>,
}

impl EvaluationPhase {
    /// Settles the draft, with a model's opinions where there is a judge.
    async fn judged(
        &self,
        session: &SessionState,
        to_settle: &Arc<DraftToSettle>,
        gathered: Option<&GatheringResult>,
        ctx: &PhaseContext,
    ) -> Result<JudgedReport, PhaseError> {
        let said = |settled: &SettledDraft| {
            ReportSaid::new(task_findings(session, None), statements(settled, &session.sources))
        };
        let settled = to_settle.settled(Opinions::default()).await;
        let mut report = JudgedReport { said: said(&settled), settled, judge: None, judgement: None };
        if !self.has_judge {
            return Ok(report);
        }
        let mut judging = Judging::new(session, self.judging_tokens, &self.judges, ctx);
        if to_settle.edits {
            report.settled = judging.judge(to_settle, report.settled, self.judge).await?;
            (report.judge, report.said) = (judging.counts(&report.settled), said(&report.settled));
        }
        // Where the other roles found nobody, nobody judges either.
        if to_settle.edits || !session.warnings.iter().any(|warning| warning.code == WarningCode::ProviderFallback) {
            judging.hear_answers(gathered, &mut report.said).await?;
        }
        if self.rates && !report.settled.claims.is_empty() {
            report.judgement = Some(rating::rate(session, &report.settled, &judging, ctx).await?);
        }
        Ok(report)
    }

    /// Adds to each source row its digest and the model's note for the reader, including sources that were not carried further.
    async fn add_carried(
        &self,
        session: &SessionState,
        rows: &mut [SourceRow],
        ctx: &PhaseContext,
    ) -> Result<(), PhaseError> {
        for row in rows {
            let Some(reference) = session.source(&row.source_id).and_then(|s| s.reduction.as_ref()) else { continue };
            let held = reductions::load(&reference.content, &ctx.services().content).await;
            let held = held.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
            row.note = source_notes::for_reader(&held);
            // Only with an archive: its snippets may be text that is not quoted, and without an archive only quoted text is kept.
            row.digest = held.digest.filter(|_| session.content_archive_hashes.contains_key(&row.source_id));
        }
        Ok(())
    }
}

/// Makes the answer, which was judged on the findings, that of the statements of the report.
fn tell_answer(data: &mut ReportData, report: &ReportSaid) {
    if let Some(evidence) = &data.answer {
        let mut answer = report.answer(&data.query, evidence);
        answer.line = answer_line(&answer, &AnswerBasis::of(data));
        data.answer = Some(answer);
    }
}

/// Hands the report to refinement, which keeps it or searches for more.
async fn refined(mut session: SessionState, data: ReportData, ctx: &PhaseContext) -> Result<Step, PhaseError> {
    let course = session.research.as_ref().and_then(|research| research.course.clone());
    let evaluated = put(&EvaluatedReport { visit: session.visit, course, data }, &ctx.services().content).await?;
    if let Some(research) = session.research.as_mut() {
        (research.evaluated, research.failure) = (Some(evaluated), None);
    }
    Ok(next(session, Phase::Evaluation, PhaseEnd::Done))
}

/// Warns of citations that name nothing, and of quotes of the built-in model that do not support their sentence. A model's statements are
/// judged one by one.
fn warn_of_citations(session: &mut SessionState, cited: &CitedDraft, edits: bool) {
    for id in &cited.removed {
        session.warn(Warning::new(
            WarningCode::CitationRemoved,
            Phase::Evaluation,
            format!("the draft cites finding {id}, which does not exist"),
        ));
    }
    if edits {
        return;
    }
    for sentence in groundedness::assess(&cited.markdown, &cited.citations, MIN_SUPPORT).unsupported {
        let excerpt: String = sentence.sentence.chars().take(80).collect();
        let message = format!("the quotes of this sentence do not support it: {excerpt}");
        session.warn(Warning::new(WarningCode::UnsupportedStatement, Phase::Evaluation, message));
    }
}

/// Warns of statements that were changed, of those that stay in doubt, and of sources that were shortened.
fn warn_of_statements(session: &mut SessionState, settled: &SettledDraft, edits: bool) {
    let doubts = if edits { doubt_warnings(settled) } else { Vec::new() };
    let found = changes_warning(settled).into_iter().chain(doubts).chain(shortening_warning::warning(session));
    found.collect::<Vec<_>>().into_iter().for_each(|warning| session.warn(warning));
}

/// Builds one warning about all statements that were changed.
fn changes_warning(settled: &SettledDraft) -> Option<Warning> {
    let found = settled.evaluation()?;
    let changed = found.corrected + found.removed;
    let message = format!(
        "of {} statements {} were replaced and {} removed, because a model judged that their passages do not say them",
        found.statements, found.corrected, found.removed
    );
    (changed > 0).then(|| Warning::new(WarningCode::StatementsCorrected, Phase::Evaluation, message))
}

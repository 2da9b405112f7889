//! Evaluation: verifies every citation against the canonical text, balances the ledger, and builds the result.

use precis_context::prompt::compacted_history;
use precis_proto::Phase;
use precis_proto::claim::Evaluation as Counted;
use precis_proto::evaluated::EvaluatedReport;
use precis_proto::response::{ReportData, Response};
use precis_proto::state::SessionState;
use precis_report::answered::{AnswerBasis, ReportSaid, answer_line};
use precis_report::conclusions::tell;
use precis_report::response;
use precis_runtime::config::JudgePolicy;
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use super::carried_rows::add_carried;
use super::claims::{DraftToSettle, is_built_in};
use super::compression::load_gathered;
use super::ending::ending;
use super::evaluation_warnings::{warn_of_citations, warn_of_statements};
use super::judged_report::{JudgedReport, JudgingRules};
use super::judgement::Judging;
use super::planning::put;
use super::proof::prove;
use super::refinement::refines;
use super::route::{PhaseEnd, next};

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
        let gathered = load_gathered(&session, ctx).await?;
        let mut report = JudgedReport::without_judging(&session, &to_settle).await;
        if self.has_judge {
            let judging = Judging::new(&session, self.judging_tokens, &self.judges, ctx);
            let rules = JudgingRules { policy: self.judge, rates: self.rates };
            report = report.judge(&to_settle, judging, rules, (&session, gathered.as_ref()), ctx).await?;
            // The runner adds a phase's records only when the session is handed on; this phase may end it, so add them here.
            let recorded = ctx.lease_record();
            session.calls.extend(recorded.calls);
            session.token_usage.extend(recorded.usage);
            recorded.warnings.into_iter().for_each(|warning| session.warn(warning));
        }
        let JudgedReport { settled, said, judge, judgement } = report;
        warn_of_statements(&mut session, &settled, edits);
        let code = prove(&mut session, &settled.cited.citations, ctx).await?;
        let answers = said.opinions().cloned().collect();
        let evaluation = settled.evaluation().map(|counted| Counted { judge, judgement, answers, ..counted });
        let mut data = response::assemble(&session, settled.cited, ending(&session, ctx.now()));
        (data.claims, data.evaluation, data.code) = (settled.claims, evaluation, code);
        tell_answer(&mut data, &said);
        data.privacy.get_or_insert_default().strict_privacy = self.is_strict;
        data.history = compacted_history(&ctx.prior().await?.history);
        add_carried(&session, &mut data.sources, ctx).await?;
        if let Some(gathered) = gathered {
            tell(gathered, &said, &mut data);
        }
        super::computed::add(&session, &mut data, ctx).await?;
        if !self.manages_tokens {
            response::without_records(&mut data);
        }
        match handed_on {
            None => Ok(Step::Finish(Box::new(session), Box::new(Response::report(data)))),
            Some(session) => hand_to_refinement(session, data, ctx).await,
        }
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
async fn hand_to_refinement(
    mut session: SessionState,
    data: ReportData,
    ctx: &PhaseContext,
) -> Result<Step, PhaseError> {
    let course = session.research.as_ref().and_then(|research| research.course.clone());
    let evaluated = put(&EvaluatedReport { visit: session.visit, course, data }, &ctx.services().content).await?;
    if let Some(research) = session.research.as_mut() {
        (research.evaluated, research.failure) = (Some(evaluated), None);
    }
    Ok(next(session, Phase::Evaluation, PhaseEnd::Done))
}

//! Refinement: keeps the better of the reports before and after an iteration, then starts another iteration for its gaps or ends the
//! session.

use std::sync::Arc;

use precis_proto::evaluated::EvaluatedReport;
use precis_proto::failure_code::FailureCode;
use precis_proto::research::{
    GatheringResult, Iteration, KeptReason, KeptReport, Lane, OpenIteration, Refinement, RefinementEnd, RefinementLog,
    ResearchOptions, ResearchState, Stop,
};
use precis_proto::response::Response;
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId};
use precis_report::answered::ReportSaid;
use precis_report::conclusions::tell;
use precis_report::{ledger, response};
use precis_research::refinement::{
    LanePlan, RefinementBudget, ReportMeasure, decide, keep, refinements, rounds_left, sources_allowed,
};
use precis_research::{Reserved, directives_for_lanes};
use precis_runtime::content::ContentStore;
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use super::checked_handler::DEFECT;
use super::ending::ending;
use super::give_up;
use super::lane_courses::{
    CoursesFor, LaneCourse, budget_stop, courses, holds_private, session_stop, web_ends_with_first_report,
};
use super::planning::{get, put, research_options};
use super::refinement_log::log;
use super::route::{PhaseEnd, next};
use super::thin_report::{SeenReport, ThinReport};
use crate::lanes::Lanes;

/// The refinement phase.
#[derive(Debug)]
pub struct RefinementPhase {
    /// The lanes that can be searched.
    pub lanes: Arc<Lanes>,
    /// Whether a model is asked for further gaps.
    pub is_supervised: bool,
    /// Whether web lanes take no part if anything is private: the iteration itself would reveal something about it.
    pub is_strict: bool,
}

/// Whether a session may go back to gathering once its report is evaluated.
pub(super) fn refines(session: &SessionState) -> bool {
    session.research.is_some() && session.options.research.as_ref().is_some_and(|options| refinements(options) > 0)
}

impl PhaseHandler for RefinementPhase {
    const PHASE: Phase = Phase::Refinement;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let options = research_options(&mut session)?.clone();
        let content = &ctx.services().content;
        let Some(research) = session.research.clone() else {
            return Err(give_up(&session, FailureCode::NoPlan, "the session has no plan", "submit the request again"));
        };
        let mut log = log(&session, content).await?;
        let Some(kept) = report_to_keep(&session, &research, &mut log, content).await? else {
            return Err(give_up(&session, FailureCode::NoReport, "the session has no evaluated report", DEFECT));
        };
        let thin = self.thin(&session, &options, &log, &kept, ctx).await?;
        let mut plans = thin.as_ref().map(|thin| thin.plans.clone());
        let mut budget = budget(&session, &options, &research, &log, plans.as_deref(), ctx).await?;
        // Ask the model only if another iteration is still possible.
        let open = RefinementBudget { gaps: budget.gaps.max(1), queries: budget.queries.max(1), ..budget };
        if let Some(thin) = thin.filter(|_| self.is_supervised && decide(&open).is_ok()) {
            let more = thin.with_named(&session, ctx).await?;
            budget.gaps = more.iter().map(|plan| plan.gaps.len()).sum();
            budget.queries = more.iter().map(LanePlan::queries).sum();
            plans = Some(more);
        }
        match decide(&budget) {
            Ok(()) => {
                log.open = Some(open_iteration(&session, &research, plans.unwrap_or_default()));
                let refinement = Some(put(&log, content).await?);
                session.research = Some(ResearchState { refinement, evaluated: None, failure: None, ..research });
                Ok(next(session, Self::PHASE, PhaseEnd::Done))
            }
            Err(end) => finish(session, &research, kept, log, end, ctx).await,
        }
    }
}

/// Returns the report to keep: the first one, or, after an iteration, the better of the reports before and after it.
async fn report_to_keep(
    session: &SessionState,
    research: &ResearchState,
    log: &mut RefinementLog,
    content: &ContentStore,
) -> Result<Option<EvaluatedReport>, PhaseError> {
    let later: Option<EvaluatedReport> = match &research.evaluated {
        Some(reference) => Some(get(reference, content).await?),
        None => None,
    };
    // Taken, so that the iteration is closed and counted once.
    let (Some(open), Some(earlier)) = (log.open.take(), log.kept.clone()) else {
        log.kept.clone_from(&research.evaluated);
        return Ok(later);
    };
    let earlier: EvaluatedReport = get(&earlier, content).await?;
    let added = added_sources(session, &open);
    let (before, after) = (measure(&earlier), later.as_ref().map(measure));
    let (kept, reason) = match research.failure {
        Some(_) => (KeptReport::Earlier, KeptReason::Failed),
        None => keep(&before, after.as_ref(), added.len()),
    };
    let share = |measure: &ReportMeasure| (measure.citations > 0).then_some(measure.supported_share);
    let is_made = research.rounds.len() > open.rounds_before as usize;
    let made = open.assignments.iter().map(|one| one.id.clone());
    log.done.push(Iteration {
        n: log.done.len() as u32 + 1,
        directives: if is_made { made.collect() } else { Vec::new() },
        gaps: open.gaps,
        visit: (session.visit > earlier_visit(log)).then_some(session.visit),
        sources_added: added,
        supported_before: share(&before),
        supported_after: after.as_ref().and_then(share),
        kept,
        reason,
        failure: research.failure.clone(),
    });
    match (kept, later) {
        (KeptReport::Later, Some(later)) => {
            log.kept.clone_from(&research.evaluated);
            Ok(Some(later))
        }
        _ => Ok(Some(earlier)),
    }
}

/// Returns the last visit of the earlier iterations.
fn earlier_visit(log: &RefinementLog) -> u32 {
    log.done.iter().filter_map(|iteration| iteration.visit).max().unwrap_or(0)
}

fn measure(report: &EvaluatedReport) -> ReportMeasure {
    ReportMeasure::from_report(&report.data)
}

/// Returns the readable sources that an iteration has added.
fn added_sources(session: &SessionState, open: &OpenIteration) -> Vec<SourceId> {
    let is_new = |source: &&Source| source.text.is_some() && !open.sources_before.contains(&source.source_id);
    session.sources.iter().filter(is_new).map(|source| source.source_id.clone()).collect()
}

impl RefinementPhase {
    /// Computes the gaps of the report and each lane's plan for them; `None` if no lane can be searched any more.
    async fn thin(
        &self,
        session: &SessionState,
        options: &ResearchOptions,
        log: &RefinementLog,
        kept: &EvaluatedReport,
        ctx: &PhaseContext,
    ) -> Result<Option<ThinReport>, PhaseError> {
        let content = &ctx.services().content;
        let folders = match self.lanes.folders(&options.corpus, content).await {
            Ok(folders) => Arc::new(folders),
            Err(error) if error.is_transient => return Err(PhaseError::transient(error.code, error.message)),
            // A folder that is gone ends the iterations but keeps the report.
            Err(_) => return Ok(None),
        };
        let courses =
            courses(session, options, &folders, (CoursesFor::Iterations(log.iteration_count()), self.is_strict), ctx)
                .await?;
        let private = holds_private(session, options);
        let web_is_ended = web_ends_with_first_report(session, options, self.is_strict);
        let searchable = courses.into_iter().filter(|lane| lane.is_open && lane.stop != Some(Stop::AllFailed));
        let mut searchable: Vec<LaneCourse> =
            searchable.filter(|lane| !(lane.lane.is_public() && web_is_ended)).collect();
        if searchable.is_empty() {
            return Ok(None);
        }
        let lanes: Vec<Lane> = searchable.iter().map(|lane| lane.lane).collect();
        for (lane, most) in searchable.iter_mut().zip(directives_for_lanes(&lanes)) {
            lane.course.allow_directives(most);
        }
        let seen = SeenReport { lanes: searchable, folders, data: kept.data.clone(), is_private: private };
        Ok(Some(ThinReport::new(seen).await))
    }
}

async fn budget(
    session: &SessionState,
    options: &ResearchOptions,
    research: &ResearchState,
    log: &RefinementLog,
    plans: Option<&[LanePlan]>,
    ctx: &PhaseContext,
) -> Result<RefinementBudget, PhaseError> {
    let read = match &research.course {
        Some(course) => get::<GatheringResult>(course, &ctx.services().content).await?.chosen.len() as u32,
        None => 0,
    };
    let stop = ctx
        .is_stopped()
        .then(|| session_stop(session, ctx))
        .or_else(|| budget_stop(session, ctx.now(), Reserved::Report));
    let of = plans.unwrap_or_default();
    let forked = research.forked.as_ref().map_or(0, |forked| forked.round);
    Ok(RefinementBudget {
        can_search: plans.is_some(),
        gaps: of.iter().map(|plan| plan.gaps.len()).sum(),
        iterations: log.done.len() as u32,
        most_iterations: refinements(options),
        spent: stop,
        rounds_left: rounds_left(options, research.rounds.len() as u32 - forked),
        sources_left: sources_allowed(options, log.iteration_count() + 1).saturating_sub(read),
        searches_left: of.iter().map(|plan| plan.searches_left).sum(),
        queries: of.iter().map(LanePlan::queries).sum(),
    })
}

fn open_iteration(session: &SessionState, research: &ResearchState, plans: Vec<LanePlan>) -> OpenIteration {
    let mut open = OpenIteration {
        gaps: Vec::new(),
        assignments: Vec::new(),
        rounds_before: research.rounds.len() as u32,
        sources_before: session.sources.iter().map(|source| source.source_id.clone()).collect(),
    };
    for plan in plans {
        open.gaps.extend(plan.gaps);
        open.assignments.extend(plan.assignments);
    }
    open.gaps.sort_by_key(|gap| gap.severity);
    open
}

/// Builds the result: the kept report, with the ledger of its visit and the log of all iterations.
async fn finish(
    mut session: SessionState,
    research: &ResearchState,
    kept: EvaluatedReport,
    log: RefinementLog,
    ended: RefinementEnd,
    ctx: &PhaseContext,
) -> Result<Step, PhaseError> {
    let content = &ctx.services().content;
    let EvaluatedReport { visit, course, mut data } = kept;
    session.content_fidelity.stand_on(visit);
    session.ledger = ledger::of(&session.content_fidelity);
    if let Err(fault) = ledger::check(&session.ledger) {
        return Err(give_up(&session, FailureCode::LedgerUnbalanced, &fault.to_string(), DEFECT));
    }
    response::stand_on(&mut data, &session, visit, ending(&session, ctx.now()));
    if let Some(latest) = &research.course {
        let mut settled: GatheringResult = get(latest, content).await?;
        if let Some(own) = course.filter(|own| own != latest) {
            // Report all searches, but the coverage of the kept report.
            let GatheringResult { research: own, .. } = get(&own, content).await?;
            settled.research.coverage = own.coverage;
            settled.research.disagreements = own.disagreements;
        }
        // Which parts the report says too little of was found when it was evaluated, from findings that are no longer in the session.
        let said = data.research.as_ref().map(ReportSaid::as_told).unwrap_or_default();
        if let Some(told) = &data.research {
            settled.research.unanswered.clone_from(&told.unanswered);
        }
        tell(settled, &said, &mut data);
    }
    if let Some(research) = data.research.as_mut() {
        research.refinement = Some(Refinement { iterations: log.done, ended });
    }
    Ok(Step::Finish(Box::new(session), Box::new(Response::report(data))))
}

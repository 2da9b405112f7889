//! One round of gathering: runs every directive of every lane as a job, and collects the results in one log per lane.

use std::collections::BTreeMap;
use std::time::Instant;

use futures_util::future::{join, try_join_all};
use precis_proto::event::EventKind;
use precis_proto::job::{JobOutcome, Research as Job, ResearchAnswer, ResearchJob};
use precis_proto::research::{
    Assignment, AssignmentResult, CompletedSearch, DirectiveStop, Lane, OpenIteration, PlannedSearch, ResearchOptions,
    RoundLog, Served, Stop,
};
use precis_proto::source::ContentRef;
use precis_proto::state::SessionState;
use precis_proto::task::{EvidenceRow, PlanRow};
use precis_runtime::content::ContentStore;
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::lane_courses::{LaneCourse, session_stop};
use super::lane_numbers::{LaneNumbers, SettledNumbers};
use super::planning::{get, put};

/// The plan of a lane for one round.
pub(super) struct RoundPlan {
    pub(super) lane: Lane,
    pub(super) assignments: Vec<Assignment>,
    pub(super) sub_questions: Vec<PlanRow>,
    pub(super) asked: Vec<String>,
    /// What directives of the lane found in earlier rounds.
    pub(super) earlier: Vec<EvidenceRow>,
    pub(super) think: String,
    pub(super) refused: Vec<String>,
    pub(super) unreadable: BTreeMap<String, u32>,
    /// The lane's document numbers, if a model researches.
    pub(super) numbers: Option<LaneNumbers>,
}

/// Builds the plan of a lane for a further iteration.
pub(super) fn lane_round(lane: &LaneCourse, open: &OpenIteration, numbers: Option<LaneNumbers>) -> RoundPlan {
    RoundPlan {
        lane: lane.lane,
        assignments: open.assignments.iter().filter(|one| one.lane == lane.lane).cloned().collect(),
        sub_questions: lane.course.plan_rows(),
        asked: lane.course.searched_for(),
        earlier: Vec::new(),
        think: String::new(),
        refused: Vec::new(),
        unreadable: BTreeMap::new(),
        numbers,
    }
}

/// The input common to all directives of a round.
pub(super) struct RoundRequest<'a> {
    pub(super) session: &'a SessionState,
    pub(super) options: &'a ResearchOptions,
    /// Pages that the session already has; empty if no model researches.
    pub(super) known: Vec<String>,
    /// When the visit of the phase began.
    pub(super) began: Instant,
}

impl RoundRequest<'_> {
    /// Builds the job of directive `n` of `plan`, with its content key.
    fn job(
        &self,
        plan: &RoundPlan,
        seen: Option<&ContentRef>,
        n: usize,
        assignment: &Assignment,
    ) -> (String, ResearchJob) {
        let is_own = |row: &&PlanRow| assignment.sub_questions.contains(&row.id);
        let key = format!("{}\u{1f}{}", assignment.lane.as_str(), assignment.id);
        let job = ResearchJob {
            assignment: assignment.clone(),
            query: self.session.query.clone(),
            sub_questions: plan.sub_questions.iter().filter(is_own).cloned().collect(),
            asked: if assignment.own_searches > 0 { plan.asked.clone() } else { Vec::new() },
            known: if assignment.lane.is_public() { self.known.clone() } else { Vec::new() },
            numbers: plan.numbers.as_ref().map(|numbers| numbers.block(n, plan.assignments.len())),
            seen: seen.filter(|_| assignment.own_searches > 0).cloned(),
            earlier: if assignment.own_searches > 0 { plan.earlier.clone() } else { Vec::new() },
            options: self.options.clone(),
            created_at: self.session.created_at,
        };
        (key, job)
    }
}

/// Runs a round and returns its logs; the next visit folds them into the courses.
pub(super) async fn make(
    planned: Vec<RoundPlan>,
    request: &RoundRequest<'_>,
    ctx: &PhaseContext,
) -> Result<Vec<RoundLog>, PhaseError> {
    let content = &ctx.services().content;
    let mut jobs = Vec::new();
    let seen = try_join_all(planned.iter().map(|plan| put_seen(plan, content))).await?;
    for (plan, seen) in planned.iter().zip(seen) {
        let of_plan = plan.assignments.iter().enumerate();
        jobs.extend(of_plan.map(|(n, assignment)| request.job(plan, seen.as_ref(), n, assignment)));
    }
    // While the first jobs run: nothing depends on the announcement.
    let (outcomes, ()) = join(ctx.scatter::<Job>(jobs), announce(&planned, request.session, ctx)).await;
    let outcomes = outcomes?;
    let early = ctx.is_stopped().then(|| session_stop(request.session, ctx));
    take_in(planned, outcomes, early, request.began, content).await
}

/// Announces the round to whoever watches the session.
async fn announce(planned: &[RoundPlan], session: &SessionState, ctx: &PhaseContext) {
    let assignments: Vec<&Assignment> = planned.iter().flat_map(|plan| &plan.assignments).collect();
    let (round, directives) =
        (session.research.as_ref().map_or(0, |research| research.rounds.len()) + 1, assignments.len());
    // A content store that fails costs the announcement only; the round itself reports the failure.
    if let Ok(assignments) = put(&assignments, &ctx.services().content).await {
        let (round, directives) = (round as u32, directives as u32);
        ctx.announce(EventKind::RoundStarted { round, directives, assignments });
    }
}

/// Stores the documents a lane has seen, if one of its directives receives them.
async fn put_seen(plan: &RoundPlan, content: &ContentStore) -> Result<Option<ContentRef>, PhaseError> {
    let is_told = plan.assignments.iter().any(|one| one.own_searches > 0);
    match plan.numbers.as_ref().map(|numbers| &numbers.seen) {
        Some(documents) if is_told && !documents.is_empty() => Ok(Some(put(documents, content).await?)),
        _ => Ok(None),
    }
}

/// Builds the log of each lane from `outcomes`, which are in the order of the directives. `early` is why the session ended while they
/// were under way.
async fn take_in(
    planned: Vec<RoundPlan>,
    outcomes: Vec<JobOutcome<ResearchAnswer>>,
    early: Option<Stop>,
    began: Instant,
    content: &ContentStore,
) -> Result<Vec<RoundLog>, PhaseError> {
    let assigned: Vec<&Assignment> = planned.iter().flat_map(|plan| &plan.assignments).collect();
    let read = assigned.iter().enumerate().map(|(n, assignment)| result(outcomes.get(n), assignment, early, content));
    let mut read = try_join_all(read).await?.into_iter();
    let mut logs = Vec::new();
    let mut settled = SettledNumbers::default();
    for RoundPlan { lane, assignments, think, refused, unreadable, numbers, .. } in planned {
        let mut gathered: Vec<AssignmentResult> = read.by_ref().take(assignments.len()).collect();
        if let Some(numbers) = &numbers {
            // In the order of the plan, not of the answers, so that numbers do not depend on timing.
            settled.settle(lane, numbers, &mut gathered, content).await?;
        }
        let seconds = began.elapsed().as_secs_f64();
        let made = gathered.iter().flat_map(|one: &AssignmentResult| &one.made);
        let usd = made.map(|made| made.usd).sum();
        logs.push(RoundLog { seconds, usd, think, refused, unreadable, ..RoundLog::new(lane, assignments, gathered) });
    }
    Ok(logs)
}

/// Reads the result of a directive from what its job answered.
async fn result(
    outcome: Option<&JobOutcome<ResearchAnswer>>,
    assignment: &Assignment,
    early: Option<Stop>,
    content: &ContentStore,
) -> Result<AssignmentResult, PhaseError> {
    match outcome {
        Some(JobOutcome::Done(answer)) => get(&answer.gathered, content).await,
        Some(JobOutcome::Failed(failure)) => Ok(failed_result(assignment, &failure.message, early)),
        None => Ok(AssignmentResult::default()),
    }
}

/// Builds the result of a directive whose job failed: each of its searches counts as failed, and research has ended if the session did.
fn failed_result(assignment: &Assignment, message: &str, early: Option<Stop>) -> AssignmentResult {
    let made = |wanted: &PlannedSearch| CompletedSearch {
        text: wanted.text.clone(),
        provider: assignment.lane.as_str().to_owned(),
        served: Served::None,
        hits: Vec::new(),
        usd: 0.0,
        failure: Some(message.to_owned()),
        ended: early,
        withheld: None,
    };
    let stopped = match early {
        None => DirectiveStop::Failed,
        Some(Stop::Time) => DirectiveStop::Time,
        Some(_) => DirectiveStop::Stopped,
    };
    AssignmentResult {
        made: assignment.queries.iter().map(made).collect(),
        stopped: Some(stopped),
        ..AssignmentResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directive_cut_by_its_session_end_gives_the_reason() {
        let queries =
            vec![PlannedSearch { text: "dam".to_owned(), hits: 5, sub_question: "q1".to_owned(), lead: None }];
        let assignment = Assignment {
            id: "r1.w1".to_owned(),
            lane: Lane::Web,
            sub_questions: vec!["q1".to_owned()],
            topic: "dam".to_owned(),
            perspective: String::new(),
            evidence_needed: String::new(),
            priority: 1,
            queries,
            is_cut: false,
            own_searches: 0,
        };
        let cases = [
            (None, DirectiveStop::Failed),
            (Some(Stop::Time), DirectiveStop::Time),
            (Some(Stop::Asked), DirectiveStop::Stopped),
        ];
        for (early, want) in cases {
            let result = failed_result(&assignment, "no answer", early);
            assert_eq!(result.stopped, Some(want));
            assert!(result.made.iter().all(|made| made.ended == early && made.failure.as_deref() == Some("no answer")));
            assert_eq!(result.made.len(), 1);
        }
    }
}

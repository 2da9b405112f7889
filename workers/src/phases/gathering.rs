//! Gathering: one round of supervised research in each lane, then the next, or the documents that were found.
//!
//! A round ends in [`Step::Continue`]: it is published before the next begins, so that a worker that dies costs at most the round it
//! was in, of which every search and call that was answered is remembered.

use std::sync::Arc;
use std::time::Instant;

use precis_distill::research::{
    CourseProgress, Elapsed, Investigation, NoVocabulary, ResearchCourse, ResearchLimits, TermFrequencies,
    directives_for_lane, exhausted, merged,
};
use precis_proto::account::Spent;
use precis_proto::event::EventKind;
use precis_proto::job::{JobOutcome, Research as Job, ResearchJob};
use precis_proto::research::{
    Assignment, AssignmentResult, CompletedSearch, DirectiveStop, Lane, Plan, ReadDocument, ResearchOptions, RoundLog,
    Served, Stop,
};
use precis_proto::state::SessionState;
use precis_proto::task::PlanRow;
use precis_proto::{Phase, Timestamp};
use precis_runtime::content::ContentStore;
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use super::planning::{get, put, searched};
use super::supervision::{SupervisionResult, supervise};
use super::{found_sources, give_up};
use crate::documents::texts;
use crate::lanes::{Folders, Lanes, lanes_of};

/// The gathering phase.
#[derive(Debug)]
pub struct GatheringPhase {
    /// Where research may look.
    pub lanes: Arc<Lanes>,
    /// Whether a model supervises.
    pub is_supervised: bool,
    /// Whether a model researches.
    pub has_researcher: bool,
    /// Whether these models may not see what is found in the user's own documents.
    pub is_kept_private: bool,
}

impl PhaseHandler for GatheringPhase {
    const PHASE: Phase = Phase::Gathering;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let began = Instant::now();
        let options = searched(&mut session)?.clone();
        let content = &ctx.services().content;
        let folders = self.lanes.folders(&options.corpus, content).await;
        let folders = match folders {
            Ok(folders) => Arc::new(folders),
            Err(error) if error.is_transient => return Err(PhaseError::transient(error.code, error.message)),
            Err(error) => return Err(give_up(&session, error.code, &error.message, error.remedy)),
        };
        let mut courses = courses(&session, &options, &folders, content).await?;
        if let Some(done) = session.research.as_ref().map(|research| research.rounds.len()).filter(|done| *done > 0) {
            ctx.announce(round_finished(done, &courses));
        }
        let stop = ctx.is_stopped().then(|| stopped(&session, ctx)).or_else(|| spent(&session, ctx.now()));
        let mut planned: Vec<RoundPlan> = Vec::new();
        for course in courses.iter_mut().filter(|course| course.stop.is_none()) {
            let next = match stop {
                Some(stop) => Err(stop),
                None => self.plan(&session, course, &folders, ctx).await?,
            };
            match next {
                Ok(round) => planned.push(round),
                Err(stop) => course.stop = Some(stop),
            }
        }
        if planned.is_empty() {
            let read = courses.iter().flat_map(LaneCourse::read).collect();
            let investigations = courses.into_iter().map(LaneCourse::settled).collect();
            return found_sources::take_in(session, settled(investigations, &options), read, &folders, ctx).await;
        }
        let logs = self.round(&session, &options, planned, began, ctx).await?;
        let round = put(&logs, content).await?;
        if let Some(research) = session.research.as_mut() {
            research.rounds.push(round);
        }
        Ok(Step::Continue(Box::new(session)))
    }
}

/// A lane with what its rounds have found.
struct LaneCourse {
    lane: Lane,
    course: ResearchCourse,
    stop: Option<Stop>,
    logs: Vec<RoundLog>,
}

/// What a lane looks for in a round.
struct RoundPlan {
    lane: Lane,
    assignments: Vec<Assignment>,
    sub_questions: Vec<PlanRow>,
    asked: Vec<String>,
    think: String,
    refused: Vec<String>,
}

impl LaneCourse {
    /// What its researchers read, with the texts of pages.
    fn read(&self) -> Vec<ReadDocument> {
        self.logs.iter().flat_map(|log| &log.gathered).flat_map(|one| one.read.clone()).collect()
    }

    fn settled(self) -> Investigation {
        self.course.settle(self.stop.unwrap_or(Stop::NoDirectives))
    }
}

fn vocabulary(lane: Lane, folders: &Folders) -> &dyn TermFrequencies {
    match lane {
        Lane::Local => folders,
        Lane::Web | Lane::Academic => &NoVocabulary,
    }
}

/// The courses of the session's lanes, as its rounds have made them.
async fn courses(
    session: &SessionState,
    options: &ResearchOptions,
    folders: &Arc<Folders>,
    content: &ContentStore,
) -> Result<Vec<LaneCourse>, PhaseError> {
    let Some(research) = &session.research else {
        return Err(give_up(session, "no_plan", "the session has no plan", "submit the request again"));
    };
    let plan: Plan = get(&research.plan, content).await?;
    let mut rounds: Vec<Vec<RoundLog>> = Vec::new();
    for round in &research.rounds {
        rounds.push(get(round, content).await?);
    }
    let (lanes, limits, folders) =
        (lanes_of(options), ResearchLimits::for_options(&plan, options), Arc::clone(folders));
    // Comparing passages is work for a thread that may wait.
    Ok(texts::compute(move || {
        let course = |(n, lane): (usize, Lane)| {
            let limits = limits.for_lane(n, lanes.len());
            let course = ResearchCourse::new(plan.clone(), lane, limits, vocabulary(lane, &folders));
            let mut course = course.with_directives(directives_for_lane(n, lanes.len()));
            let mut stop = None;
            let logs: Vec<RoundLog> = rounds.iter().flatten().filter(|log| log.lane == lane).cloned().collect();
            for log in &logs {
                stop = stop.or(course.fold(log.clone()));
            }
            LaneCourse { lane, course, stop, logs }
        };
        lanes.iter().copied().enumerate().map(course).collect()
    })
    .await)
}

/// What whoever watches hears of the rounds so far, all lanes together.
fn round_finished(round: usize, courses: &[LaneCourse]) -> EventKind {
    let lanes: Vec<CourseProgress> = courses.iter().map(|lane| lane.course.progress()).collect();
    let sub_questions = lanes.iter().map(|lane| lane.covered.len()).max().unwrap_or(0);
    let covered = (0..sub_questions).filter(|at| lanes.iter().any(|lane| lane.covered.get(*at) == Some(&true)));
    EventKind::RoundFinished {
        round: round as u32,
        searches: lanes.iter().map(|lane| lane.searches).sum(),
        passages: lanes.iter().map(|lane| lane.passages).sum(),
        covered: covered.count() as u32,
        sub_questions: sub_questions as u32,
    }
}

/// Why no further round may begin, where something is spent.
fn spent(session: &SessionState, now: Timestamp) -> Option<Stop> {
    let whole = session.deadline.map(|deadline| deadline.0.saturating_sub(session.created_at.0));
    let elapsed = Elapsed { used: now.0.saturating_sub(session.created_at.0), whole };
    exhausted(&session.account, Spent::from_calls(&session.calls), elapsed)
}

/// Why a session ends that was stopped.
fn stopped(session: &SessionState, ctx: &PhaseContext) -> Stop {
    match session.deadline.is_some_and(|deadline| deadline <= ctx.now()) {
        true => Stop::Time,
        false => Stop::Asked,
    }
}

fn settled(investigations: Vec<Investigation>, options: &ResearchOptions) -> Investigation {
    merged(investigations, options.max_sources.unwrap_or(precis_distill::research::DEFAULT_SOURCES))
}

impl GatheringPhase {
    /// What a lane looks for next: what a supervisor wants, where one is there, and what is planned without.
    async fn plan(
        &self,
        session: &SessionState,
        lane: &LaneCourse,
        folders: &Folders,
        ctx: &PhaseContext,
    ) -> Result<Result<RoundPlan, Stop>, PhaseError> {
        // The lane of the user's documents is private; the others have seen nothing but the question and pages.
        let may_see = lane.lane.is_public() || !self.is_kept_private;
        let supervised = match self.is_supervised && may_see {
            true => supervise(session, &lane.course, &lane.logs, ctx).await?,
            false => SupervisionResult::default(),
        };
        if supervised.is_complete {
            return Ok(Err(Stop::Complete));
        }
        let mut assignments = match lane.course.assignments(&supervised.delegated, vocabulary(lane.lane, folders)) {
            Ok(assignments) => assignments,
            Err(stop) => return Ok(Err(stop)),
        };
        if !(self.has_researcher && may_see) {
            assignments.iter_mut().for_each(|one| one.own_searches = 0);
        }
        Ok(Ok(RoundPlan {
            lane: lane.lane,
            assignments,
            sub_questions: lane.course.plan_rows(),
            asked: lane.course.searched_for(),
            think: supervised.think,
            refused: supervised.refused,
        }))
    }

    /// One round: every directive of every lane is a job, and they are taken in, in their order, by whoever comes next.
    async fn round(
        &self,
        session: &SessionState,
        options: &ResearchOptions,
        planned: Vec<RoundPlan>,
        began: Instant,
        ctx: &PhaseContext,
    ) -> Result<Vec<RoundLog>, PhaseError> {
        let job = |plan: &RoundPlan, assignment: &Assignment| {
            let is_own = |row: &&PlanRow| assignment.sub_questions.contains(&row.id);
            let key = format!("{}\u{1f}{}", assignment.lane.as_str(), assignment.id);
            let job = ResearchJob {
                assignment: assignment.clone(),
                query: session.query.clone(),
                sub_questions: plan.sub_questions.iter().filter(is_own).cloned().collect(),
                asked: if assignment.own_searches > 0 { plan.asked.clone() } else { Vec::new() },
                options: options.clone(),
                created_at: session.created_at,
            };
            (key, job)
        };
        let jobs = planned.iter().flat_map(|plan| plan.assignments.iter().map(move |one| job(plan, one))).collect();
        let mut outcomes = ctx.scatter::<Job>(jobs).await?.into_iter();
        let mut logs = Vec::new();
        for RoundPlan { lane, assignments, think, refused, .. } in planned {
            let mut gathered = Vec::new();
            for assignment in &assignments {
                gathered.push(match outcomes.next() {
                    Some(JobOutcome::Done(answer)) => get(&answer.gathered, &ctx.services().content).await?,
                    Some(JobOutcome::Failed(failure)) => failed(assignment, &failure.message),
                    None => AssignmentResult::default(),
                });
            }
            let seconds = began.elapsed().as_secs_f64();
            let made = gathered.iter().flat_map(|one: &AssignmentResult| &one.made);
            let usd = made.map(|made| made.usd).sum();
            logs.push(RoundLog { seconds, usd, think, refused, ..RoundLog::new(lane, assignments, gathered) });
        }
        Ok(logs)
    }
}

/// What came of a directive whose job failed: each of its searches failed.
fn failed(assignment: &Assignment, message: &str) -> AssignmentResult {
    let made = |wanted: &precis_proto::research::PlannedSearch| CompletedSearch {
        text: wanted.text.clone(),
        provider: assignment.lane.as_str().to_owned(),
        served: Served::None,
        hits: Vec::new(),
        usd: 0.0,
        failure: Some(message.to_owned()),
        ended: None,
    };
    AssignmentResult {
        made: assignment.queries.iter().map(made).collect(),
        stopped: Some(DirectiveStop::Failed),
        ..AssignmentResult::default()
    }
}

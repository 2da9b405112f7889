//! Gathering: one round of supervised research in each lane, then the next, or the documents that were found.
//!
//! A round ends in [`Step::Continue`]: it is published before the next begins, so that a worker that dies costs at most the round it
//! was in, of which every search and call that was answered is remembered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use precis_distill::research::refinement::sources_allowed;
use precis_distill::research::{CourseProgress, Investigation, RawNote, kept_notes, merged_holding};
use precis_proto::Phase;
use precis_proto::event::EventKind;
use precis_proto::job::{JobOutcome, Research as Job, ResearchJob};
use precis_proto::research::Lane;
use precis_proto::research::{
    Assignment, AssignmentResult, CompletedSearch, DirectiveStop, GatheringResult, OpenIteration, PlannedSearch,
    ResearchOptions, RoundLog, Served, Stop,
};
use precis_proto::source::ContentRef;
use precis_proto::state::SessionState;
use precis_proto::task::PlanRow;
use precis_runtime::content::ContentStore;
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use super::lane_courses::{LaneCourse, courses, spent, stopped, vocabulary};
use super::lane_numbers::{LaneNumbers, SettledNumbers};
use super::planning::{get, put, searched};
use super::supervision::{SupervisionResult, supervise};
use super::{found_sources, give_up, known_sources, refinement};
use crate::lanes::{Folders, Lanes};

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
    /// Whether the lanes of the web are told nothing of the private ones, not even by what is left to read.
    pub is_strict: bool,
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
        let log = refinement::log(&session, content).await?;
        let mut courses = courses(&session, &options, &folders, (log.begun(), self.is_strict), ctx).await?;
        let done = session.research.as_ref().map_or(0, |research| research.rounds.len());
        // The first visit of an iteration comes behind rounds that were announced.
        let is_new = log.open.as_ref().is_none_or(|open| done > open.rounds_before as usize);
        let kept = session.research.as_ref().and_then(|research| research.forked.as_ref());
        if done > kept.map_or(0, |forked| forked.round as usize) && is_new {
            ctx.announce(round_finished(done, &courses));
        }
        if let Some(open) = log.open {
            return self.iterate(session, &options, open, courses, &folders, began, ctx).await;
        }
        let stop = ctx.is_stopped().then(|| stopped(&session, ctx)).or_else(|| spent(&session, ctx.now()));
        let numbers = self.numbers(&courses);
        lend(&mut courses, &options, &folders);
        let mut planned: Vec<RoundPlan> = Vec::new();
        for (at, course) in courses.iter_mut().enumerate().filter(|(_, course)| course.stop.is_none()) {
            let next = match stop {
                Some(stop) => Err(stop),
                None => self.plan(&session, &options, course, &folders, ctx).await?,
            };
            match next {
                Ok(round) => planned.push(RoundPlan { numbers: numbers.get(at).cloned(), ..round }),
                Err(stop) => course.stop = Some(stop),
            }
        }
        if planned.is_empty() {
            let read = courses.iter().flat_map(LaneCourse::read).collect();
            let found = settled(courses, &options, 0, &BTreeSet::new());
            return found_sources::take_in(session, found, read, &folders, ctx).await;
        }
        let logs = self.round(&session, &options, planned, began, ctx).await?;
        keep_round(&mut session, &courses, &logs, content).await?;
        Ok(Step::Continue(Box::new(session)))
    }
}

/// Adds a round to the session, and what its researchers noted to the notes of those before.
async fn keep_round(
    session: &mut SessionState,
    courses: &[LaneCourse],
    logs: &[RoundLog],
    content: &ContentStore,
) -> Result<(), PhaseError> {
    let before: Vec<RawNote> = courses.iter().flat_map(|lane| &lane.logs).flat_map(RawNote::of_round).collect();
    let known = session.raw_notes.iter().filter_map(|notes| before.iter().find(|note| note.notes == *notes));
    let all: Vec<RawNote> = known.cloned().chain(logs.iter().flat_map(RawNote::of_round)).collect();
    session.raw_notes = kept_notes(&all);
    let round = put(&logs, content).await?;
    if let Some(research) = session.research.as_mut() {
        research.rounds.push(round);
    }
    Ok(())
}

/// Pages that the session holds, as the lanes of the web are told of them.
async fn known_pages(session: &SessionState, is_strict: bool, ctx: &PhaseContext) -> Result<Vec<String>, PhaseError> {
    let known = known_sources::known(session, &ctx.services().content).await?;
    let known = if is_strict { known_sources::named_alone(session) } else { known };
    Ok(known.pages.into_iter().collect())
}

/// Gives names that were found in files which may be told to the lanes that ask others.
fn lend(courses: &mut [LaneCourse], options: &ResearchOptions, folders: &Folders) {
    let may_lend = |lane: &LaneCourse| lane.lane == Lane::Local && options.label_of(lane.lane).is_public();
    let leads = |lane: &LaneCourse| lane.course.leads(vocabulary(lane.lane, folders));
    let lent: Vec<PlannedSearch> = courses.iter().filter(|lane| may_lend(lane)).flat_map(leads).collect();
    if lent.is_empty() {
        return;
    }
    courses.iter_mut().filter(|lane| lane.lane.is_public()).for_each(|lane| lane.course.lend(lent.clone()));
}

/// What a lane looks for in a round.
struct RoundPlan {
    lane: Lane,
    assignments: Vec<Assignment>,
    sub_questions: Vec<PlanRow>,
    asked: Vec<String>,
    think: String,
    refused: Vec<String>,
    unreadable: BTreeMap<String, u32>,
    /// Where a model researches.
    numbers: Option<LaneNumbers>,
}

/// What an iteration looks for in a lane.
fn lane_round(lane: &LaneCourse, open: &OpenIteration, numbers: Option<LaneNumbers>) -> RoundPlan {
    RoundPlan {
        lane: lane.lane,
        assignments: open.assignments.iter().filter(|one| one.lane == lane.lane).cloned().collect(),
        sub_questions: lane.course.plan_rows(),
        asked: lane.course.searched_for(),
        think: String::new(),
        refused: Vec::new(),
        unreadable: BTreeMap::new(),
        numbers,
    }
}

/// Further iterations of a session that have begun.
async fn log_begun(session: &SessionState, content: &ContentStore) -> Result<u32, PhaseError> {
    Ok(refinement::log(session, content).await?.begun())
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

/// What all lanes end with, of which further iterations have `begun` so many; `held` are the documents that are sources already.
fn settled(courses: Vec<LaneCourse>, options: &ResearchOptions, begun: u32, held: &BTreeSet<String>) -> Investigation {
    let investigations = courses.into_iter().map(|lane| lane.settled(held)).collect();
    merged_holding(investigations, sources_allowed(options, begun), held)
}

impl GatheringPhase {
    /// The one round of a further iteration, then the documents that it found and the session did not have.
    #[allow(clippy::too_many_arguments, reason = "the pieces that its caller has put together")]
    async fn iterate(
        &self,
        mut session: SessionState,
        options: &ResearchOptions,
        open: OpenIteration,
        mut courses: Vec<LaneCourse>,
        folders: &Arc<Folders>,
        began: Instant,
        ctx: &PhaseContext,
    ) -> Result<Step, PhaseError> {
        let content = &ctx.services().content;
        let Some(research) = session.research.clone() else {
            return Err(give_up(&session, "no_plan", "the session has no plan", "submit the request again"));
        };
        let is_made = research.rounds.len() > open.rounds_before as usize;
        let is_over = ctx.is_stopped() || spent(&session, ctx.now()).is_some();
        if !is_made && !is_over {
            let numbers = self.numbers(&courses);
            let planned =
                courses.iter().enumerate().map(|(at, lane)| lane_round(lane, &open, numbers.get(at).cloned()));
            let planned = planned.filter(|plan| !plan.assignments.is_empty()).collect();
            let logs = self.round(&session, options, planned, began, ctx).await?;
            keep_round(&mut session, &courses, &logs, content).await?;
            return Ok(Step::Continue(Box::new(session)));
        }
        let Some(course) = &research.course else {
            return Err(give_up(&session, "no_course", "the session has no course", "submit the request again"));
        };
        let earlier: GatheringResult = get(course, content).await?;
        // Why the lanes ended that had no last word of their own.
        courses.iter_mut().for_each(|lane| lane.stop = lane.stop.or(Some(earlier.research.stop)));
        let read = courses.iter().flat_map(LaneCourse::read).collect();
        let held: BTreeSet<String> = earlier.chosen.into_iter().map(|(document, _)| document).collect();
        let begun = log_begun(&session, content).await?;
        let found = settled(courses, options, begun, &held);
        found_sources::take_in_more(session, found, read, folders, ctx).await
    }

    /// What a lane looks for next: what a supervisor wants, where one is there, and what is planned without.
    async fn plan(
        &self,
        session: &SessionState,
        options: &ResearchOptions,
        lane: &LaneCourse,
        folders: &Folders,
        ctx: &PhaseContext,
    ) -> Result<Result<RoundPlan, Stop>, PhaseError> {
        let label = options.label_of(lane.lane);
        // Nobody is paid to think of searches that are withheld.
        let may_search = label.is_public() || !lane.lane.is_public();
        let may_see = may_search && (label.is_public() || !self.is_kept_private);
        let supervised = match self.is_supervised && may_see {
            true => supervise(session, label, &lane.course, &lane.logs, ctx).await?,
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
            unreadable: supervised.unreadable,
            numbers: None,
        }))
    }

    /// What each lane knows by number; empty where no model researches.
    fn numbers(&self, courses: &[LaneCourse]) -> Vec<LaneNumbers> {
        if !self.has_researcher {
            return Vec::new();
        }
        (0..courses.len()).map(|at| LaneNumbers::of(courses, at)).collect()
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
        let known: Vec<String> = match self.has_researcher {
            true => known_pages(session, self.is_strict, ctx).await?,
            false => Vec::new(),
        };
        let content = &ctx.services().content;
        let mut seen: Vec<Option<ContentRef>> = Vec::new();
        for plan in &planned {
            let is_told = plan.assignments.iter().any(|one| one.own_searches > 0);
            seen.push(match plan.numbers.as_ref().map(|numbers| &numbers.seen) {
                Some(documents) if is_told && !documents.is_empty() => Some(put(documents, content).await?),
                _ => None,
            });
        }
        let job = |plan: &RoundPlan, seen: &Option<ContentRef>, n: usize, assignment: &Assignment| {
            let is_own = |row: &&PlanRow| assignment.sub_questions.contains(&row.id);
            let key = format!("{}\u{1f}{}", assignment.lane.as_str(), assignment.id);
            let job = ResearchJob {
                assignment: assignment.clone(),
                query: session.query.clone(),
                sub_questions: plan.sub_questions.iter().filter(is_own).cloned().collect(),
                asked: if assignment.own_searches > 0 { plan.asked.clone() } else { Vec::new() },
                known: if assignment.lane.is_public() { known.clone() } else { Vec::new() },
                numbers: plan.numbers.as_ref().map(|numbers| numbers.block(n, plan.assignments.len())),
                seen: seen.clone().filter(|_| assignment.own_searches > 0),
                options: options.clone(),
                created_at: session.created_at,
            };
            (key, job)
        };
        let of_plan = |(plan, seen): (&RoundPlan, &Option<ContentRef>)| {
            plan.assignments.iter().enumerate().map(|(n, one)| job(plan, seen, n, one)).collect::<Vec<_>>()
        };
        let jobs = planned.iter().zip(&seen).flat_map(of_plan).collect();
        let mut outcomes = ctx.scatter::<Job>(jobs).await?.into_iter();
        let mut logs = Vec::new();
        let mut settled = SettledNumbers::default();
        for RoundPlan { lane, assignments, think, refused, unreadable, numbers, .. } in planned {
            let mut gathered = Vec::new();
            for assignment in &assignments {
                gathered.push(match outcomes.next() {
                    Some(JobOutcome::Done(answer)) => get(&answer.gathered, content).await?,
                    Some(JobOutcome::Failed(failure)) => failed(assignment, &failure.message),
                    None => AssignmentResult::default(),
                });
            }
            if let Some(numbers) = &numbers {
                settled.settle(lane, numbers, &mut gathered, content).await?;
            }
            let seconds = began.elapsed().as_secs_f64();
            let made = gathered.iter().flat_map(|one: &AssignmentResult| &one.made);
            let usd = made.map(|made| made.usd).sum();
            logs.push(RoundLog {
                seconds,
                usd,
                think,
                refused,
                unreadable,
                ..RoundLog::new(lane, assignments, gathered)
            });
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
        withheld: None,
    };
    AssignmentResult {
        made: assignment.queries.iter().map(made).collect(),
        stopped: Some(DirectiveStop::Failed),
        ..AssignmentResult::default()
    }
}

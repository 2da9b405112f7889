//! Gathering: runs one round of supervised research per lane and visit; after the last round, adds the documents found.
//!
//! A round ends in [`Step::Continue`]: it is published before the next begins, so that a dying worker costs at most its current round, and
//! of that every answered search and call is stored.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use precis_proto::Phase;
use precis_proto::event::EventKind;
use precis_proto::failure_code::FailureCode;
use precis_proto::research::{GatheringResult, Lane, OpenIteration, PlannedSearch, ResearchOptions, RoundLog};
use precis_proto::state::SessionState;
use precis_research::refinement::sources_allowed;
use precis_research::{CourseProgress, Investigation, RawNote, Reserved, kept_notes, merged_holding};
use precis_runtime::content::ContentStore;
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use super::gathering_round::{RoundPlan, RoundRequest, lane_round};
use super::lane_courses::{CoursesFor, LaneCourse, budget_stop, courses, session_stop, vocabulary};
use super::lane_numbers::LaneNumbers;
use super::lane_plans::RoundPlanner;
use super::planning::{get, put, research_options};
use super::refinement_log::log;
use super::{found_sources, gathering_round, give_up, known_sources};
use crate::lanes::{Folders, Lanes};

/// The gathering phase.
#[derive(Debug)]
pub struct GatheringPhase {
    /// The lanes that can be searched.
    pub lanes: Arc<Lanes>,
    /// Whether a model supervises.
    pub is_supervised: bool,
    /// Whether a model researches.
    pub has_researcher: bool,
    /// Whether these models must not receive text of the user's own documents.
    pub is_kept_private: bool,
    /// Whether web lanes learn nothing from the private ones, not even indirectly by what is left to read.
    pub is_strict: bool,
}

impl PhaseHandler for GatheringPhase {
    const PHASE: Phase = Phase::Gathering;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let began = Instant::now();
        let options = research_options(&mut session)?.clone();
        let content = &ctx.services().content;
        let folders = self.lanes.folders(&options.corpus, content).await;
        let folders = Arc::new(folders.map_err(|error| match error.is_transient {
            true => PhaseError::transient(error.code, error.message),
            false => give_up(&session, FailureCode::from_word(error.code), &error.message, error.remedy),
        })?);
        let log = log(&session, content).await?;
        let purpose = match log.iteration_count() {
            0 => CoursesFor::FirstRounds,
            begun => CoursesFor::Iterations(begun),
        };
        let mut courses = courses(&session, &options, &folders, (purpose, self.is_strict), ctx).await?;
        if has_new_round(&session, log.open.as_ref()) {
            ctx.announce(round_finished(&session, &courses));
        }
        if let Some(open) = log.open {
            return Box::pin(self.iterate(session, &options, open, courses, &folders, began, ctx)).await;
        }
        let stop = ctx
            .is_stopped()
            .then(|| session_stop(&session, ctx))
            .or_else(|| budget_stop(&session, ctx.now(), Reserved::in_first_rounds(&options)));
        let numbers = self.numbers(&courses);
        lend(&mut courses, &options, &folders);
        let planner = RoundPlanner {
            is_supervised: self.is_supervised,
            has_researcher: self.has_researcher,
            is_kept_private: self.is_kept_private,
            session: &session,
            options: &options,
            folders: &folders,
            ctx,
        };
        let planned = planner.plans(&mut courses, stop).await?;
        let planned: Vec<RoundPlan> =
            planned.into_iter().map(|(at, round)| RoundPlan { numbers: numbers.get(at).cloned(), ..round }).collect();
        if planned.is_empty() {
            let read = courses.iter().flat_map(LaneCourse::read).collect();
            let found = merge_courses(courses, &options, 0, &BTreeSet::new());
            return found_sources::take_in(session, found, read, &folders, ctx).await;
        }
        let logs = gathering_round::make(planned, &self.request(&session, &options, began, ctx).await?, ctx).await?;
        keep_round(&mut session, &courses, &logs, content).await?;
        Ok(Step::Continue(Box::new(session)))
    }
}

/// Whether the last round was not announced: in the first visit of an iteration, and of a fork, the rounds so far were.
fn has_new_round(session: &SessionState, open: Option<&OpenIteration>) -> bool {
    let done = session.research.as_ref().map_or(0, |research| research.rounds.len());
    let kept = session.research.as_ref().and_then(|research| research.forked.as_ref());
    done > kept.map_or(0, |forked| forked.round as usize) && open.is_none_or(|open| done > open.rounds_before as usize)
}

/// Adds a round to the session, and its researchers' notes to those of earlier rounds.
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

/// Returns the pages that the session already has, as given to the web lanes.
async fn known_pages(session: &SessionState, is_strict: bool, ctx: &PhaseContext) -> Result<Vec<String>, PhaseError> {
    let known = known_sources::known_documents(session, &ctx.services().content).await?;
    let known = if is_strict { known_sources::named_alone(session) } else { known };
    Ok(known.pages.into_iter().collect())
}

/// Passes names found in public files to the public lanes, as further searches.
fn lend(courses: &mut [LaneCourse], options: &ResearchOptions, folders: &Folders) {
    let may_lend = |lane: &LaneCourse| lane.lane == Lane::Local && options.label_of(lane.lane).is_public();
    let leads = |lane: &LaneCourse| lane.course.leads(vocabulary(lane.lane, folders));
    let lent: Vec<PlannedSearch> = courses.iter().filter(|lane| may_lend(lane)).flat_map(leads).collect();
    if lent.is_empty() {
        return;
    }
    courses.iter_mut().filter(|lane| lane.lane.is_public()).for_each(|lane| lane.course.lend(lent.clone()));
}

/// Returns the number of further iterations that have begun.
async fn log_begun(session: &SessionState, content: &ContentStore) -> Result<u32, PhaseError> {
    Ok(log(session, content).await?.iteration_count())
}

/// Builds the progress event on the last round, over all lanes.
fn round_finished(session: &SessionState, courses: &[LaneCourse]) -> EventKind {
    let rounds = session.research.as_ref().map_or(&[][..], |research| &research.rounds);
    let lanes: Vec<CourseProgress> = courses.iter().map(|lane| lane.course.progress()).collect();
    let sub_questions = lanes.iter().map(|lane| lane.covered.len()).max().unwrap_or(0);
    let covered = (0..sub_questions).filter(|at| lanes.iter().any(|lane| lane.covered.get(*at) == Some(&true)));
    EventKind::RoundFinished {
        round: rounds.len() as u32,
        searches: lanes.iter().map(|lane| lane.searches).sum(),
        passages: lanes.iter().map(|lane| lane.passages).sum(),
        covered: covered.count() as u32,
        sub_questions: sub_questions as u32,
        logs: rounds.last().cloned(),
    }
}

/// Merges the results of all lanes after `begun` further iterations; `held` are the documents that are sources already.
fn merge_courses(
    courses: Vec<LaneCourse>,
    options: &ResearchOptions,
    begun: u32,
    held: &BTreeSet<String>,
) -> Investigation {
    let investigations = courses.into_iter().map(|lane| lane.into_investigation(held)).collect();
    merged_holding(investigations, sources_allowed(options, begun), held)
}

impl GatheringPhase {
    /// Runs the single round of a further iteration; at the next visit adds the documents it found that the session does not have.
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
            return Err(give_up(&session, FailureCode::NoPlan, "the session has no plan", "submit the request again"));
        };
        let is_made = research.rounds.len() > open.rounds_before as usize;
        let is_over = ctx.is_stopped() || budget_stop(&session, ctx.now(), Reserved::Report).is_some();
        if !is_made && !is_over {
            let numbers = self.numbers(&courses);
            let planned =
                courses.iter().enumerate().map(|(at, lane)| lane_round(lane, &open, numbers.get(at).cloned()));
            let planned = planned.filter(|plan| !plan.assignments.is_empty()).collect();
            let logs = gathering_round::make(planned, &self.request(&session, options, began, ctx).await?, ctx).await?;
            keep_round(&mut session, &courses, &logs, content).await?;
            return Ok(Step::Continue(Box::new(session)));
        }
        let Some(course) = &research.course else {
            return Err(give_up(
                &session,
                FailureCode::NoCourse,
                "the session has no course",
                "submit the request again",
            ));
        };
        let earlier: GatheringResult = get(course, content).await?;
        // A lane without a stop reason of its own keeps the earlier one.
        courses.iter_mut().for_each(|lane| lane.stop = lane.stop.or(Some(earlier.research.stop)));
        let read = courses.iter().flat_map(LaneCourse::read).collect();
        let held: BTreeSet<String> = earlier.chosen.into_iter().map(|(document, _)| document).collect();
        let begun = log_begun(&session, content).await?;
        let found = merge_courses(courses, options, begun, &held);
        found_sources::take_in_more(session, found, (&open, read), folders, ctx).await
    }

    /// Returns the document numbers of each lane; empty if no model researches.
    fn numbers(&self, courses: &[LaneCourse]) -> Vec<LaneNumbers> {
        if !self.has_researcher {
            return Vec::new();
        }
        (0..courses.len()).map(|at| LaneNumbers::of(courses, at)).collect()
    }

    /// Builds the input common to all directives of a round.
    async fn request<'a>(
        &self,
        session: &'a SessionState,
        options: &'a ResearchOptions,
        began: Instant,
        ctx: &PhaseContext,
    ) -> Result<RoundRequest<'a>, PhaseError> {
        let known = match self.has_researcher {
            true => known_pages(session, self.is_strict, ctx).await?,
            false => Vec::new(),
        };
        Ok(RoundRequest { session, options, known, began })
    }
}

//! Plans the next round of every lane: what its supervisor delegates, joined with the searches planned without a model.

use futures_util::future::try_join_all;
use precis_proto::research::{ResearchOptions, Stop};
use precis_proto::state::SessionState;
use precis_research::MOST_DIRECTIVES;
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::gathering_round::RoundPlan;
use super::lane_courses::{LaneCourse, vocabulary};
use super::supervision::{SupervisionResult, supervise};
use crate::lanes::Folders;

/// What the plans of a round are made from, besides the courses of the lanes.
pub(super) struct RoundPlanner<'a> {
    /// Whether a model supervises.
    pub(super) is_supervised: bool,
    /// Whether a model researches.
    pub(super) has_researcher: bool,
    /// Whether these models must not receive text of the user's own documents.
    pub(super) is_kept_private: bool,
    pub(super) session: &'a SessionState,
    pub(super) options: &'a ResearchOptions,
    pub(super) folders: &'a Folders,
    pub(super) ctx: &'a PhaseContext,
}

impl RoundPlanner<'_> {
    /// Plans the next round of each lane of `courses` that goes on, unless `stop` ends them all. Returns the plans in the order of the
    /// lanes, each with its place among them.
    ///
    /// # Errors
    /// What a supervisor's call gives, an interrupt among it.
    pub(super) async fn plans(
        &self,
        courses: &mut [LaneCourse],
        stop: Option<Stop>,
    ) -> Result<Vec<(usize, RoundPlan)>, PhaseError> {
        let public = courses.iter().filter(|course| course.is_open && course.lane.is_public()).count();
        let mut order: Vec<usize> = (0..courses.len()).filter(|at| courses[*at].stop.is_none()).collect();
        if let Some(stop) = stop {
            order.iter().for_each(|at| courses[*at].stop = Some(stop));
            return Ok(Vec::new());
        }
        // Web lanes first: folders take the directives that are left, and what web lanes do must not depend on folders.
        order.sort_by_key(|at| !courses[*at].lane.is_public());
        let shares_round = |course: &LaneCourse| public > 0 && !course.lane.is_public();
        for at in &order {
            if shares_round(&courses[*at]) {
                courses[*at].course.allow_directives(MOST_DIRECTIVES.saturating_sub(public));
            }
        }
        // All lanes at once, since supervisors take seconds: that of folders is asked for the most that web lanes can leave.
        let supervised = try_join_all(order.iter().map(|at| self.supervised(&courses[*at]))).await?;
        let mut planned: Vec<(usize, RoundPlan)> = Vec::new();
        for (at, supervised) in order.into_iter().zip(supervised) {
            let lane = &mut courses[at];
            if shares_round(lane) {
                let used: usize = planned.iter().map(|(_, round)| round.assignments.len()).sum();
                lane.course.allow_directives(MOST_DIRECTIVES.saturating_sub(used));
            }
            match self.plan(lane, supervised) {
                Ok(round) => planned.push((at, round)),
                Err(stop) => lane.stop = Some(stop),
            }
        }
        planned.sort_by_key(|(at, _)| *at);
        Ok(planned)
    }

    /// Returns what the supervisor of a lane answers, if it has one.
    async fn supervised(&self, lane: &LaneCourse) -> Result<SupervisionResult, PhaseError> {
        if !(self.is_supervised && self.may_see(lane)) {
            return Ok(SupervisionResult::default());
        }
        supervise(self.session, self.options.label_of(lane.lane), &lane.course, &lane.logs, self.ctx).await
    }

    /// Whether models may work for a lane. None is paid for searches that would be withheld.
    fn may_see(&self, lane: &LaneCourse) -> bool {
        let is_public = self.options.label_of(lane.lane).is_public();
        is_public || !(lane.lane.is_public() || self.is_kept_private)
    }

    /// Plans a lane's next round: the supervisor's directives, if there is one, and those planned without a model.
    fn plan(&self, lane: &LaneCourse, supervised: SupervisionResult) -> Result<RoundPlan, Stop> {
        if supervised.is_complete(&lane.course) {
            return Err(Stop::Complete);
        }
        let (delegated, refused) = supervised.admitted(&lane.course);
        let mut assignments = lane.course.assignments(&delegated, vocabulary(lane.lane, self.folders))?;
        if !(self.has_researcher && self.may_see(lane)) {
            assignments.iter_mut().for_each(|one| one.own_searches = 0);
        }
        Ok(RoundPlan {
            lane: lane.lane,
            assignments,
            sub_questions: lane.course.plan_rows(),
            asked: lane.course.searched_for(),
            think: supervised.think,
            refused,
            unreadable: supervised.unreadable,
            numbers: None,
        })
    }
}

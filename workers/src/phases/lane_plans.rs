//! Plans the next round of every lane: what its supervisor delegates; the searches planned without a model where no model researches, or
//! where it asks for none.

use futures_util::future::try_join_all;
use precis_proto::research::{ResearchOptions, Stop};
use precis_proto::state::SessionState;
use precis_research::MOST_DIRECTIVES;
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::gathering_round::RoundPlan;
use super::lane_courses::{LaneCourse, vocabulary};
use super::supervision::{SupervisedRound, SupervisionResult, summaries, supervise};
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
        let mut open: Vec<usize> = (0..courses.len()).filter(|at| courses[*at].stop.is_none()).collect();
        if let Some(stop) = stop {
            open.iter().for_each(|at| courses[*at].stop = Some(stop));
            return Ok(Vec::new());
        }
        // Web lanes first: what they do must not depend on folders.
        open.sort_by_key(|at| !courses[*at].lane.is_public());
        // All lanes at once, since supervisors take seconds.
        let supervised = try_join_all(open.iter().map(|at| self.supervise(&courses[*at]))).await?;
        let mut planned: Vec<(usize, RoundPlan)> = Vec::new();
        for (at, supervised) in open.into_iter().zip(supervised) {
            let lane = &mut courses[at];
            if !lane.lane.is_public() {
                let used = planned.iter().map(|(_, round)| round.assignments.len()).sum();
                lane.course.allow_directives(beside(used, lane.course.compared_count()));
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
    async fn supervise(&self, lane: &LaneCourse) -> Result<SupervisionResult, PhaseError> {
        // No model is asked for a round that cannot begin.
        let is_closed = self.is_researched(lane) && lane.course.closed_to_researchers().is_some();
        if is_closed || !(self.is_supervised && self.may_see(lane)) {
            return Ok(SupervisionResult::default());
        }
        let label = self.options.label_of(lane.lane);
        let round = SupervisedRound { session: self.session, options: self.options, label, logs: &lane.logs };
        supervise(&round, &lane.course, self.ctx).await
    }

    /// Whether models may work for a lane. None is paid for searches that would be withheld.
    fn may_see(&self, lane: &LaneCourse) -> bool {
        let is_public = self.options.label_of(lane.lane).is_public();
        is_public || !(lane.lane.is_public() || self.is_kept_private)
    }

    /// Whether models research in a lane.
    fn is_researched(&self, lane: &LaneCourse) -> bool {
        self.has_researcher && self.may_see(lane)
    }

    /// Plans a lane's next round: the supervisor's directives where a model researches, else these joined with those planned without one.
    fn plan(&self, lane: &LaneCourse, supervised: SupervisionResult) -> Result<RoundPlan, Stop> {
        if supervised.is_complete(&lane.course) {
            return Err(Stop::Complete);
        }
        let (delegated, refused) = supervised.admit(&lane.course);
        let words = vocabulary(lane.lane, self.folders);
        let assignments = match self.is_researched(lane) && !delegated.is_empty() {
            true => lane.course.delegated_assignments(&delegated, words)?,
            false => lane.course.assignments(&delegated, words)?,
        };
        Ok(RoundPlan {
            lane: lane.lane,
            assignments,
            sub_questions: lane.course.plan_rows(),
            asked: lane.course.searched_for(),
            earlier: lane.course.found_before(&lane.logs.iter().flat_map(summaries).collect()),
            think: supervised.think,
            refused,
            unreadable: supervised.unreadable,
            numbers: None,
        })
    }
}

/// The directives that folders may have beside the `used` ones of web lanes: what these leave of a round, at least one, and one for each of
/// the things that are compared. Folders take none of theirs.
fn beside(used: usize, compared: usize) -> usize {
    let left = MOST_DIRECTIVES.saturating_sub(used).max(1);
    if compared >= 2 { left.max(compared.min(MOST_DIRECTIVES)) } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_get_what_web_lanes_leave_and_one_for_each_thing_compared() {
        for (used, compared, want) in
            [(0, 0, 5), (2, 0, 3), (4, 0, 1), (5, 0, 1), (5, 1, 1), (5, 3, 3), (2, 2, 3), (5, 9, 5)]
        {
            assert_eq!(beside(used, compared), want, "{used} {compared}");
        }
    }
}

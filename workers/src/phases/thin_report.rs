//! The gaps of a report: computed for each lane, plus those a supervising model names.

use std::sync::Arc;

use precis_proto::label::Label;
use precis_proto::research::Gap;
use precis_proto::response::ReportData;
use precis_proto::state::SessionState;
use precis_proto::task::{GapDraft, GapDrafts, Task};
use precis_research::refinement::{LanePlan, Sight, gaps_task};
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::lane_courses::{LaneCourse, vocabulary};
use super::supervision::{ask, day};
use crate::documents::texts;
use crate::lanes::Folders;

/// A report with the lanes that may still be searched for its gaps.
pub(super) struct SeenReport {
    pub(super) lanes: Vec<LaneCourse>,
    pub(super) folders: Arc<Folders>,
    pub(super) data: ReportData,
    /// Whether the session has private content that must not reach a search provider.
    pub(super) is_private: bool,
}

/// Plans each lane's searches: for the computed gaps, then for those of `drafts` that the lane may know.
async fn plan_lanes(seen: &Arc<SeenReport>, drafts: Vec<GapDraft>) -> Vec<LanePlan> {
    let seen = Arc::clone(seen);
    texts::compute(move || {
        let plan = |lane: &LaneCourse| {
            let sight = Sight::for_lane(lane.lane, seen.is_private, &seen.data);
            LanePlan::new(&lane.course, sight, &drafts, vocabulary(lane.lane, &seen.folders))
        };
        seen.lanes.iter().map(plan).collect()
    })
    .await
}

/// A report with its computed gaps.
pub(super) struct ThinReport {
    seen: Arc<SeenReport>,
    /// Each lane's plan for the gaps.
    pub(super) plans: Vec<LanePlan>,
}

impl ThinReport {
    /// Computes the gaps of `seen`.
    pub(super) async fn new(seen: SeenReport) -> Self {
        let seen = Arc::new(seen);
        let plans = plan_lanes(&seen, Vec::new()).await;
        Self { seen, plans }
    }

    /// Adds the gaps that a supervising model names. The model reads the report; it is not called if no lane may use its answer.
    pub(super) async fn with_named(
        self,
        session: &SessionState,
        ctx: &PhaseContext,
    ) -> Result<Vec<LanePlan>, PhaseError> {
        let is_private = self.seen.is_private;
        let Some(lane) = self.seen.lanes.iter().find(|lane| !(lane.lane.is_public() && is_private)) else {
            return Ok(self.plans);
        };
        let known: Vec<Gap> = self.plans.iter().flat_map(|plan| plan.gaps.clone()).collect();
        let task = gaps_task(&lane.course, &self.seen.data, &known, day(session));
        let label = if is_private { Label::Private } else { Label::Public };
        let drafts: GapDrafts = ask(label, Task::Gaps(task), ctx).await?;
        if drafts.gaps.is_empty() {
            return Ok(self.plans);
        }
        Ok(plan_lanes(&self.seen, drafts.gaps).await)
    }
}

//! What is thin in a report: computed for each lane, and what a model that supervises names beside that.

use std::sync::Arc;

use precis_distill::research::refinement::{LanePlan, Sight, gaps_task};
use precis_proto::label::Label;
use precis_proto::research::Gap;
use precis_proto::response::ReportData;
use precis_proto::state::SessionState;
use precis_proto::task::{GapDraft, GapDrafts, Task};
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::lane_courses::{LaneCourse, vocabulary};
use super::supervision::{ask, day};
use crate::documents::texts;
use crate::lanes::Folders;

/// A report with the lanes that may still be searched for what it lacks.
pub(super) struct SeenReport {
    pub(super) lanes: Vec<LaneCourse>,
    pub(super) folders: Arc<Folders>,
    pub(super) data: ReportData,
    /// Whether anything of the session may not be told to a search provider.
    pub(super) is_private: bool,
}

/// What each lane looks for: the computed gaps, then those of `drafts` that it may know of.
async fn planned(seen: &Arc<SeenReport>, drafts: Vec<GapDraft>) -> Vec<LanePlan> {
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

/// A report, with what was computed of what it lacks.
pub(super) struct ThinReport {
    seen: Arc<SeenReport>,
    /// What each lane would look for.
    pub(super) plans: Vec<LanePlan>,
}

impl ThinReport {
    /// What is thin in `seen` by what is computed.
    pub(super) async fn new(seen: SeenReport) -> Self {
        let seen = Arc::new(seen);
        let plans = planned(&seen, Vec::new()).await;
        Self { seen, plans }
    }

    /// The same, with what a model that supervises adds. It is shown the report: where no lane may look for what it says, it is not asked.
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
        Ok(planned(&self.seen, drafts.gaps).await)
    }
}

//! A research job: one directive. It makes the planned searches and, if a model researches, those the model asks for. It shares no state
//! with the other directives of its round.

mod lane;
mod local;
mod told;
mod turn_actions;
mod turns;
mod web;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::try_join;
use precis_proto::job::{Research as Kind, ResearchAnswer, ResearchJob};
use precis_proto::research::{AssignmentResult, Lane};
use precis_runtime::runner::{JobContext, JobError, JobHandler};

use self::lane::{ResearchLane, SEARCHES_AT_ONCE};
use self::local::LocalLane;
use self::web::WebLane;
use super::content_failed;
use crate::lanes::{LaneError, Lanes};
use crate::meaning::{Payer, warn_of_failure};

/// Handles research jobs.
#[derive(Debug)]
pub struct ResearchJobHandler {
    /// The lanes that can be searched.
    pub lanes: Arc<Lanes>,
    /// Window in tokens of the researching model; `None` if no model researches.
    pub window: Option<u64>,
}

impl JobHandler for ResearchJobHandler {
    type Kind = Kind;

    async fn run(&self, job: ResearchJob, ctx: &JobContext<Kind>) -> Result<ResearchAnswer, JobError> {
        let reach = self.reach(&job, ctx).await?;
        let gathered = self.gather(&job, &reach, ctx).await;
        if let ResearchLane::Local(LocalLane(folders)) = &reach
            && let Some((key, failure)) = folders.failure()
        {
            warn_of_failure(key, &failure, ctx);
        }
        gathered
    }
}

impl ResearchJobHandler {
    async fn gather(
        &self,
        job: &ResearchJob,
        reach: &ResearchLane,
        ctx: &JobContext<Kind>,
    ) -> Result<ResearchAnswer, JobError> {
        let (gathered, notes) = match self.window.filter(|_| job.assignment.own_searches > 0) {
            Some(window) => {
                let (gathered, notes) = turns::run_directive(job, reach, window, ctx).await?;
                (gathered, Some(notes))
            }
            None => (run_planned(job, reach, ctx).await, None),
        };
        let bytes = serde_json::to_vec(&gathered).map_err(|e| JobError::permanent("unwritable", e.to_string()))?;
        let content = &ctx.services().content;
        // Both before the answer that refers to them, and at once: each waits for the disk of the content store.
        let notes = async {
            match notes {
                Some(notes) => content.put(notes).await.map(drop),
                None => Ok(()),
            }
        };
        let (gathered, ()) = try_join(content.put(Bytes::from(bytes)), notes).await.map_err(|e| content_failed(&e))?;
        Ok(ResearchAnswer { gathered })
    }

    async fn reach(&self, job: &ResearchJob, ctx: &JobContext<Kind>) -> Result<ResearchLane, JobError> {
        Ok(match job.assignment.lane {
            Lane::Local => {
                let payer = || Payer::Session(ctx.embedder());
                let (corpora, content) = (&job.options.corpus, &ctx.services().content);
                let folders = self.lanes.searched_folders(corpora, content, payer).await;
                ResearchLane::Local(LocalLane(Arc::new(folders.map_err(lane_failure)?)))
            }
            lane @ (Lane::Web | Lane::Academic) => {
                ResearchLane::Web(WebLane::new(&self.lanes, lane, job).map_err(lane_failure)?)
            }
        })
    }
}

/// Makes the planned searches, until one ends all searching.
async fn run_planned(job: &ResearchJob, reach: &ResearchLane, ctx: &JobContext<Kind>) -> AssignmentResult {
    let mut gathered = AssignmentResult::default();
    for few in job.assignment.queries.chunks(SEARCHES_AT_ONCE) {
        gathered.made.extend(reach.search_all(few, ctx).await);
        if gathered.made.iter().any(|made| made.ended.is_some()) {
            break;
        }
    }
    gathered
}

fn lane_failure(error: LaneError) -> JobError {
    match error.is_transient {
        true => JobError::transient(error.code, error.message),
        false => JobError::permanent(error.code, error.message),
    }
}

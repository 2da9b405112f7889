//! The mark of a running job, which keeps other workers from running it.

use std::time::Duration;

use super::answers::{ANSWER_KEPT, EncodedAnswer, answer_key, is_answer, mark_key};
use super::job_time::BodilessJob;
use crate::store::{Store, StoreError, Work, WorkState};

/// How long a mark outlives a dead worker.
const MARK: Duration = Duration::from_secs(30);

/// A marked job. The mark ends with the run: `leave` and `release` end it, and so does a drop (when the connection is lost), since a
/// mark without a run would make others wait for nothing.
pub(super) struct JobMark {
    store: Store,
    /// `None` once the mark has ended.
    work: Option<Work>,
}

impl JobMark {
    pub(super) fn new(store: &Store, job: &BodilessJob, owner: String) -> Self {
        let (session, life) = (job.session_id.clone(), job.life.clone());
        let (mark, answer) = (mark_key(&job.job_id), answer_key(&job.job_id));
        Self { store: store.clone(), work: Some(Work { session, life, owner, mark, answer }) }
    }

    fn work(&self) -> &Work {
        self.work.as_ref().expect("taken only at the end")
    }

    pub(super) async fn enter(&self) -> Result<WorkState, StoreError> {
        self.store.leases().enter(self.work(), MARK).await
    }

    pub(super) async fn renew(&self) {
        // Ignored: without its mark the job may also run elsewhere, and the first answer that is kept wins.
        let _ = self.store.leases().acquire(&self.work().mark, &self.work().owner, MARK).await;
    }

    /// Ends the mark without an answer.
    pub(super) async fn release(mut self) {
        // Taken before the await, so that the drop does not release it again. If this future is dropped there, the mark expires.
        let Work { mark, owner, .. } = self.work.take().expect("taken only here");
        let _ = self.store.leases().release(&mark, &owner).await;
    }

    /// Ends the mark and caches an answer; the first writer wins. Returns the cached answer, or `answer` itself if the store is
    /// unavailable.
    pub(super) async fn leave(mut self, answer: EncodedAnswer) -> EncodedAnswer {
        let work = self.work.take().expect("taken only here");
        match self.store.leases().leave(&work, answer.json.clone(), ANSWER_KEPT).await {
            Ok(kept) if kept != answer.json && is_answer(&kept, &answer.job_id) => {
                EncodedAnswer { json: kept, ..answer }
            }
            Ok(_) | Err(_) => answer,
        }
    }
}

impl Drop for JobMark {
    fn drop(&mut self) {
        // `drop` cannot await: the release is spawned. If the runtime is gone too, the mark expires after `MARK`.
        if let (Some(work), Ok(runtime)) = (self.work.take(), tokio::runtime::Handle::try_current()) {
            let store = self.store.clone();
            runtime.spawn(async move { store.leases().release(&work.mark, &work.owner).await });
        }
    }
}

//! The mark of a job under way, which keeps other workers from running it.

use std::time::Duration;

use precis_proto::{JobId, SessionId};

use super::answers::{ANSWER_KEPT, EncodedAnswer, answer_key, is_answer, mark_key};
use crate::store::{Store, StoreError, Work, WorkState};

/// How long a mark outlives its worker.
const MARK: Duration = Duration::from_secs(30);

/// A job under way, marked. Its mark ends with its run: left, or dropped with the run when the connection is lost, since a mark
/// that nobody works under would keep others waiting.
pub(super) struct JobMark {
    store: Store,
    /// `None` once the mark has ended.
    work: Option<Work>,
}

impl JobMark {
    pub(super) fn new(store: &Store, session: &SessionId, job: &JobId, owner: String) -> Self {
        let (session, mark, answer) = (session.clone(), mark_key(job), answer_key(job));
        Self { store: store.clone(), work: Some(Work { session, owner, mark, answer }) }
    }

    fn work(&self) -> &Work {
        self.work.as_ref().expect("taken only at the end")
    }

    pub(super) async fn enter(&self) -> Result<WorkState, StoreError> {
        self.store.leases().enter(self.work(), MARK).await
    }

    pub(super) async fn renew(&self) {
        let _ = self.store.leases().acquire(&self.work().mark, &self.work().owner, MARK).await;
    }

    /// Ends the mark, with nothing to keep.
    pub(super) async fn release(mut self) {
        let Work { mark, owner, .. } = self.work.take().expect("taken only here");
        let _ = self.store.leases().release(&mark, &owner).await;
    }

    /// Ends the mark and caches an answer, first writer wins; returns what stands there. With the store away, the answer itself.
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
        if let (Some(work), Ok(runtime)) = (self.work.take(), tokio::runtime::Handle::try_current()) {
            let store = self.store.clone();
            runtime.spawn(async move { store.leases().release(&work.mark, &work.owner).await });
        }
    }
}

//! One request to a provider, run in a task of the process rather than of the caller: once it is sent, its answer is stored even if
//! the caller is gone. If the caller is gone before, it is not sent.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::call_order::{AnswerSender, CallOrder, FinishedRequest};
use super::failure::{Code, Failure};
use super::flight::{self, FlightWait};
use super::state::ModelsState;

impl ModelsState {
    /// Makes the call in a task of this process, under the single-flight lease of its key, or takes the answer of whoever holds that lease.
    /// Dropping the future does not end a request that was sent.
    pub(super) async fn dispatch(self: &Arc<Self>, order: CallOrder) -> Result<FinishedRequest, Failure> {
        let (mut asker, answer): (AnswerSender, _) = oneshot::channel();
        let inner = Arc::clone(self);
        self.tasks.spawn(async move {
            let policy = &inner.policy;
            let until = order.deadline.min(Instant::now() + policy.flight_wait);
            let pace = (policy.flight_ttl, policy.flight_poll);
            let turn = flight::turn(&inner.store, &order.key, pace, until, inner.unwanted(&mut asker)).await;
            let (result, flight) = match turn {
                FlightWait::Landed(paid) => (Ok(FinishedRequest::read(&*inner.gate, &order.task, paid)), None),
                FlightWait::Unwanted => (Err(Failure::stopped()), None),
                FlightWait::Ours(flight) => {
                    let made = Box::pin(inner.under_permit(&order, &mut asker));
                    (flight.during(&inner.store, made).await, Some(flight))
                }
            };
            // Ignored: if the caller is gone, the answer is still in the store.
            let _ = asker.send(result);
            // Last: the answer is stored, so whoever takes the lease next finds it, and the caller need not wait for the release.
            if let Some(flight) = flight {
                flight.land(&inner.store).await;
            }
        });
        answer.await.unwrap_or_else(|_| Err(Failure::new(Code::Internal, "the model call task ended without a result")))
    }

    /// Completes when the caller is gone or this process is stopping.
    pub(super) async fn unwanted(&self, asker: &mut AnswerSender) {
        tokio::select! {
            () = asker.closed() => {}
            () = self.stop.cancelled() => {}
        }
    }
}

//! One request in a task of the process rather than of the caller: once it is sent, its answer is stored even if the caller is gone. If the
//! caller is gone before, it is not sent.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::flight::{self, FlightWait};
use super::permit::under_permit;
use super::requests::{AnswerSender, FlightPace, NotPaid, PaidRequests};

/// Makes the request in a task of this process, under the single-flight lease of its key, or takes the answer of whoever holds that lease.
/// Dropping the future does not end a request that was sent.
pub(crate) async fn dispatch<P: PaidRequests>(kind: &Arc<P>, order: P::Order) -> Result<P::Answer, P::Failure> {
    let (mut asker, answer): (AnswerSender<P>, _) = oneshot::channel();
    let own = Arc::clone(kind);
    kind.desk().tasks.spawn(async move {
        let (desk, terms) = (own.desk(), own.terms(&order));
        let FlightPace { ttl, poll, wait } = desk.flight;
        let until = terms.deadline.min(Instant::now() + wait);
        let turn = flight::turn(desk.store, terms.key, (ttl, poll), until, desk.wait_until_unwanted(&mut asker)).await;
        let (result, flight) = match turn {
            FlightWait::Landed(kept) => (Ok(own.answer_from_kept(&order, kept).await), None),
            FlightWait::Unwanted => (Err(NotPaid::Stopped.into()), None),
            FlightWait::Ours(flight) => {
                let made = Box::pin(under_permit(&*own, &order, &mut asker));
                (flight.during(desk.store, made).await, Some(flight))
            }
        };
        // Ignored: if the caller is gone, the answer is still in the store.
        let _ = asker.send(result.map_err(|failure: P::Failure| own.explain_failure(&order, failure)));
        // Last: the answer is stored, so whoever takes the lease next finds it, and the caller need not wait for the release.
        if let Some(flight) = flight {
            flight.land(desk.store).await;
        }
    });
    answer.await.unwrap_or_else(|_| Err(NotPaid::NoResult.into()))
}

//! One request under a permit of its provider: reserved, admitted, sent, and ended in the store whatever its outcome.
//!
//! Operations of the store that do not depend on each other run at once: each costs a round trip, and a quick provider answers in one.

use std::sync::Arc;

use futures_util::future::join;
use tokio::time::timeout_at;

use super::requests::{AnswerSender, NotPaid, PaidRequests};
use super::reservation::reserve;
use crate::store::Amount;

/// Sends the request with a permit of the provider, under reservations and once it is admitted. Then settles the reservations, tells the
/// breakers, and stores the answer.
pub(super) async fn under_permit<P: PaidRequests>(
    kind: &P,
    order: &P::Order,
    asker: &mut AnswerSender<P>,
) -> Result<P::Answer, P::Failure> {
    let (desk, terms) = (kind.desk(), kind.terms(order));
    let permit = tokio::select! {
        permit = timeout_at(terms.deadline, Arc::clone(terms.permits).acquire_owned()) => permit,
        () = desk.wait_until_unwanted(asker) => return Err(NotPaid::Stopped.into()),
    };
    let Ok(Ok(_permit)) = permit else { return Err(NotPaid::OutOfTime.into()) };
    let reservation = reserve(kind, (order, &terms), asker).await?;
    let admission = match kind.admit(order, asker).await {
        Ok(admission) => admission,
        Err(unsent) => {
            reservation.settle(desk, Amount::default()).await;
            return Err(unsent);
        }
    };
    let sent = kind.send(order, &admission).await;
    let (used, outcomes) = (kind.used_amount(order, sent.as_ref()), kind.outcomes(sent.as_ref()));
    // All at once, as none needs another: a worker that dies between them leaves a paid answer that is stored or not, amounts that are
    // freed when their lease expires, and a breaker that misses one outcome.
    let ended = join(reservation.settle(desk, used), kind.tell(order, admission, outcomes));
    match sent {
        Ok(kept) => Ok(join(kind.keep(order, kept), ended).await.0),
        Err(failure) => {
            ended.await;
            kind.hold_off(order, &failure);
            Err(failure)
        }
    }
}

//! Messages that came back too often are worked on alone.
//!
//! A handler that ends the whole process takes back every message the process held, and the broker counts it against each of
//! them: at a prefetch of 64, one document that no worker survives would take 63 innocent neighbours to their delivery limit with
//! it. So a message that has come back a few times is moved, as a fresh message, to a queue of which each worker holds one at a
//! time. What comes back from there has itself to blame: the guilty one reaches its limit after few deaths of a worker, and the
//! innocent ones, which wait unheld meanwhile, are done in their turn.
//!
//! Each kind of job has a lane of its own, served by those who serve the kind: a document that has just ended readers is not handed
//! to workers with other limits of memory and network. A worker with several kinds still works on one suspect job at a time; the
//! next one waits, unheld, for a moment. A job held alone that waits for another suspect waits for another worker; in a fleet of one
//! it fails at its deadline, which its session survives. A session waits for its jobs, so sessions have a queue of their own; there
//! a job's crash counts against the one session held, which has the whole of its own limit before it again. Requests have one too:
//! they are what strangers write.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::core::Core;
use crate::broker::{BrokerError, Delivery, Outgoing, Route, TIERS, names};

/// Suspects a worker holds at once.
pub(super) const HELD_ALONE: u16 = 1;
/// Returns after which a job is suspect: one is everyday life, a worker that was replaced.
const JOB_RETURNS: u32 = 2;
/// The same for a request, which is held for moments only.
const REQUEST_RETURNS: u32 = 2;
/// The same for a session, which is held longer and sees more workers go.
const SESSION_RETURNS: u32 = 5;

/// How long a job that came back from where it is worked on alone waits before it is tried again, every second time. Whatever else its
/// worker was handed is done meanwhile: a worker that ends as soon as it starts would take requests, and what is on its way to the dead,
/// to their limits with it, though none of them is held for more than a moment. Only every second time, since while it waits it is held
/// itself: where a request is what ends connections, the job is innocent and had better be done at once.
const PAUSE: Duration = Duration::from_secs(2);

/// Why a job may be worked on here and now: it is no suspect, or it is the one suspect of this worker while this lives.
pub(super) type QuarantinePermit = Option<OwnedSemaphorePermit>;

/// The delivery of a job, where it may be worked on here and now.
pub(super) async fn jobs(core: &Core, delivery: Delivery) -> Option<(Delivery, QuarantinePermit)> {
    if !delivery.queue.starts_with(names::JOBS_ALONE) {
        let kind = delivery.queue.strip_prefix("precis.jobs.").unwrap_or_default();
        let lane = names::jobs_alone(kind);
        return apart(core, delivery, JOB_RETURNS, &lane).await.map(|delivery| (delivery, None));
    }
    tokio::time::sleep(pause(delivery.delivery_count)).await;
    // A fresh copy begins its count of returns anew: what has come back from here waits with its count first, otherwise what ends
    // workers would go on ending them.
    let patience = if delivery.delivery_count > 0 { TIERS[0] } else { Duration::ZERO };
    match tokio::time::timeout(patience, Arc::clone(&core.suspect).acquire_owned()).await {
        Ok(Ok(alone)) => Some((delivery, Some(alone))),
        _ => {
            let lane = delivery.queue.clone();
            moved(core, delivery, Route::delayed(TIERS[0], lane)).await.map(|delivery| (delivery, None))
        }
    }
}

/// How long a job that came back `returns` times from where it is worked on alone waits before it is tried again.
fn pause(returns: u32) -> Duration {
    if returns % 2 == 1 { PAUSE } else { Duration::ZERO }
}

/// The delivery of a request, where it may be read here and now.
pub(super) async fn requests(core: &Core, delivery: Delivery) -> Option<Delivery> {
    apart(core, delivery, REQUEST_RETURNS, names::REQUESTS_ALONE).await
}

/// The delivery of a session, where it may be worked on here and now.
pub(super) async fn sessions(core: &Core, delivery: Delivery) -> Option<Delivery> {
    apart(core, delivery, SESSION_RETURNS, names::SESSIONS_ALONE).await
}

/// Moves a suspect: published and confirmed before it is acked, so a crash between leaves two, never none.
async fn apart(core: &Core, delivery: Delivery, returns: u32, queue: &str) -> Option<Delivery> {
    if delivery.delivery_count < returns || delivery.queue == queue {
        return Some(delivery);
    }
    tracing::warn!(
        queue = %delivery.queue, returns = delivery.delivery_count, message_id = %delivery.envelope.header.message_id,
        "came back too often; it will be worked on alone"
    );
    moved(core, delivery, Route::queue(queue)).await
}

/// Publishes a delivery anew at `route` and acks it. Gives it back where nothing is there to take it.
async fn moved(core: &Core, delivery: Delivery, route: Route) -> Option<Delivery> {
    let message = Outgoing { route, envelope: core.again(&delivery.envelope) };
    match core.broker.publish(message).await {
        Ok(()) => {
            let _ = delivery.ack().await;
            None
        }
        // Declared by nobody yet: a fleet whose topology is older than this worker.
        Err(BrokerError::Unroutable { .. }) => Some(delivery),
        Err(_) => {
            let _ = delivery.requeue().await;
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suspect_waits_every_second_time() {
        for (returns, waits) in [(0, false), (1, true), (2, false), (3, true), (u32::MAX, true)] {
            assert_eq!(pause(returns), if waits { PAUSE } else { Duration::ZERO }, "{returns}");
        }
    }
}

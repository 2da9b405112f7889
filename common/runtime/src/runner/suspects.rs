//! Messages that came back too often are worked on alone.
//!
//! A handler that ends the whole process takes back every message the process held, and the broker counts it against each of
//! them: at a prefetch of 64, one document that no worker survives would take 63 innocent neighbours to their delivery limit with
//! it. So a message that has come back a few times is moved, as a fresh message, to a queue of which each worker holds one at a
//! time. What comes back from there has itself to blame: the guilty one reaches its limit after few deaths of a worker, and the
//! innocent ones, which wait unheld meanwhile, are done in their turn.
//!
//! All kinds of jobs share one such queue, so that no worker ever holds two suspect jobs. A job held alone that waits for another
//! suspect waits for another worker; in a fleet of one it fails at its deadline, which its session survives. A session waits for
//! its jobs, so sessions have a queue of their own; there a job's crash counts against the one session held, which has the whole
//! of its own limit before it again.

use super::worker::Core;
use crate::broker::{BrokerError, Delivery, Outgoing, Route, names};

/// Suspects a worker holds at once.
pub(super) const HELD_ALONE: u16 = 1;
/// Returns after which a job is suspect: one is everyday life, a worker that was replaced.
const JOB_RETURNS: u32 = 2;
/// The same for a session, which is held longer and sees more workers go.
const SESSION_RETURNS: u32 = 5;

/// The delivery of a job, where it may be worked on here and now.
pub(super) async fn jobs(core: &Core, delivery: Delivery) -> Option<Delivery> {
    apart(core, delivery, JOB_RETURNS, names::JOBS_ALONE).await
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
    let message = Outgoing { route: Route::queue(queue), envelope: delivery.envelope.clone() };
    match core.broker.publish(message).await {
        Ok(()) => {
            tracing::warn!(
                queue = %delivery.queue, returns = delivery.delivery_count, message_id = %delivery.envelope.header.message_id,
                "came back too often; it will be worked on alone"
            );
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

//! Processes messages that were redelivered too often one at a time.
//!
//! A handler that crashes its process returns every message the process held, and the broker counts a delivery against each: at a
//! prefetch of 64, one document that crashes workers would push 63 innocent neighbours to their delivery limit. So a message that was
//! redelivered a few times is published afresh to a queue of which each worker holds one message at a time. A crash there counts
//! against that message alone: the guilty one soon reaches its limit, and the innocent ones, which wait unheld meanwhile, are done in
//! turn.
//!
//! Each kind of job has its own quarantine lane, served by the workers of that kind, so a document that crashed readers is never handed
//! to workers with other memory and network limits. A worker that serves several kinds still works on one suspect job at a time; the
//! next one is delayed, unheld. A quarantined job that waits for another suspect job needs a second worker; in a fleet of one it fails
//! at its deadline, which its session survives. Sessions wait for their jobs, so they have a queue of their own; a job crash there
//! counts against the one session held, whose delivery count started over. Requests have one too: their content is not trusted.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::core::Core;
use super::give_back::give_back;
use crate::broker::{BrokerError, Delivery, Outgoing, Route, TIERS, names};

/// Suspect messages a worker holds at once, per quarantine queue.
pub(super) const HELD_ALONE: u16 = 1;
/// Redeliveries after which a job is suspect: a single one is normal when a worker is replaced.
const JOB_RETURNS: u32 = 2;
/// The same for a request, which is held only briefly.
const REQUEST_RETURNS: u32 = 2;
/// The same for a session, which is held longer and outlives more workers.
const SESSION_RETURNS: u32 = 5;

/// Pause before a redelivered job in quarantine is tried again, every second time. Meanwhile the worker's other deliveries finish: a
/// worker that crashes right after its start would otherwise push requests and dead letters to their limits too, although each is held
/// only briefly. Only every second time, because the waiting job is held as well: if a request is what breaks the connection, the job
/// is innocent and should run at once.
const PAUSE: Duration = Duration::from_secs(2);

/// The permit to work on a job: `None` inside for an ordinary job; for a suspect one, the worker's single suspect slot, held while this
/// lives.
pub(super) type QuarantinePermit = Option<OwnedSemaphorePermit>;

/// Returns the delivery of a job if it may be worked on here and now.
pub(super) async fn jobs(core: &Core, delivery: Delivery) -> Option<(Delivery, QuarantinePermit)> {
    if !delivery.queue.starts_with(names::JOBS_ALONE) {
        let kind = delivery.queue.strip_prefix("precis.jobs.").unwrap_or_default();
        let lane = names::jobs_alone(kind);
        return quarantine(core, delivery, JOB_RETURNS, &lane).await.map(|delivery| (delivery, None));
    }
    // Before the slot is taken: a pausing job must not keep other suspect jobs waiting.
    tokio::time::sleep(pause(delivery.delivery_count)).await;
    // Moving it as a fresh copy would reset its redelivery count. One that was redelivered waits for the slot and so keeps its count;
    // otherwise a job that crashes workers would never reach its limit.
    let patience = if delivery.delivery_count > 0 { TIERS[0] } else { Duration::ZERO };
    match tokio::time::timeout(patience, Arc::clone(&core.suspect).acquire_owned()).await {
        Ok(Ok(alone)) => Some((delivery, Some(alone))),
        _ => {
            let lane = delivery.queue.clone();
            republish(core, delivery, Route::after_delay(TIERS[0], lane)).await.map(|delivery| (delivery, None))
        }
    }
}

/// How long to wait before a quarantined job that was redelivered `returns` times is tried again.
fn pause(returns: u32) -> Duration {
    if returns % 2 == 1 { PAUSE } else { Duration::ZERO }
}

/// Returns the delivery of a request if it may be read here and now.
pub(super) async fn requests(core: &Core, delivery: Delivery) -> Option<Delivery> {
    quarantine(core, delivery, REQUEST_RETURNS, names::REQUESTS_ALONE).await
}

/// Returns the delivery of a session if it may be worked on here and now.
pub(super) async fn sessions(core: &Core, delivery: Delivery) -> Option<Delivery> {
    quarantine(core, delivery, SESSION_RETURNS, names::SESSIONS_ALONE).await
}

/// Moves a suspect message to `queue`. Published and confirmed before it is acked: a crash in between duplicates it instead of losing
/// it.
async fn quarantine(core: &Core, delivery: Delivery, returns: u32, queue: &str) -> Option<Delivery> {
    if delivery.delivery_count < returns || delivery.queue == queue {
        return Some(delivery);
    }
    tracing::warn!(
        queue = %delivery.queue, returns = delivery.delivery_count, message_id = %delivery.envelope.header.message_id,
        "redelivered too often; moved to quarantine"
    );
    republish(core, delivery, Route::queue(queue)).await
}

/// Publishes a delivery again at `route` and acks it. Returns it if the route does not exist.
async fn republish(core: &Core, delivery: Delivery, route: Route) -> Option<Delivery> {
    let message = Outgoing { route, envelope: core.again(&delivery.envelope) };
    match core.broker.publish(message).await {
        Ok(()) => {
            let _ = delivery.ack().await;
            None
        }
        // The queue is not declared yet: the broker topology is older than this worker.
        Err(BrokerError::Unroutable { .. }) => Some(delivery),
        Err(_) => {
            give_back(delivery).await;
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;
    use crate::runner::core::tests::{core_with_one_queue, delivered_session};

    #[tokio::test(start_paused = true)]
    async fn a_suspect_that_cannot_be_moved_is_given_back_after_a_pause() {
        let queue = names::session_queue(precis_proto::Phase::Digest);
        let core = core_with_one_queue(&queue).await;
        let (_, delivery) = delivered_session(&core, 1).await;
        let since = Instant::now();
        assert!(republish(&core, delivery, Route::after_delay(TIERS[0], queue.clone())).await.is_none());
        assert_eq!(since.elapsed(), Duration::from_secs(1));
        assert_eq!(core.broker.depth(&queue).await.expect("declared").ready, 1);
    }

    #[test]
    fn a_suspect_waits_every_second_time() {
        for (returns, waits) in [(0, false), (1, true), (2, false), (3, true), (u32::MAX, true)] {
            assert_eq!(pause(returns), if waits { PAUSE } else { Duration::ZERO }, "{returns}");
        }
    }
}

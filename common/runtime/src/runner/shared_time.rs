//! Tells a worker the time of the shared store, so that all workers of a fleet use one clock.

use std::time::Duration;

use tokio::time::Instant;

use super::core::Core;
use super::worker_sign::WorkerSign;
use crate::clock::Clock;
use crate::store::Store;
use crate::telemetry::metrics;

/// How often the store is asked. Crystals drift by seconds a day at most, so this is for a store that was away or replaced.
const ASK: Duration = Duration::from_secs(15);
/// An answer that took longer than this is not used: nobody knows when in between the store read its clock.
const SLOW: Duration = Duration::from_secs(1);

/// Asks the store once, and gives a sign of life of `worker`. Without an answer the clock stays as it is.
pub(super) async fn ask(store: &Store, clock: &Clock, worker: &str) {
    let asked = Instant::now();
    let Ok(Some(time)) = store.time().await else { return };
    let took = asked.elapsed();
    WorkerSign::at(worker, time).give(store).await;
    if took <= SLOW {
        // On average the store read its clock half-way between question and answer.
        let now = time.plus_ms(i64::try_from(took.as_millis() / 2).unwrap_or(0));
        clock.follow(now);
        metrics().store.clock_differs(now);
    }
}

/// Asks the store again and again.
pub(super) async fn follow(core: &Core) {
    loop {
        tokio::time::sleep(ASK).await;
        ask(&core.store, &core.clock, &core.worker_id).await;
    }
}

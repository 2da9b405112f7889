//! The timer of a queue with a message TTL: one task that sleeps until the first message expires. No polling; it uses tokio's clock, so
//! that tests can pause and advance it.

use std::sync::{Arc, Weak};

use tokio::time::Instant;

use super::shared::SharedServer;

/// Runs until the broker is gone or its handle aborts it.
pub(super) async fn run(broker: Weak<SharedServer>, queue: Arc<str>) {
    loop {
        // Weak, and dropped before the wait: the timer must not keep the broker alive.
        let Some(shared) = broker.upgrade() else { return };
        let Some((next, first_changed)) = shared.lock().expire(&queue, Instant::now()) else { return };
        drop(shared);
        // A change after the lock is released is not lost: `notify_one` keeps a permit for the next `notified`.
        match next {
            Some(at) => {
                tokio::select! {
                    () = tokio::time::sleep_until(at) => {}
                    () = first_changed.notified() => {}
                }
            }
            None => first_changed.notified().await,
        }
    }
}

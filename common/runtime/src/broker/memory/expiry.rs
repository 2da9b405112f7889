//! The timer of a queue whose messages expire: one task that sleeps until the first message is due. No polling, and the clock is
//! tokio's, so that a paused clock moves it.

use std::sync::{Arc, Weak};

use tokio::time::Instant;

use super::shared::SharedServer;

/// Runs until the broker is gone or its handle aborts it.
pub(super) async fn run(broker: Weak<SharedServer>, queue: Arc<str>) {
    loop {
        // The broker must not be kept alive by its own timer.
        let Some(shared) = broker.upgrade() else { return };
        let Some((next, first_changed)) = shared.lock().expire(&queue, Instant::now()) else { return };
        drop(shared);
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

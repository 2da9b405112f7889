//! Single flight over the fleet: a lease on a call's key, held while the call is made; other callers wait for its answer.
//!
//! This only saves money. If the store is unavailable or the wait is over, two workers may make the same call.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep};

use super::memo;
use crate::store::{Lease, Store};

/// First pause between two looks for the answer of another caller; each further one is twice as long, up to the longest. Many searches are
/// answered in a few milliseconds, and a model in seconds.
const FIRST_LOOK: Duration = Duration::from_millis(4);

/// How the wait for a turn ended.
#[derive(Debug)]
pub(crate) enum FlightWait<T> {
    /// Another holder has made the call; this is its answer.
    Landed(T),
    /// This caller makes the call.
    Ours(Flight),
}

/// The right to make a call. Ends with [`Flight::land`], or when the lease expires because its holder died.
#[derive(Debug)]
pub(crate) struct Flight {
    key: String,
    owner: String,
    ttl: Duration,
    /// False if the store was unavailable or the wait was over: there is no lease to renew or release.
    is_leased: bool,
}

/// Waits for a turn on `call_key` until `until`, looking for its answer ever more seldom, at the latest every `poll`.
pub(crate) async fn turn<T: DeserializeOwned>(
    store: &Store,
    call_key: &str,
    ttl: Duration,
    poll: Duration,
    until: Instant,
) -> FlightWait<T> {
    let mut flight = Flight { key: format!("flight:{call_key}"), owner: token(), ttl, is_leased: false };
    let mut pause = FIRST_LOOK.min(poll);
    loop {
        // Try once more, since the store may be back. If the first try did succeed, the second gets the same lease again.
        let asked = match store.leases().acquire(&flight.key, &flight.owner, ttl).await {
            Err(_) => store.leases().acquire(&flight.key, &flight.owner, ttl).await,
            asked => asked,
        };
        match asked {
            Ok(Lease::Mine) => {
                flight.is_leased = true;
                // The previous holder may have stored its answer between our lookup and our lease.
                return match memo::look_up(store, call_key).await {
                    Some(paid) => {
                        flight.land(store).await;
                        FlightWait::Landed(paid)
                    }
                    None => FlightWait::Ours(flight),
                };
            }
            Ok(Lease::Held(_)) if Instant::now() >= until => return FlightWait::Ours(flight),
            Ok(Lease::Held(left)) => {
                sleep(left.min(pause)).await;
                pause = poll.min(2 * pause);
            }
            Err(error) => {
                tracing::debug!(%error, "single-flight lease not available");
                return FlightWait::Ours(flight);
            }
        }
        if let Some(paid) = memo::look_up(store, call_key).await {
            return FlightWait::Landed(paid);
        }
    }
}

impl Flight {
    /// Runs `work` while renewing the lease, three times per lease duration.
    pub(crate) async fn during<T>(&self, store: &Store, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = sleep(self.ttl / 3), if self.is_leased => {
                    // Ignored: a lease that is not renewed costs at most a repeated call.
                    let _ = store.leases().acquire(&self.key, &self.owner, self.ttl).await;
                }
            }
        }
    }

    /// Releases the lease.
    pub(crate) async fn land(self, store: &Store) {
        if self.is_leased {
            // Ignored: the lease then expires by itself.
            let _ = store.leases().release(&self.key, &self.owner).await;
        }
    }
}

fn token() -> String {
    format!("{:016x}", rand::random::<u64>())
}

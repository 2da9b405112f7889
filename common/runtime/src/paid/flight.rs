//! Single flight over the fleet: a lease on a call's key, held while the call is made; other callers wait for its answer.
//!
//! This only saves money. If the store is unavailable or the wait is over, two workers may make the same call.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep};

use crate::store::{Lease, LeaseAndValue, Store, StoreError};

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
    /// Nobody waits for the answer any more.
    Unwanted,
}

/// The right to make a call. Ends with [`Flight::land`], or when the lease expires because its holder died.
#[derive(Debug)]
pub(crate) struct Flight {
    key: String,
    owner: String,
    ttl: Duration,
    /// False if another owner holds the lease: there is nothing to renew or release. True also if the store did not answer, because it may
    /// have granted the lease.
    may_hold: bool,
}

/// Waits for a turn on `call_key` until `until`, looking for its answer ever more seldom, at the latest every `poll`. Stops waiting once
/// `unwanted` completes; an operation of the store that has begun is awaited, because a lease that was taken must be released.
pub(crate) async fn turn<T: DeserializeOwned>(
    store: &Store,
    call_key: &str,
    (ttl, poll): (Duration, Duration),
    until: Instant,
    unwanted: impl Future<Output = ()>,
) -> FlightWait<T> {
    let mut unwanted = pin!(unwanted);
    let mut flight = Flight { key: format!("flight:{call_key}"), owner: token(), ttl, may_hold: true };
    let mut pause = FIRST_LOOK.min(poll);
    loop {
        let taken = match flight.take(store, call_key).await {
            Ok(taken) => taken,
            Err(error) => {
                tracing::debug!(%error, "single-flight lease not available");
                return FlightWait::Ours(flight);
            }
        };
        flight.may_hold = taken.lease == Lease::Mine;
        // The previous holder may have stored its answer since the caller last looked.
        if let Some(paid) = taken.answer.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            flight.land(store).await;
            return FlightWait::Landed(paid);
        }
        match taken.lease {
            Lease::Mine => return FlightWait::Ours(flight),
            Lease::Held(_) if Instant::now() >= until => return FlightWait::Ours(flight),
            Lease::Held(left) => tokio::select! {
                () = sleep(left.min(pause)) => pause = poll.min(2 * pause),
                () = unwanted.as_mut() => return FlightWait::Unwanted,
            },
        }
    }
}

impl Flight {
    /// Tries to take the lease, and looks for the answer. Tries once more on a failure, since the store may be back; if the first try did
    /// succeed, the second gets the same lease again.
    async fn take(&self, store: &Store, call_key: &str) -> Result<LeaseAndValue, StoreError> {
        match store.leases().acquire_and_get(&self.key, &self.owner, self.ttl, call_key).await {
            Err(_) => store.leases().acquire_and_get(&self.key, &self.owner, self.ttl, call_key).await,
            taken => taken,
        }
    }

    /// Runs `work` while renewing the lease, three times per lease duration.
    pub(crate) async fn during<T>(&self, store: &Store, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = sleep(self.ttl / 3), if self.may_hold => {
                    // Ignored: a lease that is not renewed costs at most a repeated call.
                    let _ = store.leases().acquire(&self.key, &self.owner, self.ttl).await;
                }
            }
        }
    }

    /// Releases the lease.
    pub(crate) async fn land(self, store: &Store) {
        if self.may_hold {
            // Ignored: the lease then expires by itself.
            let _ = store.leases().release(&self.key, &self.owner).await;
        }
    }
}

fn token() -> String {
    format!("{:016x}", rand::random::<u64>())
}

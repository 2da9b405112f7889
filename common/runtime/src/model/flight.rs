//! One call of a kind at a time in the fleet: a lease on the call's key, held while it is made, and a wait for whoever holds it.
//!
//! For thrift only: with the store away, or when the wait is over, two may work.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep};

use super::memo;
use crate::store::{Lease, Store};

/// How the wait for a turn ended.
#[derive(Debug)]
pub(crate) enum FlightWait<T> {
    /// Somebody made the call meanwhile.
    Landed(T),
    /// It is ours to make.
    Ours(Flight),
}

/// The right to make a call. Ends by [`Flight::land`], or with the lease's own time when its holder dies.
#[derive(Debug)]
pub(crate) struct Flight {
    key: String,
    owner: String,
    ttl: Duration,
    /// False where the store was away or the wait was over: there is nothing to renew or give up.
    is_leased: bool,
}

/// Waits for a turn on `call_key` until `until`, looking for its answer every `poll`.
pub(crate) async fn turn<T: DeserializeOwned>(
    store: &Store,
    call_key: &str,
    ttl: Duration,
    poll: Duration,
    until: Instant,
) -> FlightWait<T> {
    let mut flight = Flight { key: format!("flight:{call_key}"), owner: token(), ttl, is_leased: false };
    loop {
        // A store that did not answer may be back: it is asked once more, and where the first asking went through, this is the same.
        let asked = match store.leases().acquire(&flight.key, &flight.owner, ttl).await {
            Err(_) => store.leases().acquire(&flight.key, &flight.owner, ttl).await,
            asked => asked,
        };
        match asked {
            Ok(Lease::Mine) => {
                flight.is_leased = true;
                // Whoever held it before may have finished between our look-up and our lease.
                return match memo::look_up(store, call_key).await {
                    Some(paid) => {
                        flight.land(store).await;
                        FlightWait::Landed(paid)
                    }
                    None => FlightWait::Ours(flight),
                };
            }
            Ok(Lease::Held(_)) if Instant::now() >= until => return FlightWait::Ours(flight),
            Ok(Lease::Held(left)) => sleep(left.min(poll)).await,
            Err(error) => {
                tracing::debug!(%error, "single-flight lease not asked for");
                return FlightWait::Ours(flight);
            }
        }
        if let Some(paid) = memo::look_up(store, call_key).await {
            return FlightWait::Landed(paid);
        }
    }
}

impl Flight {
    /// Runs `work` while renewing the lease, three times in each of its lives.
    pub(crate) async fn during<T>(&self, store: &Store, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = sleep(self.ttl / 3), if self.is_leased => {
                    // A lease that cannot be renewed costs a repeated call at most.
                    let _ = store.leases().acquire(&self.key, &self.owner, self.ttl).await;
                }
            }
        }
    }

    /// Gives the lease up.
    pub(crate) async fn land(self, store: &Store) {
        if self.is_leased {
            let _ = store.leases().release(&self.key, &self.owner).await;
        }
    }
}

fn token() -> String {
    format!("{:016x}", rand::random::<u64>())
}

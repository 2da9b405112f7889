//! The limits per host of one process: concurrent requests, the interval between them, and the pauses a host asked for. This module
//! handles only names and times, not requests.
//!
//! `fleet_hosts` applies the limits over a fleet.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// Longest pause kept for one `Retry-After`; chosen, not measured.
const LONGEST_REST: Duration = Duration::from_secs(3_600);

/// The hosts of one client.
#[derive(Debug)]
pub(super) struct Hosts {
    at_once: usize,
    interval: Duration,
    /// Hosts with requests under way or a pause not yet over; others are dropped at the next turn.
    known: Mutex<BTreeMap<String, Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    turns: Arc<Semaphore>,
    /// No request starts before this time: the last start plus the interval, or the end of the pause the host asked for.
    next: Mutex<Instant>,
}

/// The permit for one request; released on drop.
#[derive(Debug)]
pub(super) struct HostPermit {
    _permit: OwnedSemaphorePermit,
    host: Arc<Host>,
}

impl Hosts {
    /// Limits this process to `at_once` concurrent requests per host, started at least `interval` apart.
    pub(super) fn new(at_once: usize, interval: Duration) -> Self {
        Self { at_once: at_once.max(1), interval, known: Mutex::default() }
    }

    /// Waits for the permit to send a request to `name`.
    ///
    /// # Errors
    /// The rest of the pause the host asked for, if it is longer than `patience`.
    pub(super) async fn turn(&self, name: &str, patience: Duration) -> Result<HostPermit, Duration> {
        let host = self.host(name);
        let permit = host.turns.clone().acquire_owned().await.expect("nobody closes it");
        let at = {
            let mut next = lock(&host.next);
            let at = (*next).max(Instant::now());
            let wait = at.saturating_duration_since(Instant::now());
            if wait > patience.max(self.interval) {
                return Err(wait);
            }
            // Reserved before the wait, so that no two callers get the same time. A caller dropped while it waits leaves its time unused.
            *next = at + self.interval;
            at
        };
        sleep_until(at).await;
        Ok(HostPermit { _permit: permit, host })
    }

    fn host(&self, name: &str) -> Arc<Host> {
        let mut known = lock(&self.known);
        let now = Instant::now();
        known.retain(|other, host| other == name || Arc::strong_count(host) > 1 || *lock(&host.next) > now);
        let fresh = || Host { turns: Arc::new(Semaphore::new(self.at_once)), next: Mutex::new(now) };
        known.entry(name.to_owned()).or_insert_with(|| Arc::new(fresh())).clone()
    }

    /// Returns the number of known hosts.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        lock(&self.known).len()
    }
}

impl HostPermit {
    /// Records that the host asked for a pause of `wait`, kept for at most an hour.
    pub(super) fn rest(&self, wait: Duration) {
        let until = Instant::now() + wait.min(LONGEST_REST);
        let mut next = lock(&self.host.next);
        *next = (*next).max(until);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn requests_to_one_host_are_spaced_and_others_are_not() {
        let hosts = Hosts::new(8, Duration::from_millis(200));
        let start = Instant::now();
        for expected in [0, 200, 400] {
            hosts.turn("a.org", PATIENCE).await.expect("a turn");
            assert_eq!(start.elapsed().as_millis(), expected);
        }
        hosts.turn("b.org", PATIENCE).await.expect("a turn");
        assert_eq!(start.elapsed().as_millis(), 400);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_asked_for_rest_is_waited_for_or_left_alone() {
        let hosts = Hosts::new(2, Duration::ZERO);
        let start = Instant::now();
        for (seconds, refused) in [(9, false), (10, false), (11, true)] {
            let name = format!("{seconds}.org");
            hosts.turn(&name, PATIENCE).await.expect("nobody asked").rest(Duration::from_secs(seconds));
            let turn = hosts.turn(&name, PATIENCE).await;
            assert_eq!(turn.as_ref().err().copied(), refused.then(|| Duration::from_secs(seconds)), "{seconds}");
        }
        assert_eq!(start.elapsed().as_secs(), 19);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rest_ends_after_an_hour_whatever_was_asked_for() {
        let hosts = Hosts::new(1, Duration::ZERO);
        hosts.turn("a.org", PATIENCE).await.expect("nobody asked").rest(Duration::MAX);
        assert_eq!(hosts.turn("a.org", PATIENCE).await.err(), Some(LONGEST_REST));
        tokio::time::advance(LONGEST_REST).await;
        assert!(hosts.turn("a.org", PATIENCE).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn an_unused_host_is_forgotten() {
        let hosts = Hosts::new(1, Duration::ZERO);
        for n in 0..100 {
            hosts.turn(&format!("{n}.org"), PATIENCE).await.expect("a turn");
        }
        assert!(hosts.len() <= 2, "{}", hosts.len());
    }
}

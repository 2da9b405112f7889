//! What was stored on a day, and for whom. Each process keeps a tally of its own in the content store, so that a ceiling outlives
//! processes and a cache that is wiped. Knows payers by a name; whom a name stands for is decided elsewhere.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use precis_proto::Timestamp;
use precis_proto::ids::sha256_hex;
use tokio::time::Instant;

use super::error::ContentError;
use super::store::ContentStore;

/// How long what other processes have stored is believed; within it they may pass the ceiling by what they accept (chosen, not measured).
const BELIEVED: Duration = Duration::from_secs(5);
const DAY_MS: i64 = 86_400_000;
/// Characters of a payer's hash in the name of a tally.
const PAYER_CHARS: usize = 32;

/// The tallies of one process.
#[derive(Debug)]
pub struct Tallies {
    /// Names these tallies in the store. Made by chance: a process that begins anew must not write over what it stored before.
    writer: String,
    today: Mutex<Day>,
    /// Held while a tally is written, so that a smaller number never replaces a larger one.
    writing: tokio::sync::Mutex<()>,
}

/// A day by UTC, as days since 1970, and what is known of its payers. Forgotten when another day begins.
#[derive(Debug, Default)]
struct Day {
    number: i64,
    payers: BTreeMap<String, Counted>,
}

/// Bytes stored for a payer.
#[derive(Debug, Default, Clone, Copy)]
struct Counted {
    own: u64,
    /// By all other processes, as of the last look.
    others: u64,
    looked: Option<Instant>,
}

/// A ceiling that would have been passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{stored} bytes were stored today (UTC), {bytes} more would pass the limit of {limit}")]
pub struct CeilingReached {
    /// Bytes stored so far.
    pub stored: u64,
    /// Bytes asked for.
    pub bytes: u64,
    /// The limit.
    pub limit: u64,
}

/// Bytes that count for a payer. Dropped before it is kept, they no longer do.
#[derive(Debug)]
pub struct Reserved<'a> {
    tallies: &'a Tallies,
    day: i64,
    payer: String,
    bytes: u64,
}

impl Tallies {
    /// Returns tallies under a name of their own.
    #[must_use]
    pub fn new() -> Self {
        let writer = format!("{:016x}", rand::random::<u64>());
        Self { writer, today: Mutex::default(), writing: tokio::sync::Mutex::default() }
    }

    /// Reserves `bytes` for `payer` if all that was stored for it on the day of `now` stays within `limit`. The bytes of other processes
    /// are known up to five seconds ago.
    ///
    /// # Errors
    /// [`ContentError`] if the tallies of others cannot be read. The inner one: [`CeilingReached`].
    pub async fn reserve(
        &self,
        content: &ContentStore,
        payer: &str,
        bytes: u64,
        limit: u64,
        now: Timestamp,
    ) -> Result<Result<Reserved<'_>, CeilingReached>, ContentError> {
        let day = now.0.div_euclid(DAY_MS);
        let looked = self.change_counts(day, payer, |counted| counted.looked);
        if looked.is_none_or(|at| at.elapsed() >= BELIEVED) {
            let others = self.of_others(content, day, payer).await?;
            self.change_counts(day, payer, |counted| (counted.others, counted.looked) = (others, Some(Instant::now())));
        }
        let granted = self.change_counts(day, payer, |counted| grant(counted, bytes, limit));
        Ok(granted.map(|()| Reserved { tallies: self, day, payer: payer.to_owned(), bytes }))
    }

    fn change_counts<T>(&self, day: i64, payer: &str, change: impl FnOnce(&mut Counted) -> T) -> T {
        let mut today = self.lock();
        if today.number != day {
            *today = Day { number: day, payers: BTreeMap::new() };
        }
        change(today.payers.entry(payer.to_owned()).or_default())
    }

    fn lock(&self) -> MutexGuard<'_, Day> {
        self.today.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn of_others(&self, content: &ContentStore, day: i64, payer: &str) -> Result<u64, ContentError> {
        let (kind, own) = (kind(day), name(payer, &self.writer));
        let mut stored = 0_u64;
        for (id, _) in content.list_named(&kind).await? {
            if id != own && id.starts_with(&prefix(payer)) {
                let tally = content.get_named(&kind, &id).await?.unwrap_or_default();
                stored =
                    stored.saturating_add(std::str::from_utf8(&tally).ok().and_then(|n| n.parse().ok()).unwrap_or(0));
            }
        }
        Ok(stored)
    }
}

impl Default for Tallies {
    fn default() -> Self {
        Self::new()
    }
}

impl Reserved<'_> {
    /// Writes the tally with these bytes to the store.
    ///
    /// # Errors
    /// [`ContentError`] if it cannot be written; the bytes then no longer count.
    pub async fn keep(mut self, content: &ContentStore) -> Result<(), ContentError> {
        let _alone = self.tallies.writing.lock().await;
        let own = self.tallies.change_counts(self.day, &self.payer, |counted| counted.own);
        let name = name(&self.payer, &self.tallies.writer);
        content.replace_named(&kind(self.day), &name, Bytes::from(own.to_string())).await?;
        self.bytes = 0;
        Ok(())
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut today = self.tallies.lock();
        // Of a day that is over nothing is known any more.
        if today.number == self.day
            && let Some(counted) = today.payers.get_mut(&self.payer)
        {
            counted.own = counted.own.saturating_sub(self.bytes);
        }
    }
}

/// Adds `bytes` to what this process stored, if the sum stays within `limit`.
fn grant(counted: &mut Counted, bytes: u64, limit: u64) -> Result<(), CeilingReached> {
    let stored = counted.own.saturating_add(counted.others);
    if stored.saturating_add(bytes) > limit {
        return Err(CeilingReached { stored, bytes, limit });
    }
    counted.own += bytes;
    Ok(())
}

fn kind(day: i64) -> String {
    format!("stored-{day}")
}

fn prefix(payer: &str) -> String {
    format!("{}-", &sha256_hex(payer.as_bytes())[..PAYER_CHARS])
}

fn name(payer: &str, writer: &str) -> String {
    prefix(payer) + writer
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(DAY_MS * 20_000 + DAY_MS / 2);

    async fn stores(tallies: &Tallies, content: &ContentStore, payer: &str, bytes: u64, now: Timestamp) -> bool {
        match tallies.reserve(content, payer, bytes, 100, now).await.expect("in memory") {
            Ok(reserved) => reserved.keep(content).await.is_ok(),
            Err(_) => false,
        }
    }

    #[test]
    fn bytes_are_granted_up_to_the_limit() {
        for (own, others, is_granted) in [(89, 0, true), (90, 0, true), (91, 0, false), (45, 45, true), (45, 46, false)]
        {
            let mut counted = Counted { own, others, looked: None };
            assert_eq!(grant(&mut counted, 10, 100).is_ok(), is_granted, "{own} {others}");
            assert_eq!(counted.own, if is_granted { own + 10 } else { own });
        }
        assert!(grant(&mut Counted { own: 1, others: u64::MAX, looked: None }, u64::MAX, u64::MAX - 1).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_ceiling_spans_all_processes_of_a_payer_per_day() {
        let content = ContentStore::in_memory();
        let (a, b) = (Tallies::new(), Tallies::new());
        assert!(stores(&a, &content, "x", 60, NOON).await);
        assert!(!stores(&b, &content, "x", 41, NOON).await, "beside what another process stored");
        assert!(stores(&b, &content, "x", 40, NOON).await);
        assert!(stores(&b, &content, "y", 100, NOON).await, "another payer");
        tokio::time::advance(BELIEVED).await;
        assert!(!stores(&a, &content, "x", 1, NOON).await);
        assert!(!stores(&Tallies::new(), &content, "x", 1, NOON).await, "a process that has just begun");
        assert!(stores(&a, &content, "x", 100, NOON.plus_ms(DAY_MS / 2)).await, "the next day");
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_reserved_and_not_kept_does_not_count() {
        let content = ContentStore::in_memory();
        let a = Tallies::new();
        let reserved = a.reserve(&content, "x", 100, 100, NOON).await.expect("in memory").expect("within the limit");
        assert!(!stores(&a, &content, "x", 1, NOON).await, "while it is reserved");
        drop(reserved);
        assert!(stores(&a, &content, "x", 100, NOON).await);
        assert!(!stores(&a, &content, "x", 1, NOON).await);
    }

    #[tokio::test(start_paused = true)]
    async fn whatever_is_stored_by_whom_at_once_stays_within_the_ceiling() {
        let content = ContentStore::in_memory();
        let tallies = Tallies::new();
        let tries = (0..50).map(|n| stores(&tallies, &content, "x", 1 + n % 7, NOON));
        let kept = futures_util::future::join_all(tries).await;
        let sum: u64 = (0..50).zip(&kept).filter(|(_, kept)| **kept).map(|(n, _)| 1 + n % 7).sum();
        assert!((94..=100).contains(&sum), "{sum}");
        assert_eq!(Tallies::new().of_others(&content, NOON.0 / DAY_MS, "x").await.expect("in memory"), sum);
    }
}

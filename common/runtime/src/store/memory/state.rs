//! What a store in this process holds, and its clock. Not synchronized: its owner locks it.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use tokio::time::Instant;

use super::event_logs::EventLogs;
use super::kept::KeptRecords;
use crate::store::fence::Fence;
use crate::store::values::{ValueLimits, Values};
use crate::store::{Breaker, Ceiling, CeilingPolicy, Limit};

/// Default bounds of the cached values; chosen, not measured.
const DEFAULT_LIMITS: ValueLimits = ValueLimits { entries: 100_000, bytes: 256 * 1024 * 1024 };
/// Writes of leases, fences and ceilings between two clearings of expired ones.
const CLEAR_EVERY: u32 = 1_024;
/// Longest time to live; longer ones are shortened to it, so that no clock arithmetic overflows.
pub(super) const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

pub(super) struct MemoryState {
    pub(super) available: bool,
    /// The beginning of the clock of fences, breakers, limits and ceilings.
    pub(super) started: Instant,
    /// What that clock showed then, in milliseconds: the wall clock if records outlive the process, otherwise zero.
    pub(super) zero_ms: u64,
    /// Where records are kept on disk, if they are.
    pub(super) records: Option<KeptRecords>,
    /// May be evicted: losing a value costs repeated work.
    pub(super) values: Values,
    /// Never evicted before it expires.
    pub(super) leases: HashMap<String, OwnedLease>,
    /// Never evicted before it expires.
    pub(super) fences: HashMap<SessionId, Fence>,
    /// Bounded; the longest silent session goes first.
    pub(super) events: EventLogs,
    /// One per guarded service, so few.
    pub(super) breakers: HashMap<String, Breaker>,
    /// One per limited service, so few.
    pub(super) limits: HashMap<String, Limit>,
    /// Never evicted before it expires.
    pub(super) ceilings: HashMap<String, ExpiringCeiling>,
    /// Writes of leases, fences and ceilings since expired ones were last cleared.
    pub(super) writes: u32,
}

pub(super) struct ExpiringCeiling {
    pub(super) ceiling: Ceiling,
    pub(super) expires: Instant,
}

pub(super) struct OwnedLease {
    pub(super) owner: String,
    pub(super) expires: Instant,
}

impl MemoryState {
    pub(super) fn new() -> Self {
        Self {
            available: true,
            started: Instant::now(),
            zero_ms: 0,
            records: None,
            values: Values::new(DEFAULT_LIMITS),
            leases: HashMap::new(),
            fences: HashMap::new(),
            events: EventLogs::default(),
            breakers: HashMap::new(),
            limits: HashMap::new(),
            ceilings: HashMap::new(),
            writes: 0,
        }
    }

    pub(super) fn put_if_absent(&mut self, key: &str, value: Bytes, now: Instant, ttl: Duration) -> Bytes {
        if let Some(kept) = self.values.get(key, now) {
            return kept;
        }
        self.values.set(key, value.clone(), later(now, ttl), now);
        value
    }

    /// The ceiling `name`, with its expiry renewed.
    pub(super) fn ceiling(&mut self, name: &str, policy: &CeilingPolicy, now: Instant) -> &mut Ceiling {
        self.clear_expired_sometimes(now);
        let expires = later(now, policy.kept);
        if self.ceilings.get(name).is_some_and(|c| c.expires <= now) {
            self.ceilings.remove(name);
        }
        let counted = self
            .ceilings
            .entry(name.to_owned())
            .or_insert_with(|| ExpiringCeiling { ceiling: Ceiling::default(), expires });
        counted.expires = expires;
        &mut counted.ceiling
    }

    pub(super) fn clear_expired_sometimes(&mut self, now: Instant) {
        self.writes += 1;
        if self.writes >= CLEAR_EVERY {
            self.writes = 0;
            self.forget_expired(now);
        }
    }

    pub(super) fn forget_expired(&mut self, now: Instant) {
        self.leases.retain(|_, l| l.expires > now);
        let now_ms = self.clock_ms(now);
        self.fences.retain(|_, f| f.is_alive(now_ms));
        self.ceilings.retain(|_, c| c.expires > now);
    }

    pub(super) fn clock_ms(&self, now: Instant) -> u64 {
        let passed = u64::try_from(now.saturating_duration_since(self.started).as_millis()).unwrap_or(u64::MAX);
        self.zero_ms.saturating_add(passed)
    }

    pub(super) fn clock_us(&self, now: Instant) -> i64 {
        let passed = i64::try_from(now.saturating_duration_since(self.started).as_micros()).unwrap_or(i64::MAX);
        i64::try_from(self.zero_ms).unwrap_or(i64::MAX).saturating_mul(1_000).saturating_add(passed)
    }
}

pub(super) fn later(now: Instant, ttl: Duration) -> Instant {
    now + ttl.min(LONGEST)
}

//! Cached values in this process: they expire, and the least recently used are evicted when there is no room.

use std::collections::HashMap;

use bytes::Bytes;
use tokio::time::Instant;

/// Most values, and most bytes including keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueLimits {
    pub(super) entries: usize,
    pub(super) bytes: usize,
}

/// A bounded map whose entries expire.
#[derive(Debug)]
pub(super) struct Values {
    limits: ValueLimits,
    entries: HashMap<String, StoredValue>,
    /// Sum of key and value lengths.
    bytes: usize,
    /// Counts uses; larger is more recent.
    uses: u64,
}

#[derive(Debug)]
struct StoredValue {
    bytes: Bytes,
    expires: Instant,
    last_use: u64,
}

impl Values {
    pub(super) fn new(limits: ValueLimits) -> Self {
        Self { limits, entries: HashMap::new(), bytes: 0, uses: 0 }
    }

    pub(super) fn limit(&mut self, limits: ValueLimits) {
        self.limits = limits;
    }

    /// Returns the value of `key` if it has not expired at `now`.
    pub(super) fn get(&mut self, key: &str, now: Instant) -> Option<Bytes> {
        self.uses += 1;
        let value = self.entries.get_mut(key)?;
        if value.expires <= now {
            self.remove(key);
            return None;
        }
        value.last_use = self.uses;
        Some(value.bytes.clone())
    }

    /// Writes `key`. A value larger than an eighth of the limit is not kept: it would evict everything else.
    pub(super) fn set(&mut self, key: &str, bytes: Bytes, expires: Instant, now: Instant) {
        // Before the size check: a value that is too large must not leave the old one in its place.
        self.remove(key);
        let size = key.len() + bytes.len();
        if size > self.limits.bytes / 8 {
            return;
        }
        self.uses += 1;
        self.bytes += size;
        self.entries.insert(key.to_owned(), StoredValue { bytes, expires, last_use: self.uses });
        if self.entries.len() > self.limits.entries || self.bytes > self.limits.bytes {
            self.make_room(now);
        }
    }

    /// The values and their keys, expired ones included, in no order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Bytes)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), &value.bytes))
    }

    pub(super) fn remove(&mut self, key: &str) {
        if let Some((key, value)) = self.entries.remove_entry(key) {
            self.bytes -= key.len() + value.bytes.len();
        }
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
    }

    fn make_room(&mut self, now: Instant) {
        self.keep(|value| value.expires > now);
        let mut by_use: Vec<(u64, usize)> =
            self.entries.iter().map(|(key, v)| (v.last_use, key.len() + v.bytes.len())).collect();
        by_use.sort_unstable();
        let (mut entries, mut bytes, mut oldest_kept) = (self.entries.len(), self.bytes, 0);
        for (last_use, size) in by_use {
            // An eighth is left free, so that this runs seldom and its cost per write stays small.
            let fits = |used: usize, limit: usize| used <= limit - limit / 8;
            if fits(entries, self.limits.entries) && fits(bytes, self.limits.bytes) {
                break;
            }
            (entries, bytes, oldest_kept) = (entries - 1, bytes - size, last_use + 1);
        }
        self.keep(|value| value.last_use >= oldest_kept);
    }

    fn keep(&mut self, stays: impl Fn(&StoredValue) -> bool) {
        let bytes = &mut self.bytes;
        self.entries.retain(|key, value| {
            let kept = stays(value);
            if !kept {
                *bytes -= key.len() + value.bytes.len();
            }
            kept
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_least_recently_used_leave_first_and_the_limits_hold() {
        let now = Instant::now();
        let later = now + Duration::from_secs(1);
        let mut values = Values::new(ValueLimits { entries: 80, bytes: 100_000 });
        for n in 0..1_000 {
            values.set(&format!("key {n}"), Bytes::from(vec![0; 100]), later, now);
            assert!(values.get("key 0", now).is_some(), "used all the time, after {n}");
            assert!(values.entries.len() <= 80 && values.bytes <= 100_000);
        }
        assert!(values.get("key 999", now).is_some());
        assert!(values.get("key 900", now).is_none());
    }

    #[test]
    fn bytes_are_counted_through_overwriting_expiry_and_removal() {
        let now = Instant::now();
        let later = now + Duration::from_secs(1);
        let mut values = Values::new(ValueLimits { entries: 10, bytes: 8_000 });
        values.set("a", Bytes::from_static(b"123"), later, now);
        values.set("a", Bytes::from_static(b"1"), later, now);
        values.set("big", Bytes::from(vec![0; 1_000]), later, now);
        assert_eq!(values.bytes, 2, "the big one is not kept");
        assert_eq!(values.get("a", later), None);
        assert_eq!(values.bytes, 0);
    }
}

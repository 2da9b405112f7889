//! A cache of open values between sessions, bounded in number; the least recently used one is dropped first.

use std::sync::{Arc, Mutex, PoisonError};

/// Values by name. A value that is dropped from the cache stays alive for those who still hold it.
#[derive(Debug)]
pub(super) struct KeptOpen<K, V> {
    /// The most recently used value is last.
    held: Mutex<Vec<(K, Arc<V>)>>,
    most: usize,
}

impl<K: PartialEq + Clone, V> KeptOpen<K, V> {
    /// Starts with all of `open`; each later [`Self::put`] reduces the number to `most`.
    pub(super) fn new(most: usize, open: impl IntoIterator<Item = (K, V)>) -> Self {
        let held = open.into_iter().map(|(name, value)| (name, Arc::new(value))).collect();
        Self { held: Mutex::new(held), most }
    }

    pub(super) fn names(&self) -> Vec<K> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(name, _)| name.clone()).collect()
    }

    /// Returns the value called `name`, and marks it as most recently used.
    pub(super) fn get(&self, name: &K) -> Option<Arc<V>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let at = held.iter().position(|(known, _)| known == name)?;
        let found = held.remove(at);
        let value = Arc::clone(&found.1);
        held.push(found);
        Some(value)
    }

    /// Adds a value and makes room for it: drops first what no caller holds, least recently used first.
    pub(super) fn put(&self, name: K, value: V) -> Arc<V> {
        let value = Arc::new(value);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // At least 1: with 0 the loop would remove from an empty list.
        while held.len() >= self.most.max(1) {
            let idle = held.iter().position(|(_, value)| Arc::strong_count(value) == 1);
            held.remove(idle.unwrap_or(0));
        }
        held.push((name, Arc::clone(&value)));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_unheld_entry_goes_first() {
        let kept = KeptOpen::new(2, [("a", 1)]);
        drop(kept.put("b", 2));
        assert_eq!(kept.names(), ["a", "b"], "as many as may be");
        assert_eq!(kept.get(&"a").as_deref(), Some(&1));
        drop(kept.put("c", 3));
        assert_eq!(kept.names(), ["a", "c"], "b was used longest ago");
        let held = kept.get(&"a");
        drop(kept.get(&"c"));
        drop(kept.put("d", 4));
        assert_eq!(kept.names(), ["a", "d"], "somebody holds a");
        let other = kept.get(&"d");
        drop(kept.put("e", 5));
        assert_eq!((kept.names(), held.as_deref(), other.as_deref()), (vec!["d", "e"], Some(&1), Some(&4)));
        assert_eq!(kept.get(&"a"), None);
    }
}

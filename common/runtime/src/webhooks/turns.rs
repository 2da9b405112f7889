//! How many deliveries to one host are under way at once in this process: one that answers slowly must not hold up the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Most deliveries to one host at once. Chosen, not measured: a quarter of what a worker holds.
pub const AT_ONCE: usize = 8;

/// Who is at which host.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns(Arc<Mutex<HashMap<String, usize>>>);

/// A delivery to a host; its place is free when this is dropped.
#[derive(Debug)]
pub struct HostTurn {
    turns: Turns,
    host: String,
}

impl Turns {
    /// Takes a place at `host`; `None` if all are taken.
    pub(super) fn take(&self, host: &str) -> Option<HostTurn> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = known.entry(host.to_owned()).or_default();
        if *count >= AT_ONCE {
            return None;
        }
        *count += 1;
        Some(HostTurn { turns: self.clone(), host: host.to_owned() })
    }
}

impl Drop for HostTurn {
    fn drop(&mut self) {
        let mut known = self.turns.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = known.get(&self.host).map_or(0, |count| count.saturating_sub(1));
        if left == 0 {
            known.remove(&self.host);
        } else {
            known.insert(self.host.clone(), left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_so_many_places_and_gets_them_back() {
        let turns = Turns::default();
        let mut held: Vec<HostTurn> = (0..AT_ONCE).filter_map(|_| turns.take("a.org")).collect();
        assert_eq!(held.len(), AT_ONCE);
        assert!(turns.take("a.org").is_none() && turns.take("b.org").is_some());
        held.pop();
        assert!(turns.take("a.org").is_some());
        held.clear();
        assert!(turns.0.lock().expect("not poisoned").is_empty());
    }
}

//! The most recent token counts of this process.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Number of counts kept. A payload is repeated soon or not at all.
const OWN: usize = 256;

/// Recent token counts by key, newest last.
#[derive(Debug, Default)]
pub(super) struct RecentCounts(Mutex<VecDeque<(String, u64)>>);

impl RecentCounts {
    pub(super) fn find(&self, key: &str) -> Option<u64> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == key).map(|(_, tokens)| *tokens)
    }

    pub(super) fn keep(&self, key: String, tokens: u64) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| *known != key);
        if kept.len() >= OWN {
            kept.pop_front();
        }
        kept.push_back((key, tokens));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_keeps_the_youngest_counts() {
        let counts = RecentCounts::default();
        for n in 0..300 {
            counts.keep(n.to_string(), n);
        }
        counts.keep("299".to_owned(), 7);
        assert_eq!((counts.find("0"), counts.find("60"), counts.find("299")), (None, Some(60), Some(7)));
        assert_eq!(counts.0.lock().expect("is not poisoned").len(), OWN);
    }
}

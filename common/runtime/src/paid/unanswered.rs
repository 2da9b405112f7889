//! The requests that a lease has sent and has no answer to: whoever stops waiting has still spent what they cost.

use std::sync::{Arc, Mutex, PoisonError};

use precis_proto::call::CallRecord;

/// Records of such requests, shared by a lease and the tasks that run its requests.
#[derive(Debug, Clone, Default)]
pub struct Unanswered(Arc<Mutex<Vec<CallRecord>>>);

impl PartialEq for Unanswered {
    /// Two are equal if they are the same list.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Unanswered {
    /// Adds a request that is being sent; `record` says what is known to be spent of it.
    pub(crate) fn record_sent(&self, record: CallRecord) {
        self.with(|held| held.push(CallRecord { unanswered: true, ..record }));
    }

    /// Writes down what a request has cost whose answer came; it stays here until the caller [takes](Self::take) the answer.
    pub(crate) fn record_answer(&self, record: CallRecord) {
        self.with(|held| {
            if let Some(own) = held.iter_mut().find(|own| own.call_key == record.call_key) {
                *own = CallRecord { unanswered: true, ..record };
            }
        });
    }

    /// A request failed. If it `was_used`, it stays, under a key of its own: another try of the same call is another request.
    pub(crate) fn record_failure(&self, key: &str, was_used: bool) {
        self.with(|held| match held.iter().position(|own| own.call_key == key) {
            Some(at) if was_used => held[at].call_key = format!("{key}:{:016x}", rand::random::<u64>()),
            Some(at) => drop(held.remove(at)),
            None => {}
        });
    }

    /// The caller has the answer to the call `key`, and its record.
    pub(crate) fn take(&self, key: &str) {
        self.with(|held| held.retain(|own| own.call_key != key));
    }

    /// The requests that nobody has an answer of, in the order in which they were sent.
    pub(crate) fn left(&self) -> Vec<CallRecord> {
        self.with(|held| held.clone())
    }

    fn with<T>(&self, change: impl FnOnce(&mut Vec<CallRecord>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::task::Role;

    use super::*;

    fn record(key: &str, output_tokens: u64) -> CallRecord {
        CallRecord {
            call_key: key.to_owned(),
            phase: None,
            role: Role::Synthesis,
            provider: "a:b".to_owned(),
            paid: true,
            input_tokens: 100,
            cached_input_tokens: 0,
            output_tokens,
            cost_usd: 0.5,
            unreadable: false,
            unanswered: false,
        }
    }

    #[test]
    fn what_was_sent_is_left_until_its_answer_is_taken() {
        let all = Unanswered::default();
        all.record_sent(record("a", 0));
        all.record_sent(record("b", 0));
        all.record_answer(record("a", 7));
        let left: Vec<(String, u64, bool)> =
            all.left().into_iter().map(|one| (one.call_key, one.output_tokens, one.unanswered)).collect();
        assert_eq!(left, [("a".to_owned(), 7, true), ("b".to_owned(), 0, true)]);
        all.take("a");
        assert_eq!(all.left().len(), 1);
    }

    #[test]
    fn each_failed_try_that_may_have_cost_something_counts() {
        let all = Unanswered::default();
        for was_used in [true, true, false] {
            all.record_sent(record("a", 0));
            all.record_failure("a", was_used);
        }
        all.record_sent(record("a", 0));
        all.take("a");
        let keys: Vec<String> = all.left().into_iter().map(|one| one.call_key).collect();
        assert!(keys.len() == 2 && keys[0] != keys[1] && keys.iter().all(|key| key.starts_with("a:")), "{keys:?}");
    }
}

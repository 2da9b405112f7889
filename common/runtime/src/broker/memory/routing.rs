//! Matches messages to bindings. Works on keys only, not on the contents of queues.

use std::sync::Arc;

use precis_proto::envelope::Envelope;

use crate::broker::ExchangeKind;
use crate::broker::mailbox::Mailbox;

/// An exchange and its bindings.
#[derive(Debug)]
pub(super) struct BoundExchange {
    pub(super) kind: ExchangeKind,
    bindings: Vec<BoundTarget>,
}

#[derive(Debug)]
struct BoundTarget {
    key: String,
    to: Target,
}

/// The target of a binding.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// A durable queue, by name.
    Queue(Arc<str>),
    /// A subscription; ends with it or with its connection.
    Listener(BoundMailbox),
}

/// The subscriber of a binding.
#[derive(Debug, Clone)]
pub(super) struct BoundMailbox {
    /// Unique in the server.
    pub(super) id: u64,
    /// The connection it ends with.
    pub(super) connection: u64,
    pub(super) mailbox: Arc<Mailbox<Arc<Envelope>>>,
}

impl BoundExchange {
    pub(super) fn new(kind: ExchangeKind) -> Self {
        Self { kind, bindings: Vec::new() }
    }

    /// Binds `to`; binding a queue again with the same key has no effect. Returns whether it is new.
    pub(super) fn bind(&mut self, key: &str, to: Target) -> bool {
        let known =
            |b: &BoundTarget| matches!((&b.to, &to), (Target::Queue(a), Target::Queue(b)) if a == b) && b.key == key;
        let is_new = !self.bindings.iter().any(known);
        if is_new {
            self.bindings.push(BoundTarget { key: key.to_owned(), to });
        }
        is_new
    }

    /// Returns all targets of a message published with `routing_key`; a queue bound twice is returned once.
    pub(super) fn targets(&self, routing_key: &str) -> Vec<Target> {
        let mut targets: Vec<Target> = Vec::new();
        for bound in self.bindings.iter().filter(|b| matches_key(self.kind, &b.key, routing_key)) {
            let there = |t: &Target| matches!((t, &bound.to), (Target::Queue(a), Target::Queue(b)) if a == b);
            if !targets.iter().any(there) {
                targets.push(bound.to.clone());
            }
        }
        targets
    }

    /// Removes and returns the listeners for which `gone` is true.
    pub(super) fn unbind_listeners(&mut self, gone: impl Fn(&BoundMailbox) -> bool) -> Vec<BoundMailbox> {
        let mut ended = Vec::new();
        self.bindings.retain(|b| match &b.to {
            Target::Listener(l) if gone(l) => {
                ended.push(l.clone());
                false
            }
            Target::Listener(_) | Target::Queue(_) => true,
        });
        ended
    }
}

fn matches_key(kind: ExchangeKind, binding_key: &str, routing_key: &str) -> bool {
    match kind {
        ExchangeKind::Fanout => true,
        ExchangeKind::Direct => binding_key == routing_key,
        ExchangeKind::Topic => topic_matches(binding_key, routing_key),
    }
}

/// Whether a topic pattern matches a key: words between dots, `*` for one word, `#` for any number of words, including none. Backtracks
/// only to the last `#`, which bounds it to words × words steps on any input.
fn topic_matches(pattern: &str, key: &str) -> bool {
    let (pattern, key) = (words(pattern), words(key));
    let (mut p, mut k) = (0, 0);
    // One place to return to is enough: whatever an earlier `#` could take instead, the last one can take as well.
    let mut last_hash: Option<(usize, usize)> = None;
    while k < key.len() {
        match pattern.get(p).copied() {
            Some("#") => {
                last_hash = Some((p, k));
                p += 1;
            }
            Some(word) if word == "*" || word == key[k] => {
                p += 1;
                k += 1;
            }
            _ => match last_hash {
                Some((hash, from)) => {
                    last_hash = Some((hash, from + 1));
                    p = hash + 1;
                    k = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|word| *word == "#")
}

fn words(text: &str) -> Vec<&str> {
    if text.is_empty() { Vec::new() } else { text.split('.').collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_one_word_and_a_hash_any_number_of_them() {
        for (pattern, key, matches_key) in [
            ("a.b", "a.b", true),
            ("a.b", "a.c", false),
            ("a.*", "a.b", true),
            ("a.*", "a", false),
            ("a.*", "a.b.c", false),
            ("*", "", false),
            ("#", "", true),
            ("#", "a.b.c", true),
            ("a.#", "a", true),
            ("a.#", "a.b.c", true),
            ("#.c", "a.b.c", true),
            ("#.c", "c", true),
            ("#.c", "c.d", false),
            ("a.#.d", "a.b.c.d", true),
            ("a.#.d", "a.d", true),
            ("a.#.*", "a", false),
            ("a.#.*.#", "a.b", true),
            ("#.b.#.b", "b.b", true),
            ("#.b.#.b", "a.b", false),
            ("", "", true),
            ("", "a", false),
            ("phase.*", "phase.session-1.x", false),
        ] {
            assert_eq!(topic_matches(pattern, key), matches_key, "{pattern} on {key}");
        }
    }

    #[test]
    fn many_hashes_do_not_make_matching_slow() {
        let pattern = vec!["#"; 2_000].join(".") + ".x";
        let key = vec!["a"; 2_000].join(".");
        assert!(!topic_matches(&pattern, &key));
    }

    #[test]
    fn a_queue_bound_twice_gets_a_message_once() {
        let mut exchange = BoundExchange::new(ExchangeKind::Topic);
        for key in ["a.*", "#", "a.*"] {
            exchange.bind(key, Target::Queue("q".into()));
        }
        assert_eq!(exchange.targets("a.b").len(), 1);
        assert_eq!(exchange.targets("c").len(), 1);
    }
}

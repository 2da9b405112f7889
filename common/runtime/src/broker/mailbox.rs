//! What has been handed over and not yet been taken: one sender side in the server, one receiver side in a task.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// A queue between the server and one receiver. It has no bound of its own: a consumer's prefetch bounds it, answers are
/// bounded by what was asked, and a subscription holds what its reader leaves, as a broker would.
#[derive(Debug)]
pub(in crate::broker) struct Mailbox<T> {
    /// Written by the server under its own lock, which is always taken first.
    state: Mutex<MailboxState<T>>,
    /// Signalled after each change of `state`.
    changed: Notify,
}

#[derive(Debug)]
struct MailboxState<T> {
    items: VecDeque<T>,
    /// Set once, when the connection or the consumer ends; then nothing is left to take.
    closed: bool,
}

impl<T> Mailbox<T> {
    pub(in crate::broker) fn new() -> Self {
        Self { state: Mutex::new(MailboxState { items: VecDeque::new(), closed: false }), changed: Notify::new() }
    }

    /// Adds an item; after the end it is dropped.
    pub(in crate::broker) fn push(&self, item: T) {
        let mut state = self.lock();
        if !state.closed {
            state.items.push_back(item);
            drop(state);
            self.changed.notify_one();
        }
    }

    /// The next item, or `None` after the end. Cancel-safe: an item is taken only when it is returned.
    pub(in crate::broker) async fn next(&self) -> Option<T> {
        loop {
            // Made before looking, so that an end in between is heard.
            let changed = self.changed.notified();
            {
                let mut state = self.lock();
                if let Some(item) = state.items.pop_front() {
                    // Two pushes may have left one signal: pass it on for another task that waits here.
                    if !state.items.is_empty() {
                        self.changed.notify_one();
                    }
                    return Some(item);
                }
                if state.closed {
                    return None;
                }
            }
            changed.await;
        }
    }

    /// Ends it; returns what nobody had taken.
    pub(in crate::broker) fn close(&self) -> VecDeque<T> {
        let mut state = self.lock();
        state.closed = true;
        let left = std::mem::take(&mut state.items);
        drop(state);
        self.changed.notify_waiters();
        left
    }

    fn lock(&self) -> MutexGuard<'_, MailboxState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Items handed over and not yet taken, between the server and one receiving task.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// A queue between the server and one receiver. Unbounded by itself: a consumer's prefetch bounds it, replies are bounded by the
/// requests, and a subscription holds what its reader has not read, as a broker would.
#[derive(Debug)]
pub(in crate::broker) struct Mailbox<T> {
    /// Locked by the server while it holds its own lock, so nothing here may call the server with `state` locked: that would deadlock.
    state: Mutex<MailboxState<T>>,
    /// Notified after each change of `state`.
    changed: Notify,
}

#[derive(Debug)]
struct MailboxState<T> {
    items: VecDeque<T>,
    /// Set once, when the connection or the consumer ends; then `items` is empty and stays empty.
    closed: bool,
}

impl<T> Mailbox<T> {
    pub(in crate::broker) fn new() -> Self {
        Self { state: Mutex::new(MailboxState { items: VecDeque::new(), closed: false }), changed: Notify::new() }
    }

    /// Adds an item; drops it if the mailbox is closed.
    pub(in crate::broker) fn push(&self, item: T) {
        let mut state = self.lock();
        if !state.closed {
            state.items.push_back(item);
            // Unlocked first, so that the woken task does not have to wait for this lock.
            drop(state);
            self.changed.notify_one();
        }
    }

    /// Returns the next item, or `None` once closed. Cancel-safe: an item is taken only when it is returned.
    pub(in crate::broker) async fn next(&self) -> Option<T> {
        loop {
            // Created before `state` is read: a `close` in between would otherwise not wake this task, and it would wait for ever.
            let changed = self.changed.notified();
            {
                let mut state = self.lock();
                if let Some(item) = state.items.pop_front() {
                    // Two pushes may have left a single permit: pass it on to another task that waits here.
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

    /// Closes the mailbox; returns the items not taken.
    pub(in crate::broker) fn close(&self) -> VecDeque<T> {
        let mut state = self.lock();
        state.closed = true;
        let untaken = std::mem::take(&mut state.items);
        drop(state);
        // All of them, not one: each waiting task has to see the end, and later ones read `closed` before they wait.
        self.changed.notify_waiters();
        untaken
    }

    fn lock(&self) -> MutexGuard<'_, MailboxState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Routes answers to the scatters that wait for them: one reply channel per worker, one waiter per scatter.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use precis_proto::JobId;
use precis_proto::envelope::Envelope;
use tokio::sync::mpsc;

use crate::broker::{BrokerError, Outgoing, Replies};

/// The waiters, by ticket and by job.
#[derive(Debug, Default)]
struct Waiters {
    /// Ticket of the newest waiter; tickets are never reused.
    last_ticket: u64,
    /// The channel of each waiter. An entry ends with its waiter; all end with the connection.
    by_ticket: HashMap<u64, mpsc::Sender<Envelope>>,
    /// Tickets waiting for each job: several if two leases of this worker need the same one. An entry ends with the last of them.
    by_job: HashMap<String, Vec<u64>>,
    /// The connection is lost: no answer can arrive any more.
    ended: bool,
}

/// Routes answers by correlation id, which is the job id.
#[derive(Debug)]
pub(super) struct ReplyRouter {
    replies: Replies,
    waiters: Arc<Mutex<Waiters>>,
}

/// Receives the answers of one scatter.
#[derive(Debug)]
pub(super) struct Waiter {
    ticket: u64,
    /// Jobs registered under this ticket.
    expected: HashSet<JobId>,
    answers: mpsc::Receiver<Envelope>,
    waiters: Arc<Mutex<Waiters>>,
}

impl ReplyRouter {
    pub(super) fn new(replies: Replies) -> Self {
        Self { replies, waiters: Arc::default() }
    }

    /// The address for `reply_to`.
    pub(super) fn address(&self) -> &str {
        self.replies.address()
    }

    /// Returns a waiter for at most `window` jobs at once.
    pub(super) fn waiter(&self, window: usize) -> Waiter {
        // Room for each answer and one repeat; an answer that finds no room is found in the cache.
        let (sender, answers) = mpsc::channel(window.max(1) * 2);
        let mut waiters = lock(&self.waiters);
        waiters.last_ticket += 1;
        let ticket = waiters.last_ticket;
        // After the connection is lost the sender is dropped instead, so that `next` returns `None` at once instead of waiting for
        // ever.
        if !waiters.ended {
            waiters.by_ticket.insert(ticket, sender);
        }
        drop(waiters);
        Waiter { ticket, expected: HashSet::new(), answers, waiters: Arc::clone(&self.waiters) }
    }

    /// Publishes a window of jobs on the reply channel: direct reply-to requires the same channel for both.
    pub(super) async fn publish(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        self.replies.publish_all(messages).await
    }

    /// Routes answers until the connection ends; then closes every waiter.
    pub(super) async fn route(&self) {
        while let Some(envelope) = self.replies.next().await {
            lock(&self.waiters).deliver(envelope);
        }
        let mut waiters = lock(&self.waiters);
        waiters.ended = true;
        waiters.by_ticket.clear();
        waiters.by_job.clear();
    }
}

impl Waiters {
    /// Never blocks: a full waiter already has its answers, and a repeat may be dropped.
    fn deliver(&self, envelope: Envelope) {
        let Some(tickets) = self.by_job.get(&envelope.header.correlation_id) else { return };
        let mut senders = tickets.iter().filter_map(|ticket| self.by_ticket.get(ticket));
        let last = senders.next_back();
        for sender in senders {
            let _ = sender.try_send(envelope.clone());
        }
        if let Some(sender) = last {
            let _ = sender.try_send(envelope);
        }
    }

    fn forget(&mut self, id: &JobId, ticket: u64) {
        if let Some(tickets) = self.by_job.get_mut(id.as_str()) {
            tickets.retain(|t| *t != ticket);
            if tickets.is_empty() {
                self.by_job.remove(id.as_str());
            }
        }
    }
}

impl Waiter {
    /// Registers a job. Call it before the publish: an answer to an unregistered job is dropped.
    pub(super) fn expect(&mut self, id: &JobId) {
        if self.expected.insert(id.clone()) {
            lock(&self.waiters).by_job.entry(id.to_string()).or_default().push(self.ticket);
        }
    }

    /// Unregisters a job, which has been answered.
    pub(super) fn forget(&mut self, id: &JobId) {
        if self.expected.remove(id) {
            lock(&self.waiters).forget(id, self.ticket);
        }
    }

    /// Returns the next answer; `None` when the connection is lost. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<Envelope> {
        self.answers.recv().await
    }

    /// Returns an answer that has already arrived.
    pub(super) fn next_ready(&mut self) -> Option<Envelope> {
        self.answers.try_recv().ok()
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut waiters = lock(&self.waiters);
        waiters.by_ticket.remove(&self.ticket);
        for id in &self.expected {
            waiters.forget(id, self.ticket);
        }
    }
}

fn lock(waiters: &Mutex<Waiters>) -> MutexGuard<'_, Waiters> {
    waiters.lock().unwrap_or_else(PoisonError::into_inner)
}

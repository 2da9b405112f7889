//! Answers find their askers: one reply channel per worker, one waiter per scatter.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use precis_proto::JobId;
use precis_proto::envelope::Envelope;
use tokio::sync::mpsc;

use crate::broker::{BrokerError, Outgoing, Replies};

/// Who waits for what.
#[derive(Debug, Default)]
struct Waiters {
    /// Names waiters; never used again.
    last_ticket: u64,
    /// The way to each waiter. An entry ends with its waiter, all of them with the connection.
    by_ticket: HashMap<u64, mpsc::Sender<Envelope>>,
    /// Waiters of each job: several where two leases of this worker ask for the same one. An entry ends with the last of them.
    by_job: HashMap<String, Vec<u64>>,
    /// The connection is gone: nobody waits any more.
    ended: bool,
}

/// Routes answers by correlation id, which is the job id.
#[derive(Debug)]
pub(super) struct ReplyRouter {
    replies: Replies,
    waiters: Arc<Mutex<Waiters>>,
}

/// Waits for the answers of one scatter.
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

    /// What to write into `reply_to`.
    pub(super) fn address(&self) -> &str {
        self.replies.address()
    }

    /// A waiter for at most `window` jobs at once.
    pub(super) fn waiter(&self, window: usize) -> Waiter {
        // Room for each answer and its repeat; what finds none is found in the cache.
        let (sender, answers) = mpsc::channel(window.max(1) * 2);
        let mut waiters = lock(&self.waiters);
        waiters.last_ticket += 1;
        let ticket = waiters.last_ticket;
        if !waiters.ended {
            waiters.by_ticket.insert(ticket, sender);
        }
        drop(waiters);
        Waiter { ticket, expected: HashSet::new(), answers, waiters: Arc::clone(&self.waiters) }
    }

    /// Publishes a window of jobs on the reply channel, which direct reply-to asks for.
    pub(super) async fn publish(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        self.replies.publish_all(messages).await
    }

    /// Routes until the connection ends; then every waiter hears of it.
    pub(super) async fn route(&self) {
        while let Some(envelope) = self.replies.next().await {
            lock(&self.waiters).pass_on(envelope);
        }
        let mut waiters = lock(&self.waiters);
        waiters.ended = true;
        waiters.by_ticket.clear();
        waiters.by_job.clear();
    }
}

impl Waiters {
    /// A full waiter has its answers already; a repeat is of no use.
    fn pass_on(&self, envelope: Envelope) {
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
    /// Registers interest in a job; do so before publishing it.
    pub(super) fn expect(&mut self, id: &JobId) {
        if self.expected.insert(id.clone()) {
            lock(&self.waiters).by_job.entry(id.to_string()).or_default().push(self.ticket);
        }
    }

    /// The job is answered.
    pub(super) fn forget(&mut self, id: &JobId) {
        if self.expected.remove(id) {
            lock(&self.waiters).forget(id, self.ticket);
        }
    }

    /// An answer; `None` when the connection is gone. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<Envelope> {
        self.answers.recv().await
    }

    /// An answer that has already come.
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

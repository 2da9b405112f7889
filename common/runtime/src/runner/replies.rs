//! Answers find their askers: one reply channel per worker, one waiter per job.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use precis_proto::JobId;
use precis_proto::envelope::Envelope;
use tokio::sync::mpsc;

use crate::broker::{BrokerError, Outgoing, Replies};

#[derive(Debug, Default)]
struct Waiters {
    /// Tells a waiter's own entry from the one of a later waiter for the same job.
    next_ticket: u64,
    by_job: HashMap<String, (u64, mpsc::Sender<Envelope>)>,
}

/// Routes answers by correlation id, which is the job id.
#[derive(Debug)]
pub(super) struct ReplyRouter {
    replies: Replies,
    /// Who waits for which job. Entries end with their waiter, all of them with the connection.
    waiters: Arc<Mutex<Waiters>>,
}

/// Waits for the answer of one job.
#[derive(Debug)]
pub(super) struct Waiter {
    id: String,
    ticket: u64,
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

    /// Registers interest in a job; do so before publishing it. A later waiter for the same job replaces an earlier one.
    pub(super) fn expect(&self, id: &JobId) -> Waiter {
        let (sender, answers) = mpsc::channel(2);
        let mut waiters = self.waiters.lock().unwrap_or_else(PoisonError::into_inner);
        waiters.next_ticket += 1;
        let ticket = waiters.next_ticket;
        waiters.by_job.insert(id.to_string(), (ticket, sender));
        drop(waiters);
        Waiter { id: id.to_string(), ticket, answers, waiters: Arc::clone(&self.waiters) }
    }

    /// Publishes on the reply channel, which direct reply-to asks for.
    pub(super) async fn publish(&self, message: Outgoing) -> Result<(), BrokerError> {
        self.replies.publish_all(vec![message]).await
    }

    /// Routes until the connection ends; then every waiter hears of it.
    pub(super) async fn route(&self) {
        while let Some(envelope) = self.replies.next().await {
            let waiters = self.waiters.lock().unwrap_or_else(PoisonError::into_inner);
            let waiter = waiters.by_job.get(&envelope.header.correlation_id).cloned();
            drop(waiters);
            if let Some((_, sender)) = waiter {
                // A full waiter has its answer already; a repeat is of no use.
                let _ = sender.try_send(envelope);
            }
        }
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner).by_job.clear();
    }
}

impl Waiter {
    /// The answer; `None` when the connection is gone. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<Envelope> {
        self.answers.recv().await
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut waiters = self.waiters.lock().unwrap_or_else(PoisonError::into_inner);
        if waiters.by_job.get(&self.id).is_some_and(|(ticket, _)| *ticket == self.ticket) {
            waiters.by_job.remove(&self.id);
        }
    }
}

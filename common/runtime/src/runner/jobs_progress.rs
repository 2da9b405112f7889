//! Progress events of a scatter, sent no faster than a reader can follow.

use std::time::Duration;

use precis_proto::event::EventKind;
use tokio::time::Instant;

use super::lease_context::LeaseContext;

/// Shortest time between two progress events of a scatter: about as fast as a reader can follow.
const PROGRESS: Duration = Duration::from_millis(50);

/// The progress of a phase's scatter: sent at the first answer, then at intervals, and at the end.
#[derive(Debug)]
pub(super) struct JobsProgress {
    done: u64,
    total: u64,
    last_sent: Option<Instant>,
}

impl JobsProgress {
    pub(super) fn new(total: u64) -> Self {
        Self { done: 0, total, last_sent: None }
    }

    /// Counts answered jobs and sends progress. Jobs scattered by a job are not progress of the phase, and send nothing.
    pub(super) fn add(&mut self, context: &LeaseContext, jobs: u64) {
        self.done += jobs;
        if context.lease_until.is_none() {
            return;
        }
        let now = Instant::now();
        if self.done == self.total || self.last_sent.is_none_or(|at| now.duration_since(at) >= PROGRESS) {
            self.last_sent = Some(now);
            let kind = EventKind::JobsProgress { phase: context.phase, done: self.done, total: self.total };
            context.core.events.send(&context.session_id, kind);
        }
    }
}

//! How far a scatter is, told at a pace that an eye can follow.

use std::time::Duration;

use precis_proto::event::EventKind;
use tokio::time::Instant;

use super::lease_context::LeaseContext;

/// Time between two events that count the jobs of a scatter: what an eye can follow.
const PROGRESS: Duration = Duration::from_millis(50);

/// How far a phase's scatter is: told at once, then now and then, and when it is done.
#[derive(Debug)]
pub(super) struct JobsProgress {
    done: u64,
    total: u64,
    told: Option<Instant>,
}

impl JobsProgress {
    pub(super) fn new(total: u64) -> Self {
        Self { done: 0, total, told: None }
    }

    /// Counts answered jobs. What a job scatters itself is no progress of the phase.
    pub(super) fn add(&mut self, context: &LeaseContext, jobs: u64) {
        self.done += jobs;
        if context.lease_until.is_none() {
            return;
        }
        let now = Instant::now();
        if self.done == self.total || self.told.is_none_or(|at| now.duration_since(at) >= PROGRESS) {
            self.told = Some(now);
            let kind = EventKind::JobsProgress { phase: context.phase, done: self.done, total: self.total };
            context.core.events.send(&context.session_id, kind);
        }
    }
}

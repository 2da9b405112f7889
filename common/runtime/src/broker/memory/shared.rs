//! The single lock that all handles of a broker share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::state::BrokerState;

/// The broker state behind its lock. Lock order: this lock first, then a mailbox's.
#[derive(Default)]
pub(super) struct SharedServer {
    state: Mutex<BrokerState>,
}

impl SharedServer {
    pub(super) fn lock(&self) -> MutexGuard<'_, BrokerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

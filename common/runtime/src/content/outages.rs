//! The outages that operations on a content store met: for the lease whose work is not to be believed, and for the worker that is to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::error::ContentError;
use crate::telemetry::metrics;

/// The outages seen through one handle, and what all handles share.
#[derive(Debug, Clone, Default)]
pub(super) struct Outages {
    /// The first outage of this handle and its clones. Written by operations, never cleared: a handle lives as long as a lease.
    met: Arc<Mutex<Option<ContentError>>>,
    shared: Arc<SharedOutages>,
}

#[derive(Debug, Default)]
struct SharedOutages {
    /// Whether a write found no room since room was last seen.
    is_full: AtomicBool,
    /// Wakes whoever watches the store.
    noticed: Notify,
}

impl Outages {
    /// Counts a failed operation, and remembers it if it may have failed because of the store as a whole.
    pub(super) fn note<T>(&self, done: Result<T, ContentError>) -> Result<T, ContentError> {
        if let Err(error) = &done {
            metrics().content.count_failure(error.kind());
            if error.is_outage() {
                self.met.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| error.clone());
                // Relaxed: the flag guards no other data.
                self.shared.is_full.fetch_or(matches!(error, ContentError::Full(_)), Ordering::Relaxed);
                self.shared.noticed.notify_one();
            }
        }
        done
    }

    /// Remembers an outage that another process met.
    pub(super) fn meet(&self, fault: ContentError) {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
    }

    /// The first outage that this handle met.
    pub(super) fn first_outage(&self) -> Option<ContentError> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until an operation through any handle meets an outage; returns at once if one did since the last wait.
    pub(super) async fn wait_for_outage(&self) {
        self.shared.noticed.notified().await;
    }

    pub(super) fn of_new_handle(&self) -> Self {
        Self { met: Arc::default(), shared: Arc::clone(&self.shared) }
    }

    pub(super) fn is_full(&self) -> bool {
        self.shared.is_full.load(Ordering::Relaxed)
    }

    pub(super) fn set_full(&self, is_full: bool) {
        self.shared.is_full.store(is_full, Ordering::Relaxed);
    }
}

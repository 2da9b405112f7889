//! The breakers that a fleet shares, each under the name of the calls it guards.

use crate::store::handle::{Store, each};
use crate::store::{Admission, BreakerPolicy, CallOutcome, ReportResult, StoreError};

/// Access to the shared breakers of the fleet, and to nothing else in its store.
#[derive(Debug, Clone, Copy)]
pub struct SharedBreakers<'a>(&'a Store);

impl Store {
    /// The breakers of this store.
    #[must_use]
    pub fn breakers(&self) -> SharedBreakers<'_> {
        SharedBreakers(self)
    }
}

impl<'a> From<&'a Store> for SharedBreakers<'a> {
    fn from(store: &'a Store) -> Self {
        Self(store)
    }
}

impl SharedBreakers<'_> {
    /// Asks the breaker `name` whether a call may be made now.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached; callers fall back to a local breaker.
    pub async fn admit(self, name: &str, policy: &BreakerPolicy) -> Result<Admission, StoreError> {
        each!(self.0, s => s.admit(name, policy).await)
    }

    /// As [`Self::admit`], for a caller that need not wait for an open breaker: it becomes the probe, unless one is under way.
    ///
    /// # Errors
    /// As [`Self::admit`].
    pub async fn admit_early(self, name: &str, policy: &BreakerPolicy) -> Result<Admission, StoreError> {
        each!(self.0, s => s.admit_early(name, policy).await)
    }

    /// Reports to the breaker `name` how an admitted call ended; a report of an older generation is ignored. Returns the new state, and
    /// the outcomes that opened the breaker if this report did.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn report(
        self,
        name: &str,
        policy: &BreakerPolicy,
        generation: u64,
        outcome: CallOutcome,
    ) -> Result<ReportResult, StoreError> {
        each!(self.0, s => s.report(name, policy, generation, outcome).await)
    }
}

//! The breakers that a fleet shares, each under the name of what it guards.

use crate::store::handle::{Store, each};
use crate::store::{Admission, BreakerPolicy, CallOutcome, ReportResult, StoreError};

/// The breakers that a fleet shares, and nothing else of its store.
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
    /// [`StoreError`] where the store cannot be reached; callers fall back to a breaker of their own.
    pub async fn admit(self, name: &str, policy: &BreakerPolicy) -> Result<Admission, StoreError> {
        each!(self.0, s => s.admit(name, policy).await)
    }

    /// The same for whoever need not wait until an open breaker's time is over: it admits them as the probe, unless somebody is.
    ///
    /// # Errors
    /// As [`Self::admit`].
    pub async fn admit_early(self, name: &str, policy: &BreakerPolicy) -> Result<Admission, StoreError> {
        each!(self.0, s => s.admit_early(name, policy).await)
    }

    /// Tells the breaker `name` how an admitted call ended; a report of an older generation is ignored. Returns the state after it,
    /// and what opened the breaker where this report did.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
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

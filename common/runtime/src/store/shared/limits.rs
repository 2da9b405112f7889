//! Rate limits that a fleet shares.

use crate::store::handle::{Store, each};
use crate::store::{Amount, LimitPolicy, Reservation, StoreError};

/// Access to the rate limits of a store, each under its name.
#[derive(Debug, Clone, Copy)]
pub struct SharedLimits<'a>(&'a Store);

impl Store {
    /// The limits of this store.
    #[must_use]
    pub fn limits(&self) -> SharedLimits<'_> {
        SharedLimits(self)
    }
}

impl SharedLimits<'_> {
    /// Takes `amount` from the limit `name`, or returns how long to wait; then nothing was taken.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached; callers fall back to their share of the limit.
    pub async fn reserve(self, name: &str, policy: &LimitPolicy, amount: &Amount) -> Result<Reservation, StoreError> {
        each!(self.0, s => s.reserve(name, policy, amount).await)
    }

    /// Corrects what [`Self::reserve`] took from `name` to what was `used`: returns the rest, or takes what was missing.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn settle(
        self,
        name: &str,
        policy: &LimitPolicy,
        reserved: &Amount,
        used: &Amount,
    ) -> Result<(), StoreError> {
        each!(self.0, s => s.settle(name, policy, reserved, used).await)
    }
}

//! Spend ceilings that a fleet shares.

use crate::store::handle::{Store, each};
use crate::store::{Amount, CeilingHold, CeilingPolicy, Spending, StoreError};

/// Access to the spend ceilings of a store, each under its name.
#[derive(Debug, Clone, Copy)]
pub struct SharedCeilings<'a>(&'a Store);

impl Store {
    /// The ceilings of this store.
    #[must_use]
    pub fn ceilings(&self) -> SharedCeilings<'_> {
        SharedCeilings(self)
    }
}

impl SharedCeilings<'_> {
    /// Sets `hold` aside under the ceiling `name`, or returns why not; then nothing was set aside. It is released when its lease ends.
    ///
    /// `spent` is what the caller knows to be spent already: a store that was wiped continues from there.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached; callers fall back to their share of the rest.
    pub async fn set_aside(
        self,
        name: &str,
        policy: &CeilingPolicy,
        hold: &CeilingHold,
        spent: &Amount,
    ) -> Result<Spending, StoreError> {
        each!(self.0, s => s.set_aside(name, policy, hold, spent).await)
    }

    /// Ends what [`Self::set_aside`] began under `name` in `window`: releases the hold `id` and counts `used` as spent, even if the
    /// lease has ended. Does nothing if that window is over.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached; the amount then stays set aside until its lease ends.
    pub async fn spend(
        self,
        name: &str,
        policy: &CeilingPolicy,
        window: u64,
        id: &str,
        used: &Amount,
    ) -> Result<(), StoreError> {
        each!(self.0, s => s.spend(name, policy, window, id, used).await)
    }
}

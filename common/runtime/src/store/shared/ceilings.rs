//! Spend ceilings that a fleet shares.

use crate::store::handle::{Store, each};
use crate::store::{Amount, CeilingHold, CeilingPolicy, Spending, StoreError};

/// The spend ceilings of a store, each under its name.
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
    /// Sets `hold` aside under the ceiling `name`, or says why not; then nothing was set aside. It is free again after its lease.
    ///
    /// `spent` is what the caller knows to be gone already: a store that was wiped counts on from there.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached; callers fall back to their share of what is left.
    pub async fn set_aside(
        self,
        name: &str,
        policy: &CeilingPolicy,
        hold: &CeilingHold,
        spent: &Amount,
    ) -> Result<Spending, StoreError> {
        each!(self.0, s => s.set_aside(name, policy, hold, spent).await)
    }

    /// Ends what [`Self::set_aside`] began under `name` in `window`: the hold `id` is free again, and `used` is spent, also where
    /// its lease has ended. Nothing happens where that window is over.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached; the amount stays set aside until its lease ends then.
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

//! Whether a store is used by one fleet only.

use crate::store::StoreError;
use crate::store::handle::{Store, each};

impl Store {
    /// Whether the records here are of this fleet, as far as a marker in the store says. A store in this process is always its own. A
    /// marker costs nothing but a message: whoever may write to the store may write the marker too.
    ///
    /// # Errors
    /// [`StoreError`] if the store or the fleet key cannot be reached.
    pub async fn is_of_this_fleet(&self) -> Result<bool, StoreError> {
        each!(self, s => s.is_of_this_fleet().await)
    }
}

//! The time of the store: the one clock that all workers of a fleet can read.

use precis_proto::Timestamp;

use crate::store::StoreError;
use crate::store::handle::{Store, each};

impl Store {
    /// The time by the store's clock; `None` for a store that has no clock of its own, in this process.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn time(&self) -> Result<Option<Timestamp>, StoreError> {
        each!(self, s => s.time().await)
    }
}

//! How much may be stored for whom on a day, as workers count it.

use std::fmt;
use std::sync::Arc;

use precis_proto::SessionId;
use precis_runtime::content::Tallies;
use precis_runtime::runner::storage_refusal;

use crate::callers::Caller;
use crate::door::Door;
use crate::problem::Problem;

/// Tells who pays for a tenant, and how many bytes may be stored for that payer on a day.
type Payers = Arc<dyn Fn(Option<&str>) -> (String, u64) + Send + Sync>;

/// The ceilings, and what this door has stored.
#[derive(Clone)]
pub struct Storage {
    payers: Payers,
    tallies: Arc<Tallies>,
}

impl Storage {
    /// Ceilings by `payers`, which returns the name of the payer for a tenant and its limit in bytes.
    pub fn new(payers: impl Fn(Option<&str>) -> (String, u64) + Send + Sync + 'static) -> Self {
        Self { payers: Arc::new(payers), tallies: Arc::default() }
    }
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage").finish_non_exhaustive()
    }
}

impl Door {
    /// Checks that `bytes` more may be stored for the caller's tenant today; with `keep`, counts them. What a session stores is counted by
    /// the worker that takes it.
    ///
    /// # Errors
    /// 429, 503.
    pub(crate) async fn may_store(&self, caller: &Caller, bytes: u64, keep: bool) -> Result<(), Problem> {
        let Storage { payers, tallies } = &self.parts.storage;
        let (payer, limit) = payers(caller.tenant.as_deref());
        let (content, now) = (&self.parts.content, self.parts.clock.now());
        match tallies.reserve(content, &payer, bytes, limit, now).await? {
            Ok(reserved) if keep => Ok(reserved.keep(content).await?),
            Ok(_) => Ok(()),
            Err(reached) => {
                let nobody = SessionId::new("none").expect("an id");
                Err(storage_refusal(&nobody, &payer, reached).into())
            }
        }
    }
}

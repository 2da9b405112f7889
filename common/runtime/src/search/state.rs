//! The state shared by all searches of a process.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::policy::SearchPolicy;
use super::searcher::Searcher;
use crate::paid::allowance::Allowance;
use crate::paid::billing::Ceilings;
use crate::store::{Breakers, Store};

/// The state shared by all searches.
#[derive(Debug)]
pub(super) struct SearchesState {
    /// By name.
    pub(super) searchers: BTreeMap<String, Arc<Searcher>>,
    pub(super) store: Store,
    pub(super) policy: SearchPolicy,
    pub(super) breakers: Breakers,
    pub(super) allowance: Allowance,
    pub(super) ceilings: Ceilings,
    /// Tasks of the requests under way, tracked here so that answers are stored even if the caller is gone.
    pub(super) tasks: TaskTracker,
    /// Cancelled once, when a drain has waited long enough; ends every request.
    pub(super) stop: CancellationToken,
}

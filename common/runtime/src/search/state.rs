//! What the searches of a process share.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::policy::SearchPolicy;
use super::searcher::Searcher;
use crate::model::allowance::Allowance;
use crate::model::billing::Ceilings;
use crate::store::{Breakers, Store};

/// What searches share.
#[derive(Debug)]
pub(super) struct SearchesState {
    /// By name.
    pub(super) searchers: BTreeMap<String, Arc<Searcher>>,
    pub(super) store: Store,
    pub(super) policy: SearchPolicy,
    pub(super) breakers: Breakers,
    pub(super) allowance: Allowance,
    pub(super) ceilings: Ceilings,
    /// Requests under way, owned here so that their answers are kept when nobody waits any more; end with the request.
    pub(super) tasks: TaskTracker,
    /// Set once, when a drain has waited long enough; ends every request.
    pub(super) stop: CancellationToken,
}

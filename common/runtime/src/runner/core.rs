//! What all tasks of a worker share. Its handlers are not among them: they are handed beside it to whoever runs them.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::controls::Controls;
use super::events::Events;
use super::replies::ReplyRouter;
use super::settings::RunnerSettings;
use crate::broker::Broker;
use crate::clock::Clock;
use crate::content::ContentStore;
use crate::failpoints::Failpoints;
use crate::model::Models;
use crate::store::Store;

/// What handlers reach through their context.
#[derive(Debug)]
pub struct Services {
    /// Texts and results.
    pub content: ContentStore,
    /// Language models and the built-in one.
    pub models: Models,
}

/// What all tasks of a worker share.
#[derive(Debug)]
pub struct Core {
    pub(super) worker_id: String,
    pub(super) broker: Broker,
    pub(super) store: Store,
    pub(super) services: Services,
    pub(super) settings: RunnerSettings,
    pub(super) clock: Clock,
    pub(super) failpoints: Failpoints,
    pub(super) replies: ReplyRouter,
    pub(super) events: Events,
    pub(super) controls: Controls,
    /// Room for requests that are being read, in KiB.
    pub(super) reading: Semaphore,
    /// Held by the one suspect job that is worked on, whatever its kind.
    pub(super) suspect: Arc<Semaphore>,
    /// Memory for sessions that were read from pages, in KiB.
    pub(super) carrying: Semaphore,
    /// Fires when the worker drains: sessions hand over.
    pub(super) draining: CancellationToken,
    /// Fires when the grace period is over: whatever still runs is cut off.
    pub(super) aborting: CancellationToken,
}

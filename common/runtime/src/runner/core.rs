//! What all tasks of a worker share. The handlers are passed separately to the tasks that run them.

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

/// The services handlers reach through their context.
#[derive(Debug)]
pub struct Services {
    /// Texts and results.
    pub content: ContentStore,
    /// The language models, including the built-in one.
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
    /// Memory for requests being read, in KiB.
    pub(super) reading: Semaphore,
    /// Permit of the one suspect job being worked on, of whatever kind.
    pub(super) suspect: Arc<Semaphore>,
    /// Memory for sessions read from pages, in KiB.
    pub(super) carrying: Semaphore,
    /// Fires when the worker drains: sessions hand over.
    pub(super) draining: CancellationToken,
    /// Fires when the grace period is over: everything still running is aborted.
    pub(super) aborting: CancellationToken,
}

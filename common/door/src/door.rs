//! What all handlers share, and whom a session is shown to.

use std::sync::Arc;

use axum::http::HeaderMap;
use bytes::Bytes;
use precis_proto::event::Event;
use precis_runtime::clock::Clock;
use precis_runtime::config::TokenScope;
use precis_runtime::content::ContentStore;
use precis_runtime::records::{AcceptedSession, read_accepted};
use precis_runtime::store::Store;
use precis_runtime::webhooks::Endpoints;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::admission::Admission;
use crate::base_path::BasePath;
use crate::callers::{Caller, Callers};
use crate::indexing::IndexWakes;
use crate::limits::{DRY_RUNS, DoorLimits, READING_BYTES};
use crate::link::{Connect, Link};
use crate::problem::Problem;
use crate::reports::Reports;
use crate::storage::Storage;
use crate::wakeups::Wakeups;

/// Bytes that one permit of the memory for bodies stands for.
const PERMIT_BYTES: usize = 1024;

/// Most events heard and not yet passed on; of further ones nobody is told, and who waits looks again by itself.
const HEARD: usize = 4_096;

/// What a door is made of.
#[derive(Debug, Clone)]
pub struct DoorParts {
    /// The content store of the fleet: the truth.
    pub content: ContentStore,
    /// The shared store.
    pub store: Store,
    /// Whether the workers log events into `store`; otherwise this door logs what it hears, for itself.
    pub is_store_shared: bool,
    /// Opens the broker connection.
    pub connect: Arc<dyn Connect>,
    /// Who may call.
    pub callers: Callers,
    /// The clock that dates what is accepted.
    pub clock: Clock,
    /// Renders and verifies reports.
    pub reports: Arc<dyn Reports>,
    /// How much may be stored for whom.
    pub storage: Storage,
    /// The limits.
    pub limits: DoorLimits,
    /// The path that all addresses are below.
    pub base_path: BasePath,
    /// Whom sessions may have told of their end; needs no secrets.
    pub webhooks: Endpoints,
}

/// A door. Holds nothing that another one could not read.
#[derive(Debug)]
pub struct Door {
    pub(crate) parts: DoorParts,
    pub(crate) link: Link,
    pub(crate) wakeups: Wakeups,
    /// What is remembered to ask less often who may submit.
    pub(crate) admission: Admission,
    /// When workers were told of collections.
    pub(crate) index_wakes: IndexWakes,
    /// Memory for bodies that are being read.
    pub(crate) reading: Arc<Semaphore>,
    /// One permit for each dry run at once.
    pub(crate) dry_runs: Semaphore,
    /// Fires when the door is stopped: streams end.
    pub(crate) stopping: CancellationToken,
}

impl Door {
    /// Makes a door of its parts, which ends its streams when `stopping` fires.
    #[must_use]
    pub fn new(parts: DoorParts, stopping: CancellationToken) -> Arc<Self> {
        let reading = Arc::new(Semaphore::new(READING_BYTES / PERMIT_BYTES));
        let (link, wakeups, admission, index_wakes) = Default::default();
        let dry_runs = Semaphore::new(DRY_RUNS);
        Arc::new(Self { parts, link, wakeups, admission, index_wakes, reading, dry_runs, stopping })
    }

    /// Keeps the broker connection, and wakes those whose session something happened to. Never ends.
    pub async fn keep_connected(&self) {
        let (heard, mut events) = tokio::sync::mpsc::channel(HEARD);
        let connect = Arc::clone(&self.parts.connect);
        let keeping = self.link.keep(connect.as_ref(), move |event| drop(heard.try_send(event)));
        let waking = async {
            while let Some(event) = events.recv().await {
                self.notify(event).await;
            }
        };
        tokio::join!(keeping, waking);
    }

    async fn notify(&self, event: Option<Event>) {
        let Some(event) = event else { return self.wakeups.wake_all() };
        if !self.parts.is_store_shared
            && let Ok(json) = serde_json::to_vec(&event)
        {
            // In this process: it does not wait.
            let _ = self.parts.store.events().add(&[(event.session_id.clone(), Bytes::from(json))]).await;
        }
        self.wakeups.wake(&event.session_id);
    }

    /// Returns who sent a request with these headers, if it may do what `scope` says.
    ///
    /// # Errors
    /// 401, 403.
    pub(crate) fn caller(&self, headers: &HeaderMap, scope: TokenScope) -> Result<Caller, Problem> {
        let caller = self.parts.callers.identify(headers)?;
        caller.must(scope).map(|()| caller)
    }

    /// Returns the record of the session `id`, if there is one and it is the caller's to see. One look-up for any text, and one answer
    /// for all that is not there: what belongs to another tenant, what never was, and what cannot be an id.
    ///
    /// # Errors
    /// 404, 503.
    pub(crate) async fn session(&self, caller: &Caller, id: &str) -> Result<AcceptedSession, Problem> {
        let record = read_accepted(&self.parts.content, id).await?;
        record.filter(|record| record.tenant == caller.tenant).ok_or_else(Problem::unknown_session)
    }

    /// Returns the record of the session `id` for a request that reads it, and who asks.
    ///
    /// # Errors
    /// 401, 403; as [`Self::session`].
    pub(crate) async fn read_session(
        &self,
        headers: &HeaderMap,
        id: &str,
    ) -> Result<(Caller, AcceptedSession), Problem> {
        let caller = self.caller(headers, TokenScope::Read)?;
        let record = self.session(&caller, id).await?;
        Ok((caller, record))
    }

    /// Waits for the memory to read a body of `bytes`, which counts twice.
    pub(crate) async fn memory(&self, bytes: usize) -> Option<tokio::sync::OwnedSemaphorePermit> {
        let permits = (2 * bytes).div_ceil(PERMIT_BYTES).clamp(1, READING_BYTES / PERMIT_BYTES);
        Arc::clone(&self.reading).acquire_many_owned(u32::try_from(permits).unwrap_or(u32::MAX)).await.ok()
    }
}

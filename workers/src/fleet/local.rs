//! A fleet of one worker in this process. Its queues, its store and its content are in one folder, and outlive the process however it ends.
//!
//! ```text
//! {dir}/queues     requests, sessions and jobs that are under way; one process at a time owns it
//! {dir}/store      answers of models and jobs, fences, marks of running jobs, cancellations
//! {dir}/content    texts, results, the archive
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use precis_runtime::broker::{Broker, MemoryBroker, Topology};
use precis_runtime::clock::Clock;
use precis_runtime::config::Settings;
use precis_runtime::content::ContentStore;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::files;
use precis_runtime::journal::OpenJournalError;
use precis_runtime::runner::{Queues, RunnerSettings};
use precis_runtime::store::{MemoryStore, Store};
use precis_runtime::telemetry::Health;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::caller::Caller;
use super::connect::{archive_dir, content, create_content};
use super::retention::{Kept, clean};
use super::supervisor::{BrokerSource, SupervisedResources, supervise};
use super::worker_settings::{archive_in, runner_settings, worker_id};
use crate::assembly::{model_windows, pipeline, search_providers, webhooks};
use crate::cli::exit::{CommandFailure, Exit};
use crate::documents::parse::Parser;
use crate::lanes::Lanes;

/// A running fleet of one worker. Dropping it acts like a crash, from which the next start continues.
#[derive(Debug)]
pub struct LocalFleet {
    broker: MemoryBroker,
    store: MemoryStore,
    content: ContentStore,
    health: Health,
    stop: CancellationToken,
    working: AbortOnDropHandle<bool>,
    _cleaning: AbortOnDropHandle<()>,
}

/// What of a fleet is in its folder.
struct Folder {
    broker: MemoryBroker,
    store: MemoryStore,
    content: ContentStore,
    /// With the addresses of what is in the folder.
    settings: Settings,
}

impl LocalFleet {
    /// Opens the folder, which is created if it is missing, and goes on with every session that is in it. `parser` reads documents. Settings
    /// that name a broker, a store or a content store have no effect.
    ///
    /// # Errors
    /// [`Exit::Refused`] if another process uses the folder, or it cannot be trusted or read; [`Exit::Usage`] if settings are invalid.
    pub async fn start(settings: &Settings, dir: &Path, parser: Parser) -> Result<Self, CommandFailure> {
        let Folder { broker, store, content, settings } = open_folder(settings, dir).await?;
        let (health, stop) = (Health::default(), CancellationToken::new());
        let shared = Store::Memory(store.clone());
        let parts = parts(&settings, shared, content.clone(), health.clone(), parser).await?;
        let archive = archive_dir(&settings)?.map(precis_runtime::archive::Archive::reading).transpose();
        let archive = archive.map_err(|e| unusable("research_archive_dir", &e))?;
        let cleaning = tokio::spawn(clean(content.clone(), archive, Kept::of(&settings)));
        let (source, stopping) = (BrokerSource::Process(broker.clone()), stop.clone());
        let working = tokio::spawn(async move { supervise(&source, &parts, stopping).await });
        Ok(Self {
            broker,
            store,
            content,
            health,
            stop,
            working: AbortOnDropHandle::new(working),
            _cleaning: AbortOnDropHandle::new(cleaning),
        })
    }

    /// Returns a new connection that submits, watches and ends sessions.
    #[must_use]
    pub fn caller(&self) -> Caller {
        let broker = Broker::Memory(self.broker.connect(Failpoints::none()));
        Caller { broker, store: self.store(), content: self.content() }
    }

    pub(super) fn broker(&self) -> MemoryBroker {
        self.broker.clone()
    }

    pub(super) fn store(&self) -> Store {
        Store::Memory(self.store.clone())
    }

    /// Returns its content store.
    #[must_use]
    pub fn content(&self) -> ContentStore {
        self.content.clone()
    }

    /// Whether it takes work.
    #[must_use]
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Waits until the queues can no longer be kept on disk; returns why. Everything that was confirmed is there at the next start, and until
    /// then nothing is accepted.
    pub async fn wait_for_failure(&self) -> String {
        self.broker.wait_for_failure().await.to_string()
    }

    /// Takes no more work, lets jobs finish within the grace period of the settings, hands sessions over to the next start, and closes the
    /// folder. Returns whether all jobs finished.
    pub async fn shutdown(self) -> bool {
        self.stop.cancel();
        let in_time = self.working.await.unwrap_or(false);
        self.broker.close();
        self.store.close();
        in_time
    }
}

async fn open_folder(settings: &Settings, dir: &Path) -> Result<Folder, CommandFailure> {
    files::private_dir(dir).map_err(|error| unusable_folder(dir, &error.into()))?;
    let clock = Clock::system();
    // First: whoever has the queues is alone in the folder.
    let broker = MemoryBroker::open(&dir.join("queues"), Topology::standard(), clock.clone()).await;
    let broker = broker.map_err(|error| unusable_folder(dir, &error))?;
    let (place, max_bytes) = (dir.join("store"), settings.cache.max_bytes);
    let opening = tokio::task::spawn_blocking(move || MemoryStore::open(&place, max_bytes, &clock));
    let store = match opening.await {
        Ok(store) => store.map_err(|error| unusable_folder(dir, &error))?,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    };
    let settings = with_content_dir(settings, dir)?;
    let content = create_content(&settings).await?;
    Ok(Folder { broker, store, content, settings })
}

/// Opens the content store of the fleet in the folder `dir`, which another process may use.
///
/// # Errors
/// [`Exit::Refused`] if there is none.
pub fn content_in(settings: &Settings, dir: &Path) -> Result<ContentStore, CommandFailure> {
    if !dir.join("content").is_dir() {
        let message = format!("{} is no data folder of `precis serve --embedded`", dir.display());
        return Err(CommandFailure::new(Exit::Refused, "unusable_folder", message));
    }
    content(&with_content_dir(settings, dir)?)
}

/// The settings of a fleet whose content is in `dir`.
fn with_content_dir(settings: &Settings, dir: &Path) -> Result<Settings, CommandFailure> {
    let mut settings = settings.clone();
    let content = std::path::absolute(dir.join("content")).ok().and_then(|dir| url::Url::from_directory_path(dir).ok());
    let address = content.and_then(|url| serde_json::from_value(serde_json::Value::String(url.to_string())).ok());
    let failed = || CommandFailure::new(Exit::Refused, "unusable_folder", format!("{} has no address", dir.display()));
    settings.services.content_url = Some(address.ok_or_else(failed)?);
    (settings.services.redis_url, settings.services.amqp_url) = (None, None);
    Ok(settings)
}

async fn parts(
    settings: &Settings,
    store: Store,
    content: ContentStore,
    health: Health,
    parser: Parser,
) -> Result<SupervisedResources, CommandFailure> {
    let settings = &model_windows::with_windows(settings, &store).await;
    let models = pipeline::guarded_models(settings, store.clone());
    let models = models.map_err(|e| CommandFailure::new(Exit::Usage, "invalid_configuration", e.to_string()))?;
    let lanes = Arc::new(Lanes::default().searching(search_providers::of_worker(settings, store.clone())?));
    let archive = archive_dir(settings)?.map(|dir: PathBuf| archive_in(settings, &content, dir)).transpose();
    let archive = archive.map_err(|e| unusable("research_archive_dir", &e))?.map(Arc::new);
    let registry = pipeline::fleet_registry(settings, parser, archive, Arc::clone(&lanes), &store);
    Ok(SupervisedResources {
        // Unique for each start: the names of message copies are made of it.
        worker_id: worker_id(),
        store,
        content,
        models,
        lanes,
        registry,
        queues: Queues::All,
        // Nobody but this process is on its broker, which so verifies nobody.
        runner: RunnerSettings {
            requires_user: false,
            webhooks: webhooks::of_worker(settings)?,
            ..runner_settings(settings)
        },
        grace: Duration::from_secs_f64(settings.worker.drain_seconds),
        health,
    })
}

fn unusable(key: &str, error: &std::io::Error) -> CommandFailure {
    CommandFailure::new(Exit::Usage, "invalid_configuration", format!("{key}: {error}"))
}

fn unusable_folder(dir: &Path, error: &OpenJournalError) -> CommandFailure {
    let code = match error {
        OpenJournalError::InUse(_) => "folder_in_use",
        OpenJournalError::Unsafe(_)
        | OpenJournalError::Io { .. }
        | OpenJournalError::Damaged { .. }
        | OpenJournalError::Newer { .. } => "unusable_folder",
    };
    CommandFailure::new(Exit::Refused, code, format!("open the data folder {}: {error}", dir.display()))
}

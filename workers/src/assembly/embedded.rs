//! The embedded run: a session in one process, with queues and store in memory and the content store in the user's cache directory.
//!
//! It uses the same handlers and the same runner as a fleet; only the broker, the store and the location of the files differ.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::request::{RequestOptions, RequestSource, ResearchRequest};
use precis_proto::response::Response;
use precis_proto::source::ContentRef;
use precis_runtime::archive::Archive;
use precis_runtime::broker::{Broker, MemoryBroker, Topology};
use precis_runtime::clock::{Clock, unix_time};
use precis_runtime::config::Settings;
use precis_runtime::content::ContentStore;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::files::{self, Unsafe};
use precis_runtime::runner::{Queues, RunnerSettings, Services, Worker, WorkerParts};
use precis_runtime::store::{DiskCache, MemoryStore, Store};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::conversation::{Connections, converse};
use super::embedded_error::EmbeddedError;
use crate::assembly::search_providers::searches;
use crate::assembly::{model_windows, paid, pipeline};
use crate::cli::research_details::ShownEvent;
use crate::documents::parse::Parser;
use crate::input::source::{InputOrigin, InputSource};
use crate::lanes::{Lanes, Shelf};
use crate::meaning::LoadedModel;
use crate::options::account;

/// Texts and results older than this are removed from the cache directory, in hours.
const CONTENT_KEPT_HOURS: u32 = 30 * 24;
/// Free space required in the cache directory at the start of a run, in bytes.
const ROOM_BYTES: usize = 4 << 20;
/// How long jobs may continue after the session has its result. Paid calls get a few more seconds, so that their answers are cached.
const LEFT_OVER: Duration = Duration::from_millis(500);

/// An embedded session to run.
#[derive(Debug)]
pub struct RunRequest {
    /// The question.
    pub query: String,
    /// The documents.
    pub sources: Vec<InputSource>,
    /// Options that override the configuration, and the earlier conversation.
    pub options: RequestOptions,
    /// The open corpora that the options name.
    pub shelves: Vec<Shelf>,
    /// Content that the options reference by hash; put into the content store before the session starts.
    pub pages: Vec<Bytes>,
    /// Directory of the archive; unused if the settings disable archiving.
    pub archive_dir: PathBuf,
    /// Whether the cache directory is used: answers and texts of earlier runs are reused, and those of this run stored.
    pub use_cache: bool,
}

/// Runs one session to its end. Events are dropped if the receiver is slow or gone. Cancelling ends the session with a `cancelled`
/// response.
///
/// # Errors
/// [`EmbeddedError`] if the engine could not be set up, or failed.
pub async fn run(
    settings: &Settings,
    mut request: RunRequest,
    events: mpsc::Sender<ShownEvent>,
    cancel: CancellationToken,
) -> Result<Response, EmbeddedError> {
    find_model_of_meaning(settings)?;
    let lanes = Lanes::from_shelves(std::mem::take(&mut request.shelves));
    let scratch = Scratch::open(settings, &request)?;
    let store = Store::Memory(scratch.store.clone());
    let lanes = Arc::new(with_providers(lanes, settings, &request, &store)?);
    let settings = &with_windows(settings, &store, &cancel).await?;
    let client = MemoryBroker::new();
    let broker = Broker::Memory(client.connect(Failpoints::none()));
    broker.declare(&Topology::standard()).await?;
    put_pages(&scratch.content, std::mem::take(&mut request.pages)).await?;
    let archive = opened_archive(settings, &request).await;
    let models = pipeline::guarded_models(settings, store.clone())?;
    let worker = Worker::start(WorkerParts {
        worker_id: "embedded".to_owned(),
        broker: broker.clone(),
        store: store.clone(),
        services: Services { content: scratch.content.clone(), models: models.clone() },
        registry: pipeline::run_registry(
            settings,
            Parser::for_run(settings),
            archive.map(Arc::new),
            Arc::clone(&lanes),
        ),
        settings: runner_settings(settings),
        queues: Queues::All,
        clock: Clock::system(),
        failpoints: Failpoints::none(),
    })
    .await?;
    let caller = Broker::Memory(client.connect(Failpoints::none()));
    let connections = Connections { caller: &caller, client: &client, store: &store, content: &scratch.content };
    let response = match submission(request, &scratch.content).await {
        Ok(request) => converse(connections, request, events, cancel).await,
        Err(error) => Err(error),
    };
    // Jobs end first: one that still runs could start another paid call after the wait for paid answers.
    worker.drain(LEFT_OVER).await;
    paid::settle_sent(&models, &lanes).await;
    caller.close().await;
    response
}

/// Refuses to run without a configured model of meaning: a run that was told to use one does not go on without it unnoticed.
fn find_model_of_meaning(settings: &Settings) -> Result<(), EmbeddedError> {
    let found = LoadedModel::find_configured(&settings.meaning.meaning);
    found.map(drop).map_err(|e| {
        EmbeddedError::Engine(format!(
            "{e}, which meaning.model names: add it with `precis model add`, or set meaning.model to \"off\""
        ))
    })
}

/// Puts the content that the options reference into the content store. Old texts are removed before new ones are added; if that fails, the
/// store can still be used.
async fn put_pages(content: &ContentStore, pages: Vec<Bytes>) -> Result<(), EmbeddedError> {
    let _ = content.remove_older_than(CONTENT_KEPT_HOURS).await;
    for page in pages {
        content.put(page).await.map_err(|e| EmbeddedError::Engine(e.to_string()))?;
    }
    Ok(())
}

/// Asks the model servers for their windows. Cancellable: one that does not answer must not delay the end of an interrupted run.
async fn with_windows(
    settings: &Settings,
    store: &Store,
    cancel: &CancellationToken,
) -> Result<Settings, EmbeddedError> {
    tokio::select! {
        described = model_windows::with_windows(settings, store) => Ok(described),
        () = cancel.cancelled() => Err(EmbeddedError::Engine("cancelled before the session started".to_owned())),
    }
}

fn runner_settings(settings: &Settings) -> RunnerSettings {
    RunnerSettings {
        account: account(settings),
        job_timeout: Duration::from_secs_f64(settings.worker.job_timeout_seconds),
        ..RunnerSettings::default()
    }
}

/// Opens the archive of the run, if it has one; removes entries that are too old from a shared archive.
async fn opened_archive(settings: &Settings, request: &RunRequest) -> Option<Archive> {
    let archive = settings.archive.enabled.then(|| Archive::open_or_closed(request.archive_dir.clone()));
    if let Some(archive) = archive.as_ref().filter(|_| settings.archive.dir.is_some()) {
        // Only a shared archive is cleaned; an archive next to a report is kept as long as the report.
        let _ = archive.remove_older_than(settings.archive.ttl_hours, Clock::system().now()).await;
    }
    archive
}

/// Adds the search providers that the request names to the lanes.
fn with_providers(
    lanes: Lanes,
    settings: &Settings,
    request: &RunRequest,
    store: &Store,
) -> Result<Lanes, EmbeddedError> {
    let named = request.options.research.iter().flat_map(|research| research.web.iter().chain(&research.academic));
    let names: Vec<String> = named.cloned().collect();
    if names.is_empty() {
        return Ok(lanes);
    }
    let searches = searches(settings, &names, store.clone()).map_err(|e| EmbeddedError::Engine(e.message))?;
    Ok(lanes.searching(searches))
}

/// The content store and the store of a run. A temporary directory is removed with it.
struct Scratch {
    content: ContentStore,
    store: MemoryStore,
    _own: Option<tempfile::TempDir>,
}

impl Scratch {
    fn open(settings: &Settings, request: &RunRequest) -> Result<Self, EmbeddedError> {
        let files = request.sources.iter().filter_map(|source| match &source.origin {
            InputOrigin::File { path, content } => Some((content.clone(), path.clone())),
            InputOrigin::Url(_) => None,
        });
        let files: BTreeMap<_, _> = files.collect();
        let kept = settings.cache.dir.clone().filter(|_| request.use_cache);
        let own = if kept.is_some() { None } else { tempfile::tempdir().ok() };
        let keeps = kept.is_some();
        let dir = kept.or_else(|| own.as_ref().map(|own| own.path().to_path_buf()));
        // Before the write test, which would create the directory with the usual permissions.
        match dir.as_deref().map(files::private_dir) {
            // A directory that cannot be created or accessed fails the write test below.
            None | Some(Ok(()) | Err(Unsafe::Io { .. })) => {}
            Some(Err(error)) => return Err(EmbeddedError::UnsafeCache(error)),
        }
        let Some(dir) = dir.filter(|dir| has_room(dir)) else {
            // On a full or read-only disk the run continues: it only costs memory and repeated work.
            tracing::warn!("the cache directory cannot be written to; texts are kept in memory");
            let content = ContentStore::in_memory().with_files(files);
            return Ok(Self { content, store: MemoryStore::new(), _own: own });
        };
        let mut store = MemoryStore::new();
        if keeps {
            let disk = DiskCache::open(dir.join("store"), settings.cache.max_bytes);
            store = store.with_disk(disk.map_err(|e| no_dir("the cache directory", dir.clone(), &e))?);
        }
        let content = ContentStore::directory(dir.join("content"));
        let content = content.map_err(|e| no_dir("the cache directory", dir.clone(), &e))?;
        Ok(Self { content: content.with_files(files), store, _own: own })
    }
}

/// Returns whether a few megabytes can be written to a directory: enough for the texts of a small run, and it detects a full disk.
fn has_room(dir: &Path) -> bool {
    let probe = || -> std::io::Result<()> {
        std::fs::create_dir_all(dir)?;
        let mut file = tempfile::tempfile_in(dir)?;
        file.write_all(&vec![1; ROOM_BYTES])?;
        file.sync_data()
    };
    probe().is_ok()
}

fn no_dir(what: &'static str, path: PathBuf, reason: &dyn std::fmt::Display) -> EmbeddedError {
    EmbeddedError::Directory { what, path, reason: reason.to_string() }
}

/// Returns a unique session id from time and process id. Results are stored under it, so a run never reads the result of another.
fn session_id() -> SessionId {
    SessionId::new(format!("run-{:x}-{:x}", unix_time().as_nanos(), std::process::id())).expect("hexadecimal and short")
}

/// Returns a document as a request names it, with its attributes.
fn request_source(source: InputSource, proof: impl Fn(&ContentRef) -> String) -> RequestSource {
    let (url, content_ref) = match source.origin {
        InputOrigin::File { content, .. } => (source.url, Some(content)),
        InputOrigin::Url(url) => (Some(url), None),
    };
    RequestSource {
        source_id: source.source_id,
        title: source.title,
        url,
        pdf_url: None,
        snippet: None,
        content: None,
        content_base64: None,
        content_proof: content_ref.as_ref().map(proof),
        content_ref,
        content_type: source.content_type,
        quality: source.known.quality,
        published_at: source.known.published_at,
        protected: source.known.protected,
    }
}

/// Returns the request of a new session, with a proof for everything in the content store that it refers to.
async fn submission(request: RunRequest, content: &ContentStore) -> Result<ResearchRequest, EmbeddedError> {
    let key = content.fleet_key().await.map_err(|e| EmbeddedError::Engine(e.to_string()))?;
    let sources = request.sources.into_iter().map(|source| request_source(source, |content| key.proof("", content)));
    let mut options = request.options;
    for corpus in options.research.iter_mut().flat_map(|research| &mut research.corpus) {
        corpus.proof = Some(key.proof("", &corpus.manifest));
    }
    if let Some(fork) = options.research.as_mut().and_then(|research| research.fork.as_mut()) {
        fork.proof = Some(key.proof("", &fork.rounds));
    }
    Ok(ResearchRequest {
        schema_version: options.request_version(),
        session_id: session_id(),
        query: request.query,
        sources: sources.collect(),
        options,
    })
}

#[cfg(test)]
mod tests {
    use precis_proto::SourceId;
    use precis_proto::source::Quality;

    use super::*;
    use crate::input::source::DocumentAttributes;

    #[test]
    fn what_is_known_of_a_document_is_in_the_request() {
        let published_at = serde_json::from_value(serde_json::json!("2026-01-31T00:00:00Z")).expect("a time");
        let known = DocumentAttributes { protected: true, quality: Quality::High, published_at: Some(published_at) };
        let source = InputSource {
            source_id: SourceId::new("a").expect("an id"),
            title: "A".to_owned(),
            origin: InputOrigin::Url("https://example.org".to_owned()),
            url: None,
            content_type: None,
            known,
        };
        let asked = request_source(source.clone(), |_| unreachable!("a page has no bytes yet"));
        let said =
            DocumentAttributes { protected: asked.protected, quality: asked.quality, published_at: asked.published_at };
        assert_eq!(said, known);
        let unknown = request_source(InputSource { known: DocumentAttributes::default(), ..source }, |_| String::new());
        assert_eq!((unknown.protected, unknown.published_at), (false, None));
    }
}

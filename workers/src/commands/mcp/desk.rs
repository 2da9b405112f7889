//! What the calls of one server share: its settings, its folders, its fleet.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use precis_proto::SessionId;
use precis_runtime::config::Settings;
use tokio::sync::{OnceCell, Semaphore, watch};

use super::failure::ToolFailure;
use super::roots::Roots;
use crate::documents::parse::Parser;
use crate::fleet::LocalFleet;
use crate::lanes::Lanes;
use crate::meaning::ModelOfMeaning;

/// Longest wait for the folders of a client that can name them.
const ROOTS_WITHIN: Duration = Duration::from_secs(5);
/// How often it is looked whether the fleet was opened.
const LOOK: Duration = Duration::from_millis(500);
/// Folders that are indexed, and documents that are parsed, at the same time.
const READERS: usize = 2;

/// What the person who started the server allows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Allowed {
    /// Search providers for the web; none if it must not be searched.
    pub(super) web: Vec<String>,
    /// What a session may cost, in US dollars.
    pub(super) max_usd: f64,
    /// The tenant whose sessions and collections are used, and which is charged; `None` for the default one.
    pub(super) tenant: Option<String>,
    /// How long a call may wait for a report.
    pub(super) answer_within: Duration,
}

/// How far the preparation of a session is: `None` while it lasts, then its warnings.
pub(super) type Prepared = Option<Result<Vec<String>, ToolFailure>>;

/// The folders of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ClientRoots {
    /// It was asked for them.
    Asked,
    /// They are these.
    Known(Vec<String>),
}

/// Shared by all calls.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) settings: Settings,
    /// The data folder.
    pub(super) data: PathBuf,
    pub(super) allowed: Allowed,
    given: Roots,
    client: watch::Sender<ClientRoots>,
    /// Opened by the first call that needs it: what else uses the folder may end before.
    fleet: OnceCell<LocalFleet>,
    /// Sessions that this process prepares or submitted; an entry ends when somebody has seen the end of its session.
    preparing: Mutex<BTreeMap<SessionId, watch::Receiver<Prepared>>>,
    /// Held while a folder is indexed or a document is parsed for a call.
    pub(super) readers: Arc<Semaphore>,
    /// The indexes of collections that searches have opened.
    pub(super) published: Lanes,
    /// The model of meaning; set by the first search of an index with vectors.
    pub(super) meaning: OnceLock<ModelOfMeaning>,
}

impl Desk {
    /// The tenant of this server.
    pub(super) fn tenant(&self) -> Option<&str> {
        self.allowed.tenant.as_deref()
    }

    pub(super) fn new(settings: Settings, data: PathBuf, allowed: Allowed, given: Roots) -> Self {
        Self {
            settings,
            data,
            allowed,
            given,
            client: watch::Sender::new(ClientRoots::Known(Vec::new())),
            fleet: OnceCell::new(),
            preparing: Mutex::default(),
            readers: Arc::new(Semaphore::new(READERS)),
            published: Lanes::default(),
            meaning: OnceLock::new(),
        }
    }

    /// Makes calls wait until the client has said which folders it works in.
    pub(super) fn ask_client(&self) {
        self.client.send_replace(ClientRoots::Asked);
    }

    /// Takes the folders of the client.
    pub(super) fn client_said(&self, addresses: Vec<String>) {
        self.client.send_replace(ClientRoots::Known(addresses));
    }

    /// Returns the folders that may be read. Those of a client that does not answer are left out.
    pub(super) async fn roots(&self) -> Roots {
        let mut client = self.client.subscribe();
        let known = client.wait_for(|roots| matches!(roots, ClientRoots::Known(_)));
        match tokio::time::timeout(ROOTS_WITHIN, known).await {
            Ok(Ok(roots)) => match &*roots {
                ClientRoots::Known(addresses) => self.given.with_client(addresses),
                ClientRoots::Asked => self.given.clone(),
            },
            _ => self.given.clone(),
        }
    }

    /// Returns the fleet, which works on the sessions of the data folder from its first use on.
    ///
    /// # Errors
    /// [`ToolFailure`] if the folder cannot be used; the next call tries again.
    pub(super) async fn fleet(&self) -> Result<&LocalFleet, ToolFailure> {
        let start = || Box::pin(LocalFleet::start(&self.settings, &self.data, Parser::for_run(&self.settings)));
        self.fleet.get_or_try_init(start).await.map_err(|failure| {
            let failure = ToolFailure::from(failure);
            match failure.code.as_str() {
                "folder_in_use" => failure.with_remedy(
                    "another `precis mcp` or `precis serve --embedded` works on this folder: end it, or start this one with another --data DIR",
                ),
                _ => failure,
            }
        })
    }

    /// Waits until the data folder can no longer be written; returns why.
    pub(super) async fn wait_for_failure(&self) -> String {
        loop {
            match self.fleet.get() {
                Some(fleet) => return fleet.wait_for_failure().await,
                None => tokio::time::sleep(LOOK).await,
            }
        }
    }

    /// Hands running sessions over to the next start.
    pub(super) async fn close(self) {
        if let Some(fleet) = self.fleet.into_inner() {
            fleet.shutdown().await;
        }
    }

    /// Notes that this process prepares `session`.
    pub(super) fn prepares(&self, session: SessionId, how: watch::Receiver<Prepared>) {
        self.preparing.lock().unwrap_or_else(PoisonError::into_inner).insert(session, how);
    }

    /// Returns how far the preparation of `session` is; `None` if it is not one of this process.
    pub(super) fn preparation(&self, session: &SessionId) -> Option<watch::Receiver<Prepared>> {
        self.preparing.lock().unwrap_or_else(PoisonError::into_inner).get(session).cloned()
    }

    /// Forgets the preparation of `session`, whose end was seen.
    pub(super) fn has_ended(&self, session: &SessionId) {
        self.preparing.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
    }
}

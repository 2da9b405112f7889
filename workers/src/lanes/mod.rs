//! Where research may look: corpora and search providers, as a worker has them at hand.

mod folders;
mod open;
mod published;

use std::sync::Arc;
use std::time::Duration;

pub use folders::{Folders, Shelf};
use open::KeptOpen;
use precis_proto::research::{CorpusRef, Lane, ResearchOptions};
use precis_proto::source::ContentRef;
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::search::Searches;
pub use published::{PublishedError, publish};

/// Code of a session that names a search provider that is not set up.
pub const NO_PROVIDER: &str = "search_provider_missing";
/// Code of a session that names a corpus that nobody has.
pub const CORPUS_MISSING: &str = "corpus_missing";

/// Corpora that a worker keeps open at most.
const MOST_OPEN: usize = 8;

/// Why a lane cannot be searched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LaneError {
    /// Stable.
    pub code: &'static str,
    /// For people.
    pub message: String,
    /// What to do about it.
    pub remedy: &'static str,
    /// Whether it may pass.
    pub is_transient: bool,
}

/// The corpora that are open, by the hash of their manifests, and the search providers that are set up.
#[derive(Debug)]
pub struct Lanes {
    shelves: KeptOpen<ContentRef, Shelf>,
    searches: Option<Arc<Searches>>,
    /// Held while a corpus is unpacked.
    unpacking: tokio::sync::Mutex<()>,
}

impl Lanes {
    /// Corpora that are open already.
    #[must_use]
    pub fn from_shelves(shelves: Vec<Shelf>) -> Self {
        let by_hash = shelves.into_iter().map(|shelf| (shelf.corpus.manifest_hash(), shelf));
        Self { shelves: KeptOpen::new(MOST_OPEN, by_hash), searches: None, unpacking: tokio::sync::Mutex::new(()) }
    }

    /// Waits for the searches that were sent, at most `grace`; says whether all were answered.
    pub async fn settled(&self, grace: Duration) -> bool {
        match &self.searches {
            Some(searches) => searches.drain(grace).await,
            None => true,
        }
    }

    /// The same with search providers.
    #[must_use]
    pub fn searching(self, searches: Searches) -> Self {
        Self { searches: Some(Arc::new(searches)), ..self }
    }

    /// The search providers.
    ///
    /// # Errors
    /// [`LaneError`] where none is set up.
    pub fn searches(&self) -> Result<Arc<Searches>, LaneError> {
        self.searches.clone().ok_or(LaneError {
            code: NO_PROVIDER,
            message: "no search provider is set up here".to_owned(),
            remedy: "configure one in [search.providers.NAME] of the workers",
            is_transient: false,
        })
    }

    /// Whether the providers that a request names are there.
    ///
    /// # Errors
    /// [`LaneError`] names the first that is not.
    pub fn check(&self, options: &ResearchOptions) -> Result<(), LaneError> {
        let names = options.web.iter().chain(&options.academic);
        let Some(first) = names.clone().next() else { return Ok(()) };
        let searches = self
            .searches()
            .map_err(|error| LaneError { message: format!("{} (`{first}` is named)", error.message), ..error })?;
        let known: Vec<&str> = searches.names().collect();
        match names.clone().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(LaneError {
                code: NO_PROVIDER,
                message: format!("no search provider `{name}` is set up here; there are {}", known.join(", ")),
                remedy: "configure it in [search.providers.NAME] of the workers, or name another one",
                is_transient: false,
            }),
        }
    }

    /// The hashes of the corpora that are open.
    #[must_use]
    pub fn manifests(&self) -> Vec<ContentRef> {
        self.shelves.names()
    }

    /// The corpora of a session. One that is not open yet is unpacked from the content store.
    ///
    /// # Errors
    /// [`LaneError`] where one of them is nowhere, or cannot be opened.
    pub async fn folders(&self, corpora: &[CorpusRef], content: &ContentStore) -> Result<Folders, LaneError> {
        let mut found = Vec::new();
        for corpus in corpora {
            found.push(match self.shelves.get(&corpus.manifest) {
                Some(open) => open,
                None => self.unpacked(&corpus.manifest, content).await?,
            });
        }
        Ok(Folders::new(found))
    }

    async fn unpacked(&self, manifest: &ContentRef, content: &ContentStore) -> Result<Arc<Shelf>, LaneError> {
        // One at a time: sessions that begin together search the same corpus.
        let _turn = self.unpacking.lock().await;
        if let Some(open) = self.shelves.get(manifest) {
            return Ok(open);
        }
        let missing = |message: String, is_transient| LaneError {
            code: CORPUS_MISSING,
            message: format!("the corpus {manifest} cannot be searched: {message}"),
            remedy: "put it into the content store again with `precis corpus publish`",
            is_transient,
        };
        let dir = tempfile::tempdir().map_err(|e| missing(e.to_string(), true))?;
        let opened = published::open(manifest, content, dir.path()).await;
        let mut shelf = opened.map_err(|error| {
            let is_transient =
                matches!(&error, PublishedError::Content(ContentError::Unavailable(_) | ContentError::Full(_)));
            missing(error.to_string(), is_transient)
        })?;
        shelf.keep(dir);
        Ok(self.shelves.put(manifest.clone(), shelf))
    }
}

impl Default for Lanes {
    fn default() -> Self {
        Self::from_shelves(Vec::new())
    }
}

/// The lanes that a session searches, in the order they are told.
#[must_use]
pub fn lanes_of(options: &ResearchOptions) -> Vec<Lane> {
    let local = (!options.corpus.is_empty()).then_some(Lane::Local);
    let web = (!options.web.is_empty()).then_some(Lane::Web);
    let academic = (!options.academic.is_empty()).then_some(Lane::Academic);
    [local, web, academic].into_iter().flatten().collect()
}

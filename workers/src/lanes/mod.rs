//! The lanes of research: the corpora and search providers available to a worker.

mod folders;
mod open;
mod published;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use folders::{Folders, Shelf};
use open::KeptOpen;
use precis_proto::research::{CorpusRef, Lane, ResearchOptions};
use precis_proto::source::ContentRef;
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::search::Searches;
pub use published::{PublishedCorpus, PublishedError, publish, publish_corpus, unpack_into};

use crate::meaning::{ModelOfMeaning, Payer};

/// Code of a session that names a search provider that is not set up.
pub const NO_PROVIDER: &str = "search_provider_missing";
/// Code of a session that names a corpus that cannot be found.
pub const CORPUS_MISSING: &str = "corpus_missing";

/// Most corpora that a worker keeps open.
const MOST_OPEN: usize = 8;

/// Why a lane cannot be searched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LaneError {
    /// The stable code.
    pub code: &'static str,
    /// The message for people.
    pub message: String,
    /// The remedy.
    pub remedy: &'static str,
    /// Whether a later try may succeed.
    pub is_transient: bool,
}

/// The open corpora, by the hash of their manifests, and the search providers that are set up.
#[derive(Debug)]
pub struct Lanes {
    shelves: KeptOpen<ContentRef, Shelf>,
    searches: Option<Arc<Searches>>,
    /// Set once, when the process knows its model.
    meaning: OnceLock<ModelOfMeaning>,
    /// Held while a corpus is unpacked, so that each is unpacked only once.
    unpacking: tokio::sync::Mutex<()>,
}

impl Lanes {
    /// Lanes with corpora that are already open, without search providers.
    #[must_use]
    pub fn from_shelves(shelves: Vec<Shelf>) -> Self {
        let by_hash = shelves.into_iter().map(|shelf| (shelf.corpus.manifest_hash(), shelf));
        Self {
            shelves: KeptOpen::new(MOST_OPEN, by_hash),
            searches: None,
            meaning: OnceLock::new(),
            unpacking: tokio::sync::Mutex::new(()),
        }
    }

    /// Waits for the searches already sent, at most `grace`; returns whether all were answered.
    pub async fn settle_sent(&self, grace: Duration) -> bool {
        match &self.searches {
            Some(searches) => searches.drain(grace).await,
            None => true,
        }
    }

    /// Lets the model of meaning of this process find passages, where a corpus has vectors of it. The first one stays.
    pub fn compare_with(&self, model: ModelOfMeaning) {
        let _ = self.meaning.set(model);
    }

    /// Adds search providers.
    #[must_use]
    pub fn searching(self, searches: Searches) -> Self {
        Self { searches: Some(Arc::new(searches)), ..self }
    }

    /// Returns the search providers.
    ///
    /// # Errors
    /// [`LaneError`] if none is set up.
    pub fn searches(&self) -> Result<Arc<Searches>, LaneError> {
        self.searches.clone().ok_or(LaneError {
            code: NO_PROVIDER,
            message: "no search provider is set up".to_owned(),
            remedy: "configure one in [search.providers.NAME] of the workers",
            is_transient: false,
        })
    }

    /// Checks that the search providers a request names are set up.
    ///
    /// # Errors
    /// [`LaneError`] names the first that is not.
    pub fn check(&self, options: &ResearchOptions) -> Result<(), LaneError> {
        let names = options.web.iter().chain(&options.academic);
        let Some(first) = names.clone().next() else { return Ok(()) };
        let searches = self.searches().map_err(|error| LaneError {
            message: format!("{} (the request names `{first}`)", error.message),
            ..error
        })?;
        let known: Vec<&str> = searches.names().collect();
        match names.clone().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(LaneError {
                code: NO_PROVIDER,
                message: format!("the search provider `{name}` is not set up; available: {}", known.join(", ")),
                remedy: "configure it in [search.providers.NAME] of the workers, or name an available one",
                is_transient: false,
            }),
        }
    }

    /// Returns the manifest hashes of the open corpora.
    #[must_use]
    pub fn manifests(&self) -> Vec<ContentRef> {
        self.shelves.names()
    }

    /// Returns the corpora of a session; unpacks from the content store those that are not open.
    ///
    /// # Errors
    /// [`LaneError`] if one of them is missing or cannot be opened.
    pub async fn folders(&self, corpora: &[CorpusRef], content: &ContentStore) -> Result<Folders, LaneError> {
        let mut found = Vec::new();
        for corpus in corpora {
            found.push(self.shelf(&corpus.manifest, content).await?);
        }
        Ok(Folders::new(found).with_vectors_of(self.meaning.get().map(|model| model.key().to_owned())))
    }

    /// As [`Self::folders`], searched by meaning too, where a corpus has vectors; a server is asked on the account of whom `payer` returns.
    ///
    /// # Errors
    /// As [`Self::folders`].
    pub async fn searched_folders(
        &self,
        corpora: &[CorpusRef],
        content: &ContentStore,
        payer: impl FnOnce() -> Payer,
    ) -> Result<Folders, LaneError> {
        let folders = self.folders(corpora, content).await?;
        Ok(folders.comparing(self.meaning.get().map(|model| model.begin(payer))))
    }

    /// Returns the corpus with this manifest; unpacks it from the content store if it is not open.
    ///
    /// # Errors
    /// [`LaneError`] if it is missing or cannot be opened.
    pub async fn shelf(&self, manifest: &ContentRef, content: &ContentStore) -> Result<Arc<Shelf>, LaneError> {
        match self.shelves.get(manifest) {
            Some(open) => Ok(open),
            None => self.unpack(manifest, content).await,
        }
    }

    async fn unpack(&self, manifest: &ContentRef, content: &ContentStore) -> Result<Arc<Shelf>, LaneError> {
        // One at a time: sessions that start together often use the same corpus, which must be unpacked only once.
        let _turn = self.unpacking.lock().await;
        // Looked up again: another session may have unpacked it during the wait.
        if let Some(open) = self.shelves.get(manifest) {
            return Ok(open);
        }
        let missing = |message: String, is_transient| LaneError {
            code: CORPUS_MISSING,
            message: format!("the corpus {manifest} cannot be searched: {message}"),
            remedy: "run `precis corpus publish` to put it into the content store again",
            is_transient,
        };
        let dir = tempfile::tempdir().map_err(|e| missing(e.to_string(), true))?;
        let opened = published::open(manifest, content, dir.path()).await;
        let mut shelf = opened.map_err(|error| {
            let is_transient =
                matches!(&error, PublishedError::Content(ContentError::Unavailable(_) | ContentError::Full(_)));
            missing(error.to_string(), is_transient)
        })?;
        // Only now: until here, an error or a cancellation drops `dir` and removes what was unpacked.
        shelf.keep(dir);
        Ok(self.shelves.put(manifest.clone(), shelf))
    }
}

impl Default for Lanes {
    fn default() -> Self {
        Self::from_shelves(Vec::new())
    }
}

/// Returns the lanes that a session searches, in the order they are reported.
#[must_use]
pub fn lanes_of(options: &ResearchOptions) -> Vec<Lane> {
    let local = (!options.corpus.is_empty()).then_some(Lane::Local);
    let web = (!options.web.is_empty()).then_some(Lane::Web);
    let academic = (!options.academic.is_empty()).then_some(Lane::Academic);
    [local, web, academic].into_iter().flatten().collect()
}

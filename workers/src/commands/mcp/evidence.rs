//! The passages of folders and collections that match a question.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use precis_corpus::{Corpus, CorpusError, CorpusHit, CorpusQuery, Documents};
use precis_evidence::meaning::Meaning;

use super::answers::{EvidenceAnswer, Passage};
use super::arguments::{EvidenceArguments, MAX_HITS, check_count, check_limit};
use super::collections::{self, OpenedCollection};
use super::desk::Desk;
use super::failure::ToolFailure;
use super::indexes;
use super::preparing::question;
use super::progress::Progress;
use super::untrusted::NOTICE;
use crate::commands::corpus::indexing::corpus_failure;
use crate::commands::corpus::place::search_model;
use crate::commands::vectors_alone;
use crate::lanes::Shelf;
use crate::meaning::ModelOfMeaning;

/// Hits of a search without a limit.
const DEFAULT_HITS: u64 = 10;

/// An index that is searched.
enum SearchedIndex {
    /// That of a folder.
    Folder(PathBuf, Box<Corpus>),
    /// That of a collection.
    Collection(String, Arc<Shelf>),
}

impl SearchedIndex {
    fn corpus(&self) -> &Corpus {
        match self {
            Self::Folder(_, corpus) => corpus,
            Self::Collection(_, shelf) => &shelf.corpus,
        }
    }

    fn passage(&self, hit: CorpusHit) -> Passage {
        let (path, collection) = match self {
            Self::Folder(folder, _) => (folder.join(&hit.path).display().to_string(), None),
            Self::Collection(id, _) => (hit.path, Some(id.clone())),
        };
        Passage {
            path,
            collection,
            title: hit.title,
            headings: hit.headings,
            locator: hit.locator.to_string(),
            text: hit.text,
            score: hit.score,
            source_text_hash: hit.source_text_hash.to_string(),
        }
    }
}

/// What is searched, and what of it is not.
#[derive(Default)]
struct Searched {
    indexes: Vec<SearchedIndex>,
    warnings: Vec<String>,
    /// Whether a collection has no index at all yet.
    is_indexing: bool,
}

/// Finds passages. Folders are indexed first; if that takes longer than `within`, it goes on and the next call finds more done.
///
/// # Errors
/// [`ToolFailure`].
pub(super) async fn search(
    desk: &Arc<Desk>,
    arguments: &EvidenceArguments,
    within: Duration,
    progress: &Progress,
) -> Result<EvidenceAnswer, ToolFailure> {
    let query = question(&arguments.question)?;
    check_count("folders", &arguments.folders)?;
    let limit = check_limit("limit", arguments.limit, DEFAULT_HITS, MAX_HITS)?;
    let mut searched = in_collections(desk, &arguments.collections).await?;
    // All folders, unless something else is named.
    let folders = match arguments.collections.is_empty() || !arguments.folders.is_empty() {
        true => indexes::folders(desk, &arguments.folders).await?,
        false => Vec::new(),
    };
    let work = tokio::spawn({
        let (desk, progress) = (Arc::clone(desk), progress.clone());
        async move {
            let mut indexed = Vec::new();
            for folder in folders {
                let say = |what: &str, done, of| progress.say(format!("{what}: {done} of {of}"));
                indexed.push(indexes::up_to_date(&desk, folder, say).await?);
            }
            Ok::<_, ToolFailure>(indexed)
        }
    });
    let broken = |error: tokio::task::JoinError| ToolFailure::new("corpus_failed", error.to_string());
    let indexed = match tokio::time::timeout(within, work).await {
        Ok(indexed) if !searched.is_indexing => indexed.map_err(broken)??,
        _ => {
            let (status, notice) = ("indexing".to_owned(), NOTICE);
            return Ok(EvidenceAnswer { status, hits: Vec::new(), documents: 0, warnings: Vec::new(), notice });
        }
    };
    let desk = Arc::clone(desk);
    let found = tokio::task::spawn_blocking(move || {
        for one in indexed {
            let corpus = Corpus::open(&one.place).map_err(|error| corpus_failure(&error, &one.place))?;
            searched.indexes.push(SearchedIndex::Folder(one.place.folder().to_owned(), Box::new(corpus)));
            searched.warnings.extend(one.warnings);
        }
        let (hits, documents) = passages(&desk, &mut searched, &query, limit)?;
        let (status, notice) = ("done".to_owned(), NOTICE);
        Ok(EvidenceAnswer { status, hits, documents, warnings: searched.warnings, notice })
    });
    found.await.map_err(broken)?
}

/// Opens the newest indexes of collections.
async fn in_collections(desk: &Desk, ids: &[String]) -> Result<Searched, ToolFailure> {
    let mut searched = Searched::default();
    if ids.is_empty() {
        return Ok(searched);
    }
    let content = desk.fleet().await?.content();
    for one in collections::open(&content, desk.tenant(), ids).await? {
        let is_indexed = one.is_indexed();
        let OpenedCollection { collection, latest, index } = one;
        let Some(index) = index else {
            searched.is_indexing = true;
            continue;
        };
        let id = collection.id.to_string();
        if !is_indexed {
            let (newest, older) = (latest.version, index.version);
            searched.warnings.push(format!("{id}: version {newest} is not indexed yet; version {older} was searched"));
        }
        searched.warnings.extend(index.unread.iter().map(|file| format!("{id}: {} could not be read", file.name)));
        let shelf = desk.published.shelf(&index.manifest, &content).await;
        let shelf = shelf.map_err(|error| ToolFailure::new(error.code, error.message))?;
        searched.indexes.push(SearchedIndex::Collection(id, shelf));
    }
    Ok(searched)
}

/// The best passages of the indexes, and how many documents these have. Blocks.
fn passages(
    desk: &Desk,
    searched: &mut Searched,
    query: &str,
    limit: usize,
) -> Result<(Vec<Passage>, u64), ToolFailure> {
    let (mut found, mut documents) = (Vec::new(), 0);
    for index in &searched.indexes {
        let corpus = index.corpus();
        let model = model_of(desk, corpus).unwrap_or_else(|failure| {
            searched.warnings.push(format!("searched by words alone: {}", failure.message));
            None
        });
        let working = model.map(|model| vectors_alone::begin(&desk.settings, &model)).transpose()?;
        let meaning = working.as_ref().map(|model| model as &dyn Meaning);
        let query = CorpusQuery { text: query, limit, documents: Documents::All, meaning };
        let hits = corpus.search(&query).map_err(|error| damaged(&error))?;
        if let Some((working, failure)) = working.as_ref().and_then(|working| Some((working, working.failure()?))) {
            let why = vectors_alone::describe_failure(working, &failure);
            searched.warnings.push(format!("searched by words alone: {why}"));
        }
        documents += corpus.size().documents as u64;
        found.extend(hits.into_iter().enumerate().map(|(rank, hit)| (rank, index.passage(hit))));
    }
    // By rank: scores of different indexes cannot be compared. Stable, so that of the same rank the first index comes first.
    found.sort_by_key(|(rank, _)| *rank);
    Ok((found.into_iter().take(limit).map(|(_, passage)| passage).collect(), documents))
}

/// The configured model, if `corpus` has vectors of it. Read once.
fn model_of(desk: &Desk, corpus: &Corpus) -> Result<Option<ModelOfMeaning>, ToolFailure> {
    let Some((made_by, _)) = corpus.compared_by() else { return Ok(None) };
    match desk.meaning.get() {
        Some(model) => Ok(Some(model.clone()).filter(|model| model.key() == made_by)),
        None => {
            let model = search_model(&desk.settings, corpus)?;
            Ok(model.map(|model| desk.meaning.get_or_init(|| model).clone()))
        }
    }
}

fn damaged(error: &CorpusError) -> ToolFailure {
    ToolFailure::new("corpus_failed", error.to_string())
}

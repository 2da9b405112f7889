//! The collections of the data folder, of the tenant of this server: listed, and read or searched by their ids.

use std::time::Duration;

use precis_proto::SourceId;
use precis_proto::request::RequestSource;
use precis_proto::research::CollectionRef;
use precis_proto::source::Quality;
use precis_runtime::collections::{
    Collection, CollectionIndex, CollectionVersion, index_before, index_of, latest_version, list_collections,
    read_collection, wake_message,
};
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::records::is_list_name;
use tokio::time::Instant;

use super::answers::{CollectionRow, CollectionsAnswer};
use super::arguments::{CollectionsArguments, MAX_COLLECTIONS};
use super::desk::Desk;
use super::failure::ToolFailure;
use super::untrusted::NOTICE;
use crate::cli::terminal::printable;
use crate::fleet::Caller;

/// Collections of a page.
const PAGE: usize = 50;
/// Digits of the hash of a file in the id of its source.
const ID_DIGITS: usize = 16;
/// Longest wait for a collection that is being indexed, and how often it is looked whether it is.
const INDEXED_WITHIN: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(250);

/// A collection with its newest files, and the newest of its indexes.
#[derive(Debug)]
pub(super) struct OpenedCollection {
    pub(super) collection: Collection,
    pub(super) latest: CollectionVersion,
    pub(super) index: Option<CollectionIndex>,
}

impl OpenedCollection {
    /// Whether its newest files can be searched.
    pub(super) fn is_indexed(&self) -> bool {
        self.index.as_ref().is_some_and(|index| index.version == self.latest.version)
    }
}

/// Lists the collections, newest first.
///
/// # Errors
/// [`ToolFailure`].
pub(super) async fn list(desk: &Desk, arguments: &CollectionsArguments) -> Result<CollectionsAnswer, ToolFailure> {
    let place = arguments.cursor.as_deref();
    if place.is_some_and(|place| !is_list_name(place)) {
        return Err(ToolFailure::new("invalid_arguments", "cursor is not the `next` of an answer"));
    }
    let content = desk.fleet().await?.content();
    let page = list_collections(&content, desk.tenant(), place, PAGE).await.map_err(|error| away(&error))?;
    let mut rows = Vec::new();
    for collection in page.collections {
        let latest = latest_version(&content, &collection.id).await.map_err(|error| away(&error))?;
        let index = match &latest {
            Some(latest) => newest_index(&content, &collection, latest).await?,
            None => None,
        };
        rows.push(CollectionRow {
            id: collection.id.to_string(),
            name: collection.name,
            files: latest.as_ref().map_or(0, |latest| latest.files.len() as u64),
            version: latest.as_ref().map_or(0, |latest| latest.version),
            indexed_version: index.as_ref().map(|index| index.version),
        });
    }
    Ok(CollectionsAnswer { collections: rows, next: page.next, notice: NOTICE })
}

/// Looks the collections of `tenant` with these ids up.
///
/// # Errors
/// [`ToolFailure`] if one is not there or has no files, or there are too many.
pub(super) async fn open(
    content: &ContentStore,
    tenant: Option<&str>,
    ids: &[String],
) -> Result<Vec<OpenedCollection>, ToolFailure> {
    if ids.len() > MAX_COLLECTIONS {
        let message = format!("collections must have at most {MAX_COLLECTIONS} entries, got {}", ids.len());
        return Err(ToolFailure::new("invalid_arguments", message));
    }
    let mut found = Vec::new();
    for id in ids {
        let collection = read_collection(content, tenant, id).await.map_err(|error| away(&error))?;
        let collection = collection.ok_or_else(|| {
            let message = format!("the data folder of this server has no collection `{}`", printable(id));
            ToolFailure::new("unknown_collection", message).with_remedy("list_collections tells their ids")
        })?;
        let latest = latest_version(content, &collection.id).await.map_err(|error| away(&error))?;
        let Some(latest) = latest.filter(|latest| !latest.files.is_empty()) else {
            let message = format!("the collection `{}` has no files", collection.id);
            return Err(ToolFailure::new("empty_collection", message));
        };
        let index = newest_index(content, &collection, &latest).await?;
        found.push(OpenedCollection { collection, latest, index });
    }
    Ok(found)
}

/// The files of collections, as sources of a request. What two have in common is one source.
pub(super) fn sources(opened: &[OpenedCollection]) -> Vec<RequestSource> {
    let mut sources: Vec<RequestSource> = Vec::new();
    for file in opened.iter().flat_map(|one| &one.latest.files) {
        if sources.iter().any(|source| source.content_ref.as_ref() == Some(&file.content)) {
            continue;
        }
        // By its text, so that a session which follows has it once.
        let id = format!("c-{}", &file.content.hex()[..ID_DIGITS]);
        sources.push(RequestSource {
            source_id: SourceId::new(id).expect("a letter, a dash and digits"),
            title: file.name.clone(),
            url: None,
            pdf_url: None,
            snippet: None,
            content: None,
            content_base64: None,
            content_ref: Some(file.content.clone()),
            content_proof: None,
            content_type: None,
            quality: Quality::default(),
            published_at: None,
            protected: false,
        });
    }
    sources
}

/// The collections of `tenant` as a request names them, once their newest versions are indexed.
///
/// # Errors
/// [`ToolFailure`] if one is not there, or not indexed within [`INDEXED_WITHIN`].
pub(super) async fn indexed(
    caller: &Caller,
    tenant: Option<&str>,
    ids: &[String],
) -> Result<Vec<CollectionRef>, ToolFailure> {
    let until = Instant::now() + INDEXED_WITHIN;
    let mut is_told = false;
    loop {
        let opened = open(&caller.content, tenant, ids).await?;
        let Some(waiting) = opened.iter().find(|one| !one.is_indexed()) else {
            let named = |one: &OpenedCollection| CollectionRef {
                id: one.collection.id.clone(),
                version: Some(one.latest.version),
            };
            return Ok(opened.iter().map(named).collect());
        };
        if !is_told {
            // Best effort: the message that came with its files may have been given up.
            let _ = caller.broker.publish(wake_message(&waiting.collection.id, None)).await;
            is_told = true;
        }
        if Instant::now() >= until {
            let message = format!("the collection `{}` is not indexed yet", waiting.collection.id);
            return Err(ToolFailure::new("collection_not_indexed", message).with_remedy("call again in a while"));
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn newest_index(
    content: &ContentStore,
    collection: &Collection,
    latest: &CollectionVersion,
) -> Result<Option<CollectionIndex>, ToolFailure> {
    let id = &collection.id;
    match index_of(content, id, latest.version).await.map_err(|error| away(&error))? {
        Some(index) => Ok(Some(index)),
        None => index_before(content, id, latest.version).await.map_err(|error| away(&error)),
    }
}

fn away(error: &ContentError) -> ToolFailure {
    ToolFailure::new("content_store_unavailable", error.to_string())
}

#[cfg(test)]
mod tests {
    use precis_proto::source::ContentRef;
    use precis_proto::{CollectionId, Timestamp};
    use precis_runtime::collections::CollectionFile;

    use super::*;

    fn opened(files: &[(&str, &str)]) -> OpenedCollection {
        let file = |(name, text): &(&str, &str)| CollectionFile {
            name: (*name).to_owned(),
            content: ContentRef::from_bytes(text.as_bytes()),
            bytes: 1,
        };
        let collection = Collection {
            schema_version: 1,
            id: CollectionId::new("c").expect("an id"),
            tenant: None,
            name: String::new(),
            created_at: Timestamp(1),
            token: None,
        };
        let files = files.iter().map(file).collect();
        let latest = CollectionVersion { schema_version: 1, version: 1, at: Timestamp(1), files };
        OpenedCollection { collection, latest, index: None }
    }

    #[test]
    fn each_text_of_collections_is_one_source_with_its_own_id() {
        let found = sources(&[opened(&[("a.md", "A"), ("b.md", "B"), ("copy.md", "A")]), opened(&[("a.md", "C")])]);
        let told: Vec<(&str, &str)> = found.iter().map(|one| (one.source_id.as_str(), one.title.as_str())).collect();
        assert_eq!(told.iter().map(|(_, title)| *title).collect::<Vec<_>>(), ["a.md", "b.md", "a.md"]);
        let ids: std::collections::BTreeSet<&str> = told.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids.len(), 3, "{told:?}");
    }

    #[tokio::test]
    async fn collections_of_a_call_have_a_limit() {
        let content = ContentStore::in_memory();
        for (count, code) in [
            (MAX_COLLECTIONS - 1, "unknown_collection"),
            (MAX_COLLECTIONS, "unknown_collection"),
            (MAX_COLLECTIONS + 1, "invalid_arguments"),
        ] {
            let failure = open(&content, None, &vec!["none".to_owned(); count]).await.expect_err("none is there");
            assert_eq!(failure.code, code, "{count}");
        }
    }
}

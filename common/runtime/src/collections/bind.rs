//! The versions of collections that a request searches. Decided once, when the request is accepted.

use precis_proto::failure_code::FailureCode;
use precis_proto::research::{CollectionRef, CorpusRef, ResearchOptions};

use super::catalogue::read_collection;
use super::versions::{index_of, latest_version, version};
use crate::content::{ContentError, ContentStore};

/// Why a collection cannot be searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindFault {
    /// The stable code.
    pub code: FailureCode,
    /// What was found, and what to do about it.
    pub message: String,
    /// JSON pointer into the request.
    pub pointer: String,
}

/// Gives each collection that `research` names its version: the one it names, else the one that `earlier` has at the same place, which are
/// the options of the same request as accepted before, else the newest one. Returns the corpora to search, in the order of the collections.
///
/// # Errors
/// The inner error is the first collection that is not one of `tenant`, or is not indexed; [`ContentError`].
pub async fn bind(
    content: &ContentStore,
    tenant: Option<&str>,
    research: &mut ResearchOptions,
    earlier: Option<&ResearchOptions>,
) -> Result<Result<Vec<CorpusRef>, BindFault>, ContentError> {
    let mut corpora = Vec::new();
    for (place, asked) in research.collections.iter_mut().enumerate() {
        let known = earlier.and_then(|earlier| earlier.collections.get(place)).filter(|known| known.id == asked.id);
        let accepted = known.and_then(|known| known.version);
        asked.version = asked.version.or(accepted);
        // What was accepted goes on, also if the collection was removed since: what it held is there for as long.
        let is_accepted = accepted.is_some() && asked.version == accepted;
        match bound(content, tenant, asked, (place, is_accepted)).await? {
            Ok(corpus) => corpora.push(corpus),
            Err(fault) => return Ok(Err(fault)),
        }
    }
    Ok(Ok(corpora))
}

async fn bound(
    content: &ContentStore,
    tenant: Option<&str>,
    asked: &mut CollectionRef,
    (place, is_accepted): (usize, bool),
) -> Result<Result<CorpusRef, BindFault>, ContentError> {
    let fault = |code, message: &str, field: &str| {
        let pointer = format!("/options/research/collections/{place}/{field}");
        Ok(Err(BindFault { code, message: message.to_owned(), pointer }))
    };
    if !is_accepted && read_collection(content, tenant, asked.id.as_str()).await?.is_none() {
        let message = "there is no collection with this id: list collections with GET /v1/collections";
        return fault(FailureCode::UnknownCollection, message, "id");
    }
    let number = match asked.version {
        Some(number) => number,
        None => match latest_version(content, &asked.id).await? {
            Some(latest) => latest.version,
            None => {
                let message = "the collection has no files: add some with POST /v1/collections/{id}/files";
                return fault(FailureCode::CollectionNotIndexed, message, "id");
            }
        },
    };
    asked.version = Some(number);
    if let Some(index) = index_of(content, &asked.id, number).await? {
        return Ok(Ok(CorpusRef { manifest: index.manifest, proof: None }));
    }
    match version(content, &asked.id, number).await? {
        Some(_) => {
            let message = format!(
                "version {number} of the collection is not indexed yet: send the request again when GET /v1/collections/{{id}} shows \
                 `indexed`, or name an earlier `version`"
            );
            fault(FailureCode::CollectionNotIndexed, &message, "id")
        }
        None => {
            let message = format!("the collection has no version {number}: leave `version` out for the newest one");
            fault(FailureCode::UnknownCollection, &message, "version")
        }
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::source::ContentRef;
    use precis_proto::{CollectionId, Timestamp};

    use super::*;
    use crate::clock::Clock;
    use crate::collections::catalogue::tests::new_collection;
    use crate::collections::{
        CollectionFile, CollectionIndex, FileChange, change_files, create_collection, keep_index, remove_collection,
    };

    async fn grown(content: &ContentStore, id: &CollectionId, name: &str, is_indexed: bool) {
        let file = CollectionFile { name: name.to_owned(), content: ContentRef::from_bytes(b"x"), bytes: 1 };
        let clock = Clock::starting_at(Timestamp(7));
        let changed = change_files(content, id, &FileChange::Add(vec![file]), 9, &clock).await.expect("changed");
        let version = changed.expect("a version").0.version;
        if is_indexed {
            let index = CollectionIndex {
                schema_version: 1,
                version,
                at: Timestamp(8),
                reading: String::new(),
                manifest: ContentRef::from_bytes(name.as_bytes()),
                documents: 1,
                unread: Vec::new(),
                keeps: Vec::new(),
            };
            keep_index(content, id, &index).await.expect("kept");
        }
    }

    fn asking(id: &str, version: Option<u64>) -> ResearchOptions {
        let id = CollectionId::new(id).expect("an id");
        ResearchOptions { collections: vec![CollectionRef { id, version }], ..ResearchOptions::default() }
    }

    /// The version and manifest of a request, or the code and place of its fault.
    async fn said(content: &ContentStore, mut asked: ResearchOptions, earlier: Option<&ResearchOptions>) -> String {
        match bind(content, Some("t"), &mut asked, earlier).await.expect("in memory") {
            Ok(corpora) => format!("{:?} {}", asked.collections[0].version, corpora[0].manifest),
            Err(fault) => format!("{} {}", fault.code, fault.pointer.rsplit('/').next().unwrap_or_default()),
        }
    }

    #[tokio::test]
    async fn a_request_searches_one_version_of_a_collection_of_its_tenant() {
        let content = ContentStore::in_memory();
        let of = |name: &str| ContentRef::from_bytes(name.as_bytes());
        for (id, tenant) in [("mine", Some("t")), ("theirs", Some("u")), ("empty", Some("t"))] {
            create_collection(&content, &new_collection(id, tenant, 1), 9).await.expect("made");
        }
        let mine = CollectionId::new("mine").expect("an id");
        grown(&content, &mine, "one", true).await;
        grown(&content, &mine, "two", true).await;
        let two = format!("Some(2) {}", of("two"));
        for (asked, expected) in [
            (asking("mine", None), two.clone()),
            (asking("mine", Some(1)), format!("Some(1) {}", of("one"))),
            (asking("mine", Some(3)), "unknown_collection version".to_owned()),
            (asking("mine", Some(0)), "unknown_collection version".to_owned()),
            (asking("mine", Some(u64::MAX)), "unknown_collection version".to_owned()),
            (asking("theirs", None), "unknown_collection id".to_owned()),
            (asking("nobody", None), "unknown_collection id".to_owned()),
            (asking("empty", None), "collection_not_indexed id".to_owned()),
        ] {
            assert_eq!(said(&content, asked.clone(), None).await, expected, "{asked:?}");
        }
        grown(&content, &mine, "three", false).await;
        assert_eq!(said(&content, asking("mine", None), None).await, "collection_not_indexed id");
        let accepted = asking("mine", Some(2));
        assert_eq!(said(&content, asking("mine", None), Some(&accepted)).await, two, "as it was accepted before");
        assert_eq!(said(&content, asking("mine", Some(1)), Some(&accepted)).await, format!("Some(1) {}", of("one")));
        assert_eq!(said(&content, asking("empty", None), Some(&accepted)).await, "collection_not_indexed id");
        remove_collection(&content, &new_collection("mine", Some("t"), 1)).await.expect("removed");
        assert_eq!(said(&content, asking("mine", Some(2)), None).await, "unknown_collection id");
        assert_eq!(said(&content, asking("mine", None), Some(&accepted)).await, two, "what was accepted goes on");
        assert_eq!(said(&content, asking("mine", Some(1)), Some(&accepted)).await, "unknown_collection id");
    }
}

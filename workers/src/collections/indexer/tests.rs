use std::sync::atomic::AtomicUsize;

use bytes::Bytes;
use precis_corpus::{CorpusQuery, Documents};
use precis_evidence::meaning::Vector;
use precis_extract::HtmlMode;
use precis_proto::Timestamp;
use precis_runtime::clock::Clock;
use precis_runtime::collections::{
    CollectionFile, CollectionVersion, FileChange, change_files, keep_index, latest_version,
};
use precis_runtime::config::Settings;

use super::*;
use crate::lanes::Lanes;
use crate::options::extract_limits;

struct World {
    content: ContentStore,
    indexer: VersionIndexer,
    collection: CollectionId,
    clock: Clock,
}

impl World {
    fn new() -> Self {
        let settings = Settings::default();
        let parser = Parser::in_process(extract_limits(&settings), HtmlMode::default());
        Self {
            content: ContentStore::in_memory(),
            indexer: VersionIndexer::new(parser, None),
            collection: CollectionId::new("c").expect("an id"),
            clock: Clock::starting_at(Timestamp(7)),
        }
    }

    async fn change(&self, change: FileChange) -> CollectionVersion {
        let changed = change_files(&self.content, &self.collection, &change, 100, &self.clock).await;
        changed.expect("changed").expect("a version").0
    }

    async fn add(&self, files: &[(&str, &str)]) -> CollectionVersion {
        let mut added = Vec::new();
        for (name, text) in files {
            let content = self.content.put(Bytes::from((*text).to_owned())).await.expect("put");
            added.push(CollectionFile { name: (*name).to_owned(), content, bytes: text.len() as u64 });
        }
        self.change(FileChange::Add(added)).await
    }

    async fn index(&self, version: &CollectionVersion) -> Result<CollectionIndex, IndexingError> {
        let (content, clock) = (&self.content, &self.clock);
        self.indexer.index(Indexing { collection: &self.collection, version, content, clock }).await
    }

    async fn index_latest(&self) -> CollectionIndex {
        let version = latest_version(&self.content, &self.collection).await.expect("read").expect("a version");
        let index = self.index(&version).await.expect("indexed");
        keep_index(&self.content, &self.collection, &index).await.expect("kept")
    }

    /// The names of the files that a search finds in the index.
    async fn find(&self, index: &CollectionIndex, query: &str) -> Vec<String> {
        self.find_with(index, query, None).await
    }

    async fn find_with(&self, index: &CollectionIndex, query: &str, meaning: Option<&dyn Meaning>) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a directory");
        unpack_into(&index.manifest, &self.content, dir.path()).await.expect("unpacked");
        let corpus = Corpus::open(&IndexPlace::from_unpacked(dir.path())).expect("opens");
        let query = CorpusQuery { text: query, limit: 9, documents: Documents::All, meaning };
        corpus.search(&query).expect("searched").into_iter().map(|hit| hit.path).collect()
    }
}

#[tokio::test]
async fn a_version_is_searched_as_it_was_whatever_comes_after_it() {
    let world = World::new();
    world.add(&[("a.md", "The harbour tax is paid by the captain."), ("b.md", "Sheep graze on the dike.")]).await;
    let first = world.index_latest().await;
    assert_eq!((first.version, first.documents, first.unread.len()), (1, 2, 0));
    world.add(&[("a.md", "The harbour tax was abolished."), ("c.md", "The captain sails.")]).await;
    let second = world.index_latest().await;
    world.change(FileChange::Remove("b.md".to_owned())).await;
    let third = world.index_latest().await;
    assert_eq!((second.version, second.documents, third.documents), (2, 3, 2));
    assert_eq!(world.find(&first, "captain").await, ["a.md"]);
    assert_eq!(world.find(&second, "captain").await, ["c.md"]);
    assert_eq!(world.find(&second, "sheep").await, ["b.md"]);
    assert_eq!(world.find(&third, "sheep").await, [""; 0]);
    // Everything that a session reads of it is among what retention keeps.
    let open = Lanes::default().folders(&[corpus_ref(&third)], &world.content).await;
    assert!(!open.expect("opens").is_empty() && third.keeps.contains(&third.manifest));
}

fn corpus_ref(index: &CollectionIndex) -> precis_proto::research::CorpusRef {
    precis_proto::research::CorpusRef { manifest: index.manifest.clone(), proof: None }
}

#[tokio::test]
async fn an_unreadable_file_is_named_and_the_others_are_searched() {
    let world = World::new();
    world.add(&[("a.md", "The captain pays."), ("b.pdf", "%PDF-1.7 broken"), ("c.md", " ")]).await;
    let index = world.index_latest().await;
    let unread: Vec<(&str, &str)> = index.unread.iter().map(|one| (one.name.as_str(), one.code.as_str())).collect();
    assert_eq!((index.documents, unread), (1, vec![("b.pdf", "unreadable"), ("c.md", "empty")]));
    assert_eq!(world.find(&index, "captain").await, ["a.md"]);
}

#[tokio::test]
async fn bytes_that_are_gone_are_a_reason_too() {
    let world = World::new();
    let content = precis_proto::source::ContentRef::from_bytes(b"never put");
    let file = CollectionFile { name: "a.md".to_owned(), content, bytes: 9 };
    world.change(FileChange::Add(vec![file])).await;
    let index = world.index_latest().await;
    assert_eq!((index.documents, index.unread[0].code.as_str()), (0, "content_missing"));
}

#[tokio::test]
async fn what_was_parsed_before_a_crash_is_not_parsed_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let content = ContentStore::directory(dir.path()).expect("opens");
    let world = World { content, ..World::new() };
    let version = world.add(&[("a.md", "The captain pays."), ("b.pdf", "%PDF-1.7 broken")]).await;
    // Its index is not kept: the worker died before.
    let first = world.index(&version).await.expect("indexed");
    for file in &version.files {
        let hex = file.content.hex();
        std::fs::remove_file(dir.path().join("blobs").join(&hex[..2]).join(hex)).expect("there");
    }
    let second = world.index(&version).await.expect("indexed without the bytes");
    assert_eq!((second.documents, &second.unread), (1, &first.unread));
    assert_eq!(world.find(&second, "captain").await, ["a.md"]);
}

/// Knows ships by some of their words; counts the passages that it is asked for.
#[derive(Debug, Default)]
struct Ships(AtomicUsize);

impl Meaning for Ships {
    fn key(&self) -> &str {
        "ships"
    }

    fn query(&self, text: &str) -> Option<Vector> {
        let is_ship = ["vessel", "cutter"].iter().any(|word| text.contains(word));
        Some(Vector::from_unit(if is_ship { &[1.0, 0.0] } else { &[0.0, 1.0] }))
    }

    fn passage(&self, text: &str) -> Option<Vector> {
        self.0.fetch_add(1, Ordering::Relaxed);
        self.query(text)
    }
}

#[tokio::test]
async fn a_worker_with_a_model_of_meaning_makes_the_vectors_of_a_version() {
    let mut world = World::new();
    let files =
        [("a.md", "The cutter sails at dawn."), ("b.md", "Sheep graze on the dike."), ("c.md", "Salt is sold.")];
    world.add(&files).await;
    let plain = world.index_latest().await;
    assert_eq!(world.find_with(&plain, "vessel", Some(&Ships::default())).await, [""; 0], "no vectors");
    let ships = Arc::new(Ships::default());
    world.indexer.meaning = Some(Arc::clone(&ships) as Arc<dyn Meaning>);
    world.add(&[("d.md", "Wool is bought.")]).await;
    let first = world.index_latest().await;
    assert_eq!(world.find_with(&first, "vessel", Some(&*ships)).await.first().map(String::as_str), Some("a.md"));
    let made = ships.0.load(Ordering::Relaxed);
    world.add(&[("e.md", "Grain is milled.")]).await;
    world.index_latest().await;
    assert_eq!((made, ships.0.load(Ordering::Relaxed)), (4, 5), "those of texts that stay are kept");
}

#[tokio::test]
async fn a_version_gets_its_index_when_the_time_for_vectors_is_over() {
    let mut world = World::new();
    let ships = Arc::new(Ships::default());
    world.indexer.meaning = Some(Arc::clone(&ships) as Arc<dyn Meaning>);
    world.indexer.vectors_longest = Duration::ZERO;
    world.add(&[("a.md", "The cutter sails at dawn.")]).await;
    let index = world.index_latest().await;
    assert_eq!((ships.0.load(Ordering::Relaxed), world.find(&index, "cutter").await), (0, vec!["a.md".to_owned()]));
}

/// Makes vectors for as long as it is asked, a hundredth of a second each.
#[derive(Debug, Default)]
struct Endless(AtomicUsize);

impl Meaning for Endless {
    fn key(&self) -> &str {
        "endless"
    }

    fn query(&self, _: &str) -> Option<Vector> {
        Some(Vector::from_unit(&[1.0, 0.0]))
    }

    fn passage(&self, text: &str) -> Option<Vector> {
        self.0.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(10));
        self.query(text)
    }
}

#[tokio::test]
async fn vectors_that_nobody_waits_for_are_not_made() {
    let mut world = World::new();
    let endless = Arc::new(Endless::default());
    world.indexer.meaning = Some(Arc::clone(&endless) as Arc<dyn Meaning>);
    let book = "The captain pays the tax of the harbour before he sails.\n\n".repeat(20_000);
    let version = world.add(&[("a.md", &book)]).await;
    let made = async {
        while endless.0.load(Ordering::Relaxed) == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = world.index(&version) => panic!("it takes longer"),
        () = made => {}
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let then = endless.0.load(Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(endless.0.load(Ordering::Relaxed), then, "its threads have ended");
}

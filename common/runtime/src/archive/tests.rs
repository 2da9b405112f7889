use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use precis_proto::source::{Origin, Quality};

use super::archived_text::MAX_SIDECAR_BYTES;
use super::*;

fn id(text: &str) -> SourceId {
    SourceId::new(text).expect("an id")
}

fn source(name: &str, text: &str) -> (Source, SourceText) {
    let content = ContentRef::from_bytes(text.as_bytes());
    let given = Source {
        source_id: id(name),
        title: "A title".to_owned(),
        url: None,
        origin: Origin::Content(content.clone()),
        content_type: Some("text/plain".to_owned()),
        quality: Quality::Medium,
        published_at: None,
        protected: false,
        relevance: None,
        text: None,
        reduction: None,
        failure: None,
        snippet: None,
        path: None,
        found_by: Vec::new(),
        vectors_by: None,
    };
    (given, SourceText { content, chars: text.chars().count() as u64, tokens: 1, pages: 2, blocks: None })
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

fn now() -> Timestamp {
    let ms = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis();
    Timestamp(i64::try_from(ms).expect("a near date"))
}

#[tokio::test]
async fn a_text_is_kept_privately_under_its_hash_with_what_it_was() {
    let home = tempfile::tempdir().expect("a directory");
    let archive = Archive::open(home.path().join("a/b")).expect("writable");
    let (given, text) = source("s-1", "wörds");
    for _ in 0..2 {
        archive.put(&given, &text, "wörds".as_bytes(), Vec::new(), Timestamp(5)).await.expect("kept");
    }
    let hex = text.content.hex();
    assert_eq!(archive.get(&given.source_id, hex).await.expect("readable"), Some("wörds".into()));
    assert_eq!(archive.get(&id("s-2"), hex).await.expect("readable"), None);
    let dir = home.path().join("a/b/s-1");
    let sidecar = fs::read(dir.join(format!("{hex}.json"))).expect("beside it");
    let sidecar: Sidecar = serde_json::from_slice(&sidecar).expect("a sidecar");
    assert_eq!((sidecar.chars, sidecar.pages, sidecar.archived_at), (5, 2, Timestamp(5)));
    assert_eq!(fs::read_dir(&dir).expect("listed").count(), 2);
    assert_eq!((mode(&dir), mode(home.path().join("a/b").as_path())), (0o700, 0o700));
    assert_eq!(mode(&dir.join(format!("{hex}.txt"))), 0o600);
    assert_eq!(mode(&dir.join(format!("{hex}.json"))), 0o600);
}

#[tokio::test]
async fn bytes_that_differ_from_their_hash_are_neither_kept_nor_returned() {
    let home = tempfile::tempdir().expect("a directory");
    let archive = Archive::open(home.path().to_owned()).expect("writable");
    let (given, text) = source("s", "words");
    assert!(archive.put(&given, &text, b"others", Vec::new(), Timestamp(0)).await.is_err());
    archive.put(&given, &text, b"words", Vec::new(), Timestamp(0)).await.expect("kept");
    let path = home.path().join("s").join(format!("{}.txt", text.content.hex()));
    fs::write(&path, "flipped").expect("ours");
    let error = archive.get(&given.source_id, text.content.hex()).await.expect_err("not those bytes");
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    archive.put(&given, &text, b"words", Vec::new(), Timestamp(0)).await.expect("mended");
    assert!(archive.get(&given.source_id, text.content.hex()).await.expect("readable").is_some());
    for bad in ["", "../../etc/passwd", &text.content.hex().to_uppercase()] {
        let error = archive.get(&given.source_id, bad).await.expect_err("no hash");
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    }
}

#[tokio::test]
async fn writers_of_the_same_text_do_not_disturb_each_other() {
    let home = tempfile::tempdir().expect("a directory");
    let archive = Arc::new(Archive::open(home.path().to_owned()).expect("writable"));
    let (given, text) = source("s", "words");
    let puts = (0..16).map(|_| archive.put(&given, &text, b"words", Vec::new(), Timestamp(0)));
    for put in futures_util::future::join_all(puts).await {
        put.expect("kept");
    }
    assert_eq!(fs::read_dir(home.path().join("s")).expect("listed").count(), 2);
}

#[test]
fn an_id_from_outside_is_never_a_path() {
    for (given, expected) in [
        ("plain-Id_9", "plain-Id_9"),
        ("v1.2", "v1.2"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        (".hidden", "%2Ehidden"),
        ("end.", "end%2E"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"),
        ("a/b\\c", "a%2Fb%5Cc"),
        ("100%", "100%25"),
        ("~", "%7E"),
        ("é", "%C3%A9"),
    ] {
        assert_eq!(encode_id(&id(given)), expected);
    }
}

#[test]
fn a_long_id_keeps_a_name_of_its_own() {
    let (a, b) = (encode_id(&id(&"é/".repeat(60))), encode_id(&id(&format!("{}x", "é/".repeat(60)))));
    assert!(a.len() <= MAX_NAME_BYTES && b.len() <= MAX_NAME_BYTES);
    assert_ne!(a, b);
    assert_eq!(encode_id(&id(&"a".repeat(MAX_NAME_BYTES))), "a".repeat(MAX_NAME_BYTES));
    assert!(encode_id(&id(&"a".repeat(MAX_NAME_BYTES + 1))).contains('~'));
}

#[tokio::test]
async fn the_texts_of_a_source_are_found_except_changed_ones() {
    let home = tempfile::tempdir().expect("a directory");
    let archive = Archive::open(home.path().to_owned()).expect("writable");
    for (words, at) in [("older", 1), ("newer", 2)] {
        let (given, text) = source("s", words);
        archive.put(&given, &text, words.as_bytes(), Vec::new(), Timestamp(at)).await.expect("kept");
    }
    let reader = Archive::reading(home.path().to_owned()).expect("a directory");
    let filed = reader.texts_of(&id("s")).await.expect("listed");
    let newest = filed.iter().max_by_key(|f| f.archived_at).expect("two of them");
    assert_eq!((filed.len(), reader.get(&id("s"), &newest.hex).await.expect("read")), (2, Some("newer".into())));
    fs::write(home.path().join("s").join(format!("{}.txt", newest.hex)), "changed").expect("ours");
    let error = reader.get(&id("s"), &newest.hex).await.expect_err("not those bytes");
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(reader.texts_of(&id("unknown")).await.expect("nothing").is_empty());
}

#[tokio::test]
async fn an_unwritable_archive_gives_its_reason_and_stops_nothing() {
    let home = tempfile::tempdir().expect("a directory");
    fs::write(home.path().join("file"), "in the way").expect("written");
    let archive = Archive::open_or_closed(home.path().join("file/archive"));
    assert!(!archive.is_open());
    let (given, text) = source("s", "words");
    let reason = archive.put(&given, &text, b"words", Vec::new(), Timestamp(0)).await.expect_err("closed").to_string();
    assert!(reason.contains("cannot write to the archive"), "{reason}");
}

#[tokio::test]
async fn only_old_texts_are_removed_and_nothing_else() {
    let home = tempfile::tempdir().expect("a directory");
    let archive = Archive::open(home.path().to_owned()).expect("writable");
    let (given, text) = source("s", "words");
    archive.put(&given, &text, b"words", Vec::new(), Timestamp(0)).await.expect("kept");
    fs::write(home.path().join("s/notes.json"), "mine").expect("written");
    let later = now().plus_ms(2 * 3_600_000);
    assert_eq!(archive.remove_older_than(3, later).await.expect("listed"), 0);
    assert_eq!(archive.remove_older_than(1, later).await.expect("listed"), 1);
    assert_eq!(archive.get(&given.source_id, text.content.hex()).await.expect("readable"), None);
    assert!(home.path().join("s/notes.json").exists());
    assert_eq!(archive.remove_older_than(u64::MAX, later).await.expect("listed"), 0);
}

#[tokio::test]
async fn an_unreadable_record_makes_only_its_own_text_old() {
    let home = tempfile::tempdir().expect("a directory");
    let archive = Archive::open(home.path().to_owned()).expect("writable");
    let (whole, _) = file_text(&archive, "whole", 7).await;
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 6] = [
        ("no JSON", |path| fs::write(path, "{\"source_id\": \"s\", ").expect("ours")),
        ("no record", |path| fs::write(path, "[1, 2]").expect("ours")),
        ("no text", |path| fs::write(path, b"\xff\xfe\x00").expect("ours")),
        ("nothing", |path| fs::write(path, "").expect("ours")),
        ("missing", |path| fs::remove_file(path).expect("ours")),
        ("no file", |path| fs::remove_file(path).and_then(|()| fs::create_dir(path)).expect("ours")),
    ];
    for (words, damage) in damages {
        let (hex, sidecar) = file_text(&archive, words, 5).await;
        damage(&sidecar);
        let found = archive.texts_of(&id("s")).await.unwrap_or_else(|e| panic!("{words}: {e}"));
        let at = |hex: &str| found.iter().find(|text| text.hex == hex).map(|text| text.archived_at);
        assert_eq!((at(&hex), at(&whole)), (Some(Timestamp(0)), Some(Timestamp(7))), "{words}");
        let text = archive.get(&id("s"), &hex).await.unwrap_or_else(|e| panic!("{words}: {e}"));
        assert_eq!(text, Some(words.into()), "its name proves a text, not what lies beside it");
        let later = now().plus_ms(2 * 3_600_000);
        // A text without a record is nobody's to remove, nor is what is no file.
        let removed = if matches!(words, "missing" | "no file") { 1 } else { 2 };
        let count = archive.remove_older_than(1, later).await.unwrap_or_else(|e| panic!("{words}: {e}"));
        assert_eq!(count, removed, "{words}");
        assert_eq!(archive.get(&id("s"), &whole).await.expect("readable"), None, "{words}");
        file_text(&archive, "whole", 7).await;
    }
}

/// Keeps `words` as a text of source `s`; returns its digits and where its record lies.
async fn file_text(archive: &Archive, words: &str, at: i64) -> (String, std::path::PathBuf) {
    let (given, text) = source("s", words);
    archive.put(&given, &text, words.as_bytes(), Vec::new(), Timestamp(at)).await.expect("kept");
    let ArchiveBackend::Directory(dir) = &archive.place else { panic!("is a directory") };
    let hex = text.content.hex().to_owned();
    (hex.clone(), dir.join("s").join(format!("{hex}.json")))
}

#[test]
fn a_directory_that_cannot_be_written_to_is_refused_at_once() {
    let home = tempfile::tempdir().expect("a directory");
    fs::write(home.path().join("file"), "").expect("written");
    assert!(Archive::open(home.path().join("file")).is_err());
    assert!(Archive::open(home.path().join("file/below")).is_err());
}

#[tokio::test]
async fn an_object_store_archive_behaves_like_a_directory_archive() {
    let archive = Archive::open("memory://archive".into()).expect("a store");
    archive.probe().await.expect("takes and gives");
    for (name, words, at) in [("a/b", "older", 1), ("a/b", "newer", 2), ("a", "another", 3)] {
        let (given, text) = source(name, words);
        for _ in 0..2 {
            archive.put(&given, &text, words.as_bytes(), Vec::new(), Timestamp(at)).await.expect("kept");
        }
        assert!(archive.put(&given, &text, b"others", Vec::new(), Timestamp(at)).await.is_err());
        let got = archive.get(&given.source_id, text.content.hex()).await.expect("readable");
        assert_eq!(got, Some(words.into()));
        assert_eq!(archive.get(&id("unknown"), text.content.hex()).await.expect("readable"), None);
    }
    let filed = archive.texts_of(&id("a/b")).await.expect("listed");
    let newest = filed.iter().max_by_key(|f| f.archived_at).expect("two of them");
    assert_eq!((filed.len(), newest.hex.as_str()), (2, ContentRef::from_bytes(b"newer").hex()));
    assert_eq!(archive.texts_of(&id("a")).await.expect("listed").len(), 1);

    let ArchiveBackend::Objects(objects) = &archive.place else { panic!("is an object store") };
    objects.write("a", &ContentRef::from_bytes(b"right"), b"wrong".to_vec(), &sidecar("a")).await.expect("kept");
    let error = archive.get(&id("a"), ContentRef::from_bytes(b"right").hex()).await.expect_err("not those bytes");
    assert_eq!(error.kind(), ErrorKind::InvalidData);

    objects.damage(&encode_id(&id("a/b")), &newest.hex, b"no record".to_vec()).await;
    let found = archive.texts_of(&id("a/b")).await.expect("a record that cannot be read hides no text");
    let ages: Vec<_> = found.iter().map(|text| (text.hex == newest.hex, text.archived_at)).collect();
    assert!(ages.contains(&(true, Timestamp(0))) && ages.contains(&(false, Timestamp(1))), "{ages:?}");
    assert_eq!(archive.get(&id("a/b"), &newest.hex).await.expect("readable"), Some("newer".into()));

    let later = now().plus_ms(2 * 3_600_000);
    assert_eq!(archive.remove_older_than(3, later).await.expect("listed"), 0);
    assert_eq!(archive.remove_older_than(1, later).await.expect("listed"), 4);
    assert!(archive.texts_of(&id("a/b")).await.expect("listed").is_empty());
}

#[tokio::test]
async fn a_record_is_read_up_to_its_limit_wherever_the_archive_is() {
    let limit = usize::try_from(MAX_SIDECAR_BYTES).expect("small");
    let home = tempfile::tempdir().expect("a directory");
    let bucket = Archive::open("memory://archive".into()).expect("a store");
    let folder = Archive::open(home.path().to_owned()).expect("writable");
    let (given, text) = source("s", "words");
    for archive in [&bucket, &folder] {
        archive.put(&given, &text, b"words", Vec::new(), Timestamp(7)).await.expect("kept");
    }
    let hex = text.content.hex();
    let json = fs::read(home.path().join(format!("s/{hex}.json"))).expect("beside it");
    for (bytes, at) in [(limit - 1, 7), (limit, 7), (limit + 1, 0)] {
        let mut padded = json.clone();
        padded.resize(bytes, b' ');
        fs::write(home.path().join(format!("s/{hex}.json")), &padded).expect("ours");
        let ArchiveBackend::Objects(objects) = &bucket.place else { panic!("is an object store") };
        objects.damage("s", hex, padded).await;
        for archive in [&bucket, &folder] {
            let filed = archive.texts_of(&id("s")).await.expect("listed");
            assert_eq!(filed[0].archived_at, Timestamp(at), "{bytes} bytes");
        }
    }
}

#[test]
fn a_place_is_a_path_a_file_address_or_a_bucket() {
    let home = tempfile::tempdir().expect("a directory");
    let address = url::Url::from_directory_path(home.path()).expect("absolute").to_string();
    for (place, is_directory) in
        [(home.path().to_owned(), true), (address.into(), true), ("s3://bucket/x".into(), false)]
    {
        let archive = Archive::reading(place.clone()).expect("a place");
        assert_eq!(matches!(archive.place, ArchiveBackend::Directory(_)), is_directory, "{}", place.display());
    }
    let refused = Archive::open_or_closed("https://host/archive".into());
    assert!(!refused.is_open());
    assert!(Archive::reading("https://host/archive".into()).is_err());
}

fn sidecar(name: &str) -> Sidecar {
    Sidecar {
        blocks: Vec::new(),
        source_id: id(name),
        title: String::new(),
        url: None,
        content_type: None,
        original_sha256: None,
        chars: 5,
        pages: 0,
        archived_at: Timestamp(0),
    }
}

#[tokio::test]
async fn nothing_is_written_below_a_volume_that_was_unmounted() {
    let home = tempfile::tempdir().expect("a directory");
    let (dir, aside) = (home.path().join("content"), home.path().join("aside"));
    let content = ContentStore::create(&format!("file://{}", dir.display())).await.expect("made");
    let inside = Archive::within(content, dir.join("archive")).expect("a place");
    let own = home.path().join("own");
    let beside = Archive::open(own.clone()).expect("writable");
    let put = async |archive: &Archive, words: &str| {
        let (given, text) = source("s", words);
        archive.put(&given, &text, words.as_bytes(), Vec::new(), Timestamp(0)).await
    };
    for archive in [&inside, &beside] {
        put(archive, "before").await.expect("kept");
    }
    let unmount = |dir: &std::path::Path| fs::rename(dir, &aside).and_then(|()| fs::create_dir(dir)).expect("moves");
    let mount = |dir: &std::path::Path| {
        assert_eq!(fs::read_dir(dir).expect("the mount point").count(), 0, "{}", dir.display());
        fs::remove_dir(dir).and_then(|()| fs::rename(&aside, dir)).expect("moves");
    };
    unmount(&dir);
    assert!(matches!(put(&inside, "away").await, Err(ArchiveError::Content(ContentError::Unavailable(_)))));
    mount(&dir);
    unmount(&own);
    let refused = put(&beside, "away").await.expect_err("another directory").to_string();
    assert!(refused.contains("is not the directory that was opened"), "{refused}");
    mount(&own);
    for archive in [&inside, &beside] {
        put(archive, "after").await.expect("the same directory as before");
    }
}

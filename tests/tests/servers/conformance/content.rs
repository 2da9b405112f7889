//! The content store over memory and over a directory.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use precis_proto::source::ContentRef;
use precis_runtime::content::{ContentError, ContentStore, OpenError};
use tempfile::TempDir;

/// Each kind of store, and the directory that must outlive the second one.
async fn stores() -> (TempDir, [ContentStore; 3]) {
    let dir = tempfile::tempdir().expect("a directory");
    let url = format!("file://{}", dir.path().join("by url").display());
    let stores = [
        ContentStore::in_memory(),
        ContentStore::directory(dir.path().join("directory")).expect("opens"),
        ContentStore::create(&url).await.expect("made"),
    ];
    (dir, stores)
}

fn text(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

#[tokio::test]
async fn content_is_read_under_the_hash_it_was_put_with() {
    let (_dir, stores) = stores().await;
    for store in stores {
        for bytes in [Bytes::new(), text("a text"), Bytes::from(vec![7; 3_000_000])] {
            let content = store.put(bytes.clone()).await.expect("put");
            assert_eq!(content, ContentRef::from_bytes(&bytes));
            assert_eq!(store.put(bytes.clone()).await, Ok(content.clone()), "again");
            assert_eq!(store.get(&content).await, Ok(bytes));
        }
        let missing = ContentRef::from_bytes(b"never put");
        assert_eq!(store.get(&missing).await, Err(ContentError::Missing(missing)));
    }
}

#[tokio::test]
async fn one_of_racing_writers_wins_and_all_return_its_bytes() {
    let (_dir, stores) = stores().await;
    for store in stores {
        assert_eq!(store.get_named("result", "session").await, Ok(None));
        let writers = (0..16).map(|n: u32| {
            let store = store.clone();
            tokio::spawn(async move { store.put_named_if_absent("result", "session", n.to_string().into()).await })
        });
        let written = futures_util::future::join_all(writers).await;
        let standing = store.get_named("result", "session").await.expect("readable").expect("somebody won");
        for bytes in written {
            assert_eq!(bytes.expect("no panic"), Ok(standing.clone()));
        }
    }
}

#[tokio::test]
async fn hostile_ids_are_names_like_any_other() {
    let (dir, stores) = stores().await;
    let long = "../".repeat(200);
    for store in stores {
        for (n, id) in
            ["..", ".", "", "/etc/passwd", "a/b", "a%2Fb", "é\u{202e}", "#1", long.as_str()].iter().enumerate()
        {
            let bytes = Bytes::from(n.to_string());
            assert_eq!(store.put_named_if_absent("..", id, bytes.clone()).await, Ok(bytes), "{id}");
        }
        assert_eq!(store.get_named("..", "a/b").await, Ok(Some(text("4"))));
    }
    let mut outside: Vec<_> =
        fs::read_dir(dir.path()).expect("readable").map(|e| e.expect("entry").file_name()).collect();
    outside.sort();
    assert_eq!(outside, ["by url", "directory"], "nothing was written beside the stores");
}

#[tokio::test]
async fn a_directory_store_is_private_and_notices_altered_content() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().join("new/content");
    let store = ContentStore::directory(&root).expect("opens");
    let content = store.put(text("a text")).await.expect("put");
    for private in ["", "blobs", "named"] {
        let mode = fs::metadata(root.join(private)).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "{private}");
    }
    let file = root.join("blobs").join(&content.hex()[..2]).join(content.hex());
    fs::write(&file, "a tex!").expect("writable");
    assert_eq!(store.get(&content).await, Err(ContentError::Corrupt(content.clone())));
    fs::write(&file, "a t").expect("writable");
    assert_eq!(store.put(text("a text")).await, Ok(content.clone()));
    assert_eq!(store.get(&content).await, Ok(text("a text")), "putting it again heals a cut file");
}

#[tokio::test]
async fn the_users_files_are_read_where_they_lie_and_checked() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("paper.txt");
    fs::write(&file, "as given").expect("writable");
    let content = ContentRef::from_bytes(b"as given");
    let store = ContentStore::in_memory().with_files(BTreeMap::from([(content.clone(), file.clone())]));
    assert_eq!(store.get(&content).await, Ok(text("as given")));
    fs::write(&file, "changed since").expect("writable");
    assert_eq!(store.get(&content).await, Err(ContentError::Corrupt(content.clone())));
    fs::remove_file(&file).expect("removable");
    assert_eq!(store.get(&content).await, Err(ContentError::Missing(content)));
    assert_eq!(store.remove_older_than(0).await, Ok(0));
}

#[tokio::test]
async fn what_is_over_the_limit_is_neither_written_nor_read() {
    let (dir, stores) = stores().await;
    let over = |bytes| ContentError::TooLarge { bytes, limit: 10 };
    for store in stores {
        let content = store.put(text("eleven byte")).await.expect("put");
        let narrow = store.with_max_bytes(10);
        assert_eq!(narrow.get(&content).await, Err(over(11)));
        assert_eq!(narrow.put(text("twelve bytes")).await, Err(over(12)));
        assert_eq!(narrow.put_named_if_absent("k", "i", text("twelve bytes")).await, Err(over(12)));
        let file = dir.path().join("file");
        fs::write(&file, "thirteen byte").expect("writable");
        let given = ContentRef::from_bytes(b"thirteen byte");
        let narrow = narrow.with_files(BTreeMap::from([(given.clone(), file)]));
        assert_eq!(narrow.get(&given).await, Err(over(13)));
    }
}

/// Makes a file look as if it was written `hours` ago.
fn age(file: &Path, hours: u64) {
    let file = fs::File::options().write(true).open(file).expect("there");
    file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600)).expect("settable");
}

#[tokio::test]
async fn retention_removes_what_was_not_stored_again_in_time() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = ContentStore::directory(dir.path()).expect("opens");
    let file = |content: &ContentRef| dir.path().join("blobs").join(&content.hex()[..2]).join(content.hex());
    let (old, used, new) = (
        store.put(text("old")).await.expect("put"),
        store.put(text("old but used")).await.expect("put"),
        store.put(text("new")).await.expect("put"),
    );
    store.put_named_if_absent("result", "s", text("old result")).await.expect("put");
    for aged in [&file(&old), &file(&used), &dir.path().join("named/result/s")] {
        age(aged, 100);
    }
    age(&file(&new), 10);
    store.put(text("old but used")).await.expect("put again by another session");
    assert_eq!(store.remove_older_than(50).await, Ok(2));
    assert_eq!(store.get(&old).await, Err(ContentError::Missing(old)));
    assert_eq!(store.get_named("result", "s").await, Ok(None));
    assert!(store.get(&used).await.is_ok() && store.get(&new).await.is_ok());
}

#[test]
fn a_url_that_cannot_be_opened_says_why_without_repeating_itself() {
    for (url, says) in [
        ("s3://key:secret@bucket/prefix", "with credentials"),
        ("gs://bucket", "`gs:`"),
        ("ftp://secret", "`ftp:`"),
        ("secret", "not a URL"),
        ("file://secret/path", "host"),
    ] {
        let error = ContentStore::open(url).expect_err("refused").to_string();
        assert!(error.contains(says) && !error.contains("secret"), "{error}");
    }
    assert!(ContentStore::open("memory:").is_ok());
    let blocked = tempfile::NamedTempFile::new().expect("a file");
    let error = ContentStore::directory(blocked.path()).expect_err("a file is no directory");
    assert!(matches!(error, OpenError::Directory { .. }));
}

//! Cached values: they expire, the first writer wins, shared state changes by compare-and-set.

use bytes::Bytes;
use futures_util::future::join_all;
use precis_runtime::store::Store;

use super::{LONG, PAST, SHORT, StoreUnderTest, fresh_name, get, put, within};

async fn set(store: &Store, key: &str, expected: Option<&str>, new: &str) -> bool {
    let new = Bytes::from(new.to_owned());
    let set = store.values().compare_and_set(key, expected.map(str::as_bytes), new, LONG);
    within("a compare-and-set", set).await.expect("reachable")
}

/// Caches end by their time to live.
pub async fn a_value_is_read_until_it_expires(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let (short, long) = (fresh_name("value"), fresh_name("value"));
    assert_eq!(get(&store, &short).await, None);
    assert_eq!(put(&store, &short, "a", SHORT).await, "a");
    assert_eq!(put(&store, &long, "b", LONG).await, "b");
    assert_eq!(get(&store, &short).await.as_deref(), Some(&b"a"[..]));
    tokio::time::sleep(PAST).await;
    assert_eq!(get(&store, &short).await, None);
    assert_eq!(put(&store, &short, "c", LONG).await, "c", "an expired value is no value");
    assert_eq!(get(&store, &long).await.as_deref(), Some(&b"b"[..]));
}

/// First writer wins: all readers of a key see one text.
pub async fn of_racing_writers_one_wins_and_all_read_its_value(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    for family in ["answer", "call"] {
        let key = format!("{family}:{}", fresh_name("race"));
        let writers = (0..16).map(|n: u32| {
            let (store, key) = (store.clone(), key.clone());
            tokio::spawn(async move { store.values().put_if_absent(&key, Bytes::from(n.to_string()), LONG).await })
        });
        let read = within("the writers", join_all(writers)).await;
        let standing = get(&store, &key).await.expect("somebody won");
        for value in read {
            assert_eq!(value.expect("no panic").expect("reachable"), standing);
        }
    }
}

/// Keys of all families hold what they were given, whatever is in them.
pub async fn a_cached_text_of_every_family_is_kept(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    for family in ["digest", "summary", "answer", "call", "extract", "tokens", "limit", "cancel"] {
        let key = format!("{family}:../é {}", fresh_name("key"));
        for value in [Bytes::from_static(b"\x00\xff"), Bytes::from(vec![7; 300_000]), Bytes::new()] {
            let put = within("a put", store.values().put_if_absent(&key, value.clone(), LONG)).await;
            assert_eq!(put, Ok(value.clone()), "{family}");
            assert_eq!(get(&store, &key).await, Some(value), "{family}");
            within("a delete", store.values().delete(&key)).await.expect("reachable");
            assert_eq!(get(&store, &key).await, None, "{family}");
        }
    }
}

/// Shared state changes by compare-and-set.
pub async fn compare_and_set_replaces_only_what_was_expected(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("cas");
    assert!(!set(&store, &key, Some("a"), "b").await, "nothing is there yet");
    assert!(set(&store, &key, None, "a").await);
    assert!(!set(&store, &key, None, "b").await, "something is there");
    assert!(!set(&store, &key, Some("b"), "c").await);
    assert!(set(&store, &key, Some("a"), "c").await);
    assert_eq!(get(&store, &key).await.as_deref(), Some(&b"c"[..]));
}

/// Eight writers that retry count to eight.
pub async fn racing_compare_and_sets_lose_no_update(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("counter");
    let writers = (0..8).map(|_| {
        let (store, key) = (store.clone(), key.clone());
        tokio::spawn(async move {
            loop {
                let now = get(&store, &key).await;
                let count: u32 = now.as_deref().map_or(0, |b| String::from_utf8_lossy(b).parse().expect("a number"));
                let next = Bytes::from((count + 1).to_string());
                if store.values().compare_and_set(&key, now.as_deref(), next, LONG).await.expect("reachable") {
                    return;
                }
            }
        })
    });
    for written in within("the writers", join_all(writers)).await {
        written.expect("no panic");
    }
    assert_eq!(get(&store, &key).await.as_deref(), Some(&b"8"[..]));
}

/// Deleting is for marks that have served; deleting nothing is fine.
pub async fn a_deleted_value_is_gone_and_may_be_written_anew(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let key = fresh_name("deleted");
    within("a delete", store.values().delete(&key)).await.expect("nothing is there");
    put(&store, &key, "a", LONG).await;
    within("a delete", store.values().delete(&key)).await.expect("reachable");
    assert_eq!(get(&store, &key).await, None);
    assert_eq!(put(&store, &key, "b", LONG).await, "b");
}

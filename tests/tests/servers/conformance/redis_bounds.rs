//! What others wrote into Redis is read up to a limit: a value beyond it never reaches the memory of a worker.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_runtime::content::ContentStore;
use precis_runtime::store::{RedisSettings, RedisStore, Store, Work};
use precis_tests::servers::redis::RedisServer;

/// Largest value of the stores here, in bytes.
const LIMIT: usize = 1_000;
const TTL: Duration = Duration::from_secs(60);
/// Timeout of each connection and answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// A store of the fleet that reads and keeps values up to `max_value_bytes`.
fn store(server: &RedisServer, content: &ContentStore, max_value_bytes: usize) -> Store {
    // Both waits are longer than a loaded machine takes, for the first answer after 64 MB were written too.
    let patient = |s| RedisSettings { max_value_bytes, response_timeout: PATIENCE, connect_timeout: PATIENCE, ..s };
    let store: RedisStore = server.store_with(patient);
    Store::Redis(store.with_fleet_key(content.clone()))
}

fn work(name: &str) -> Work {
    let session = SessionId::new("s").expect("an id");
    Work {
        session,
        life: None,
        owner: "w".to_owned(),
        mark: format!("running:{name}"),
        answer: format!("answer:{name}"),
    }
}

/// Bytes that the server has sent since it started.
async fn sent(server: &RedisServer) -> u64 {
    let script = "return tonumber(string.match(redis.call('INFO', 'stats'), 'total_net_output_bytes:(%d+)'))";
    let answer = server.ask(&format!("EVAL \"{script}\" 0")).await.expect("reachable");
    answer.trim_start_matches(':').parse().expect("a number")
}

#[tokio::test]
async fn a_value_is_read_up_to_the_limit_and_not_beyond() {
    let Some(server) = RedisServer::start().await else { return };
    let content = ContentStore::in_memory();
    let (limited, generous) = (store(&server, &content, LIMIT), store(&server, &content, 10 * LIMIT));
    for (bytes, is_read) in [(LIMIT - 1, true), (LIMIT, true), (LIMIT + 1, false)] {
        let (value, new) = (Bytes::from(vec![b'x'; bytes]), Bytes::from_static(b"new"));
        let read = is_read.then(|| value.clone());
        // Under three keys, one for each way to read: a read that finds it too large replaces it.
        for key in ["answer:get", "answer:put", "answer:work"] {
            generous.values().put(key, value.clone(), TTL).await.expect("kept");
        }
        assert_eq!(limited.values().get("answer:get").await, Ok(read.clone()), "{bytes}");
        let found = limited.leases().acquire_and_get("lease", "w", TTL, "answer:get").await.expect("reachable");
        assert_eq!(found.answer, read, "{bytes}");
        let entered = limited.leases().enter(&work("work"), TTL).await.expect("reachable");
        assert_eq!(entered.answer, read, "{bytes}");
        let standing = read.unwrap_or_else(|| new.clone());
        assert_eq!(limited.leases().leave(&work("work"), new.clone(), TTL).await, Ok(standing.clone()), "{bytes}");
        assert_eq!(
            limited.values().put_if_absent("answer:put", new.clone(), TTL).await,
            Ok(standing.clone()),
            "{bytes}"
        );
        for key in ["answer:put", "answer:work"] {
            assert_eq!(limited.values().get(key).await, Ok(Some(standing.clone())), "{bytes} at {key}");
        }
    }
}

#[tokio::test]
async fn a_value_of_many_megabytes_is_not_sent_to_a_worker() {
    const HUGE: usize = 64_000_000;
    let Some(server) = RedisServer::start().await else { return };
    let content = ContentStore::in_memory();
    let limited = store(&server, &content, 8 << 20);
    for key in ["k1:cancel:s", "k1:answer:j"] {
        server
            .ask(&format!("EVAL \"redis.call('SET', KEYS[1], string.rep('x', {HUGE}))\" 1 precis:{key}"))
            .await
            .expect("set");
    }
    let before = sent(&server).await;
    assert_eq!(limited.values().get("cancel:s").await, Ok(None));
    assert_eq!(limited.leases().enter(&work("j"), TTL).await.map(|entry| entry.answer), Ok(None));
    assert_eq!(
        limited.values().compare_and_set("cancel:s", Some(b"x"), Bytes::from_static(b"y"), TTL).await,
        Ok(false)
    );
    let mine = Bytes::from_static(b"mine");
    assert_eq!(limited.leases().leave(&work("j"), mine.clone(), TTL).await, Ok(mine.clone()));
    assert_eq!(limited.values().put_if_absent("cancel:s", mine.clone(), TTL).await, Ok(mine));
    let sent = sent(&server).await - before;
    assert!(sent < 10_000, "{sent} bytes were sent");
}

//! Redis away and back, slow, full, behind a bad network, behind TLS. Where Redis is not installed, each test says so and ends.

use std::time::{Duration, Instant};

use bytes::Bytes;
use precis_runtime::store::{ClientIdentity, RedisSettings, RedisStore, Store};
use precis_tests::servers::proxy::Proxy;
use precis_tests::servers::redis::RedisServer;
use precis_tests::servers::tls;
use secrecy::SecretString;

use crate::conformance::redis::reachable;

const LONG: Duration = Duration::from_secs(600);

async fn put(store: &Store, key: &str, value: &'static [u8]) -> Result<Bytes, precis_runtime::store::StoreError> {
    store.values().put_if_absent(key, Bytes::from_static(value), LONG).await
}

fn at(address: String) -> RedisSettings {
    RedisSettings::from_address(SecretString::from(address))
}

#[tokio::test]
async fn a_stopped_redis_costs_one_wait_and_then_nothing() {
    let Some(server) = RedisServer::start().await else { return };
    let store = Store::Redis(server.store_with(|s| s));
    reachable(&store).await;
    server.pause();
    let started = Instant::now();
    for n in 0..10_000 {
        assert!(store.values().get(&format!("call:{n}")).await.is_err());
    }
    let took = started.elapsed();
    // Each on its own would wait for half a second.
    assert!(took < Duration::from_secs(20), "10,000 operations without Redis took {took:?}");
    server.go_on();
    reachable(&store).await;
}

#[tokio::test]
async fn a_killed_redis_is_found_again_when_it_is_back_and_empty() {
    let Some(mut server) = RedisServer::start().await else { return };
    let store = Store::Redis(server.store());
    put(&store, "call:1", b"paid").await.expect("reachable");
    server.kill();
    assert!(store.values().get("call:1").await.is_err());
    server.restart().await;
    reachable(&store).await;
    assert_eq!(store.values().get("call:1").await, Ok(None));
    put(&store, "call:1", b"again").await.expect("reachable, and its scripts are loaded anew");
}

#[tokio::test]
async fn a_worker_starts_while_redis_is_away() {
    let Some(mut server) = RedisServer::start().await else { return };
    server.kill();
    let store = Store::Redis(server.store());
    assert!(put(&store, "call:1", b"lost").await.is_err());
    server.restart().await;
    reachable(&store).await;
}

#[tokio::test]
async fn cut_reset_refused_and_held_connections_are_remade() {
    let Some(server) = RedisServer::start().await else { return };
    let proxy = Proxy::new(server.port()).await;
    let store = RedisStore::connect(&at(format!("redis://127.0.0.1:{}", proxy.port()))).expect("a good address");
    let store = Store::Redis(store);
    reachable(&store).await;
    proxy.cut().await;
    reachable(&store).await;
    proxy.reset().await;
    reachable(&store).await;
    proxy.refuse(true);
    proxy.reset().await;
    assert!(store.values().get("call:1").await.is_err());
    proxy.refuse(false);
    reachable(&store).await;
    proxy.pause();
    assert!(store.values().get("call:1").await.is_err());
    proxy.go_on();
    reachable(&store).await;
    proxy.delay(Duration::from_millis(50));
    put(&store, "call:2", b"slow").await.expect("slow is not away");
}

#[tokio::test]
async fn a_full_redis_refuses_writes_and_is_read_all_the_same() {
    let Some(server) = RedisServer::start().await else { return };
    let store = Store::Redis(server.store());
    put(&store, "call:1", b"kept").await.expect("reachable");
    assert_eq!(server.ask("CONFIG SET maxmemory 1").await.expect("reachable"), "+OK");
    let error = put(&store, "call:2", b"no room").await.expect_err("is full").to_string();
    assert!(error.contains("OOM"), "{error}");
    assert_eq!(store.values().get("call:1").await, Ok(Some(Bytes::from_static(b"kept"))));
}

#[tokio::test]
async fn a_value_over_the_limit_is_dropped_and_megabytes_are_kept() {
    let Some(server) = RedisServer::start().await else { return };
    let store = Store::Redis(server.store());
    for (key, size, is_kept) in [("call:8", 8 << 20, true), ("call:9", (8 << 20) + 1, false)] {
        let value = Bytes::from(vec![7; size]);
        assert_eq!(store.values().put_if_absent(key, value.clone(), LONG).await, Ok(value.clone()));
        assert_eq!(store.values().get(key).await, Ok(is_kept.then_some(value)), "{size}");
    }
}

#[tokio::test]
async fn two_prefixes_are_two_stores() {
    let Some(server) = RedisServer::start().await else { return };
    let ours = Store::Redis(server.store());
    let theirs = Store::Redis(server.store_with(|s| RedisSettings { prefix: "theirs:".to_owned(), ..s }));
    put(&ours, "call:1", b"ours").await.expect("reachable");
    assert_eq!(theirs.values().get("call:1").await, Ok(None));
    assert_eq!(server.ask("KEYS *").await.expect("reachable"), "*1");
    assert_eq!(server.ask("EXISTS precis:call:1").await.expect("reachable"), ":1");
}

#[tokio::test]
async fn every_key_expires() {
    let Some(server) = RedisServer::start().await else { return };
    let store = Store::Redis(server.store());
    let session = precis_proto::SessionId::new("s").expect("a short name");
    let at = |number| precis_runtime::store::Revision { session: &session, life: None, number };
    let limits = precis_runtime::store::LimitPolicy { requests: Some(10), ..Default::default() };
    put(&store, "call:1", b"a").await.expect("reachable");
    store.values().compare_and_set("call:2", None, Bytes::new(), LONG).await.expect("reachable");
    store.leases().acquire("flight:1", "a", LONG).await.expect("reachable");
    store.fences().claim(at(1), "a", LONG).await.expect("reachable");
    store.fences().advance(at(2), LONG).await.expect("reachable");
    let call = precis_runtime::store::Amount { requests: 1, ..Default::default() };
    store.limits().reserve("p", &limits, &call).await.expect("reachable");
    let outcome = precis_runtime::store::CallOutcome::Failure;
    store.breakers().report("p", &Default::default(), 0, outcome).await.expect("reachable");
    assert_eq!(server.ask("DBSIZE").await.expect("reachable"), ":6");
    let script = "local n = 0 for _, k in ipairs(redis.call('KEYS', '*')) do \
                  if redis.call('TTL', k) < 0 then n = n + 1 end end return n";
    assert_eq!(server.ask(&format!("EVAL \"{script}\" 0")).await.expect("reachable"), ":0");
}

#[tokio::test]
async fn a_wrong_password_is_reported_without_the_password() {
    let Some(server) = RedisServer::start_with(&["--requirepass", "right"]).await else { return };
    let address = |password: &str| format!("redis://:{password}@127.0.0.1:{}", server.port());
    let right = Store::Redis(RedisStore::connect(&at(address("right"))).expect("a good address"));
    reachable(&right).await;
    let wrong = RedisStore::connect(&at(address("hunter2"))).expect("a good address");
    let error = Store::Redis(wrong.clone()).values().get("call:1").await.expect_err("is refused");
    assert!(!format!("{wrong:?} {error:?} {error}").contains("hunter2"), "{error}");
}

#[tokio::test]
async fn over_tls_both_sides_show_who_they_are() {
    let dir = tempfile::tempdir().expect("a directory");
    let Some(()) = tls::certificates(dir.path()) else { return };
    let file = |name: &str| dir.path().join(name).to_str().expect("UTF-8").to_owned();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    drop(listener);
    let (ca, certificate, key) = (file("ca.pem"), file("server.pem"), file("server.key"));
    let arguments = [
        "--tls-port",
        &port.to_string(),
        "--tls-ca-cert-file",
        &ca,
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
    ];
    let Some(_server) = RedisServer::start_with(&arguments).await else { return };
    let trusting = RedisSettings { ca_file: Some(ca.into()), ..at(format!("rediss://127.0.0.1:{port}")) };
    let identity = ClientIdentity { certificate_file: file("client.pem").into(), key_file: file("client.key").into() };
    let known = RedisSettings { identity: Some(identity), ..trusting.clone() };
    let known = Store::Redis(RedisStore::connect(&known).expect("good certificates"));
    reachable(&known).await;
    put(&known, "call:1", b"a").await.expect("reachable");
    let strangers = [trusting, at(format!("rediss://127.0.0.1:{port}"))];
    for stranger in strangers {
        let stranger = Store::Redis(RedisStore::connect(&stranger).expect("good settings"));
        assert!(stranger.values().get("call:1").await.is_err());
    }
}

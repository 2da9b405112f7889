//! Models whose store is a real Redis that goes away and comes back. Where Redis is not installed, each test says so and ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use precis_runtime::model::Models;
use precis_runtime::store::{RedisStore, Store};
use precis_tests::provider::Reply;
use precis_tests::servers::redis::RedisServer;

use crate::provider::{Bench, FAKE, call, summary};

const LOCAL: &str = "local:extractive";

/// The default patience, as a worker has it.
fn store(server: &RedisServer) -> Store {
    let store: RedisStore = server.store_with(|s| s);
    Store::Redis(store)
}

async fn reachable(store: &Store) {
    let until = Instant::now() + Duration::from_secs(20);
    while store.values().get("nothing").await.is_err() {
        assert!(Instant::now() < until, "waited for Redis to be noticed");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Fails calls until the provider is left alone; returns how many requests that took.
async fn until_open(bench: &Bench, models: &Arc<Models>, first: u32) -> usize {
    let before = bench.server.calls();
    for n in first..first + 6 {
        assert_eq!(call(models, "s", &summary(n)).await.provider, LOCAL);
    }
    bench.server.calls() - before
}

#[tokio::test]
async fn the_breaker_guards_before_during_and_after_an_outage_of_redis() {
    for is_killed in [false, true] {
        let Some(mut server) = RedisServer::start().await else { return };
        let mut bench = Bench::new(vec![Reply::status(500); 5]).await;
        bench.policy.breaker.open_ms = 400;
        let store = store(&server);
        reachable(&store).await;
        let models = bench.models_on(store.clone());
        assert_eq!(until_open(&bench, &models, 0).await, 5, "shared");
        let elsewhere = bench.models_on(store.clone());
        assert_eq!(call(&elsewhere, "s", &summary(10)).await.provider, LOCAL, "open for everybody");
        if is_killed {
            server.kill();
        } else {
            server.pause();
        }
        // The shared breaker is out of sight: our own begins closed, and a provider that works is asked.
        assert_eq!(call(&models, "s", &summary(11)).await.provider, FAKE, "killed: {is_killed}");
        bench.server.play(vec![Reply::status(500); 4]);
        // It has heard of one success, so four failures are 80 % of five.
        assert_eq!(until_open(&bench, &models, 20).await, 4, "our own, killed: {is_killed}");
        if is_killed {
            server.restart().await;
        } else {
            server.go_on();
        }
        reachable(&store).await;
        tokio::time::sleep(Duration::from_millis(450)).await;
        assert_eq!(call(&models, "s", &summary(30)).await.provider, FAKE, "killed: {is_killed}");
        assert_eq!(call(&elsewhere, "s", &summary(31)).await.provider, FAKE, "killed: {is_killed}");
    }
}

#[tokio::test]
async fn calls_without_redis_are_not_slower_than_one_timeout() {
    let Some(server) = RedisServer::start().await else { return };
    let bench = Bench::new([]).await;
    let store = store(&server);
    reachable(&store).await;
    server.pause();
    let models = bench.models_on(store);
    let started = Instant::now();
    for n in 0..50 {
        assert_eq!(call(&models, "s", &summary(n)).await.provider, FAKE);
    }
    let took = started.elapsed();
    assert!(took < Duration::from_secs(5), "50 calls without Redis took {took:?}");
}

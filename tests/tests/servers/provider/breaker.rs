//! A provider that keeps failing is left alone.

use std::time::Duration;

use precis_proto::warning::WarningCode;
use precis_tests::provider::Reply;

use precis_runtime::model::{Chain, Endpoint};

use crate::provider::{Bench, FAKE, call, said, summary};

#[tokio::test]
async fn after_five_failures_the_provider_is_not_asked_by_anybody() {
    for store_is_away in [false, true] {
        let bench = Bench::new(vec![Reply::status(500); 9]).await;
        bench.memory.set_available(!store_is_away);
        let models = bench.models();
        for n in 0..4 {
            assert_eq!(call(&models, "s", &summary(n)).await.provider, "local:extractive");
        }
        assert_eq!(bench.server.calls(), 5, "store away: {store_is_away}");
        let called = call(&models, "s", &summary(9)).await;
        assert!(said(&called, WarningCode::ProviderFallback)[0].contains("breaker_open"));
        let elsewhere = call(&bench.models(), "s", &summary(10)).await.provider;
        assert_eq!(elsewhere == FAKE, store_is_away && bench.server.calls() > 9, "shared through the store");
    }
}

#[tokio::test]
async fn refusals_and_rate_limits_do_not_count_against_a_provider() {
    let refusals = [Reply::status(400), Reply::status(401), Reply::status(404)].into_iter().cycle().take(12);
    let bench = Bench::new(refusals.chain((0..4).map(|_| Reply::wait("retry-after", "0")))).await;
    let models = bench.models();
    for n in 0..14 {
        call(&models, "s", &summary(n)).await;
    }
    assert_eq!(bench.server.calls(), 16);
    assert_eq!(call(&models, "s", &summary(99)).await.provider, FAKE);
}

#[tokio::test]
async fn what_is_known_is_answered_while_the_breaker_is_open() {
    let bench = Bench::new([Reply::Fitting].into_iter().chain(vec![Reply::status(500); 9])).await;
    let models = bench.models();
    let known = call(&models, "s", &summary(1)).await;
    for n in 2..8 {
        call(&models, "s", &summary(n)).await;
    }
    assert_eq!(call(&models, "s", &summary(1)).await, known);
}

#[tokio::test]
async fn after_its_open_time_one_probe_decides() {
    let mut bench = Bench::new(vec![Reply::status(500); 5]).await;
    bench.policy.breaker.open_ms = 300;
    let models = bench.models();
    for n in 0..3 {
        call(&models, "s", &summary(n)).await;
    }
    assert_eq!(bench.server.calls(), 5);
    tokio::time::sleep(Duration::from_millis(350)).await;
    assert_eq!(call(&models, "s", &summary(7)).await.provider, FAKE);
    assert_eq!(call(&models, "s", &summary(8)).await.provider, FAKE);
}

#[tokio::test]
async fn a_failing_model_does_not_stop_others_on_its_server() {
    // Each call: the first model fails twice, the second answers; until the first is left alone.
    let replies = (0..2).flat_map(|_| [Reply::status(500), Reply::status(500), Reply::Fitting]);
    let mut bench = Bench::new(replies.chain([Reply::status(500)])).await;
    let neighbour = "fake:neighbour";
    bench.chain = Chain::new([FAKE, neighbour]);
    let models = bench.models();
    for n in 0..20 {
        assert_eq!(call(&models, "s", &summary(n)).await.provider, neighbour, "call {n}");
    }
    // The breaker of the first opened at its fifth failure; from then on the neighbour alone was asked.
    assert_eq!(bench.server.calls(), 5 + 20);
}

#[tokio::test]
async fn an_unreachable_server_is_skipped_with_all_its_models() {
    let mut bench = Bench::new([]).await;
    let Endpoint::Server(server) = &mut bench.config.endpoint else { panic!("is a server") };
    server.base_url = "http://127.0.0.1:1/v1".to_owned();
    let models = bench.models();
    for n in 0..3 {
        call(&models, "s", &summary(n)).await;
    }
    bench.chain = Chain::new(["fake:neighbour"]);
    let called = call(&bench.models(), "s", &summary(9)).await;
    assert!(said(&called, WarningCode::ProviderFallback)[0].contains("breaker_open"), "{:?}", called.warnings);
}

#[tokio::test]
async fn a_silent_provider_costs_a_session_one_patience_and_no_more() {
    let mut bench = Bench::new(vec![Reply::Hang; 40]).await;
    bench.policy.patience = Duration::from_millis(900);
    bench.config.timeout = Duration::from_millis(300);
    bench.config.max_concurrent = 2;
    let models = bench.models();
    let began = std::time::Instant::now();
    let tasks: Vec<_> = (0..8).map(summary).collect();
    let together = tasks.iter().map(|task| call(&models, "s", task));
    for called in futures_util::future::join_all(together).await {
        assert_eq!(called.provider, "local:extractive");
    }
    for n in 20..24 {
        let called = call(&models, "s", &summary(n)).await;
        let told = said(&called, WarningCode::ProviderFallback)[0];
        assert!(told.contains("silent") || told.contains("breaker_open"), "{told}");
    }
    assert!(began.elapsed() < Duration::from_millis(1_900), "{:?}", began.elapsed());
}

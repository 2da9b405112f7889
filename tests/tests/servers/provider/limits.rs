//! Limits of a provider over its wire: how often it is asked, by how many.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use precis_proto::warning::WarningCode;
use precis_runtime::store::LimitPolicy;
use precis_tests::provider::Reply;

use crate::provider::{Bench, FAKE, call, said, summary, try_call};

const LOCAL: &str = "local:extractive";

fn requests(limit: u64) -> LimitPolicy {
    LimitPolicy { requests: Some(limit), ..LimitPolicy::default() }
}

async fn bench(limits: LimitPolicy) -> Bench {
    let mut bench = Bench::new([]).await;
    (bench.config.limits, bench.config.max_concurrent) = (limits, 32);
    bench
}

#[tokio::test]
async fn parallel_calls_of_two_processes_obey_one_rate_limit() {
    // 27 at a time after a silence, then one every 60/244 s.
    let bench = bench(requests(270)).await;
    let (one, two) = (bench.models(), bench.models());
    let begun = Instant::now();
    let calls = (0..32).map(|n| {
        let models = if n % 2 == 0 { one.clone() } else { two.clone() };
        async move { call(&models, "s", &summary(n)).await.provider }
    });
    assert!(join_all(calls).await.iter().all(|p| p == FAKE));
    let seen = bench.server.seen();
    assert_eq!(seen.len(), 32);
    for (n, later) in seen.iter().enumerate().skip(28) {
        let (passed, earliest) = (later.at - begun, Duration::from_secs_f64((n - 27) as f64 * 60.0 / 243.0));
        assert!(passed >= earliest, "request {n} after {passed:?}, not before {earliest:?}");
    }
}

#[tokio::test]
async fn a_wait_beyond_the_time_left_tries_the_next_provider_instead() {
    let bench = bench(requests(1)).await;
    let models = bench.models();
    let budget = Duration::from_secs(10);
    assert_eq!(try_call(&models, "s", &summary(1), budget).await.expect("answered").provider, FAKE);
    let second = try_call(&models, "s", &summary(2), budget).await.expect("answered");
    assert_eq!(second.provider, LOCAL);
    assert!(said(&second, WarningCode::ProviderFallback)[0].contains("limit_reached"));
    assert_eq!(bench.server.calls(), 1);
}

#[tokio::test]
async fn what_is_known_costs_nothing_of_a_limit() {
    let bench = bench(requests(1)).await;
    let models = bench.models();
    let first = call(&models, "s", &summary(1)).await;
    for _ in 0..10 {
        assert_eq!(call(&models, "s", &summary(1)).await, first);
    }
    assert_eq!(bench.server.calls(), 1);
}

#[tokio::test]
async fn tokens_are_settled_with_what_the_provider_counted() {
    // An estimate is some 700 tokens, most of them for the answer; the server says 27.
    let limits = LimitPolicy { tokens: Some(2_000), ..LimitPolicy::default() };
    let bench = bench(limits).await;
    let models = bench.models();
    for n in 0..7 {
        let called = try_call(&models, "s", &summary(n), Duration::from_secs(3)).await.expect("answered");
        assert_eq!(called.provider, FAKE, "call {n}");
    }
}

#[tokio::test]
async fn a_request_that_is_not_sent_gives_its_place_back() {
    let mut bench = Bench::new(vec![Reply::status(500); 5]).await;
    bench.config.limits = requests(60);
    bench.policy.breaker.open_ms = 60_000;
    let models = bench.models();
    // Five failures open the breaker; what it refuses then is not sent.
    for n in 0..30 {
        assert_eq!(call(&models, "s", &summary(n)).await.provider, LOCAL);
    }
    assert_eq!(bench.server.calls(), 5);
}

#[tokio::test]
async fn a_money_limit_of_nothing_lets_nothing_through_that_costs() {
    let bench = bench(LimitPolicy { micro_usd: Some(0), ..LimitPolicy::default() }).await;
    assert_eq!(bench.call(&summary(1)).await.provider, LOCAL);
    assert_eq!(bench.server.calls(), 0);
}

#[tokio::test]
async fn while_the_store_is_away_a_process_keeps_to_its_share() {
    let bench = bench(requests(8)).await;
    bench.memory.set_available(false);
    let models = bench.models();
    let mut answered = Vec::new();
    for n in 0..3 {
        answered.push(try_call(&models, "s", &summary(n), Duration::from_secs(5)).await.expect("answered").provider);
    }
    assert_eq!(answered, [FAKE, LOCAL, LOCAL]);
}

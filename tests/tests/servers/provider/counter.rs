//! Providers that count for themselves: asked where our count comes near the room, and where they do not answer, not waited for.

use std::time::{Duration, Instant};

use precis_proto::warning::WarningCode;
use precis_runtime::model::{ModelAnswer, Vendor};
use precis_tests::provider::{Counter, PromptGate, Reply, Scripted};

use crate::provider::{Bench, FAKE, call, findings, said, summary};

/// Vendors that count.
const COUNTING: [Vendor; 2] = [Vendor::Anthropic, Vendor::Gemini];
const WINDOW: u64 = 8_000;

/// A provider whose vocabulary makes `percent` tokens of a hundred of ours, with a window we know.
async fn bench(vendor: Vendor, percent: u64) -> Bench {
    let mut bench = Bench::from_server(vendor, Scripted::counting(vendor, WINDOW, percent).await);
    bench.gate = PromptGate::with_window(FAKE, WINDOW, 512);
    bench
}

fn is_estimated(called: &ModelAnswer) -> bool {
    !said(called, WarningCode::TokenCountEstimateUsed).is_empty()
}

#[tokio::test]
async fn a_vocabulary_with_more_tokens_leads_to_no_refusal() {
    for vendor in COUNTING {
        for percent in [100, 130, 160, 250] {
            let bench = bench(vendor, percent).await;
            let models = bench.models();
            for n in [1, 40, 80, 90, 300, 900] {
                let called = call(&models, "s", &findings(n)).await;
                assert_eq!((called.provider.as_str(), is_estimated(&called)), (FAKE, false), "{n} at {percent} %");
            }
            let most = bench.server.seen().iter().map(|s| s.tokens).max();
            assert!(most.is_some_and(|t| t <= WINDOW && t * 10 > WINDOW * 7), "{most:?} at {percent} %");
            assert_eq!(bench.server.calls(), 6, "no request was refused at {percent} %");
        }
    }
}

#[tokio::test]
async fn far_from_the_limit_no_confirmation_is_asked() {
    for vendor in COUNTING {
        let bench = bench(vendor, 100).await;
        assert_eq!(bench.call(&summary(1)).await.provider, FAKE);
        assert_eq!((bench.server.calls(), bench.server.counts()), (1, 0), "{vendor:?}");
    }
    let bench = Bench::from_server(Vendor::OpenAi, Scripted::counting(Vendor::OpenAi, WINDOW, 100).await);
    assert!(!is_estimated(&bench.call(&findings(300)).await));
    assert_eq!(bench.server.counts(), 0, "no counter, no question");
}

#[tokio::test]
async fn a_payload_is_counted_once_for_all_tries_and_all_processes() {
    for vendor in COUNTING {
        let bench = bench(vendor, 100).await;
        bench.server.play([Reply::status(500), Reply::status(500)]);
        assert_eq!(bench.call(&findings(300)).await.provider, "local:extractive");
        assert_eq!((bench.server.calls(), bench.server.counts()), (2, 1), "{vendor:?}");
        assert_eq!(bench.call(&findings(300)).await.provider, FAKE, "another process");
        assert_eq!((bench.server.calls(), bench.server.counts()), (3, 1), "{vendor:?}");
    }
}

#[tokio::test]
async fn a_counter_that_does_not_answer_leaves_the_estimate_and_a_warning() {
    for vendor in COUNTING {
        for counter in [Counter::Refuses(500), Counter::Refuses(429), Counter::Babbles] {
            let bench = bench(vendor, 100).await;
            bench.server.counter(counter);
            let called = bench.call(&findings(300)).await;
            assert_eq!((called.provider.as_str(), is_estimated(&called)), (FAKE, true), "{counter:?}");
            assert_eq!((bench.server.calls(), bench.server.counts()), (1, 1), "{counter:?}");
        }
    }
}

#[tokio::test]
async fn a_counter_that_is_silent_is_not_waited_for_long() {
    let mut bench = bench(Vendor::Anthropic, 100).await;
    bench.config.timeout = Duration::from_secs(4);
    bench.server.counter(Counter::Hangs);
    let started = Instant::now();
    let called = bench.call(&findings(300)).await;
    assert_eq!((called.provider.as_str(), is_estimated(&called)), (FAKE, true));
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_server_without_a_counter_is_asked_once() {
    for vendor in COUNTING {
        let bench = bench(vendor, 100).await;
        bench.server.counter(Counter::Refuses(404));
        let models = bench.models();
        for n in [300, 301, 302] {
            assert!(is_estimated(&call(&models, "s", &findings(n)).await), "{vendor:?}");
        }
        assert_eq!((bench.server.calls(), bench.server.counts()), (3, 1), "{vendor:?}");
    }
}

#[tokio::test]
async fn provider_counts_are_not_called_estimates_even_from_cache() {
    for vendor in COUNTING {
        let mut bench = bench(vendor, 100).await;
        for limits in bench.gate.limits.overrides.values_mut() {
            limits.tokenizer = None;
        }
        // Near the room its own count decides, far from it ours.
        for (n, estimated) in [(300, false), (1, true)] {
            for _ in 0..2 {
                let called = bench.call(&findings(n)).await;
                assert_eq!((called.provider.as_str(), is_estimated(&called)), (FAKE, estimated), "{vendor:?} {n}");
            }
        }
        assert_eq!((bench.server.calls(), bench.server.counts()), (2, 1), "the second of each is remembered");
    }
}

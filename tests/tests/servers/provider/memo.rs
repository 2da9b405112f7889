//! Nothing is paid twice: repeats, races, crashes, and a store that comes and goes.

use std::time::{Duration, Instant};

use precis_runtime::model::Vendor;
use precis_runtime::store::{DiskCache, Lease, MemoryStore, Store};
use precis_tests::provider::{PromptGate, Reply};
use serde_json::json;

use crate::provider::{Bench, FAKE, LONG, call, summary, try_call};

#[tokio::test]
async fn a_repeat_by_the_same_session_is_the_same_payment() {
    let bench = Bench::new([]).await;
    let first = call(&bench.models(), "s", &summary(1)).await;
    let again = call(&bench.models(), "s", &summary(1)).await;
    assert_eq!(first, again);
    assert!(again.records[0].paid);
    assert_eq!(bench.server.calls(), 1);
}

#[tokio::test]
async fn another_session_gets_the_answer_for_nothing() {
    let bench = Bench::new([]).await;
    let first = call(&bench.models(), "a", &summary(1)).await;
    let other = call(&bench.models(), "b", &summary(1)).await;
    assert_eq!((&first.value, &first.records[0].call_key), (&other.value, &other.records[0].call_key));
    assert_eq!((other.records[0].paid, other.records[0].cost_usd), (false, 0.0));
    assert_eq!(bench.server.calls(), 1);
}

#[tokio::test]
async fn another_model_window_or_task_is_another_call() {
    let mut bench = Bench::new([]).await;
    call(&bench.models(), "s", &summary(1)).await;
    call(&bench.models(), "s", &summary(2)).await;
    bench.gate = PromptGate::with_window(FAKE, 32_000, 256);
    call(&bench.models(), "s", &summary(1)).await;
    assert_eq!(bench.server.calls(), 3);
}

#[tokio::test]
async fn two_that_ask_at_once_pay_once() {
    let bench = Bench::new([Reply::Held]).await;
    // Two sets of models are two processes: they share the store only.
    let (one, two) = (bench.models(), bench.models());
    let task = summary(1);
    let (first, second, ()) = tokio::join!(call(&one, "a", &task), call(&two, "b", &task), async {
        bench.server.arrived(1).await;
        tokio::time::sleep(Duration::from_millis(60)).await;
        bench.server.release();
    });
    assert_eq!((first.value, bench.server.calls()), (second.value, 1));
    assert_eq!(usize::from(first.records[0].paid) + usize::from(second.records[0].paid), 1);
}

#[tokio::test]
async fn processes_that_share_a_cache_directory_alone_pay_once() {
    let bench = Bench::new([Reply::Held]).await;
    let dir = tempfile::tempdir().expect("a directory");
    // Each with a memory of its own, as separate runs of the program have.
    let process = || {
        let disk = DiskCache::open(dir.path(), 1 << 20).expect("opens");
        bench.models_on(Store::Memory(MemoryStore::new().with_disk(disk)))
    };
    let (one, two, three) = (process(), process(), process());
    let task = summary(1);
    let (first, second, third, ()) =
        tokio::join!(call(&one, "a", &task), call(&two, "b", &task), call(&three, "c", &task), async {
            bench.server.arrived(1).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            bench.server.release();
        });
    assert_eq!(bench.server.calls(), 1);
    let paid = [&first, &second, &third].map(|called| usize::from(called.records[0].paid));
    assert_eq!(paid.iter().sum::<usize>(), 1);
    assert!(first.value == second.value && second.value == third.value);
}

#[tokio::test]
async fn a_waiter_on_a_dead_process_proceeds_when_its_lease_ends() {
    let bench = Bench::new([]).await;
    let key = call(&bench.models(), "s", &summary(1)).await.records[0].call_key.clone();
    bench.memory.wipe();
    let store = Store::Memory(bench.memory.clone());
    let lease = store.leases().acquire(&format!("flight:{key}"), "dead", Duration::from_millis(400)).await;
    assert_eq!(lease, Ok(Lease::Mine));
    let started = Instant::now();
    assert_eq!(call(&bench.models(), "s", &summary(1)).await.provider, FAKE);
    assert!(started.elapsed() >= Duration::from_millis(300), "{:?}", started.elapsed());
    assert_eq!(bench.server.calls(), 2);
}

#[tokio::test]
async fn the_wait_for_another_process_is_bounded() {
    let mut bench = Bench::new([]).await;
    bench.policy.flight_wait = Duration::from_millis(100);
    let key = call(&bench.models(), "s", &summary(1)).await.records[0].call_key.clone();
    bench.memory.wipe();
    let store = Store::Memory(bench.memory.clone());
    store.leases().acquire(&format!("flight:{key}"), "slow", Duration::from_secs(600)).await.expect("is there");
    assert_eq!(call(&bench.models(), "s", &summary(1)).await.provider, FAKE);
    assert_eq!(bench.server.calls(), 2);
}

#[tokio::test]
async fn without_a_store_calls_are_made_all_the_same() {
    let bench = Bench::new([]).await;
    bench.memory.set_available(false);
    for calls in 1..=2 {
        let called = call(&bench.models(), "s", &summary(1)).await;
        assert_eq!((called.provider.as_str(), called.records[0].paid, called.warnings.len()), (FAKE, true, 0));
        assert_eq!(bench.server.calls(), calls);
    }
}

#[tokio::test]
async fn an_abandoned_answer_is_kept() {
    let bench = Bench::new([Reply::Held]).await;
    let models = bench.models();
    let waiting = tokio::spawn({
        let models = models.clone();
        async move { call(&models, "s", &summary(1)).await }
    });
    bench.server.arrived(1).await;
    waiting.abort();
    assert!(waiting.await.is_err_and(|e| e.is_cancelled()));
    bench.server.release();
    assert!(models.drain(Duration::from_secs(10)).await);
    let called = call(&bench.models(), "s", &summary(1)).await;
    assert_eq!((called.provider.as_str(), called.records[0].paid, bench.server.calls()), (FAKE, true, 1));
}

#[tokio::test]
async fn an_unsent_request_without_a_caller_is_not_sent() {
    let mut bench = Bench::new([Reply::Held]).await;
    bench.config.max_concurrent = 1;
    let models = bench.models();
    let spawn = |n| {
        let models = models.clone();
        tokio::spawn(async move { call(&models, "s", &summary(n)).await.provider })
    };
    let first = spawn(1);
    bench.server.arrived(1).await;
    let second = spawn(2);
    tokio::time::sleep(Duration::from_millis(50)).await;
    second.abort();
    assert!(second.await.is_err());
    bench.server.release();
    assert_eq!(first.await.expect("is answered"), FAKE);
    assert!(models.drain(Duration::from_secs(10)).await);
    assert_eq!(bench.server.calls(), 1);
}

#[tokio::test]
async fn a_drain_ends_what_does_not_end_by_itself() {
    let bench = Bench::new([Reply::Hang]).await;
    let models = bench.models();
    let waiting = tokio::spawn({
        let models = models.clone();
        async move { try_call(&models, "s", &summary(1), LONG).await }
    });
    bench.server.arrived(1).await;
    let started = Instant::now();
    assert!(!models.drain(Duration::from_millis(100)).await);
    assert!(started.elapsed() < Duration::from_secs(5));
    let error = waiting.await.expect("does not panic").expect_err("nobody stands in while the process ends");
    assert_eq!((error.code.as_str(), error.is_transient), ("stopped", true));
}

#[tokio::test]
async fn input_that_a_provider_had_cached_is_recorded_and_costs_less() {
    let said = r#"{"summary": "It holds.", "key_points": ["It holds."]}"#;
    let openai = json!({
        "choices": [{ "message": { "role": "assistant", "content": said }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": { "cached_tokens": 90 } },
    });
    let anthropic = json!({
        "type": "message", "role": "assistant", "content": [{ "type": "text", "text": said }], "stop_reason": "end_turn",
        "usage": { "input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 7 },
    });
    let gemini = json!({
        "candidates": [{ "content": { "role": "model", "parts": [{ "text": said }] }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 100, "cachedContentTokenCount": 90, "candidatesTokenCount": 7 },
    });
    for (vendor, body) in [(Vendor::OpenAi, openai), (Vendor::Anthropic, anthropic), (Vendor::Gemini, gemini)] {
        let bench = Bench::speaking(vendor, [Reply::Body(body.to_string())]).await;
        for _ in 0..2 {
            let called = bench.call(&summary(1)).await;
            let record = &called.records[0];
            let tokens = (record.input_tokens, record.cached_input_tokens, record.output_tokens);
            assert_eq!((called.provider.as_str(), tokens), (FAKE, (100, 90, 7)), "{vendor:?}");
            // 1 dollar for a million of them, 0.1 where it was cached, 2 for output.
            assert!((record.cost_usd - (10.0 + 9.0 + 14.0) / 1e6).abs() < 1e-12, "{record:?}");
        }
        assert_eq!(bench.server.calls(), 1);
    }
}

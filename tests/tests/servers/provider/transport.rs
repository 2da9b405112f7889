//! Providers that fail: which failures are tried again, how long is waited, who answers instead.

use std::time::{Duration, Instant};

use precis_proto::warning::WarningCode;
use precis_runtime::model::{Chain, ProviderConfig, Vendor};
use precis_tests::provider::{Reply, Scripted};

use crate::provider::{Bench, FAKE, call, codes, said, summary, try_call};

in_every_format!(
    a_failing_provider_gets_two_tries_and_then_the_next_one_answers,
    an_overloaded_provider_gets_a_second_try,
    a_wait_in_the_vendors_own_words_is_kept,
    a_second_try_that_works_leaves_no_warning,
    the_second_provider_of_a_chain_answers_before_the_built_in_model,
    a_refusal_that_will_not_change_is_not_tried_again_and_told_without_secrets,
    a_used_up_account_is_not_tried_again,
    a_wait_is_kept_in_each_of_its_spellings,
    a_wait_until_a_date_is_kept,
    a_wait_longer_than_the_time_left_passes_to_the_next_provider_at_once,
    every_broken_answer_ends_in_time_with_its_code,
    a_provider_that_is_not_there_is_passed_over,
    a_redirect_is_not_followed,
    the_time_left_bounds_a_call_that_its_provider_would_let_run,
    a_process_has_only_so_many_requests_at_a_provider_at_once,
);

async fn a_failing_provider_gets_two_tries_and_then_the_next_one_answers(vendor: Vendor) {
    let bench = Bench::speaking(vendor, [Reply::status(500), Reply::status(503)]).await;
    let called = bench.call(&summary(1)).await;
    assert_eq!((called.provider.as_str(), bench.server.calls()), ("local:extractive", 2));
    assert_eq!(codes(&called), [WarningCode::ProviderFallback, WarningCode::SummaryProviderFailed]);
    let fallback = said(&called, WarningCode::ProviderFallback);
    let [fallback] = fallback[..] else { panic!("{fallback:?}") };
    assert!(fallback.starts_with("`fake:small` failed (server_error): "), "{fallback}");
    assert!(fallback.ends_with("; `local:extractive` answered"), "{fallback}");
    let gap = bench.server.seen()[1].at - bench.server.seen()[0].at;
    assert!(gap >= bench.policy.retry_delay, "{gap:?}");
}

async fn an_overloaded_provider_gets_a_second_try(vendor: Vendor) {
    for status in [429, 500, 503, 529] {
        let bench = Bench::speaking(vendor, [Reply::status(status)]).await;
        let called = bench.call(&summary(1)).await;
        assert_eq!((called.provider.as_str(), bench.server.calls()), (FAKE, 2), "{status}");
    }
}

async fn a_wait_in_the_vendors_own_words_is_kept(vendor: Vendor) {
    let bench = Bench::speaking(vendor, [Reply::Wait(0.4)]).await;
    assert_eq!(bench.call(&summary(1)).await.provider, FAKE);
    let seen = bench.server.seen();
    let gap = seen[1].at - seen[0].at;
    assert!(gap >= Duration::from_millis(400) && gap < Duration::from_millis(1_900), "{gap:?}");
}

async fn a_second_try_that_works_leaves_no_warning(vendor: Vendor) {
    let bench = Bench::speaking(vendor, [Reply::status(503)]).await;
    let called = bench.call(&summary(1)).await;
    assert_eq!((called.provider.as_str(), called.warnings.len(), bench.server.calls()), (FAKE, 0, 2));
}

async fn the_second_provider_of_a_chain_answers_before_the_built_in_model(vendor: Vendor) {
    let mut bench = Bench::speaking(vendor, [Reply::status(404)]).await;
    bench.chain = Chain::new([FAKE, "fake:large"]);
    let called = bench.call(&summary(1)).await;
    assert_eq!(called.provider, "fake:large");
    let fallback = said(&called, WarningCode::ProviderFallback)[0];
    assert!(fallback.starts_with("`fake:small` failed (refused)"), "{fallback}");
    assert!(fallback.ends_with("; `fake:large` answered"), "{fallback}");
    let seen = &bench.server.seen()[1];
    assert!(seen.body["model"] == "large" || seen.path.ends_with("/models/large:generateContent"), "{}", seen.path);
}

async fn a_refusal_that_will_not_change_is_not_tried_again_and_told_without_secrets(vendor: Vendor) {
    for (status, code) in
        [(400, "refused"), (401, "unauthorized"), (403, "unauthorized"), (404, "refused"), (422, "refused")]
    {
        let secret = "key sk-live-1234567890 of /srv/private is wrong";
        let bench = Bench::speaking(vendor, [Reply::Refuse(status, Vec::new(), secret.into())]).await;
        let called = bench.call(&summary(1)).await;
        assert_eq!(bench.server.calls(), 1, "{status}");
        let all = format!("{:?}", called.warnings);
        assert!(all.contains(code) && !all.contains("sk-live") && !all.contains("private"), "{all}");
        let fallback = said(&called, WarningCode::ProviderFallback)[0];
        assert!(fallback.contains("key *** of *** is wrong"), "{fallback}");
        assert_eq!(fallback.contains("api_key_env in [providers.fake]"), code == "unauthorized", "{fallback}");
    }
}

async fn a_used_up_account_is_not_tried_again(vendor: Vendor) {
    let bench = Bench::speaking(vendor, [Reply::UsedUp]).await;
    let called = bench.call(&summary(1)).await;
    assert!(said(&called, WarningCode::ProviderFallback)[0].contains("quota_exhausted"));
    assert_eq!(bench.server.calls(), 1);
}

async fn a_wait_is_kept_in_each_of_its_spellings(vendor: Vendor) {
    for (header, value, wait) in [
        ("retry-after", "0.4", 400),
        ("llm_provider-retry-after", "0.4", 400),
        ("retry-after-ms", "400", 400),
        ("retry-after", "1", 1_000),
    ] {
        let bench = Bench::speaking(vendor, [Reply::wait(header, value)]).await;
        let called = bench.call(&summary(1)).await;
        let seen = bench.server.seen();
        let gap = seen[1].at - seen[0].at;
        assert!(gap >= Duration::from_millis(wait) && gap < Duration::from_millis(wait + 1_500), "{header}: {gap:?}");
        assert_eq!((called.provider.as_str(), called.warnings.len()), (FAKE, 0), "{header}");
    }
}

async fn a_wait_until_a_date_is_kept(vendor: Vendor) {
    // A date has whole seconds: two from now are more than one away.
    let date = (jiff::Timestamp::now() + Duration::from_secs(2)).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    for header in ["retry-after", "llm_provider-retry-after"] {
        let started = Instant::now();
        let bench = Bench::speaking(vendor, [Reply::wait(header, date.clone())]).await;
        assert_eq!(bench.call(&summary(1)).await.provider, FAKE);
        assert!(header != "retry-after" || started.elapsed() > Duration::from_millis(900), "{:?}", started.elapsed());
    }
}

async fn a_wait_longer_than_the_time_left_passes_to_the_next_provider_at_once(vendor: Vendor) {
    let bench = Bench::speaking(vendor, [Reply::wait("retry-after", "3600")]).await;
    let models = bench.models();
    let started = Instant::now();
    let called = call(&models, "s", &summary(1)).await;
    assert!(said(&called, WarningCode::ProviderFallback)[0].contains("rate_limited"));
    let called = call(&models, "s", &summary(2)).await;
    assert_eq!(called.provider, "local:extractive");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(bench.server.calls(), 1, "another call keeps away as well");
}

async fn every_broken_answer_ends_in_time_with_its_code(vendor: Vendor) {
    for (reply, code, calls) in [
        (Reply::Hang, "timeout", 2),
        (Reply::SlowHeaders, "timeout", 2),
        (Reply::Stall, "timeout", 2),
        (Reply::Cut, "connection_cut", 2),
        (Reply::Body("<html>gateway</html>".into()), "bad_answer", 2),
        (Reply::Body("{\"choices\": [{\"message\": {\"content\": \"cut".into()), "bad_answer", 2),
        (Reply::Body("{}".into()), "bad_answer", 2),
        (Reply::Declined, "content_filtered", 1),
        (Reply::Huge(5 * 1024 * 1024), "answer_too_large", 1),
        // A whole answer whose text is longer than any report.
        (Reply::Huge(300 * 1024), "answer_too_large", 1),
    ] {
        let mut bench = Bench::speaking(vendor, [reply.clone(), reply.clone()]).await;
        bench.config.timeout = Duration::from_millis(400);
        let started = Instant::now();
        let called = bench.call(&summary(1)).await;
        let fallback = said(&called, WarningCode::ProviderFallback)[0];
        assert!(fallback.starts_with(&format!("`fake:small` failed ({code})")), "{reply:?}: {fallback}");
        assert!(fallback.ends_with("; `local:extractive` answered"), "{reply:?}: {fallback}");
        assert_eq!(bench.server.calls(), calls, "{reply:?}");
        assert!(started.elapsed() < Duration::from_secs(8), "{reply:?}");
    }
}

async fn a_provider_that_is_not_there_is_passed_over(vendor: Vendor) {
    let mut bench = Bench::speaking(vendor, []).await;
    let gone = Scripted::speaking(vendor, []).await.base_url().to_owned();
    bench.config = ProviderConfig::server("fake", vendor, gone, None);
    let called = bench.call(&summary(1)).await;
    assert!(said(&called, WarningCode::ProviderFallback)[0].contains("connect_failed"));
}

async fn a_redirect_is_not_followed(vendor: Vendor) {
    let elsewhere = Scripted::speaking(vendor, []).await;
    let bench = Bench::speaking(vendor, [Reply::Redirect(format!("{}/elsewhere", elsewhere.base_url()))]).await;
    assert_eq!(bench.call(&summary(1)).await.provider, "local:extractive");
    assert_eq!((bench.server.calls(), elsewhere.calls()), (1, 0));
}

async fn the_time_left_bounds_a_call_that_its_provider_would_let_run(vendor: Vendor) {
    // The first call makes what every process makes once: on a busy machine that alone takes longer than a short time left.
    let bench = Bench::speaking(vendor, [Reply::Fitting, Reply::Hang]).await;
    assert_eq!(bench.call(&summary(0)).await.provider, FAKE);
    let started = Instant::now();
    let called = try_call(&bench.models(), "s", &summary(1), Duration::from_secs(1)).await.expect("is answered");
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(said(&called, WarningCode::ProviderFallback)[0].contains("out_of_time"));
    let called = try_call(&bench.models(), "s", &summary(2), Duration::ZERO).await.expect("is answered");
    assert_eq!(
        (called.provider.as_str(), bench.server.calls()),
        ("local:extractive", 2),
        "nothing is sent without time"
    );
}

async fn a_process_has_only_so_many_requests_at_a_provider_at_once(vendor: Vendor) {
    let mut bench = Bench::speaking(vendor, vec![Reply::Held; 6]).await;
    bench.config.max_concurrent = 2;
    let models = bench.models();
    let calls: Vec<_> = (0..6)
        .map(|n| {
            let models = models.clone();
            tokio::spawn(async move { call(&models, "s", &summary(n)).await.provider })
        })
        .collect();
    for done in 0..6 {
        let under_way = (done + 2).min(6);
        bench.server.arrived(under_way).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(bench.server.calls(), under_way);
        bench.server.release();
    }
    for call in calls {
        assert_eq!(call.await.expect("does not panic"), FAKE);
    }
}

//! Payloads that are over a window: counted so that they are not, shrunk where the count was wrong.

use precis_proto::warning::WarningCode;
use precis_runtime::model::Vendor;
use precis_runtime::telemetry::metrics;
use precis_tests::provider::{PromptGate, Reply, Scripted, Wording};

use crate::provider::{Bench, FAKE, call, findings, said, summary};

in_every_format!(
    an_overflow_makes_the_payload_smaller_in_every_vendors_words,
    a_payload_that_overflows_for_the_third_time_goes_to_the_next_provider,
    a_window_that_was_named_once_is_kept_from_then_on,
    a_provider_that_counts_for_itself_never_has_to_refuse,
    evidence_that_was_left_out_is_warned_about_and_counted,
    a_window_too_small_for_anything_is_not_bothered,
);

async fn an_overflow_makes_the_payload_smaller_in_every_vendors_words(vendor: Vendor) {
    for wording in [Wording::for_vendor(vendor), Wording::LiteLlm, Wording::LlamaCpp, Wording::Bare] {
        let bench = Bench::speaking(vendor, [Reply::Overflow(wording, 2_000)]).await;
        let called = bench.call(&findings(60)).await;
        let seen = bench.server.seen();
        assert_eq!((called.provider.as_str(), seen.len(), called.overflows), (FAKE, 2, 1), "{wording:?}");
        assert!(seen[1].tokens < seen[0].tokens, "{wording:?}");
        assert!(matches!(wording, Wording::Bare) || seen[1].tokens <= 2_000, "{wording:?}: {}", seen[1].tokens);
    }
}

async fn a_payload_that_overflows_for_the_third_time_goes_to_the_next_provider(vendor: Vendor) {
    let bench = Bench::speaking(vendor, vec![Reply::Overflow(Wording::Bare, 0); 3]).await;
    let called = bench.call(&findings(60)).await;
    let sizes: Vec<u64> = bench.server.seen().iter().map(|s| s.tokens).collect();
    assert!(sizes.len() == 3 && sizes.is_sorted_by(|a, b| a > b), "{sizes:?}");
    assert!(said(&called, WarningCode::ProviderFallback)[0].contains("context_overflow"));
    assert_eq!(called.overflows, 2);
}

async fn a_window_that_was_named_once_is_kept_from_then_on(vendor: Vendor) {
    let mut bench = Bench::from_server(vendor, Scripted::with_window(vendor, 3_000).await);
    bench.gate = PromptGate::default();
    let models = bench.models();
    for (n, calls) in [(200, 2), (201, 3), (202, 4)] {
        assert_eq!(call(&models, "s", &findings(n)).await.provider, FAKE);
        assert_eq!(bench.server.calls(), calls);
    }
}

async fn a_provider_that_counts_for_itself_never_has_to_refuse(vendor: Vendor) {
    for window in [2_500, 4_000, 8_000, 16_000, 32_000] {
        let mut bench = Bench::from_server(vendor, Scripted::with_window(vendor, window).await);
        bench.gate = PromptGate::with_window(FAKE, window, 512);
        let models = bench.models();
        for n in [1, 10, 30, 90, 300, 900] {
            let called = call(&models, "s", &findings(n)).await;
            assert_eq!(called.provider, FAKE, "{n} in {window}");
        }
        let most = bench.server.seen().iter().map(|s| s.tokens).max();
        assert!(most.is_some_and(|t| t <= window && t * 10 > window * 8), "{most:?} of {window}");
        assert_eq!(bench.server.calls(), 6, "no request was refused");
    }
}

async fn evidence_that_was_left_out_is_warned_about_and_counted(vendor: Vendor) {
    let mut bench = Bench::speaking(vendor, []).await;
    bench.gate = PromptGate::with_window(FAKE, 4_000, 512);
    let called = bench.call(&findings(300)).await;
    assert!(said(&called, WarningCode::ContentDropped)[0].contains("of 300 pieces"));
    let evidence = called.usage.iter().find(|u| u.layer == "L3").expect("has evidence");
    assert!(evidence.dropped > 0 && evidence.kept + evidence.dropped == evidence.estimated);
    for (fate, tokens) in
        [("estimated", evidence.estimated), ("budget", evidence.budget), ("dropped", evidence.dropped)]
    {
        let told = layer_tokens(fate);
        assert!(told >= tokens && tokens > 0, "{fate}: {told} told, {tokens} in this call");
    }
}

/// Tokens of evidence in all payloads of this process, as its metrics tell.
fn layer_tokens(fate: &str) -> u64 {
    let series = format!("precis_model_layer_tokens_total{{role=\"compression\",layer=\"L3\",fate=\"{fate}\"}} ");
    let text = metrics().text();
    let value = text.lines().find_map(|line| line.strip_prefix(&series));
    value.unwrap_or_else(|| panic!("no {series}in {text}")).parse().expect("a number")
}

async fn a_window_too_small_for_anything_is_not_bothered(vendor: Vendor) {
    let mut bench = Bench::speaking(vendor, []).await;
    bench.gate = PromptGate::with_window(FAKE, 600, 512);
    let called = bench.call(&summary(1)).await;
    assert!(said(&called, WarningCode::ProviderFallback)[0].contains("over_budget"));
    assert_eq!(bench.server.calls(), 0);
}

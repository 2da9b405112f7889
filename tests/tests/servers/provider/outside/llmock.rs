//! A provider written by others to judge its clients: its verdict on ours.

use std::process::Command;
use std::time::Duration;

use precis_proto::warning::WarningCode;
use precis_runtime::model::{CallPolicy, ModelAnswer, Models, ProviderConfig, Vendor};
use precis_tests::provider::{PromptGate, Reply};
use serde_json::Value;

use super::is_asked_for;
use super::process::{Server, free_port, python};
use crate::provider::{Bench, FAKE, call, findings, said, summary};

/// Queues `behaviors`, makes one call, and returns what came of it.
async fn after(server: &Server, models: &Models, behaviors: &str, n: u32) -> ModelAnswer {
    let queued = server.post("/_llmock/scenario", &format!("{{\"behaviors\": [{behaviors}]}}"));
    assert!(queued.is_some(), "{behaviors}");
    call(models, "s", &summary(n)).await
}

/// An answer to every task of this test, for the format in which it knows no schema and would say anything.
const ANSWER: &str = r#"{"summary": "It holds.", "key_points": ["It holds."], "findings": [{"statement": "It holds.", "passages": [1], "score": 1}]}"#;

in_every_format!(a_provider_that_judges_its_clients_finds_no_fault);

async fn a_provider_that_judges_its_clients_finds_no_fault(vendor: Vendor) {
    if !is_asked_for("PRECIS_TEST_LLMOCK") {
        return;
    }
    // A place for each: they may be made at the same time.
    let bin = python(&format!("llmock-{vendor:?}").to_lowercase(), &["llmock==0.2.2"]);
    let port = free_port();
    let mut command = Command::new(bin.join("llmock"));
    command.args(["serve", "--context-window", "3000", "--response-style", "static", "--port", &port.to_string()]);
    let server = Server::start(command, port);

    // The bench's own provider stays silent: only its settings are used, with the pauses of the product.
    let mut bench = Bench::new(Vec::<Reply>::new()).await;
    let path = match vendor {
        Vendor::OpenAi => "v1",
        Vendor::Anthropic => "anthropic/v1",
        Vendor::Gemini => "gemini/v1beta",
    };
    let config = ProviderConfig::server("fake", vendor, format!("http://127.0.0.1:{port}/{path}"), None);
    bench.config = ProviderConfig { timeout: Duration::from_secs(2), ..config };
    bench.policy = CallPolicy::default();
    bench.gate = PromptGate::default();
    let models = bench.models();

    if vendor == Vendor::Anthropic {
        let always = serde_json::json!({"behaviors": [{"type": "reply", "text": ANSWER, "times": null}]});
        assert!(server.post("/_llmock/scenario", &always.to_string()).is_some());
    }
    let plain = call(&models, "s", &summary(0)).await;
    assert_eq!(plain.provider, FAKE, "{:?}", plain.warnings);
    for (n, behaviors, provider) in [
        (1, r#"{"type": "fail", "status": 429, "retry_after": 1}"#, FAKE),
        (2, r#"{"type": "fail", "status": 503}"#, FAKE),
        (3, r#"{"type": "fail", "status": 529}"#, FAKE),
        (4, r#"{"type": "fail", "status": 401}"#, "local:extractive"),
        (5, r#"{"type": "fail", "status": 400}"#, "local:extractive"),
        (6, r#"{"type": "delay", "seconds": 5}"#, FAKE),
        (7, r#"{"type": "fail", "status": 500, "times": 2}"#, "local:extractive"),
        (8, r#"{"type": "reply", "text": "no JSON"}"#, FAKE),
    ] {
        let called = after(&server, &models, behaviors, n).await;
        assert_eq!(called.provider, provider, "{behaviors}: {:?}", called.warnings);
    }
    let wide = call(&models, "s", &findings(120)).await;
    assert_eq!(
        said(&wide, WarningCode::ProviderFallback),
        Vec::<&str>::new(),
        "the payload was shrunk into its window"
    );

    let verdict = server.get("/_llmock/verdict").expect("has a verdict");
    println!("{}", server.get("/_llmock/verdict?format=text").expect("has a verdict"));
    let verdict: Value = serde_json::from_str(&verdict).expect("is JSON");
    assert_eq!((&verdict["passed"], &verdict["errors"]), (&true.into(), &0.into()), "{verdict}");
    let warnings = verdict["findings"].as_array().map_or(0, Vec::len);
    assert_eq!(warnings, 0, "{verdict}");
}

//! What is sent, what comes back, what it cost.

use std::sync::Arc;

use precis_proto::task::{SynthesizeTask, Task, TaskFinding};
use precis_proto::warning::WarningCode;
use precis_runtime::model::{Chain, Chains, Models, ModelsError, Vendor};
use precis_runtime::store::{MemoryStore, Store};
use precis_tests::provider::{PromptGate, Reply};

use crate::provider::{Bench, FAKE, LONG, call, codes, summary, try_call};

in_every_format!(a_task_is_sent_in_full_and_its_answer_is_read_and_priced, a_report_is_asked_for_as_plain_text);

async fn a_task_is_sent_in_full_and_its_answer_is_read_and_priced(vendor: Vendor) {
    let mut bench = Bench::speaking(vendor, []).await;
    bench.with_key("sk-secret");
    let called = bench.call(&summary(1)).await;
    assert_eq!(called.provider, FAKE);
    assert!(called.value["summary"].as_str().is_some_and(|s| s.starts_with("The sources")));
    assert!(called.value["key_points"][0].is_string());
    assert_eq!((called.warnings.as_slice(), called.stepped_down), (&[][..], None));

    let record = &called.records[0];
    assert_eq!((record.paid, record.input_tokens, record.output_tokens), (true, 7, 20));
    assert!((record.cost_usd - (7.0 + 2.0 * 20.0) / 1e6).abs() < 1e-12);
    assert!(called.usage.iter().all(|u| u.call_key == record.call_key && u.kept + u.dropped == u.estimated));
    assert_eq!(called.usage.iter().map(|u| u.layer.as_str()).collect::<Vec<_>>(), ["L1", "L3", "L5"]);

    let seen = &bench.server.seen()[0];
    let (name, value, path) = match vendor {
        Vendor::OpenAi => ("authorization", "Bearer sk-secret", "/v1/chat/completions"),
        Vendor::Anthropic => ("x-api-key", "sk-secret", "/v1/messages"),
        Vendor::Gemini => ("x-goog-api-key", "sk-secret", "/v1/models/small:generateContent"),
    };
    assert_eq!((seen.headers[name].as_str(), seen.path.as_str()), (value, path), "a key stands in no address");
    let (limit, temperature) = match vendor {
        Vendor::OpenAi => (&seen.body["max_completion_tokens"], &seen.body["temperature"]),
        Vendor::Anthropic => (&seen.body["max_tokens"], &seen.body["temperature"]),
        Vendor::Gemini => {
            let config = &seen.body["generationConfig"];
            (&config["maxOutputTokens"], &config["temperature"])
        }
    };
    assert_eq!((limit, temperature), (&512.into(), &0.into()));
    assert!(seen.schema().is_some_and(|s| s["properties"]["key_points"].is_object()));
    assert!(seen.user().contains("Result 1 holds"));
}

async fn a_report_is_asked_for_as_plain_text(vendor: Vendor) {
    let finding = TaskFinding {
        id: 1,
        topic: "t".into(),
        statement: "It holds.".into(),
        title: "A".into(),
        source: 1,
        score: 1.0,
        headings: Vec::new(),
        path: String::new(),
        context: Vec::new(),
        similarity: None,
    };
    let task = Task::Synthesize(SynthesizeTask {
        evidence: Default::default(),
        raw_notes: Vec::new(),
        status: None,
        notes: Vec::new(),
        query: "q".into(),
        findings: vec![finding],
        target_tokens: 50,
        begun: String::new(),
    });
    let bench = Bench::speaking(vendor, [Reply::Text("It surely holds.".into())]).await;
    let called = bench.call(&task).await;
    assert!(called.value["markdown"].as_str().is_some_and(|m| m.ends_with("[1]")));
    assert_eq!(bench.server.seen()[0].schema(), None);
    assert_eq!(bench.server.calls(), 2, "a report that cites nothing is complained about");
}

#[tokio::test]
async fn an_unknown_window_is_warned_about() {
    let mut bench = Bench::new([]).await;
    bench.gate = PromptGate::default();
    let called = bench.call(&summary(1)).await;
    assert_eq!(codes(&called), [WarningCode::LimitsDefaulted, WarningCode::TokenCountEstimateUsed]);
    assert!(called.warnings[0].phase.is_some() && called.warnings[0].message.contains(FAKE));
}

#[tokio::test]
async fn a_chain_without_the_built_in_model_fails_with_stable_code() {
    let mut bench = Bench::new([Reply::status(403)]).await;
    bench.chain = Chain::new([FAKE]).or_fail();
    let error = try_call(&bench.models(), "s", &summary(1), LONG).await.expect_err("nobody is left");
    assert_eq!((error.code.as_str(), error.is_transient), ("unauthorized", false));
    assert_eq!(error.to_string(), "no provider for summarization answered: `fake:small` (unauthorized)");
}

#[tokio::test]
async fn a_chain_of_unknown_names_is_refused_at_start() {
    let store = || Store::Memory(MemoryStore::new());
    let bench = Bench::new([]).await;
    for link in ["other:small", "fake", "fake:", ":small"] {
        let chains = Chains::all(Chain::new([link]));
        let models = Models::new(
            std::slice::from_ref(&bench.config),
            chains,
            store(),
            Arc::new(PromptGate::default()),
            bench.policy.clone(),
        );
        let error = models.expect_err("is not configured");
        assert_eq!(error, ModelsError::UnknownProvider { provider: link.into(), known: "fake".into() });
    }
}

#[tokio::test]
async fn the_built_in_model_answers_without_a_provider_and_is_remembered() {
    let mut bench = Bench::new([]).await;
    bench.chain = Chain::new(Vec::<String>::new());
    let models = bench.models();
    let first = call(&models, "a", &summary(1)).await;
    assert_eq!((first.provider.as_str(), first.records[0].paid, first.warnings.len()), ("local:extractive", true, 0));
    let again = call(&models, "b", &summary(1)).await;
    assert_eq!((again.value, again.records[0].paid), (first.value, false));
    assert_eq!(bench.server.calls(), 0);
}

//! Answers that do not hold: one complaint, one level down, then the next provider.

use precis_proto::fidelity::FidelityLevel;
use precis_proto::task::Task;
use precis_proto::warning::WarningCode;
use precis_runtime::model::Vendor;
use precis_tests::provider::Reply;

use crate::provider::{Bench, FAKE, call, findings, said, summary};

in_every_format!(
    a_malformed_answer_is_complained_about_once,
    a_second_malformed_answer_asks_for_one_level_down,
    a_third_malformed_answer_is_a_failure_of_the_provider,
    a_task_without_levels_fails_over_after_the_complaint,
    an_answer_that_did_not_hold_is_not_paid_for_again_after_a_crash,
);

fn nonsense() -> Reply {
    Reply::Text("I would rather talk about the weather.".into())
}

async fn a_malformed_answer_is_complained_about_once(vendor: Vendor) {
    let wrong_shape = Reply::Text(r#"{"headline": "It holds."}"#.into());
    let no_points = Reply::Text(r#"{"summary": "It holds.", "key_points": []}"#.into());
    let cut_off = Reply::CutOff(r#"{"summary": "It ho"#.into());
    let empty_text = Reply::Text(String::new());
    for reply in [nonsense(), wrong_shape, no_points, cut_off, empty_text, Reply::EmptyContent, Reply::EmptyChoices] {
        let bench = Bench::speaking(vendor, [reply.clone()]).await;
        let called = bench.call(&summary(1)).await;
        assert_eq!((called.provider.as_str(), called.warnings.len()), (FAKE, 0), "{reply:?}");
        assert_eq!((bench.server.calls(), called.records.len()), (2, 2), "{reply:?}: both requests were paid");
        let seen = bench.server.seen();
        assert!(!seen[0].user().contains("was refused") && seen[1].user().contains("was refused"), "{reply:?}");
    }
}

async fn a_second_malformed_answer_asks_for_one_level_down(vendor: Vendor) {
    let bench = Bench::speaking(vendor, [nonsense(), nonsense()]).await;
    let called = bench.call(&summary(1)).await;
    let Some(Task::Summarize(lower)) = called.stepped_down else { panic!("{called:?}") };
    assert_eq!(lower.level, FidelityLevel::Headline);
    assert_eq!((called.provider.as_str(), called.records.len()), (FAKE, 3));
    let seen = bench.server.seen();
    assert!(seen[2].schema().is_some_and(|schema| schema["properties"].get("key_points").is_none()));
}

async fn a_third_malformed_answer_is_a_failure_of_the_provider(vendor: Vendor) {
    let bench = Bench::speaking(vendor, [nonsense(), nonsense(), nonsense()]).await;
    let called = bench.call(&summary(1)).await;
    assert!(said(&called, WarningCode::ProviderFallback)[0].contains("malformed_output"));
    assert_eq!((called.provider.as_str(), bench.server.calls(), called.records.len()), ("local:extractive", 3, 4));
}

async fn a_task_without_levels_fails_over_after_the_complaint(vendor: Vendor) {
    let foreign = r#"{"findings": [{"statement": "It holds.", "passages": [99], "score": 1}]}"#;
    let bench = Bench::speaking(vendor, [Reply::Text(foreign.into()), Reply::Text(foreign.into())]).await;
    let called = bench.call(&findings(3)).await;
    assert_eq!((called.provider.as_str(), bench.server.calls()), ("local:extractive", 2));
}

async fn an_answer_that_did_not_hold_is_not_paid_for_again_after_a_crash(vendor: Vendor) {
    let bench = Bench::speaking(vendor, [nonsense()]).await;
    let before = call(&bench.models(), "s", &summary(1)).await;
    let after = call(&bench.models(), "s", &summary(1)).await;
    assert_eq!(before, after);
    assert_eq!(bench.server.calls(), 2);
}

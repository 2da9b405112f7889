//! Answers that do not hold: one complaint, one level down, then the next provider.

use precis_proto::fidelity::FidelityLevel;
use precis_proto::task::Task;
use precis_proto::warning::WarningCode;
use precis_runtime::model::Vendor;
use precis_tests::provider::Reply;
use serde_json::{Value, json};

use crate::provider::{Bench, FAKE, call, findings, said, summary};

in_every_format!(
    a_malformed_answer_is_complained_about_once,
    a_second_malformed_answer_asks_for_one_level_down,
    a_third_malformed_answer_is_a_failure_of_the_provider,
    a_task_without_levels_fails_over_after_the_complaint,
    a_task_of_research_is_asked_for_twice_more_and_counted_by_who_answered,
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

async fn a_task_of_research_is_asked_for_twice_more_and_counted_by_who_answered(vendor: Vendor) {
    for (name, task) in research_tasks() {
        for (refused, provider, asked) in [(0, FAKE, 1), (1, FAKE, 2), (2, FAKE, 3), (3, "local:extractive", 3)] {
            let bench = Bench::speaking(vendor, vec![nonsense(); refused]).await;
            bench.server.play([Reply::Text(fitting(name).to_owned())]);
            let called = bench.call(&task).await;
            assert_eq!((called.provider.as_str(), bench.server.calls()), (provider, asked), "{name} {refused}");
            let counted = called.unreadable.get(FAKE).copied().unwrap_or_default();
            assert_eq!(counted as usize, refused, "{name} {refused}");
            let seen = bench.server.seen();
            // The prompt is the same, with one line about the form behind it.
            let first = seen[0].user().to_owned();
            assert!(seen.iter().all(|seen| seen.user().starts_with(&first)), "{name}");
            assert!(seen[1..].iter().all(|seen| seen.user()[first.len()..].contains("was refused")), "{name}");
        }
    }
}

/// A task of each kind that plans, supervises or researches.
fn research_tasks() -> Vec<(&'static str, Task)> {
    let seen = json!({
        "question": "Who built it?", "today": "2026-11-23", "round": 1, "rounds": 2, "searches_left": 3, "calls_left": 3,
        "plan": [{ "id": "q1", "text": "Who built it?", "answered_when": "w", "priority": 1 }],
    });
    let brief = json!({
        "question": "Who built it?", "restated": "r", "type": "fact", "complexity": "simple", "language": "en", "assumptions": [],
        "written_by": "local:extractive",
    });
    let directive = json!({ "id": "r1.d1", "topic": "Its builder" });
    let planned = json!({ "question": "Who built it?", "today": "2026-11-23", "language": "en", "given": [], "max_sub_questions": 3 });
    let with = |base: &Value, more: Value| {
        let mut whole = base.clone();
        whole.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        serde_json::from_value(whole).expect("a task")
    };
    vec![
        ("plan", with(&planned, json!({ "task": "plan", "built_in": { "brief": brief, "sub_questions": [] } }))),
        ("thought", with(&seen, json!({ "task": "think" }))),
        (
            "delegation",
            with(
                &json!({ "seen": seen, "complexity": "simple", "compared": 0, "max_directives": 2 }),
                json!({ "task": "delegate", "thought": { "text": "t" } }),
            ),
        ),
        (
            "turn",
            with(
                &json!({ "directive": directive, "brief": "b", "today": "2026-11-23", "searches_left": 2 }),
                json!({ "task": "turn", "calls_left": 3 }),
            ),
        ),
    ]
}

/// An answer that can be read.
fn fitting(name: &str) -> &'static str {
    match name {
        "plan" => {
            r#"{"restated": "r", "kind": "fact", "constraints": [], "assumptions": [], "sub_questions": [{"text": "Who?", "answered_when": "w", "priority": 1, "after": []}]}"#
        }
        "thought" => r#"{"text": "Nothing is known.", "is_enough": false}"#,
        "delegation" => {
            r#"{"directives": [{"sub_questions": ["q1"], "topic": "Its builder", "perspective": "", "evidence_needed": "", "priority": 1}], "is_complete": false, "reason": "r"}"#
        }
        _ => r#"{"calls": [{"tool": "search", "queries": ["builder"]}]}"#,
    }
}

async fn an_answer_that_did_not_hold_is_not_paid_for_again_after_a_crash(vendor: Vendor) {
    let bench = Bench::speaking(vendor, [nonsense()]).await;
    let before = call(&bench.models(), "s", &summary(1)).await;
    let after = call(&bench.models(), "s", &summary(1)).await;
    assert_eq!(before, after);
    assert_eq!(bench.server.calls(), 2);
}

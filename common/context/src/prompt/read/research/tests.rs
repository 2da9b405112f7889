use serde_json::json;

use super::*;

fn rows() -> Vec<PlanRow> {
    let row = |id: &str| PlanRow {
        id: id.into(),
        text: "t".into(),
        answered_when: "w".into(),
        priority: 1,
        after: Vec::new(),
    };
    ["q1", "q2"].map(row).to_vec()
}

#[test]
fn a_plan_is_read_and_its_places_follow_what_is_left() {
    let text = json!({
        "restated": " Who\nwrote it ",
        "kind": "multi_hop",
        "constraints": ["- in 1999", "", 3],
        "assumptions": "none",
        "sub_questions": [
            {"text": "  "},
            {"text": "What is it?", "answered_when": "w", "priority": 7, "after": [2]},
            {"text": "...", "priority": 1},
            {"text": "Who wrote it?", "priority": "1", "after": [1, "2", 3, 4, 99, -1]},
            "And when?",
        ],
        "notes": "more than was asked for",
    });
    let plan = plan(QuestionKind::Fact, 20, &format!("Here you go:\n```json\n{text}\n```")).expect("a plan");
    let found: Vec<(&str, u8, &[u32])> =
        plan.sub_questions.iter().map(|q| (q.text.as_str(), q.priority, q.after.as_slice())).collect();
    assert_eq!(found, [("What is it?", 3, &[][..]), ("Who wrote it?", 1, &[1]), ("And when?", 2, &[])]);
    assert_eq!((plan.restated.as_str(), plan.kind), ("Who wrote it", QuestionKind::MultiHop));
    assert_eq!((plan.constraints, plan.assumptions), (vec!["in 1999".to_owned()], vec!["none".to_owned()]));
}

#[test]
fn a_plan_of_any_size_is_bounded() {
    for (given, most, kept) in [(4, 5, 4), (5, 5, 5), (6, 5, 5), (500, 20, 20)] {
        let all: Vec<Value> = (0..given).map(|n| json!({"text": format!("question {n}")})).collect();
        let read = plan(QuestionKind::Fact, most, &json!({"sub_questions": all}).to_string()).expect("a plan");
        assert_eq!(read.sub_questions.len(), kept);
    }
    for (chars, kept) in [(DRAFT_TEXT_CHARS - 1, 299), (DRAFT_TEXT_CHARS, 300), (DRAFT_TEXT_CHARS + 1, 300)] {
        let text = json!({"sub_questions": [{"text": "é".repeat(chars)}]}).to_string();
        let read = plan(QuestionKind::Fact, 5, &text).expect("a plan");
        assert_eq!(read.sub_questions[0].text.chars().count(), kept);
    }
    for (notes, kept) in [(DRAFT_NOTES - 1, 9), (DRAFT_NOTES, 10), (DRAFT_NOTES + 1, 10)] {
        let text = json!({"constraints": vec!["c"; notes], "sub_questions": ["what is it"]}).to_string();
        assert_eq!(plan(QuestionKind::Fact, 5, &text).expect("a plan").constraints.len(), kept);
    }
    for bad in [
        "",
        "I think that",
        "{}",
        "[]",
        r#"{"sub_questions": []}"#,
        r#"{"sub_questions": [3, {}]}"#,
        &"[{".repeat(1 << 20),
    ] {
        assert!(plan(QuestionKind::Fact, 5, bad).is_err(), "{}", &bad[..bad.len().min(40)]);
    }
}

#[test]
fn a_thought_has_text_and_is_sufficient_only_if_stated() {
    for (text, want) in [
        (r#"{"text": "q1 is open", "is_enough": false}"#, Some(false)),
        (r#"{"text": "q1 is open"}"#, Some(false)),
        (r#"{"text": "q1 is open", "is_enough": "no"}"#, Some(false)),
        (r#"{'text': 'it's all there', 'is_enough': True}"#, Some(true)),
        (r#"{"is_enough": true}"#, None),
        (r#"{"text": " ", "is_enough": true}"#, None),
        ("Enough.", None),
    ] {
        assert_eq!(thought(text).ok().map(|t| t.is_enough), want, "{text}");
    }
    for (chars, kept) in [(THOUGHT_CHARS - 1, 1_999), (THOUGHT_CHARS, 2_000), (THOUGHT_CHARS + 1, 2_000)] {
        let text = json!({"text": "x".repeat(chars)}).to_string();
        assert_eq!(thought(&text).expect("a thought").text.len(), kept);
    }
}

#[test]
fn a_delegation_that_says_nothing_is_malformed_and_never_complete() {
    for bad in [
        "{}",
        "[]",
        "",
        r#"{"agents": []}"#,
        r#"{"directives": []}"#,
        r#"{"directives": [], "is_complete": false}"#,
        r#"{"directives": [{}], "is_complete": false}"#,
        r#"{"directives": [{"topic": "look", "sub_questions": ["q9"]}]}"#,
        r#"{"directives": [{"topic": " ", "sub_questions": ["q1"]}]}"#,
        r#"{"is_complete": "perhaps"}"#,
    ] {
        assert!(delegation(&rows(), bad).is_err(), "{bad}");
    }
    let done =
        delegation(&rows(), r#"{"directives": [], "is_complete": true, "reason": "all covered"}"#).expect("complete");
    assert_eq!((done.is_complete, done.reason.as_str()), (true, "all covered"));
}

#[test]
fn directives_are_read_for_sub_questions_there_are_and_are_not_complete() {
    let text = json!({"is_complete": true, "directives": [
        {"topic": "one", "sub_questions": ["q1", "Q2", "q1", "q7"], "priority": 0},
        {"topic": "two", "sub_questions": [2, "1"], "perspective": "p", "evidence_needed": "e"},
        {"topic": "one", "sub_questions": ["q1", "Q2", "q1", "q7"], "priority": 0},
        "three",
    ]});
    let read = delegation(&rows(), &text.to_string()).expect("directives");
    assert!(!read.is_complete);
    let found: Vec<(&str, String, u8)> =
        read.directives.iter().map(|d| (d.topic.as_str(), d.sub_questions.join(" "), d.priority)).collect();
    assert_eq!(found, [("one", "q1 q2".to_owned(), 1), ("two", "q2 q1".to_owned(), 2)]);
    for (given, kept) in [(19, 19), (DIRECTIVES_READ, 20), (21, 20), (50, 20)] {
        let all: Vec<Value> =
            (0..given).map(|n| json!({"topic": format!("topic {n}"), "sub_questions": ["q1"]})).collect();
        let read = delegation(&rows(), &json!({"directives": all}).to_string()).expect("directives");
        assert_eq!(read.directives.len(), kept);
    }
}

//! Parses the gaps of a report from a model's text. Whether a gap was searched for before is not checked here.

use precis_proto::research::Severity;
use precis_proto::task::{GAP_CHARS, GAPS_READ, GapDraft, GapDrafts, GapsTask, QUERY_CHARS};
use serde_json::Value;

use super::json;
use super::tidy::{cut, says_something, tidy_line};

/// Parses gaps of sub-questions in `task`, each with text and queries; an empty list is valid and means that nothing is missing.
pub(super) fn gaps(task: &GapsTask, text: &str) -> Result<GapDrafts, String> {
    let object = json::find_object(text, &["gaps"]).ok_or("the answer holds no JSON object with the key `gaps`")?;
    let list = object.get("gaps").and_then(Value::as_array).ok_or("`gaps` is not a list")?;
    let gaps: Vec<GapDraft> = list.iter().filter_map(|row| gap(task, row)).take(GAPS_READ).collect();
    match gaps.is_empty() && !list.is_empty() {
        true => Err("no gap has a `sub_question` of the plan, a `text` and `queries`".to_owned()),
        false => Ok(GapDrafts { gaps }),
    }
}

fn gap(task: &GapsTask, row: &Value) -> Option<GapDraft> {
    let line = |value: Option<&Value>| value.and_then(Value::as_str).map(tidy_line).unwrap_or_default();
    let sub_question = line(row.get("sub_question")).to_lowercase();
    let text = cut(&line(row.get("text")), GAP_CHARS);
    let is_known = task.plan.iter().any(|of| of.id == sub_question);
    let mut queries: Vec<String> = Vec::new();
    for query in row.get("queries").and_then(Value::as_array).into_iter().flatten() {
        let query = cut(&line(Some(query)), QUERY_CHARS);
        if queries.len() < task.max_queries && says_something(&query) && !queries.contains(&query) {
            queries.push(query);
        }
    }
    let severity = match line(row.get("severity")).to_lowercase().as_str() {
        "critical" => Severity::Critical,
        "minor" => Severity::Minor,
        _ => Severity::Moderate,
    };
    let says = is_known && says_something(&text) && !queries.is_empty();
    says.then_some(GapDraft { sub_question, text, severity, queries })
}

#[cfg(test)]
mod tests {
    use precis_proto::task::{PlanRow, Task};
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Result<Value, String> {
        let row = PlanRow {
            id: "q1".to_owned(),
            text: "t".to_owned(),
            answered_when: String::new(),
            priority: 1,
            after: Vec::new(),
        };
        let task = GapsTask { plan: vec![row], max_gaps: 3, max_queries: 3, ..GapsTask::default() };
        super::super::read(&Task::Gaps(task), text)
    }

    #[test]
    fn gaps_are_read_in_any_spelling_and_none_is_an_answer() {
        let want = json!({"gaps": [{"sub_question": "q1", "text": "No year.", "severity": "critical", "queries": ["year of the mill"]}]});
        for text in [
            r#"{"gaps": [{"sub_question": "q1", "text": "No year.", "severity": "critical", "queries": ["year of the mill"]}]}"#,
            "Here:\n```json\n{\"gaps\": [{\"sub_question\": \"Q1\", \"text\": \" No\\nyear. \", \"severity\": \"Critical\", \"queries\": [\"year of the mill\", \"year of the mill\", \"\", 7]}]}\n```",
            r#"{"gaps": [{"sub_question": "q2", "text": "No.", "queries": ["a mill"]}, {"sub_question": "q1", "text": "No.", "queries": []}, 3,
                {"sub_question": "q1", "text": "No year.", "severity": "critical", "queries": ["year of the mill"]}]}"#,
        ] {
            assert_eq!(read(text), Ok(want.clone()), "{text}");
        }
        assert_eq!(read(r#"{"gaps": []}"#), Ok(json!({"gaps": []})));
        let unknown =
            r#"{"gaps": [{"sub_question": "q1", "text": "No year.", "severity": "fatal", "queries": ["the mill"]}]}"#;
        assert_eq!(read(unknown).expect("a gap")["gaps"][0]["severity"], "moderate");
    }

    #[test]
    fn what_is_no_list_of_gaps_is_refused() {
        for text in [
            "",
            "Nothing is missing.",
            "{}",
            r#"{"gaps": "none"}"#,
            r#"{"gaps": [{"sub_question": "q1", "text": "No."}]}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn gaps_queries_and_their_words_end_at_their_limits() {
        let row = |queries: usize, chars: usize| {
            let queries: Vec<String> = (0..queries).map(|n| format!("mill {n} {}", "ä".repeat(chars))).collect();
            json!({"sub_question": "q1", "text": "ö".repeat(chars.max(2)), "severity": "minor", "queries": queries})
        };
        for (count, kept) in [(GAPS_READ - 1, GAPS_READ - 1), (GAPS_READ, GAPS_READ), (GAPS_READ + 1, GAPS_READ)] {
            let read = read(&json!({"gaps": vec![row(1, 2); count]}).to_string()).expect("gaps");
            assert_eq!(read["gaps"].as_array().map(Vec::len), Some(kept), "{count}");
        }
        for (count, kept) in [(2, 2), (3, 3), (4, 3)] {
            let read = read(&json!({"gaps": [row(count, 2)]}).to_string()).expect("a gap");
            assert_eq!(read["gaps"][0]["queries"].as_array().map(Vec::len), Some(kept), "{count}");
        }
        let chars = |chars: usize, key: &str| {
            let read = read(&json!({"gaps": [row(1, chars)]}).to_string()).expect("a gap");
            let value = if key == "text" { &read["gaps"][0]["text"] } else { &read["gaps"][0]["queries"][0] };
            value.as_str().map_or(0, |text| text.chars().count())
        };
        for (given, kept) in [(GAP_CHARS - 1, GAP_CHARS - 1), (GAP_CHARS, GAP_CHARS), (GAP_CHARS + 1, GAP_CHARS)] {
            assert_eq!(chars(given, "text"), kept);
            assert!(chars(given, "queries") <= QUERY_CHARS);
        }
    }
}

//! Builds a report from a list of statements, the form requested after a model failed to write Markdown.

use precis_proto::task::{LISTED_STATEMENTS, ReportDraft, SynthesizeTask};
use serde_json::Value;

use super::tidy::{says_something, tidy_line};
use crate::markdown::escape;

/// The report from the statements of `list` that name findings of `task`: the first as the opening, the others as bullet points. Statements
/// that repeat the question or another statement, or name no given finding, are skipped.
pub(super) fn report(task: &SynthesizeTask, list: &Value) -> Result<ReportDraft, String> {
    let list = list.as_array().ok_or("`statements` is not a list")?;
    let mut said = vec![plain(&task.query)];
    let mut lines = Vec::new();
    for item in list {
        if lines.len() == LISTED_STATEMENTS {
            break;
        }
        let text = item.get("text").and_then(Value::as_str).map(tidy_line).unwrap_or_default();
        let marks = marks(task, item.get("findings"));
        if !says_something(&text) || marks.is_empty() || said.contains(&plain(&text)) {
            continue;
        }
        said.push(plain(&text));
        lines.push(format!("{} {marks}", escape(&text)));
    }
    let (opening, points) =
        lines.split_first().ok_or("no statement has a text and the number of a finding that was given")?;
    let points: String = points.iter().map(|point| format!("- {point}\n")).collect();
    let markdown = format!("{opening}\n\n{points}").trim_end().to_owned();
    Ok(ReportDraft { markdown })
}

/// `[3][7]` for the numbers in `value` that `task` has, each once.
fn marks(task: &SynthesizeTask, value: Option<&Value>) -> String {
    let numbers = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_u64);
    let mut known: Vec<u64> = Vec::new();
    for number in numbers {
        if !known.contains(&number) && task.citable().any(|id| u64::from(id) == number) {
            known.push(number);
        }
    }
    known.iter().map(|number| format!("[{number}]")).collect()
}

/// Letters and digits in lower case, to compare statements.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::synthesize;
    use super::*;

    fn task() -> SynthesizeTask {
        let query = "Where is ice lost?".into();
        SynthesizeTask { query, target_tokens: 90, ..synthesize(&[3, 12]) }
    }

    #[test]
    fn statements_with_findings_that_were_given_are_a_report() {
        let list = json!([
            {"text": "Where is ice lost", "findings": [3]},
            {"text": " Ice is lost\nat the *tongue*. ", "findings": [12, 3, 12, 4]},
            {"text": "Ice is lost at the tongue", "findings": [3]},
            {"text": "Snow covers it.", "findings": [3]},
            {"text": "Of no finding.", "findings": [5]},
            {"text": "...", "findings": [3]},
            {"text": "Of nothing."},
            7,
        ]);
        let want = "Ice is lost at the \\*tongue\\*. [12][3]\n\n- Snow covers it. [3]";
        assert_eq!(report(&task(), &list), Ok(ReportDraft { markdown: want.to_owned() }));
        let read = super::super::report::report(&task(), &json!({"statements": list}).to_string());
        assert_eq!(read, Ok(ReportDraft { markdown: want.to_owned() }));
    }

    #[test]
    fn no_statement_and_no_list_are_refused() {
        for list in
            [json!([]), json!(3), json!([{"text": "Ice.", "findings": [4]}]), json!([{"text": "...", "findings": [3]}])]
        {
            assert!(report(&task(), &list).is_err(), "{list}");
        }
    }

    #[test]
    fn statements_end_at_their_limit() {
        for (count, kept) in [
            (LISTED_STATEMENTS - 1, LISTED_STATEMENTS - 1),
            (LISTED_STATEMENTS, LISTED_STATEMENTS),
            (LISTED_STATEMENTS + 1, LISTED_STATEMENTS),
        ] {
            let list: Vec<Value> = (0..count).map(|n| json!({"text": format!("Ice {n}."), "findings": [3]})).collect();
            let draft = report(&task(), &Value::from(list)).expect("a report");
            assert_eq!(draft.markdown.matches("[3]").count(), kept, "{count}");
        }
    }
}

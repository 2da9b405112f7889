//! Parses replacements of statements from a model's text.

use precis_proto::task::{REPLACEMENT_CHARS, RepairTask, Replacement, Replacements};
use serde_json::Value;

use super::json;
use super::judge::number;
use super::tidy::{cut, tidy_line};

/// Parses the replacements of the statements of `task`; those of other statements, and second ones, are left out. An answer without any
/// is valid: nothing is replaced.
pub(super) fn replacements(task: &RepairTask, text: &str) -> Result<Replacements, String> {
    let object = json::find_object(text, &["replacements"]);
    let object = object.ok_or("the answer holds no JSON object with the key `replacements`")?;
    let list = object["replacements"].as_array().ok_or("`replacements` is not a list")?;
    let mut replacements: Vec<Replacement> = Vec::new();
    for item in list {
        let (Some(statement), Some(text)) = (number(item.get("statement")), item.get("text").and_then(Value::as_str))
        else {
            continue;
        };
        let is_asked = task.statements.iter().any(|one| one.id == statement);
        if is_asked && replacements.iter().all(|one| one.statement != statement) {
            replacements.push(Replacement { statement, text: cut(&tidy_line(text), REPLACEMENT_CHARS) });
        }
    }
    Ok(Replacements { replacements })
}

#[cfg(test)]
mod tests {
    use precis_proto::task::{JudgedStatement, Task};

    use super::*;

    #[test]
    fn replacements_are_read_for_requested_statements_and_an_empty_list_counts() {
        let statements = vec![JudgedStatement { id: 3, text: "It rose.".to_owned(), ..JudgedStatement::default() }];
        let task = Task::Repair(RepairTask { statements, ..RepairTask::default() });
        let read = |text: &str| {
            let value = super::super::read(&task, text)?;
            let found: Replacements = serde_json::from_value(value).expect("replacements");
            Ok::<_, String>(found.replacements.into_iter().map(|one| (one.statement, one.text)).collect::<Vec<_>>())
        };
        let fell = vec![(3, "It fell. [4]".to_owned())];
        for (text, want) in [
            (r#"{"replacements": [{"statement": 3, "text": "It\nfell. [4]"}]}"#, fell.clone()),
            ("So:\n```\n{'replacements': [{'statement': '3', 'text': 'It fell. [4]'},]}\n```", fell),
            (r#"{"replacements": [{"statement": 4, "text": "It fell."}, {"statement": 3}]}"#, Vec::new()),
            (r#"{"replacements": [{"statement": 3, "text": ""}]}"#, vec![(3, String::new())]),
            (r#"{"replacements": []}"#, Vec::new()),
        ] {
            assert_eq!(read(text), Ok(want), "{text}");
        }
        assert!(read("It fell.").is_err() && read(r#"{"replacements": 3}"#).is_err());
    }

    #[test]
    fn a_replacement_ends_at_its_limit() {
        for (chars, kept) in [
            (REPLACEMENT_CHARS - 1, REPLACEMENT_CHARS - 1),
            (REPLACEMENT_CHARS, REPLACEMENT_CHARS),
            (REPLACEMENT_CHARS + 1, REPLACEMENT_CHARS),
        ] {
            let task = RepairTask {
                statements: vec![JudgedStatement { id: 1, ..JudgedStatement::default() }],
                ..RepairTask::default()
            };
            let text = serde_json::json!({"replacements": [{"statement": 1, "text": "ä".repeat(chars)}]}).to_string();
            let read = replacements(&task, &text).expect("replacements");
            assert_eq!(read.replacements[0].text.chars().count(), kept);
        }
    }
}

//! Parses judgements from a model's text. Whether a quote occurs in a passage, and so whether it counts, is checked elsewhere.

use precis_proto::claim::Verdict;
use precis_proto::task::{
    JUDGED_QUOTE_CHARS, JUDGED_REASON_CHARS, JudgePartsTask, JudgeStatementsTask, Judgement, PartVerdict, PartVerdicts,
    StatementVerdict, Verdicts,
};
use serde_json::Value;

use super::json;
use super::tidy::{cut, says_something, tidy_line};

/// Parses a verdict with its quote and reason.
pub(super) fn judgement(text: &str) -> Result<Judgement, String> {
    let object =
        json::find_object(text, &["verdict"]).ok_or("the answer holds no JSON object with the key `verdict`")?;
    let line = |key: &str| object.get(key).and_then(Value::as_str).map(tidy_line).unwrap_or_default();
    let verdict = verdict(&line("verdict"), &Judgement::VERDICTS)
        .ok_or("`verdict` is none of `supported`, `partly`, `not_supported` and `disputed`")?;
    let quote = cut(&line("quote"), JUDGED_QUOTE_CHARS);
    if !says_something(&quote) {
        return Err("`quote` holds no words of a passage".to_owned());
    }
    Ok(Judgement { verdict: Some(verdict), quote, reason: cut(&line("reason"), JUDGED_REASON_CHARS) })
}

/// Parses the verdicts on the statements of `task`. Verdicts on other numbers and words that are no verdict
/// are left out, and so is each statement with two verdicts that differ; an answer without any verdict is refused.
pub(super) fn verdicts(task: &JudgeStatementsTask, text: &str) -> Result<Verdicts, String> {
    let is_asked = |id: u32| task.statements.iter().any(|one| one.id == id);
    let verdict = |(statement, read): (u32, ReadVerdict)| {
        let ReadVerdict { verdict, quote, reason } = read;
        StatementVerdict { statement, verdict, quote, reason }
    };
    let read = numbered(text, "statement", is_asked, &StatementVerdict::VERDICTS)?;
    Ok(Verdicts { verdicts: read.into_iter().map(verdict).collect() })
}

/// As [`verdicts`], on the parts of a question.
pub(super) fn part_verdicts(task: &JudgePartsTask, text: &str) -> Result<PartVerdicts, String> {
    let is_asked = |part: u32| (1..=task.parts.len()).contains(&(part as usize));
    let verdict = |(part, read): (u32, ReadVerdict)| {
        let ReadVerdict { verdict, quote, reason } = read;
        PartVerdict { part, verdict, quote, reason }
    };
    let read = numbered(text, "part", is_asked, &Judgement::VERDICTS)?;
    Ok(PartVerdicts { verdicts: read.into_iter().map(verdict).collect() })
}

/// A verdict with its quote and reason, as written.
struct ReadVerdict {
    verdict: Verdict,
    quote: String,
    reason: String,
}

/// The verdicts of a list, each on the number that stands under `key`.
fn numbered(
    text: &str,
    key: &str,
    is_asked: impl Fn(u32) -> bool,
    allowed: &[Verdict],
) -> Result<Vec<(u32, ReadVerdict)>, String> {
    let object = json::find_object(text, &["verdicts"]).or_else(|| json::find(text, &["verdict"], true));
    let object = object.ok_or("the answer holds no JSON object with the key `verdicts`")?;
    let one_alone = [object.clone()];
    let list = match object.get("verdicts").unwrap_or(&object) {
        Value::Array(list) => list.as_slice(),
        Value::Object(_) => &one_alone,
        _ => return Err("`verdicts` is not a list".to_owned()),
    };
    let mut verdicts: Vec<(u32, ReadVerdict)> = Vec::new();
    let mut contradicted: Vec<u32> = Vec::new();
    for item in list {
        let Some(id) = number(item.get(key)) else { continue };
        let line = |key: &str| item.get(key).and_then(Value::as_str).map(tidy_line).unwrap_or_default();
        let Some(verdict) = verdict(&line("verdict"), allowed).filter(|_| is_asked(id)) else { continue };
        if let Some((_, first)) = verdicts.iter().find(|(known, _)| *known == id) {
            contradicted.extend((first.verdict != verdict).then_some(id));
            continue;
        }
        let (quote, reason) = (cut(&line("quote"), JUDGED_QUOTE_CHARS), cut(&line("reason"), JUDGED_REASON_CHARS));
        verdicts.push((id, ReadVerdict { verdict, quote, reason }));
    }
    verdicts.retain(|(id, _)| !contradicted.contains(id));
    match verdicts.is_empty() {
        true => Err(format!("no verdict has the number of a {key} and one of the words asked for")),
        false => Ok(verdicts),
    }
}

/// A number as such, or in a text such as `statement 3`.
pub(super) fn number(value: Option<&Value>) -> Option<u32> {
    match value? {
        Value::Number(n) => n.as_u64().and_then(|n| u32::try_from(n).ok()),
        Value::String(text) => text.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok(),
        _ => None,
    }
}

/// The one of `allowed` that a word means, whatever its case and separators.
fn verdict(word: &str, allowed: &[Verdict]) -> Option<Verdict> {
    let word = word.to_lowercase().replace([' ', '-'], "_");
    allowed.iter().copied().find(|verdict| verdict.as_str() == word)
}

#[cfg(test)]
mod tests {
    use precis_proto::task::{JudgeTask, Task};
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Result<Value, String> {
        super::super::read(&Task::Judge(JudgeTask::default()), text)
    }

    #[test]
    fn verdicts_are_read_in_any_form_for_requested_statements_only() {
        use precis_proto::task::JudgedStatement;
        let statement = |id| JudgedStatement { id, text: "It fell.".to_owned(), ..JudgedStatement::default() };
        let task = JudgeStatementsTask { statements: vec![statement(1), statement(2)], ..Default::default() };
        let read = |text: &str| {
            let value = super::super::read(&Task::JudgeStatements(task.clone()), text)?;
            Ok::<_, String>(serde_json::from_value::<Verdicts>(value).expect("verdicts").verdicts)
        };
        let one = r#"{"statement": 1, "verdict": "supported", "quote": "It fell.", "reason": "so"}"#;
        for (text, want) in [
            (format!(r#"{{"verdicts": [{one}]}}"#), vec![1]),
            (format!("Here you are:\n```json\n{{\"verdicts\": [{one},],}}\n```"), vec![1]),
            (format!("[{one}]"), vec![1]),
            (one.to_owned(), vec![1]),
            (format!(r#"{{"verdicts": [{one}, {one}, {}]}}"#, one.replace(": 1", ": \"statement 2\"")), vec![1, 2]),
            (format!(r#"{{"verdicts": [{}, {one}]}}"#, one.replace(": 1", ": 7")), vec![1]),
            (format!(r#"{{"verdicts": [{one}, {{"statement": 2, "verdict": "No claim"}}]}}"#), vec![1, 2]),
        ] {
            let found = read(&text).unwrap_or_else(|complaint| panic!("{text}: {complaint}"));
            assert_eq!(found.iter().map(|one| one.statement).collect::<Vec<_>>(), want, "{text}");
        }
        let both = format!(r#"{{"verdicts": [{one}, {}]}}"#, one.replace("supported", "not_supported"));
        for text in
            ["", "fine", &both, r#"{"verdicts": []}"#, r#"{"verdicts": [{"statement": 1, "verdict": "verbatim"}]}"#]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn verdicts_on_parts_are_read_by_their_numbers() {
        let task =
            Task::JudgeParts(JudgePartsTask { parts: vec!["a".to_owned(), "b".to_owned()], passages: Vec::new() });
        let one = r#"{"part": 1, "verdict": "partly", "quote": "It fell.", "reason": "so"}"#;
        let two = one.replace(": 1", ": \"part 2\"");
        for (text, want) in [
            (format!(r#"{{"verdicts": [{one}, {two}]}}"#), Some(vec![1, 2])),
            (
                format!(r#"{{"verdicts": [{one}, {}, {}]}}"#, one.replace(": 1", ": 3"), one.replace(": 1", ": 0")),
                Some(vec![1]),
            ),
            (format!(r#"{{"verdicts": [{one}, {}]}}"#, one.replace("partly", "supported")), None),
            (format!(r#"{{"verdicts": [{}]}}"#, one.replace("partly", "no_claim")), None),
        ] {
            let read = super::super::read(&task, &text).ok();
            let found = read.map(|value| serde_json::from_value::<PartVerdicts>(value).expect("verdicts").verdicts);
            assert_eq!(found.map(|all| all.iter().map(|one| one.part).collect::<Vec<_>>()), want, "{text}");
        }
    }

    #[test]
    fn a_judgement_is_read_plain_behind_prose_and_in_any_spelling() {
        let want = json!({"verdict": "not_supported", "quote": "It fell.", "reason": "It says it fell."});
        for text in [
            r#"{"verdict": "not_supported", "quote": "It fell.", "reason": "It says it fell."}"#,
            "<think>hm</think>Here:\n```json\n{\"verdict\": \"Not supported\", \"quote\": \" It\\nfell. \", \"reason\": \"It says it fell.\"}\n```",
            "{verdict: 'not-supported', quote: 'It fell.', reason: 'It says it fell.',}",
        ] {
            assert_eq!(read(text), Ok(want.clone()), "{text}");
        }
    }

    #[test]
    fn prose_other_words_and_a_judgement_without_a_quote_are_refused() {
        for text in [
            "",
            "The statement is supported.",
            r#"{"verdict": "verbatim", "quote": "It fell."}"#,
            r#"{"verdict": "5 of 5", "quote": "It fell."}"#,
            r#"{"verdict": true, "quote": "It fell."}"#,
            r#"{"verdict": "supported"}"#,
            r#"{"verdict": "supported", "quote": "…"}"#,
            r#"{"verdict": "supported", "quote": ["It fell."]}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_quote_and_a_reason_end_at_their_limits() {
        for (most, key) in [(JUDGED_QUOTE_CHARS, "quote"), (JUDGED_REASON_CHARS, "reason")] {
            for (chars, kept) in [(most - 1, most - 1), (most, most), (most + 1, most)] {
                let mut given = json!({"verdict": "partly", "quote": "It fell.", "reason": "why"});
                given[key] = "ä".repeat(chars).into();
                let read = read(&given.to_string()).expect("a judgement");
                assert_eq!(read[key].as_str().map(|text| text.chars().count()), Some(kept), "{key} {chars}");
            }
        }
    }
}

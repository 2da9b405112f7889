//! Parses a judgement from a model's text. Whether its quote occurs in a passage, and so whether it counts, is checked elsewhere.

use precis_proto::claim::Verdict;
use precis_proto::task::{JUDGED_QUOTE_CHARS, JUDGED_REASON_CHARS, Judgement};
use serde_json::Value;

use super::json;
use super::tidy::{cut, says_something, tidy_line};

/// Parses a verdict with its quote and reason.
pub(super) fn judgement(text: &str) -> Result<Judgement, String> {
    let object =
        json::find_object(text, &["verdict"]).ok_or("the answer holds no JSON object with the key `verdict`")?;
    let line = |key: &str| object.get(key).and_then(Value::as_str).map(tidy_line).unwrap_or_default();
    let verdict = verdict(&line("verdict"))
        .ok_or("`verdict` is none of `supported`, `partly`, `not_supported` and `disputed`")?;
    let quote = cut(&line("quote"), JUDGED_QUOTE_CHARS);
    if !says_something(&quote) {
        return Err("`quote` holds no words of a passage".to_owned());
    }
    Ok(Judgement { verdict: Some(verdict), quote, reason: cut(&line("reason"), JUDGED_REASON_CHARS) })
}

/// The verdict for a word, whatever its case and separators.
fn verdict(word: &str) -> Option<Verdict> {
    let word = word.to_lowercase().replace([' ', '-'], "_");
    Judgement::VERDICTS.into_iter().find(|verdict| verdict.as_str() == word)
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

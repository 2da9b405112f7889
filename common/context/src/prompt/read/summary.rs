//! Parses summaries from an answer: of one text, or of several.

use precis_proto::fidelity::FidelityLevel;
use precis_proto::task::{NumberedSummary, Summaries, SummarizeTogetherTask, Summary};
use serde_json::Value;

use super::json;
use super::tidy::{strip_bullet, tidy, tidy_line};

/// The summary of one text.
pub(super) fn summary(level: FidelityLevel, text: &str) -> Result<Summary, String> {
    let object =
        json::find_object(text, &["summary"]).ok_or("the answer holds no JSON object with the key `summary`")?;
    summary_of(level, &object)
}

/// The summary in `object`.
fn summary_of(level: FidelityLevel, object: &Value) -> Result<Summary, String> {
    let summary = tidy(object["summary"].as_str().ok_or("`summary` is not a text")?);
    if summary.is_empty() {
        return Err("`summary` is empty".to_owned());
    }
    let points = object.get("key_points").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut key_points: Vec<String> = Vec::new();
    for point in points.iter().filter_map(Value::as_str).map(|p| tidy_line(strip_bullet(p))).filter(|p| !p.is_empty()) {
        if !key_points.contains(&point) {
            key_points.push(point);
        }
    }
    if level == FidelityLevel::KeyPoints && key_points.is_empty() {
        return Err("`key_points` holds no text".to_owned());
    }
    if level != FidelityLevel::KeyPoints {
        key_points.clear();
    }
    Ok(Summary { summary, key_points })
}

/// The valid summaries, in the order of the texts; the first of each text counts. A text without a valid summary is left out and summarized
/// in a call of its own.
pub(super) fn summaries(task: &SummarizeTogetherTask, text: &str) -> Result<Summaries, String> {
    let value = json::find_list(text, "summaries").ok_or("the answer holds no JSON object with the key `summaries`")?;
    let list = value.get("summaries").unwrap_or(&value).as_array().ok_or("`summaries` is not a list")?;
    let of = |id: u32| {
        let own = list.iter().find(|one| one.get("id").and_then(Value::as_u64) == Some(id.into()))?;
        Some(NumberedSummary { id, summary: summary_of(task.level, own).ok()? })
    };
    let summaries: Vec<NumberedSummary> = task.texts.iter().filter_map(|text| of(text.id)).collect();
    match summaries.is_empty() {
        true => Err("no entry of `summaries` has the number of a source that was given and its summary".to_owned()),
        false => Ok(Summaries { summaries }),
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::task::{ShortText, Task};
    use serde_json::json;

    use super::super::read;
    use super::*;

    fn together(level: FidelityLevel) -> Task {
        let text = |id| ShortText { id, title: "t".to_owned(), text: "x".to_owned(), target_tokens: 9 };
        Task::SummarizeTogether(SummarizeTogetherTask {
            level,
            query: "q".to_owned(),
            texts: [1, 2, 3].map(text).into(),
        })
    }

    #[test]
    fn fitting_texts_keep_their_order_and_the_rest_is_omitted() {
        let answer = json!({"summaries": [
            {"id": 3, "summary": " third\u{7} ", "key_points": ["- p"]},
            {"id": 1, "summary": "first", "key_points": ["a", "a", ""]},
            {"id": 1, "summary": "again", "key_points": ["b"]},
            {"id": 2, "summary": "no points"},
            {"id": 9, "summary": "nobody's", "key_points": ["c"]},
        ]});
        let expected = json!({"summaries": [
            {"id": 1, "summary": "first", "key_points": ["a"]},
            {"id": 3, "summary": "third", "key_points": ["p"]},
        ]});
        let key_points = together(FidelityLevel::KeyPoints);
        assert_eq!(read(&key_points, &format!("Sure: {answer}")), Ok(expected.clone()));
        assert_eq!(read(&key_points, &answer["summaries"].to_string()), Ok(expected));
        let headlines = read(&together(FidelityLevel::Headline), &answer.to_string()).expect("three summaries");
        assert_eq!(headlines["summaries"][1], json!({"id": 2, "summary": "no points", "key_points": []}));
    }

    #[test]
    fn an_answer_without_a_summary_of_any_of_the_texts_is_refused() {
        for refused in [
            "",
            "{}",
            "[]",
            r#"{"summaries": 3}"#,
            r#"{"summaries": [{"id": 1, "summary": " "}]}"#,
            r#"{"summaries": [{"id": "1", "summary": "a"}]}"#,
        ] {
            assert!(read(&together(FidelityLevel::Headline), refused).is_err(), "{refused}");
        }
    }
}

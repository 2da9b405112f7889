//! Parses the scores of a report from a model's text. Whether their quotes occur in the report, and so whether they count, is checked
//! elsewhere.

use precis_proto::judgement::Dimension;
use precis_proto::task::{JUDGED_QUOTE_CHARS, JUDGED_REASON_CHARS, RATINGS_READ, Rating, Ratings};
use serde_json::Value;

use super::json;
use super::tidy::{cut, tidy_line};

/// Parses scores with quotes and reasons; rows without a dimension or a score from 1 to 5 are skipped.
pub(super) fn ratings(text: &str) -> Result<Ratings, String> {
    let object =
        json::find_object(text, &["ratings"]).ok_or("the answer holds no JSON object with the key `ratings`")?;
    let list = object.get("ratings").and_then(Value::as_array).ok_or("`ratings` is not a list")?;
    let ratings: Vec<Rating> = list.iter().filter_map(rating).take(RATINGS_READ).collect();
    match ratings.is_empty() {
        true => Err("no row of `ratings` has a `dimension` that was asked for and a `score` from 1 to 5".to_owned()),
        false => Ok(Ratings { ratings }),
    }
}

fn rating(row: &Value) -> Option<Rating> {
    let line = |key: &str| row.get(key).and_then(Value::as_str).map(tidy_line).unwrap_or_default();
    let word = line("dimension").to_lowercase().replace([' ', '-'], "_");
    let dimension = word.parse::<Dimension>().ok()?;
    let score = row.get("score")?;
    let number = score.as_f64().or_else(|| score.as_str()?.trim().parse().ok())?;
    let score = (1..=5_u8).find(|score| f64::from(*score) == number)?;
    Some(Rating {
        dimension,
        score,
        quote: cut(&line("quote"), JUDGED_QUOTE_CHARS),
        reason: cut(&line("reason"), JUDGED_REASON_CHARS),
    })
}

#[cfg(test)]
mod tests {
    use precis_proto::task::{RateTask, Task};
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Result<Value, String> {
        super::super::read(&Task::Rate(RateTask::default()), text)
    }

    #[test]
    fn scores_are_read_plain_behind_prose_and_in_any_spelling() {
        let want =
            json!({"ratings": [{"dimension": "source_quality", "score": 4, "quote": "It fell.", "reason": "so"}]});
        for text in [
            r#"{"ratings": [{"dimension": "source_quality", "score": 4, "quote": "It fell.", "reason": "so"}]}"#,
            "<think>5?</think>Here:\n```json\n{\"ratings\": [{\"dimension\": \"Source quality\", \"score\": \"4\", \"quote\": \" It\\nfell. \", \"reason\": \"so\"}]}\n```",
            r#"{"ratings": [{"dimension": "tone", "score": 3}, {"dimension": "depth", "score": 6}, {"dimension": "rigor", "score": 2.5},
                {"dimension": "depth"}, 7, {"dimension": "source-quality", "score": 4.0, "quote": "It fell.", "reason": "so"}]}"#,
            "{ratings: [{dimension: 'source_quality', score: 4, quote: 'It fell.', reason: 'so',}]}",
        ] {
            assert_eq!(read(text), Ok(want.clone()), "{text}");
        }
    }

    #[test]
    fn prose_and_scores_of_nothing_are_refused() {
        for text in [
            "",
            "5 of 5 for everything. Great report!",
            r#"{"ratings": []}"#,
            r#"{"ratings": {"depth": 5}}"#,
            r#"{"ratings": [{"dimension": "depth", "score": 0, "quote": "It fell."}]}"#,
            r#"{"ratings": [{"dimension": "depth", "score": true, "quote": "It fell."}]}"#,
            r#"{"ratings": [{"dimension": "overall", "score": 5, "quote": "It fell."}]}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn rows_quotes_and_reasons_end_at_their_limits() {
        for (rows, kept) in
            [(RATINGS_READ - 1, RATINGS_READ - 1), (RATINGS_READ, RATINGS_READ), (RATINGS_READ + 1, RATINGS_READ)]
        {
            let row = json!({"dimension": "depth", "score": 3, "quote": "It fell."});
            let read = read(&json!({"ratings": vec![row; rows]}).to_string()).expect("scores");
            assert_eq!(read["ratings"].as_array().map(Vec::len), Some(kept), "{rows}");
        }
        for (most, key) in [(JUDGED_QUOTE_CHARS, "quote"), (JUDGED_REASON_CHARS, "reason")] {
            for (chars, kept) in [(most - 1, most - 1), (most, most), (most + 1, most)] {
                let mut row = json!({"dimension": "depth", "score": 3});
                row[key] = "ä".repeat(chars).into();
                let read = read(&json!({"ratings": [row]}).to_string()).expect("a score");
                let length = read["ratings"][0][key].as_str().map(|text| text.chars().count());
                assert_eq!(length, Some(kept), "{key} {chars}");
            }
        }
    }
}

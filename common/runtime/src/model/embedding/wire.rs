//! The JSON of a request for vectors and of its answer, as OpenAI defined it and others offer it.

use serde_json::{Value, json};

use crate::model::failure::{Code, Failure};
use crate::model::refusal;
use crate::model::server::MAX_ANSWER_BYTES;

/// Most bytes that one number of a vector takes in an answer, with its comma: a sign, seventeen digits, a point and an exponent.
const NUMBER_BYTES: usize = 25;

/// Most texts of one request whose vectors of so many numbers fit into an answer; at least one.
#[must_use]
pub fn most_texts(dimensions: usize) -> usize {
    (MAX_ANSWER_BYTES / (NUMBER_BYTES * dimensions.max(1))).max(1)
}

/// Builds the body of a request.
pub(super) fn request(model: &str, texts: &[String]) -> Value {
    json!({ "model": model, "input": texts, "encoding_format": "float" })
}

/// The vectors of an answer, and the tokens that it says it has read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReadVectors {
    pub(super) vectors: Vec<Vec<f32>>,
    pub(super) tokens: Option<u64>,
}

/// Reads the body of a 200 as the vectors of `texts` texts, each of `dimensions` numbers. The order is that of `index`, whatever the order of
/// the rows.
///
/// # Errors
/// [`Code::BadAnswer`] if it is anything else; the detail quotes nothing of it.
pub(super) fn read(body: &[u8], texts: usize, dimensions: usize) -> Result<ReadVectors, Failure> {
    let bad = |why: String| Failure::new(Code::BadAnswer, why);
    let answer = refusal::answer(body)?;
    let rows = answer["data"].as_array().ok_or_else(|| bad("body: no `data`".to_owned()))?;
    if rows.len() != texts {
        return Err(bad(format!("{} vectors for {texts} texts", rows.len())));
    }
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); texts];
    for row in rows {
        let index = row["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let place = index.and_then(|index| vectors.get_mut(index));
        let place = place.ok_or_else(|| bad("a vector without the index of its text".to_owned()))?;
        if !place.is_empty() {
            return Err(bad("two vectors of one text".to_owned()));
        }
        *place = numbers(&row["embedding"], dimensions).map_err(bad)?;
    }
    Ok(ReadVectors { vectors, tokens: answer["usage"]["prompt_tokens"].as_u64() })
}

/// The numbers of a vector, or what is wrong with them.
fn numbers(row: &Value, dimensions: usize) -> Result<Vec<f32>, String> {
    let row = row.as_array().ok_or("a text without a list of numbers")?;
    if row.len() != dimensions {
        return Err(format!("a vector of {} numbers, and roles.embedding.dimensions says {dimensions}", row.len()));
    }
    let number = |value: &Value| value.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
    let numbers: Vec<f32> = row.iter().map(number).collect::<Option<_>>().ok_or("a vector with what is no number")?;
    // A vector without a direction is near to nothing.
    if numbers.iter().all(|number| *number == 0.0) { Err("a vector of zeros".to_owned()) } else { Ok(numbers) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &Value) -> Result<Vec<Vec<f32>>, Code> {
        read(body.to_string().as_bytes(), 2, 2).map(|read| read.vectors).map_err(|failure| failure.code)
    }

    fn rows(first: Value, second: Value) -> Value {
        json!({ "data": [{ "index": 0, "embedding": first }, { "index": 1, "embedding": second }] })
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let body = json!({
            "data": [{ "index": 1, "embedding": [0.0, 1.0] }, { "index": 0, "embedding": [1, -0.5] }],
            "usage": { "prompt_tokens": 7, "total_tokens": 7 },
        });
        let read = read(body.to_string().as_bytes(), 2, 2).expect("vectors");
        assert_eq!((read.vectors, read.tokens), (vec![vec![1.0, -0.5], vec![0.0, 1.0]], Some(7)));
    }

    #[test]
    fn whatever_is_not_one_vector_a_text_is_a_bad_answer() {
        let good = || json!([1.0, 0.5]);
        assert_eq!(code(&rows(good(), good())), Ok(vec![vec![1.0, 0.5]; 2]));
        for body in [
            json!({}),
            json!({ "data": [] }),
            json!({ "data": [{ "index": 0, "embedding": [1.0, 0.5] }] }),
            json!({ "data": [{ "embedding": [1.0, 0.5] }, { "index": 1, "embedding": [1.0, 0.5] }] }),
            json!({ "data": [{ "index": 2, "embedding": [1.0, 0.5] }, { "index": 1, "embedding": [1.0, 0.5] }] }),
            json!({ "data": [{ "index": 1, "embedding": [1.0, 0.5] }, { "index": 1, "embedding": [1.0, 0.5] }] }),
            rows(good(), json!([1.0])),
            rows(good(), json!([1.0, 0.5, 0.5])),
            rows(good(), json!([])),
            rows(good(), json!("AAAA")),
            rows(good(), json!([1.0, null])),
            rows(good(), json!([1.0, "NaN"])),
            rows(good(), json!([1.0, 1e300])),
            rows(good(), json!([0.0, 0.0])),
        ] {
            assert_eq!(code(&body), Err(Code::BadAnswer), "{body}");
        }
        for text in ["", "<html>", r#"{"data": [{"index": 0, "embedding": [NaN, 1]}]}"#] {
            assert_eq!(read(text.as_bytes(), 1, 2).expect_err("no JSON").code, Code::BadAnswer, "{text}");
        }
    }

    #[test]
    fn the_answer_of_the_most_texts_fits_and_of_one_more_may_not() {
        for dimensions in [1, 384, 1_024, 8_192] {
            let most = most_texts(dimensions);
            assert!(most * dimensions * NUMBER_BYTES <= MAX_ANSWER_BYTES, "{dimensions}");
            assert!((most + 1) * dimensions * NUMBER_BYTES > MAX_ANSWER_BYTES, "{dimensions}");
        }
        assert_eq!([most_texts(0), most_texts(usize::MAX / NUMBER_BYTES)], [most_texts(1), 1]);
    }

    #[test]
    fn a_request_names_the_model_and_asks_for_numbers() {
        let body = request("m", &["a".to_owned()]);
        assert_eq!(body, json!({ "model": "m", "input": ["a"], "encoding_format": "float" }));
    }
}

//! The JSON of chat completions: a request out of a payload, a reply or a failure out of an answer.

use precis_proto::ids::sha256_hex;
use serde_json::{Value, json};

use super::super::failure::{Code, Failure};
use super::super::gate::Prepared;
use super::super::{excerpt, overflow};
use super::dialect::Dialect;

/// The same on every call, so that servers which honour it repeat themselves.
const SEED: u32 = 7;

/// What a provider answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct Reply {
    /// The text; empty where there was none.
    pub(in crate::model) text: String,
    /// Whether it stops at the length limit.
    pub(in crate::model) cut_off: bool,
    /// Input tokens, where the provider says.
    pub(in crate::model) input_tokens: Option<u64>,
    /// Output tokens, likewise.
    pub(in crate::model) output_tokens: Option<u64>,
}

/// The request body of `prepared` for `model`.
pub(super) fn request(model: &str, prepared: &Prepared, dialect: Dialect) -> Value {
    let messages: Vec<Value> =
        prepared.messages.iter().map(|m| json!({"role": m.speaker.as_str(), "content": m.text})).collect();
    let mut body = json!({"model": model, "messages": messages});
    let limit = if dialect.old_max_tokens { "max_tokens" } else { "max_completion_tokens" };
    body[limit] = prepared.max_output_tokens.into();
    if !dialect.no_sampling {
        body["temperature"] = 0.into();
        body["seed"] = SEED.into();
    }
    if let Some(schema) = prepared.schema.as_ref().filter(|_| !dialect.no_schema) {
        let wrapped = json!({"name": schema.name, "strict": true, "schema": schema.schema});
        body["response_format"] = json!({"type": "json_schema", "json_schema": wrapped});
    }
    body
}

/// What of a call decides its answer beside provider and model: the request as it would be sent in full, hashed.
pub(in crate::model) fn fingerprint(model: &str, prepared: &Prepared) -> String {
    sha256_hex(request(model, prepared, Dialect::default()).to_string().as_bytes())
}

/// Reads the body of a 200.
///
/// # Errors
/// [`Code::BadAnswer`] where it is no chat completion, [`Code::Filtered`] where the provider declined.
pub(super) fn reply(body: &[u8]) -> Result<Reply, Failure> {
    let answer: Value =
        serde_json::from_slice(body).map_err(|e| Failure::new(Code::BadAnswer, format!("body: {e}")))?;
    let Some(choices) = answer["choices"].as_array() else {
        return Err(match answer.get("error") {
            Some(_) => refusal(200, body).0,
            None => Failure::new(Code::BadAnswer, "body: no `choices`"),
        });
    };
    let choice = choices.first().unwrap_or(&Value::Null);
    let message = &choice["message"];
    let reason = choice["finish_reason"].as_str().unwrap_or_default();
    if reason == "content_filter" || message["refusal"].as_str().is_some_and(|r| !r.is_empty()) {
        return Err(Failure::new(Code::Filtered, "the provider declined"));
    }
    Ok(Reply {
        text: content(&message["content"]),
        cut_off: reason == "length",
        input_tokens: answer["usage"]["prompt_tokens"].as_u64(),
        output_tokens: answer["usage"]["completion_tokens"].as_u64(),
    })
}

/// The text of a message: a string, or a list of parts.
fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|p| p["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// What an error body says, in the shapes there are, for [`Dialect::learn`].
pub(super) struct Said {
    pub(super) param: String,
    pub(super) message: String,
}

/// Reads the body of anything but a 200.
pub(super) fn refusal(status: u16, body: &[u8]) -> (Failure, Said) {
    let answer: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    // LiteLLM sends its errors as text within text; FastAPI calls it `detail`; vLLM puts the error at the top.
    let error = answer.get("error").or_else(|| answer.get("detail")).unwrap_or(&answer);
    let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
    let message = match error {
        Value::String(message) => message.clone(),
        Value::Array(_) => error.to_string(),
        _ => text("message"),
    };
    let (code, kind) = (text("code"), text("type"));
    let mut failure = Failure::new(code_of(status, &[&code, &kind], &message), excerpt::of(&message));
    if failure.code == Code::Overflow {
        failure.window = error["n_ctx"].as_u64().or_else(|| overflow::window(&message));
    }
    (failure, Said { param: text("param"), message })
}

fn code_of(status: u16, codes: &[&str], message: &str) -> Code {
    if overflow::is_overflow(status, codes, message) {
        return Code::Overflow;
    }
    match status {
        401 | 403 => Code::Unauthorized,
        408 => Code::Timeout,
        429 if codes.contains(&"insufficient_quota") => Code::QuotaExhausted,
        429 => Code::RateLimited,
        500.. => Code::ServerError,
        200..300 => Code::BadAnswer,
        _ if codes.contains(&"content_filter") => Code::Filtered,
        _ => Code::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::gate::{Message, OutputSchema, Speaker};
    use super::*;

    fn prepared() -> Prepared {
        Prepared {
            messages: vec![Message { speaker: Speaker::User, text: "hello".into() }],
            schema: Some(OutputSchema { name: "summary".into(), schema: json!({"type": "object"}) }),
            max_output_tokens: 99,
            input_tokens: 8,
            prompt_version: "v1",
            layers: Vec::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn a_request_speaks_the_dialect_of_its_server() {
        let full = request("m", &prepared(), Dialect::default());
        assert_eq!(full["max_completion_tokens"], 99);
        assert_eq!(full["temperature"], 0);
        assert_eq!(full["response_format"]["json_schema"]["strict"], true);
        let bare = request("m", &prepared(), Dialect { old_max_tokens: true, no_schema: true, no_sampling: true });
        assert_eq!(bare, json!({"model": "m", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 99}));
    }

    #[test]
    fn a_reply_is_read_from_a_text_or_from_parts() {
        let body = |content: Value, reason: &str| {
            json!({"choices": [{"message": {"content": content}, "finish_reason": reason}], "usage": {"prompt_tokens": 5}}).to_string()
        };
        let plain = reply(body(json!("hi"), "stop").as_bytes()).expect("a reply");
        assert_eq!(plain, Reply { text: "hi".into(), cut_off: false, input_tokens: Some(5), output_tokens: None });
        let parts =
            reply(body(json!([{"type": "text", "text": "a"}, {"text": "b"}]), "length").as_bytes()).expect("a reply");
        assert_eq!((parts.text.as_str(), parts.cut_off), ("ab", true));
        assert_eq!(reply(br#"{"choices": []}"#).expect("an empty reply").text, "");
        let code = |b: &[u8]| reply(b).expect_err("fails").code;
        assert_eq!(code(b"<html>"), Code::BadAnswer);
        assert_eq!(code(b"{}"), Code::BadAnswer);
        assert_eq!(code(body(json!(null), "content_filter").as_bytes()), Code::Filtered);
    }

    #[test]
    fn a_refusal_is_told_by_status_code_and_message() {
        for (status, body, code) in [
            (401, r#"{"error": {"message": "bad key"}}"#, Code::Unauthorized),
            (429, r#"{"error": {"message": "slow down", "code": "rate_limit_exceeded"}}"#, Code::RateLimited),
            (429, r#"{"error": {"message": "pay", "code": "insufficient_quota"}}"#, Code::QuotaExhausted),
            (400, r#"{"error": {"message": "prompt is too long"}}"#, Code::Overflow),
            (400, r#"{"object": "error", "message": "maximum context length is 512 tokens"}"#, Code::Overflow),
            (400, r#"{"error": "exceeds the available context size"}"#, Code::Overflow),
            (422, r#"{"detail": [{"msg": "extra fields"}]}"#, Code::Refused),
            (302, "", Code::Refused),
            (500, "<html>", Code::ServerError),
            (529, "{}", Code::ServerError),
        ] {
            assert_eq!(refusal(status, body.as_bytes()).0.code, code, "{status} {body}");
        }
        let llama = br#"{"error": {"code": 400, "message": "too long", "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}}"#;
        assert_eq!(refusal(400, llama).0.window, Some(4_096));
    }

    #[test]
    fn the_fingerprint_depends_on_everything_that_is_sent() {
        let base = fingerprint("m", &prepared());
        let mut changed = [prepared(), prepared(), prepared()];
        changed[0].messages[0].text.push('!');
        changed[1].max_output_tokens += 1;
        changed[2].schema = None;
        assert!(changed.iter().all(|p| fingerprint("m", p) != base));
        assert_ne!(fingerprint("n", &prepared()), base);
    }
}

//! The JSON of chat completions: builds a request from a payload, reads a response into a reply or a failure.

use serde_json::{Value, json};

use super::calls;
use super::dialect::{Dialect, SchemaForm};
use super::failure::{Code, Failure};
use super::gate::{GateTool, PreparedPayload};
use super::overflow;
use super::refusal::{self, ErrorBody, Refusal};
use super::reply::Reply;

/// The same on every call, so that answers are repeatable on servers that honour it.
const SEED: u32 = 7;

/// Builds the request body of `prepared` for `model`.
pub(super) fn request(model: &str, prepared: &PreparedPayload, dialect: Dialect) -> Value {
    let messages: Vec<Value> =
        prepared.messages.iter().map(|m| json!({"role": m.speaker.as_str(), "content": m.text})).collect();
    let mut body = json!({"model": model, "messages": messages});
    let limit = if dialect.old_max_tokens { "max_tokens" } else { "max_completion_tokens" };
    body[limit] = prepared.max_output_tokens.into();
    if !dialect.no_sampling {
        body["temperature"] = 0.into();
        body["seed"] = SEED.into();
    }
    if dialect.sends_tools(prepared) {
        let function = |t: &GateTool| json!({"name": t.name, "description": t.description, "parameters": t.parameters});
        let tool = |t: &GateTool| json!({"type": "function", "function": function(t)});
        body["tools"] = prepared.tools.iter().map(tool).collect();
    } else if let Some(schema) = prepared.schema.as_ref().filter(|_| dialect.schema == SchemaForm::Own) {
        let wrapped = json!({"name": schema.name, "strict": true, "schema": schema.schema});
        body["response_format"] = json!({"type": "json_schema", "json_schema": wrapped});
    }
    body
}

/// Reads the body of a 200.
///
/// # Errors
/// [`Code::BadAnswer`] if it is not a chat completion, [`Code::Filtered`] if the provider declined.
pub(super) fn reply(body: &[u8]) -> Result<Reply, Failure> {
    let answer = refusal::answer(body)?;
    let Some(choices) = answer["choices"].as_array() else {
        return Err(match answer.get("error") {
            Some(_) => refusal(200, body).failure,
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
        text: tool_calls(message).unwrap_or_else(|| content(&message["content"])),
        cut_off: reason == "length",
        input_tokens: answer["usage"]["prompt_tokens"].as_u64(),
        cached_input_tokens: answer["usage"]["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0),
        output_tokens: answer["usage"]["completion_tokens"].as_u64(),
    })
}

/// Returns the tool calls of a message as text; `None` if it makes none.
fn tool_calls(message: &Value) -> Option<String> {
    let functions = message["tool_calls"].as_array()?.iter().map(|call| &call["function"]);
    calls::text(functions.map(|function| (&function["name"], &function["arguments"])))
}

/// Returns the text of a message, which is a string or a list of parts.
fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|p| p["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Reads the body of any response other than a 200.
pub(super) fn refusal(status: u16, body: &[u8]) -> Refusal {
    let body = refusal::json(body);
    let said = ErrorBody::from_json(&body);
    let codes = [said.text("code"), said.text("type")];
    let code = match refusal::by_status(status) {
        _ if overflow::is_overflow(status, &codes, &said.message) => Code::Overflow,
        Code::RateLimited if codes.contains(&"insufficient_quota") => Code::QuotaExhausted,
        Code::Refused if codes.contains(&"content_filter") => Code::Filtered,
        code => code,
    };
    said.refusal(code)
}

#[cfg(test)]
mod tests {
    use super::super::gate::GateSpeaker;
    use super::*;

    fn prepared() -> PreparedPayload {
        PreparedPayload::sample(&[(GateSpeaker::User, "hello")], json!({"type": "object"}))
    }

    #[test]
    fn a_request_speaks_the_dialect_of_its_server() {
        let full = request("m", &prepared(), Dialect::default());
        assert_eq!(full["max_completion_tokens"], 99);
        assert_eq!(full["temperature"], 0);
        assert_eq!(full["response_format"]["json_schema"]["strict"], true);
        let bare = request(
            "m",
            &prepared(),
            Dialect { old_max_tokens: true, schema: SchemaForm::Left, no_sampling: true, ..Dialect::default() },
        );
        assert_eq!(bare, json!({"model": "m", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 99}));
    }

    #[test]
    fn a_reply_is_read_from_a_text_or_from_parts() {
        let body = |content: Value, reason: &str| {
            json!({"choices": [{"message": {"content": content}, "finish_reason": reason}], "usage": {"prompt_tokens": 5}}).to_string()
        };
        let plain = reply(body(json!("hi"), "stop").as_bytes()).expect("a reply");
        assert_eq!(plain, Reply { text: "hi".into(), input_tokens: Some(5), ..Reply::default() });
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
    fn a_refusal_is_known_by_status_code_and_message() {
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
            assert_eq!(refusal(status, body.as_bytes()).failure.code, code, "{status} {body}");
        }
        let llama = br#"{"error": {"code": 400, "message": "too long", "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}}"#;
        assert_eq!(refusal(400, llama).failure.window, Some(4_096));
    }
}

//! The JSON of Anthropic's Messages API: builds a request from a payload, reads a response into a reply or a failure.

use serde_json::{Value, json};

use super::calls;
use super::dialect::{Dialect, SchemaForm};
use super::failure::{Code, Failure};
use super::gate::{GateMessage, GateSpeaker, GateTool, PreparedPayload};
use super::overflow;
use super::refusal::{self, ErrorBody, Refusal};
use super::reply::Reply;

/// The version of the format, sent with each request.
pub(super) const VERSION: &str = "2023-06-01";

/// Builds the request body of `prepared` for `model`.
pub(super) fn request(model: &str, prepared: &PreparedPayload, dialect: Dialect) -> Value {
    let mut body = prompt(model, prepared, dialect);
    body["max_tokens"] = prepared.max_output_tokens.into();
    if !dialect.no_sampling {
        body["temperature"] = 0.into();
    }
    body
}

/// Builds the part of a request that the model reads: everything except the limits of its answer. Also the body of a token count.
pub(super) fn prompt(model: &str, prepared: &PreparedPayload, dialect: Dialect) -> Value {
    let (system, others): (Vec<_>, Vec<_>) = prepared.messages.iter().partition(|m| m.speaker == GateSpeaker::System);
    let messages: Vec<Value> =
        others.iter().map(|m| json!({"role": m.speaker.as_str(), "content": marked_content(m)})).collect();
    let mut body = json!({"model": model, "messages": messages});
    if !system.is_empty() {
        body["system"] = system.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n\n").into();
    }
    if dialect.sends_tools(prepared) {
        let tool = |t: &GateTool| json!({"name": t.name, "description": t.description, "input_schema": t.parameters});
        body["tools"] = prepared.tools.iter().map(tool).collect();
    } else if let Some(schema) = &prepared.schema {
        match dialect.schema {
            SchemaForm::Own => {
                body["output_config"] =
                    json!({"format": {"type": "json_schema", "schema": without_bounds(&schema.schema)}});
            }
            SchemaForm::Older => {
                let tool = json!({"name": schema.name, "description": "The answer.", "input_schema": schema.schema});
                body["tools"] = json!([tool]);
                body["tool_choice"] = json!({"type": "tool", "name": schema.name});
            }
            SchemaForm::Left => {}
        }
    }
    body
}

/// The content of a message: as two blocks, of which the first is to be kept, if other calls begin with it too. A block covers what stands
/// before it, so the system text needs no mark of its own.
fn marked_content(message: &GateMessage) -> Value {
    match message.text.split_at_checked(message.shared_bytes) {
        Some((shared, own)) if !shared.is_empty() && !own.is_empty() => json!([
            {"type": "text", "text": shared, "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": own},
        ]),
        _ => message.text.as_str().into(),
    }
}

/// Reads the body of a 200.
///
/// # Errors
/// [`Code::BadAnswer`] if it is not a message, [`Code::Filtered`] if the model declined.
pub(super) fn reply(body: &[u8]) -> Result<Reply, Failure> {
    let answer = refusal::answer(body)?;
    let Some(blocks) = answer["content"].as_array() else {
        return Err(match answer.get("error") {
            Some(_) => refusal(200, body).failure,
            None => Failure::new(Code::BadAnswer, "body: no `content`"),
        });
    };
    let reason = answer["stop_reason"].as_str().unwrap_or_default();
    if reason == "refusal" {
        return Err(Failure::new(Code::Filtered, "the model declined"));
    }
    let usage = &answer["usage"];
    let tokens = |key: &str| usage[key].as_u64();
    let cached = tokens("cache_read_input_tokens").unwrap_or(0);
    let written = tokens("cache_creation_input_tokens").unwrap_or(0);
    Ok(Reply {
        text: content(blocks),
        cut_off: matches!(reason, "max_tokens" | "model_context_window_exceeded"),
        // Anthropic reports cached tokens separately from `input_tokens`.
        input_tokens: tokens("input_tokens").map(|fresh| fresh.saturating_add(cached).saturating_add(written)),
        cached_input_tokens: cached,
        output_tokens: tokens("output_tokens"),
    })
}

/// Returns `schema` without the bounds of lists, which structured outputs do not accept here.
fn without_bounds(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, value)| *key != "maxItems" || !value.is_number());
            Value::Object(kept.map(|(key, value)| (key.clone(), without_bounds(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_bounds).collect(),
        other => other.clone(),
    }
}

/// Returns the tool calls if there are any, else the input of the forced tool, else all text; thoughts are left out.
fn content(blocks: &[Value]) -> String {
    let made = blocks.iter().filter(|b| b["type"] == "tool_use" && calls::is_tool(&b["name"]));
    if let Some(text) = calls::text(made.map(|call| (&call["name"], &call["input"]))) {
        return text;
    }
    match blocks.iter().find(|b| b["type"] == "tool_use") {
        Some(call) => call["input"].to_string(),
        None => blocks.iter().filter(|b| b["type"] == "text").filter_map(|b| b["text"].as_str()).collect(),
    }
}

/// Reads the body of any response other than a 200.
pub(super) fn refusal(status: u16, body: &[u8]) -> Refusal {
    let body = refusal::json(body);
    let said = ErrorBody::from_json(&body);
    let code = match (said.text("type"), refusal::by_status(status)) {
        ("request_too_large", _) => Code::Overflow,
        (kind, _) if overflow::is_overflow(status, &[kind], &said.message) => Code::Overflow,
        // An error may also arrive with a 200, or through a gateway that sets a different status.
        ("overloaded_error" | "api_error", _) => Code::ServerError,
        ("timeout_error", _) => Code::Timeout,
        ("billing_error", _) => Code::QuotaExhausted,
        ("rate_limit_error", _) => Code::RateLimited,
        ("authentication_error" | "permission_error", _) => Code::Unauthorized,
        (_, Code::Refused) if said.message.contains("credit balance is too low") => Code::QuotaExhausted,
        (_, code) => code,
    };
    said.refusal(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared() -> PreparedPayload {
        PreparedPayload::sample(
            &[(GateSpeaker::System, "rules"), (GateSpeaker::User, "hello")],
            json!({"type": "object"}),
        )
    }

    #[test]
    fn a_request_separates_rules_and_shape_in_the_models_form() {
        let own = request("m", &prepared(), Dialect::default());
        assert_eq!(own["output_config"]["format"], json!({"type": "json_schema", "schema": {"type": "object"}}));
        assert_eq!((&own["system"], &own["max_tokens"], &own["temperature"]), (&"rules".into(), &99.into(), &0.into()));
        assert_eq!(own["messages"], json!([{"role": "user", "content": "hello"}]));
        let older = request("m", &prepared(), Dialect { schema: SchemaForm::Older, ..Dialect::default() });
        assert_eq!(older["tools"][0]["input_schema"], json!({"type": "object"}));
        assert_eq!(older["tool_choice"], json!({"type": "tool", "name": "summary"}));
        let bare = Dialect { schema: SchemaForm::Left, no_sampling: true, ..Dialect::default() };
        let bare = request("m", &prepared(), bare);
        assert!(["output_config", "tools", "temperature"].iter().all(|key| bare.get(*key).is_none()), "{bare}");
    }

    #[test]
    fn a_reply_is_read_from_text_or_forced_tool_input() {
        let body = |content: Value, reason: &str| {
            let usage = json!({"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 3, "output_tokens": 7});
            json!({"type": "message", "content": content, "stop_reason": reason, "usage": usage}).to_string()
        };
        let text = json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
        let plain = reply(body(text, "end_turn").as_bytes()).expect("a reply");
        let expected = Reply {
            text: "ab".into(),
            cut_off: false,
            input_tokens: Some(98),
            cached_input_tokens: 90,
            output_tokens: Some(7),
        };
        assert_eq!(plain, expected);
        let tool = json!([{"type": "tool_use", "id": "t", "name": "summary", "input": {"summary": "s"}}]);
        assert_eq!(reply(body(tool, "tool_use").as_bytes()).expect("a reply").text, r#"{"summary":"s"}"#);
        assert!(reply(body(json!([]), "max_tokens").as_bytes()).expect("a reply").cut_off);
        let code = |b: &[u8]| reply(b).expect_err("fails").code;
        assert_eq!(code(body(json!([]), "refusal").as_bytes()), Code::Filtered);
        assert_eq!(
            code(br#"{"type": "error", "error": {"type": "overloaded_error", "message": "x"}}"#),
            Code::ServerError
        );
        assert_eq!((code(b"{}"), code(b"<html>")), (Code::BadAnswer, Code::BadAnswer));
    }

    #[test]
    fn a_refusal_is_known_by_type_status_and_message() {
        for (status, kind, message, code) in [
            (401, "authentication_error", "invalid x-api-key", Code::Unauthorized),
            (403, "permission_error", "no", Code::Unauthorized),
            (402, "billing_error", "pay", Code::QuotaExhausted),
            (400, "invalid_request_error", "Your credit balance is too low to access the API", Code::QuotaExhausted),
            (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", Code::Overflow),
            (413, "request_too_large", "Request exceeds the maximum size", Code::Overflow),
            (429, "rate_limit_error", "slow down", Code::RateLimited),
            (529, "overloaded_error", "Overloaded", Code::ServerError),
            (500, "api_error", "Internal server error", Code::ServerError),
            (404, "not_found_error", "model: nope", Code::Refused),
        ] {
            let body = json!({"type": "error", "error": {"type": kind, "message": message}}).to_string();
            assert_eq!(refusal(status, body.as_bytes()).failure.code, code, "{status} {message}");
        }
        let both = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length";
        let body = json!({"error": {"type": "invalid_request_error", "message": both}}).to_string();
        assert_eq!(refusal(400, body.as_bytes()).failure.window, Some(200_000));
    }

    #[test]
    fn what_other_calls_send_as_well_is_a_block_to_be_kept() {
        for (shared, want) in [
            (0, json!("passages and a question")),
            (
                8,
                json!([
                    {"type": "text", "text": "passages", "cache_control": {"type": "ephemeral"}},
                    {"type": "text", "text": " and a question"},
                ]),
            ),
            (23, json!("passages and a question")),
            (99, json!("passages and a question")),
        ] {
            let text = "passages and a question".to_owned();
            let message = GateMessage { speaker: GateSpeaker::User, text, shared_bytes: shared };
            assert_eq!(marked_content(&message), want, "{shared}");
        }
    }
}

//! The JSON of Gemini's `generateContent`: builds a request from a payload, reads a response into a reply or a failure.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::calls;
use super::dialect::{Dialect, SchemaForm};
use super::failure::{Code, Failure};
use super::gate::{GateMessage, GateSpeaker, GateTool, PreparedPayload};
use super::overflow;
use super::refusal::{self, ErrorBody, Refusal};
use super::reply::Reply;
use crate::http::retry_after::LONGEST;

/// The same on every call, so that answers are repeatable if the model supports it.
const SEED: u32 = 7;

/// Finish reasons of a candidate whose content was blocked.
const FILTERED: [&str; 7] =
    ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"];

/// Builds the request body of `prepared`; the model is part of the path.
pub(super) fn request(prepared: &PreparedPayload, dialect: Dialect) -> Value {
    let mut config = json!({"maxOutputTokens": prepared.max_output_tokens});
    if !dialect.no_sampling {
        config["temperature"] = 0.into();
        config["seed"] = SEED.into();
    }
    let tools = dialect.sends_tools(prepared);
    if let Some(schema) = prepared.schema.as_ref().filter(|_| !tools && dialect.schema != SchemaForm::Left) {
        config["responseMimeType"] = "application/json".into();
        match dialect.schema {
            SchemaForm::Older => config["responseSchema"] = openapi(&schema.schema),
            SchemaForm::Own | SchemaForm::Left => config["responseJsonSchema"] = schema.schema.clone(),
        }
    }
    let mut body = prompt(prepared);
    if tools {
        let function =
            |t: &GateTool| json!({"name": t.name, "description": t.description, "parameters": openapi(&t.parameters)});
        let functions: Vec<Value> = prepared.tools.iter().map(function).collect();
        body["tools"] = json!([{"functionDeclarations": functions}]);
    }
    body["generationConfig"] = config;
    body
}

/// Builds the body of a token count of `prepared`: the request itself plus the model.
pub(super) fn count(model: &str, prepared: &PreparedPayload, dialect: Dialect) -> Value {
    let mut request = request(prepared, dialect);
    request["model"] = format!("models/{model}").into();
    json!({"generateContentRequest": request})
}

/// Builds the part of a request that holds the messages.
fn prompt(prepared: &PreparedPayload) -> Value {
    let (system, others): (Vec<_>, Vec<_>) = prepared.messages.iter().partition(|m| m.speaker == GateSpeaker::System);
    let part = |m: &&GateMessage| json!({"text": m.text});
    let turn = |m: &&GateMessage| {
        let role = if m.speaker == GateSpeaker::User { "user" } else { "model" };
        json!({"role": role, "parts": [part(m)]})
    };
    let mut body = json!({"contents": others.iter().map(turn).collect::<Vec<_>>()});
    if !system.is_empty() {
        body["systemInstruction"] = json!({"parts": system.iter().map(part).collect::<Vec<_>>()});
    }
    body
}

/// Returns `schema` without `additionalProperties`, which the older form does not support.
fn openapi(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, value)| *key != "additionalProperties" || !value.is_boolean());
            Value::Object(kept.map(|(key, value)| (key.clone(), openapi(value))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Reads the body of a 200.
///
/// # Errors
/// [`Code::BadAnswer`] if it has no candidates, [`Code::Filtered`] if prompt or answer was blocked.
pub(super) fn reply(body: &[u8]) -> Result<Reply, Failure> {
    let answer = refusal::answer(body)?;
    if let Some(reason) = answer["promptFeedback"]["blockReason"].as_str() {
        return Err(Failure::new(Code::Filtered, format!("the prompt was blocked: {}", word(reason))));
    }
    let usage = &answer["usageMetadata"];
    let tokens = |key: &str| usage[key].as_u64();
    let Some(candidates) = answer["candidates"].as_array() else {
        return Err(match answer.get("error") {
            Some(_) => refusal(200, body).failure,
            None => Failure::new(Code::BadAnswer, "body: no `candidates`"),
        });
    };
    let candidate = candidates.first().unwrap_or(&Value::Null);
    let reason = candidate["finishReason"].as_str().unwrap_or_default();
    if FILTERED.contains(&reason) {
        return Err(Failure::new(Code::Filtered, format!("the answer was blocked: {}", word(reason))));
    }
    let parts = || candidate["content"]["parts"].as_array().into_iter().flatten();
    let calls =
        calls::text(parts().filter_map(|part| part.get("functionCall")).map(|call| (&call["name"], &call["args"])));
    let said = || parts().filter(|p| p["thought"] != true).filter_map(|p| p["text"].as_str()).collect();
    let thoughts = tokens("thoughtsTokenCount").unwrap_or(0);
    Ok(Reply {
        text: calls.unwrap_or_else(said),
        cut_off: reason == "MAX_TOKENS",
        input_tokens: tokens("promptTokenCount"),
        cached_input_tokens: tokens("cachedContentTokenCount").unwrap_or(0),
        // The count is absent if the model wrote nothing; thoughts are billed as output.
        output_tokens: usage.is_object().then(|| tokens("candidatesTokenCount").unwrap_or(0).saturating_add(thoughts)),
    })
}

/// Returns the leading capital letters and `_` of a reason, so that nothing but a vendor constant is logged.
fn word(reason: &str) -> String {
    reason.chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').take(40).collect()
}

/// Reads the body of any response other than a 200.
pub(super) fn refusal(status: u16, body: &[u8]) -> Refusal {
    let body = refusal::json(body);
    let said = ErrorBody::from_json(&body);
    let details = said.error["details"].as_array().map_or(&[][..], Vec::as_slice);
    let code = match (said.text("status"), refusal::by_status(status)) {
        (kind, _) if overflow::is_overflow(status, &[kind], &said.message) => Code::Overflow,
        // Gemini answers a wrong key with a 400.
        _ if details.iter().any(|d| d["reason"] == "API_KEY_INVALID") => Code::Unauthorized,
        ("UNAUTHENTICATED" | "PERMISSION_DENIED", _) => Code::Unauthorized,
        ("RESOURCE_EXHAUSTED", _) | (_, Code::RateLimited) if is_for_today(details) => Code::QuotaExhausted,
        ("RESOURCE_EXHAUSTED", _) => Code::RateLimited,
        ("UNAVAILABLE" | "INTERNAL", _) => Code::ServerError,
        ("DEADLINE_EXCEEDED", _) => Code::Timeout,
        (_, code) => code,
    };
    let mut refusal = said.refusal(code);
    refusal.failure.retry_after = details.iter().find_map(delay);
    refusal
}

/// Whether the exceeded quota is a daily one rather than one per minute.
fn is_for_today(details: &[Value]) -> bool {
    let violations = details.iter().filter_map(|d| d["violations"].as_array()).flatten();
    violations.filter_map(|v| v["quotaId"].as_str()).any(|id| id.contains("PerDay"))
}

/// Returns the wait a detail asks for, written as seconds with the suffix `s`.
fn delay(detail: &Value) -> Option<Duration> {
    let seconds: f64 = detail["retryDelay"].as_str()?.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok().map(|wait| wait.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared() -> PreparedPayload {
        let schema =
            json!({"type": "object", "properties": {"summary": {"type": "string"}}, "additionalProperties": false});
        PreparedPayload::sample(&[(GateSpeaker::System, "rules"), (GateSpeaker::User, "hello")], schema)
    }

    #[test]
    fn a_request_separates_rules_and_shape_in_the_models_form() {
        let own = request(&prepared(), Dialect::default());
        assert_eq!(own["contents"], json!([{"role": "user", "parts": [{"text": "hello"}]}]));
        assert_eq!(own["systemInstruction"], json!({"parts": [{"text": "rules"}]}));
        let config = &own["generationConfig"];
        assert_eq!((&config["maxOutputTokens"], &config["responseMimeType"]), (&99.into(), &"application/json".into()));
        assert_eq!(config["responseJsonSchema"]["additionalProperties"], false);
        let older = request(&prepared(), Dialect { schema: SchemaForm::Older, ..Dialect::default() });
        assert_eq!(
            older["generationConfig"]["responseSchema"],
            json!({"type": "object", "properties": {"summary": {"type": "string"}}})
        );
        let bare = Dialect { schema: SchemaForm::Left, no_sampling: true, ..Dialect::default() };
        assert_eq!(request(&prepared(), bare)["generationConfig"], json!({"maxOutputTokens": 99}));
    }

    #[test]
    fn a_reply_is_the_first_candidate_and_thoughts_are_paid() {
        let body = |reason: &str| {
            let parts = json!([{"text": "hm", "thought": true}, {"text": "a"}, {"text": "b"}]);
            let usage = json!({"promptTokenCount": 50, "cachedContentTokenCount": 40, "candidatesTokenCount": 2, "thoughtsTokenCount": 9});
            let candidate = json!({"content": {"role": "model", "parts": parts}, "finishReason": reason});
            json!({"candidates": [candidate], "usageMetadata": usage}).to_string()
        };
        let plain = reply(body("STOP").as_bytes()).expect("a reply");
        let expected = Reply {
            text: "ab".into(),
            cut_off: false,
            input_tokens: Some(50),
            cached_input_tokens: 40,
            output_tokens: Some(11),
        };
        assert_eq!(plain, expected);
        assert!(reply(body("MAX_TOKENS").as_bytes()).expect("a reply").cut_off);
        let code = |b: &[u8]| reply(b).expect_err("fails").code;
        assert_eq!(code(body("SAFETY").as_bytes()), Code::Filtered);
        assert_eq!(code(br#"{"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}"#), Code::Filtered);
        assert_eq!((code(b"{}"), code(b"<html>")), (Code::BadAnswer, Code::BadAnswer));
        assert_eq!(reply(br#"{"candidates": []}"#).expect("an empty reply").text, "");
    }

    #[test]
    fn a_refusal_is_known_by_status_word_details_and_message() {
        let long = "The input token count (1048600) exceeds the maximum number of tokens allowed (1048575).";
        for (status, word, message, details, code) in [
            (400, "INVALID_ARGUMENT", "API key not valid.", json!([{"reason": "API_KEY_INVALID"}]), Code::Unauthorized),
            (403, "PERMISSION_DENIED", "no", json!([]), Code::Unauthorized),
            (429, "RESOURCE_EXHAUSTED", "slow down", json!([{"retryDelay": "34.5s"}]), Code::RateLimited),
            (
                429,
                "RESOURCE_EXHAUSTED",
                "quota",
                json!([{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]),
                Code::QuotaExhausted,
            ),
            (503, "UNAVAILABLE", "The model is overloaded.", json!([]), Code::ServerError),
            (504, "DEADLINE_EXCEEDED", "too slow", json!([]), Code::Timeout),
            (400, "INVALID_ARGUMENT", long, json!([]), Code::Overflow),
            (404, "NOT_FOUND", "models/nope is not found", json!([]), Code::Refused),
        ] {
            let error = json!({"code": status, "message": message, "status": word, "details": details});
            let body = json!({"error": error}).to_string();
            let refusal = refusal(status, body.as_bytes()).failure;
            assert_eq!(refusal.code, code, "{status} {message}");
            assert_eq!(refusal.retry_after.is_some(), message == "slow down");
            assert_eq!(refusal.window, (message == long).then_some(1_048_575));
        }
    }
}

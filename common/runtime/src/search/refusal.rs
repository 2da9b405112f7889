//! Reads a refusal: first the status, then the wording, which differs between providers.

use serde_json::Value;

use super::failure::SearchCode;
use super::kind::SearchKind;

/// Most characters of a refusal that are read.
const LOOKED_AT: usize = 4_000;
/// Phrases of a used-up account, in lower case.
const USED_UP: [&str; 12] = [
    "quota",
    "credit",
    "usage limit",
    "budget",
    "billing",
    "payment required",
    "insufficient",
    "plan limit",
    "daily limit",
    "dailylimit",
    "monthly limit",
    "per day",
];
/// Phrases of too many requests.
const TOO_FAST: [&str; 9] = [
    "rate limit",
    "rate_limit",
    "ratelimit",
    "rate exceeded",
    "too many",
    "throttl",
    "slow down",
    "per minute",
    "per second",
];
/// Phrases of a rejected key.
const KEY: [&str; 9] = [
    "api key",
    "api_key",
    "apikey",
    "api-key",
    "token_invalid",
    "invalid token",
    "subscription token",
    "unauthorized",
    "authentication",
];

/// A parsed refusal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SearchRefusal {
    pub(super) code: SearchCode,
    /// The provider's raw message; must be masked before it is shown.
    pub(super) message: String,
}

/// Reads the refusal of `kind` with `status` and `body`.
pub(super) fn read(kind: SearchKind, status: u16, body: &[u8]) -> SearchRefusal {
    let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let message = match &value {
        // Not JSON: use plain text, but not an HTML error page.
        Value::Null => plain_text(body),
        value => message(value),
    };
    let mut said = String::new();
    match &value {
        Value::Null => said.push_str(&plain_text(body)),
        value => gather(value, &mut said),
    }
    SearchRefusal { code: code(kind, status, &said.to_lowercase()), message }
}

/// Returns the body if it is plain text; empty for an HTML page.
fn plain_text(body: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(&body[..body.len().min(LOOKED_AT)]).trim().to_owned();
    if text.starts_with('<') { String::new() } else { text }
}

/// Finds the message: providers call the field `error`, `detail` or `message`, and nest them.
fn message(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.first().map(message).unwrap_or_default(),
        Value::Object(_) => {
            let parts = ["message", "detail", "error", "info", "errors"].into_iter().map(|key| message(&value[key]));
            parts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// Appends every string in `value` to `said`, including codes and reasons.
fn gather(value: &Value, said: &mut String) {
    if said.len() > LOOKED_AT {
        return;
    }
    match value {
        Value::String(text) => {
            said.extend(text.chars().take(LOOKED_AT));
            said.push(' ');
        }
        Value::Array(list) => list.iter().for_each(|value| gather(value, said)),
        Value::Object(fields) => fields.values().for_each(|value| gather(value, said)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn code(kind: SearchKind, status: u16, said: &str) -> SearchCode {
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let too_fast = says(&["per minute", "per second"]);
    let used_up = says(&USED_UP) && !too_fast;
    match status {
        401 => SearchCode::Unauthorized,
        402 | 432 | 433 => SearchCode::QuotaExhausted,
        403 if kind == SearchKind::Searxng => SearchCode::JsonDisabled,
        403 if used_up => SearchCode::QuotaExhausted,
        403 if says(&TOO_FAST) => SearchCode::RateLimited,
        // OpenAlex answers too many requests with 403.
        403 if kind == SearchKind::Openalex && !says(&KEY) => SearchCode::RateLimited,
        403 => SearchCode::Unauthorized,
        408 => SearchCode::Timeout,
        429 if used_up => SearchCode::QuotaExhausted,
        429 => SearchCode::RateLimited,
        400 | 422 if says(&KEY) => SearchCode::Unauthorized,
        500.. if says(&TOO_FAST) => SearchCode::RateLimited,
        500.. => SearchCode::ServerError,
        200..300 => SearchCode::BadAnswer,
        _ => SearchCode::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_of_a_refusal_is_distinguished() {
        use SearchCode::{JsonDisabled, QuotaExhausted, RateLimited, Refused, ServerError, Timeout, Unauthorized};
        use SearchKind::{
            Arxiv, Brave, Crossref, Exa, Google, Openalex, Perplexity, Searxng, SemanticScholar, Tavily, Wikipedia,
        };
        for (kind, status, body, code, message) in [
            (
                Tavily,
                401,
                r#"{"detail":{"error":"Unauthorized: missing or invalid API key."}}"#,
                Unauthorized,
                "Unauthorized: missing or invalid API key.",
            ),
            (
                Tavily,
                429,
                r#"{"detail":{"error":"Your request has been blocked due to excessive requests."}}"#,
                RateLimited,
                "Your request has been blocked due to excessive requests.",
            ),
            (
                Tavily,
                432,
                r#"{"detail":{"error":"This request exceeds your plan's set usage limit."}}"#,
                QuotaExhausted,
                "This request exceeds your plan's set usage limit.",
            ),
            (
                Tavily,
                433,
                r#"{"detail":{"error":"This request exceeds the pay-as-you-go limit."}}"#,
                QuotaExhausted,
                "This request exceeds the pay-as-you-go limit.",
            ),
            (Tavily, 400, r#"{"detail":{"error":"Query is too long."}}"#, Refused, "Query is too long."),
            (
                Brave,
                422,
                r#"{"type":"ErrorResponse","error":{"id":"a","status":422,"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"The provided subscription token is invalid.","meta":{}}}"#,
                Unauthorized,
                "The provided subscription token is invalid.",
            ),
            (
                Brave,
                422,
                r#"{"type":"ErrorResponse","error":{"code":"VALIDATION","detail":"Unable to validate request parameter(s)"}}"#,
                Refused,
                "Unable to validate request parameter(s)",
            ),
            (
                Brave,
                429,
                r#"{"type":"ErrorResponse","error":{"code":"RATE_LIMITED","detail":"Request rate limit exceeded for plan.","meta":{"plan":"Free","rate_limit":1,"quota_limit":2000,"component":"rate_limiter"}}}"#,
                RateLimited,
                "Request rate limit exceeded for plan.",
            ),
            (
                Brave,
                429,
                r#"{"type":"ErrorResponse","error":{"code":"QUOTA_LIMITED","detail":"Request quota limit exceeded for plan."}}"#,
                QuotaExhausted,
                "Request quota limit exceeded for plan.",
            ),
            (
                Exa,
                402,
                r#"{"requestId":"x","error":"You've exceeded your credits limit.","tag":"NO_MORE_CREDITS"}"#,
                QuotaExhausted,
                "You've exceeded your credits limit.",
            ),
            (Exa, 401, r#"{"error":"Invalid API key","tag":"INVALID_API_KEY"}"#, Unauthorized, "Invalid API key"),
            (Searxng, 403, "<!doctype html><title>403 Forbidden</title>", JsonDisabled, ""),
            (Searxng, 429, "Too Many Requests", RateLimited, "Too Many Requests"),
            (
                SemanticScholar,
                429,
                r#"{"message":"Too Many Requests. Please wait and try again or apply for a key for higher rate limits.","code":"429"}"#,
                RateLimited,
                "Too Many Requests. Please wait and try again or apply for a key for higher rate limits.",
            ),
            (SemanticScholar, 403, r#"{"message":"Forbidden"}"#, Unauthorized, "Forbidden"),
            (
                Openalex,
                403,
                r#"{"error":"Forbidden","message":"You are exceeding 100 requests per second"}"#,
                RateLimited,
                "You are exceeding 100 requests per second",
            ),
            (Openalex, 403, "", RateLimited, ""),
            (Openalex, 403, r#"{"error":"Invalid API key"}"#, Unauthorized, "Invalid API key"),
            (
                Openalex,
                429,
                r#"{"error":"Rate limit exceeded","message":"Insufficient budget. This request costs $0.001 but you only have $0 remaining."}"#,
                QuotaExhausted,
                "Insufficient budget. This request costs $0.001 but you only have $0 remaining.",
            ),
            (Crossref, 429, "", RateLimited, ""),
            (
                Crossref,
                400,
                r#"{"status":"failed","message-type":"validation-failure","message":[{"type":"parameter-not-allowed","value":"x","message":"This route does not support x"}]}"#,
                Refused,
                "This route does not support x",
            ),
            (Arxiv, 503, "Rate exceeded.", RateLimited, "Rate exceeded."),
            (Arxiv, 500, "", ServerError, ""),
            (
                Wikipedia,
                403,
                "Please set a user-agent and respect our robot policy",
                Unauthorized,
                "Please set a user-agent and respect our robot policy",
            ),
            (Perplexity, 401, "<html><head><title>401 Authorization Required</title></head></html>", Unauthorized, ""),
            (
                Google,
                400,
                r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","errors":[{"reason":"badRequest"}],"status":"INVALID_ARGUMENT"}}"#,
                Unauthorized,
                "API key not valid. Please pass a valid API key.",
            ),
            (
                Google,
                403,
                r#"{"error":{"code":403,"message":"Daily Limit Exceeded","errors":[{"reason":"dailyLimitExceeded"}]}}"#,
                QuotaExhausted,
                "Daily Limit Exceeded",
            ),
            (
                Google,
                429,
                r#"{"error":{"code":429,"message":"Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'","status":"RESOURCE_EXHAUSTED"}}"#,
                RateLimited,
                "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'",
            ),
            (
                Google,
                429,
                r#"{"error":{"code":429,"message":"Quota exceeded for quota metric 'Queries' and limit 'Queries per day'"}}"#,
                QuotaExhausted,
                "Quota exceeded for quota metric 'Queries' and limit 'Queries per day'",
            ),
            (Brave, 302, "", Refused, ""),
            (Brave, 404, r#"{"error":7}"#, Refused, ""),
            (Brave, 408, "", Timeout, ""),
            (Brave, 204, "", SearchCode::BadAnswer, ""),
        ] {
            let expected = SearchRefusal { code, message: message.to_owned() };
            assert_eq!(read(kind, status, body.as_bytes()), expected, "{kind} {status} {body}");
        }
    }

    #[test]
    fn a_body_of_brackets_or_of_megabytes_is_read_without_harm() {
        let deep = "[".repeat(1_000_000);
        let long = format!("{{\"error\":\"{}\"}}", "quota ".repeat(600_000));
        assert_eq!(read(SearchKind::Brave, 500, deep.as_bytes()).code, SearchCode::ServerError);
        assert_eq!(read(SearchKind::Brave, 429, long.as_bytes()).code, SearchCode::QuotaExhausted);
    }
}

//! The vendor formats: path, headers and body of a request, and the meaning of a response.
//!
//! This only reads and writes JSON; connections, timeouts and repeats are in [`super::server`].

use precis_proto::ids::sha256_hex;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::dialect::Dialect;
use super::failure::{Code, Failure};
use super::gate::PreparedPayload;
use super::refusal::{self, Refusal};
use super::reply::Reply;
use super::vendor::Vendor;
use super::{anthropic, gemini, openai};

/// A request for the token count of a payload.
#[derive(Debug)]
pub(super) struct Counter {
    /// Path below the base URL, as of [`Vendor::path`].
    pub(super) path: Vec<String>,
    pub(super) body: Value,
}

impl Vendor {
    /// Builds the headers of every request. The key is sent in a header, never in a URL.
    ///
    /// # Errors
    /// If the key contains characters that a header cannot.
    pub(super) fn headers(self, key: Option<&SecretString>) -> Result<HeaderMap, InvalidHeaderValue> {
        let mut headers = HeaderMap::new();
        if self == Self::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static(anthropic::VERSION));
        }
        if let Some(key) = key {
            let (name, text) = match self {
                Self::OpenAi => (AUTHORIZATION, format!("Bearer {}", key.expose_secret())),
                Self::Anthropic => (HeaderName::from_static("x-api-key"), key.expose_secret().to_owned()),
                Self::Gemini => (HeaderName::from_static("x-goog-api-key"), key.expose_secret().to_owned()),
            };
            let mut value = HeaderValue::from_str(&text)?;
            // Marked, so that the HTTP library leaves it out of its debug output.
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// Returns the path of requests for `model` below the base URL, as unescaped parts.
    pub(super) fn path(self, model: &str) -> Vec<String> {
        match self {
            Self::OpenAi => vec!["chat".to_owned(), "completions".to_owned()],
            Self::Anthropic => vec!["messages".to_owned()],
            Self::Gemini => vec!["models".to_owned(), format!("{model}:generateContent")],
        }
    }

    /// Builds the JSON body of a request, without the features that `dialect` excludes.
    pub(super) fn request(self, model: &str, prepared: &PreparedPayload, dialect: Dialect) -> Value {
        match self {
            Self::OpenAi => openai::request(model, prepared, dialect),
            Self::Anthropic => anthropic::request(model, prepared, dialect),
            Self::Gemini => gemini::request(prepared, dialect),
        }
    }

    /// Reads the body of a 200.
    ///
    /// # Errors
    /// [`Code::BadAnswer`] if it is not an answer, [`Code::Filtered`] if the vendor declined.
    pub(super) fn reply(self, body: &[u8]) -> Result<Reply, Failure> {
        match self {
            Self::OpenAi => openai::reply(body),
            Self::Anthropic => anthropic::reply(body),
            Self::Gemini => gemini::reply(body),
        }
    }

    /// Reads the body of any response other than a 200.
    pub(super) fn refusal(self, status: u16, body: &[u8]) -> Refusal {
        match self {
            Self::OpenAi => openai::refusal(status, body),
            Self::Anthropic => anthropic::refusal(status, body),
            Self::Gemini => gemini::refusal(status, body),
        }
    }

    /// Builds the request for the token count of a payload; `None` if the vendor has no free counter.
    pub(super) fn counter(self, model: &str, prepared: &PreparedPayload, dialect: Dialect) -> Option<Counter> {
        match self {
            Self::OpenAi => None,
            Self::Anthropic => Some(Counter {
                path: vec!["messages".to_owned(), "count_tokens".to_owned()],
                body: anthropic::prompt(model, prepared, dialect),
            }),
            Self::Gemini => Some(Counter {
                path: vec!["models".to_owned(), format!("{model}:countTokens")],
                body: gemini::count(model, prepared, dialect),
            }),
        }
    }

    /// Reads the response of a token counter.
    ///
    /// # Errors
    /// [`Code::BadAnswer`] if it is not a count.
    pub(super) fn parse_count(self, body: &[u8]) -> Result<u64, Failure> {
        let answer = refusal::answer(body)?;
        let tokens = match self {
            Self::OpenAi => None,
            Self::Anthropic => answer["input_tokens"].as_u64(),
            Self::Gemini => answer["totalTokens"].as_u64(),
        };
        tokens.ok_or_else(|| Failure::new(Code::BadAnswer, "body: no count"))
    }

    /// Returns the hash of the complete request in the default dialect. The dialect is left out, so that learning it does not change keys.
    pub(super) fn fingerprint(self, model: &str, prepared: &PreparedPayload) -> String {
        sha256_hex(self.request(model, prepared, Dialect::default()).to_string().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::gate::{GateSchema, GateSpeaker, GateTool};
    use super::*;
    use serde_json::json;

    const ALL: [Vendor; 3] = [Vendor::OpenAi, Vendor::Anthropic, Vendor::Gemini];

    fn prepared() -> PreparedPayload {
        PreparedPayload::sample(&[(GateSpeaker::User, "hello")], json!({"type": "object"}))
    }

    #[test]
    fn a_key_is_sent_in_the_vendor_header_and_never_printed() {
        let key = SecretString::from("sk-hidden".to_owned());
        for (vendor, name) in ALL.into_iter().zip(["authorization", "x-api-key", "x-goog-api-key"]) {
            let headers = vendor.headers(Some(&key)).expect("is a header");
            assert!(headers[name].to_str().is_ok_and(|v| v.ends_with("sk-hidden")), "{vendor:?}");
            assert!(!format!("{headers:?}").contains("hidden"), "{vendor:?}");
            assert!(!vendor.path("m").concat().contains("hidden"));
            assert!(vendor.headers(Some(&SecretString::from("a\nb".to_owned()))).is_err());
        }
    }

    #[test]
    fn the_fingerprint_depends_on_everything_that_is_sent() {
        for vendor in ALL {
            let base = vendor.fingerprint("m", &prepared());
            let mut changed = [prepared(), prepared(), prepared()];
            changed[0].messages[0].text.push('!');
            changed[1].max_output_tokens += 1;
            changed[2].schema = None;
            assert!(changed.iter().all(|p| vendor.fingerprint("m", p) != base), "{vendor:?}");
        }
    }

    fn with_tools() -> PreparedPayload {
        let parameters = json!({
            "type": "object",
            "properties": {"queries": {"type": "array", "items": {"type": "string"}, "maxItems": 10}},
            "required": ["queries"],
            "additionalProperties": false,
        });
        PreparedPayload { tools: vec![GateTool { name: "search", description: "Searches.", parameters }], ..prepared() }
    }

    #[test]
    fn tools_replace_a_shape_except_for_servers_without_tools() {
        for vendor in ALL {
            let offered = vendor.request("m", &with_tools(), Dialect::default());
            assert_eq!(offered["tools"].as_array().map(Vec::len), Some(1), "{vendor:?}");
            let text = offered.to_string();
            assert!(text.contains("Searches.") && text.contains("maxItems"), "{vendor:?} {text}");
            assert!(!["response_format", "output_config", "responseJsonSchema"].iter().any(|key| text.contains(key)));
            let bare = Dialect { no_tools: true, ..Dialect::default() };
            let without = vendor.request("m", &with_tools(), bare);
            assert_eq!(without, vendor.request("m", &prepared(), Dialect::default()), "{vendor:?}");
            assert_ne!(vendor.fingerprint("m", &with_tools()), vendor.fingerprint("m", &prepared()), "{vendor:?}");
        }
    }

    #[test]
    fn native_calls_become_the_text_that_others_write() {
        let arguments = json!({"queries": ["a"]});
        let function = json!({"name": "search", "arguments": arguments.to_string()});
        let openai = json!({"choices": [{"message": {"content": null, "tool_calls": [{"type": "function", "function": function}]}}]});
        let used = json!({"type": "tool_use", "id": "t", "name": "search", "input": arguments});
        let anthropic = json!({"content": [{"type": "text", "text": "I search."}, used], "stop_reason": "tool_use"});
        let call = json!({"functionCall": {"name": "search", "args": arguments}});
        let gemini = json!({"candidates": [{"content": {"parts": [{"text": "hm", "thought": true}, call]}}]});
        for (vendor, body) in ALL.into_iter().zip([openai, anthropic, gemini]) {
            let text = vendor.reply(body.to_string().as_bytes()).expect("a reply").text;
            let read: Value = serde_json::from_str(&text).expect("it is JSON");
            assert_eq!(read["calls"][0]["name"], "search", "{vendor:?}");
            let given = &read["calls"][0]["arguments"];
            let given = given.as_str().map_or_else(|| given.clone(), |t| serde_json::from_str(t).expect("it is JSON"));
            assert_eq!(given, arguments, "{vendor:?}");
        }
    }

    #[test]
    fn a_list_is_bounded_only_where_the_vendor_knows_such_bounds() {
        let schema = json!({"type": "object", "properties": {"maxItems": {"type": "array", "maxItems": 5}}});
        let prepared =
            PreparedPayload { schema: Some(GateSchema { name: "plan".into(), schema: schema.clone() }), ..prepared() };
        for (vendor, bounded) in ALL.into_iter().zip([true, false, true]) {
            let text = vendor.request("m", &prepared, Dialect::default()).to_string();
            assert_eq!(text.contains("\"maxItems\":5"), bounded, "{vendor:?} {text}");
            assert!(text.contains("\"maxItems\":{"), "a property of that name stays: {text}");
        }
    }
}

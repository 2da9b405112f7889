//! A message of JSON-RPC 2.0, as a client sends it.

use serde_json::{Map, Value, json};

/// What is not JSON.
const PARSE_ERROR: i64 = -32_700;
/// What is no message.
pub(super) const INVALID_REQUEST: i64 = -32_600;
/// A method that this server does not have.
pub(super) const METHOD_NOT_FOUND: i64 = -32_601;
/// Parameters of a wrong form.
pub(super) const INVALID_PARAMS: i64 = -32_602;

/// A message of a client.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// It gets a response.
    Request {
        /// A text or a whole number.
        id: Value,
        /// What is asked for.
        method: String,
        /// Empty if there are none.
        params: Map<String, Value>,
    },
    /// It gets none.
    Notification {
        /// What happened.
        method: String,
        /// Empty if there are none.
        params: Map<String, Value>,
    },
    /// The response to a request of this server; `None` if it is an error.
    Response {
        /// Id of the request.
        id: Value,
        /// The result.
        result: Option<Value>,
    },
}

/// Why a message is refused.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    /// Id of the request; `Null` if it cannot be told.
    pub(super) id: Value,
    /// The code of JSON-RPC or of the protocol.
    pub(super) code: i64,
    /// For people.
    pub(super) message: String,
    /// Details for programs.
    pub(super) data: Option<Box<Value>>,
}

impl Refusal {
    pub(super) fn new(id: Value, code: i64, message: impl Into<String>) -> Self {
        Self { id, code, message: message.into(), data: None }
    }

    /// Returns the response that tells the client.
    pub(super) fn response(self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = self.data {
            error["data"] = *data;
        }
        json!({ "jsonrpc": "2.0", "id": self.id, "error": error })
    }
}

/// Returns the response to the request `id`.
pub(super) fn response(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// Reads a message. Fields that JSON-RPC does not know are ignored.
///
/// # Errors
/// [`Refusal`], with the id of the request if it has one.
pub(super) fn read(line: &[u8]) -> Result<Message, Refusal> {
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| Refusal::new(Value::Null, PARSE_ERROR, format!("the message is not JSON: {error}")))?;
    let refused = |id: &Value, message: &str| Refusal::new(id.clone(), INVALID_REQUEST, message);
    let mut fields = match value {
        Value::Object(fields) => fields,
        Value::Array(_) => return Err(refused(&Value::Null, "batches are not supported: send one message a line")),
        _ => return Err(refused(&Value::Null, "a message must be a JSON object")),
    };
    let id = fields.remove("id");
    let known = id.clone().filter(is_id).unwrap_or_default();
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refused(&known, "jsonrpc must be \"2.0\""));
    }
    if id.is_some() && known.is_null() {
        return Err(refused(&Value::Null, "id must be a text or a whole number"));
    }
    let method = match (fields.remove("method"), id) {
        (Some(Value::String(method)), _) => method,
        (None, Some(id)) if fields.contains_key("result") || fields.contains_key("error") => {
            return Ok(Message::Response { id, result: fields.remove("result") });
        }
        _ => return Err(refused(&known, "method must be a text")),
    };
    let params = match fields.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(Refusal::new(known, INVALID_PARAMS, "params must be a JSON object")),
    };
    Ok(match known {
        Value::Null => Message::Notification { method, params },
        id => Message::Request { id, method, params },
    })
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_a_request_a_notification_or_a_response() {
        let params = json!({ "a": 1 }).as_object().expect("an object").clone();
        let method = || "m".to_owned();
        for (line, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}"#,
                Message::Request { id: 1.into(), method: method(), params: params.clone() },
            ),
            (
                r#"{"jsonrpc":"2.0","id":"x","method":"m","more":2}"#,
                Message::Request { id: "x".into(), method: method(), params: Map::new() },
            ),
            (r#"{"jsonrpc":"2.0","method":"m","params":{"a":1}}"#, Message::Notification { method: method(), params }),
            (
                r#"{"jsonrpc":"2.0","id":"r","result":{}}"#,
                Message::Response { id: "r".into(), result: Some(json!({})) },
            ),
            (r#"{"jsonrpc":"2.0","id":2,"error":{"code":1}}"#, Message::Response { id: 2.into(), result: None }),
        ] {
            assert_eq!(read(line.as_bytes()), Ok(expected), "{line}");
        }
    }

    #[test]
    fn an_invalid_message_is_refused_with_its_id_if_any() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (line, code, id) in [
            ("{", PARSE_ERROR, Value::Null),
            ("", PARSE_ERROR, Value::Null),
            ("\u{0}", PARSE_ERROR, Value::Null),
            (&deep, PARSE_ERROR, Value::Null),
            ("[]", INVALID_REQUEST, Value::Null),
            ("1", INVALID_REQUEST, Value::Null),
            (r#"{"id":3,"method":"m"}"#, INVALID_REQUEST, 3.into()),
            (r#"{"jsonrpc":"1.0","id":3,"method":"m"}"#, INVALID_REQUEST, 3.into()),
            (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, INVALID_REQUEST, Value::Null),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#, INVALID_REQUEST, Value::Null),
            (r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, INVALID_REQUEST, Value::Null),
            (r#"{"jsonrpc":"2.0","id":3}"#, INVALID_REQUEST, 3.into()),
            (r#"{"jsonrpc":"2.0"}"#, INVALID_REQUEST, Value::Null),
            (r#"{"jsonrpc":"2.0","id":3,"method":7}"#, INVALID_REQUEST, 3.into()),
            (r#"{"jsonrpc":"2.0","id":3,"method":"m","params":[1]}"#, INVALID_PARAMS, 3.into()),
        ] {
            let refusal = read(line.as_bytes()).expect_err("no message");
            assert_eq!((refusal.code, refusal.id), (code, id), "{}", &line[..line.len().min(60)]);
        }
        assert!(read(b"\xff{}").is_err());
    }
}

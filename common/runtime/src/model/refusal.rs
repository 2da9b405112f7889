//! What is common to the ways in which vendors refuse: a failure, and the words a dialect is learned from.

use serde_json::Value;

use super::failure::{Code, Failure};
use super::{excerpt, overflow};

/// A refusal as read.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) failure: Failure,
    /// The parameter at fault where the vendor names it apart, and the message; for
    /// [`Dialect::learn`](super::dialect::Dialect::learn).
    pub(super) said: String,
}

/// What an error body says, in the shapes there are.
#[derive(Debug)]
pub(super) struct ErrorBody<'a> {
    /// The error object, or whatever stands in its place.
    pub(super) error: &'a Value,
    /// Its message; empty where it has none.
    pub(super) message: String,
}

impl<'a> ErrorBody<'a> {
    /// Gateways send errors as text within text or in a list, FastAPI calls them `detail`, vLLM puts them at the top.
    pub(super) fn from_json(body: &'a Value) -> Self {
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").or_else(|| body.get("detail")).unwrap_or(body);
        let message = match error {
            Value::String(message) => message.clone(),
            Value::Array(_) => error.to_string(),
            _ => error["message"].as_str().unwrap_or_default().to_owned(),
        };
        Self { error, message }
    }

    /// A text of the error object; empty where there is none.
    pub(super) fn text(&self, key: &str) -> &'a str {
        self.error[key].as_str().unwrap_or_default()
    }

    /// The refusal this amounts to under `code`.
    pub(super) fn refusal(&self, code: Code) -> Refusal {
        let mut failure = Failure::new(code, excerpt::of(&self.message));
        failure.said = Some(excerpt::for_people(&self.message)).filter(|said| !said.is_empty());
        if code == Code::Overflow {
            failure.window = self.error["n_ctx"].as_u64().or_else(|| overflow::window(&self.message));
        }
        Refusal { failure, said: format!("{} {}", self.text("param"), self.message) }
    }
}

/// What a status alone means.
pub(super) fn by_status(status: u16) -> Code {
    match status {
        401 | 403 => Code::Unauthorized,
        402 => Code::QuotaExhausted,
        408 => Code::Timeout,
        429 => Code::RateLimited,
        500.. => Code::ServerError,
        200..300 => Code::BadAnswer,
        _ => Code::Refused,
    }
}

/// The body as JSON; what is none is null.
pub(super) fn json(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or(Value::Null)
}

/// The body of a 200 as JSON.
///
/// # Errors
/// [`Code::BadAnswer`] where it is none.
pub(super) fn answer(body: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(body).map_err(|e| Failure::new(Code::BadAnswer, format!("body: {e}")))
}

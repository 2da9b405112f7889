//! Refusals of all vendors: the failure, and the message a dialect is learned from.

use serde_json::Value;

use super::failure::{Code, Failure};
use super::{excerpt, overflow};

/// A parsed refusal.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) failure: Failure,
    /// The parameter at fault, if the vendor names it separately, and the message; for
    /// [`Dialect::after`](super::dialect::Dialect::after).
    pub(super) said: String,
}

/// The error object of a response body, found in any of the known formats.
#[derive(Debug)]
pub(super) struct ErrorBody<'a> {
    /// The error object, or the value in its place.
    pub(super) error: &'a Value,
    /// Its message; empty if it has none.
    pub(super) message: String,
}

impl<'a> ErrorBody<'a> {
    /// Finds the error in `body`: gateways send it as a string or in a list, FastAPI under `detail`, vLLM at the top level.
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

    /// Returns a string field of the error object; empty if it is missing.
    pub(super) fn text(&self, key: &str) -> &'a str {
        self.error[key].as_str().unwrap_or_default()
    }

    /// Builds the refusal with `code`.
    pub(super) fn refusal(&self, code: Code) -> Refusal {
        let mut failure = Failure::new(code, excerpt::of(&self.message));
        failure.said = Some(excerpt::for_people(&self.message)).filter(|said| !said.is_empty());
        if code == Code::Overflow {
            failure.window = self.error["n_ctx"].as_u64().or_else(|| overflow::window(&self.message));
        }
        Refusal { failure, said: format!("{} {}", self.text("param"), self.message) }
    }
}

/// Returns the failure code of a status alone.
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

/// Parses the body as JSON; null if it is not JSON.
pub(super) fn json(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or(Value::Null)
}

/// Parses the body of a 200 as JSON.
///
/// # Errors
/// [`Code::BadAnswer`] if it is not JSON.
pub(super) fn answer(body: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(body).map_err(|e| Failure::new(Code::BadAnswer, format!("body: {e}")))
}

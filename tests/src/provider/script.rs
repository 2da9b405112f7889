//! What a scripted provider may do with a request.

use precis_runtime::model::Vendor;
use serde_json::{Value, json};

/// One reaction to one request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// An instance of the schema that was sent, or a sentence that cites finding 1.
    Fitting,
    /// This text as the model's answer.
    Text(String),
    /// This text, or else a fitting answer, with the tokens of prompt and answer as this server counts them; in OpenAI's format.
    Counted(Option<String>),
    /// This text, stopped at the length limit.
    CutOff(String),
    /// An answer the provider did not want to give.
    Declined,
    /// The account is used up.
    UsedUp,
    /// A wait in the vendor's own words: in the body at Gemini, in a header elsewhere.
    Wait(f64),
    /// A choice without a text.
    EmptyContent,
    /// No choice at all.
    EmptyChoices,
    /// 200 with this body.
    Body(String),
    /// This status, with headers and an error message.
    Refuse(u16, Vec<(&'static str, String)>, String),
    /// This status with this body.
    RefuseWith(u16, Value),
    /// This status, with a message that repeats the key and, where it was sent, this word.
    Repeat(u16, &'static str),
    /// The payload is over this window.
    Overflow(Wording, u64),
    /// 400 that names a parameter this server does not know.
    Unknown(&'static str),
    /// A fitting answer, but only after [`super::Scripted::release`].
    Held,
    /// Silence.
    Hang,
    /// Headers byte by byte, one each 50 ms, never ending.
    SlowHeaders,
    /// Headers and half of the body, then silence.
    Stall,
    /// Headers and half of the body, then the end of the connection.
    Cut,
    /// A body of this many bytes.
    Huge(usize),
    /// 302 to this address.
    Redirect(String),
}

/// Who words an overflow.
#[derive(Debug, Clone, Copy)]
pub enum Wording {
    /// 400 with a code, as OpenAI and vLLM.
    OpenAi,
    /// The same within a gateway's own exception text, without a code that helps.
    LiteLlm,
    /// 400 with a type and `n_ctx`, as llama.cpp.
    LlamaCpp,
    /// 400 with a message that compares both, as Anthropic.
    Anthropic,
    /// 400 with a status word, as Gemini.
    Gemini,
    /// 413 and no JSON at all.
    Bare,
}

impl Wording {
    /// The one `vendor` uses.
    #[must_use]
    pub fn for_vendor(vendor: Vendor) -> Self {
        match vendor {
            Vendor::OpenAi => Self::OpenAi,
            Vendor::Anthropic => Self::Anthropic,
            Vendor::Gemini => Self::Gemini,
        }
    }
}

impl Reply {
    /// 429 with one header.
    #[must_use]
    pub fn wait(header: &'static str, value: impl Into<String>) -> Self {
        Self::Refuse(429, vec![(header, value.into())], "Rate limit reached".to_owned())
    }

    /// A refusal without headers.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Refuse(status, Vec::new(), "The server had an error".to_owned())
    }
}

/// Status and body of an overflow.
pub(super) fn overflow(wording: Wording, window: u64) -> (u16, String) {
    let said = format!("This model's maximum context length is {window} tokens. However, you requested more.");
    let body = match wording {
        Wording::OpenAi => {
            json!({"error": {"message": said, "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}})
        }
        Wording::LiteLlm => {
            let said = format!(
                "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - {{'error': {{'message': \"{said}\"}}}}"
            );
            json!({"error": {"message": said, "type": null, "param": null, "code": "400"}})
        }
        Wording::LlamaCpp => {
            let said = "the request exceeds the available context size, try increasing it";
            json!({"error": {"code": 400, "message": said, "type": "exceed_context_size_error", "n_prompt_tokens": window + 1, "n_ctx": window}})
        }
        Wording::Anthropic => {
            let said = format!("prompt is too long: {} tokens > {window} maximum", window + 1);
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": said}})
        }
        Wording::Gemini => {
            let said = format!(
                "The input token count ({}) exceeds the maximum number of tokens allowed ({window}).",
                window + 1
            );
            json!({"error": {"code": 400, "message": said, "status": "INVALID_ARGUMENT"}})
        }
        Wording::Bare => return (413, "<html>Request Entity Too Large</html>".to_owned()),
    };
    (400, body.to_string())
}

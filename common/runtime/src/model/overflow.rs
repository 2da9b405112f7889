//! Recognises refusals of a payload over the provider's window: every vendor words them differently, and gateways wrap them.

/// Error codes and types of an overflow. Sources: OpenAI, llama.cpp, LiteLLM.
const CODES: [&str; 4] =
    ["context_length_exceeded", "exceed_context_size_error", "contextwindowexceedederror", "string_above_max_length"];

/// Phrases of overflow messages, in lower case.
const WORDINGS: [&str; 17] = [
    // OpenAI, vLLM, LiteLLM
    "maximum context length",
    "context_length_exceeded",
    "contextwindowexceeded",
    "context window exceed",
    "exceeds the context window",
    "reduce the length of the messages",
    // llama.cpp, Ollama, LM Studio
    "exceeds the available context size",
    "exceeds context size",
    "exceeded context window",
    "context overflow",
    "greater than the context length",
    // Anthropic
    "prompt is too long",
    "exceed context limit",
    "input is too long",
    // Gemini
    "exceeds the maximum number of tokens",
    // Mistral, Groq and others
    "too large for model with",
    "exceeds the model's context",
];

/// Text directly before the window size in those messages.
const BEFORE_WINDOW: [&str; 8] = [
    "maximum context length is ",
    "maximum context length of ",
    "available context size (",
    "maximum number of tokens allowed (",
    "maximum context length ",
    "context window of ",
    "tokens > ",
    "\"n_ctx\":",
];

/// Text before `SUM > WINDOW` in Anthropic's messages.
const BEFORE_SUM: &str = "exceed context limit: ";

/// A smaller number is not taken for a window.
const SMALLEST_WINDOW: u64 = 256;

/// Whether a refusal with this status, code or type, and message means that the payload is too long. Rate-limit messages mention tokens
/// too, so at 429 only the code decides.
pub(super) fn is_overflow(status: u16, codes: &[&str], message: &str) -> bool {
    let code = codes.iter().any(|c| CODES.contains(&c.to_ascii_lowercase().as_str()));
    let message = message.to_lowercase();
    code || status == 413 || (!matches!(status, 401 | 403 | 429) && WORDINGS.iter().any(|w| message.contains(w)))
}

/// Returns the window size named in an overflow message.
pub(super) fn window(message: &str) -> Option<u64> {
    let message = message.to_lowercase();
    let after_sum = || message.split_once(BEFORE_SUM)?.1.split_once('>').map(|(_, rest)| rest);
    let mut places = BEFORE_WINDOW.iter().filter_map(|before| Some(message.split_once(before)?.1)).chain(after_sum());
    places.find_map(|rest| {
        let digits: String = rest
            .trim_start()
            .chars()
            .take_while(|c| c.is_ascii_digit() || matches!(c, ',' | '_'))
            .filter(char::is_ascii_digit)
            .collect();
        digits.parse().ok().filter(|n| *n >= SMALLEST_WINDOW)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overflow_is_recognised_in_every_vendors_words() {
        for (status, code, message, named) in [
            (
                400,
                "context_length_exceeded",
                "This model's maximum context length is 8192 tokens. However, you requested 9000.",
                Some(8_192),
            ),
            (
                400,
                "",
                "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is 128,000 tokens.",
                Some(128_000),
            ),
            (
                500,
                "",
                "ContextWindowExceededError: The input token count (2769478) exceeds the maximum number of tokens allowed (1048575).",
                Some(1_048_575),
            ),
            (
                400,
                "exceed_context_size_error",
                "the request exceeds the available context size. try increasing the context size",
                None,
            ),
            (
                400,
                "",
                "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
                Some(4_096),
            ),
            (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", Some(200_000)),
            (413, "", "Request Entity Too Large", None),
        ] {
            assert!(is_overflow(status, &[code], message), "{message}");
            assert_eq!(window(message), named, "{message}");
        }
    }

    #[test]
    fn other_refusals_are_no_overflow() {
        for (status, code, message) in [
            (429, "rate_limit_exceeded", "Rate limit reached: maximum context length is unrelated, tokens per min"),
            (401, "invalid_api_key", "prompt is too long a story"),
            (400, "invalid_value", "temperature must be at most 2"),
            (503, "", "overloaded"),
        ] {
            assert!(!is_overflow(status, &[code], message), "{message}");
        }
    }
}

//! The formats a scripted provider speaks: the same reactions in each vendor's own JSON.

use precis_runtime::model::Vendor;
use serde_json::{Value, json};

/// What every answer says it took.
const OUTPUT_TOKENS: u64 = 20;

/// What a server counts by; nothing of ours is in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Vocabulary {
    /// `o200k_base`.
    #[default]
    O200k,
    /// `cl100k_base`.
    Cl100k,
}

impl Vocabulary {
    pub(super) fn count(self, text: &str) -> u64 {
        let tokenizer = match self {
            Self::O200k => bpe_openai::o200k_base(),
            Self::Cl100k => bpe_openai::cl100k_base(),
        };
        tokenizer.count(text) as u64
    }
}

/// How a server counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipe {
    pub(super) vocabulary: Vocabulary,
    /// Its tokens for each hundred of the vocabulary.
    pub(super) percent: u64,
}

impl Default for Recipe {
    fn default() -> Self {
        Self { vocabulary: Vocabulary::default(), percent: 100 }
    }
}

/// Why an answer ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// It was finished.
    Done,
    /// It met the length limit.
    Length,
    /// It was not wanted.
    Declined,
}

/// A request as one vendor's clients write it.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    vendor: Vendor,
    body: &'a Value,
}

impl<'a> Asked<'a> {
    pub(super) fn new(vendor: Vendor, body: &'a Value) -> Self {
        Self { vendor, body }
    }

    /// The text of each message, the rules first.
    pub(super) fn texts(&self) -> Vec<&'a str> {
        let list = |key: &str| self.body[key].as_array().into_iter().flatten();
        let part = |v: &'a Value| v["parts"][0]["text"].as_str().unwrap_or_default();
        match self.vendor {
            Vendor::OpenAi => list("messages").map(|m| m["content"].as_str().unwrap_or_default()).collect(),
            Vendor::Anthropic => {
                let system = self.body["system"].as_str();
                // A message whose beginning is to be kept is sent as blocks.
                let blocks =
                    |m: &'a Value| m["content"].as_array().into_iter().flatten().filter_map(|b| b["text"].as_str());
                let texts = |m: &'a Value| m["content"].as_str().into_iter().chain(blocks(m));
                system.into_iter().chain(list("messages").flat_map(texts)).collect()
            }
            Vendor::Gemini => {
                let system = self.body.get("systemInstruction").map(part);
                system.into_iter().chain(list("contents").map(part)).collect()
            }
        }
    }

    /// The schema the answer shall follow.
    pub(super) fn schema(&self) -> Option<&'a Value> {
        let body = self.body;
        let config = &body["generationConfig"];
        match self.vendor {
            Vendor::OpenAi => body["response_format"]["json_schema"].get("schema"),
            Vendor::Anthropic => {
                body["output_config"]["format"].get("schema").or_else(|| body["tools"][0].get("input_schema"))
            }
            Vendor::Gemini => config.get("responseJsonSchema").or_else(|| config.get("responseSchema")),
        }
    }

    /// Whether the answer has to be the input of a tool.
    fn is_forced(&self) -> bool {
        self.body["tool_choice"]["type"] == "tool"
    }

    pub(super) fn longest_answer(&self) -> u64 {
        let body = self.body;
        let limit = match self.vendor {
            Vendor::OpenAi => body["max_completion_tokens"].as_u64().or(body["max_tokens"].as_u64()),
            Vendor::Anthropic => body["max_tokens"].as_u64(),
            Vendor::Gemini => body["generationConfig"]["maxOutputTokens"].as_u64(),
        };
        limit.unwrap_or(0)
    }

    /// The counting recipe of chat models: 3, each message and 4, the schema, each text by the vocabulary, with
    /// `percent` tokens for a hundred of it.
    fn input(&self, recipe: Recipe) -> u64 {
        let Recipe { percent, vocabulary } = recipe;
        let messages: u64 = self.texts().iter().map(|text| 4 + vocabulary.count(text)).sum();
        let wrapped = &self.body["response_format"]["json_schema"];
        let schema = if wrapped.is_object() { Some(wrapped) } else { self.schema() };
        let texts = messages + schema.map_or(0, |s| vocabulary.count(&s.to_string()));
        3 + texts * percent / 100
    }

    /// Tokens of the request and of an answer as long as it allows.
    pub(super) fn tokens(&self, recipe: Recipe) -> u64 {
        self.input(recipe) + self.longest_answer()
    }

    /// The answer to a question for a count.
    pub(super) fn count(&self, recipe: Recipe) -> String {
        let tokens = self.input(recipe);
        match self.vendor {
            Vendor::OpenAi => json!({"error": {"message": "there is no counter"}}),
            Vendor::Anthropic => json!({"input_tokens": tokens}),
            Vendor::Gemini => json!({"totalTokens": tokens}),
        }
        .to_string()
    }

    /// The body of an answer that says `text`; `None` says nothing at all.
    pub(super) fn answer(&self, text: Option<&str>, end: End, input_tokens: u64) -> String {
        let body = match self.vendor {
            Vendor::OpenAi => {
                let reason = ["stop", "length", "content_filter"][end as usize];
                let message = json!({"role": "assistant", "content": text});
                let choice = json!({"index": 0, "finish_reason": reason, "message": message});
                let usage = json!({"prompt_tokens": input_tokens, "completion_tokens": OUTPUT_TOKENS});
                json!({"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage})
            }
            Vendor::Anthropic => {
                let reason = ["end_turn", "max_tokens", "refusal"][end as usize];
                let blocks: Vec<Value> = text.map(|text| self.block(text)).into_iter().collect();
                let usage = json!({"input_tokens": input_tokens, "output_tokens": OUTPUT_TOKENS});
                json!({"id": "x", "type": "message", "role": "assistant", "content": blocks, "stop_reason": reason, "usage": usage})
            }
            Vendor::Gemini => {
                let reason = ["STOP", "MAX_TOKENS", "SAFETY"][end as usize];
                let parts: Vec<Value> = text.map(|text| json!({"text": text})).into_iter().collect();
                let usage = json!({"promptTokenCount": input_tokens, "candidatesTokenCount": OUTPUT_TOKENS});
                let candidate = json!({"content": {"role": "model", "parts": parts}, "finishReason": reason});
                json!({"candidates": [candidate], "usageMetadata": usage})
            }
        };
        body.to_string()
    }

    fn block(&self, text: &str) -> Value {
        match serde_json::from_str::<Value>(text) {
            Ok(input) if self.is_forced() => json!({"type": "tool_use", "id": "t", "name": "x", "input": input}),
            _ => json!({"type": "text", "text": text}),
        }
    }
}

/// An answer without any choice.
pub(super) fn no_choice(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::OpenAi => r#"{"choices": []}"#,
        Vendor::Anthropic => r#"{"type": "message", "content": []}"#,
        Vendor::Gemini => r#"{"candidates": []}"#,
    }
}

/// The body of a refusal.
pub(super) fn refusal(vendor: Vendor, status: u16, message: &str) -> Value {
    match vendor {
        Vendor::OpenAi => json!({"error": {"message": message}}),
        Vendor::Anthropic => {
            let kind = match status {
                401 => "authentication_error",
                403 => "permission_error",
                404 => "not_found_error",
                429 => "rate_limit_error",
                500 => "api_error",
                529 => "overloaded_error",
                _ => "invalid_request_error",
            };
            json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "r"})
        }
        Vendor::Gemini => {
            let word = match status {
                401 => "UNAUTHENTICATED",
                403 => "PERMISSION_DENIED",
                404 => "NOT_FOUND",
                429 => "RESOURCE_EXHAUSTED",
                500 => "INTERNAL",
                503 => "UNAVAILABLE",
                _ => "INVALID_ARGUMENT",
            };
            json!({"error": {"code": status, "message": message, "status": word}})
        }
    }
}

/// What a used-up account is told.
pub(super) fn used_up(vendor: Vendor) -> (u16, Value) {
    let quota = json!([{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]}]);
    match vendor {
        Vendor::OpenAi => (429, json!({"error": {"message": "pay", "code": "insufficient_quota"}})),
        Vendor::Anthropic => (402, json!({"type": "error", "error": {"type": "billing_error", "message": "pay"}})),
        Vendor::Gemini => {
            (429, json!({"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": quota}}))
        }
    }
}

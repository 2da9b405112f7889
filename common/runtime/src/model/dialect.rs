//! The parts of a request that not every server or model accepts, learned from their refusals.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::gate::PreparedPayload;
use super::vendor::Vendor;

/// The request features a model has refused so far. Each is learned once and kept for the life of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Dialect {
    /// Send `max_tokens` instead of `max_completion_tokens`.
    pub(super) old_max_tokens: bool,
    /// How the schema of the answer is sent.
    pub(super) schema: SchemaForm,
    /// Leave out `temperature` and `seed`.
    pub(super) no_sampling: bool,
    /// Offer no native tools; the prompt asks for calls as JSON text instead.
    pub(super) no_tools: bool,
    /// Do not use the token counter.
    pub(super) no_counter: bool,
}

/// How a request sends the schema of its answer. The prompt describes the schema as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum SchemaForm {
    /// In the vendor's own field.
    #[default]
    Own,
    /// In an older form, if the vendor has one: a forced tool at Anthropic, the OpenAPI subset at Gemini.
    Older,
    /// Not sent.
    Left,
}

impl Dialect {
    /// Whether a request of `prepared` offers its tools; it then sends no schema.
    pub(super) fn sends_tools(self, prepared: &PreparedPayload) -> bool {
        !self.no_tools && !prepared.tools.is_empty()
    }

    /// Returns the dialect learned from a refusal of `prepared` with `status` and the message `said`; `None` if there is nothing new to
    /// learn. Some servers fail with 500 or 501 if they do not support tools.
    pub(super) fn after(self, vendor: Vendor, prepared: &PreparedPayload, status: u16, said: &str) -> Option<Self> {
        let lower = said.to_lowercase();
        let about_tools = ["tool", "function"].iter().any(|word| lower.contains(word));
        match status {
            400 | 422 | 500 | 501 if self.sends_tools(prepared) && about_tools => Some(Self { no_tools: true, ..self }),
            400 | 422 => self.learn(vendor, said),
            _ => None,
        }
    }

    /// Returns the dialect learned from the refusal message `said`; `None` if there is nothing new to learn.
    fn learn(self, vendor: Vendor, said: &str) -> Option<Self> {
        let said = said.to_lowercase();
        let about = |words: &[&str]| words.iter().any(|w| said.contains(w));
        if vendor == Vendor::OpenAi && !self.old_max_tokens && about(&["max_completion_tokens"]) {
            return Some(Self { old_max_tokens: true, ..self });
        }
        if self.schema != SchemaForm::Left && about(schema_words(vendor, self.schema)) {
            return Some(Self { schema: next_form(vendor, self.schema), ..self });
        }
        if !self.no_sampling && about(&["temperature", "seed"]) {
            return Some(Self { no_sampling: true, ..self });
        }
        None
    }
}

fn next_form(vendor: Vendor, form: SchemaForm) -> SchemaForm {
    match (vendor, form) {
        (Vendor::Anthropic | Vendor::Gemini, SchemaForm::Own) => SchemaForm::Older,
        _ => SchemaForm::Left,
    }
}

/// Words, in lower case, by which a refusal shows that it objects to the way the schema was sent.
fn schema_words(vendor: Vendor, form: SchemaForm) -> &'static [&'static str] {
    match (vendor, form) {
        (Vendor::OpenAi, _) => &["response_format", "json_schema", "structured output"],
        (Vendor::Anthropic, SchemaForm::Older) => &["tool"],
        (Vendor::Anthropic, _) => &["output_config", "output_format", "json_schema", "structured output"],
        (Vendor::Gemini, _) => &[
            "responsejsonschema",
            "response_json_schema",
            "responseschema",
            "response_schema",
            "responsemimetype",
            "response_mime_type",
            "json mode",
        ],
    }
}

/// The dialects of a provider's models.
#[derive(Debug, Default)]
pub(super) struct Dialects(Mutex<BTreeMap<String, Dialect>>);

impl Dialects {
    pub(super) fn of(&self, model: &str) -> Dialect {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).copied().unwrap_or_default()
    }

    pub(super) fn keep(&self, model: &str, dialect: Dialect) {
        // Overwrites what a concurrent call may have learned; it is learned again from the next refusal.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned(), dialect);
    }
}

#[cfg(test)]
mod tests {
    use super::super::gate::GateTool;
    use super::*;

    #[test]
    fn a_refusal_teaches_one_thing_once() {
        let plain = Dialect::default();
        let old = Dialect { old_max_tokens: true, ..plain };
        let older = Dialect { schema: SchemaForm::Older, ..plain };
        let free = Dialect { schema: SchemaForm::Left, ..plain };
        let warm = Dialect { no_sampling: true, ..plain };
        for (vendor, known, said, learned) in [
            (Vendor::OpenAi, plain, "max_completion_tokens Unsupported parameter", Some(old)),
            (Vendor::OpenAi, plain, "Unrecognized request argument supplied: max_completion_tokens", Some(old)),
            (Vendor::OpenAi, old, "max_completion_tokens", None),
            (Vendor::OpenAi, plain, "response_format This model does not support json_schema", Some(free)),
            (Vendor::OpenAi, free, "response_format", None),
            (Vendor::OpenAi, plain, "Unsupported value: 'temperature' does not support 0", Some(warm)),
            (Vendor::OpenAi, plain, "extra fields not permitted: seed", Some(warm)),
            (Vendor::OpenAi, plain, "messages too many images", None),
            (Vendor::Anthropic, plain, "output_config: Extra inputs are not permitted", Some(older)),
            (Vendor::Anthropic, older, "tool_choice: forced tool use is not supported while thinking", Some(free)),
            (Vendor::Anthropic, free, "tool_choice", None),
            (Vendor::Anthropic, plain, "`temperature` is deprecated for this model.", Some(warm)),
            (Vendor::Anthropic, plain, "max_completion_tokens", None),
            (Vendor::Gemini, plain, "Unknown name \"responseJsonSchema\" at 'generation_config'", Some(older)),
            (Vendor::Gemini, older, "JSON mode is not enabled for this model", Some(free)),
        ] {
            assert_eq!(known.learn(vendor, said), learned, "{vendor:?} {said}");
        }
    }

    #[test]
    fn a_server_that_knows_no_tools_is_offered_none_again() {
        let tool = GateTool { name: "search", description: "d", parameters: serde_json::json!({}) };
        let prepared = |tools: Vec<GateTool>| PreparedPayload {
            messages: Vec::new(),
            schema: None,
            tools,
            max_output_tokens: 1,
            input_tokens: 1,
            input_room: 1,
            prompt_version: "v1",
            layers: Vec::new(),
            warnings: Vec::new(),
            cut: Vec::new(),
        };
        let (with, without) = (prepared(vec![tool]), prepared(Vec::new()));
        let plain = Dialect::default();
        let bare = Dialect { no_tools: true, ..plain };
        assert!(plain.sends_tools(&with) && !bare.sends_tools(&with) && !plain.sends_tools(&without));
        for (vendor, known, payload, status, said, learned) in [
            (Vendor::OpenAi, plain, &with, 400, "this model does not support tools", Some(bare)),
            (Vendor::OpenAi, plain, &with, 400, "\"auto\" tool choice requires --enable-auto-tool-choice", Some(bare)),
            (Vendor::OpenAi, plain, &with, 500, "tools param requires --jinja flag", Some(bare)),
            (Vendor::OpenAi, plain, &with, 500, "out of memory", None),
            (Vendor::OpenAi, bare, &with, 500, "tools param requires --jinja flag", None),
            (Vendor::OpenAi, plain, &without, 400, "this model does not support tools", None),
            (Vendor::Gemini, plain, &with, 400, "Function calling is not enabled for this model", Some(bare)),
            (Vendor::Anthropic, plain, &with, 400, "tools: Extra inputs are not permitted", Some(bare)),
            (Vendor::OpenAi, plain, &with, 403, "tools are not for you", None),
        ] {
            assert_eq!(known.after(vendor, payload, status, said), learned, "{vendor:?} {status} {said}");
        }
    }
}

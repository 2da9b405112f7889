//! The stored answers of model calls, and their keys.

use precis_proto::SessionId;
use precis_proto::ids::sha256_hex;
use precis_proto::task::Task;
use serde::{Deserialize, Serialize};

use super::chain::LOCAL;
use super::gate::PreparedPayload;
use super::provider::Provider;

/// The stored result of a finished call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PaidAnswer {
    /// The session that made the call. If the same session finds it again after a crash, its cost is counted once.
    pub(super) paid_by: SessionId,
    /// The model's text.
    pub(super) text: String,
    /// Whether the text was cut off at the length limit.
    #[serde(default)]
    pub(super) cut_off: bool,
    /// Input tokens as reported by the provider, else as counted here.
    pub(super) input_tokens: u64,
    /// Input tokens that the provider had cached.
    #[serde(default)]
    pub(super) cached_input_tokens: u64,
    /// Output tokens as reported by the provider, else as counted here.
    pub(super) output_tokens: u64,
    /// Which count of the payload was used before it was sent.
    #[serde(default)]
    pub(super) counted: CountedBy,
}

/// Which token count a payload was sent on. Stored with the answer, so that later readers raise the same warnings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CountedBy {
    /// Ours, because the provider has no counter or the payload was far from the limit.
    #[default]
    Us,
    /// The provider's own count.
    Provider,
    /// Ours, because the provider's counter did not answer.
    UsInstead,
}

/// Returns the key of a call to `link` (`NAME:MODEL`) of `provider`: a hash of link, request and prompt version.
pub(super) fn key(link: &str, provider: &Provider, model: &str, prepared: &PreparedPayload) -> String {
    let parts = [link, prepared.prompt_version, &provider.fingerprint(model, prepared)];
    format!("call:{}", sha256_hex(parts.join("\n").as_bytes()))
}

/// Returns the key of a call to the built-in model.
pub(super) fn local_key(version: &str, task: &Task) -> Result<String, serde_json::Error> {
    let parts = [LOCAL, version, &serde_json::to_string(task)?];
    Ok(format!("call:{}", sha256_hex(parts.join("\n").as_bytes())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::gate::GateSpeaker;
    use super::super::provider::ProviderConfig;
    use super::*;

    fn prepared(prompt_version: &'static str, text: &str) -> PreparedPayload {
        let sample = PreparedPayload::sample(&[(GateSpeaker::User, text)], json!({ "type": "object" }));
        PreparedPayload { prompt_version, ..sample }
    }

    #[test]
    fn a_kept_answer_is_keyed_by_model_payload_and_wording_version() {
        let named = |name| Provider::new(&ProviderConfig::openai(name, "http://127.0.0.1:1/v1")).expect("an address");
        let of = |name, model: &str, version, text| {
            key(&format!("{name}:{model}"), &named(name), model, &prepared(version, text))
        };
        let first = of("a", "m", "summarize/v1", "text");
        assert_eq!(of("a", "m", "summarize/v1", "text"), first, "the same call again");
        let others = [
            of("a", "m", "summarize/v2", "text"),
            of("a", "n", "summarize/v1", "text"),
            of("b", "m", "summarize/v1", "text"),
            of("a", "m", "summarize/v1", "texts"),
        ];
        for (n, other) in others.iter().enumerate() {
            assert_ne!(*other, first, "{n}");
        }
    }

    #[test]
    fn an_answer_of_another_built_in_version_is_not_reused() {
        let task = json!({
            "task": "summarize", "level": "headline", "query": "q", "title": "t", "text": "A text.", "target_tokens": 9,
        });
        let task: Task = serde_json::from_value(task).expect("a task");
        let of = |version| local_key(version, &task).expect("JSON");
        assert_eq!(of("1"), of("1"));
        assert_ne!(of("1"), of("2"));
    }
}

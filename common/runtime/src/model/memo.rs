//! The stored answer of an identified call: looked up before anything is sent, written by whoever paid, first writer wins.
//!
//! A store that is away is a miss on reading and nothing on writing: the call is made, and made again another time.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::ids::sha256_hex;
use precis_proto::task::Task;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

use super::chain::LOCAL;
use super::gate::PreparedPayload;
use super::provider::Provider;
use crate::store::{Store, StoreError};

/// First pause before an answer that the store did not take is offered again, and how long it is offered.
const SOON: Duration = Duration::from_millis(100);
const LATEST: Duration = Duration::from_secs(10);

/// What a finished call left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PaidAnswer {
    /// Whose call it was. The same session meeting it again after a crash has paid once.
    pub(super) paid_by: SessionId,
    /// The model's text.
    pub(super) text: String,
    /// Whether it stops at the length limit.
    #[serde(default)]
    pub(super) cut_off: bool,
    /// Input tokens, as the provider counted them or else as counted here.
    pub(super) input_tokens: u64,
    /// Those of them that the provider had cached.
    #[serde(default)]
    pub(super) cached_input_tokens: u64,
    /// Output tokens, likewise.
    pub(super) output_tokens: u64,
    /// Who counted the payload before it was sent.
    #[serde(default)]
    pub(super) counted: CountedBy,
}

/// Whose count a payload was sent on: kept with the answer, so that whoever meets it later says the same of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CountedBy {
    /// Ours, as the provider has no counter or the payload was far from its room.
    #[default]
    Us,
    /// The provider's own.
    Provider,
    /// Ours, as the provider's counter did not answer.
    UsInstead,
}

/// Identity of a call to `provider` at `link` (`NAME:MODEL`): hash of both, parameters, payload and prompt version.
pub(super) fn key(link: &str, provider: &Provider, model: &str, prepared: &PreparedPayload) -> String {
    let parts = [link, prepared.prompt_version, &provider.fingerprint(model, prepared)];
    format!("call:{}", sha256_hex(parts.join("\n").as_bytes()))
}

/// Identity of a call to the built-in model.
pub(super) fn local_key(version: &str, task: &Task) -> Result<String, serde_json::Error> {
    let parts = [LOCAL, version, &serde_json::to_string(task)?];
    Ok(format!("call:{}", sha256_hex(parts.join("\n").as_bytes())))
}

/// The stored answer of `key`. What cannot be read counts as none; a store that did not answer is asked once more, as it may be
/// back, and a miss is paid for.
pub(crate) async fn look_up<T: DeserializeOwned>(store: &Store, key: &str) -> Option<T> {
    let mut found = store.values().get(key).await;
    if found.is_err() {
        found = store.values().get(key).await;
    }
    match found {
        Ok(found) => found.and_then(|bytes| serde_json::from_slice(&bytes).ok()),
        Err(error) => {
            tracing::debug!(%error, "model call memo not read");
            None
        }
    }
}

/// Stores `paid` under `key` unless there is an answer already; returns the one that stands, so that all readers see one text.
///
/// # Errors
/// As [`SharedValues::put_if_absent`](crate::store::SharedValues::put_if_absent): nothing was written.
pub(crate) async fn keep<T>(store: &Store, key: &str, paid: &T, ttl: Duration) -> Result<T, StoreError>
where
    T: Serialize + DeserializeOwned + Clone,
{
    let Ok(bytes) = serde_json::to_vec(paid) else { return Ok(paid.clone()) };
    let standing = store.values().put_if_absent(key, Bytes::from(bytes), ttl).await?;
    Ok(serde_json::from_slice(&standing).unwrap_or_else(|_| paid.clone()))
}

/// Tries for a while to store what a store that was away did not take: it was paid for.
pub(crate) async fn keep_later<T>(store: Store, key: String, paid: T, ttl: Duration)
where
    T: Serialize + DeserializeOwned + Clone,
{
    let until = Instant::now() + LATEST;
    let mut pause = SOON;
    while Instant::now() < until {
        sleep(pause).await;
        pause *= 2;
        if keep(&store, &key, &paid, ttl).await.is_ok() {
            return;
        }
    }
    tracing::debug!("model call memo not written");
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
    fn a_kept_answer_is_that_of_one_model_one_payload_and_one_version_of_the_wording() {
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
    fn what_another_version_of_the_built_in_model_answered_is_not_its_answer() {
        let task = json!({
            "task": "summarize", "level": "headline", "query": "q", "title": "t", "text": "A text.", "target_tokens": 9,
        });
        let task: Task = serde_json::from_value(task).expect("a task");
        let of = |version| local_key(version, &task).expect("JSON");
        assert_eq!(of("1"), of("1"));
        assert_ne!(of("1"), of("2"));
    }
}

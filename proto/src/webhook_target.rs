//! Whom a request wants told that its session has ended.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::bounded;

/// Longest name of an endpoint, in bytes.
pub const MAX_ENDPOINT_BYTES: usize = 200;
/// Longest address, in bytes: that of a source.
pub const MAX_WEBHOOK_URL_BYTES: usize = 2_048;

/// Whom to tell: exactly one of the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WebhookTarget {
    /// An endpoint of the fleet's configuration, by its name of at most [`MAX_ENDPOINT_BYTES`] bytes.
    Endpoint(
        #[schemars(length(min = 1, max = MAX_ENDPOINT_BYTES))]
        #[serde(deserialize_with = "endpoint")]
        String,
    ),
    /// An address of at most [`MAX_WEBHOOK_URL_BYTES`] bytes, on a host that the fleet allows.
    Url(
        #[schemars(length(min = 1, max = MAX_WEBHOOK_URL_BYTES))]
        #[serde(deserialize_with = "url")]
        String,
    ),
}

fn endpoint<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    bounded::text(deserializer, MAX_ENDPOINT_BYTES)
}

fn url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    bounded::text(deserializer, MAX_WEBHOOK_URL_BYTES)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_target_far_over_its_limit_is_cut_and_stays_over_it() {
        for (name, limit) in [("endpoint", MAX_ENDPOINT_BYTES), ("url", MAX_WEBHOOK_URL_BYTES)] {
            for (bytes, kept) in
                [(limit - 1, limit - 1), (limit, limit), (limit + 1, limit + 1), (limit * 9, limit + 1)]
            {
                let text = json!({ name: "x".repeat(bytes) }).to_string();
                let (WebhookTarget::Endpoint(read) | WebhookTarget::Url(read)) =
                    serde_json::from_str(&text).expect("a target");
                assert_eq!(read.len(), kept, "{name} {bytes}");
            }
        }
    }
}

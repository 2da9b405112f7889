//! Who is told over HTTP that a session has ended, and what: <https://www.standardwebhooks.com>.
//!
//! ```
//! use precis_proto::webhook::WebhookTarget;
//!
//! let target: WebhookTarget = serde_json::from_str(r#"{ "endpoint": "billing" }"#)?;
//! assert_eq!(target, WebhookTarget::Endpoint("billing".to_owned()));
//! assert!(serde_json::from_str::<WebhookTarget>(r#"{ "endpoint": "a", "url": "https://b.example" }"#).is_err());
//! # Ok::<(), serde_json::Error>(())
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::response::Status;
use crate::stop_reason::StopReason;
pub use crate::webhook_target::{MAX_ENDPOINT_BYTES, MAX_WEBHOOK_URL_BYTES, WebhookTarget};
use crate::{SessionId, Timestamp};

/// What is told, without the text of any document, question or report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
pub enum WebhookEvent {
    /// A session has its result.
    #[serde(rename = "session.finished")]
    SessionFinished {
        /// The session.
        session_id: SessionId,
        /// Its status.
        status: Status,
        /// Why it ended where it did; only with a report.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop_reason: Option<StopReason>,
    },
    /// The answer to a standing question changed.
    #[serde(rename = "standing.changed")]
    StandingChanged {
        /// The question's id.
        question_id: String,
        /// How many statements changed.
        statements: u64,
    },
    /// Somebody tries out an endpoint.
    #[serde(rename = "precis.test")]
    Test {
        /// The name of the endpoint.
        endpoint: String,
    },
}

/// The body of a webhook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WebhookPayload {
    /// What happened.
    #[serde(flatten)]
    pub event: WebhookEvent,
    /// When it happened.
    pub timestamp: Timestamp,
}

/// A message that asks a worker to tell somebody. Internal to a fleet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WebhookDelivery {
    /// The session, under whose id the state of the delivery is kept.
    pub session_id: SessionId,
    /// The same for every attempt, and for every repeat of the message: `webhook-id`.
    pub webhook_id: String,
    /// Whom to tell.
    pub target: WebhookTarget,
    /// The tenant of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// What to tell.
    pub payload: WebhookPayload,
    /// Which time it is sent on demand, from 0: a later round is begun by an operator.
    #[serde(default)]
    pub round: u32,
    /// When this round began: it is given up a day later.
    pub since: Timestamp,
    /// Not before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_payload_has_type_timestamp_and_data_and_nothing_else() {
        let event = WebhookEvent::SessionFinished {
            session_id: SessionId::new("s").expect("an id"),
            status: Status::Failed,
            stop_reason: None,
        };
        let payload = WebhookPayload { event, timestamp: Timestamp(0) };
        let expected = json!({
            "type": "session.finished", "timestamp": "1970-01-01T00:00:00.000Z",
            "data": { "session_id": "s", "status": "failed" },
        });
        let written = serde_json::to_value(&payload).expect("plain data");
        assert_eq!(written, expected);
        assert_eq!(serde_json::from_value::<WebhookPayload>(written).expect("read"), payload);
    }
}

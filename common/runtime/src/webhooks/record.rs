//! The state of a delivery, as kept in the content store under the id of its session. Its writer is the worker that holds the message.

use bytes::Bytes;
use precis_proto::closed_words;
use precis_proto::webhook::{WebhookDelivery, WebhookTarget};
use precis_proto::{SessionId, Timestamp};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::content::{ContentError, ContentStore};
use crate::secret_url::SecretUrl;

/// Kind of the named contents that hold these records.
pub const WEBHOOKS: &str = "webhooks";
/// Version of the record.
const RECORD_VERSION: u32 = 1;

/// How far a delivery is. Has no text of a document, and no secret but what the address of a request may hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeliveryRecord {
    /// Version of this record; readers ignore fields they do not know.
    pub schema_version: u32,
    /// What is delivered, to whom, in which round.
    pub delivery: WebhookDelivery,
    /// How far it is.
    pub state: DeliveryState,
    /// Attempts of this round.
    pub attempts: u32,
    /// The last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<DeliveryAttempt>,
    /// When the next attempt is, at the earliest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<Timestamp>,
}

closed_words! {
    /// How far a delivery is.
    #[derive(Serialize, Deserialize)]
    pub enum DeliveryState: serde {
        /// It is tried again.
        Pending => "pending",
        /// The receiver has it.
        Delivered => "delivered",
        /// It was given up.
        Failed => "failed",
    }
}

/// An attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryAttempt {
    /// When it ended.
    pub at: Timestamp,
    /// Why it did not succeed, beginning with a code; `None` if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl DeliveryRecord {
    /// The record of `delivery` after attempt number `attempts`.
    #[must_use]
    pub fn after(delivery: &WebhookDelivery, state: DeliveryState, attempts: u32, last: DeliveryAttempt) -> Self {
        let delivery = WebhookDelivery { not_before: None, ..delivery.clone() };
        Self { schema_version: RECORD_VERSION, delivery, state, attempts, last: Some(last), next_at: None }
    }

    /// Whether a message of `round` for attempt number `attempt` has nothing left to do: a repeat of one that was worked on.
    #[must_use]
    pub fn covers(&self, round: u32, attempt: u32) -> bool {
        let is_over = self.state != DeliveryState::Pending;
        match self.delivery.round.cmp(&round) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => is_over || self.attempts >= attempt,
            std::cmp::Ordering::Greater => true,
        }
    }

    /// The delivery once more, on demand at `now`: a round of its own, under the same id and with the same payload.
    #[must_use]
    pub fn again(&self, now: Timestamp) -> WebhookDelivery {
        let round = self.delivery.round.saturating_add(1);
        WebhookDelivery { round, since: now, not_before: None, ..self.delivery.clone() }
    }

    /// Whom it is for, to be shown: the name of the endpoint, or the address without its secrets.
    #[must_use]
    pub fn shown_target(&self) -> String {
        match &self.delivery.target {
            WebhookTarget::Endpoint(name) => name.clone(),
            WebhookTarget::Url(url) => {
                Url::parse(url).map_or_else(|_| "?".to_owned(), |url| SecretUrl::from(url).to_string())
            }
        }
    }
}

/// Keeps `record`, in place of the one before.
///
/// # Errors
/// [`ContentError`].
pub async fn keep_delivery(content: &ContentStore, record: &DeliveryRecord) -> Result<(), ContentError> {
    let json = serde_json::to_vec(record).expect("a record is plain data");
    content.replace_named(WEBHOOKS, record.delivery.session_id.as_str(), Bytes::from(json)).await
}

/// Returns the record of the delivery for `session`; `None` if there is none, or one that this version cannot read.
///
/// # Errors
/// [`ContentError`].
pub async fn read_delivery(
    content: &ContentStore,
    session: &SessionId,
) -> Result<Option<DeliveryRecord>, ContentError> {
    let kept = content.get_named(WEBHOOKS, session.as_str()).await?;
    Ok(kept.and_then(|kept| serde_json::from_slice(&kept).ok()))
}

/// Returns the sessions that have a record of a delivery, with the time of its last change, latest first.
///
/// # Errors
/// [`ContentError`].
pub async fn list_deliveries(content: &ContentStore) -> Result<Vec<(SessionId, Timestamp)>, ContentError> {
    let listed = content.list_named(WEBHOOKS).await?;
    let mut known: Vec<_> = listed.into_iter().filter_map(|(id, at)| Some((SessionId::new(id).ok()?, at))).collect();
    known.sort_by(|(a, a_at), (b, b_at)| b_at.cmp(a_at).then_with(|| a.as_str().cmp(b.as_str())));
    Ok(known)
}

#[cfg(test)]
pub(crate) mod tests {
    use precis_proto::response::Status;
    use precis_proto::webhook::{WebhookEvent, WebhookPayload};

    use super::*;

    /// The delivery of the end of session `s` to `target`.
    pub(crate) fn delivery(target: WebhookTarget) -> WebhookDelivery {
        let session_id = SessionId::new("s").expect("an id");
        let event = WebhookEvent::SessionFinished {
            session_id: session_id.clone(),
            status: Status::Completed,
            stop_reason: None,
        };
        WebhookDelivery {
            session_id,
            webhook_id: "msg_1".to_owned(),
            target,
            tenant: None,
            payload: WebhookPayload { event, timestamp: Timestamp(5) },
            round: 1,
            since: Timestamp(5),
            not_before: Some(Timestamp(6)),
        }
    }

    fn record(state: DeliveryState, attempts: u32) -> DeliveryRecord {
        let last = DeliveryAttempt { at: Timestamp(7), reason: None };
        DeliveryRecord::after(&delivery(WebhookTarget::Endpoint("a".to_owned())), state, attempts, last)
    }

    #[test]
    fn a_repeat_is_known_by_its_round_and_its_number() {
        use DeliveryState::{Delivered, Failed, Pending};
        for (state, attempts, round, attempt, expected) in [
            (Pending, 2, 1, 2, true),
            (Pending, 2, 1, 3, false),
            (Delivered, 2, 1, 3, true),
            (Failed, 2, 1, 3, true),
            (Pending, 2, 0, 9, true),
            (Delivered, 2, 2, 1, false),
            (Failed, 2, 2, 1, false),
        ] {
            assert_eq!(
                record(state, attempts).covers(round, attempt),
                expected,
                "{state:?} {attempts} {round} {attempt}"
            );
        }
    }

    #[tokio::test]
    async fn a_record_is_replaced_and_shows_no_secret() {
        let content = ContentStore::in_memory();
        let session = SessionId::new("s").expect("an id");
        assert_eq!(read_delivery(&content, &session).await, Ok(None));
        for kept in [record(DeliveryState::Pending, 1), record(DeliveryState::Delivered, 2)] {
            keep_delivery(&content, &kept).await.expect("kept");
            assert_eq!(read_delivery(&content, &session).await, Ok(Some(kept)));
        }
        assert_eq!(list_deliveries(&content).await.expect("listed").len(), 1);
        let addressed = delivery(WebhookTarget::Url("https://a.example/x?token=SECRET".to_owned()));
        let last = DeliveryAttempt { at: Timestamp(7), reason: None };
        let shown = DeliveryRecord::after(&addressed, DeliveryState::Failed, 1, last).shown_target();
        assert_eq!(shown, "https://a.example/x?token=***");
        for state in DeliveryState::ALL {
            assert_eq!(serde_json::to_value(state).expect("plain data"), state.as_str());
        }
    }
}

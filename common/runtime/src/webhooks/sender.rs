//! One attempt: signs the payload and posts it through the guarded client.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::Timestamp;
use precis_proto::webhook::{WebhookPayload, WebhookTarget};
use url::Url;

use super::endpoints::{Endpoints, Receiver, WebhookRefusal};
use super::turns::{HostTurn, Turns};
use crate::fetch::{FetchError, FetchLimits, FetchProxy, Fetcher, PostAnswer};

/// Longest time of an attempt, from the look-up of the name to the end of the answer.
const ATTEMPT_TIME: Duration = Duration::from_secs(15);
/// Longest time to connect.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Most bytes read of an answer; nothing is done with them.
pub const ANSWER_BYTES: usize = 16 * 1024;

/// The limits of an attempt.
#[must_use]
pub fn limits() -> FetchLimits {
    FetchLimits {
        max_bytes: ANSWER_BYTES,
        // A redirect would take the payload and its signature to an address that nobody allowed.
        max_redirects: 0,
        total: ATTEMPT_TIME,
        connect: CONNECT_TIME,
        headers: ATTEMPT_TIME,
        idle: ATTEMPT_TIME,
        ..FetchLimits::default()
    }
}

/// The endpoints of a fleet and the client that reaches them.
#[derive(Debug)]
pub struct Webhooks {
    endpoints: Endpoints,
    client: Fetcher,
    turns: Turns,
}

impl Webhooks {
    /// Makes the client for `endpoints`, by way of `proxy` if there is one.
    ///
    /// # Errors
    /// `client_unavailable` as [`Fetcher::new`].
    pub fn new(endpoints: Endpoints, proxy: Option<FetchProxy>, limits: FetchLimits) -> Result<Self, FetchError> {
        let client = Fetcher::by_way_of(proxy, endpoints.policy().clone(), limits)?;
        Ok(Self { endpoints, client, turns: Turns::default() })
    }

    /// Returns where an event goes.
    ///
    /// # Errors
    /// [`WebhookRefusal`].
    pub fn receiver(&self, target: &WebhookTarget, tenant: Option<&str>) -> Result<Receiver, WebhookRefusal> {
        self.endpoints.receiver(target, tenant)
    }

    /// Takes a place at the host of `receiver`; `None` if so many deliveries to it are under way that this one has to wait.
    #[must_use]
    pub fn turn(&self, receiver: &Receiver) -> Option<HostTurn> {
        let url = Url::parse(receiver.url.expose()).ok();
        self.turns.take(url.as_ref().and_then(Url::host_str).unwrap_or_default())
    }

    /// Sends `payload` once under the id `id`; `now` is the time that is signed.
    ///
    /// # Errors
    /// [`FetchError`] if there was no answer.
    pub async fn send(
        &self,
        receiver: &Receiver,
        id: &str,
        payload: &WebhookPayload,
        now: Timestamp,
    ) -> Result<PostAnswer, FetchError> {
        let body = serde_json::to_vec(payload).expect("a payload is plain data");
        let seconds = now.0.div_euclid(1_000);
        // As in Standard Webhooks: signatures by all secrets, so that a receiver changes over to a new one without a gap.
        let signatures: Vec<String> =
            receiver.secrets.iter().map(|secret| secret.signature(id, seconds, &body)).collect();
        let headers = [
            ("webhook-id", id.to_owned()),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", signatures.join(" ")),
        ];
        self.client.tell(receiver.url.expose(), &headers, Bytes::from(body)).await
    }
}

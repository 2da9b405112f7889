//! Every publish the runner makes: states, results, dead letters. Header fields are set here and nowhere else.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::envelope::{Envelope, Header, MAX_STATE_BYTES, message_type};
use precis_proto::event::EventKind;
use precis_proto::response::{ErrorInfo, Response, Status};
use precis_proto::state::{self, SessionState};

use super::worker::Core;
use crate::broker::{BrokerError, Delivery, Outgoing, Route, names};
use crate::content::ContentError;
use crate::telemetry::{TraceContext, metrics};

/// Kind of the named contents that hold finished results.
pub const RESULTS: &str = "results";

/// Why a state or a result could not be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The broker did not take it; the delivery will come again.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// It is over a size limit, whoever tries.
    #[error("{0}")]
    TooLarge(String),
    /// The content store did not take it, or did not give it.
    #[error("content store: {0}")]
    Content(#[from] ContentError),
}

impl Core {
    /// Publishes a state to its phase's queue, or to a tier before it.
    ///
    /// # Errors
    /// [`SendError`]; on a broker error the state may still have arrived.
    pub(super) async fn publish_state(
        &self,
        state: &SessionState,
        attempt: u32,
        delay: Option<Duration>,
        parent: Option<&str>,
    ) -> Result<(), SendError> {
        let queue = names::session_queue(state.phase);
        let route = match delay {
            Some(delay) => Route::after(delay, queue),
            None => Route::queue(queue),
        };
        let envelope = self.state_envelope(state, attempt, parent)?;
        Ok(self.broker.publish(Outgoing { route, envelope }).await?)
    }

    fn state_envelope(&self, state: &SessionState, attempt: u32, parent: Option<&str>) -> Result<Envelope, SendError> {
        let mut plain = encode(state, self.settings.emit_version);
        if plain.len() > MAX_STATE_BYTES && !state.gathered.is_empty() {
            // Gathered answers are in the cache too: carrying them only spares repeated work while the cache is away.
            let lighter = SessionState { gathered: std::collections::BTreeMap::new(), ..state.clone() };
            plain = encode(&lighter, self.settings.emit_version);
        }
        if plain.len() > MAX_STATE_BYTES {
            let message =
                format!("the session's state of {} bytes is over the limit of {MAX_STATE_BYTES}", plain.len());
            return Err(SendError::TooLarge(message));
        }
        let header = Header {
            message_type: message_type::STATE.to_owned(),
            message_id: format!("{}/{}", state.session_id, state.revision),
            correlation_id: state.session_id.to_string(),
            reply_to: state.reply_to.clone(),
            schema_version: self.settings.emit_version,
            revision: state.revision,
            copy: self.next_copy(),
            attempt: attempt.max(1),
            deadline: state.deadline,
            subject: state.phase.as_str().to_owned(),
            tenant: state.account.tenant.as_ref().map(ToString::to_string),
            traceparent: Some(TraceContext::follow(parent).to_string()),
            ..Header::default()
        };
        Envelope::from_json(header, plain).map_err(|e| SendError::TooLarge(e.to_string()))
    }

    /// Keeps the result under the session's id unless one is there, and publishes what is there: to the caller and to whoever
    /// listens. Repeats are the same bytes.
    ///
    /// # Errors
    /// [`SendError`] where it could not be kept or published.
    pub(super) async fn publish_result(
        &self,
        session: &SessionId,
        reply_to: Option<&str>,
        response: &Response,
    ) -> Result<Status, SendError> {
        let bytes = serde_json::to_vec(response).map_err(|e| SendError::TooLarge(e.to_string()))?;
        let kept = self.services.content.put_named_if_absent(RESULTS, session.as_str(), Bytes::from(bytes)).await;
        self.send_result(session, reply_to, kept?).await
    }

    /// Publishes the result that is kept for `session`, if there is one; says how it ended.
    ///
    /// # Errors
    /// [`SendError`] where it could not be published.
    pub(super) async fn repeat_result(
        &self,
        session: &SessionId,
        reply_to: Option<&str>,
    ) -> Result<Option<Status>, SendError> {
        match self.services.content.get_named(RESULTS, session.as_str()).await? {
            Some(kept) => self.send_result(session, reply_to, kept).await.map(Some),
            None => Ok(None),
        }
    }

    async fn send_result(&self, session: &SessionId, reply_to: Option<&str>, kept: Bytes) -> Result<Status, SendError> {
        let response: Response = serde_json::from_slice(&kept)
            .map_err(|_| ContentError::Unavailable("the kept result is unreadable".to_owned()))?;
        let status = status_of(&response);
        self.send_response(session, reply_to, kept).await?;
        self.events.send(session, EventKind::SessionFinished { status });
        Ok(status)
    }

    /// Tells the caller of a failure that is kept nowhere.
    ///
    /// # Errors
    /// [`SendError`] from the broker.
    pub(super) async fn tell_failure(&self, reply_to: Option<&str>, error: ErrorInfo) -> Result<(), SendError> {
        let Some(session) = error.session_id.clone() else { return Ok(()) };
        let status = error.status;
        let plain = serde_json::to_vec(&Response::failure(error)).expect("a failure is plain data");
        self.send_response(&session, reply_to, Bytes::from(plain)).await?;
        self.events.send(&session, EventKind::SessionFinished { status });
        Ok(())
    }

    /// Publishes response bytes to the caller and to whoever listens. A caller that is gone is no failure.
    ///
    /// # Errors
    /// [`SendError`] from the broker.
    pub(super) async fn send_response(
        &self,
        session: &SessionId,
        reply_to: Option<&str>,
        plain: Bytes,
    ) -> Result<(), SendError> {
        let header = Header {
            message_type: message_type::RESULT.to_owned(),
            message_id: session.to_string(),
            correlation_id: session.to_string(),
            ..Header::default()
        };
        let envelope = Envelope::uncompressed(header, plain).map_err(|e| SendError::TooLarge(e.to_string()))?;
        if let Some(queue) = reply_to {
            let to_caller = Outgoing { route: Route::queue(queue), envelope: envelope.clone() };
            match self.broker.publish(to_caller).await {
                Ok(()) => {}
                Err(BrokerError::Unroutable { .. }) => {
                    tracing::info!(session_id = %session, "the caller's reply queue is gone; the result stays in the content store");
                }
                Err(error) => return Err(error.into()),
            }
        }
        let route = Route::broadcast(names::RESULTS, session.as_str());
        Ok(self.broker.publish(Outgoing { route, envelope }).await?)
    }

    /// Moves a delivery to the dead letters under a typed reason. Published before acked: a crash between leaves two, never none.
    pub(super) async fn bury(&self, delivery: Delivery, reason: &str) {
        let mut envelope = delivery.envelope.clone();
        envelope.header.dead_reason = Some(reason.to_owned());
        envelope.header.subject.clone_from(&delivery.queue);
        metrics().broker.dead_letter(reason);
        tracing::warn!(queue = %delivery.queue, reason, message_id = %envelope.header.message_id, "dead letter");
        if self.broker.publish(Outgoing { route: Route::queue(names::DEAD), envelope }).await.is_ok() {
            self.failpoints.hit("ack.before").await;
            let _ = delivery.ack().await;
        }
    }

    pub(super) fn next_copy(&self) -> String {
        static COPIES: AtomicU64 = AtomicU64::new(0);
        format!("{}.{}", self.worker_id, COPIES.fetch_add(1, Ordering::Relaxed))
    }
}

/// How a response says its session ended.
#[must_use]
pub fn status_of(response: &Response) -> Status {
    match (&response.data, &response.error) {
        (Some(data), _) => data.session.status,
        (None, Some(error)) => error.status,
        (None, None) => Status::Failed,
    }
}

fn encode(state: &SessionState, version: u32) -> Vec<u8> {
    serde_json::to_vec(&state::write(state, version)).expect("a JSON value has string keys")
}

//! Every publish the runner makes: states, results, dead letters. Header fields are set here and nowhere else.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::dead_reason::DeadReason;
use precis_proto::envelope::{Envelope, Header, MAX_STATE_BYTES, MAX_WIRE_BYTES, message_type};
use precis_proto::event::EventKind;
use precis_proto::response::{ErrorInfo, Response, Status, WholeResult};
use precis_proto::state::pages::{INLINE_FIELD_SHARE, MAX_PAGED_STATE_BYTES};
use precis_proto::state::{self, PAGED_VERSION, SessionState};

use super::core::Core;
use super::pages;
use super::sealed_letter;
use super::small_result::small_parts;
use crate::broker::{BrokerError, Delivery, Outgoing, ReplyAddress, Route, names};
use crate::content::ContentError;
use crate::telemetry::{TraceContext, metrics};

/// Kind of the named contents that hold finished results.
pub const RESULTS: &str = "results";

/// Largest result that travels, in bytes; the rest of a larger one stays in the content store.
pub const MAX_RESULT_BYTES: usize = MAX_WIRE_BYTES;
/// Most sources of a session whose state travels whole, because an older worker must be able to read it (measured: the state of 600
/// small sources nears [`MAX_STATE_BYTES`] with the built-in model, and model calls add to it).
pub const MAX_UNPAGED_SOURCES: usize = 300;
/// Largest first message of a session that refers to pages, in bytes: references and small fields are added to it.
const FIRST_STATE_BYTES: usize = MAX_PAGED_STATE_BYTES / 2;

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
            Some(delay) => Route::delayed(delay, queue),
            None => Route::queue(queue),
        };
        let envelope = self.state_envelope(state, attempt, parent).await?;
        self.failpoints.hit("state.kept").await;
        Ok(self.broker.publish(Outgoing { route, envelope }).await?)
    }

    /// Whether a session that begins as `state` can be carried to its end.
    ///
    /// # Errors
    /// [`SendError::TooLarge`].
    pub(super) fn check_state(&self, state: &SessionState) -> Result<(), SendError> {
        if self.settings.emit_version >= PAGED_VERSION {
            let (head, _) = state.split(self.settings.paging.inline_bytes / INLINE_FIELD_SHARE);
            return within(encode(&head, self.settings.emit_version), FIRST_STATE_BYTES).map(drop);
        }
        if state.sources.len() > MAX_UNPAGED_SOURCES {
            let message = format!(
                "{} sources are over the limit of {MAX_UNPAGED_SOURCES} while emit_version is below {PAGED_VERSION}",
                state.sources.len()
            );
            return Err(SendError::TooLarge(message));
        }
        within(encode(state, self.settings.emit_version), MAX_STATE_BYTES).map(drop)
    }

    /// The body of a state message. Whatever it refers to is kept before it returns.
    async fn state_body(&self, state: &SessionState) -> Result<Vec<u8>, SendError> {
        let version = self.settings.emit_version;
        if version >= PAGED_VERSION {
            let head = pages::keep(&self.services.content, state, self.settings.paging).await?;
            return within(encode(&head, version), MAX_PAGED_STATE_BYTES);
        }
        if !state.pages.is_empty() {
            // The fleet goes back to an older version while this session waits: it is carried whole, if it can be.
            let mut whole = state.clone();
            pages::load(&self.services.content, &mut whole).await.map_err(|e| SendError::TooLarge(e.to_string()))?;
            return within(encode(&whole, version), MAX_STATE_BYTES);
        }
        let plain = encode(state, version);
        if plain.len() > MAX_STATE_BYTES && !state.gathered.is_empty() {
            // Gathered answers are in the cache too: carrying them only spares repeated work while the cache is away.
            let lighter = SessionState { gathered: std::collections::BTreeMap::new(), ..state.clone() };
            return within(encode(&lighter, version), MAX_STATE_BYTES);
        }
        within(plain, MAX_STATE_BYTES)
    }

    async fn state_envelope(
        &self,
        state: &SessionState,
        attempt: u32,
        parent: Option<&str>,
    ) -> Result<Envelope, SendError> {
        let plain = self.state_body(state).await?;
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
        let bytes = self.travelling(response).await?;
        let kept = self.services.content.put_named_if_absent(RESULTS, session.as_str(), bytes).await;
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
        // One that an older worker kept may be too large.
        let kept = if kept.len() > MAX_RESULT_BYTES { self.travelling(&response).await? } else { kept };
        self.send_response(session, reply_to, kept).await?;
        self.events.send(session, EventKind::SessionFinished { status });
        Ok(status)
    }

    /// The bytes of a result as it travels: whole where it fits, else its small parts, and the whole of it in the content store.
    async fn travelling(&self, response: &Response) -> Result<Bytes, SendError> {
        let whole = Bytes::from(serde_json::to_vec(response).map_err(|e| SendError::TooLarge(e.to_string()))?);
        if whole.len() <= MAX_RESULT_BYTES {
            return Ok(whole);
        }
        let bytes = whole.len() as u64;
        let content_ref = self.services.content.put(whole).await?;
        let reference = WholeResult { content_ref, bytes, left_out: Vec::new() };
        small_parts(response, reference, MAX_RESULT_BYTES).map(Bytes::from).ok_or_else(|| {
            SendError::TooLarge(format!("the result of {bytes} bytes is over the limit of {MAX_RESULT_BYTES}"))
        })
    }

    /// Tells the caller alone of a failure, at the address it gave: nothing is kept under the session's id, and nobody who listens
    /// for that session hears of it, because the session may be somebody else's.
    ///
    /// # Errors
    /// [`SendError`] from the broker.
    pub(super) async fn tell_caller(&self, reply_to: Option<&str>, error: ErrorInfo) -> Result<(), SendError> {
        let (Some(address), Some(session)) = (reply_to, error.session_id.clone()) else { return Ok(()) };
        let plain = serde_json::to_vec(&Response::failure(error)).expect("a failure is plain data");
        let envelope = result_envelope(&session, Bytes::from(plain))?;
        self.answer_caller(&session, address, envelope).await
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
        let envelope = result_envelope(session, plain)?;
        if let Some(address) = reply_to {
            self.answer_caller(session, address, envelope.clone()).await?;
        }
        let route = Route::broadcast(names::RESULTS, session.as_str());
        Ok(self.broker.publish(Outgoing { route, envelope }).await?)
    }

    /// Publishes an answer where the caller wants it. An address that cannot be used and a queue that is gone or full are the
    /// caller's affair: the result stays in the content store.
    async fn answer_caller(&self, session: &SessionId, address: &str, envelope: Envelope) -> Result<(), SendError> {
        let sent = match self.settings.reply_addresses.check(address) {
            Ok(ReplyAddress::Direct) => self.broker.answer_caller(address, envelope).await,
            Ok(ReplyAddress::Queue) => self.broker.publish(Outgoing { route: Route::queue(address), envelope }).await,
            // Of a session that was accepted by an older worker, or before `reply_queues` was changed.
            Err(reason) => {
                tracing::warn!(session_id = %session, %reason, "the caller's reply address is not used");
                return Ok(());
            }
        };
        match sent {
            Err(BrokerError::Unroutable { .. }) => {
                tracing::info!(session_id = %session, "the caller's reply queue is gone");
                Ok(())
            }
            Err(BrokerError::Refused(reason)) => {
                tracing::warn!(session_id = %session, reason, "the caller's reply queue takes nothing");
                Ok(())
            }
            sent => Ok(sent?),
        }
    }

    /// Moves a delivery to the dead letters under a typed reason. Published before acked: a crash between leaves two, never none.
    pub(super) async fn bury(&self, delivery: Delivery, reason: &DeadReason) {
        let letter = self.again(&delivery.envelope);
        match self.publish_dead(letter, &delivery.queue, reason).await {
            Ok(()) => {
                self.failpoints.hit("ack.before").await;
                let _ = delivery.ack().await;
            }
            // The delivery comes again with the connection.
            Err(SendError::Broker(_)) => {}
            Err(error) => {
                tracing::warn!(queue = %delivery.queue, %error, "a dead letter cannot be sealed yet");
                tokio::time::sleep(Duration::from_secs(1)).await;
                let _ = delivery.requeue().await;
            }
        }
    }

    /// Publishes `letter` as a dead letter of `queue`, its body for the fleet alone.
    ///
    /// # Errors
    /// [`SendError::Content`] where there is no key to seal it with, [`SendError::Broker`].
    pub(super) async fn publish_dead(
        &self,
        mut letter: Envelope,
        queue: &str,
        reason: &DeadReason,
    ) -> Result<(), SendError> {
        let key = self.services.content.fleet_key().await?;
        letter.header.dead_reason = Some(reason.to_string());
        queue.clone_into(&mut letter.header.subject);
        let message_id = letter.header.message_id.clone();
        let no_random_bytes = || ContentError::Unavailable("the machine gives no random bytes to seal with".to_owned());
        let envelope = sealed_letter::sealed(letter, &key).ok_or_else(no_random_bytes)?;
        self.broker.publish(Outgoing { route: Route::queue(names::DEAD), envelope }).await?;
        metrics().broker.dead_letter(reason);
        tracing::warn!(queue, reason = reason.as_str(), message_id, "dead letter");
        Ok(())
    }

    pub(super) fn next_copy(&self) -> String {
        static COPIES: AtomicU64 = AtomicU64::new(0);
        format!("{}.{}", self.worker_id, COPIES.fetch_add(1, Ordering::Relaxed))
    }
}

fn within(plain: Vec<u8>, limit: usize) -> Result<Vec<u8>, SendError> {
    match plain.len() {
        bytes if bytes > limit => {
            Err(SendError::TooLarge(format!("the session's state of {bytes} bytes is over the limit of {limit}")))
        }
        _ => Ok(plain),
    }
}

fn result_envelope(session: &SessionId, plain: Bytes) -> Result<Envelope, SendError> {
    let header = Header {
        message_type: message_type::RESULT.to_owned(),
        message_id: session.to_string(),
        correlation_id: session.to_string(),
        ..Header::default()
    };
    Envelope::uncompressed(header, plain).map_err(|e| SendError::TooLarge(e.to_string()))
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

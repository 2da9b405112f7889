//! Every publish the runner makes: states, results, dead letters. Header fields are set here and nowhere else.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::dead_reason::DeadReason;
use precis_proto::envelope::{Envelope, Header, MAX_STATE_BYTES, MAX_WIRE_BYTES, message_type};
use precis_proto::event::EventKind;
use precis_proto::ids::sha256_hex;
use precis_proto::response::{ErrorInfo, Response, Status, WholeResult};
use precis_proto::state::pages::{INLINE_FIELD_SHARE, MAX_PAGED_STATE_BYTES};
use precis_proto::state::{self, PAGED_VERSION, SessionState};

use super::core::Core;
use super::give_back::give_back;
use super::pages;
use super::sealed_letter;
use super::small_result::small_parts;
use crate::broker::{BrokerError, Delivery, Outgoing, ReplyAddress, Route, names};
use crate::content::ContentError;
use crate::records::{EndedSession, keep_ended};
use crate::telemetry::{Broadcast, TraceContext, metrics};

/// Kind of the named contents that hold finished results.
pub const RESULTS: &str = "results";

/// Largest result that is sent, in bytes; a larger one is shrunk, and the whole of it is kept in the content store.
pub const MAX_RESULT_BYTES: usize = MAX_WIRE_BYTES;
/// Most sources of a session whose state is sent whole, because older workers must be able to read it (measured: the state of 600 small
/// sources comes close to [`MAX_STATE_BYTES`] with the built-in model, and model calls add to it).
pub const MAX_UNPAGED_SOURCES: usize = 300;
/// Largest first message of a session whose state has pages, in bytes: references and small fields are added to it later.
const FIRST_STATE_BYTES: usize = MAX_PAGED_STATE_BYTES / 2;

/// Why a state or a result could not be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The broker did not accept it; the delivery will be redelivered.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// It exceeds a size limit; a retry cannot help.
    #[error("{0}")]
    TooLarge(String),
    /// The content store could not store or return a part.
    #[error("content store: {0}")]
    Content(#[from] ContentError),
}

impl Core {
    /// Publishes a state to its phase's queue, or to a retry tier in front of that queue.
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
            Some(delay) => Route::after_delay(delay, queue),
            None => Route::queue(queue),
        };
        let envelope = self.state_envelope(state, attempt, parent).await?;
        self.failpoints.hit("state.kept").await;
        Ok(self.broker.publish(Outgoing { route, envelope }).await?)
    }

    /// Checks that a session that begins as `state` stays within the size limits to its end.
    ///
    /// # Errors
    /// [`SendError::TooLarge`].
    pub(super) fn check_state(&self, state: &SessionState) -> Result<(), SendError> {
        if self.settings.emit_version >= PAGED_VERSION {
            let (head, _) = state.split(self.settings.paging.inline_bytes / INLINE_FIELD_SHARE);
            return check_size(encode(&head, self.settings.emit_version), FIRST_STATE_BYTES).map(drop);
        }
        if state.sources.len() > MAX_UNPAGED_SOURCES {
            let message = format!(
                "a request must have at most {MAX_UNPAGED_SOURCES} sources while emit_version is below {PAGED_VERSION}, got {}",
                state.sources.len()
            );
            return Err(SendError::TooLarge(message));
        }
        check_size(encode(state, self.settings.emit_version), MAX_STATE_BYTES).map(drop)
    }

    /// Returns the body of a state message. The pages it refers to are in the content store before this returns, so that no published
    /// message refers to a missing page.
    async fn state_body(&self, state: &SessionState) -> Result<Vec<u8>, SendError> {
        let version = self.settings.emit_version;
        if version >= PAGED_VERSION {
            let head = pages::keep(&self.services.content, state, self.settings.paging).await?;
            return check_size(encode(&head, version), MAX_PAGED_STATE_BYTES);
        }
        if !state.pages.is_empty() {
            // The fleet went back to an older version while this session waited: send the state whole, if it fits.
            let mut whole = state.clone();
            pages::load(&self.services.content, &mut whole).await.map_err(|e| SendError::TooLarge(e.to_string()))?;
            return check_size(encode(&whole, version), MAX_STATE_BYTES);
        }
        let plain = encode(state, version);
        if plain.len() > MAX_STATE_BYTES && !state.gathered.is_empty() {
            // Gathered answers are in the cache too: sending them only saves repeated work while the store is unavailable.
            let lighter = SessionState { gathered: std::collections::BTreeMap::new(), ..state.clone() };
            return check_size(encode(&lighter, version), MAX_STATE_BYTES);
        }
        check_size(plain, MAX_STATE_BYTES)
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

    /// Keeps the result under the session's id unless one is there, and publishes the kept one to the caller and to subscribers.
    /// Repeats are the same bytes.
    ///
    /// # Errors
    /// [`SendError`] if it could not be kept or published.
    pub(super) async fn publish_result(
        &self,
        session: &SessionId,
        reply_to: Option<&str>,
        response: &Response,
    ) -> Result<Status, SendError> {
        let bytes = self.sendable(response).await?;
        // Kept before it is published, and put-if-absent: two copies of a session can never publish two different results.
        let kept = self.services.content.put_named_if_absent(RESULTS, session.as_str(), bytes).await;
        self.send_result(session, reply_to, kept?).await
    }

    /// Publishes the result kept for `session` and returns its status; `None` if there is none.
    ///
    /// # Errors
    /// [`SendError`] if it could not be published.
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
            .map_err(|_| ContentError::Unavailable("the kept result cannot be parsed".to_owned()))?;
        let status = status_of(&response);
        // A result kept by an older worker may be too large.
        let kept = if kept.len() > MAX_RESULT_BYTES { self.sendable(&response).await? } else { kept };
        let ended = self.ended_session(&response, &kept, status).await;
        self.send_response(session, reply_to, kept).await?;
        // After the result: nobody waits for the record, and the result is the truth without it.
        if let Err(error) = keep_ended(&self.services.content, session, &ended).await {
            tracing::warn!(session_id = %session, %error, "the record of an ended session is not kept");
        }
        // Before the session is acked: whoever dies up to here repeats all of it.
        self.tell_end(session, &ended).await?;
        self.events.send(session, EventKind::SessionFinished { status });
        Ok(status)
    }

    /// The record of a session that ends with `response`. Of a result that is too large to send, the whole of it is recorded.
    async fn ended_session(&self, response: &Response, kept: &[u8], status: Status) -> EndedSession {
        let whole = match &response.whole {
            Some(whole) => self.services.content.get(&whole.content_ref).await.ok(),
            None => None,
        };
        let whole: Option<Response> = whole.and_then(|json| serde_json::from_slice(&json).ok());
        EndedSession::of(whole.as_ref().unwrap_or(response), kept, status, self.clock.now())
    }

    /// Returns the bytes to send: the whole result if it fits; otherwise its small parts, with the whole of it in the content store.
    async fn sendable(&self, response: &Response) -> Result<Bytes, SendError> {
        let whole = Bytes::from(serde_json::to_vec(response).map_err(|e| SendError::TooLarge(e.to_string()))?);
        if whole.len() <= MAX_RESULT_BYTES {
            return Ok(whole);
        }
        let bytes = whole.len() as u64;
        // Kept before the parts are sent: they refer to it.
        let content_ref = self.services.content.put(whole).await?;
        let reference = WholeResult { content_ref, bytes, left_out: Vec::new() };
        small_parts(response, reference, MAX_RESULT_BYTES).map(Bytes::from).ok_or_else(|| {
            SendError::TooLarge(format!("the result must be at most {MAX_RESULT_BYTES} bytes, got {bytes}"))
        })
    }

    /// Sends the refusal of `request` to its caller only, at the address it gave. Nothing is kept under the session's id and nothing goes
    /// to subscribers, because the session may belong to another caller. The address may be another caller's too: type and hash tell it
    /// that the refusal is not about its own request.
    ///
    /// # Errors
    /// [`SendError`] from the broker.
    pub(super) async fn send_refusal(&self, request: &Envelope, error: ErrorInfo) -> Result<(), SendError> {
        let (Some(address), Some(session)) = (request.header.reply_to.as_deref(), error.session_id.clone()) else {
            return Ok(());
        };
        let error = ErrorInfo { request_sha256: Some(sha256_hex(&request.body)), ..error };
        let plain = serde_json::to_vec(&Response::failure(error)).expect("a failure is plain data");
        let mut envelope = result_envelope(&session, Bytes::from(plain))?;
        message_type::REFUSAL.clone_into(&mut envelope.header.message_type);
        self.answer_caller(&session, address, envelope).await
    }

    /// Sends a failure to the caller and to subscribers without keeping it.
    ///
    /// # Errors
    /// [`SendError`] from the broker.
    pub(super) async fn send_failure(&self, reply_to: Option<&str>, error: ErrorInfo) -> Result<(), SendError> {
        let Some(session) = error.session_id.clone() else { return Ok(()) };
        let status = error.status;
        let plain = serde_json::to_vec(&Response::failure(error)).expect("a failure is plain data");
        self.send_response(&session, reply_to, Bytes::from(plain)).await?;
        self.events.send(&session, EventKind::SessionFinished { status });
        Ok(())
    }

    /// Publishes response bytes to the caller and to subscribers. A caller that is gone and a subscriber's queue that takes nothing are
    /// not errors.
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
        match self.broker.publish(Outgoing { route, envelope }).await {
            // Whoever may listen chooses the arguments of its queue. One that takes nothing must not hold up the session: the result is
            // kept, and the broker has given it to every other listener.
            Err(error @ BrokerError::Nacked { .. }) => {
                metrics().broker.broadcast_nacked(Broadcast::Results);
                tracing::info!(session_id = %session, %error, "a listener's queue did not take the result");
                Ok(())
            }
            sent => Ok(sent?),
        }
    }

    /// Sends an answer to the caller's address. An unusable address and a missing or full queue are not errors: the result stays in the
    /// content store.
    async fn answer_caller(&self, session: &SessionId, address: &str, envelope: Envelope) -> Result<(), SendError> {
        let sent = match self.settings.reply_addresses.check(address) {
            Ok(ReplyAddress::Direct) => self.broker.answer_caller(address, envelope).await,
            Ok(ReplyAddress::ServerNamed | ReplyAddress::Named) => {
                self.broker.publish(Outgoing { route: Route::queue(address), envelope }).await
            }
            // From a session accepted by an older worker, or before `reply_queues` was changed.
            Err(reason) => {
                tracing::warn!(session_id = %session, %reason, "the caller's reply address is not allowed; no reply sent");
                return Ok(());
            }
        };
        match sent {
            Err(BrokerError::Unroutable { .. }) => {
                tracing::info!(session_id = %session, "the caller's reply queue does not exist; no reply sent");
                Ok(())
            }
            Err(error @ (BrokerError::Refused(_) | BrokerError::Nacked { .. })) => {
                tracing::warn!(session_id = %session, %error, "the caller's reply queue did not take the reply");
                Ok(())
            }
            sent => Ok(sent?),
        }
    }

    /// Moves a delivery to the dead letters under a typed reason. Published before acked: a crash in between duplicates it instead of
    /// losing it.
    pub(super) async fn bury(&self, delivery: Delivery, reason: &DeadReason) {
        let letter = self.again(&delivery.envelope);
        match self.publish_dead(letter, &delivery.queue, reason).await {
            Ok(()) => {
                self.failpoints.hit("ack.before").await;
                let _ = delivery.ack().await;
            }
            Err(error) => {
                tracing::warn!(queue = %delivery.queue, %error, "cannot publish a dead letter; trying again");
                give_back(delivery).await;
            }
        }
    }

    /// Publishes `letter` as a dead letter of `queue`, its body sealed with the fleet key.
    ///
    /// # Errors
    /// [`SendError::Content`] if there is no key to seal it with, [`SendError::Broker`].
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
        let no_random_bytes = || ContentError::Unavailable("no random bytes available to seal with".to_owned());
        let envelope = sealed_letter::seal(letter, &key).ok_or_else(no_random_bytes)?;
        self.broker.publish(Outgoing { route: Route::queue(names::DEAD), envelope }).await?;
        metrics().broker.dead_letter(reason);
        tracing::warn!(queue, reason = reason.as_str(), message_id, "message moved to the dead letters");
        Ok(())
    }

    pub(super) fn next_copy(&self) -> String {
        static COPIES: AtomicU64 = AtomicU64::new(0);
        // Relaxed: only uniqueness matters.
        format!("{}.{}", self.worker_id, COPIES.fetch_add(1, Ordering::Relaxed))
    }
}

fn check_size(plain: Vec<u8>, limit: usize) -> Result<Vec<u8>, SendError> {
    match plain.len() {
        bytes if bytes > limit => {
            Err(SendError::TooLarge(format!("the session's state must be at most {limit} bytes, got {bytes}")))
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
    Envelope::without_compression(header, plain).map_err(|e| SendError::TooLarge(e.to_string()))
}

/// The status with which a response ends its session.
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

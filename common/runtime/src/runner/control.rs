//! Cancellations and stops: heard by every worker, kept in the store for those who were not there.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::control::Control;
use precis_proto::envelope::{Envelope, Header, MAX_CONTROL_BYTES, message_type};
use tokio::time::Instant;

use super::context::Frame;
use super::worker::Core;
use crate::broker::{Broker, BrokerError, Outgoing, Route, Subscription, names};
use crate::store::Store;

/// How long a cancellation is remembered.
pub const REMEMBERED: Duration = Duration::from_secs(24 * 3_600);

/// So few frames are not worth clearing.
const CLEAR_FROM: usize = 32;

/// What this worker has heard, and which of its leases should hear of it.
#[derive(Debug, Default)]
pub struct Controls(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Heard over the broker; forgotten after [`REMEMBERED`].
    heard: BTreeMap<SessionId, (Control, Instant)>,
    /// Frames under way, and dead ones not yet cleared away.
    frames: Vec<Weak<Frame>>,
    /// Dead frames are cleared away when there are so many: twice those that were alive the last time, so that it costs each
    /// frame the same however many there are.
    clear_at: usize,
}

impl Controls {
    /// Makes a frame hear what concerns its session, also what was heard before.
    pub(super) fn attach(&self, frame: &std::sync::Arc<Frame>) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((control, _)) = inner.heard.get(&frame.session_id) {
            apply(control, frame);
        }
        if inner.frames.len() >= inner.clear_at {
            inner.frames.retain(|f| f.strong_count() > 0);
            inner.clear_at = (inner.frames.len() * 2).max(CLEAR_FROM);
        }
        inner.frames.push(std::sync::Arc::downgrade(frame));
    }

    fn hear(&self, control: Control) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        inner.heard.retain(|_, (_, at)| now.duration_since(*at) < REMEMBERED);
        for frame in inner.frames.iter().filter_map(Weak::upgrade) {
            if &frame.session_id == control.session_id() {
                apply(&control, &frame);
            }
        }
        inner.heard.insert(control.session_id().clone(), (control, now));
    }
}

fn apply(control: &Control, frame: &Frame) {
    match control {
        Control::Cancel { .. } => frame.signals.cancelled.cancel(),
        Control::Stop { .. } => frame.signals.stopped.cancel(),
    }
}

fn key(session: &SessionId) -> String {
    format!("cancel:{session}")
}

/// Asks the store whether the session was cancelled or stopped; a store that is away knows nothing.
pub(super) async fn recall(core: &Core, session: &SessionId) -> Option<Control> {
    let bytes = core.store.get(&key(session)).await.ok()??;
    serde_json::from_slice(&bytes).ok()
}

/// Tells every worker, and keeps it in the store for those who are not there.
///
/// # Errors
/// [`BrokerError`] where nobody could be told.
pub async fn send(broker: &Broker, store: &Store, control: &Control) -> Result<(), BrokerError> {
    keep(store, control).await;
    tell(broker, control).await
}

/// Keeps `control` for [`REMEMBERED`]; a store that is away keeps nothing.
async fn keep(store: &Store, control: &Control) {
    if let Ok(bytes) = serde_json::to_vec(control) {
        let _ = store.put_if_absent(&key(control.session_id()), Bytes::from(bytes), REMEMBERED).await;
    }
}

/// Tells every worker that is there.
pub(super) async fn tell(broker: &Broker, control: &Control) -> Result<(), BrokerError> {
    let header = Header {
        user: broker.user().map(str::to_owned),
        message_type: message_type::CONTROL.to_owned(),
        correlation_id: control.session_id().to_string(),
        ..Header::default()
    };
    let envelope = Envelope::encode(header, control).map_err(|e| BrokerError::Refused(e.to_string()))?;
    broker.publish(Outgoing { route: Route::broadcast(names::CONTROL, ""), envelope }).await
}

/// Listens until the connection ends.
pub(super) async fn listen(core: std::sync::Arc<Core>, mut controls: Subscription) {
    while let Some(envelope) = controls.next().await {
        let Ok(control) = envelope.decode_within::<Control>(MAX_CONTROL_BYTES) else { continue };
        if core.may_end(&envelope.header, control.session_id()).await {
            // For workers that are not there now: a caller has no access to the store.
            keep(&core.store, &control).await;
            core.controls.hear(control);
        } else {
            tracing::warn!(session_id = %control.session_id(), user = envelope.header.user, "a stop or cancel of another user's session is refused");
        }
    }
}

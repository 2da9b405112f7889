//! Cancellations and stops: heard by every worker, kept in the store for those who were not there.

use std::sync::Arc;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::control::Control;
use precis_proto::envelope::{Envelope, Header, MAX_CONTROL_BYTES, message_type};

use super::controls::REMEMBERED;
use super::core::Core;
use crate::broker::{Broker, BrokerError, Outgoing, Route, Subscription, names};
use crate::store::Store;

fn key(session: &SessionId) -> String {
    format!("cancel:{session}")
}

/// Asks the store whether the session was cancelled or stopped; a store that is away knows nothing.
pub(super) async fn recall(store: &Store, session: &SessionId) -> Option<Control> {
    let bytes = store.values().get(&key(session)).await.ok()??;
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
        let _ = store.values().put_if_absent(&key(control.session_id()), Bytes::from(bytes), REMEMBERED).await;
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
pub(super) async fn listen(core: Arc<Core>, mut controls: Subscription) {
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

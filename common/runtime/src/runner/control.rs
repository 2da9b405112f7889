//! Cancellations and stops: broadcast to every worker, and kept in the store for workers that miss the broadcast.

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

/// Reads from the store whether the session was cancelled or stopped; `None` if the store is unavailable.
pub(super) async fn recall(store: &Store, session: &SessionId) -> Option<Control> {
    let bytes = store.values().get(&key(session)).await.ok()??;
    serde_json::from_slice(&bytes).ok()
}

/// Broadcasts a cancellation or stop to every worker, and keeps it in the store for workers that miss it.
///
/// # Errors
/// [`BrokerError`] if it could not be broadcast.
pub async fn send(broker: &Broker, store: &Store, control: &Control) -> Result<(), BrokerError> {
    // Store first: a worker that starts the session after the broadcast finds the control there.
    keep(store, control).await;
    broadcast(broker, control).await
}

/// Keeps `control` for [`REMEMBERED`]; best effort. A cancellation replaces a stop, and a stop never a cancellation.
async fn keep(store: &Store, control: &Control) {
    let Ok(bytes) = serde_json::to_vec(control) else { return };
    let (values, key, bytes) = (store.values(), key(control.session_id()), Bytes::from(bytes));
    let _ = match control {
        Control::Cancel { .. } => values.put(&key, bytes, REMEMBERED).await,
        Control::Stop { .. } => values.put_if_absent(&key, bytes, REMEMBERED).await.map(drop),
    };
}

/// Broadcasts to every connected worker.
pub(super) async fn broadcast(broker: &Broker, control: &Control) -> Result<(), BrokerError> {
    let header = Header {
        user: broker.user().map(str::to_owned),
        message_type: message_type::CONTROL.to_owned(),
        correlation_id: control.session_id().to_string(),
        ..Header::default()
    };
    let envelope = Envelope::encode(header, control).map_err(|e| BrokerError::Refused(e.to_string()))?;
    broker.publish(Outgoing { route: Route::broadcast(names::CONTROL, ""), envelope }).await
}

/// Receives controls until the connection ends.
pub(super) async fn listen(core: Arc<Core>, mut controls: Subscription) {
    while let Some(envelope) = controls.next().await {
        // Callers publish controls too: the limit holds for the decompressed body.
        let Ok(control) = envelope.decode_within::<Control>(MAX_CONTROL_BYTES) else { continue };
        if core.may_end(&envelope.header, control.session_id()).await {
            // Kept for workers that are not connected now: callers publish controls but cannot write to the store.
            keep(&core.store, &control).await;
            core.controls.receive(control);
        } else {
            tracing::warn!(session_id = %control.session_id(), user = envelope.header.user, "refused to stop or cancel another user's session");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    #[tokio::test]
    async fn only_a_cancellation_after_a_stop_is_stored_not_the_reverse() {
        let session = SessionId::new("s").expect("an id");
        let cancel = Control::Cancel { session_id: session.clone() };
        let stop = Control::Stop { session_id: session.clone() };
        for kept in [[&stop, &cancel], [&cancel, &stop]] {
            let store = Store::Memory(MemoryStore::new());
            for control in kept {
                keep(&store, control).await;
            }
            assert!(matches!(recall(&store, &session).await, Some(Control::Cancel { .. })), "{kept:?}");
        }
    }
}

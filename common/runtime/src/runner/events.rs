//! Progress events: sent without waiting; losing one is harmless.

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::event::{Event, EventKind};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::broker::{Broker, BrokerError, Outgoing, Route, names};
use crate::clock::Clock;
use crate::store::{ProgressGate, Store};
use crate::telemetry::{Broadcast, metrics};

/// Most events waiting to be published; further ones are dropped.
const QUEUE: usize = 4_096;
/// Most events published together.
const BATCH: usize = 64;

/// The queue of events to publish.
#[derive(Debug, Clone)]
pub struct Events {
    sender: mpsc::Sender<Event>,
    clock: Clock,
}

impl Events {
    /// The sending end, and the receiving end for [`publish`].
    pub(super) fn new(clock: Clock) -> (Self, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Self { sender, clock }, receiver)
    }

    /// Queues an event; drops it if the queue is full.
    pub fn send(&self, session: &SessionId, kind: EventKind) {
        let _ = self.sender.try_send(Event { session_id: session.clone(), at: self.clock.now(), kind });
    }
}

/// Logs and publishes events until all senders are dropped or the connection is lost.
pub(super) async fn publish(broker: Broker, store: Store, mut events: mpsc::Receiver<Event>) {
    let mut batch = Vec::with_capacity(BATCH);
    let mut gate = ProgressGate::default();
    while events.recv_many(&mut batch, BATCH).await > 0 {
        // Logged first: whoever hears of an event finds it in the log.
        log(&store, &batch, &mut gate).await;
        let messages = batch.drain(..).filter_map(|event| outgoing(&event)).collect();
        match broker.publish_all(messages).await {
            Err(BrokerError::Closed) => return,
            Err(BrokerError::Nacked { .. }) => metrics().broker.broadcast_nacked(Broadcast::Events),
            // Any other failure costs only this batch: events may be lost.
            Ok(()) | Err(_) => {}
        }
    }
}

/// Adds `batch` to the logs of its sessions; best effort.
async fn log(store: &Store, batch: &[Event], gate: &mut ProgressGate) {
    let now = Instant::now();
    let logged = batch.iter().filter(|event| gate.admits(event, now));
    let logged: Vec<_> = logged.filter_map(|event| Some((event.session_id.clone(), json(event)?))).collect();
    if !logged.is_empty() {
        let _ = store.events().add(&logged).await;
    }
}

fn json(event: &Event) -> Option<Bytes> {
    serde_json::to_vec(event).ok().map(Bytes::from)
}

fn outgoing(event: &Event) -> Option<Outgoing> {
    let header = Header {
        message_type: message_type::EVENT.to_owned(),
        correlation_id: event.session_id.to_string(),
        subject: event.kind.as_str().to_owned(),
        ..Header::default()
    };
    let route = Route::broadcast(names::EVENTS, format!("{}.{}", event.kind.as_str(), event.session_id));
    Some(Outgoing { route, envelope: Envelope::encode(header, event).ok()? })
}

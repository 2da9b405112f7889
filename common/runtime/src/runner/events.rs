//! Progress events: sent without waiting; losing one is harmless.

use precis_proto::SessionId;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::event::{Event, EventKind};
use tokio::sync::mpsc;

use crate::broker::{Broker, BrokerError, Outgoing, Route, names};
use crate::clock::Clock;
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

/// Publishes events until all senders are dropped or the connection is lost.
pub(super) async fn publish(broker: Broker, mut events: mpsc::Receiver<Event>) {
    let mut batch = Vec::with_capacity(BATCH);
    while events.recv_many(&mut batch, BATCH).await > 0 {
        let messages = batch.drain(..).filter_map(|event| outgoing(&event)).collect();
        match broker.publish_all(messages).await {
            Err(BrokerError::Closed) => return,
            Err(BrokerError::Nacked { .. }) => metrics().broker.broadcast_nacked(Broadcast::Events),
            // Any other failure costs only this batch: events may be lost.
            Ok(()) | Err(_) => {}
        }
    }
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

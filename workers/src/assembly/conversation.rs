//! The caller of a session in this process: submits the request, forwards its events, and hears its end, whatever that is.

use std::time::Duration;

use precis_proto::control::Control;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::event::{Event, EventKind};
use precis_proto::request::ResearchRequest;
use precis_proto::response::Response;
use precis_runtime::broker::{Broker, MemoryBroker, Outgoing, Replies, Route, Subscription, names};
use precis_runtime::content::ContentStore;
use precis_runtime::runner::{control, refusal};
use precis_runtime::store::Store;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::embedded_error::EmbeddedError;
use super::refused_request::{in_words_of_the_command, is_refusal};
use crate::cli::research_details::ShownEvent;

/// How long a cancelled session may take to end with a response.
const GRACE: Duration = Duration::from_secs(5);
/// How often is checked whether anything is under way at all.
const LOOK: Duration = Duration::from_secs(2);
/// Longest wait for the last events after the result of a session.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What a session in this process is submitted to and heard through.
#[derive(Clone, Copy)]
pub(super) struct Connections<'a> {
    /// The connection of the caller.
    pub(super) caller: &'a Broker,
    /// The broker, which knows whether anything is under way.
    pub(super) client: &'a MemoryBroker,
    /// Records a cancellation.
    pub(super) store: &'a Store,
    /// What events refer to.
    pub(super) content: &'a ContentStore,
}

/// Submits the request as any other client does, and waits for its result or its refusal. A request over a limit is not submitted.
///
/// # Errors
/// [`EmbeddedError::Engine`] if the broker failed, or the session ended without a result.
pub(super) async fn converse(
    Connections { caller, client, store, content }: Connections<'_>,
    request: ResearchRequest,
    events: mpsc::Sender<ShownEvent>,
    cancel: CancellationToken,
) -> Result<Response, EmbeddedError> {
    if let Some(refused) = refusal(&request) {
        return Ok(Response::failure(in_words_of_the_command(refused, &request)));
    }
    // Listen before publishing, so that no message of a short session is missed. The reply address receives the result and, unlike
    // subscribers, a refusal: to them the session id could be another caller's.
    let replies = caller.replies().await?;
    let mut progress = caller.subscribe(names::EVENTS, "#").await?;
    replies.publish_all(vec![outgoing(&request, replies.address())?]).await?;
    // Set once: counted anew after each event, the grace of a session that keeps sending events would never end.
    let mut grace_until = None;
    let mut looks = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            // The result comes first: once it is there, a cancellation must not replace it.
            biased;
            envelope = replies.next() => {
                let response = read(envelope)?;
                if let Some(refused) = response.error.as_ref().filter(|error| is_refusal(error)) {
                    return Ok(Response::failure(in_words_of_the_command(refused.clone(), &request)));
                }
                let _ = tokio::time::timeout(LAST_WORDS, forward_rest(&mut progress, content, &events)).await;
                return Ok(response);
            }
            Some(envelope) = progress.next() => {
                forward(envelope, content, &events).await;
            }
            () = cancel.cancelled(), if grace_until.is_none() => {
                grace_until = Some(Instant::now() + GRACE);
                control::send(caller, store, &Control::Cancel { session_id: request.session_id.clone() }).await?;
            }
            () = tokio::time::sleep_until(grace_until.unwrap_or_else(Instant::now)), if grace_until.is_some() => return Err(EmbeddedError::Engine("the session did not end after it was cancelled".to_owned())),
            _ = looks.tick() => if client.is_idle() {
                return last_reply(&replies).await;
            },
        }
    }
}

/// Returns the reply that is there once nothing is under way any more. A reply is sent before the message it ends is acked, so none comes
/// later.
async fn last_reply(replies: &Replies) -> Result<Response, EmbeddedError> {
    let lost = || EmbeddedError::Engine("the session ended without a result; this is a bug".to_owned());
    read(tokio::time::timeout(Duration::ZERO, replies.next()).await.map_err(|_| lost())?)
}

/// Forwards the remaining events until the session has finished. On a busy machine the result may arrive before them.
async fn forward_rest(progress: &mut Subscription, content: &ContentStore, events: &mpsc::Sender<ShownEvent>) {
    while let Some(envelope) = progress.next().await {
        if let Some(EventKind::SessionFinished { .. }) = forward(envelope, content, events).await {
            return;
        }
    }
}

/// Forwards an event and returns its kind. If the display cannot keep up, the event is dropped.
async fn forward(envelope: Envelope, content: &ContentStore, events: &mpsc::Sender<ShownEvent>) -> Option<EventKind> {
    let event: Event = envelope.decode().ok()?;
    let kind = event.kind.clone();
    let _ = events.try_send(ShownEvent::read(event, content).await);
    Some(kind)
}

fn read(envelope: Option<Envelope>) -> Result<Response, EmbeddedError> {
    let envelope =
        envelope.ok_or_else(|| EmbeddedError::Engine("the broker ended before the session had a result".to_owned()))?;
    envelope.decode().map_err(|e| EmbeddedError::Engine(e.to_string()))
}

fn outgoing(request: &ResearchRequest, reply_to: &str) -> Result<Outgoing, EmbeddedError> {
    let header = Header {
        message_type: message_type::REQUEST.to_owned(),
        message_id: request.session_id.to_string(),
        correlation_id: request.session_id.to_string(),
        reply_to: Some(reply_to.to_owned()),
        ..Header::default()
    };
    let envelope = Envelope::encode(header, request).map_err(|e| EmbeddedError::Engine(e.to_string()))?;
    let route =
        Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true };
    Ok(Outgoing { route, envelope })
}

#[cfg(test)]
mod tests {
    use precis_proto::dead_reason::DeadReason;
    use precis_proto::failure_code::{FailureCode, FailureKind};
    use precis_proto::response::{ErrorInfo, Status};
    use precis_runtime::broker::Topology;
    use precis_runtime::failpoints::Failpoints;
    use precis_runtime::store::MemoryStore;
    use serde_json::json;

    use super::*;
    use crate::cli::exit::Exit;
    use crate::fleet::{Caller, SessionMessage};
    use crate::input::CollectedInputs;
    use crate::report::outcome::{RunOutcome, settle};

    /// Longest time that any end may take to be heard.
    const LIMIT: Duration = Duration::from_secs(20);

    fn request() -> ResearchRequest {
        let sources = json!([{ "source_id": "a", "content": "x" }]);
        let body = json!({ "schema_version": 3, "session_id": "s", "query": "q", "sources": sources });
        serde_json::from_value(body).expect("a request")
    }

    /// A broker whose only worker answers every request with `code`, or acks it without a word.
    async fn refusing(code: Option<FailureCode>) -> MemoryBroker {
        let client = MemoryBroker::new();
        let worker = Broker::Memory(client.connect(Failpoints::none()));
        worker.declare(&Topology::standard()).await.expect("declared");
        let mut requests = worker.consume(names::REQUESTS, 1).await.expect("a queue");
        tokio::spawn(async move {
            let Some(delivery) = requests.next().await else { return };
            if let Some(code) = code {
                let failure = Response::failure(ErrorInfo::new(Status::Failed, code, "no"));
                let header = Header { correlation_id: "s".to_owned(), ..Header::default() };
                let envelope = Envelope::encode(header, &failure).expect("small");
                let address = delivery.envelope.header.reply_to.clone().expect("the caller has an address");
                worker.answer_caller(&address, envelope).await.expect("sent");
            }
            delivery.ack().await.expect("held");
        });
        client
    }

    async fn heard(client: &MemoryBroker) -> Result<Response, EmbeddedError> {
        let (caller, store) = (Broker::Memory(client.connect(Failpoints::none())), Store::Memory(MemoryStore::new()));
        let content = ContentStore::in_memory();
        let connections = Connections { caller: &caller, client, store: &store, content: &content };
        let (events, _inbox) = mpsc::channel(1);
        let conversed = converse(connections, request(), events, CancellationToken::new());
        tokio::time::timeout(LIMIT, conversed).await.expect("it ends")
    }

    fn codes() -> impl Iterator<Item = FailureCode> {
        let dead = DeadReason::KNOWN.iter().cloned().map(FailureCode::DeadLetter);
        FailureCode::KNOWN.iter().cloned().chain(dead).chain([FailureCode::Other("newer".to_owned())])
    }

    #[tokio::test(start_paused = true)]
    async fn every_failure_code_ends_a_session_in_this_process_with_its_words() {
        for code in codes() {
            let response = heard(&refusing(Some(code.clone())).await).await.expect("a response");
            assert_eq!(response.error.as_ref().map(|error| &error.code), Some(&code));
            let RunOutcome::Nothing { failure, .. } = settle(response, &CollectedInputs::default()) else {
                panic!("{code}")
            };
            let is_refused = code.kind() == FailureKind::Request;
            assert_eq!(failure.exit, if is_refused { Exit::Refused } else { Exit::Failed }, "{code}");
            assert_eq!((failure.message.as_str(), failure.remedy.is_some()), ("no", is_refused), "{code}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_failure_code_ends_the_wait_for_a_fleet() {
        for code in codes() {
            let client = refusing(Some(code.clone())).await;
            let broker = Broker::Memory(client.connect(Failpoints::none()));
            let store = Store::Memory(MemoryStore::new());
            let caller = Caller { broker, store, content: ContentStore::in_memory() };
            let mut listener = caller.submit_and_listen(&request(), None).await.expect("submitted");
            let said = tokio::time::timeout(LIMIT, listener.next()).await.expect("it ends").expect("a message");
            let SessionMessage::Result(response) = said else { panic!("{said:?}") };
            assert_eq!(response.error.map(|error| error.code), Some(code));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_vanishes_without_a_result_is_an_error() {
        let ended = heard(&refusing(None).await).await;
        assert!(matches!(&ended, Err(EmbeddedError::Engine(why)) if why.contains("without a result")), "{ended:?}");
    }
}

//! The client side of a fleet: submits requests and listens to sessions, over the same exchanges as any other service.

use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::control::Control;
use precis_proto::envelope::{Envelope, Header, MAX_EVENT_BYTES, message_type};
use precis_proto::event::Event;
use precis_proto::request::ResearchRequest;
use precis_proto::response::Response;
use precis_runtime::broker::{Broker, BrokerError, Outgoing, QueueDepth, Replies, Route, Subscription, names};
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::runner::{RESULTS, control, is_known};
use precis_runtime::store::Store;
use precis_runtime::telemetry::TraceContext;
use precis_runtime::telemetry::spans::accept_span;

use crate::cli::research_details::ShownEvent;

/// How often the content store is checked for a result that may have been published before this client listened.
const LOOK: Duration = Duration::from_secs(5);

/// A connection to a fleet that submits, watches and ends sessions.
#[derive(Debug)]
pub struct Caller {
    /// Its broker.
    pub broker: Broker,
    /// The shared store, which records cancellations.
    pub store: Store,
    /// The content store with the results.
    pub content: ContentStore,
}

/// Why a request could not be submitted, or its result not be read.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The broker did not accept it, or the connection was lost.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The request is over a size limit.
    #[error("{0}")]
    TooLarge(String),
    /// The content store cannot be read.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The result is not valid.
    #[error("the result of the session cannot be read: {0}")]
    Unreadable(String),
}

/// A message about a session.
#[derive(Debug)]
pub enum SessionMessage {
    /// Progress.
    Event(Event),
    /// The final result.
    Result(Box<Response>),
}

/// Listens to one session. Open it before submitting the request, so that no message is missed.
#[derive(Debug)]
pub struct SessionListener {
    session: SessionId,
    results: Subscription,
    events: Subscription,
    /// The reply queue, which also receives the result and alone receives a refusal; only for sessions submitted here.
    replies: Option<Replies>,
    content: ContentStore,
}

impl Caller {
    /// Submits `request` on behalf of `tenant`; the broker has accepted it when this returns.
    ///
    /// # Errors
    /// [`SubmitError`].
    pub async fn submit(
        &self,
        request: &ResearchRequest,
        reply_to: Option<String>,
        tenant: Option<String>,
    ) -> Result<(), SubmitError> {
        let message = self.message(request, reply_to, tenant)?;
        self.broker.probe(names::INGRESS).await?;
        Ok(self.broker.unless_blocked(self.broker.publish(message)).await?)
    }

    /// Submits `request` on behalf of `tenant` and listens to its session. Includes refusals, which are sent only to the submitter.
    ///
    /// # Errors
    /// [`SubmitError`].
    pub async fn submit_and_listen(
        &self,
        request: &ResearchRequest,
        tenant: Option<String>,
    ) -> Result<SessionListener, SubmitError> {
        // Subscribe before submitting, so that no message of a short session is missed.
        let mut listener = self.listen(&request.session_id).await?;
        let replies = self.broker.replies().await?;
        let message = self.message(request, Some(replies.address().to_owned()), tenant)?;
        self.broker.probe(names::INGRESS).await?;
        self.broker.unless_blocked(replies.publish_all(vec![message])).await?;
        listener.replies = Some(replies);
        Ok(listener)
    }

    fn message(
        &self,
        request: &ResearchRequest,
        reply_to: Option<String>,
        tenant: Option<String>,
    ) -> Result<Outgoing, SubmitError> {
        let header = Header {
            user: self.broker.user().map(str::to_owned),
            message_type: message_type::REQUEST.to_owned(),
            message_id: request.session_id.to_string(),
            correlation_id: request.session_id.to_string(),
            reply_to,
            tenant,
            traceparent: Some(accept_span(TraceContext::start(), request.session_id.as_str()).to_string()),
            ..Header::default()
        };
        let envelope = Envelope::encode(header, request).map_err(|e| SubmitError::TooLarge(e.to_string()))?;
        let route =
            Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true };
        Ok(Outgoing { route, envelope })
    }

    /// Listens to `session`.
    ///
    /// # Errors
    /// [`BrokerError`] if an exchange is missing.
    pub async fn listen(&self, session: &SessionId) -> Result<SessionListener, BrokerError> {
        Ok(SessionListener {
            session: session.clone(),
            results: self.broker.subscribe(names::RESULTS, session.as_str()).await?,
            events: self.broker.subscribe(names::EVENTS, &format!("*.{session}")).await?,
            replies: None,
            content: self.content.clone(),
        })
    }

    /// Returns the result of a session; `None` if it has not ended.
    ///
    /// # Errors
    /// [`SubmitError::Content`], [`SubmitError::Unreadable`].
    pub async fn result(&self, session: &SessionId) -> Result<Option<Response>, SubmitError> {
        result(&self.content, session).await
    }

    /// Whether the fleet has accepted a request with this session id.
    ///
    /// # Errors
    /// [`SubmitError::Content`].
    pub async fn is_known(&self, session: &SessionId) -> Result<bool, SubmitError> {
        Ok(is_known(&self.content, session).await?)
    }

    /// Returns how many requests wait and how many workers consume them; `None` if the broker does not report it.
    pub async fn requests(&self) -> Option<QueueDepth> {
        self.broker.depth(names::REQUESTS).await.ok()
    }

    /// Sends all workers the command to cancel or stop a session.
    ///
    /// # Errors
    /// [`BrokerError`] if it could not be sent.
    pub async fn control(&self, control: &Control) -> Result<(), BrokerError> {
        control::send(&self.broker, &self.store, control).await
    }
}

impl SessionListener {
    /// Waits for the next message. Cancel-safe.
    ///
    /// # Errors
    /// [`SubmitError::Broker`] if the connection was lost, [`SubmitError::Unreadable`] if a result is invalid.
    pub async fn next(&mut self) -> Result<SessionMessage, SubmitError> {
        loop {
            tokio::select! {
                biased;
                // Events first: the last of them was published before the result.
                event = self.events.next() => if let Ok(event) = event.ok_or(BrokerError::Closed)?.decode_within::<Event>(MAX_EVENT_BYTES)
                    && event.session_id == self.session
                {
                    return Ok(SessionMessage::Event(event));
                },
                answer = next_of(self.replies.as_ref()) => {
                    if let Some(response) = self.response(&answer.ok_or(BrokerError::Closed)?).await? {
                        return Ok(SessionMessage::Result(Box::new(response)));
                    }
                }
                // If the caller drops this future while the complete response is loaded, the look into the content store finds it again.
                result = self.results.next() => {
                    if let Some(response) = self.response(&result.ok_or(BrokerError::Closed)?).await? {
                        return Ok(SessionMessage::Result(Box::new(response)));
                    }
                }
                () = tokio::time::sleep(LOOK) => if let Ok(Some(response)) = result(&self.content, &self.session).await {
                    return Ok(SessionMessage::Result(Box::new(response)));
                },
            }
        }
    }
}

impl SessionListener {
    /// Reads what an event refers to in the content store.
    pub async fn show_event(&self, event: Event) -> ShownEvent {
        ShownEvent::read(event, &self.content).await
    }

    /// Reads the response in a message; `None` if it belongs to another session. That can happen: a session id may contain characters that
    /// a binding key treats as wildcards.
    async fn response(&self, envelope: &Envelope) -> Result<Option<Response>, SubmitError> {
        if envelope.header.correlation_id != self.session.as_str() {
            return Ok(None);
        }
        let response: Response = envelope.decode().map_err(|e| SubmitError::Unreadable(e.to_string()))?;
        whole(&self.content, response).await.map(Some)
    }
}

/// Waits for the next reply; forever if there is no reply queue.
async fn next_of(replies: Option<&Replies>) -> Option<Envelope> {
    match replies {
        Some(replies) => replies.next().await,
        None => std::future::pending().await,
    }
}

/// Loads the complete response if it was too large for a message.
async fn whole(content: &ContentStore, response: Response) -> Result<Response, SubmitError> {
    let Some(whole) = &response.whole else { return Ok(response) };
    let bytes = content.get(&whole.content_ref).await?;
    serde_json::from_slice(&bytes).map_err(|e| SubmitError::Unreadable(e.to_string()))
}

/// Returns the result of a session; `None` if it has not ended.
///
/// # Errors
/// [`SubmitError::Content`], [`SubmitError::Unreadable`].
pub async fn result(content: &ContentStore, session: &SessionId) -> Result<Option<Response>, SubmitError> {
    let Some(bytes) = content.get_named(RESULTS, session.as_str()).await? else { return Ok(None) };
    let kept = serde_json::from_slice(&bytes).map_err(|e| SubmitError::Unreadable(e.to_string()))?;
    whole(content, kept).await.map(Some)
}

//! Asking a fleet for a session, and hearing how it goes: what any other service does, over the same exchanges.

use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::control::Control;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::event::Event;
use precis_proto::request::ResearchRequest;
use precis_proto::response::Response;
use precis_runtime::broker::{Broker, BrokerError, Outgoing, Route, Subscription, names};
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::runner::{RESULTS, control};
use precis_runtime::store::Store;
use precis_runtime::telemetry::TraceContext;

/// How often the content store is asked for a result that may have been published while nobody listened.
const LOOK: Duration = Duration::from_secs(5);

/// A connection from which sessions are asked for, watched and ended.
#[derive(Debug)]
pub struct Caller {
    /// Its broker.
    pub broker: Broker,
    /// The shared store; knows of cancellations.
    pub store: Store,
    /// Where results lie.
    pub content: ContentStore,
}

/// Why a request could not be put, or its result not be had.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The broker did not take it, or its connection ended.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The request is over a size limit.
    #[error("{0}")]
    TooLarge(String),
    /// The content store cannot be read.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// A result that is none.
    #[error("the result of the session cannot be read: {0}")]
    Unreadable(String),
}

/// What a listener hears of a session.
#[derive(Debug)]
pub enum Heard {
    /// Progress.
    Event(Event),
    /// The end.
    Result(Box<Response>),
}

/// Listens to one session. Open it before the request is put, so that nothing is missed.
#[derive(Debug)]
pub struct Listener {
    session: SessionId,
    results: Subscription,
    events: Subscription,
    content: ContentStore,
}

impl Caller {
    /// Puts `request` on behalf of `tenant`; it is the fleet's when this returns.
    ///
    /// # Errors
    /// [`SubmitError`].
    pub async fn submit(
        &self,
        request: &ResearchRequest,
        reply_to: Option<String>,
        tenant: Option<String>,
    ) -> Result<(), SubmitError> {
        let header = Header {
            message_type: message_type::REQUEST.to_owned(),
            message_id: request.session_id.to_string(),
            correlation_id: request.session_id.to_string(),
            reply_to,
            tenant,
            traceparent: Some(TraceContext::start().to_string()),
            ..Header::default()
        };
        let envelope = Envelope::encode(header, request).map_err(|e| SubmitError::TooLarge(e.to_string()))?;
        let route =
            Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true };
        Ok(self.broker.publish(Outgoing { route, envelope }).await?)
    }

    /// Listens to `session`.
    ///
    /// # Errors
    /// [`BrokerError`] where an exchange is missing.
    pub async fn listen(&self, session: &SessionId) -> Result<Listener, BrokerError> {
        Ok(Listener {
            session: session.clone(),
            results: self.broker.subscribe(names::RESULTS, session.as_str()).await?,
            events: self.broker.subscribe(names::EVENTS, &format!("*.{session}")).await?,
            content: self.content.clone(),
        })
    }

    /// The result of a session that has ended.
    ///
    /// # Errors
    /// [`SubmitError::Content`], [`SubmitError::Unreadable`].
    pub async fn result(&self, session: &SessionId) -> Result<Option<Response>, SubmitError> {
        result(&self.content, session).await
    }

    /// Tells every worker to cancel or stop a session.
    ///
    /// # Errors
    /// [`BrokerError`] where nobody could be told.
    pub async fn control(&self, control: &Control) -> Result<(), BrokerError> {
        control::send(&self.broker, &self.store, control).await
    }
}

impl Listener {
    /// The next thing to hear. Cancel-safe.
    ///
    /// # Errors
    /// [`SubmitError::Broker`] where the connection ended, [`SubmitError::Unreadable`] for a result that is none.
    pub async fn next(&mut self) -> Result<Heard, SubmitError> {
        loop {
            tokio::select! {
                biased;
                // Events first: the last of them was published before the result.
                event = self.events.next() => if let Ok(event) = event.ok_or(BrokerError::Closed)?.decode::<Event>()
                    && event.session_id == self.session
                {
                    return Ok(Heard::Event(event));
                },
                result = self.results.next() => {
                    let envelope = result.ok_or(BrokerError::Closed)?;
                    // An id may hold what a binding key takes for a wildcard.
                    if envelope.header.correlation_id == self.session.as_str() {
                        let response = envelope.decode().map_err(|e| SubmitError::Unreadable(e.to_string()))?;
                        return Ok(Heard::Result(Box::new(response)));
                    }
                }
                () = tokio::time::sleep(LOOK) => if let Ok(Some(response)) = result(&self.content, &self.session).await {
                    return Ok(Heard::Result(Box::new(response)));
                },
            }
        }
    }
}

/// The result of a session that has ended.
///
/// # Errors
/// [`SubmitError::Content`], [`SubmitError::Unreadable`].
pub async fn result(content: &ContentStore, session: &SessionId) -> Result<Option<Response>, SubmitError> {
    let Some(bytes) = content.get_named(RESULTS, session.as_str()).await? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|e| SubmitError::Unreadable(e.to_string()))
}

//! The broker connection of a door: kept, and opened again when it is lost. Hears the events of all sessions.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use precis_proto::envelope::MAX_EVENT_BYTES;
use precis_proto::event::Event;
use precis_runtime::broker::{Broker, BrokerError, Outgoing, Subscription, names};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::limits::BROKER_TIME;
use crate::problem::Problem;

/// Shortest pause before the connection is opened again; doubled each time.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// Longest pause: how late the door notices that the broker is back.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How often the door asks whether the broker takes messages: RabbitMQ says so only after a publish.
const ASK: Duration = Duration::from_secs(15);

/// A connection that is being opened.
pub type Connecting<'a> = Pin<Box<dyn Future<Output = Result<Broker, String>> + Send + 'a>>;

/// Opens a broker connection.
pub trait Connect: Send + Sync + fmt::Debug {
    /// Opens a connection; the error is one line for the log.
    fn connect(&self) -> Connecting<'_>;
}

/// The connection as it is now.
#[derive(Debug, Clone)]
pub struct Link {
    broker: watch::Sender<LinkState>,
}

#[derive(Debug, Clone)]
enum LinkState {
    Away(String),
    Up { broker: Broker, blocked: Option<String> },
}

impl Default for Link {
    fn default() -> Self {
        Self { broker: watch::Sender::new(LinkState::Away("not connected yet".to_owned())) }
    }
}

impl Link {
    /// Checks that messages can be published.
    ///
    /// # Errors
    /// Why not, in words.
    pub fn check(&self) -> Result<(), String> {
        match &*self.broker.borrow() {
            LinkState::Up { blocked: None, .. } => Ok(()),
            LinkState::Up { blocked: Some(reason), .. } => Err(format!("it has an alarm ({reason})")),
            LinkState::Away(reason) => Err(reason.clone()),
        }
    }

    /// The broker, if it takes messages.
    ///
    /// # Errors
    /// 503.
    pub fn broker(&self) -> Result<Broker, Problem> {
        match &*self.broker.borrow() {
            LinkState::Up { broker, blocked: None } => Ok(broker.clone()),
            LinkState::Up { blocked: Some(reason), .. } | LinkState::Away(reason) => Err(Problem::broker_away(reason)),
        }
    }

    /// Publishes `message`; the broker has stored it when this returns.
    ///
    /// # Errors
    /// 503, after at most [`BROKER_TIME`]; the message may have arrived all the same.
    pub async fn publish(&self, message: Outgoing) -> Result<(), Problem> {
        let broker = self.broker()?;
        let publishing = broker.unless_blocked(broker.publish(message));
        match timeout(BROKER_TIME, publishing).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                if let BrokerError::Blocked(reason) = &error {
                    self.set_blocked(Some(reason.clone()));
                }
                Err(Problem::broker_away(&in_words(&error)))
            }
            Err(_) => Err(Problem::broker_away("no confirmation within the time limit")),
        }
    }

    fn set_blocked(&self, reason: Option<String>) {
        self.broker.send_if_modified(|state| match state {
            LinkState::Up { blocked, .. } if *blocked != reason => {
                *blocked = reason;
                true
            }
            _ => false,
        });
    }

    /// Keeps the connection open, and calls `heard` with every event, and with `None` whenever some may have been missed. Never ends.
    pub async fn keep(&self, connect: &dyn Connect, heard: impl Fn(Option<Event>)) {
        let mut pause = SHORTEST_PAUSE;
        loop {
            match self.open(connect).await {
                Ok((broker, events)) => {
                    pause = SHORTEST_PAUSE;
                    tracing::info!("connected to the broker");
                    self.broker.send_replace(LinkState::Up { broker: broker.clone(), blocked: None });
                    heard(None);
                    self.until_lost(&broker, events, &heard).await;
                    self.broker.send_replace(LinkState::Away("the connection is lost".to_owned()));
                    broker.close().await;
                    tracing::warn!("the broker connection is lost; reconnecting");
                }
                Err(reason) => {
                    tracing::warn!(%reason, pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX), "the door cannot use the broker");
                    // The caller is told less than the log: the reason may have an address in it.
                    self.broker.send_replace(LinkState::Away("the broker cannot be reached".to_owned()));
                }
            }
            sleep(pause.mul_f64(rand::random_range(0.75..1.25))).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn open(&self, connect: &dyn Connect) -> Result<(Broker, Subscription), String> {
        let broker = connect.connect().await?;
        match broker.subscribe(names::EVENTS, "#").await {
            Ok(events) => Ok((broker, events)),
            Err(error) => {
                broker.close().await;
                Err(format!("listen to events: {error}; if the exchange is missing, run `precis topology apply`"))
            }
        }
    }

    async fn until_lost(&self, broker: &Broker, mut events: Subscription, heard: &impl Fn(Option<Event>)) {
        // One future for all the time: begun anew with every event, it would miss that an alarm is over.
        let mut watching = std::pin::pin!(self.watch_alarms(broker));
        loop {
            tokio::select! {
                event = events.next() => match event {
                    Some(envelope) => {
                        if let Ok(event) = envelope.decode_within::<Event>(MAX_EVENT_BYTES) {
                            heard(Some(event));
                        }
                    }
                    None => return,
                },
                () = &mut watching => unreachable!("watching has no end"),
            }
        }
    }

    /// Keeps what is known of the broker's alarms. Never ends.
    async fn watch_alarms(&self, broker: &Broker) {
        loop {
            tokio::select! {
                reason = broker.wait_until_blocked() => {
                    self.set_blocked(Some(reason));
                    broker.wait_until_unblocked().await;
                    self.set_blocked(None);
                }
                () = sleep(ASK) => drop(broker.probe(names::INGRESS).await),
            }
        }
    }
}

/// What a caller is told of an error; never the words of the broker, which may name users and queues.
fn in_words(error: &BrokerError) -> String {
    match error {
        BrokerError::Blocked(reason) => format!("it has an alarm ({reason})"),
        BrokerError::Unroutable { .. } => "no queue of the fleet takes requests".to_owned(),
        other => {
            tracing::warn!(error = %other, "the broker did not take a message of the door");
            "it did not confirm the message".to_owned()
        }
    }
}

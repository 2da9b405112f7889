//! The service that asks: publishes requests until they are confirmed, and collects what comes back, on its reply queue and from
//! the exchange of results. Repeats are told apart by message id, as the contract says, and must be the same bytes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::request::ResearchRequest;
use precis_runtime::broker::{Binding, Broker, BrokerError, Delivery, Outgoing, Queue, Route, Topology, names};
use precis_runtime::secret_url::SecretUrl;
use tokio_util::task::AbortOnDropHandle;

use super::shared_servers::connect;

/// Results collected and not yet acked, per queue.
const PREFETCH: u16 = 64;
/// Between two tries to publish.
const PAUSE: Duration = Duration::from_millis(100);
/// How often a waiting caller counts.
const LOOK: Duration = Duration::from_millis(50);

/// What came back under one message id.
#[derive(Debug, Clone)]
pub struct Served {
    /// The first body.
    pub body: Bytes,
    /// When it came.
    pub at: Instant,
    /// How often it came again.
    pub repeats: usize,
    /// How many of the repeats were other bytes.
    pub differing: usize,
}

/// What came back on one queue, by message id.
pub type Answers = BTreeMap<String, Served>;

#[derive(Debug, Default)]
struct Collected {
    replies: Answers,
    results: Answers,
}

/// A caller with two durable queues: one for replies, one bound to the exchange of results. Ends with the value.
#[derive(Debug)]
pub struct Caller {
    address: SecretUrl,
    reply_queue: String,
    collected: Arc<Mutex<Collected>>,
    /// The connection requests are published on; `None` after one was lost.
    publishing: tokio::sync::Mutex<Option<Broker>>,
    /// One per queue: consume, record, ack; connect anew when the connection ends.
    _collecting: [AbortOnDropHandle<()>; 2],
}

impl Caller {
    /// A caller at `address` whose queues begin with `name`.
    ///
    /// # Panics
    /// Where its queues cannot be declared.
    pub async fn new(address: SecretUrl, name: &str) -> Self {
        let (reply_queue, result_queue) = (format!("reply.{name}"), format!("reply.{name}.results"));
        let broker = connect(&address).await;
        broker.declare(&queues(&reply_queue, &result_queue)).await.expect("names of its own");
        let collected = Arc::new(Mutex::new(Collected::default()));
        let collect = |queue: &str, into: fn(&mut Collected) -> &mut Answers| {
            let collecting = collect(address.clone(), queue.to_owned(), Arc::clone(&collected), into);
            AbortOnDropHandle::new(tokio::spawn(collecting))
        };
        let collecting = [collect(&reply_queue, |c| &mut c.replies), collect(&result_queue, |c| &mut c.results)];
        let publishing = tokio::sync::Mutex::new(Some(broker));
        Self { address, reply_queue, collected, publishing, _collecting: collecting }
    }

    /// Puts `request`; returns when it is confirmed, under the same id however often it takes.
    ///
    /// # Panics
    /// Where the broker has no place for requests.
    pub async fn ask(&self, request: &ResearchRequest) {
        let id = request.session_id.to_string();
        let header = Header {
            message_type: message_type::REQUEST.to_owned(),
            message_id: id.clone(),
            correlation_id: id,
            reply_to: Some(self.reply_queue.clone()),
            ..Header::default()
        };
        let envelope = Envelope::encode(header, request).expect("a small request");
        let route =
            Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true };
        self.publish(Outgoing { route, envelope }).await;
    }

    /// Puts any message; returns when it is confirmed.
    ///
    /// # Panics
    /// Where no queue would get it, or the broker refuses it.
    pub async fn publish(&self, message: Outgoing) {
        let mut publishing = self.publishing.lock().await;
        loop {
            let broker = match &*publishing {
                Some(broker) => broker.clone(),
                None => publishing.insert(connect(&self.address).await).clone(),
            };
            match broker.publish(message.clone()).await {
                Ok(()) => return,
                Err(
                    error @ (BrokerError::Unroutable { .. } | BrokerError::Refused(_) | BrokerError::Nacked { .. }),
                ) => {
                    panic!("{error}")
                }
                Err(_) => {
                    *publishing = None;
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Forgets what came so far. Call when nothing is on its way any more: names are used again.
    pub fn begin(&self) {
        *lock(&self.collected) = Collected::default();
    }

    /// The queue replies are asked to.
    #[must_use]
    pub fn reply_queue(&self) -> &str {
        &self.reply_queue
    }

    /// What came to the reply queue so far.
    #[must_use]
    pub fn replies(&self) -> Answers {
        lock(&self.collected).replies.clone()
    }

    /// What came from the exchange of results so far.
    #[must_use]
    pub fn results(&self) -> Answers {
        lock(&self.collected).results.clone()
    }

    /// Waits until `wanted` message ids have come back on both ways, at most `limit`; says whether they have.
    pub async fn served(&self, wanted: usize, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        loop {
            let least = {
                let collected = lock(&self.collected);
                collected.replies.len().min(collected.results.len())
            };
            if least >= wanted || Instant::now() > until {
                return least >= wanted;
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

fn queues(replies: &str, results: &str) -> Topology {
    let queue =
        |name: &str| Queue { name: name.to_owned(), delivery_limit: None, dead_letter: None, message_ttl_ms: None };
    Topology {
        // The fleet's own: a caller may not declare it.
        exchanges: Vec::new(),
        queues: vec![queue(replies), queue(results)],
        bindings: vec![Binding { exchange: names::RESULTS.to_owned(), queue: results.to_owned(), key: "#".to_owned() }],
    }
}

async fn collect(
    address: SecretUrl,
    queue: String,
    collected: Arc<Mutex<Collected>>,
    into: fn(&mut Collected) -> &mut Answers,
) {
    loop {
        let broker = connect(&address).await;
        if let Ok(mut consumer) = broker.consume(&queue, PREFETCH).await {
            while let Some(delivery) = consumer.next().await {
                record(into(&mut lock(&collected)), &delivery);
                // One that is not acked comes again, and counts as a repeat then.
                let _ = delivery.ack().await;
            }
        }
        broker.close().await;
        tokio::time::sleep(PAUSE).await;
    }
}

fn record(answers: &mut Answers, delivery: &Delivery) {
    let Envelope { header, body } = &delivery.envelope;
    match answers.get_mut(&header.message_id) {
        Some(served) => {
            served.repeats += 1;
            served.differing += usize::from(served.body != *body);
        }
        None => {
            let served = Served { body: body.clone(), at: Instant::now(), repeats: 0, differing: 0 };
            answers.insert(header.message_id.clone(), served);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

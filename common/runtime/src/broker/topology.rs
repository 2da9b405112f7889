//! Queues, exchanges and their arguments as data: declared on RabbitMQ and in memory alike, printed for operators.

use std::time::Duration;

use precis_proto::Phase;
use serde::{Deserialize, Serialize};

/// Names that other programs may rely on, and functions that build the others.
pub mod names {
    use precis_proto::Phase;
    use std::time::Duration;

    /// Exchange for requests from other services.
    pub const INGRESS: &str = "precis.ingress";
    /// Routing key that no queue is bound or named by: whether the broker accepts a message is seen by its confirm.
    pub const PROBE_KEY: &str = "precis.probe";
    /// Routing key of a request.
    pub const REQUEST_KEY: &str = "research.request";
    /// Routing key of a message that makes workers look at a collection.
    pub const INDEX_KEY: &str = "collection.index";
    /// Queue of these messages.
    pub const INDEXING: &str = "precis.indexing";
    /// Queue of requests.
    pub const REQUESTS: &str = "precis.requests";
    /// Topic exchange that receives every result; key: session id.
    pub const RESULTS: &str = "precis.results";
    /// Topic exchange of progress; key: `{event}.{session id}`.
    pub const EVENTS: &str = "precis.events";
    /// Fanout exchange of control messages.
    pub const CONTROL: &str = "precis.control";
    /// Requests that were redelivered too often: each worker holds one of them at a time.
    pub const REQUESTS_ALONE: &str = "precis.requests.alone";
    /// Sessions that were redelivered too often: each worker holds one of them at a time.
    pub const SESSIONS_ALONE: &str = "precis.session.alone";
    /// Prefix of the queues of jobs that were redelivered too often: see [`jobs_alone`].
    pub const JOBS_ALONE: &str = "precis.jobs.alone.";
    /// Queue of webhooks to be sent.
    pub const WEBHOOKS: &str = "precis.webhooks";
    /// Queue for messages over their delivery limit; a worker gives each a reason and moves it to [`DEAD`].
    pub const UNDERTAKER: &str = "precis.undertaker";
    /// Queue for messages that were redelivered too often from [`UNDERTAKER`]. Has no consumers; operators read it as they read
    /// [`DEAD`].
    pub const LAST: &str = "precis.dead.last";
    /// Dead letters with a typed reason.
    pub const DEAD: &str = "precis.dead";

    /// Queue of the sessions that wait for `phase`.
    #[must_use]
    pub fn session_queue(phase: Phase) -> String {
        format!("precis.session.{phase}")
    }

    /// Queue of the jobs of a kind.
    #[must_use]
    pub fn job_queue(kind: &str) -> String {
        format!("precis.jobs.{kind}")
    }

    /// Queue of the jobs of a kind that were redelivered too often: each worker that serves the kind works on one of them at a time.
    #[must_use]
    pub fn jobs_alone(kind: &str) -> String {
        format!("{JOBS_ALONE}{kind}")
    }

    /// Queue and exchange of a retry tier.
    #[must_use]
    pub fn tier(delay: Duration) -> String {
        format!("precis.retry.{}s", delay.as_secs())
    }
}

/// Redeliveries of a session after which it is dead-lettered.
pub const SESSION_DELIVERY_LIMIT: u32 = 20;
/// Redeliveries of a job after which it is dead-lettered.
pub const JOB_DELIVERY_LIMIT: u32 = 5;
/// Redeliveries of a session in quarantine. It waits for its jobs, and a job that crashes the worker holding both counts against it
/// too. Enough for three documents that crash workers, in flight at once (13 crashes each, seen in tests).
const SESSION_ALONE_DELIVERY_LIMIT: u32 = 40;
/// Redeliveries of a job or request in quarantine. Its worker also holds ordinary jobs, and one of those that is not suspect yet may
/// crash the process twice: enough for three such documents in flight at once, seen in tests, with some margin.
const ALONE_DELIVERY_LIMIT: u32 = 9;
/// Redeliveries of a request: it is held only briefly, so few crashes of a worker can be another message's fault.
pub(super) const REQUEST_DELIVERY_LIMIT: u32 = 5;
/// Redeliveries of a webhook: it is small, and its worker may be killed because of what else it holds.
const WEBHOOK_DELIVERY_LIMIT: u32 = 20;
/// Redeliveries of a message in [`names::UNDERTAKER`].
const UNDERTAKER_DELIVERY_LIMIT: u32 = 5;
/// Most deliveries of one message that nobody can process, in the whole system: the limits of its queue, of its quarantine queue and of
/// [`names::UNDERTAKER`] together.
pub const MAX_DELIVERIES: u32 =
    (SESSION_DELIVERY_LIMIT + 1) + (SESSION_ALONE_DELIVERY_LIMIT + 1) + (UNDERTAKER_DELIVERY_LIMIT + 1);
/// Delays of the retry tiers, shortest first.
pub const TIERS: [Duration; 5] = [
    Duration::from_secs(2),
    Duration::from_secs(15),
    Duration::from_secs(60),
    Duration::from_secs(300),
    Duration::from_secs(1_800),
];
/// Job kinds that have a queue.
pub const JOB_KINDS: [&str; 5] = ["research", "extraction", "digest", "summarization", "compression"];

/// The route of a message; the default exchange (empty) routes by queue name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Route {
    /// Exchange; empty for the default one.
    pub exchange: String,
    /// Routing key.
    pub routing_key: String,
    /// Whether a publish fails if no queue would receive the message.
    pub mandatory: bool,
}

impl Route {
    /// Directly into a queue; mandatory.
    #[must_use]
    pub fn queue(name: impl Into<String>) -> Self {
        Self { exchange: String::new(), routing_key: name.into(), mandatory: true }
    }

    /// To `queue` after `delay`, which is one of [`TIERS`].
    #[must_use]
    pub fn after_delay(delay: Duration, queue: impl Into<String>) -> Self {
        Self { exchange: names::tier(delay), routing_key: queue.into(), mandatory: true }
    }

    /// To all bound queues, if any.
    #[must_use]
    pub fn broadcast(exchange: &str, routing_key: impl Into<String>) -> Self {
        Self { exchange: exchange.to_owned(), routing_key: routing_key.into(), mandatory: false }
    }
}

/// How an exchange routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExchangeKind {
    /// The routing key equals the binding key.
    Direct,
    /// Words with the wildcards `*` and `#`.
    Topic,
    /// Every binding.
    Fanout,
}

/// A durable exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// Name.
    pub name: String,
    /// Routing.
    pub kind: ExchangeKind,
}

/// The dead-letter route of a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// Exchange; empty for the default one.
    pub exchange: String,
    /// Routing key; `None` keeps the message's own.
    pub routing_key: Option<String>,
}

/// A durable quorum queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queue {
    /// Name.
    pub name: String,
    /// Redeliveries after which a message is dead-lettered: limit N allows N + 1 deliveries.
    pub delivery_limit: Option<u32>,
    /// The route of dead letters: over the limit, rejected or expired.
    pub dead_letter: Option<DeadLetter>,
    /// Time after which a message is dead-lettered, in milliseconds.
    pub message_ttl_ms: Option<u64>,
}

/// A queue bound to an exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Exchange.
    pub exchange: String,
    /// Queue.
    pub queue: String,
    /// Binding key.
    pub key: String,
}

/// Everything that must be declared before a worker consumes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// Exchanges.
    pub exchanges: Vec<Exchange>,
    /// Queues.
    pub queues: Vec<Queue>,
    /// Bindings.
    pub bindings: Vec<Binding>,
}

impl Topology {
    /// The topology of this build.
    #[must_use]
    pub fn standard() -> Self {
        let mut exchanges = vec![
            Exchange { name: names::INGRESS.to_owned(), kind: ExchangeKind::Direct },
            Exchange { name: names::RESULTS.to_owned(), kind: ExchangeKind::Topic },
            Exchange { name: names::EVENTS.to_owned(), kind: ExchangeKind::Topic },
            Exchange { name: names::CONTROL.to_owned(), kind: ExchangeKind::Fanout },
        ];
        let mut queues = vec![work_queue(names::REQUESTS.to_owned(), REQUEST_DELIVERY_LIMIT)];
        queues.extend(Phase::ALL.iter().map(|p| work_queue(names::session_queue(*p), SESSION_DELIVERY_LIMIT)));
        queues.extend(JOB_KINDS.iter().map(|k| work_queue(names::job_queue(k), JOB_DELIVERY_LIMIT)));
        queues.push(work_queue(names::INDEXING.to_owned(), JOB_DELIVERY_LIMIT));
        queues.push(work_queue(names::REQUESTS_ALONE.to_owned(), ALONE_DELIVERY_LIMIT));
        queues.push(work_queue(names::SESSIONS_ALONE.to_owned(), SESSION_ALONE_DELIVERY_LIMIT));
        queues.extend(JOB_KINDS.iter().map(|k| work_queue(names::jobs_alone(k), ALONE_DELIVERY_LIMIT)));
        queues.push(work_queue(names::WEBHOOKS.to_owned(), WEBHOOK_DELIVERY_LIMIT));
        queues.push(Queue {
            name: names::UNDERTAKER.to_owned(),
            delivery_limit: Some(UNDERTAKER_DELIVERY_LIMIT),
            dead_letter: Some(DeadLetter { exchange: String::new(), routing_key: Some(names::LAST.to_owned()) }),
            message_ttl_ms: None,
        });
        queues.push(store_queue(names::LAST));
        queues.push(store_queue(names::DEAD));
        let ingress = [(names::REQUESTS, names::REQUEST_KEY), (names::INDEXING, names::INDEX_KEY)];
        let mut bindings: Vec<Binding> = ingress
            .into_iter()
            .map(|(queue, key)| Binding {
                exchange: names::INGRESS.to_owned(),
                queue: queue.to_owned(),
                key: key.to_owned(),
            })
            .collect();
        for delay in TIERS {
            let name = names::tier(delay);
            exchanges.push(Exchange { name: name.clone(), kind: ExchangeKind::Fanout });
            queues.push(delay_queue(name.clone(), delay));
            bindings.push(Binding { exchange: name.clone(), queue: name, key: String::new() });
        }
        Self { exchanges, queues, bindings }
    }
}

/// A queue from which only an operator takes messages.
fn store_queue(name: &str) -> Queue {
    Queue { name: name.to_owned(), delivery_limit: None, dead_letter: None, message_ttl_ms: None }
}

/// A queue in which a message waits for `delay`. The message keeps the key it was published with, which names the queue it returns to
/// through the default exchange.
fn delay_queue(name: String, delay: Duration) -> Queue {
    Queue {
        name,
        delivery_limit: None,
        dead_letter: Some(DeadLetter { exchange: String::new(), routing_key: None }),
        message_ttl_ms: u64::try_from(delay.as_millis()).ok(),
    }
}

fn work_queue(name: String, delivery_limit: u32) -> Queue {
    let dead_letter = DeadLetter { exchange: String::new(), routing_key: Some(names::UNDERTAKER.to_owned()) };
    Queue { name, delivery_limit: Some(delivery_limit), dead_letter: Some(dead_letter), message_ttl_ms: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_work_queue_has_a_limit_and_a_dead_letter_queue() {
        for queue in Topology::standard().queues {
            let worked_on = queue.name == names::UNDERTAKER
                || ["precis.session.", "precis.jobs.", names::REQUESTS, names::INDEXING, names::WEBHOOKS]
                    .iter()
                    .any(|stem| queue.name.starts_with(stem));
            assert_eq!(worked_on, queue.delivery_limit.is_some(), "{}", queue.name);
            assert!(!worked_on || queue.dead_letter.is_some(), "{}", queue.name);
        }
    }

    #[test]
    fn every_binding_names_things_that_exist() {
        let topology = Topology::standard();
        for b in &topology.bindings {
            assert!(topology.queues.iter().any(|q| q.name == b.queue), "{}", b.queue);
            assert!(topology.exchanges.iter().any(|e| e.name == b.exchange), "{}", b.exchange);
        }
    }
}

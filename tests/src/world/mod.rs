//! A fleet in one process, small enough to be torn apart: toy handlers on the real runner, memory broker and memory store,
//! workers that die where they are told to.

mod handlers;
pub mod real;
mod worker;

use std::collections::BTreeMap;
use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::response::Response;
use precis_proto::state::STATE_SCHEMA_VERSION;
use precis_runtime::broker::{Broker, DeadLetter, MemoryBroker, Outgoing, Queue, Route, Topology, names};
use precis_runtime::clock::Clock;
use precis_runtime::content::ContentStore;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::runner::Paging;
use precis_runtime::store::{MemoryStore, Store};
use serde_json::json;

use crate::finished;

pub use handlers::{HANDLER_RUNS, expected, registry};
pub use worker::{Fate, WorkerSlot, parts};

/// Queue that callers read.
pub const REPLIES: &str = "reply.test.alice.bob";

/// Everything that outlives a worker.
#[derive(Debug, Clone)]
pub struct World {
    /// The broker.
    pub broker: MemoryBroker,
    /// The store.
    pub store: MemoryStore,
    /// The content store.
    pub content: ContentStore,
    /// The clock.
    pub clock: Clock,
    /// From which size on its workers put states on pages.
    pub paging: Paging,
    /// Version of the states its workers write.
    pub emit_version: u32,
}

impl World {
    /// A world with the standard topology and a queue for replies.
    pub async fn new() -> Self {
        let broker = MemoryBroker::new();
        let mut topology = Topology::standard();
        topology.queues.push(Queue {
            name: REPLIES.to_owned(),
            delivery_limit: None,
            dead_letter: None::<DeadLetter>,
            message_ttl_ms: None,
        });
        let declaring = Broker::Memory(broker.connect(Failpoints::none()));
        declaring.declare(&topology).await.expect("the topology is consistent");
        let clock = Clock::starting_at(precis_proto::Timestamp(1_700_000_000_000));
        Self {
            broker,
            store: MemoryStore::new().with_clock(clock.clone()),
            content: ContentStore::in_memory(),
            clock,
            paging: Paging::default(),
            emit_version: STATE_SCHEMA_VERSION,
        }
    }

    /// A world whose workers put every state on pages, however small it is, a few items on each.
    pub async fn paged() -> Self {
        Self { paging: Paging { inline_bytes: 0, page_bytes: 400, refs: 1 }, ..Self::new().await }
    }

    /// The store as the seam.
    #[must_use]
    pub fn store(&self) -> Store {
        Store::Memory(self.store.clone())
    }

    /// A connection of a caller: nothing goes wrong on it but a broker restart.
    #[must_use]
    pub fn caller(&self) -> Broker {
        Broker::Memory(self.broker.connect(Failpoints::none()))
    }

    /// Publishes a request for `session` with `sources` toy sources.
    pub async fn submit(&self, session: &str, sources: usize) {
        let sources: Vec<_> = (0..sources)
            .map(|n| json!({ "source_id": format!("{session}-s{n}"), "content": format!("text {n}") }))
            .collect();
        let body = json!({ "schema_version": 2, "session_id": session, "query": "q", "sources": sources });
        self.submit_body(session, &body).await;
    }

    /// Publishes any JSON as a request.
    pub async fn submit_body(&self, session: &str, body: &serde_json::Value) {
        let header = Header {
            message_type: message_type::REQUEST.to_owned(),
            message_id: session.to_owned(),
            correlation_id: session.to_owned(),
            reply_to: Some(REPLIES.to_owned()),
            ..Header::default()
        };
        let envelope = Envelope::encode(header, body).expect("small");
        let route =
            Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true };
        self.caller().publish(Outgoing { route, envelope }).await.expect("the ingress is there");
    }

    /// Every result that has arrived, by session, repeats included.
    #[must_use]
    pub fn results(&self) -> BTreeMap<SessionId, Vec<Vec<u8>>> {
        let mut results: BTreeMap<SessionId, Vec<Vec<u8>>> = BTreeMap::new();
        for envelope in self.broker.messages(REPLIES) {
            let session = SessionId::new(envelope.header.correlation_id.clone()).expect("an id");
            results.entry(session).or_default().push(envelope.body.to_vec());
        }
        results
    }

    /// Waits until `sessions` sessions have a result, at most `limit` of (paused) time. Every report among them must hold: see
    /// [`crate::finished`].
    ///
    /// # Errors
    /// How many had one when the time was over.
    ///
    /// # Panics
    /// Where a report does not hold.
    pub async fn wait_for(&self, sessions: usize, limit: Duration) -> Result<(), usize> {
        let waiting = async {
            while self.results().len() < sessions {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::time::timeout(limit, waiting).await.map_err(|_| self.results().len())?;
        for (session, bodies) in self.results() {
            let held = finished::check_result(&bodies[0], &self.content).await;
            held.unwrap_or_else(|said| panic!("the report of {session} does not hold: {said}"));
        }
        Ok(())
    }

    /// Queues other than the replies that hold messages for good: duplicates and jobs nobody waits for are on their way out for
    /// as long as a job may take.
    pub async fn leftovers(&self) -> Vec<(String, u64)> {
        for _ in 0..120 {
            tokio::time::sleep(Duration::from_secs(10)).await;
            if self.depths().await.is_empty() {
                return Vec::new();
            }
        }
        self.depths().await
    }

    async fn depths(&self) -> Vec<(String, u64)> {
        let caller = self.caller();
        let mut left = Vec::new();
        for queue in Topology::standard().queues {
            let depth = caller.depth(&queue.name).await.expect("declared");
            let messages = depth.ready + depth.unacked.unwrap_or_default();
            if messages > 0 {
                left.push((queue.name, messages));
            }
        }
        caller.close().await;
        left
    }

    /// Checks what must hold whatever happened: each session once, as without faults, repeats identical, nothing left behind.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub async fn check(&self, sessions: &[(&str, usize)]) -> Result<(), String> {
        let results = self.results();
        if results.len() != sessions.len() {
            return Err(format!("{} results for {} sessions", results.len(), sessions.len()));
        }
        for (session, sources) in sessions {
            let id = SessionId::new(*session).expect("an id");
            let bodies = results.get(&id).ok_or_else(|| format!("{session} has no result"))?;
            if bodies.iter().any(|b| b != &bodies[0]) {
                return Err(format!("{session}: its repeats differ"));
            }
            let response: Response = serde_json::from_slice(&bodies[0]).map_err(|e| e.to_string())?;
            let report = response.data.as_ref().map(|d| d.report.clone());
            if report.as_deref() != Some(expected(session, *sources).as_str()) {
                return Err(format!("{session}: {report:?} {:?}", response.error));
            }
        }
        match self.leftovers().await {
            left if left.is_empty() => Ok(()),
            left => Err(format!("messages left behind: {left:?}")),
        }
    }
}

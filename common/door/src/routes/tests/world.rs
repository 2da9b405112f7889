//! A door on a broker in memory, without workers, and what it answers.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use bytes::Bytes;
use precis_proto::event::{Event, EventKind};
use precis_proto::failure_code::FailureCode;
use precis_proto::ids::sha256_hex;
use precis_proto::request::ResearchRequest;
use precis_proto::response::{ErrorInfo, Response, Status};
use precis_proto::{SessionId, Timestamp};
use precis_runtime::broker::{Broker, MemoryBroker, Topology, names};
use precis_runtime::clock::Clock;
use precis_runtime::config::TokenScope;
use precis_runtime::content::ContentStore;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::fetch::FetchPolicy;
use precis_runtime::runner::RESULTS;
use precis_runtime::store::{MemoryStore, Store};
use precis_runtime::webhooks::{Endpoint, Endpoints};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tower_service::Service;

use super::described;
use crate::base_path::BasePath;
use crate::callers::{ApiToken, Callers};
use crate::door::{Door, DoorParts};
use crate::estimates::Estimate;
use crate::limits::DoorLimits;
use crate::link::{Connect, Connecting};
use crate::reports::{ReportForm, ReportVerdict, Reporting, Reports};
use crate::routes::router;
use crate::storage::Storage;

/// A broker that may be away.
#[derive(Debug)]
struct Memory(MemoryBroker, bool);

impl Connect for Memory {
    fn connect(&self) -> Connecting<'_> {
        Box::pin(async {
            match self.1 {
                true => Ok(Broker::Memory(self.0.connect(Failpoints::none()))),
                false => Err("amqp://secret@broker is away".to_owned()),
            }
        })
    }
}

/// Words in place of reports.
#[derive(Debug)]
struct Words;

impl Reports for Words {
    fn render(&self, response: Response, form: ReportForm) -> Reporting<'_, String> {
        Box::pin(async move { Ok(format!("{form:?} of {}", response.data.expect("a report").query)) })
    }

    fn zip_report(&self, response: Response, most: u64) -> Reporting<'_, Option<Vec<u8>>> {
        let words = format!("zip of {}", response.data.expect("a report").query).into_bytes();
        Box::pin(async move { Ok(Some(words).filter(|words| words.len() as u64 <= most)) })
    }

    fn verify(&self, _: Response) -> Reporting<'_, ReportVerdict> {
        let verdict = ReportVerdict {
            holds: true,
            citations_proved: 1,
            texts_proved: 1,
            is_sealed: None,
            mismatches: Vec::new(),
        };
        Box::pin(async move { Ok(verdict) })
    }

    fn estimate(&self, request: ResearchRequest) -> Reporting<'_, Estimate> {
        let unread_sources = request.sources.len() as u64;
        Box::pin(async move { Ok(Estimate { unread_sources, ..Estimate::default() }) })
    }
}

/// Bytes that tenant `b` may store on a day.
pub(super) const MAY_STORE: u64 = 1_000;

pub(super) struct World {
    pub(super) broker: Broker,
    pub(super) content: ContentStore,
    pub(super) store: Store,
    pub(super) door: Arc<Door>,
    pub(super) router: Router,
    _connected: Arc<AbortOnDropHandle<()>>,
}

pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub(super) fn code(&self) -> (u16, String) {
        assert_eq!(self.headers["content-type"], "application/problem+json");
        (self.status, self.json()["code"].as_str().expect("a code").to_owned())
    }
}

fn tokens() -> Callers {
    let token = |name: &str, tenant: &str, scopes: &[TokenScope]| {
        ApiToken::new(name, &sha256_hex(name.as_bytes()), tenant, scopes).expect("a hash")
    };
    let all = [TokenScope::Submit, TokenScope::Read, TokenScope::Operate];
    Callers::Tokens(vec![
        token("alpha", "a", &all),
        token("submitter", "a", &[TokenScope::Submit]),
        token("reader", "a", &[TokenScope::Read]),
        token("beta", "b", &all),
        token("gamma", "c", &all),
    ])
}

fn endpoints() -> Endpoints {
    let endpoint = |tenant: Option<&str>| {
        let url = serde_json::from_value(json!("https://hooks.example/")).expect("an address");
        Endpoint { url: Some(url), secrets: Vec::new(), tenant: tenant.map(str::to_owned), signs_urls: false }
    };
    let by_name = [("all".to_owned(), endpoint(None)), ("of-c".to_owned(), endpoint(Some("c")))];
    Endpoints::new(by_name.into(), Vec::new(), FetchPolicy::default())
}

pub(super) async fn world(is_there: bool) -> World {
    world_with(is_there, DoorLimits { request_bytes: 10_000, ..DoorLimits::default() }).await
}

pub(super) async fn world_with(is_there: bool, limits: DoorLimits) -> World {
    world_below("", is_there, limits).await
}

/// A door whose addresses are below `base`.
pub(super) async fn world_below(base: &str, is_there: bool, limits: DoorLimits) -> World {
    let base_path = BasePath::parse(base).expect("a path");
    let memory = MemoryBroker::new();
    let broker = Broker::Memory(memory.connect(Failpoints::none()));
    broker.declare(&Topology::standard()).await.expect("declared");
    let (content, store) = (ContentStore::in_memory(), Store::Memory(MemoryStore::new()));
    let parts = DoorParts {
        content,
        store,
        is_store_shared: true,
        connect: Arc::new(Memory(memory, is_there)),
        callers: tokens(),
        clock: Clock::system(),
        reports: Arc::new(Words),
        storage: Storage::new(|tenant| match tenant {
            Some("b") => ("tenant b".to_owned(), MAY_STORE),
            _ => ("others".to_owned(), u64::MAX),
        }),
        limits,
        base_path,
        webhooks: endpoints(),
    };
    let world = opened(broker, parts);
    if is_there {
        world.until_ready().await;
    }
    world
}

/// The world behind a new door of these parts.
fn opened(broker: Broker, parts: DoorParts) -> World {
    let (content, store) = (parts.content.clone(), parts.store.clone());
    let door = Door::new(parts, CancellationToken::new());
    let connected = tokio::spawn({
        let door = Arc::clone(&door);
        async move { door.keep_connected().await }
    });
    let _connected = Arc::new(AbortOnDropHandle::new(connected));
    World { broker, content, store, router: router(Arc::clone(&door)), door, _connected }
}

impl World {
    /// Another door of the same fleet.
    pub(super) async fn beside(&self) -> Self {
        let world = opened(self.broker.clone(), self.door.parts.clone());
        world.until_ready().await;
        world
    }

    async fn until_ready(&self) {
        while self.get("/readyz").await.status != 200 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    pub(super) async fn raw(&self, request: Request<Body>) -> axum::response::Response {
        self.router.clone().call(request).await.expect("infallible")
    }

    pub(super) async fn call(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request =
            Request::builder().method(method).uri(path).header("authorization", format!("Bearer {token}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.raw(request.body(Body::from(body.to_owned())).expect("a request")).await;
        let (parts, body) = response.into_parts();
        if self.door.parts.base_path.as_str().is_empty() {
            described::check(method, path, &parts);
        }
        let body = to_bytes(body, usize::MAX).await.expect("a body");
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.call("alpha", "GET", path, "", &[]).await
    }

    pub(super) async fn post(&self, body: &Value, key: Option<&str>) -> Answer {
        let headers: Vec<_> = key.map(|key| ("idempotency-key", key)).into_iter().collect();
        self.call("alpha", "POST", "/v1/sessions", &body.to_string(), &headers).await
    }

    /// Submits a request, and returns its session.
    pub(super) async fn submitted(&self, query: &str) -> SessionId {
        let answer = self.post(&request(query), None).await;
        assert_eq!(answer.status, 202, "{:?}", answer.body);
        SessionId::new(answer.json()["id"].as_str().expect("an id")).expect("an id")
    }

    pub(super) async fn waiting(&self) -> u64 {
        self.broker.depth(names::REQUESTS).await.expect("declared").ready
    }

    pub(super) async fn end(&self, session: &SessionId) -> Bytes {
        let error = ErrorInfo::new(Status::Failed, FailureCode::OverBudget, "words");
        let kept = Bytes::from(serde_json::to_vec(&Response::failure(error)).expect("plain data"));
        self.content.put_named_if_absent(RESULTS, session.as_str(), kept).await.expect("kept")
    }

    pub(super) async fn log(&self, session: &SessionId, kind: EventKind) {
        let event = Event { session_id: session.clone(), at: Timestamp(7), kind };
        let json = Bytes::from(serde_json::to_vec(&event).expect("plain data"));
        self.store.events().add(&[(session.clone(), json)]).await.expect("in memory");
        self.door.wakeups.wake(session);
    }

    /// What the stream of a session sends until it ends, as ids and words.
    pub(super) async fn events(&self, session: &SessionId, last: Option<&str>) -> Vec<(Option<String>, String)> {
        let headers: Vec<_> = last.map(|id| ("last-event-id", id)).into_iter().collect();
        let answer = self.call("alpha", "GET", &format!("/v1/sessions/{session}/events"), "", &headers).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        parsed(&answer.body)
    }
}

pub(super) fn parsed(stream: &[u8]) -> Vec<(Option<String>, String)> {
    let text = String::from_utf8_lossy(stream);
    let field = |frame: &str, name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    text.split("\n\n").filter_map(|frame| Some((field(frame, "id: "), field(frame, "event: ")?))).collect()
}

pub(super) fn request(query: &str) -> Value {
    json!({ "schema_version": 2, "query": query, "sources": [{ "source_id": "a", "content": "SECRET TEXT" }] })
}

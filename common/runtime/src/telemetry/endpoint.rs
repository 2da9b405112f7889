//! The HTTP endpoint for operators and probes: `/metrics`, `/healthz` (the process responds), `/readyz` (it accepts work).

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{ACCEPT, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep};

use super::exposition;
use super::metrics::metrics;

/// Connections served at once. Above that the oldest is closed: a probe is always new, and connections held open are old.
const CONNECTIONS: usize = 32;
/// Time limit for a request to arrive. Probes and scrapers send theirs at once.
const HEADER_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest duration of a connection.
const MAX_CONNECTION: Duration = Duration::from_secs(30);

/// Whether the process accepts work; set by its supervisor.
#[derive(Debug, Clone, Default)]
pub struct Health(Arc<HealthFlags>);

#[derive(Debug, Default)]
struct HealthFlags {
    is_ready: AtomicBool,
    /// The broker accepts no messages.
    is_blocked: AtomicBool,
    /// Why the content store cannot be used, if it cannot.
    without_content: Mutex<Option<String>>,
}

impl Health {
    /// Sets whether work is accepted now.
    pub fn set_ready(&self, is_ready: bool) {
        // Relaxed: the flag guards no other data.
        self.0.is_ready.store(is_ready, Ordering::Relaxed);
    }

    /// Sets whether the broker refuses all messages now, because of an alarm.
    pub fn set_blocked(&self, is_blocked: bool) {
        self.0.is_blocked.store(is_blocked, Ordering::Relaxed);
    }

    /// Sets why the content store cannot be used now; `None` if it can.
    pub fn set_without_content(&self, reason: Option<String>) {
        *self.0.without_content.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    /// Whether work is accepted now.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.is_ready.load(Ordering::Relaxed) && !self.is_blocked()
    }

    fn without_content(&self) -> Option<String> {
        self.0.without_content.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_blocked(&self) -> bool {
        self.0.is_blocked.load(Ordering::Relaxed)
    }
}

/// The endpoint could not listen on its address.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {reason}")]
pub struct EndpointError {
    address: String,
    reason: String,
}

/// A running endpoint; it stops when this is dropped.
#[derive(Debug)]
pub struct MetricsEndpoint {
    address: SocketAddr,
    serving: AbortHandle,
}

impl MetricsEndpoint {
    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MetricsEndpoint {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// How long, and how often, to retry an address in use. Chosen: a killed process is gone within a second or two.
const TAKEN: Duration = Duration::from_secs(5);
const TAKEN_PAUSE: Duration = Duration::from_millis(100);

/// Serves the metrics of this process and `health` on `address`, such as `127.0.0.1:9464`; port 0 takes a free one.
///
/// An address in use is retried for [`TAKEN`]: a worker that was killed and restarted may start before the system has released the
/// address of the old process.
///
/// # Errors
/// [`EndpointError`] if the address stays in use, or is not one of this machine's.
pub async fn serve(address: &str, health: Health) -> Result<MetricsEndpoint, EndpointError> {
    let failed = |e: std::io::Error| EndpointError { address: address.to_owned(), reason: e.to_string() };
    let begun = Instant::now();
    let listener = loop {
        match TcpListener::bind(address).await {
            Err(e) if e.kind() == std::io::ErrorKind::AddrInUse && begun.elapsed() < TAKEN => sleep(TAKEN_PAUSE).await,
            bound => break bound.map_err(failed)?,
        }
    };
    let bound = listener.local_addr().map_err(failed)?;
    let serving = tokio::spawn(accept(listener, health)).abort_handle();
    Ok(MetricsEndpoint { address: bound, serving })
}

async fn accept(listener: TcpListener, health: Health) {
    let mut connections = JoinSet::new();
    let mut handles: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Most likely out of file descriptors: a later attempt may succeed.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        while connections.try_join_next().is_some() {}
        handles.retain(|handle| !handle.is_finished());
        while handles.len() >= CONNECTIONS
            && let Some(oldest) = handles.pop_front()
        {
            oldest.abort();
        }
        let health = health.clone();
        // Spawned in the set, so that the connections end with the endpoint.
        let handle = connections.spawn(async move {
            let service = service_fn(move |request| {
                let answer = answer(&request, &health);
                async move { Ok::<_, Infallible>(answer) }
            });
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
            let serve = http.serve_connection(TokioIo::new(stream), service);
            // Ignored: a client may hang up, or be cut off here, at any time.
            let _ = tokio::time::timeout(MAX_CONNECTION, serve).await;
        });
        handles.push_back(handle);
    }
}

fn answer(request: &Request<Incoming>, health: &Health) -> Response<FullBody> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return text(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "GET only\n".to_owned());
    }
    match request.uri().path() {
        "/metrics" => {
            let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
            match exposition::wants_plain(accept) {
                true => text(StatusCode::OK, exposition::PLAIN, exposition::plain(&metrics().text())),
                false => text(StatusCode::OK, exposition::OPENMETRICS, metrics().text()),
            }
        }
        "/healthz" => text(StatusCode::OK, "text/plain", "ok\n".to_owned()),
        "/readyz" if health.is_ready() => text(StatusCode::OK, "text/plain", "ready\n".to_owned()),
        "/readyz" if health.is_blocked() => {
            let reason = "the broker accepts no messages: it has a memory or disk alarm\n";
            text(StatusCode::SERVICE_UNAVAILABLE, "text/plain", reason.to_owned())
        }
        "/readyz" => {
            let reason = health.without_content().unwrap_or_else(|| "not connected".to_owned());
            text(StatusCode::SERVICE_UNAVAILABLE, "text/plain", format!("{reason}\n"))
        }
        _ => text(StatusCode::NOT_FOUND, "text/plain", "/metrics, /healthz, /readyz\n".to_owned()),
    }
}

fn text(status: StatusCode, content_type: &'static str, body: String) -> Response<FullBody> {
    let mut response = Response::new(FullBody(Some(Bytes::from(body))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(content_type));
    response
}

/// A body that is completely in memory.
#[derive(Debug)]
struct FullBody(Option<Bytes>);

impl Body for FullBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        std::task::Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    async fn ask(endpoint: &MetricsEndpoint, line: &str) -> String {
        let mut stream = tokio::net::TcpStream::connect(endpoint.address()).await.expect("listening");
        stream
            .write_all(format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes())
            .await
            .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("answered");
        answer
    }

    #[tokio::test]
    async fn it_serves_metrics_health_and_readiness_and_nothing_else() {
        let health = Health::default();
        let endpoint = serve("127.0.0.1:0", health.clone()).await.expect("a free port");
        assert!(ask(&endpoint, "GET /healthz").await.starts_with("HTTP/1.1 200"));
        assert!(ask(&endpoint, "GET /readyz").await.starts_with("HTTP/1.1 503"));
        health.set_ready(true);
        assert!(ask(&endpoint, "GET /readyz").await.starts_with("HTTP/1.1 200"));
        health.set_blocked(true);
        let blocked = ask(&endpoint, "GET /readyz").await;
        assert!(blocked.starts_with("HTTP/1.1 503") && blocked.contains("alarm"), "{blocked}");
        health.set_blocked(false);
        health.set_ready(false);
        health.set_without_content(Some("the content store is full".to_owned()));
        let full = ask(&endpoint, "GET /readyz").await;
        assert!(full.starts_with("HTTP/1.1 503") && full.contains("the content store is full"), "{full}");
        health.set_without_content(None);
        assert!(ask(&endpoint, "GET /readyz").await.contains("not connected"));
        metrics().broker.duplicate();
        assert!(ask(&endpoint, "GET /metrics").await.contains("precis_duplicate_deliveries_total"));
        let plain = ask(&endpoint, "GET /metrics HTTP/1.1\r\nAccept: text/plain;version=0.0.4\r\nX: x").await;
        assert!(plain.contains("\r\ncontent-type: text/plain; version=0.0.4"), "{plain}");
        assert!(plain.contains("# TYPE precis_duplicate_deliveries_total counter") && !plain.contains("# EOF"));
        assert!(ask(&endpoint, "GET /other").await.starts_with("HTTP/1.1 404"));
        assert!(ask(&endpoint, "POST /metrics").await.starts_with("HTTP/1.1 405"));
    }

    #[tokio::test]
    async fn a_probe_is_answered_at_once_whatever_else_is_held_open() {
        let endpoint = serve("127.0.0.1:0", Health::default()).await.expect("a free port");
        let mut held = Vec::new();
        for n in 0..3 * CONNECTIONS {
            let mut stream = tokio::net::TcpStream::connect(endpoint.address()).await.expect("listening");
            // Half a request, or nothing.
            stream.write_all(if n % 2 == 0 { b"GET /healthz HT" } else { b"" }).await.expect("sent");
            held.push(stream);
        }
        let probe = tokio::time::timeout(Duration::from_secs(3), ask(&endpoint, "GET /healthz")).await;
        assert!(probe.expect("an answer in time").starts_with("HTTP/1.1 200"));
        drop(held);
    }

    #[tokio::test]
    async fn a_request_that_does_not_arrive_is_not_waited_for() {
        let endpoint = serve("127.0.0.1:0", Health::default()).await.expect("a free port");
        let mut stream = tokio::net::TcpStream::connect(endpoint.address()).await.expect("listening");
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost:").await.expect("sent");
        let mut rest = String::new();
        let ended =
            tokio::time::timeout(HEADER_TIMEOUT + Duration::from_secs(5), stream.read_to_string(&mut rest)).await;
        assert!(ended.is_ok(), "the connection is still open");
    }

    #[tokio::test]
    async fn a_taken_address_is_named() {
        let first = serve("127.0.0.1:0", Health::default()).await.expect("a free port");
        let address = first.address().to_string();
        let error = serve(&address, Health::default()).await.expect_err("taken");
        assert!(error.to_string().starts_with(&format!("cannot listen on {address}: ")), "{error}");
    }
}

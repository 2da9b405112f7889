//! Serves a router on a listener: how many connections at once, how long a head may take, and how all of them end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use precis_runtime::tls::ServerTls;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::callers::{Callers, LOOPBACK_ONLY};
use crate::limits::{DRAIN_TIME, DoorLimits, MAX_HEAD_BYTES, MAX_HEADERS};

/// How long, and how often, to try an address in use: a process that was killed is gone within a second or two.
const TAKEN: Duration = Duration::from_secs(5);
const TAKEN_PAUSE: Duration = Duration::from_millis(100);

/// Why the door cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServeError {
    /// The address is not one, or cannot be listened on.
    #[error("cannot listen on {address}: {reason}")]
    Address {
        /// As given.
        address: String,
        /// Why.
        reason: String,
    },
    /// There are no tokens, and the address can be reached from other machines.
    #[error("cannot listen on {0}: {LOOPBACK_ONLY}")]
    NotLoopback(SocketAddr),
}

/// Opens the address of a door for `callers`, such as `127.0.0.1:8080`; port 0 takes a free one.
///
/// # Errors
/// [`ServeError`].
pub async fn listen(address: &str, callers: &Callers) -> Result<TcpListener, ServeError> {
    let failed = |reason: String| ServeError::Address { address: address.to_owned(), reason };
    let resolved: Vec<SocketAddr> =
        tokio::net::lookup_host(address).await.map_err(|error| failed(error.to_string()))?.collect();
    if let Some(open) = resolved.iter().find(|address| !callers.may_listen(**address)) {
        return Err(ServeError::NotLoopback(*open));
    }
    let begun = Instant::now();
    loop {
        match TcpListener::bind(&resolved[..]).await {
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse && begun.elapsed() < TAKEN => {
                sleep(TAKEN_PAUSE).await;
            }
            bound => return bound.map_err(|error| failed(error.to_string())),
        }
    }
}

/// Serves `router` until `stopping` fires, over TLS if there is a certificate; then lets requests that are under way end, within
/// [`DRAIN_TIME`].
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: DoorLimits,
    stopping: CancellationToken,
    tls: Option<Arc<ServerTls>>,
) {
    let (mut connections, room) = (JoinSet::new(), Arc::new(Semaphore::new(limits.connections)));
    loop {
        // Room first: a connection that is not accepted waits in the queue of the system.
        let accepted = tokio::select! {
            () = stopping.cancelled() => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            accepted = next(&listener, &room) => accepted,
        };
        let Some((stream, permit)) = accepted else {
            // Most likely out of file descriptors: a later attempt may succeed.
            sleep(TAKEN_PAUSE).await;
            continue;
        };
        let (router, stopping, tls) = (router.clone(), stopping.clone(), tls.clone());
        connections.spawn(async move {
            match tls {
                None => connection(stream, router, limits, stopping).await,
                Some(tls) => {
                    // A handshake has the time of a head. Ignored if it fails: that is between the client and its trust.
                    if let Ok(Ok(stream)) = timeout(limits.head_time, tls.accept(stream)).await {
                        connection(stream, router, limits, stopping).await;
                    }
                }
            }
            drop(permit);
        });
    }
    drop(listener);
    let _ = timeout(DRAIN_TIME, async { while connections.join_next().await.is_some() {} }).await;
}

async fn next(listener: &TcpListener, room: &Arc<Semaphore>) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let permit = Arc::clone(room).acquire_owned().await.ok()?;
    let (stream, _) = listener.accept().await.ok()?;
    // An event is sent when it happens, however small it is.
    let _ = stream.set_nodelay(true);
    Some((stream, permit))
}

/// A router as hyper calls it.
struct Served(Router);

impl Service<Request<Incoming>> for Served {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        // A router is always ready: what it waits for, its handlers wait for.
        let mut router = self.0.clone();
        Box::pin(async move { tower_service::Service::call(&mut router, request.map(Body::new)).await })
    }
}

async fn connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    router: Router,
    limits: DoorLimits,
    stopping: CancellationToken,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS);
    let serving = http.serve_connection(TokioIo::new(stream), Served(router));
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        // Ignored: a client may hang up, or be cut off here, at any time.
        _ = &mut serving => {}
        () = stopping.cancelled() => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::callers::Callers;
    use crate::limits::MAX_REQUEST_BYTES;
    use crate::reading;

    /// A door that reads bodies, with small limits.
    async fn opened(limits: DoorLimits) -> (SocketAddr, CancellationToken, tokio::task::JoinHandle<()>) {
        let listener = listen("127.0.0.1:0", &Callers::ThisMachine(None)).await.expect("a free port");
        let (address, stopping) = (listener.local_addr().expect("bound"), CancellationToken::new());
        let read = async move |headers: axum::http::HeaderMap, body: Body| {
            reading::announced_size(&headers, limits.request_bytes)?;
            reading::whole(body, limits.request_bytes, &limits).await.map(|body| body.len().to_string())
        };
        let slow = async || {
            sleep(Duration::from_millis(300)).await;
            StatusCode::OK
        };
        let router = Router::new().route("/", post(read)).route("/", get(async || "here")).route("/slow", get(slow));
        let serving = tokio::spawn(serve(listener, router, limits, stopping.clone(), None));
        (address, stopping, serving)
    }

    async fn connected(address: SocketAddr) -> TcpStream {
        TcpStream::connect(address).await.expect("the door listens")
    }

    /// The status of the answer to `sent`; 0 if the connection ends without one.
    async fn status(stream: &mut TcpStream, sent: &[u8]) -> u16 {
        let _ = stream.write_all(sent).await;
        let mut head = [0; 12];
        let read = timeout(Duration::from_secs(20), stream.read_exact(&mut head)).await.expect("an answer in time");
        if read.is_err() {
            return 0;
        }
        std::str::from_utf8(&head[9..]).ok().and_then(|code| code.parse().ok()).expect("a status")
    }

    #[tokio::test]
    async fn malformed_heads_and_bodies_are_refused_and_others_served() {
        let limits = DoorLimits { request_bytes: 100, ..DoorLimits::default() };
        let (address, _stopping, _serving) = opened(limits).await;
        let headers = |count: usize| {
            let fields: String = (0..count).map(|n| format!("x-{n}: y\r\n")).collect();
            format!("GET / HTTP/1.1\r\n{fields}\r\n")
        };
        let long = format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(MAX_HEAD_BYTES));
        let post = |length: &str| format!("POST / HTTP/1.1\r\nhost: x\r\n{length}\r\nxxxxx");
        for (sent, expected) in [
            (post("content-length: 5\r\n"), 200),
            (post("content-length: 100\r\n"), 0),
            (post("content-length: 101\r\n"), 413),
            (post("content-length: 10000000000\r\n"), 413),
            (post("content-length: 5\r\ncontent-length: 6\r\n"), 400),
            (post("content-length: 5\r\ntransfer-encoding: chunked\r\n"), 400),
            (post("content-length: many\r\n"), 400),
            (headers(MAX_HEADERS - 1), 200),
            (headers(MAX_HEADERS), 200),
            (headers(MAX_HEADERS + 1), 431),
            (headers(10_000), 431),
            (long, 414),
            ("nonsense\r\n\r\n".to_owned(), 400),
        ] {
            let shown: String = sent.chars().take(60).collect();
            let mut stream = connected(address).await;
            if expected == 0 {
                // Half a body: whoever hangs up costs nothing.
                stream.write_all(sent.as_bytes()).await.expect("written");
                continue;
            }
            let got = status(&mut stream, sent.as_bytes()).await;
            assert!(got == expected || (expected == 400 && got == 200 && shown.contains("chunked")), "{shown}: {got}");
        }
        assert_eq!(status(&mut connected(address).await, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await, 200);
    }

    #[tokio::test]
    async fn a_slow_sender_is_cut_off_while_others_are_served() {
        let limits = DoorLimits {
            head_time: Duration::from_millis(300),
            body_grace: Duration::from_millis(300),
            body_rate: 1_000,
            ..DoorLimits::default()
        };
        let (address, _stopping, _serving) = opened(limits).await;
        let mut slow = connected(address).await;
        slow.write_all(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n").await.expect("written");
        let mut silent = connected(address).await;
        silent.write_all(b"GET / HT").await.expect("written");
        for _ in 0..20 {
            let _ = slow.write_all(b"x").await;
            assert_eq!(status(&mut connected(address).await, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await, 200);
            sleep(Duration::from_millis(30)).await;
        }
        assert_eq!(status(&mut slow, b"").await, 408);
        let mut rest = Vec::new();
        timeout(Duration::from_secs(5), silent.read_to_end(&mut rest)).await.expect("closed").expect("closed in order");
    }

    #[tokio::test]
    async fn connections_above_the_limit_wait_for_one_to_end() {
        let (address, _stopping, _serving) = opened(DoorLimits { connections: 2, ..DoorLimits::default() }).await;
        let held = [connected(address).await, connected(address).await];
        sleep(Duration::from_millis(50)).await;
        let mut third = connected(address).await;
        third.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.expect("queued by the system");
        let mut head = [0; 1];
        assert!(timeout(Duration::from_millis(200), third.read_exact(&mut head)).await.is_err());
        drop(held);
        timeout(Duration::from_secs(5), third.read_exact(&mut head)).await.expect("served").expect("an answer");
    }

    #[tokio::test]
    async fn a_request_under_way_is_answered_when_the_door_is_stopped() {
        let (address, stopping, serving) = opened(DoorLimits::default()).await;
        let mut stream = connected(address).await;
        stream.write_all(b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n").await.expect("written");
        sleep(Duration::from_millis(50)).await;
        stopping.cancel();
        assert_eq!(status(&mut stream, b"").await, 200);
        timeout(Duration::from_secs(5), serving).await.expect("ended").expect("in order");
        assert!(TcpStream::connect(address).await.is_err());
    }

    #[tokio::test]
    async fn an_address_that_others_reach_needs_tokens() {
        let refused = listen("0.0.0.0:0", &Callers::ThisMachine(None)).await.expect_err("refused");
        assert!(matches!(refused, ServeError::NotLoopback(_)) && refused.to_string().contains("precis token new"));
        assert!(listen("0.0.0.0:0", &Callers::Tokens(Vec::new())).await.is_ok());
        let refused = listen("nonsense", &Callers::ThisMachine(None)).await.expect_err("refused");
        assert!(matches!(refused, ServeError::Address { .. }));
        assert_eq!(MAX_REQUEST_BYTES, 32 * 1024 * 1024);
    }
}

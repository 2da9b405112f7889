//! Connections that break, at every byte and at every moment: what was accepted goes on, and nothing is accepted twice.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use precis_proto::event::EventKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower_service::Service;

use super::world::{World, request, world};
use crate::callers::Callers;
use crate::server::{listen, serve};

/// Serves the routes of `world` until it is dropped.
async fn served(world: &World) -> SocketAddr {
    let listener = listen("127.0.0.1:0", &Callers::ThisMachine(None)).await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let (router, limits) = (world.router.clone(), world.door.parts.limits);
    tokio::spawn(serve(listener, router, limits, CancellationToken::new(), None));
    address
}

/// A request as it is sent.
fn sent(method: &str, path: &str, fields: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer alpha\r\n{fields}content-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Sends `request`, reads at most `most` bytes of the answer, and hangs up.
async fn exchange(address: SocketAddr, request: &[u8], most: usize) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.expect("the door listens");
    stream.write_all(request).await.expect("the door reads");
    let mut answer = vec![0; most];
    let mut read = 0;
    while read < most {
        match stream.read(&mut answer[read..]).await.expect("the door answers") {
            0 => break,
            more => read += more,
        }
    }
    answer.truncate(read);
    answer
}

/// The sessions that are there.
async fn sessions(world: &World) -> BTreeSet<String> {
    let page = world.get("/v1/sessions?limit=100").await.json();
    page["data"].as_array().expect("rows").iter().map(|row| row["id"].to_string()).collect()
}

/// Waits until the door has dealt with every connection that broke.
async fn settled(world: &World) {
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(world.door.wakeups.is_empty(), "somebody waits who hung up");
}

#[tokio::test]
async fn a_request_cut_at_any_byte_begins_no_session() {
    let world = world(true).await;
    let address = served(&world).await;
    let body = request("Why?").to_string();
    let form = format!("--x\r\ncontent-disposition: form-data; name=\"request\"\r\n\r\n{body}\r\n--x--");
    for whole in [
        sent("POST", "/v1/sessions", "content-type: application/json\r\n", &body),
        sent("POST", "/v1/sessions", "content-type: multipart/form-data; boundary=x\r\n", &form),
    ] {
        for bytes in 0..whole.len() {
            exchange(address, &whole[..bytes], 0).await;
        }
    }
    settled(&world).await;
    assert_eq!((sessions(&world).await.len(), world.waiting().await), (0, 0));
}

#[tokio::test]
async fn an_answer_cut_at_any_byte_leaves_one_session_per_key() {
    let world = world(true).await;
    let address = served(&world).await;
    let fields = "content-type: application/json\r\nidempotency-key: one\r\n";
    let whole = sent("POST", "/v1/sessions", fields, &request("Why?").to_string());
    let answer = exchange(address, &whole, usize::from(u16::MAX)).await;
    assert!(answer.starts_with(b"HTTP/1.1 202"), "{}", String::from_utf8_lossy(&answer));
    for bytes in 0..answer.len() {
        exchange(address, &whole, bytes).await;
    }
    settled(&world).await;
    assert_eq!(sessions(&world).await.len(), 1);
}

#[tokio::test]
async fn a_reader_that_hangs_up_at_any_byte_cancels_nothing() {
    let world = world(true).await;
    let address = served(&world).await;
    let session = world.submitted("Why?").await;
    world.log(&session, EventKind::SessionAccepted { sources: 1 }).await;
    let events = sent("GET", &format!("/v1/sessions/{session}/events"), "", "");
    let shown = sent("GET", &format!("/v1/sessions/{session}"), "prefer: wait=60\r\n", "");
    // Up to the event that is there: what comes after it comes with time.
    for bytes in 0.. {
        let read = exchange(address, &events, bytes).await;
        if read.ends_with(b"}\n\n") {
            break;
        }
    }
    for _ in 0..20 {
        exchange(address, &shown, 0).await;
    }
    settled(&world).await;
    let cancelled = world.store.values().get(&format!("cancel:{session}")).await.expect("in memory");
    assert_eq!((cancelled, world.waiting().await), (None, 1), "it waits for a worker as before");
    assert_eq!(world.get(&format!("/v1/sessions/{session}")).await.json()["status"], "queued");
}

/// A server drops what answers a request when its caller hangs up, wherever that waits.
#[tokio::test]
async fn a_caller_that_hangs_up_leaves_all_of_a_session_or_nothing() {
    let mut waits = 0;
    loop {
        let world = world(true).await;
        let asked = Request::post("/v1/sessions").header("authorization", "Bearer alpha");
        let asked = asked.body(Body::from(request("Why?").to_string())).expect("a request");
        let mut router = world.router.clone();
        let mut answering = Box::pin(router.call(asked));
        let mut waited = 0;
        let is_answered = std::future::poll_fn(|wake| match answering.as_mut().poll(wake) {
            Poll::Ready(_) => Poll::Ready(true),
            Poll::Pending if waited == waits => Poll::Ready(false),
            Poll::Pending => {
                waited += 1;
                Poll::Pending
            }
        })
        .await;
        drop(answering);
        settled(&world).await;
        let (kept, published) = (sessions(&world).await.len(), world.waiting().await);
        assert_eq!(kept as u64, published, "a session is kept and not begun after {waits} waits");
        if is_answered {
            return;
        }
        waits += 1;
    }
}

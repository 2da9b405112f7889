//! The web as a session reaches it: a proxy that serves pages, and keeps the bytes of each request. Whatever name is looked up and
//! whatever page is fetched comes by here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A proxy with pages. Ends with the value.
#[derive(Debug)]
pub struct Sink {
    address: String,
    requests: Arc<Mutex<Vec<Vec<u8>>>>,
    listener: JoinHandle<()>,
}

impl Sink {
    /// Listens on a port of its own and serves `pages`: the text of each by its whole address.
    ///
    /// # Panics
    /// Where there is no free port.
    pub async fn start(pages: BTreeMap<String, String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port on the loopback interface");
        let address = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let (requests, pages) = (Arc::new(Mutex::new(Vec::new())), Arc::new(pages));
        let seen = Arc::clone(&requests);
        let listener = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&pages), Arc::clone(&seen)));
            }
        });
        Self { address, requests, listener }
    }

    /// What to set as `fetch_proxy`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The bytes of each request so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Vec<u8>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn serve(stream: TcpStream, pages: Arc<BTreeMap<String, String>>, seen: Arc<Mutex<Vec<Vec<u8>>>>) {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    loop {
        let (mut head, mut length) = (Vec::new(), 0);
        loop {
            let mut line = Vec::new();
            if !matches!(read.read_until(b'\n', &mut line).await, Ok(n) if n > 0) {
                return;
            }
            head.extend_from_slice(&line);
            let text = String::from_utf8_lossy(&line).to_ascii_lowercase();
            if let Some(value) = text.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if text.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        if read.read_exact(&mut body).await.is_err() {
            return;
        }
        let first = String::from_utf8_lossy(&head);
        let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let page = pages.get(&target).cloned();
        head.extend_from_slice(&body);
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(head);
        let (status, text) = page.map_or(("404 Not Found", String::new()), |text| ("200 OK", text));
        let answer =
            format!("HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{text}", text.len());
        if write.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// What a request to the proxy told beyond what is meant for proxy, collector and receiver alone (the address, and what authorizes), and of
/// which kind it is: `the spans` or `the webhook`.
#[must_use]
pub fn told_outside(request: &[u8]) -> (&'static str, String) {
    let text = String::from_utf8_lossy(request);
    let (target, rest) = text.split_once("\r\n").unwrap_or_default();
    let is_meant = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.starts_with("proxy-authorization:") || line.starts_with("authorization:")
    };
    let told: Vec<&str> = rest.lines().filter(|line| !is_meant(line)).collect();
    (if target.contains("/v1/traces") { "the spans" } else { "the webhook" }, told.join("\n"))
}

//! The scripted provider: a small HTTP/1.1 server on a port of its own.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::schema::{SENTENCE, instance};
use super::script::{Reply, completion, overflow};
use crate::provider::Wording;

/// What a server counts by; nothing of ours is in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Vocabulary {
    /// `o200k_base`.
    #[default]
    O200k,
    /// `cl100k_base`.
    Cl100k,
}

impl Vocabulary {
    fn count(self, text: &str) -> u64 {
        let tokenizer = match self {
            Self::O200k => bpe_openai::o200k_base(),
            Self::Cl100k => bpe_openai::cl100k_base(),
        };
        tokenizer.count(text) as u64
    }
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Its body.
    pub body: Value,
    /// Its headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// When it had arrived in full.
    pub at: Instant,
    /// Tokens of messages and schema as this server counts them, and the longest answer it would have to give.
    pub tokens: u64,
}

impl Seen {
    /// The text of the last message.
    #[must_use]
    pub fn user(&self) -> &str {
        self.body["messages"].as_array().and_then(|m| m.last()).and_then(|m| m["content"].as_str()).unwrap_or_default()
    }
}

/// A provider that plays a script, then goes on with [`Reply::Fitting`]. Ends with the value.
#[derive(Debug)]
pub struct Scripted {
    base_url: String,
    shared: Arc<Shared>,
    listener: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    script: Mutex<VecDeque<Reply>>,
    seen: Mutex<Vec<Seen>>,
    /// A permit for each held answer that may go.
    released: Semaphore,
    /// Requests over this many tokens are refused, whatever the script says.
    window: Option<u64>,
    vocabulary: Vocabulary,
    /// How long each answer takes.
    latency: Duration,
}

impl Scripted {
    /// A provider that plays `script`, one reply per request in order of arrival.
    pub async fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        Self::listen(script.into_iter().collect(), None, Vocabulary::default(), Duration::ZERO).await
    }

    /// A provider that takes `latency` for each answer.
    pub async fn slow(latency: Duration) -> Self {
        Self::listen(VecDeque::new(), None, Vocabulary::default(), latency).await
    }

    /// A provider that counts each request for itself and refuses what exceeds `window`.
    pub async fn with_window(window: u64) -> Self {
        Self::counting(window, Vocabulary::default()).await
    }

    /// The same, counting by `vocabulary`.
    pub async fn counting(window: u64, vocabulary: Vocabulary) -> Self {
        Self::listen(VecDeque::new(), Some(window), vocabulary, Duration::ZERO).await
    }

    async fn listen(script: VecDeque<Reply>, window: Option<u64>, vocabulary: Vocabulary, latency: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port on the loopback interface");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let (script, seen) = (Mutex::new(script), Mutex::new(Vec::new()));
        let shared = Arc::new(Shared { script, seen, released: Semaphore::new(0), window, vocabulary, latency });
        let server = Arc::clone(&shared);
        let listener = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&server)));
            }
        });
        Self { base_url: format!("http://127.0.0.1:{port}/v1"), shared, listener }
    }

    /// What to configure.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Requests so far, in order of arrival.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.shared.seen).clone()
    }

    /// How many requests there were.
    #[must_use]
    pub fn calls(&self) -> usize {
        lock(&self.shared.seen).len()
    }

    /// Waits until `calls` requests have arrived, at most ten seconds.
    pub async fn arrived(&self, calls: usize) {
        let until = Instant::now() + Duration::from_secs(10);
        while self.calls() < calls {
            assert!(Instant::now() < until, "waited for {calls} requests, saw {}", self.calls());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Plays `script` next.
    pub fn play(&self, script: impl IntoIterator<Item = Reply>) {
        lock(&self.shared.script).extend(script);
    }

    /// Lets one held answer go.
    pub fn release(&self) {
        self.shared.released.add_permits(1);
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    while let Some(seen) = request(&mut read, shared.vocabulary).await {
        let mut reply = lock(&shared.script).pop_front().unwrap_or(Reply::Fitting);
        if let Some(window) = shared.window.filter(|w| seen.tokens > *w) {
            reply = Reply::Overflow(Wording::OpenAi, window);
        }
        lock(&shared.seen).push(seen.clone());
        tokio::time::sleep(shared.latency).await;
        if answer(&mut write, &shared, &seen, reply).await.is_none() {
            return;
        }
    }
}

/// Reads one request; `None` when the client is gone.
async fn request(read: &mut BufReader<OwnedReadHalf>, vocabulary: Vocabulary) -> Option<Seen> {
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if read.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => headers.extend(line.split_once(": ").map(|(k, v)| (k.to_ascii_lowercase(), v.to_owned()))),
        }
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    read.read_exact(&mut body).await.ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    Some(Seen { tokens: counted(&body, vocabulary), body, headers, at: Instant::now() })
}

/// The counting recipe of chat models: 3, each message and 4, the schema, and the answer that may be as long as allowed.
fn counted(body: &Value, vocabulary: Vocabulary) -> u64 {
    let messages = body["messages"].as_array().into_iter().flatten();
    let messages: u64 = messages.map(|m| 4 + vocabulary.count(m["content"].as_str().unwrap_or_default())).sum();
    let schema = body["response_format"].get("json_schema").map_or(0, |s| vocabulary.count(&s.to_string()));
    let answer = body["max_completion_tokens"].as_u64().or(body["max_tokens"].as_u64()).unwrap_or(0);
    3 + messages + schema + answer
}

/// Plays one reply; `None` ends the connection.
async fn answer(write: &mut OwnedWriteHalf, shared: &Shared, seen: &Seen, reply: Reply) -> Option<()> {
    let text = |text: &str, reason: &str| completion(&json!(text), reason, 7);
    match reply {
        Reply::Fitting => send(write, 200, &[], &text(&fitting(&seen.body), "stop")).await,
        Reply::Text(said) => send(write, 200, &[], &text(&said, "stop")).await,
        Reply::CutOff(said) => send(write, 200, &[], &text(&said, "length")).await,
        Reply::EmptyContent => send(write, 200, &[], &completion(&Value::Null, "stop", 7)).await,
        Reply::EmptyChoices => send(write, 200, &[], r#"{"choices": []}"#).await,
        Reply::Body(body) => send(write, 200, &[], &body).await,
        Reply::Refuse(status, headers, message) => {
            send(write, status, &headers, &json!({"error": {"message": message}}).to_string()).await
        }
        Reply::RefuseWith(status, body) => send(write, status, &[], &body.to_string()).await,
        Reply::Overflow(wording, window) => {
            let (status, body) = overflow(wording, window);
            send(write, status, &[], &body).await
        }
        Reply::Unknown(param) => {
            let body = json!({"error": {"message": format!("Unsupported parameter: '{param}'"), "param": param}});
            send(write, 400, &[], &body.to_string()).await
        }
        Reply::Held => {
            shared.released.acquire().await.ok()?.forget();
            send(write, 200, &[], &text(&fitting(&seen.body), "stop")).await
        }
        Reply::Hang => std::future::pending().await,
        Reply::SlowHeaders => loop {
            write.write_all(b"H").await.ok()?;
            tokio::time::sleep(Duration::from_millis(50)).await;
        },
        Reply::Stall => {
            half(write, &text(SENTENCE, "stop")).await?;
            std::future::pending().await
        }
        Reply::Cut => {
            half(write, &text(SENTENCE, "stop")).await?;
            None
        }
        Reply::Huge(bytes) => send(write, 200, &[], &text(&"x".repeat(bytes), "stop")).await,
        Reply::Redirect(to) => send(write, 302, &[("location", to)], "").await,
    }
}

fn fitting(body: &Value) -> String {
    match body["response_format"]["json_schema"].get("schema") {
        Some(schema) => instance(schema).to_string(),
        None => format!("{SENTENCE} [1]"),
    }
}

async fn send(write: &mut OwnedWriteHalf, status: u16, headers: &[(&'static str, String)], body: &str) -> Option<()> {
    let mut head =
        format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    write.write_all(format!("{head}\r\n{body}").as_bytes()).await.ok()
}

/// Headers that promise all of `body`, and half of it.
async fn half(write: &mut OwnedWriteHalf, body: &str) -> Option<()> {
    let head = format!("HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
    write.write_all(head.as_bytes()).await.ok()?;
    write.write_all(&body.as_bytes()[..body.len() / 2]).await.ok()?;
    write.flush().await.ok()
}

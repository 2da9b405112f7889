//! The scripted search server: HTTP/1.1 on a port of its own.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use precis_runtime::search::SearchKind;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::pages::{Engine, Page, ranked};
use super::script::Reply;
use super::shape;

/// The key that [`ScriptedSearch::environment`] sets: what is to be seen nowhere.
pub const KEY: &str = "tvly-planted-3391";
/// Results of an instance that has no field for their number.
const PAGE_SIZE: usize = 30;

/// A search as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Whom the server played.
    pub kind: SearchKind,
    /// The words.
    pub query: String,
    /// Results asked for; `usize::MAX` where the provider has no field for that.
    pub results: usize,
    /// Path and parameters as sent.
    pub path: String,
    /// Parameters of the address, unescaped.
    pub parameters: Map<String, Value>,
    /// The body; null where there was none.
    pub body: Value,
    /// Headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// When it had arrived in full.
    pub at: Instant,
}

/// A server that plays every search provider. Ends with the value.
#[derive(Debug)]
pub struct ScriptedSearch {
    origin: String,
    shared: Arc<Shared>,
    listener: JoinHandle<()>,
}

struct Shared {
    engine: Engine,
    script: Mutex<VecDeque<Reply>>,
    seen: Mutex<Vec<Seen>>,
    /// A permit for each held answer that may go.
    released: Semaphore,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("seen", &lock(&self.seen).len()).finish_non_exhaustive()
    }
}

impl ScriptedSearch {
    /// A server over `pages`, ranked by shared words, that plays `script`.
    ///
    /// # Panics
    /// Where no port is free.
    pub async fn start(pages: Vec<Page>, script: impl IntoIterator<Item = Reply>) -> Self {
        Self::with_engine(ranked(pages), script).await
    }

    /// A server that finds what `engine` finds and plays `script`.
    ///
    /// # Panics
    /// Where no port is free.
    pub async fn with_engine(engine: Engine, script: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port on the loopback interface");
        let origin = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let script = Mutex::new(script.into_iter().collect());
        let shared = Arc::new(Shared { engine, script, seen: Mutex::default(), released: Semaphore::new(0) });
        let server = Arc::clone(&shared);
        let listener = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&server)));
            }
        });
        Self { origin, shared, listener }
    }

    /// What to configure as the `base_url` of a provider of `kind`.
    #[must_use]
    pub fn base_url(&self, kind: SearchKind) -> String {
        format!("{}/{kind}", self.origin)
    }

    /// Tables of all kinds that lead here, each under its own name, for a configuration file.
    #[must_use]
    pub fn tables(&self) -> String {
        let table = |kind: SearchKind| {
            let key = if kind.key_variable().is_empty() { "" } else { "api_key_env = \"SEARCH_KEY\"\n" };
            format!(
                "[search.providers.{kind}]\nbase_url = \"{}\"\n{key}contact = \"ops@example.org\"\ncx = \"0123:abc\"\n\n",
                self.base_url(kind)
            )
        };
        SearchKind::ALL.map(table).concat()
    }

    /// The environment that [`Self::tables`] wants.
    #[must_use]
    pub fn environment() -> (&'static str, &'static str) {
        ("SEARCH_KEY", KEY)
    }

    /// Searches so far, in order of arrival.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.shared.seen).clone()
    }

    /// Their words.
    #[must_use]
    pub fn queries(&self) -> Vec<String> {
        lock(&self.shared.seen).iter().map(|seen| seen.query.clone()).collect()
    }

    /// How many there were.
    #[must_use]
    pub fn calls(&self) -> usize {
        lock(&self.shared.seen).len()
    }

    /// Waits until `calls` searches have arrived, at most ten seconds.
    ///
    /// # Panics
    /// Where they do not.
    pub async fn arrived(&self, calls: usize) {
        let until = Instant::now() + Duration::from_secs(10);
        while self.calls() < calls {
            assert!(Instant::now() < until, "waited for {calls} searches, saw {}", self.calls());
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

impl Drop for ScriptedSearch {
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
    while let Some(seen) = request(&mut read).await {
        let reply = lock(&shared.script).pop_front().unwrap_or(Reply::Fitting);
        lock(&shared.seen).push(seen.clone());
        if answer(&mut write, &shared, &seen, reply).await.is_none() {
            return;
        }
    }
}

/// Reads one request; `None` when the client is gone or plays no provider.
async fn request(read: &mut BufReader<OwnedReadHalf>) -> Option<Seen> {
    let (mut path, mut headers) = (String::new(), BTreeMap::new());
    loop {
        let mut line = String::new();
        if read.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line if path.is_empty() => path = line.split(' ').nth(1)?.to_owned(),
            line => headers.extend(line.split_once(": ").map(|(k, v)| (k.to_ascii_lowercase(), v.to_owned()))),
        }
    }
    let length = headers.get("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let mut body = vec![0; length];
    read.read_exact(&mut body).await.ok()?;
    let body: Value = if length == 0 { Value::Null } else { serde_json::from_slice(&body).ok()? };
    let word = path.trim_start_matches('/').split(['/', '?']).next()?;
    let kind = word.parse::<SearchKind>().ok()?;
    let parameters = parameters(&path);
    let (query, results) = shape::asked(kind, &parameters, &body);
    Some(Seen { kind, query, results, path, parameters, body, headers, at: Instant::now() })
}

fn parameters(path: &str) -> Map<String, Value> {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (unescaped(name), unescaped(value).into())).collect()
}

fn unescaped(text: &str) -> String {
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let code = text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], code) {
            (b'+', _) => out.push(b' '),
            (b'%', Some(code)) => {
                out.push(code);
                at += 2;
            }
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Plays one reply; `None` ends the connection.
async fn answer(write: &mut OwnedWriteHalf, shared: &Shared, seen: &Seen, reply: Reply) -> Option<()> {
    let pages = || (shared.engine)(&seen.query, seen.results.min(PAGE_SIZE));
    let fitting = || shape::answer(seen.kind, &seen.query, &pages());
    let of = |pages: Vec<Page>| shape::answer(seen.kind, &seen.query, &pages);
    match reply {
        Reply::Fitting => send(write, 200, &[], &fitting()).await,
        Reply::Nothing => send(write, 200, &[], &of(Vec::new())).await,
        Reply::Many(n) => send(write, 200, &[], &of(numbered(n))).await,
        Reply::Addresses(urls) => {
            let pages = urls.iter().map(|url| Page::new(url, "A page", "with words")).collect();
            send(write, 200, &[], &of(pages)).await
        }
        Reply::ErrorPage => {
            let page =
                "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Are you a robot?</body></html>";
            send(write, 200, &[], page).await
        }
        Reply::Body(body) => send(write, 200, &[], &body).await,
        Reply::HalfJson => {
            let whole = of(numbered(2));
            let half: String = whole.chars().take(whole.chars().count() / 2).collect();
            send(write, 200, &[], &half).await
        }
        Reply::WrongTypes => {
            let body = of(numbered(1)).replace("\"Page 0\"", "0");
            send(write, 200, &[], &body).await
        }
        Reply::Huge(bytes) => {
            let mut body = of(numbered(1));
            body.push_str(&" ".repeat(bytes.saturating_sub(body.len())));
            send(write, 200, &[], &body).await
        }
        Reply::Refuse(status, headers, body) => send(write, status, &headers, &body).await,
        Reply::Repeat(status) => {
            let key =
                seen.headers.values().find(|value| value.contains(KEY)).cloned().unwrap_or_else(|| seen.path.clone());
            let message = format!("no such key {key} for the search {}", seen.query);
            send(write, status, &[], &serde_json::json!({ "error": { "message": message } }).to_string()).await
        }
        Reply::Redirect(to) => send(write, 302, &[("location", to)], "").await,
        Reply::Held => {
            shared.released.acquire().await.ok()?.forget();
            send(write, 200, &[], &fitting()).await
        }
        Reply::Hang => std::future::pending().await,
        Reply::Stall => {
            half(write, &of(numbered(2))).await?;
            std::future::pending().await
        }
        Reply::Cut => {
            half(write, &of(numbered(2))).await?;
            None
        }
    }
}

fn numbered(n: usize) -> Vec<Page> {
    (0..n).map(|n| Page::new(&format!("https://example.org/{n}"), &format!("Page {n}"), "words")).collect()
}

async fn send(write: &mut OwnedWriteHalf, status: u16, headers: &[(&'static str, String)], body: &str) -> Option<()> {
    let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    write.write_all(format!("{head}\r\n{body}").as_bytes()).await.ok()
}

/// Headers that promise all of `body`, and half of it.
async fn half(write: &mut OwnedWriteHalf, body: &str) -> Option<()> {
    let head = format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\n\r\n", body.len());
    write.write_all(head.as_bytes()).await.ok()?;
    write.write_all(&body.as_bytes()[..body.len() / 2]).await.ok()?;
    write.flush().await.ok()
}

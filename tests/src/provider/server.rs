//! The scripted provider: a small HTTP/1.1 server on a port of its own.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use precis_runtime::model::Vendor;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::dialect::{Asked, End, Recipe, Vocabulary, no_choice, refusal, used_up};
use super::schema::{SENTENCE, instance};
use super::script::{Reply, overflow};
use crate::provider::Wording;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Where it went: path and query.
    pub path: String,
    /// Its body.
    pub body: Value,
    /// Its headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// When it had arrived in full.
    pub at: Instant,
    /// Tokens of messages and schema as this server counts them, and the longest answer it would have to give.
    pub tokens: u64,
    vendor: Vendor,
}

impl Seen {
    /// The text of the last message.
    #[must_use]
    pub fn user(&self) -> &str {
        self.asked().texts().pop().unwrap_or_default()
    }

    /// All messages, one after the other.
    #[must_use]
    pub fn text(&self) -> String {
        self.asked().texts().join("\n")
    }

    /// The name of the schema that was sent, as OpenAI's format has it; empty where none was.
    #[must_use]
    pub fn schema_name(&self) -> &str {
        self.body["response_format"]["json_schema"]["name"].as_str().unwrap_or_default()
    }

    /// The schema the answer shall follow, where one was sent.
    #[must_use]
    pub fn schema(&self) -> Option<&Value> {
        self.asked().schema()
    }

    /// Tokens of the longest answer it allows; 0 where it sets no limit.
    #[must_use]
    pub fn longest_answer(&self) -> u64 {
        self.asked().longest_answer()
    }

    fn asked(&self) -> Asked<'_> {
        Asked::new(self.vendor, &self.body)
    }
}

/// What a scripted provider does when it is asked to count.
#[derive(Debug, Clone, Copy, Default)]
pub enum Counter {
    /// It counts.
    #[default]
    Works,
    /// It refuses with this status.
    Refuses(u16),
    /// It says something else.
    Babbles,
    /// It is silent.
    Hangs,
}

/// What a provider says of itself to a request that its script has no reply for.
type ReplyOf = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// Replies made of requests.
struct Mind(ReplyOf);

impl std::fmt::Debug for Mind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mind")
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
    vendor: Vendor,
    script: Mutex<VecDeque<Reply>>,
    /// What it answers once its script has ended.
    mind: Mind,
    seen: Mutex<Vec<Seen>>,
    /// A permit for each held answer that may go.
    released: Semaphore,
    /// Requests over this many tokens are refused, whatever the script says.
    window: Option<u64>,
    /// How long each answer takes.
    latency: Duration,
    /// Requests that wait for it.
    under_way: AtomicUsize,
    /// How it counts.
    recipe: Recipe,
    /// What becomes of questions for a count, and how many there were.
    counter: Mutex<(Counter, usize)>,
    /// What it says of its models, by path; every other place of that kind is not there.
    told: Mutex<BTreeMap<String, Value>>,
    /// Paths of such questions, in order of arrival.
    asked: Mutex<Vec<String>>,
}

impl Shared {
    fn new(vendor: Vendor, script: VecDeque<Reply>, window: Option<u64>, latency: Duration) -> Self {
        Self {
            vendor,
            script: Mutex::new(script),
            mind: Mind(Arc::new(|_| Reply::Fitting)),
            seen: Mutex::new(Vec::new()),
            released: Semaphore::new(0),
            window,
            latency,
            recipe: Recipe::default(),
            counter: Mutex::default(),
            told: Mutex::default(),
            asked: Mutex::default(),
            under_way: AtomicUsize::new(0),
        }
    }
}

impl Scripted {
    /// A provider that plays `script`, one reply per request in order of arrival.
    pub async fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        Self::speaking(Vendor::OpenAi, script).await
    }

    /// The same in the format of `vendor`.
    pub async fn speaking(vendor: Vendor, script: impl IntoIterator<Item = Reply>) -> Self {
        Self::listen(vendor, script.into_iter().collect(), None, Duration::ZERO).await
    }

    /// A provider that answers each request as `mind` says, whatever came before it.
    pub async fn answering(mind: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let shared = Shared::new(Vendor::OpenAi, VecDeque::new(), None, Duration::ZERO);
        Self::serve_with(Shared { mind: Mind(Arc::new(mind)), ..shared }).await
    }

    /// A provider that takes `latency` for each answer.
    pub async fn slow(latency: Duration) -> Self {
        Self::listen(Vendor::OpenAi, VecDeque::new(), None, latency).await
    }

    /// A provider that takes `latency` for each answer, and answers as `mind` says.
    pub async fn slowly_answering(latency: Duration, mind: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let shared = Shared::new(Vendor::OpenAi, VecDeque::new(), None, latency);
        Self::serve_with(Shared { mind: Mind(Arc::new(mind)), ..shared }).await
    }

    /// A provider that counts each request for itself and refuses what exceeds `window`.
    pub async fn with_window(vendor: Vendor, window: u64) -> Self {
        Self::listen(vendor, VecDeque::new(), Some(window), Duration::ZERO).await
    }

    async fn listen(vendor: Vendor, script: VecDeque<Reply>, window: Option<u64>, latency: Duration) -> Self {
        Self::serve_with(Shared::new(vendor, script, window, latency)).await
    }

    /// A provider of OpenAI's format that counts by `vocabulary` and refuses what exceeds `window`.
    pub async fn with_vocabulary(window: u64, vocabulary: Vocabulary) -> Self {
        let recipe = Recipe { vocabulary, ..Recipe::default() };
        let shared = Shared::new(Vendor::OpenAi, VecDeque::new(), Some(window), Duration::ZERO);
        Self::serve_with(Shared { recipe, ..shared }).await
    }

    async fn serve_with(shared: Shared) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port on the loopback interface");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let shared = Arc::new(shared);
        let server = Arc::clone(&shared);
        let listener = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&server)));
            }
        });
        Self { base_url: format!("http://127.0.0.1:{port}/v1"), shared, listener }
    }

    /// A provider of a vocabulary with `percent` tokens for each hundred of ours, which refuses what exceeds `window`.
    pub async fn counting(vendor: Vendor, window: u64, percent: u64) -> Self {
        let shared = Shared {
            recipe: Recipe { percent, ..Recipe::default() },
            ..Shared::new(vendor, VecDeque::new(), Some(window), Duration::ZERO)
        };
        Self::serve_with(shared).await
    }

    /// What becomes of questions for a count from now on.
    pub fn counter(&self, counter: Counter) {
        lock(&self.shared.counter).0 = counter;
    }

    /// How often it was asked to count.
    #[must_use]
    pub fn counts(&self) -> usize {
        lock(&self.shared.counter).1
    }

    /// Says `body` at `path` (`/v1/models`, `/props`, `/api/show`) from now on.
    pub fn tell(&self, path: &str, body: Value) {
        lock(&self.shared.told).insert(path.to_owned(), body);
    }

    /// Where it was asked about its models, in order of arrival.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        lock(&self.shared.asked).clone()
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

    /// Requests that wait for their answers.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.shared.under_way.load(Ordering::Relaxed)
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
    while let Some(seen) = request(&mut read, &shared).await {
        if seen.path.ends_with("count_tokens") || seen.path.ends_with(":countTokens") {
            if count(&mut write, &shared, &seen).await.is_none() {
                return;
            }
            continue;
        }
        if seen.body.is_null() || seen.path == "/api/show" {
            lock(&shared.asked).push(seen.path.clone());
            let told = lock(&shared.told).get(&seen.path).cloned();
            let (status, body) = told.map_or((404, Value::Null), |told| (200, told));
            if send(&mut write, status, &[], &body.to_string()).await.is_none() {
                return;
            }
            continue;
        }
        let scripted = lock(&shared.script).pop_front();
        let mut reply = scripted.unwrap_or_else(|| (shared.mind.0)(&seen));
        if let Some(window) = shared.window.filter(|w| seen.tokens > *w) {
            reply = Reply::Overflow(Wording::for_vendor(shared.vendor), window);
        }
        lock(&shared.seen).push(seen.clone());
        shared.under_way.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(shared.latency).await;
        shared.under_way.fetch_sub(1, Ordering::Relaxed);
        if answer(&mut write, &shared, &seen, reply).await.is_none() {
            return;
        }
    }
}

/// Reads one request; `None` when the client is gone.
async fn request(read: &mut BufReader<OwnedReadHalf>, shared: &Shared) -> Option<Seen> {
    let vendor = shared.vendor;
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
    // What asks for something has no body.
    let body: Value = if length == 0 { Value::Null } else { serde_json::from_slice(&body).ok()? };
    Some(Seen {
        tokens: Asked::new(vendor, &body).tokens(shared.recipe),
        path,
        body,
        headers,
        at: Instant::now(),
        vendor,
    })
}

/// Answers a question for a count.
async fn count(write: &mut OwnedWriteHalf, shared: &Shared, seen: &Seen) -> Option<()> {
    let counter = {
        let mut counter = lock(&shared.counter);
        counter.1 += 1;
        counter.0
    };
    let body = seen.body.get("generateContentRequest").unwrap_or(&seen.body);
    let asked = Asked::new(shared.vendor, body);
    match counter {
        Counter::Works => send(write, 200, &[], &asked.count(shared.recipe)).await,
        Counter::Refuses(status) => {
            send(write, status, &[], &refusal(shared.vendor, status, "no count").to_string()).await
        }
        Counter::Babbles => send(write, 200, &[], "{}").await,
        Counter::Hangs => std::future::pending().await,
    }
}

/// Plays one reply; `None` ends the connection.
async fn answer(write: &mut OwnedWriteHalf, shared: &Shared, seen: &Seen, reply: Reply) -> Option<()> {
    let (vendor, asked) = (shared.vendor, seen.asked());
    let says = |text: &str, end: End| asked.answer(Some(text), end, 7);
    match reply {
        Reply::Fitting => send(write, 200, &[], &says(&fitting(&asked), End::Done)).await,
        Reply::Text(said) => send(write, 200, &[], &says(&said, End::Done)).await,
        Reply::Counted(said) => {
            let said = said.unwrap_or_else(|| fitting(&asked));
            let mut body: Value = serde_json::from_str(&says(&said, End::Done)).expect("JSON");
            let (prompt, answer) = (seen.tokens - seen.longest_answer(), Vocabulary::O200k.count(&said));
            body["usage"] = serde_json::json!({ "prompt_tokens": prompt, "completion_tokens": answer });
            send(write, 200, &[], &body.to_string()).await
        }
        Reply::CutOff(said) => send(write, 200, &[], &says(&said, End::Length)).await,
        Reply::Declined => send(write, 200, &[], &asked.answer(None, End::Declined, 7)).await,
        Reply::EmptyContent => send(write, 200, &[], &asked.answer(None, End::Done, 7)).await,
        Reply::EmptyChoices => send(write, 200, &[], no_choice(vendor)).await,
        Reply::Body(body) => send(write, 200, &[], &body).await,
        Reply::Refuse(status, headers, message) => {
            send(write, status, &headers, &refusal(vendor, status, &message).to_string()).await
        }
        Reply::RefuseWith(status, body) => send(write, status, &[], &body.to_string()).await,
        Reply::Repeat(status, word) => {
            let key = seen.headers.get("authorization").map_or("", String::as_str);
            let word = if seen.body.to_string().contains(word) { word } else { "nothing" };
            let message = format!("invalid key {key} for prompt: {word}");
            send(write, status, &[], &refusal(vendor, status, &message).to_string()).await
        }
        Reply::UsedUp => {
            let (status, body) = used_up(vendor);
            send(write, status, &[], &body.to_string()).await
        }
        Reply::Wait(seconds) => {
            let mut body = refusal(vendor, 429, "slow down");
            let header = [("retry-after", seconds.to_string())];
            let headers = if vendor == Vendor::Gemini { &[][..] } else { &header[..] };
            if vendor == Vendor::Gemini {
                body["error"]["details"] = serde_json::json!([{"retryDelay": format!("{seconds}s")}]);
            }
            send(write, 429, headers, &body.to_string()).await
        }
        Reply::Overflow(wording, window) => {
            let (status, body) = overflow(wording, window);
            send(write, status, &[], &body).await
        }
        Reply::Unknown(param) => {
            let mut body = refusal(vendor, 400, &format!("Unsupported parameter: '{param}'"));
            body["error"]["param"] = param.into();
            send(write, 400, &[], &body.to_string()).await
        }
        Reply::Held => {
            shared.released.acquire().await.ok()?.forget();
            send(write, 200, &[], &says(&fitting(&asked), End::Done)).await
        }
        Reply::Hang => std::future::pending().await,
        Reply::SlowHeaders => loop {
            write.write_all(b"H").await.ok()?;
            tokio::time::sleep(Duration::from_millis(50)).await;
        },
        Reply::Stall => {
            half(write, &says(SENTENCE, End::Done)).await?;
            std::future::pending().await
        }
        Reply::Cut => {
            half(write, &says(SENTENCE, End::Done)).await?;
            None
        }
        Reply::Huge(bytes) => send(write, 200, &[], &says(&"x".repeat(bytes), End::Done)).await,
        Reply::Redirect(to) => send(write, 302, &[("location", to)], "").await,
    }
}

fn fitting(asked: &Asked<'_>) -> String {
    match asked.schema() {
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

//! Searches against a scripted server: which provider is called, how often, and how invalid responses are handled.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use precis_proto::account::Account;
use precis_proto::{SessionId, TenantId};
use secrecy::SecretString;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use super::client::MAX_ANSWER_BYTES;
use super::*;
use crate::model::BillingContext;
use crate::store::{MemoryStore, Store};

const BUDGET: Duration = Duration::from_secs(20);

#[derive(Clone)]
enum Play {
    Say(u16, &'static [(&'static str, &'static str)], String),
    Hang,
    Stall,
    Cut,
    /// Answers after this many milliseconds.
    Late(u64),
}

/// A server that plays its script and then finds one page for every query.
struct Server {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
    script: Arc<Mutex<VecDeque<Play>>>,
}

fn results_body(n: usize) -> String {
    let rows: Vec<_> = (0..n)
        .map(|n| serde_json::json!({ "url": format!("https://example.org/{n}"), "title": format!("Page {n}"), "content": "words" }))
        .collect();
    serde_json::json!({ "results": rows }).to_string()
}

impl Server {
    async fn start(script: impl IntoIterator<Item = Play>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let script = Arc::new(Mutex::new(script.into_iter().collect::<VecDeque<_>>()));
        let (log, plays) = (Arc::clone(&seen), Arc::clone(&script));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&log), Arc::clone(&plays)));
            }
        });
        Self { url, seen, script }
    }

    fn calls(&self) -> usize {
        self.seen.lock().expect("ours").len()
    }

    fn requests(&self) -> Vec<String> {
        self.seen.lock().expect("ours").clone()
    }

    fn play(&self, play: Play) {
        self.script.lock().expect("ours").push_back(play);
    }
}

async fn serve(stream: TcpStream, log: Arc<Mutex<Vec<String>>>, plays: Arc<Mutex<VecDeque<Play>>>) -> Option<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if read.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if line.trim().is_empty() {
                break;
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        read.read_exact(&mut body).await.ok()?;
        log.lock().expect("ours").push(head + &String::from_utf8_lossy(&body));
        let play = plays.lock().expect("ours").pop_front().unwrap_or_else(|| Play::Say(200, &[], results_body(1)));
        match play {
            Play::Say(status, headers, body) => say(&mut write, status, headers, &body).await?,
            Play::Hang => std::future::pending().await,
            Play::Stall => {
                write.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"resul").await.ok()?;
                std::future::pending::<()>().await;
            }
            Play::Cut => {
                write.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"resul").await.ok()?;
                return None;
            }
            Play::Late(ms) => {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                say(&mut write, 200, &[], &results_body(1)).await?;
            }
        }
    }
}

async fn say(
    write: &mut (impl AsyncWriteExt + Unpin),
    status: u16,
    headers: &[(&str, &str)],
    body: &str,
) -> Option<()> {
    let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    write.write_all((head + "\r\n" + body).as_bytes()).await.ok()
}

fn ok(n: usize) -> Play {
    Play::Say(200, &[], results_body(n))
}

fn status(status: u16) -> Play {
    Play::Say(status, &[], String::new())
}

fn store() -> Store {
    Store::Memory(MemoryStore::new())
}

fn policy() -> SearchPolicy {
    SearchPolicy {
        retry_delay: Duration::from_millis(10),
        flight_poll: Duration::from_millis(5),
        ..SearchPolicy::default()
    }
}

fn tavily(name: &str, url: &str) -> SearchProviderConfig {
    SearchProviderConfig {
        api_key: Some(SecretString::from("tvly-hidden".to_owned())),
        requests_per_minute: Some(100_000),
        usd_per_call: 0.01,
        timeout: Duration::from_millis(400),
        ..SearchProviderConfig::new(name, SearchKind::Tavily, url)
    }
}

fn searches(servers: &[(&str, &Server)], store: Store, policy: SearchPolicy) -> Searches {
    let configs: Vec<_> = servers.iter().map(|(name, server)| tavily(name, &server.url)).collect();
    Searches::new(&configs, store, policy).expect("are well configured")
}

fn billing(session: &str) -> BillingContext {
    BillingContext::new(SessionId::new(session).expect("an id"), Account::default())
}

fn call(query: &str, providers: &[&str]) -> SearchCall {
    SearchCall::new(PublicQuery::of_user(query), providers.iter().map(|name| (*name).to_owned()).collect())
}

#[tokio::test]
async fn a_repeat_is_free_within_a_session_and_cache_time() {
    let (server, store) = (Server::start([]).await, store());
    let one = searches(&[("a", &server)], store.clone(), policy());
    let first = one.search(&billing("s1"), &call("Dams  and weirs", &["a"]), BUDGET).await.expect("found");
    assert_eq!((first.served, first.usd.to_bits(), first.hits.len()), (SearchPayment::Paid, 0.01_f64.to_bits(), 1));
    assert!(server.requests()[0].contains("authorization: Bearer tvly-hidden"), "{:?}", server.requests());
    // Another process on the same store, as after a crash: the same bytes, and the payment is known to be ours.
    let again = searches(&[("a", &server)], store.clone(), policy());
    let second = again.search(&billing("s1"), &call("dams and WEIRS", &["a"]), BUDGET).await.expect("found");
    assert_eq!(second, first);
    let other = again.search(&billing("s2"), &call("dams and weirs", &["a"]), BUDGET).await.expect("found");
    assert_eq!((other.served, other.usd.to_bits(), &other.hits), (SearchPayment::Memo, 0.0_f64.to_bits(), &first.hits));
    assert_ne!(other.key, first.key);
    assert_eq!(server.calls(), 1);
    // Other words, another number, another tenant.
    let mut tenant = billing("s3");
    tenant.account = Account { tenant: Some(TenantId::new("t").expect("an id")), ..Account::default() };
    for (billing, call) in [
        (billing("s1"), call("dams", &["a"])),
        (billing("s1"), SearchCall { max_results: 3, ..call("dams and weirs", &["a"]) }),
        (tenant, call("dams and weirs", &["a"])),
    ] {
        assert_eq!(again.search(&billing, &call, BUDGET).await.expect("found").served, SearchPayment::Paid);
    }
    assert_eq!(server.calls(), 4);
}

#[tokio::test]
async fn without_a_cache_only_the_session_finds_its_answers_again() {
    let (server, store) = (Server::start([]).await, store());
    let fresh = SearchPolicy { cache_ttl: Duration::ZERO, ..policy() };
    let searches = searches(&[("a", &server)], store, fresh);
    for (session, calls) in [("s1", 1), ("s1", 1), ("s2", 2), ("s2", 2)] {
        searches.search(&billing(session), &call("dams", &["a"]), BUDGET).await.expect("found");
        assert_eq!(server.calls(), calls, "{session}");
    }
}

#[tokio::test]
async fn two_that_ask_the_same_at_once_pay_once() {
    let (server, store) = (Server::start([Play::Late(100)]).await, store());
    let (one, two) =
        (searches(&[("a", &server)], store.clone(), policy()), searches(&[("a", &server)], store, policy()));
    let (p1, p2, asked) = (billing("s1"), billing("s2"), call("dams", &["a"]));
    let (first, second) = tokio::join!(one.search(&p1, &asked, BUDGET), two.search(&p2, &asked, BUDGET));
    let mut served = [first.expect("found").served, second.expect("found").served];
    served.sort_by_key(|served| served.as_str());
    assert_eq!((served, server.calls()), ([SearchPayment::Memo, SearchPayment::Paid], 1));
}

#[tokio::test]
async fn an_answer_is_kept_after_its_caller_left() {
    let (server, store) = (Server::start([Play::Late(200)]).await, store());
    let searches = searches(&[("a", &server)], store, policy());
    let asked = call("dams", &["a"]);
    let gone = tokio::time::timeout(Duration::from_millis(100), searches.search(&billing("s1"), &asked, BUDGET)).await;
    assert!(gone.is_err() && server.calls() == 1);
    assert_eq!(searches.search(&billing("s1"), &asked, BUDGET).await.expect("found").served, SearchPayment::Paid);
    assert_eq!(server.calls(), 1, "it was not asked again");
}

#[tokio::test]
async fn each_fault_is_typed_and_tried_again_where_that_may_help() {
    let page = "<html><title>Just a moment...</title><body>captcha</body></html>".to_owned();
    for (play, code, calls) in [
        (status(401), SearchCode::Unauthorized, 1),
        (status(402), SearchCode::QuotaExhausted, 1),
        (status(403), SearchCode::Unauthorized, 1),
        (status(404), SearchCode::Refused, 1),
        (status(429), SearchCode::RateLimited, 2),
        (status(432), SearchCode::QuotaExhausted, 1),
        (status(433), SearchCode::QuotaExhausted, 1),
        (status(500), SearchCode::ServerError, 2),
        (status(503), SearchCode::ServerError, 2),
        (Play::Say(302, &[("location", "http://127.0.0.1:1/")], String::new()), SearchCode::Refused, 1),
        (Play::Say(200, &[], page), SearchCode::BadAnswer, 2),
        (Play::Say(200, &[], "{\"results\": [{\"url\": \"https://exa".to_owned()), SearchCode::BadAnswer, 2),
        (Play::Say(200, &[], "{\"results\": \"none\"}".to_owned()), SearchCode::BadAnswer, 2),
        (Play::Say(429, &[("retry-after", "3600")], String::new()), SearchCode::RateLimited, 1),
        (Play::Hang, SearchCode::Timeout, 2),
        (Play::Stall, SearchCode::Timeout, 2),
        (Play::Cut, SearchCode::ConnectionCut, 2),
    ] {
        let server = Server::start([play.clone(), play]).await;
        let searches = searches(&[("a", &server)], store(), policy());
        let failure = searches.search(&billing("s"), &call("merger", &["a"]), BUDGET).await.expect_err("fails");
        assert_eq!((failure.code(), server.calls()), (code, calls), "{failure}");
        let shown = format!("{failure} {failure:?}");
        assert!(shown.contains("`a` failed") && !shown.contains("hidden") && !shown.contains("merger"), "{shown}");
    }
    let closed = Server { url: "http://127.0.0.1:9".to_owned(), seen: Arc::default(), script: Arc::default() };
    let failure =
        searches(&[("a", &closed)], store(), policy()).search(&billing("s"), &call("x", &["a"]), BUDGET).await;
    let failure = failure.expect_err("nobody is there");
    assert_eq!(failure.code(), SearchCode::ConnectFailed);
    assert!(failure.to_string().contains("check that http://127.0.0.1:9 can be reached"), "{failure}");
}

#[tokio::test]
async fn a_second_try_is_enough_where_the_fault_passes() {
    let server = Server::start([status(500), ok(3)]).await;
    let searches = searches(&[("a", &server)], store(), policy());
    let answer = searches.search(&billing("s"), &call("x", &["a"]), BUDGET).await.expect("found");
    assert_eq!((answer.hits.len(), server.calls(), answer.failed_over.len()), (3, 2, 0));
}

#[tokio::test]
async fn the_next_provider_is_asked_in_order_and_reported() {
    let (a, b, c) = (Server::start([status(401)]).await, Server::start([]).await, Server::start([]).await);
    let searches = searches(&[("a", &a), ("b", &b), ("c", &c)], store(), policy());
    let answer = searches.search(&billing("s"), &call("x", &["nobody", "a", "b", "c"]), BUDGET).await.expect("found");
    let failed: Vec<_> = answer.failed_over.iter().map(|f| (f.provider.as_str(), f.code)).collect();
    assert_eq!(failed, [("nobody", SearchCode::UnknownProvider), ("a", SearchCode::Unauthorized)]);
    assert_eq!((answer.provider.as_str(), a.calls(), b.calls(), c.calls()), ("b", 1, 1, 0));
}

#[tokio::test]
async fn nothing_found_is_an_answer_and_the_next_provider_is_not_asked() {
    let (a, b) = (Server::start([ok(0)]).await, Server::start([]).await);
    let searches = searches(&[("a", &a), ("b", &b)], store(), policy());
    let answer = searches.search(&billing("s"), &call("x", &["a", "b"]), BUDGET).await.expect("nothing found");
    assert_eq!((answer.hits.len(), answer.provider.as_str(), b.calls()), (0, "a", 0));
}

#[tokio::test]
async fn a_search_that_cannot_be_made_sends_no_request() {
    let server = Server::start([]).await;
    let searches = searches(&[("a", &server)], store(), policy());
    for asked in [call(" ", &["a"]), call("x", &[])] {
        let failure = searches.search(&billing("s"), &asked, BUDGET).await.expect_err("cannot be made");
        assert_eq!((failure.code(), failure.is_transient()), (SearchCode::Unusable, false));
    }
    let late = searches.search(&billing("s"), &call("x", &["a"]), Duration::ZERO).await.expect_err("no time");
    assert_eq!((late.code(), server.calls()), (SearchCode::OutOfTime, 0));
}

#[tokio::test]
async fn results_are_limited_to_the_request_and_the_rest_counted() {
    let server = Server::start([ok(10_000)]).await;
    let searches = searches(&[("a", &server)], store(), policy());
    let asked = SearchCall { max_results: 10_000, ..call("x", &["a"]) };
    let answer = searches.search(&billing("s"), &asked, BUDGET).await.expect("found");
    assert_eq!((answer.hits.len(), answer.dropped.beyond), (MAX_RESULTS, 9_980));
    assert!(server.requests()[0].contains("\"max_results\":20"), "{:?}", server.requests());
}

#[tokio::test]
async fn an_answer_is_read_up_to_its_limit() {
    let of = |bytes: usize| {
        let empty = "{\"results\":[],\"x\":\"\"}";
        Play::Say(200, &[], empty.replace("\"\"", &format!("\"{}\"", "x".repeat(bytes - empty.len()))))
    };
    for (bytes, code) in [
        (MAX_ANSWER_BYTES - 1, None),
        (MAX_ANSWER_BYTES, None),
        (MAX_ANSWER_BYTES + 1, Some(SearchCode::AnswerTooLarge)),
    ] {
        let server = Server::start([of(bytes)]).await;
        let mut config = tavily("a", &server.url);
        config.timeout = Duration::from_secs(10);
        let searches = Searches::new(&[config], store(), policy()).expect("is well configured");
        let answer = searches.search(&billing("s"), &call("x", &["a"]), BUDGET).await;
        assert_eq!((answer.err().map(|failure| failure.code()), server.calls()), (code, 1), "{bytes}");
    }
}

#[tokio::test]
async fn a_provider_that_wants_to_be_left_alone_is_left_alone() {
    let server = Server::start([Play::Say(429, &[("retry-after", "900")], String::new())]).await;
    let searches = searches(&[("a", &server)], store(), policy());
    for _ in 0..3 {
        let failure = searches.search(&billing("s"), &call("x", &["a"]), BUDGET).await.expect_err("is over its rate");
        assert_eq!((failure.code(), server.calls()), (SearchCode::RateLimited, 1));
    }
    let soon = Server::start([Play::Say(429, &[("retry-after", "0.2")], String::new())]).await;
    let begun = Instant::now();
    let searches = self::searches(&[("a", &soon)], store(), policy());
    assert!(searches.search(&billing("s"), &call("x", &["a"]), BUDGET).await.is_ok());
    assert!(begun.elapsed() >= Duration::from_millis(200) && soon.calls() == 2);
    soon.play(Play::Say(
        200,
        &[("x-ratelimit-remaining", "0, 5"), ("x-ratelimit-reset", "0.3, 9999")],
        results_body(1),
    ));
    for (query, calls) in [("y", 3), ("z", 4)] {
        assert!(searches.search(&billing("s"), &call(query, &["a"]), BUDGET).await.is_ok());
        assert_eq!(soon.calls(), calls);
    }
    assert!(begun.elapsed() >= Duration::from_millis(500), "the rate of the answer is kept");
}

#[tokio::test]
async fn a_provider_that_keeps_failing_is_paused() {
    let server = Server::start((0..20).map(|_| status(500))).await;
    let searches = searches(&[("a", &server)], store(), policy());
    assert_eq!(searches.is_open("a").await, None);
    for n in 0..4 {
        let _ = searches.search(&billing("s"), &call(&format!("x{n}"), &["a"]), BUDGET).await;
    }
    let failure = searches.search(&billing("s"), &call("y", &["a"]), BUDGET).await.expect_err("is open");
    assert_eq!((failure.code(), server.calls()), (SearchCode::BreakerOpen, 5));
    assert!(searches.is_open("a").await.is_some_and(|wait| wait > Duration::from_secs(50)));
}

#[tokio::test]
async fn paid_searches_are_limited_and_the_free_provider_takes_over() {
    let (dear, free) = (Server::start([]).await, Server::start([]).await);
    let configs = [tavily("dear", &dear.url), SearchProviderConfig { usd_per_call: 0.0, ..tavily("free", &free.url) }];
    let searches = Searches::new(&configs, store(), policy()).expect("are well configured");
    let mut billing = billing("s");
    billing.account.max_spend_usd = Some(0.02);
    for n in 0..4 {
        let answer =
            searches.search(&billing, &call(&format!("x{n}"), &["dear", "free"]), BUDGET).await.expect("found");
        let reached = answer.failed_over.first().map(|failure| failure.code);
        let expected = if n < 2 { ("dear", None) } else { ("free", Some(SearchCode::CeilingReached)) };
        assert_eq!((answer.provider.as_str(), reached), expected);
    }
    assert_eq!((dear.calls(), free.calls()), (2, 2));
}

#[tokio::test]
async fn what_a_provider_charges_is_what_is_counted() {
    let body = "{\"results\":[],\"costDollars\":{\"total\":0.5}}".to_owned();
    let server = Server::start([Play::Say(200, &[], body)]).await;
    let config = SearchProviderConfig { kind: SearchKind::Exa, ..tavily("a", &server.url) };
    let searches = Searches::new(&[config], store(), policy()).expect("is well configured");
    let answer = searches.search(&billing("s"), &call("x", &["a"]), BUDGET).await.expect("nothing found");
    assert_eq!(answer.usd.to_bits(), 0.5_f64.to_bits());
}

#[tokio::test]
async fn a_key_in_the_address_is_in_no_failure() {
    for kind in [SearchKind::Google, SearchKind::Openalex] {
        let body = r#"{"error":{"message":"bad request for key tvly-hidden"}}"#.to_owned();
        let server = Server::start([Play::Say(400, &[], body), Play::Cut, Play::Cut]).await;
        let config = SearchProviderConfig { kind, cx: Some("e".to_owned()), ..tavily("a", &server.url) };
        let searches = Searches::new(&[config], store(), policy()).expect("is well configured");
        for _ in 0..2 {
            let failure = searches.search(&billing("s"), &call("x", &["a"]), BUDGET).await.expect_err("fails");
            assert!(!format!("{failure} {failure:?} {searches:?}").contains("hidden"), "{failure}");
        }
        assert!(server.requests().iter().all(|seen| seen.contains("key=tvly-hidden")), "{:?}", server.requests());
    }
}

#[tokio::test]
async fn arxiv_is_asked_once_in_three_seconds_by_all_processes_together() {
    let feed = "<feed xmlns=\"http://www.w3.org/2005/Atom\"></feed>".to_owned();
    let server = Server::start((0..3).map(|_| Play::Say(200, &[], feed.clone()))).await;
    let store = store();
    let process = |name: &str| {
        let config = SearchProviderConfig::new(name, SearchKind::Arxiv, &server.url);
        Searches::new(&[config], store.clone(), policy()).expect("is well configured")
    };
    let begun = Instant::now();
    for (n, name) in ["one", "two"].into_iter().enumerate() {
        process(name).search(&billing("s"), &call(&format!("x{n}"), &[name]), BUDGET).await.expect("nothing found");
    }
    assert!(begun.elapsed() >= Duration::from_secs(3), "{:?}", begun.elapsed());
    let soon = process("one").search(&billing("s"), &call("y", &["one"]), Duration::from_secs(1)).await;
    assert_eq!((soon.expect_err("not yet").code(), server.calls()), (SearchCode::LimitReached, 2));
}

#[tokio::test]
async fn an_instance_that_gives_no_json_says_what_to_do() {
    let server = Server::start([status(403)]).await;
    let config = SearchProviderConfig::new("house", SearchKind::Searxng, &server.url);
    let searches = Searches::new(&[config], store(), policy()).expect("is well configured");
    let failure = searches.search(&billing("s"), &call("x", &["house"]), BUDGET).await.expect_err("no JSON");
    assert!(failure.to_string().contains("`formats: [html, json]`"), "{failure}");
}

#[tokio::test]
async fn wikipedia_hears_whom_to_write_to() {
    let server = Server::start([Play::Say(200, &[], r#"{"query":{"search":[]}}"#.to_owned())]).await;
    let mut config = SearchProviderConfig::new("wikipedia", SearchKind::Wikipedia, &server.url);
    assert!(Searches::new(std::slice::from_ref(&config), store(), policy()).is_err());
    config.contact = Some("ops@example.org".to_owned());
    let searches = Searches::new(&[config], store(), policy()).expect("is well configured");
    searches.search(&billing("s"), &call("x", &["wikipedia"]), BUDGET).await.expect("nothing found");
    let agent = format!("user-agent: precis/{} (ops@example.org)", crate::VERSION);
    assert!(server.requests()[0].contains(&agent), "{:?}", server.requests());
}

#[tokio::test]
async fn a_store_that_is_away_costs_repeats_and_no_search() {
    let memory = MemoryStore::new();
    memory.set_available(false);
    let server = Server::start([]).await;
    let searches = searches(&[("a", &server)], Store::Memory(memory), policy());
    for calls in [1, 2] {
        assert!(searches.search(&billing("s"), &call("x", &["a"]), BUDGET).await.is_ok());
        assert_eq!(server.calls(), calls);
    }
}

#[tokio::test]
async fn a_drain_ends_work_that_cannot_be_awaited() {
    let server = Server::start([Play::Hang]).await;
    let mut config = tavily("a", &server.url);
    config.timeout = Duration::from_secs(60);
    let searches = Searches::new(&[config], store(), policy()).expect("is well configured");
    let (asking, p, asked) = (searches.clone(), billing("s"), call("x", &["a"]));
    let waiting = tokio::spawn(async move { asking.search(&p, &asked, BUDGET).await });
    while server.calls() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!searches.drain(Duration::from_millis(50)).await);
    let failure = waiting.await.expect("no panic").expect_err("was ended");
    assert_eq!(failure.code(), SearchCode::Stopped);
}

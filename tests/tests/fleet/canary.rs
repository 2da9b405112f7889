//! Nothing private is told. A word that stands in a raw text and in no passage chosen from it is found in the content store and the
//! archive and nowhere else; passwords and keys are found nowhere at all. Looked through: every log line down to debug, every
//! message, event, result and dead letter that passes the broker, every value in Redis, every metric, what the operators' commands
//! print, and what a door, webhooks and spans tell.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use precis_proto::Phase;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::request::{RequestSource, ResearchRequest};
use precis_proto::response::Response;
use precis_proto::{SessionId, SourceId};
use precis_runtime::broker::{Outgoing, Route, names};
use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest};
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::fleet::wire::{Passed, Wire};
use precis_tests::privacy::{Silence, Sink, told_outside};
use precis_tests::program::{self, ended};
use precis_tests::provider::Reply;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::canary_door::{
    CALLER, COLLECTOR, HOOK, HOOK_KEY, PROXY_PASSWORD, READER, UNKNOWN, door, door_settings, visited,
};

/// Stands in a raw text, far from what is asked for.
const CANARY: &str = "zebrafinch93417";
const API_KEY: &str = "sk-planted-key-5512";
const AMQP_PASSWORD: &str = "planted-amqp-7734";
const REDIS_PASSWORD: &str = "planted-redis-2206";
/// Part of an address that is fetched in vain. States and jobs must carry it; nobody else needs to know.
const TOKEN: &str = "planted-token-8841";
/// What no message may hold.
const PRIVATE: [&str; 11] = [
    API_KEY,
    AMQP_PASSWORD,
    REDIS_PASSWORD,
    CANARY,
    CALLER,
    READER,
    UNKNOWN,
    HOOK,
    HOOK_KEY,
    PROXY_PASSWORD,
    COLLECTOR,
];
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_a_raw_text_nor_a_secret_is_disclosed() {
    let Some(servers) = SharedServers::open().await else { return };
    servers.caller.begin();
    let hook = format!("http://hooks.test/in?key={HOOK_KEY}");
    let sink = Sink::start(BTreeMap::from([(hook, String::new()), ("/v1/traces".to_owned(), "{}".to_owned())])).await;
    let options = FleetOptions::default();
    let options = FleetOptions { settings: options.settings.clone() + &door_settings(&sink), ..options };
    let fleet = FleetUnderTest::furnished(&servers, program::path(), &options).await;
    let (amqp, redis) = addresses_with_passwords(&servers).await;
    let metrics = free_address().await;
    // A provider that repeats what it was sent where it should not.
    fleet.provider.play([
        Reply::Repeat(400, CANARY),
        Reply::Repeat(500, CANARY),
        Reply::Text(format!("your key is {API_KEY}")),
    ]);
    let wire = Wire::tap(&servers).await;
    let environment = [
        ("PRECIS_AMQP_URL", amqp.as_str()),
        ("PRECIS_REDIS_URL", redis.as_str()),
        ("PRECIS_METRICS_ADDRESS", metrics.as_str()),
        ("PRECIS_LOG", "debug"),
        ("PRECIS_CONTENT_ARCHIVE_ENABLED", "true"),
        ("SCRIPTED_KEY", API_KEY),
        ("HOOK_SECRET", HOOK),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", sink.address()),
        ("OTEL_EXPORTER_OTLP_HEADERS", &format!("authorization={COLLECTOR}")),
    ];
    let untold = [&PRIVATE[..], &[TOKEN]].concat();
    let mut silence = Silence::default();
    let mut worker = fleet.worker("w", &environment);
    servers.caller.ask(&request(0, true)).await;
    servers.caller.ask(&request(1, false)).await;
    servers.caller.publish(junk()).await;
    assert!(servers.caller.served(2, PATIENCE).await, "{}", fleet.log_lines("session-", 40).join("\n"));
    let good: Response = serde_json::from_slice(&servers.caller.replies()[&requests::name(0)].body).expect("JSON");
    assert!(good.success, "{:?}", good.error);
    dead_letter(&servers).await;
    let (door, address) = door(&fleet, &environment);
    let asked = serde_json::to_value(request(2, true)).expect("plain data");
    for told in tokio::task::spawn_blocking(move || visited(address, asked, CANARY)).await.expect("no panic") {
        let is_report = ["/result", "/report."].iter().any(|end| told.0.contains(end));
        silence.look(&told.0, &told.1, if is_report { &PRIVATE } else { &untold });
    }

    let measured = fetched(&metrics, "/metrics").await;
    assert!(measured.contains("precis_digest_sources_processed_total"), "{measured}");
    silence.look("a metric", &measured, &untold);
    for arguments in [&["dead", "ls", "--json"][..], &["sessions", "--json"], &["config", "show", "--json"]] {
        let mut command = fleet.command(arguments);
        command.envs(environment);
        let told = ended(command);
        silence.look(arguments[0], &format!("{}{}", told.stdout, told.stderr), &untold);
    }
    for passed in wire.passed().await.iter().filter(|passed| !is_ours(passed)) {
        let needles = if passed.exchange == names::EVENTS { &untold[..] } else { &PRIVATE };
        silence.look("the broker", &format!("{passed:?}"), needles);
    }
    for needle in PRIVATE {
        assert_eq!(keys_with(&servers, needle).await, ":0", "{needle} lies in Redis");
    }
    worker.drain().await.expect("drains");
    drop(door);
    for request in sink.requests().iter().filter(|request| request.starts_with(b"POST")) {
        let (who, told) = told_outside(request);
        silence.look(who, &told, &untold);
    }
    let log = fleet.log_lines("", usize::MAX);
    assert!(log.iter().any(|line| line.contains("digest.completed")), "the log has no audit events");
    log.iter().for_each(|line| silence.look("a log line", line, &untold));
    silence.end(&["a metric", "the broker", "a log line", "the spans", "the webhook", "GET ", "POST ", "PUT "]);
    // It was there to be found.
    assert!(holds(fleet.dir(), CANARY), "the canary is not even in the content store");
    assert!(fleet.provider.seen().iter().any(|seen| seen.headers["authorization"].contains(API_KEY)));
}

/// The same servers, with users that have a password.
async fn addresses_with_passwords(servers: &SharedServers) -> (String, String) {
    for arguments in [&["add_user", "planted", AMQP_PASSWORD][..], &["set_permissions", "planted", ".*", ".*", ".*"]] {
        let told = servers.rabbit.control(arguments).await;
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    }
    let rights = format!("ACL SETUSER planted on >{REDIS_PASSWORD} ~* &* +@all");
    assert_eq!(servers.redis.ask(&rights).await.expect("reachable"), "+OK");
    let amqp = format!("amqp://planted:{AMQP_PASSWORD}@127.0.0.1:{}/%2f", servers.proxy.port());
    (amqp, format!("redis://planted:{REDIS_PASSWORD}@127.0.0.1:{}", servers.redis.port()))
}

/// A request whose first text holds the canary where the question does not lead, and an address that cannot be fetched. Without
/// texts nothing of it can be read.
fn request(number: usize, with_texts: bool) -> ResearchRequest {
    let mut request = requests::request(number);
    let mut address = RequestSource { url: None, content: None, ..request.sources[0].clone() };
    address.source_id = SourceId::new(format!("{}-url", requests::name(number))).expect("an id");
    address.url = Some(format!("http://127.0.0.1/private?token={TOKEN}"));
    if !with_texts {
        request.sources.clear();
    }
    if let Some(first) = request.sources.first_mut() {
        let raw = first.content.take().unwrap_or_default();
        let aside = "Nobody asked for the weather of another place and time, and this says nothing else. ".repeat(60);
        first.content = Some(format!("{raw} {aside} {CANARY} {aside}"));
    }
    request.sources.push(address);
    request.session_id = SessionId::new(requests::name(number)).expect("an id");
    request
}

/// A state that nobody can read.
fn junk() -> Outgoing {
    let header =
        Header { message_type: message_type::STATE.to_owned(), message_id: "junk".to_owned(), ..Header::default() };
    let body = format!("{{\"schema_version\": 2, \"text\": \"{CANARY}").into_bytes();
    let envelope = Envelope::without_compression(header, body.into()).expect("small");
    Outgoing { route: Route::queue(names::session_queue(Phase::Digest)), envelope }
}

/// What the test itself sent: requests with their texts, and junk.
fn is_ours(passed: &Passed) -> bool {
    let is_request = passed.exchange == names::INGRESS || passed.properties.contains(message_type::REQUEST);
    is_request || passed.body.starts_with("{\"schema_version\": 2, \"text\"")
}

async fn dead_letter(servers: &SharedServers) {
    let until = Instant::now() + PATIENCE;
    while !servers.depths().await.iter().any(|(queue, _)| queue == names::DEAD) {
        assert!(Instant::now() < until, "junk is no dead letter");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// How many values in Redis hold `needle`, as Redis says it.
async fn keys_with(servers: &SharedServers, needle: &str) -> String {
    let script = "local n = 0 for _, key in ipairs(redis.call('KEYS', '*')) do \
        local kind, all = redis.call('TYPE', key).ok, {} \
        if kind == 'string' then all = {redis.call('GET', key)} elseif kind == 'hash' then all = redis.call('HGETALL', key) \
        elseif kind == 'list' then all = redis.call('LRANGE', key, 0, -1) elseif kind == 'zset' then all = redis.call('ZRANGE', key, 0, -1) end \
        for _, value in ipairs(all) do if string.find(key .. value, ARGV[1], 1, true) then n = n + 1 end end end return n";
    servers.redis.ask(&format!("EVAL \"{script}\" 0 {needle}")).await.expect("reachable")
}

async fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("bound").to_string()
}

async fn fetched(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("the worker listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("text");
    answer
}

/// Whether a file below `dir` holds `needle`.
fn holds(dir: &std::path::Path, needle: &str) -> bool {
    std::fs::read_dir(dir).into_iter().flatten().flatten().any(|entry| match entry.path() {
        path if path.is_dir() => holds(&path, needle),
        path => std::fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(needle)),
    })
}

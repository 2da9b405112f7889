//! Nothing private is told by a server. A word that stands in a raw text and in no passage chosen from it, and every secret that the server
//! has or is given, are planted; then looked through is all that it tells: answers and refusals over HTTP, streams of events, webhooks and
//! their records, spans, metrics, the log down to debug, and the files of its store.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use precis_proto::ids::sha256_hex;
use precis_tests::http_client::HttpClient;
use precis_tests::privacy::{DoorVisit, Silence, Sink, base64, told_outside};
use precis_tests::program::CliWorkspace;
use precis_tests::provider::{Reply, Scripted};
use precis_tests::servers::tls::{certificates, plain_way_to};
use serde_json::json;

use super::embedded::{free_address, killed};

/// Longest time for a start, a session of a short document, or a delivery, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);
/// Stands in a raw text, far from what is asked for.
const CANARY: &str = "zebrafinch93417";
const API_KEY: &str = "sk-planted-key-5512";
const CALLER: &str = "planted-caller-3307";
const READER: &str = "planted-reader-9164";
/// A token that the server does not know; a caller that mistypes one does not want it in a log.
const UNKNOWN: &str = "planted-unknown-5150";
const HOOK: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const HOOK_BEFORE: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
/// Part of the address of a webhook, and of one that is refused.
const HOOK_KEY: &str = "planted-hook-6613";
const PROXY_PASSWORD: &str = "planted-proxy-4471";
const COLLECTOR: &str = "planted-otlp-2950";
/// Part of an address that is fetched in vain. The report names its sources, this one too.
const PAGE: &str = "planted-page-8841";
/// Secrets of the server and its callers: nobody is told any of them.
const SECRETS: [&str; 9] = [API_KEY, CALLER, READER, UNKNOWN, HOOK, HOOK_BEFORE, HOOK_KEY, PROXY_PASSWORD, COLLECTOR];

/// A server with TLS where there is `openssl`, and its surroundings.
struct Served {
    workspace: CliWorkspace,
    client: HttpClient,
    process: Child,
    metrics: SocketAddr,
    /// A line of the key of its certificate.
    tls_key: Option<String>,
}

impl Served {
    fn start(workspace: CliWorkspace) -> Self {
        let (listen, metrics) = (free_address(), free_address());
        let address = listen.to_string();
        let mut command = workspace.command(&["serve", "--embedded", "--data", "data", "--listen", &address]);
        let place = workspace.at("");
        let tls_key = certificates(&place).map(|()| {
            command.args(["--set", "door_tls_certificate=server.pem", "--set", "door_tls_key=server.key"]);
            let key = std::fs::read_to_string(place.join("server.key")).expect("written");
            key.lines().nth(1).expect("a line of the key").to_owned()
        });
        let process = Self::spawn(command, &workspace, metrics);
        let since = Instant::now();
        while TcpStream::connect(listen).is_err() {
            assert!(since.elapsed() < PATIENCE, "{}", log(&workspace));
            std::thread::sleep(Duration::from_millis(50));
        }
        let way = if tls_key.is_some() { plain_way_to(listen, &place) } else { listen };
        let client = HttpClient { address: way, token: Some(CALLER.to_owned()) };
        while client.call("GET", "/readyz", "", &[]).status != 200 {
            assert!(since.elapsed() < PATIENCE, "not ready");
            std::thread::sleep(Duration::from_millis(50));
        }
        Self { workspace, client, process, metrics, tls_key }
    }

    fn spawn(mut command: Command, workspace: &CliWorkspace, metrics: SocketAddr) -> Child {
        let collector = std::fs::read_to_string(workspace.at("collector")).expect("written before");
        command.envs([("SCRIPTED_KEY", API_KEY), ("HOOK_SECRET", HOOK), ("HOOK_SECRET_BEFORE", HOOK_BEFORE)]);
        command.env("PRECIS_METRICS_ADDRESS", metrics.to_string()).env("OTEL_EXPORTER_OTLP_ENDPOINT", collector);
        command.env("OTEL_EXPORTER_OTLP_HEADERS", format!("authorization={COLLECTOR}"));
        let log = std::fs::File::create(workspace.at("serve.log")).expect("a file");
        command.stdout(Stdio::null()).stderr(log).spawn().expect("starts")
    }

    /// Asks a session of these sources, waits for its end and for its webhook; returns its id.
    fn session(&self, sources: serde_json::Value) -> String {
        let query = "What did the river Alba do after the storm?";
        let options = json!({ "webhook": { "endpoint": "billing" } });
        let body = json!({ "schema_version": 3, "query": query, "sources": sources, "options": options });
        let accepted =
            self.client.call("POST", "/v1/sessions", &body.to_string(), &[("content-type", "application/json")]);
        assert_eq!(accepted.status, 202, "{}", String::from_utf8_lossy(&accepted.body));
        let path = format!("/v1/sessions/{}", accepted.json()["id"].as_str().expect("an id"));
        let (since, shown) = (Instant::now(), || self.client.call("GET", &path, "", &[("prefer", "wait=5")]).json());
        while shown().get("ended").is_none() {
            assert!(since.elapsed() < PATIENCE, "{}", shown());
        }
        while self.client.call("GET", &format!("{path}/webhook"), "", &[]).json()["state"] != "delivered" {
            assert!(since.elapsed() < PATIENCE, "the webhook is not delivered");
            std::thread::sleep(Duration::from_millis(50));
        }
        accepted.json()["id"].as_str().expect("an id").to_owned()
    }

    fn secrets(&self) -> Vec<&str> {
        SECRETS.iter().copied().chain(self.tls_key.as_deref()).collect()
    }
}

fn log(workspace: &CliWorkspace) -> String {
    std::fs::read_to_string(workspace.at("serve.log")).unwrap_or_default()
}

fn settings(provider: &Scripted, sink: &Sink) -> String {
    let proxy = sink.address().replace("http://", &format!("http://planted:{PROXY_PASSWORD}@"));
    let token = |name: &str, token: &str, scopes: &str| {
        let hash = sha256_hex(token.as_bytes());
        format!("[api_tokens.{name}]\nsha256 = '{hash}'\ntenant = 'a'\nscopes = [{scopes}]\n")
    };
    format!(
        "digest_policy = 'always'\nlog = 'debug'\nfetch_proxy = '{proxy}'\n{}{}\
         [webhooks.billing]\nurl = 'http://hooks.test/in?key={HOOK_KEY}'\nsecret_env = 'HOOK_SECRET'\n\
         previous_secret_env = 'HOOK_SECRET_BEFORE'\n[providers.scripted]\nbase_url = '{}'\napi_key_env = 'SCRIPTED_KEY'\n\
         [roles.summarization]\nproviders = ['scripted:m']\n[roles.synthesis]\nproviders = ['scripted:m']\n",
        token("alpha", CALLER, "'submit', 'read', 'operate'"),
        token("reader", READER, "'read'"),
        provider.base_url()
    )
}

/// Looks through everything that the server told and kept.
fn looked_through(served: &Served, sessions: &[String], sink: &Sink) -> Silence {
    let mut silence = Silence::default();
    let secrets = served.secrets();
    let password = base64(format!("planted:{PROXY_PASSWORD}").as_bytes());
    let all = [&secrets[..], &[CANARY, PAGE, &password]].concat();
    let address = format!("https://elsewhere.example/in?key={HOOK_KEY}");
    let visit =
        DoorVisit { client: &served.client, reader: READER, unknown: UNKNOWN, canary: CANARY, address: &address };
    for session in sessions {
        visit.session(session).iter().for_each(|(who, text)| silence.look(who, text, &all));
        let in_reports = [&secrets[..], &[CANARY, &password]].concat();
        visit.report(session).iter().for_each(|(who, text)| silence.look(who, text, &in_reports));
    }
    visit.refusals().iter().for_each(|(who, text)| silence.look(who, text, &all));
    let measured = HttpClient { address: served.metrics, token: None }.call("GET", "/metrics", "", &[]);
    let measured = String::from_utf8_lossy(&measured.body).into_owned();
    assert!(measured.contains("precis_digest_sources_processed_total"), "{measured}");
    silence.look("the metrics", &measured, &all);
    for request in sink.requests().iter().filter(|request| request.starts_with(b"POST")) {
        let (who, text) = told_outside(request);
        silence.look(who, &text, &all);
    }
    let listed = served.workspace.run(&["webhook", "list", "--data", "data", "--json"]);
    silence.look("webhook list", &format!("{}{}", listed.stdout, listed.stderr), &all);
    let log = log(&served.workspace);
    assert!(log.contains("digest.completed") && log.contains("DEBUG"), "{log}");
    silence.look("the log", &log, &all);
    silence.look_into(&served.workspace.at("data"), &secrets);
    // Values are digests and answers, which may have any sentence of a text.
    for journal in ["events", "records"] {
        silence.look_into(&served.workspace.at("data/store").join(journal), &[CANARY, PAGE]);
    }
    silence
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_tells_neither_a_raw_text_nor_a_secret() {
    // A provider that repeats what it was sent where it should not.
    let provider = Scripted::start([
        Reply::Repeat(400, CANARY),
        Reply::Repeat(500, CANARY),
        Reply::Text(format!("your key is {API_KEY}")),
    ])
    .await;
    let hook = format!("http://hooks.test/in?key={HOOK_KEY}");
    let sink = Sink::start(BTreeMap::from([(hook, String::new()), ("/v1/traces".to_owned(), "{}".to_owned())])).await;
    let workspace = CliWorkspace::new();
    workspace.configure(settings(&provider, &sink));
    workspace.write("collector", sink.address());
    let visited = tokio::task::spawn_blocking(move || {
        let served = Served::start(workspace);
        let river = "The river Alba rose by three metres after the storm of 1953, and the dam held. ".repeat(40);
        let aside = "Nobody asked for the weather of another place and time, and this says nothing else. ".repeat(60);
        let page = json!({ "source_id": "page", "url": format!("http://pages.test/private?token={PAGE}") });
        let text = json!({ "source_id": "river", "content": format!("{river} {aside} {CANARY} {aside}") });
        let sessions = [served.session(json!([text, page])), served.session(json!([page]))];
        // Spans are sent every few seconds.
        let since = Instant::now();
        while !sink.requests().iter().any(|request| request.starts_with(b"POST /v1/traces")) {
            assert!(since.elapsed() < PATIENCE, "no spans");
            std::thread::sleep(Duration::from_millis(100));
        }
        let silence = looked_through(&served, &sessions, &sink);
        killed(served.process);
        // They were there to be found.
        let mut kept = Silence::default();
        kept.look_into(&served.workspace.at("data/content"), &[CANARY]);
        assert!(!kept.is_silent(), "the canary is not even in the content");
        assert!(sink.requests().iter().any(|request| String::from_utf8_lossy(request).contains(COLLECTOR)));
        silence
    });
    let silence = visited.await.expect("no panic");
    silence.end(&["GET ", "POST ", "PUT ", "the metrics", "the spans", "the webhook", "webhook list", "the log", "/"]);
    assert!(provider.seen().iter().any(|seen| seen.headers["authorization"].contains(API_KEY)));
}

//! A door in front of a fleet with secrets of its own, and a caller that asks it for everything.

use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use precis_proto::ids::sha256_hex;
use precis_tests::fleet::fleet_under_test::FleetUnderTest;
use precis_tests::http_client::HttpClient;
use precis_tests::privacy::{DoorVisit, Sink, Told};
use serde_json::{Value, json};

/// The token of a caller who may everything.
pub(crate) const CALLER: &str = "planted-caller-3307";
/// The token of one who may only read.
pub(crate) const READER: &str = "planted-reader-9164";
/// A token that the door does not know.
pub(crate) const UNKNOWN: &str = "planted-unknown-5150";
/// What signs webhooks.
pub(crate) const HOOK: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// Part of the address of a webhook.
pub(crate) const HOOK_KEY: &str = "planted-hook-6613";
/// Of the proxy through which pages and webhooks go.
pub(crate) const PROXY_PASSWORD: &str = "planted-proxy-4471";
/// What the collector of spans is told to let them in.
pub(crate) const COLLECTOR: &str = "planted-otlp-2950";
/// Longest wait for any one thing.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that ends with this value.
pub(crate) struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The callers of a door, whom it tells of the end of a session, and the proxy on the way there.
pub(crate) fn door_settings(sink: &Sink) -> String {
    let proxy = sink.address().replace("http://", &format!("http://planted:{PROXY_PASSWORD}@"));
    let token = |name: &str, token: &str, scopes: &str| {
        let hash = sha256_hex(token.as_bytes());
        format!("[api_tokens.{name}]\nsha256 = \"{hash}\"\ntenant = \"a\"\nscopes = [{scopes}]\n")
    };
    format!(
        "fetch_proxy = \"{proxy}\"\n{}{}[webhooks.billing]\nurl = \"http://hooks.test/in?key={HOOK_KEY}\"\n\
         secret_env = \"HOOK_SECRET\"\n",
        token("alpha", CALLER, "\"submit\", \"read\", \"operate\""),
        token("reader", READER, "\"read\"")
    )
}

/// A door in front of the fleet, which ends with the first value, and its address.
pub(crate) fn door(fleet: &FleetUnderTest, environment: &[(&str, &str)]) -> (Running, SocketAddr) {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let mut command = fleet.command(&["serve", "--listen", &free.to_string()]);
    // The metrics are those of the worker.
    let others = environment.iter().copied().filter(|(name, _)| *name != "PRECIS_METRICS_ADDRESS");
    let log = std::fs::File::create(fleet.dir().join("door.log")).expect("a log");
    let child = command.envs(others).stdout(Stdio::null()).stderr(log).spawn().expect("a door starts");
    (Running(child), free)
}

/// Asks a session at the door, with a `canary` in one of its documents, and returns what the door tells of it and of what it refuses.
pub(crate) fn visited(address: SocketAddr, mut body: Value, canary: &str) -> Vec<Told> {
    let client = HttpClient { address, token: Some(CALLER.to_owned()) };
    let begun = Instant::now();
    while std::net::TcpStream::connect(address).is_err() || client.call("GET", "/readyz", "", &[]).status != 200 {
        assert!(begun.elapsed() < PATIENCE, "the door is not ready");
        std::thread::sleep(Duration::from_millis(50));
    }
    body.as_object_mut().expect("an object").remove("session_id");
    body["options"]["webhook"] = json!({ "endpoint": "billing" });
    let accepted = client.call("POST", "/v1/sessions", &body.to_string(), &[("content-type", "application/json")]);
    assert_eq!(accepted.status, 202, "{}", String::from_utf8_lossy(&accepted.body));
    let id = accepted.json()["id"].as_str().expect("an id").to_owned();
    let webhook = || client.call("GET", &format!("/v1/sessions/{id}/webhook"), "", &[]).json()["state"].clone();
    while webhook() != "delivered" {
        assert!(begun.elapsed() < PATIENCE, "no webhook is delivered: {}", webhook());
        std::thread::sleep(Duration::from_millis(50));
    }
    let address = format!("https://elsewhere.example/in?key={HOOK_KEY}");
    let visit = DoorVisit { client: &client, reader: READER, unknown: UNKNOWN, canary, address: &address };
    [visit.session(&id), visit.report(&id), visit.refusals()].concat()
}

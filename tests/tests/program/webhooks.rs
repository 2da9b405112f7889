//! Webhooks of a fleet in one process: told over a kill, accepted by a library that is not ours, shown, sent again, without a secret anywhere.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use precis_tests::http_client::HttpClient;
use precis_tests::program::{CliWorkspace, Ended, ended};
use serde_json::{Value, json};

/// Longest time for a start, a session of a short document, or a delivery, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BEFORE: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
/// Stands in the document, the question and the title: none of them is told.
const CANARY: &str = "zebrafinch41172";

/// Verifies what was delivered, and what is not quite that.
const VERIFY: &str = r#"
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

given = json.load(sys.stdin)
for secret in given["secrets"]:
    for message in given["messages"]:
        body = message["body"]
        Webhook(secret).verify(body, message["headers"])
        for changed in (body.replace("session", "sessiom", 1), body + " "):
            try:
                Webhook(secret).verify(changed, message["headers"])
            except WebhookVerificationError:
                continue
            sys.exit("a changed body was accepted")
other = "whsec_" + "C" * 32
try:
    Webhook(other).verify(given["messages"][0]["body"], given["messages"][0]["headers"])
    sys.exit("another secret was accepted")
except WebhookVerificationError:
    print(len(given["messages"]))
"#;

/// A receiver that answers 200 and keeps what it got.
struct Receiver {
    address: SocketAddr,
    got: Arc<Mutex<Vec<Value>>>,
}

impl Receiver {
    fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let (address, got) = (listener.local_addr().expect("bound"), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&got);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(message) = read(stream) {
                    kept.lock().expect("not poisoned").push(message);
                }
            }
        });
        Self { address, got }
    }

    fn got(&self, at_least: usize) -> Vec<Value> {
        let since = Instant::now();
        loop {
            let got = self.got.lock().expect("not poisoned").clone();
            if got.len() >= at_least {
                return got;
            }
            assert!(since.elapsed() < PATIENCE, "{} of {at_least} deliveries", got.len());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn read(stream: TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut headers, mut line) = (serde_json::Map::new(), String::new());
    while reader.read_line(&mut line).ok()? > 2 {
        if let Some((name, value)) = line.trim().split_once(": ") {
            headers.insert(name.to_ascii_lowercase(), value.into());
        }
        line.clear();
    }
    let mut body = vec![0; headers.get("content-length")?.as_str()?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let mut stream = stream;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok").ok()?;
    Some(json!({ "headers": headers, "body": String::from_utf8(body).ok()? }))
}

fn workspace(receiver: &Receiver) -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.configure(format!(
        "log = 'debug'\nfetch_allow_networks = ['127.0.0.0/8']\n[webhooks.billing]\nurl = 'http://{}/in?key=planted-6613'\n\
         secret_env = 'HOOK_SECRET'\nprevious_secret_env = 'HOOK_SECRET_BEFORE'\n",
        receiver.address
    ));
    workspace
}

fn with_secrets(mut command: Command) -> Command {
    command.env("HOOK_SECRET", SECRET).env("HOOK_SECRET_BEFORE", BEFORE);
    command
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("bound")
}

fn started(workspace: &CliWorkspace, client: &HttpClient, log: &str) -> Child {
    let address = client.address.to_string();
    let command = workspace.command(&["serve", "--embedded", "--data", "data", "--listen", &address]);
    let log = std::fs::File::create(workspace.at(log)).expect("a file");
    let child = with_secrets(command).stdout(Stdio::null()).stderr(log).spawn().expect("starts");
    let since = Instant::now();
    while TcpStream::connect(client.address).is_err() || client.call("GET", "/readyz", "", &[]).status != 200 {
        assert!(since.elapsed() < PATIENCE, "not ready");
        std::thread::sleep(Duration::from_millis(50));
    }
    child
}

fn killed(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

/// Lets Python's public library verify the messages; says so loudly where it is not there.
fn verified(workspace: &CliWorkspace, messages: &[Value]) {
    let python = std::path::Path::new("python3");
    if ended(workspace.within(python, &["-c", "import standardwebhooks"])).code != 0 {
        eprintln!(
            "SKIPPED: there is no Python with standardwebhooks: no webhook was verified by a library that is not ours"
        );
        return;
    }
    workspace.write("verify.py", VERIFY);
    let given = json!({ "secrets": [SECRET, BEFORE], "messages": messages });
    workspace.write("given.json", given.to_string());
    let mut command = workspace.within(python, &["verify.py"]);
    command.stdin(std::fs::File::open(workspace.at("given.json")).expect("a file"));
    let Ended { code, stdout, stderr } = ended(command);
    assert_eq!((code, stdout.trim()), (0, messages.len().to_string().as_str()), "{stderr}");
}

fn request(target: &Value) -> String {
    let source =
        json!({ "source_id": "a", "title": CANARY, "content": format!("The toll is 40 marks, says {CANARY}.") });
    let query = format!("How much is the toll, {CANARY}?");
    json!({ "schema_version": 2, "query": query, "sources": [source], "options": { "webhook": target } }).to_string()
}

fn files_with(dir: &std::path::Path, needle: &str) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let found = entries.flat_map(|path| match path.is_dir() {
        true => files_with(&path, needle),
        false => {
            let holds = std::fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(needle));
            if holds { vec![path.display().to_string()] } else { Vec::new() }
        }
    });
    found.collect()
}

#[test]
fn a_session_end_survives_a_kill_and_verifies_in_a_foreign_library() {
    let receiver = Receiver::start();
    let workspace = workspace(&receiver);
    let client = HttpClient { address: free_address(), token: None };
    let process = started(&workspace, &client, "first.log");
    let json_body = [("content-type", "application/json")];
    let refused = client.call("POST", "/v1/sessions", &request(&json!({ "url": "https://example.org/" })), &json_body);
    assert_eq!((refused.status, &refused.json()["pointer"]), (422, &json!("/options/webhook/url")));
    let mut ids = Vec::new();
    for _ in 0..3 {
        let accepted = client.call("POST", "/v1/sessions", &request(&json!({ "endpoint": "billing" })), &json_body);
        assert_eq!(accepted.status, 202, "{}", String::from_utf8_lossy(&accepted.body));
        ids.push(accepted.json()["id"].as_str().expect("an id").to_owned());
    }
    killed(process);
    let process = started(&workspace, &client, "second.log");
    let told = |messages: &[Value], id: &String| {
        messages
            .iter()
            .filter(|message| message["body"].as_str().is_some_and(|body| body.contains(id.as_str())))
            .count()
    };
    let since = Instant::now();
    while ids.iter().any(|id| told(&receiver.got(0), id) == 0) {
        assert!(since.elapsed() < PATIENCE, "{:?}", receiver.got(0));
        std::thread::sleep(Duration::from_millis(50));
    }
    let path = format!("/v1/sessions/{}/webhook", ids[0]);
    let shown = || client.call("GET", &path, "", &[]).json();
    while shown()["state"] != "delivered" {
        assert!(since.elapsed() < PATIENCE, "{}", shown());
        std::thread::sleep(Duration::from_millis(50));
    }
    // Once more, on demand: the same id and the same bytes.
    let before = told(&receiver.got(0), &ids[0]);
    assert_eq!(client.call("POST", &path, "", &[]).status, 202);
    while told(&receiver.got(0), &ids[0]) == before {
        assert!(since.elapsed() < 2 * PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
    let messages = receiver.got(3);
    let of_first: Vec<&Value> =
        messages.iter().filter(|message| message["body"].as_str().is_some_and(|body| body.contains(&ids[0]))).collect();
    assert!(of_first.iter().all(|other| other["body"] == of_first[0]["body"]));
    assert!(of_first.iter().all(|other| other["headers"]["webhook-id"] == of_first[0]["headers"]["webhook-id"]));
    verified(&workspace, &messages);
    let body: Value = serde_json::from_str(of_first[0]["body"].as_str().expect("text")).expect("JSON");
    assert_eq!((&body["type"], &body["data"]["status"]), (&json!("session.finished"), &json!("completed")));
    let listed = workspace.run(&["webhook", "list", "--data", "data", "--state", "delivered", "--json"]);
    assert_eq!(listed.stdout.lines().count(), 3, "{}{}", listed.stdout, listed.stderr);
    killed(process);
    // A word of the document is in no delivery, a secret in no log, no list and no file.
    assert!(!json!(messages).to_string().contains(CANARY));
    for secret in [SECRET, BEFORE, "planted-6613"] {
        assert!(!listed.stdout.contains(secret));
        assert_eq!(files_with(&workspace.at("data"), secret), Vec::<String>::new());
        assert_eq!(files_with(&workspace.at("."), secret).iter().filter(|file| file.ends_with(".log")).count(), 0);
    }
}

#[test]
fn an_endpoint_is_tried_out_and_what_is_missing_is_said() {
    let receiver = Receiver::start();
    let workspace = workspace(&receiver);
    let tested = ended(with_secrets(workspace.command(&["webhook", "test", "billing"])));
    assert_eq!(tested.code, 0, "{}", tested.stderr);
    let messages = receiver.got(1);
    assert!(messages[0]["body"].as_str().expect("text").starts_with("{\"type\":\"precis.test\""), "{}", messages[0]);
    let without = workspace.run(&["webhook", "test", "billing"]);
    assert_eq!(without.code, 2);
    assert!(without.stderr.contains("HOOK_SECRET is not set"), "{}", without.stderr);
    assert_eq!(workspace.run(&["webhook", "test", "nobody"]).code, 2);
    let check = |command: Command| {
        let told: Value = serde_json::from_str(&ended(command).stdout).expect("JSON");
        let all = told["checks"].as_array().expect("checks").iter().find(|check| check["what"] == "webhooks").cloned();
        all.map(|check| (check["finding"].as_str().expect("a finding").to_owned(), check["detail"].to_string()))
    };
    let (finding, detail) = check(workspace.command(&["doctor", "--json"])).expect("a check");
    assert!(finding == "fault" && detail.contains("webhooks.billing.secret_env: the environment"), "{detail}");
    let (finding, detail) = check(with_secrets(workspace.command(&["doctor", "--json"]))).expect("a check");
    assert!(finding == "ok" && detail.contains("all 1 endpoints"), "{detail}");
    assert_eq!(check(CliWorkspace::new().command(&["doctor", "--json"])), None, "nothing to check");
    let shown = ended(with_secrets(workspace.command(&["config", "show"])));
    for secret in [SECRET, BEFORE, "planted-6613"] {
        assert!(!shown.stdout.contains(secret) && !tested.stderr.contains(secret), "{}", shown.stdout);
    }
    // Without the setting that allows it, nothing on this machine is reached.
    let refused =
        ended(with_secrets(workspace.command(&["webhook", "test", "billing", "--set", "fetch_allow_networks="])));
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("special_address"), "{}", refused.stderr);
    assert_eq!(receiver.got(1).len(), 1);
}

//! Questions that stand: asked again when they are due, and told of when a statement changed, and only then.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use precis_tests::program::{CliWorkspace, Ended, ended};
use precis_tests::provider::{Reply, Scripted};
use serde_json::Value;

const QUESTION: &str = "How much water does the dam hold?";
const DAM: &str = "The dam above the town holds 40 million litres of water. It was built in 1950.";
const RAISED: &str = "The dam above the town holds 50 million litres of water. It was built in 1950.";
const PATIENCE: Duration = Duration::from_secs(60);

fn workspace() -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.write("notes/dam.txt", DAM);
    workspace.write("notes/river.txt", "The river below the dam carries little water in summer.");
    workspace
}

fn said(ended: &Ended) -> String {
    format!("{}\n{}\n{}", ended.code, ended.stdout, ended.stderr)
}

/// Lets the question stand; returns its id.
fn add(workspace: &CliWorkspace) -> String {
    let ended = workspace.run(&["standing", "add", QUESTION, "--corpus", "notes", "--every", "1d", "--out", "answer"]);
    assert_eq!(ended.code, 0, "{}", said(&ended));
    let id = ended.stdout.split(' ').next().unwrap_or_default().to_owned();
    assert!(id.starts_with("q-"), "{}", said(&ended));
    id
}

fn run(workspace: &CliWorkspace, arguments: &[&str]) -> Ended {
    workspace.run(&[&["standing", "run"], arguments].concat())
}

fn listed(workspace: &CliWorkspace) -> Value {
    let ended = workspace.run(&["standing", "list", "--json"]);
    serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(&ended)))
}

fn changes(workspace: &CliWorkspace) -> Value {
    let bytes = std::fs::read(workspace.at("answer/changes.json")).expect("changes.json");
    serde_json::from_slice(&bytes).expect("JSON")
}

/// The statement that changed, as it was and as it is, with the quote of each.
fn changed(changes: &Value) -> [String; 4] {
    let rows = changes["statements"].as_array().expect("a list");
    let row = rows.iter().find(|row| row["change"] == "changed").unwrap_or_else(|| panic!("{changes:#}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let [before, now] = [&row["before"], &row["now"]];
    [before, now].map(|side| [text(&side["text"]), text(&side["quotes"][0]["text"])]).concat().try_into().expect("four")
}

fn assert_raised(changes: &Value) {
    for (said, amount) in changed(changes).iter().zip(["40", "40", "50", "50"]) {
        assert!(said.contains(&format!("{amount} million")), "{said}: {changes:#}");
    }
    assert!(changes["cost"]["usd"].is_number(), "{changes:#}");
}

/// Writes a program that appends what it gets to `told`, after it has failed as often as there are lines in `fails`.
fn hook(workspace: &CliWorkspace) {
    let script = "#!/bin/sh\nif [ -s fails ]; then : > fails; exit 3; fi\ncat >> told\necho \"$# $*\" > arguments\nenv > variables\n";
    workspace.write("hook.sh", script);
    let path = workspace.at("hook.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).expect("executable");
    workspace.configure(format!("standing_hook = ['{}', '--told']\n", path.display()));
}

#[test]
fn a_changed_statement_is_reported_once_with_both_quotes() {
    let workspace = workspace();
    hook(&workspace);
    let id = add(&workspace);
    let ended = run(&workspace, &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "not due: {}", said(&ended));
    workspace.write("notes/dam.txt", RAISED);
    let ended = run(&workspace, &[&id]);
    assert_eq!(ended.code, 6, "{}", said(&ended));
    assert!(ended.stdout.contains("40 million") && ended.stdout.contains("50 million"), "{}", said(&ended));
    assert_raised(&changes(&workspace));
    let told: Value = serde_json::from_slice(&std::fs::read(workspace.at("told")).expect("told")).expect("one notice");
    assert_eq!((&told["id"], &told["changes"]), (&Value::from(id.as_str()), &changes(&workspace)));
    // Words of documents come on standard input alone, and keys do not come at all.
    assert_eq!(std::fs::read_to_string(workspace.at("arguments")).expect("written"), "1 --told\n");
    let variables = std::fs::read_to_string(workspace.at("variables")).expect("written");
    assert!(!variables.contains("million"), "{variables}");
    for arguments in [&[][..], &[id.as_str()]] {
        let ended = run(&workspace, arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{}", said(&ended));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unchanged_statements_are_not_reported_and_touched_files_ask_no_model() {
    let workspace = workspace();
    let id = add(&workspace);
    let before = std::fs::read(workspace.at("answer/report.json")).expect("a report");
    let server = Scripted::start(vec![Reply::Hang; 9]).await;
    workspace.configure(format!(
        "[providers.slow]\nbase_url = '{}'\n[roles.synthesis]\nproviders = ['slow:m']\n",
        server.base_url()
    ));
    workspace.write("notes/dam.txt", DAM);
    let ended = run(&workspace, &[&id]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{}", said(&ended));
    assert!(server.seen().is_empty(), "a model was asked");
    assert_eq!(std::fs::read(workspace.at("answer/report.json")).expect("a report"), before);

    workspace.configure("");
    workspace.write("notes/whales.txt", "Whales sing in the sea, and nobody knows why they do.");
    let ended = run(&workspace, &[&id]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{}", said(&ended));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parallel_run_asks_nothing_and_a_killed_one_is_repeated() {
    let workspace = workspace();
    let id = add(&workspace);
    let server = Scripted::start(vec![Reply::Hang; 99]).await;
    workspace.configure(format!(
        "[providers.slow]\nbase_url = '{}'\n[roles.synthesis]\nproviders = ['slow:m']\n",
        server.base_url()
    ));
    workspace.write("notes/dam.txt", RAISED);
    let mut command = workspace.command(&["standing", "run", &id]);
    let mut first = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let begun = Instant::now();
    while server.seen().is_empty() {
        assert!(begun.elapsed() < PATIENCE, "the first run asks no model");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let asked = server.seen().len();
    let ended = run(&workspace, &[&id]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{}", said(&ended));
    assert!(ended.stderr.contains("another process asks it now"), "{}", said(&ended));
    assert_eq!(workspace.run(&["standing", "remove", &id]).code, 1, "it is being asked");
    assert_eq!(server.seen().len(), asked, "the second run asked a model");
    first.kill().expect("it runs");
    first.wait().expect("it ends");
    workspace.configure("");
    let ended = run(&workspace, &[&id]);
    assert_eq!(ended.code, 6, "{}", said(&ended));
    assert_raised(&changes(&workspace));
}

#[test]
fn a_failing_hook_is_reported_and_notified_at_the_next_run() {
    let workspace = workspace();
    hook(&workspace);
    let id = add(&workspace);
    workspace.write("notes/dam.txt", RAISED);
    workspace.write("fails", "once");
    let ended = run(&workspace, &[&id]);
    assert_eq!(ended.code, 6, "{}", said(&ended));
    assert!(ended.stderr.contains("hook.sh") && ended.stderr.contains("given again"), "{}", said(&ended));
    assert_eq!(listed(&workspace)[0]["has_notice"], true);
    // Not due for a day, but its notice waits.
    let ended = run(&workspace, &["--json"]);
    assert_eq!(ended.code, 6, "{}", said(&ended));
    let notices: Value = serde_json::from_str(&ended.stdout).expect("JSON alone");
    assert_raised(&notices[0]["changes"]);
    let told: Value = serde_json::from_slice(&std::fs::read(workspace.at("told")).expect("told")).expect("one notice");
    assert_eq!(told, notices[0]);
    assert_eq!(run(&workspace, &[]).code, 0);
}

#[test]
fn a_webhook_gets_the_notice_only_where_its_address_may_be_reached() {
    let workspace = workspace();
    let id = add(&workspace);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let webhook = format!("standing_webhook = 'http://127.0.0.1:{port}/notices?token=planted-5512'\n");
    workspace.configure(&webhook);
    workspace.write("notes/dam.txt", RAISED);
    let ended = run(&workspace, &[&id]);
    assert_eq!(ended.code, 6, "{}", said(&ended));
    assert!(ended.stderr.contains("standing_webhook"), "{}", said(&ended));
    assert!(!ended.stderr.contains("planted-5512"), "{}", said(&ended));
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a caller");
        let (mut seen, mut room) = (Vec::new(), [0; 4_096]);
        while !String::from_utf8_lossy(&seen).trim_end().ends_with("}}") {
            let count = stream.read(&mut room).expect("readable");
            assert!(count > 0, "{}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&room[..count]);
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").expect("answered");
        String::from_utf8(seen).expect("text")
    });
    workspace.configure(format!("{webhook}fetch_allow_networks = ['127.0.0.0/8']\nfetch_ports = [{port}]\n"));
    let ended = run(&workspace, &[]);
    assert_eq!(ended.code, 6, "{}", said(&ended));
    assert!(ended.stderr.is_empty(), "{}", said(&ended));
    let seen = server.join().expect("no panic");
    assert!(seen.starts_with("POST /notices?token=planted-5512 "), "{seen}");
    let (_, body) = seen.split_once("\r\n\r\n").expect("a body");
    assert_raised(&serde_json::from_str::<Value>(body).expect("JSON")["changes"]);
    assert_eq!(run(&workspace, &[]).code, 0);
}

#[test]
fn an_endpoint_gets_no_text_and_a_retry_after_an_outage() {
    let workspace = workspace();
    let id = add(&workspace);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    workspace.configure(format!(
        "standing_endpoint = 'desk'\nfetch_allow_networks = ['127.0.0.0/8']\n[webhooks.desk]\nurl = 'http://127.0.0.1:{port}/in'\n\
         secret_env = 'DESK_SECRET'\n"
    ));
    workspace.write("notes/dam.txt", RAISED);
    // Its secret is missing: the notice waits.
    let without = run(&workspace, &[&id]);
    assert_eq!(without.code, 6, "{}", said(&without));
    assert!(without.stderr.contains("DESK_SECRET is not set"), "{}", said(&without));
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a caller");
        let (mut seen, mut room) = (Vec::new(), [0; 4_096]);
        while !String::from_utf8_lossy(&seen).trim_end().ends_with('}') {
            let count = stream.read(&mut room).expect("readable");
            assert!(count > 0, "{}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&room[..count]);
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").expect("answered");
        String::from_utf8(seen).expect("text")
    });
    let mut command = workspace.command(&["standing", "run"]);
    command.env("DESK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let told = ended(command);
    assert_eq!(told.code, 6, "{}", said(&told));
    assert!(told.stderr.is_empty(), "{}", said(&told));
    let seen = server.join().expect("no panic");
    let (head, body) = seen.split_once("\r\n\r\n").expect("a body");
    for header in ["webhook-id: msg_", "webhook-timestamp: ", "webhook-signature: v1,"] {
        assert!(head.contains(header), "{head}");
    }
    let body: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!((&body["type"], &body["data"]["question_id"]), (&"standing.changed".into(), &id.as_str().into()));
    assert_eq!(body["data"]["statements"], 1, "{body}");
    assert_eq!(body["data"].as_object().map(|data| data.len()), Some(2), "{body}");
    assert_eq!(run(&workspace, &[]).code, 0);
}

#[test]
fn a_question_is_kept_once_with_its_label_until_removed() {
    let workspace = workspace();
    let add =
        ["standing", "add", QUESTION, "--corpus", "notes", "--confidential-query", "--set", "strict_privacy=true"];
    for expected in ["", "stands already"] {
        let ended = workspace.run(&add);
        assert_eq!(ended.code, 0, "{}", said(&ended));
        assert!(ended.stderr.contains(expected), "{}", said(&ended));
    }
    let listed_now = listed(&workspace);
    assert_eq!(listed_now.as_array().expect("a list").len(), 1);
    let id = listed_now[0]["id"].as_str().expect("an id").to_owned();
    workspace.write("notes/dam.txt", RAISED);
    assert_eq!(run(&workspace, &[&id]).code, 6);
    let report = format!("precis-standing-{}/report.json", &id[2..]);
    let report: Value = serde_json::from_slice(&std::fs::read(workspace.at(&report)).expect("a report")).expect("JSON");
    let privacy = &report["data"]["privacy"];
    assert_eq!((&privacy["confidential_query"], &privacy["strict_privacy"]), (&true.into(), &true.into()));
    assert_eq!(workspace.run(&["standing", "remove", &id]).code, 0);
    assert_eq!(listed(&workspace).as_array().map(Vec::len), Some(0));
    let ended = workspace.run(&["standing", "remove", &id]);
    assert_eq!(ended.code, 3, "{}", said(&ended));
}

#[test]
fn a_record_of_a_later_version_is_refused_without_delaying_others() {
    let workspace = workspace();
    let id = add(&workspace);
    let later = format!("../home/.local/share/precis/standing/named/standing/{}", "q-later");
    workspace.write(&later, "{\"schema_version\": 99}");
    workspace.write("notes/dam.txt", RAISED);
    let ended = run(&workspace, &[]);
    assert_eq!(ended.code, 3, "{}", said(&ended));
    assert!(ended.stderr.contains("version 99"), "{}", said(&ended));
    assert_eq!(run(&workspace, &[&id, "q-later"]).code, 6);
}

#[test]
fn a_folder_that_is_away_leaves_the_question_due() {
    let workspace = workspace();
    let id = add(&workspace);
    std::fs::rename(workspace.at("notes"), workspace.at("away")).expect("moved");
    let ended = run(&workspace, &[&id]);
    assert_eq!(ended.code, 3, "{}", said(&ended));
    std::fs::rename(workspace.at("away"), workspace.at("notes")).expect("moved back");
    workspace.write("notes/dam.txt", RAISED);
    assert_eq!(run(&workspace, &[&id]).code, 6);
}

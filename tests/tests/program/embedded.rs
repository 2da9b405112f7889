//! `precis serve --embedded`: a whole fleet behind the door of one process, as somebody with an HTTP client sees it over kills.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use precis_tests::http_client::HttpClient;
use precis_tests::program::CliWorkspace;
use serde_json::json;

/// Longest time for a start, and for a session of two short documents, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(300);
/// Sessions, each submitted to a process that is killed right after it.
const SESSIONS: usize = 4;

pub(crate) fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("bound")
}

/// Starts the program, and waits until it answers that it is ready. One that ends before is started again, as whoever runs services does:
/// what a killed process was just starting may hold its folder for a while.
pub(crate) fn started(workspace: &CliWorkspace, client: &HttpClient) -> Child {
    started_with(workspace, client, &[])
}

/// The same with variables in its environment.
pub(crate) fn started_with(workspace: &CliWorkspace, client: &HttpClient, environment: &[(&str, &str)]) -> Child {
    let address = client.address.to_string();
    let mut command = workspace.command(&["serve", "--embedded", "--data", "data", "--listen", &address]);
    command.envs(environment.iter().copied());
    let mut start = || command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let (mut child, since) = (start(), Instant::now());
    while TcpStream::connect(client.address).is_err() || client.call("GET", "/readyz", "", &[]).status != 200 {
        let ended = child.try_wait().expect("its own child");
        assert!(since.elapsed() < PATIENCE, "not ready, ended: {ended:?}");
        if ended.is_some() {
            child = start();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child
}

pub(crate) fn killed(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[test]
fn sessions_accepted_over_http_end_once_however_often_the_process_is_killed() {
    let workspace = CliWorkspace::new();
    let client = HttpClient { address: free_address(), token: None };
    let mut process = started(&workspace, &client);
    let mut ids = Vec::new();
    for n in 0..SESSIONS {
        let source = |id: &str, content: String| json!({ "source_id": id, "title": id, "content": content });
        let sources = [
            source("a", format!("The river rose by {n} metres in spring.")),
            source("b", "The bridge was closed for a week.".to_owned()),
        ];
        let body = json!({ "schema_version": 2, "query": "By how much did the river rise?", "sources": sources });
        let key = format!("key-{n}");
        let submit = || {
            client.call(
                "POST",
                "/v1/sessions",
                &body.to_string(),
                &[("idempotency-key", &key), ("content-type", "application/json")],
            )
        };
        let accepted = submit();
        assert_eq!(accepted.status, 202, "{}", String::from_utf8_lossy(&accepted.body));
        killed(process);
        process = started(&workspace, &client);
        // The same request after the kill is the same session.
        assert_eq!(submit().json()["id"], accepted.json()["id"]);
        ids.push(accepted.json()["id"].as_str().expect("an id").to_owned());
    }
    let mut results = Vec::new();
    for id in &ids {
        let (since, path) = (Instant::now(), format!("/v1/sessions/{id}"));
        let shown = || client.call("GET", &path, "", &[("prefer", "wait=5")]).json();
        let mut session = shown();
        while ["queued", "running"].contains(&session["status"].as_str().expect("a status")) {
            assert!(since.elapsed() < PATIENCE, "{session}");
            session = shown();
        }
        assert_eq!(session["status"], "completed", "{session}");
        results.push(client.call("GET", &format!("{path}/result"), "", &[]).body);
    }
    killed(process);
    let process = started(&workspace, &client);
    for (id, before) in ids.iter().zip(&results) {
        let again = client.call("GET", &format!("/v1/sessions/{id}/result"), "", &[]).body;
        assert_eq!(&again, before, "{id} has another result after a restart");
    }
    let second = workspace.run(&["serve", "--embedded", "--data", "data", "--listen", &free_address().to_string()]);
    assert_ne!(second.code, 0);
    assert!(second.stderr.contains("in use by another process"), "{}", second.stderr);
    killed(process);
}

#[test]
fn a_folder_and_the_flag_that_uses_it_belong_together() {
    let workspace = CliWorkspace::new();
    for args in [["serve", "--embedded"].as_slice(), &["serve", "--data", "data"]] {
        let ended = workspace.run(args);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
    }
    assert!(workspace.names("data").is_empty());
}

//! Clients that send what they should not.

use std::io::Write as _;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, PATIENCE};
use super::workspace;

/// Most bytes of a message, as the program has it.
const MAX_LINE_BYTES: usize = 1 << 20;
/// Most calls under way, as the program has it.
const MAX_CALLS: usize = 16;

fn code(response: &Value) -> i64 {
    response["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {response}"))
}

#[test]
fn an_invalid_message_gets_an_error_and_the_next_is_served() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}", "[".repeat(100_000));
    for (line, expected, id) in [
        (&b"{"[..], -32_700, Value::Null),
        (b"\xff\xfe", -32_700, Value::Null),
        (deep.as_bytes(), -32_700, Value::Null),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32_600, Value::Null),
        (b"{\"id\":9,\"method\":\"ping\"}", -32_600, 9.into()),
        (b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"params\":7}", -32_602, 9.into()),
        (b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/list\"}", -32_602, 9.into()),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"no/such\"}", -32_601, "x".into()),
    ] {
        client.send_raw(line);
        let response = client.next();
        assert_eq!(
            (code(&response), &response["id"]),
            (expected, &id),
            "{}",
            String::from_utf8_lossy(&line[..line.len().min(80)])
        );
    }
    // Nobody asked for these.
    client.send_raw(b"");
    client.notify("notifications/no/such", json!({}));
    client.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":\"precis-roots\",\"result\":{\"roots\":\"x\"}}");
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    client.open(json!({}));
    for (params, expected) in [
        (json!({}), -32_602),
        (json!({ "name": "no_such_tool" }), -32_602),
        (json!({ "name": "ask", "arguments": [] }), -32_602),
    ] {
        assert_eq!(code(&client.request("tools/call", params)), expected);
    }
    for (tool, arguments) in [
        ("ask", json!({ "question": "Who pays?", "path": "tax.md" })),
        ("ask", json!({})),
        ("ask", json!({ "question": "Who pays?", "paths": vec!["tax.md"; 65] })),
        ("research", json!({ "question": "Who pays the tax?", "depth": "bottomless" })),
        ("search_evidence", json!({ "question": "tax", "limit": 101 })),
        ("extract", json!({ "path": "tax.md", "max_chars": 0 })),
        ("extract", json!({ "path": "tax.md", "offset": -1 })),
    ] {
        let refused = client.call(tool, arguments.clone());
        let words = super::text(&refused);
        assert!(refused["isError"] == true && words.starts_with("invalid_arguments: "), "{tool} {arguments} {words}");
    }
    for (question, code) in [("", "invalid_query"), ("Why?", "invalid_query"), (&"x".repeat(10_001), "invalid_query")] {
        let refused = client.call("ask", json!({ "question": question }));
        assert!(super::text(&refused).starts_with(code), "{refused}");
    }
    // Not a document from standard input, nor the question.
    assert!(
        super::text(&client.call("ask", json!({ "question": "Who pays the tax?", "paths": ["-"] })))
            .starts_with("not_found")
    );
    for session in ["s-unknown", "../../etc/passwd", "", &"s".repeat(100_000)] {
        let refused = client.call("get_report", json!({ "session": session }));
        assert!(super::text(&refused).starts_with("unknown_session: "), "{refused}");
    }
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    client.close();
}

#[test]
fn a_message_may_be_as_long_as_the_limit() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    for (bytes, is_served) in
        [(MAX_LINE_BYTES - 1, true), (MAX_LINE_BYTES, true), (MAX_LINE_BYTES + 1, false), (8 * MAX_LINE_BYTES, false)]
    {
        let empty = r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":""}}"#;
        let line = empty.replace("\"\"}}", &format!("\"{}\"}}}}", "x".repeat(bytes - empty.len())));
        assert_eq!(line.len(), bytes);
        client.send_raw(line.as_bytes());
        let response = client.next();
        match is_served {
            true => assert_eq!((&response["id"], &response["result"]), (&5.into(), &json!({})), "{bytes}"),
            false => assert_eq!((code(&response), &response["id"]), (-32_600, &Value::Null), "{bytes}"),
        }
    }
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    client.close();
}

#[test]
fn a_cancelled_call_is_not_answered_and_its_session_goes_on() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.open(json!({}));
    let arguments = json!({ "question": "Who pays the harbour tax?", "wait_seconds": 0 });
    let begun = client.call("ask", arguments);
    let session = begun["structuredContent"]["session"].as_str().expect("a handle").to_owned();
    let unanswered =
        client.ask("tools/call", json!({ "name": "ask", "arguments": { "question": "Who pays the harbour tax?" } }));
    client.notify("notifications/cancelled", json!({ "requestId": unanswered, "reason": "changed my mind" }));
    client.notify("notifications/cancelled", json!({ "requestId": 4711 }));
    client.notify("notifications/cancelled", json!({}));
    assert_eq!(client.until_ended(&session)["status"], "completed");
    assert_eq!(client.next_within(Duration::from_millis(300)), None, "nothing comes for the cancelled call");
    client.close();
}

#[test]
fn calls_beyond_the_limit_get_a_server_busy_answer() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    // Calls that wait for the folders of a client that does not say them.
    let client_info = json!({ "name": "test", "version": "0" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "roots": {} }, "clientInfo": client_info });
    client.request("initialize", params);
    for count in [MAX_CALLS - 1, MAX_CALLS, MAX_CALLS + 1] {
        let begun: Vec<u64> = (0..count)
            .map(|_| client.ask("tools/call", json!({ "name": "extract", "arguments": { "path": "tax.md" } })))
            .collect();
        let refused = client.ask("tools/call", json!({ "name": "extract", "arguments": { "path": "tax.md" } }));
        assert_eq!(refused, begun[count - 1] + 1);
        let results: Vec<Value> = (0..=count).map(|_| client.next()).collect();
        let busy = results.iter().filter(|response| response.to_string().contains("busy: ")).count();
        assert_eq!(busy, (count + 1).saturating_sub(MAX_CALLS), "{count}");
    }
    client.close();
}

#[test]
fn an_id_under_way_is_not_used_twice() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.open(json!({}));
    let call = json!({ "jsonrpc": "2.0", "id": "same", "method": "tools/call",
        "params": { "name": "ask", "arguments": { "question": "Who pays the harbour tax?" } } });
    client.send_raw(call.to_string().as_bytes());
    client.send_raw(call.to_string().as_bytes());
    let (first, second) = (client.next(), client.next());
    assert_eq!((code(&first), &first["id"]), (-32_600, &"same".into()));
    assert_eq!((&second["id"], &second["result"]["isError"]), (&"same".into(), &false.into()));
    client.close();
}

#[test]
fn a_client_lost_within_a_message_ends_only_the_server() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.open(json!({}));
    let begun = client.call("ask", json!({ "question": "Who pays the harbour tax?", "wait_seconds": 0 }));
    let session = begun["structuredContent"]["session"].as_str().expect("a handle").to_owned();
    // Half a message, and the end.
    client.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{\"name\":\"ask\"");
    client.close();
    let mut client = Client::start(&workspace, &["--root", "docs", "--data", "data"]);
    client.open(json!({}));
    assert_eq!(client.until_ended(&session)["status"], "completed");
    client.close();
}

#[test]
fn a_client_that_never_reads_does_not_prevent_server_stop() {
    let workspace = workspace();
    let mut command = workspace.command(&["mcp", "--root", "docs", "--data", "data"]);
    let mut server =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut input = server.stdin.take().expect("piped");
    let taken = Arc::new(AtomicUsize::new(0));
    let flood = std::thread::spawn({
        let taken = Arc::clone(&taken);
        move || {
            let ping = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{}\",\"method\":\"ping\"}}\n", "x".repeat(10_000));
            // Until nobody takes any more: the input of the server is full, or it is gone.
            (0..1_000).all(|_| input.write_all(ping.as_bytes()).map(|()| taken.fetch_add(1, Ordering::SeqCst)).is_ok())
        }
    });
    // It reads, as more was taken than a pipe holds, and then it reads no more.
    let since = Instant::now();
    let mut before = 0;
    while before < 20 || taken.load(Ordering::SeqCst) != before {
        before = taken.load(Ordering::SeqCst);
        assert!(since.elapsed() < PATIENCE && !flood.is_finished(), "{before} messages were taken");
        std::thread::sleep(Duration::from_secs(1));
    }
    let pid = rustix::process::Pid::from_child(&server);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
    let since = Instant::now();
    while server.try_wait().expect("its own child").is_none() {
        assert!(since.elapsed() < PATIENCE, "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!flood.join().expect("no panic"));
}

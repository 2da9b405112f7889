//! A client of the protocol that speaks it line by line, and fails where something else comes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use precis_tests::program::CliWorkspace;
use serde_json::{Value, json};

/// Longest wait for a message, and for an end, on a machine that does much else.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// A client with its server.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
    /// Addresses that it answers `roots/list` with.
    pub(crate) roots: Vec<String>,
}

impl Client {
    pub(crate) fn start(workspace: &CliWorkspace, args: &[&str]) -> Self {
        let mut command = workspace.command(&["mcp"]);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("piped"));
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, input, lines, last_id: 0, roots: Vec::new() }
    }

    /// Opens a session, as a client with these capabilities.
    pub(crate) fn open(&mut self, capabilities: Value) {
        let client = json!({ "name": "test", "version": "0" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client });
        let opened = self.request("initialize", params);
        assert_eq!(opened["result"]["protocolVersion"], "2025-11-25", "{opened}");
        self.notify("notifications/initialized", json!({}));
    }

    pub(crate) fn send_raw(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("open");
        input.write_all(line).and_then(|()| input.write_all(b"\n")).and_then(|()| input.flush()).expect("it reads");
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send_raw(json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().as_bytes());
    }

    /// Sends a request; returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.send_raw(message.to_string().as_bytes());
        self.last_id
    }

    /// Returns the next message of the server that is no request, or `None` if none comes within `patience`. Everything on its standard
    /// output is a message.
    pub(crate) fn next_within(&mut self, patience: Duration) -> Option<Value> {
        loop {
            let line = match self.lines.recv_timeout(patience) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            };
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if message["method"] == "roots/list" {
                let roots: Vec<Value> = self.roots.iter().map(|uri| json!({ "uri": uri })).collect();
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "roots": roots } });
                self.send_raw(answer.to_string().as_bytes());
                continue;
            }
            return Some(message);
        }
    }

    pub(crate) fn next(&mut self) -> Value {
        self.next_within(PATIENCE).expect("a message")
    }

    /// Sends a request and returns the response to it.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let response = self.next();
        assert_eq!(response["id"], id, "{response}");
        response
    }

    /// Calls a tool and returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let response = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(response["result"]["content"][0]["text"].is_string(), "{response}");
        response["result"].clone()
    }

    /// Asks for a session until it has ended; returns the last answer.
    pub(crate) fn until_ended(&mut self, session: &str) -> Value {
        let since = Instant::now();
        loop {
            let answer = self.call("get_report", json!({ "session": session, "wait_seconds": 5 }));
            let answer = answer.get("structuredContent").cloned().unwrap_or_else(|| panic!("{answer}"));
            if !["preparing", "running"].contains(&answer["status"].as_str().expect("a status")) {
                return answer;
            }
            assert!(since.elapsed() < PATIENCE, "{answer}");
        }
    }

    /// Closes the input and waits for the server's end.
    pub(crate) fn close(mut self) -> ExitStatus {
        drop(self.input.take());
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("its own child") {
                assert!(status.success(), "{status}");
                return status;
            }
            assert!(since.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Of a test that failed: nothing is left running. One that has ended cannot be killed, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The words of a result.
pub(crate) fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().expect("a text").to_owned()
}

//! The exchange of messages with one client: reads lines, answers them, and lets calls of tools run beside each other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::calls::call_tool;
use super::desk::Desk;
use super::failure::ToolFailure;
use super::lifecycle::{Lifecycle, describe_server, lifecycle, negotiate, shape_result, welcome};
use super::lines::{Line, Lines, MAX_LINE_BYTES};
use super::message::{self, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message, Refusal, response};
use super::progress::{Progress, tell, token_of};
use super::tool::{self, Tool};

/// Most calls of tools under way; a further one is answered at once that the server is busy.
pub(super) const MAX_CALLS: usize = 16;
/// How long calls that are under way may take to be answered after the input ended.
const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// Messages that wait to be written; while there are as many, nothing more is read.
const WAITING: usize = 64;
/// Id of the request for the folders of the client.
const ROOTS: &str = "precis-roots";

/// Why an exchange ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ExchangeEnd {
    /// The client closed the input or reads no more output, or the server was told to stop.
    Closed,
    /// The data folder can no longer be written.
    FolderFailed(String),
}

/// Serves the client at `input` and `output` until one of them is closed or `stop` is cancelled. Sessions go on.
pub(super) async fn exchange(
    desk: &Arc<Desk>,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> ExchangeEnd {
    let (answers, waiting) = mpsc::channel(WAITING);
    let mut writer = tokio::spawn(write(output, waiting));
    let (read, mut lines) = mpsc::channel(1);
    // A task of its own: reading a line must not be interrupted by what else happens.
    let reader = tokio::spawn(async move {
        let mut input = Lines::new(input, MAX_LINE_BYTES);
        while let Ok(Some(line)) = input.next().await {
            if read.send(line).await.is_err() {
                return;
            }
        }
    });
    let mut client = Client { desk, answers, session: None, running: BTreeMap::new(), calls: JoinSet::new() };
    let end = loop {
        tokio::select! {
            line = lines.recv() => match line {
                // A client that reads nothing must not keep the server from being stopped.
                Some(line) => tokio::select! {
                    () = client.take(line) => {}
                    () = stop.cancelled() => break ExchangeEnd::Closed,
                },
                None => break ExchangeEnd::Closed,
            },
            Some(ended) = client.calls.join_next() => client.forget(ended.unwrap_or_default().as_str()),
            _ = &mut writer => break ExchangeEnd::Closed,
            () = stop.cancelled() => break ExchangeEnd::Closed,
            reason = desk.wait_for_failure() => break ExchangeEnd::FolderFailed(reason),
        }
    };
    reader.abort();
    let Client { answers, mut calls, .. } = client;
    if end == ExchangeEnd::Closed && !stop.is_cancelled() {
        let all = async { while calls.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_ANSWERS, all).await;
    }
    calls.shutdown().await;
    drop(answers);
    let _ = tokio::time::timeout(LAST_ANSWERS, writer).await;
    end
}

/// Writes each message as a line; ends when nobody reads any more, or nobody has anything to say.
async fn write(mut output: impl AsyncWrite + Unpin, mut waiting: mpsc::Receiver<Value>) {
    while let Some(message) = waiting.recv().await {
        let mut line = message.to_string();
        line.push('\n');
        if output.write_all(line.as_bytes()).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

/// What is known of the client.
struct Client<'d> {
    desk: &'d Arc<Desk>,
    answers: mpsc::Sender<Value>,
    /// Whether it can name folders; `None` until it has opened a session.
    session: Option<bool>,
    /// The calls under way, by the JSON of their request's id; ends with its call.
    running: BTreeMap<String, CancellationToken>,
    /// Each returns the id.
    calls: JoinSet<String>,
}

impl Client<'_> {
    async fn take(&mut self, line: Line) {
        let read = match line {
            Line::Whole(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => return,
            Line::Whole(bytes) => message::read(&bytes),
            Line::TooLong => {
                let message = format!("a message must have at most {MAX_LINE_BYTES} bytes");
                Err(Refusal::new(Value::Null, INVALID_REQUEST, message))
            }
        };
        match read {
            Ok(Message::Request { id, method, params }) => match self.request(&id, &method, &params) {
                Ok(Some(result)) => self.send(response(&id, &result)).await,
                Ok(None) => {}
                Err(refusal) => self.send(refusal.response()).await,
            },
            Ok(Message::Notification { method, params }) => self.handle_notification(&method, &params).await,
            Ok(Message::Response { id, result }) if id == ROOTS => self.desk.client_said(addresses(result.as_ref())),
            Ok(Message::Response { .. }) => {}
            Err(refusal) => self.send(refusal.response()).await,
        }
    }

    /// Returns the result of a request; `None` if a call was begun, which answers itself.
    fn request(&mut self, id: &Value, method: &str, params: &Map<String, Value>) -> Result<Option<Value>, Refusal> {
        match method {
            "initialize" => {
                let opened = negotiate(params);
                self.session = Some(opened.has_roots);
                if opened.has_roots {
                    // Now, not when they are asked for: a call may come before that.
                    self.desk.ask_client();
                }
                Ok(Some(welcome(&opened)))
            }
            "ping" => Ok(Some(json!({}))),
            "server/discover" => {
                let lifecycle = lifecycle(id, params, self.session.is_some())?;
                Ok(Some(shape_result(describe_server(), lifecycle, true)))
            }
            "tools/list" => {
                let lifecycle = lifecycle(id, params, self.session.is_some())?;
                Ok(Some(shape_result(tool::list(!self.desk.allowed.web.is_empty()), lifecycle, true)))
            }
            "tools/call" => {
                let lifecycle = lifecycle(id, params, self.session.is_some())?;
                self.call(id, params, lifecycle)
            }
            _ => Err(Refusal::new(id.clone(), METHOD_NOT_FOUND, format!("there is no method `{method}`"))),
        }
    }

    fn call(&mut self, id: &Value, params: &Map<String, Value>, kind: Lifecycle) -> Result<Option<Value>, Refusal> {
        let refused = |message: String| Refusal::new(id.clone(), INVALID_PARAMS, message);
        let name =
            params.get("name").and_then(Value::as_str).ok_or_else(|| refused("name must be a text".to_owned()))?;
        let tool = name.parse::<Tool>().map_err(|_| refused(format!("there is no tool `{name}`")))?;
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err(refused("arguments must be a JSON object".to_owned())),
        };
        let key = id.to_string();
        if self.running.contains_key(&key) {
            return Err(Refusal::new(id.clone(), INVALID_REQUEST, "a request with this id is under way"));
        }
        if self.running.len() >= MAX_CALLS {
            let failure = ToolFailure::new("busy", format!("{MAX_CALLS} calls are under way, and no more may be"));
            return Ok(Some(shape_result(
                failure.with_remedy("wait for one of them, then call again").result(),
                kind,
                false,
            )));
        }
        let cancelled = CancellationToken::new();
        self.running.insert(key.clone(), cancelled.clone());
        let (desk, answers, id) = (Arc::clone(self.desk), self.answers.clone(), id.clone());
        let token = token_of(params);
        self.calls.spawn(async move {
            let (progress, told) = Progress::channel();
            tokio::select! {
                // In this order: what was said before the answer is told before it.
                biased;
                // The client wants no answer. A session that was opened goes on.
                () = cancelled.cancelled() => {}
                () = tell(token, told, answers.clone()) => {}
                result = call_tool(&desk, tool, &arguments, &progress) => {
                    // A client that is gone is noticed by the writer.
                    let _ = answers.send(response(&id, &shape_result(result, kind, false))).await;
                }
            }
            key
        });
        Ok(None)
    }

    async fn handle_notification(&mut self, method: &str, params: &Map<String, Value>) {
        match method {
            "notifications/cancelled" => {
                let key = params.get("requestId").map(Value::to_string).unwrap_or_default();
                if let Some(call) = self.running.get(&key) {
                    call.cancel();
                }
            }
            "notifications/initialized" | "notifications/roots/list_changed" if self.session == Some(true) => {
                self.desk.ask_client();
                self.send(json!({ "jsonrpc": "2.0", "id": ROOTS, "method": "roots/list" })).await;
            }
            _ => {}
        }
    }

    fn forget(&mut self, key: &str) {
        self.running.remove(key);
    }

    async fn send(&self, message: Value) {
        // A client that is gone is noticed by the writer.
        let _ = self.answers.send(message).await;
    }
}

/// Returns the addresses in the result of `roots/list`; none if it is an error, or of another form.
fn addresses(result: Option<&Value>) -> Vec<String> {
    let roots = result.and_then(|result| result["roots"].as_array());
    roots.into_iter().flatten().filter_map(|root| Some(root["uri"].as_str()?.to_owned())).collect()
}

//! A provider that writes a mark of its own into each answer and counts each request for itself: what it wrote can be found again.

use std::sync::{Arc, Mutex, PoisonError};

use precis_text::tokens::Tokenizer;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// One request and what was answered.
#[derive(Debug, Clone)]
pub struct MarkedCall {
    /// All messages, one after the other.
    pub text: String,
    /// The mark that the answer holds in each of its texts.
    pub mark: String,
    /// Name of the schema that was sent; empty where a report was asked for.
    pub schema: String,
    /// The answer.
    pub answer: String,
    /// Tokens of messages, schema and the longest answer allowed.
    pub tokens: u64,
}

/// The provider. Ends with the value.
#[derive(Debug)]
pub struct Marked {
    base_url: String,
    calls: Arc<Mutex<Vec<MarkedCall>>>,
    listener: JoinHandle<()>,
}

impl Marked {
    /// Listens on a port of its own.
    ///
    /// # Panics
    /// Where there is no free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port on the loopback interface");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let calls = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&calls);
        let listener = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&seen)));
            }
        });
        Self { base_url: format!("http://127.0.0.1:{port}/v1"), calls, listener }
    }

    /// Where it listens.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// All calls so far, in order of arrival.
    #[must_use]
    pub fn calls(&self) -> Vec<MarkedCall> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn serve(stream: TcpStream, calls: Arc<Mutex<Vec<MarkedCall>>>) {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    loop {
        let (mut line, mut length, mut first) = (String::new(), 0, String::new());
        loop {
            line.clear();
            if !matches!(read.read_line(&mut line).await, Ok(n) if n > 0) {
                return;
            }
            if first.is_empty() {
                first.clone_from(&line);
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        if read.read_exact(&mut body).await.is_err() {
            return;
        }
        let (status, answer) = match serde_json::from_slice::<Value>(&body) {
            Ok(request) if first.starts_with("POST") => ("200 OK", answer(&request, &calls)),
            _ => ("404 Not Found", json!({ "error": { "message": "no such place" } })),
        };
        let answer = answer.to_string();
        let head =
            format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", answer.len());
        if write.write_all((head + &answer).as_bytes()).await.is_err() {
            return;
        }
    }
}

fn answer(request: &Value, calls: &Mutex<Vec<MarkedCall>>) -> Value {
    let texts: Vec<&str> =
        request["messages"].as_array().into_iter().flatten().filter_map(|m| m["content"].as_str()).collect();
    let wrapped = &request["response_format"]["json_schema"];
    let count = |text: &str| Tokenizer::O200k.count(text);
    let schema_tokens = if wrapped.is_null() { 0 } else { count(&wrapped.to_string()) };
    let longest = request["max_tokens"].as_u64().or(request["max_completion_tokens"].as_u64()).unwrap_or(0);
    let tokens = 3 + texts.iter().map(|text| 4 + count(text)).sum::<u64>() + schema_tokens + longest;
    let text = texts.join("\n");
    let ids = numbered(&text);
    let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
    let mark = format!("ZZ{}Q", calls.len());
    let schema = wrapped["name"].as_str().unwrap_or_default().to_owned();
    let answer = match wrapped["schema"].is_null() {
        false => instance(&wrapped["schema"], &mark, &ids, 0).to_string(),
        true => {
            let cited: Vec<String> = ids.iter().map(|id| format!("{mark} the loss of ice is told. [{id}]")).collect();
            format!("# Report\n\n{}", cited.join("\n\n"))
        }
    };
    let used = count(&answer);
    calls.push(MarkedCall { text, mark, schema, answer: answer.clone(), tokens });
    json!({
        "id": "x", "object": "chat.completion", "model": "m",
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": answer } }],
        "usage": { "prompt_tokens": tokens - longest, "completion_tokens": used, "total_tokens": tokens - longest + used },
    })
}

/// The numbers of the pieces that may be cited: those in lines `#NONCE 12: …`.
fn numbered(text: &str) -> Vec<u64> {
    let number = |line: &str| {
        let (nonce, rest) = line.strip_prefix('#')?.split_once(' ')?;
        let is_mark = nonce.len() == 8 && nonce.bytes().all(|b| b.is_ascii_hexdigit());
        rest.split([':', ' ']).next()?.parse().ok().filter(|_| is_mark)
    };
    text.lines().filter_map(number).collect()
}

/// An instance of `schema` with `mark` in each text; numbers are those of pieces, in turn.
fn instance(schema: &Value, mark: &str, ids: &[u64], turn: usize) -> Value {
    if let Some(word) = schema["enum"].get(0) {
        return word.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let fields = properties.map(|(name, of)| (name.clone(), instance(of, mark, ids, turn)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Some("array") if schema["items"]["type"] == "object" => {
            let all = (0..ids.len().clamp(1, 12)).map(|turn| instance(&schema["items"], mark, ids, turn));
            Value::Array(all.collect())
        }
        Some("array") => json!([instance(&schema["items"], mark, ids, turn)]),
        Some("integer") => json!(ids.get(turn).copied().unwrap_or(1)),
        Some("number") => json!(0.5),
        Some("boolean") => json!(false),
        _ => json!(format!("{mark} record {turn} tells of the loss of ice.")),
    }
}

//! A server of vectors on loopback: texts that share a word, or one that a test calls the same, lie near each other. It misbehaves on demand.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

/// Offset and prime of the hash of words (FNV-1a).
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// How the server answers.
#[derive(Debug, Clone)]
pub enum VectorReply {
    /// One vector a text.
    Vectors,
    /// The answer with vectors, changed.
    Changed(fn(&mut Value)),
    /// A status with a body.
    Status(u16, &'static str),
    /// A 200 with these bytes.
    Bytes(Vec<u8>),
    /// Nothing, for so long.
    Silence(Duration),
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct AskedVectors {
    /// Its path.
    pub path: String,
    /// Its `authorization`; empty if it has none.
    pub authorization: String,
    /// Its body.
    pub body: Value,
}

impl AskedVectors {
    /// The texts.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let input = self.body["input"].as_array().cloned().unwrap_or_default();
        input.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

#[derive(Debug)]
struct Shared {
    dimensions: usize,
    same: Vec<(&'static str, &'static str)>,
    reply: VectorReply,
    asked: Vec<AskedVectors>,
}

/// The server. It ends with the process: it waits for nobody and holds nothing.
#[derive(Debug)]
pub struct VectorServer {
    port: u16,
    shared: Arc<Mutex<Shared>>,
}

impl VectorServer {
    /// A server whose vectors have so many numbers; the first word of each pair is taken for the second one.
    ///
    /// # Panics
    /// Where no port is free.
    #[must_use]
    pub fn open(dimensions: usize, same: &[(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let (same, reply) = (same.to_vec(), VectorReply::Vectors);
        let shared = Arc::new(Mutex::new(Shared { dimensions, same, reply, asked: Vec::new() }));
        let held = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let held = Arc::clone(&held);
                std::thread::spawn(move || serve(stream, &held));
            }
        });
        Self { port, shared }
    }

    /// The address, up to and including the version.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Answers like this from now on.
    pub fn play(&self, reply: VectorReply) {
        lock(&self.shared).reply = reply;
    }

    /// The requests since the last time, in the order they came.
    #[must_use]
    pub fn asked(&self) -> Vec<AskedVectors> {
        std::mem::take(&mut lock(&self.shared).asked)
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers the requests of one connection.
fn serve(mut stream: TcpStream, shared: &Mutex<Shared>) -> Option<()> {
    let mut read = BufReader::new(stream.try_clone().ok()?);
    while let Some(asked) = request(&mut read) {
        let (vectors, reply) = {
            let mut shared = lock(shared);
            let vectors = answer(&shared, &asked);
            shared.asked.push(asked);
            (vectors, shared.reply.clone())
        };
        let (status, body) = match reply {
            VectorReply::Vectors => (200, vectors.to_string().into_bytes()),
            VectorReply::Changed(change) => {
                let mut vectors = vectors;
                change(&mut vectors);
                (200, vectors.to_string().into_bytes())
            }
            VectorReply::Status(status, body) => (status, body.as_bytes().to_vec()),
            VectorReply::Bytes(bytes) => (200, bytes),
            VectorReply::Silence(time) => {
                std::thread::sleep(time);
                return None;
            }
        };
        let head =
            format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).ok()?;
    }
    None
}

fn request(read: &mut impl BufRead) -> Option<AskedVectors> {
    let (mut line, mut length, mut authorization) = (String::new(), 0, String::new());
    read.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    loop {
        line.clear();
        read.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => value.clone_into(&mut authorization),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    read.read_exact(&mut body).ok()?;
    Some(AskedVectors { path, authorization, body: serde_json::from_slice(&body).unwrap_or_default() })
}

fn answer(shared: &Shared, asked: &AskedVectors) -> Value {
    let texts = asked.texts();
    let row = |(index, text): (usize, &String)| json!({ "object": "embedding", "index": index, "embedding": vector(shared, text) });
    let tokens: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
    let data: Vec<Value> = texts.iter().enumerate().map(row).collect();
    json!({ "object": "list", "data": data, "usage": { "prompt_tokens": tokens, "total_tokens": tokens } })
}

/// One is added where a word of the text belongs.
fn vector(shared: &Shared, text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; shared.dimensions];
    // No text is without a direction.
    vector[0] = 0.01;
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let word = shared.same.iter().find(|(from, _)| *from == word).map_or(word, |(_, to)| *to);
        let hash = word.bytes().fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
        vector[(hash % shared.dimensions as u64) as usize] += 1.0;
    }
    vector
}

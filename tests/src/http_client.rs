//! As much of an HTTP client as the tests of the door need: one request per connection, answers as they come.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longest wait for more of an answer.
const PATIENCE: Duration = Duration::from_secs(90);

/// A caller of a door.
#[derive(Debug, Clone)]
pub struct HttpClient {
    /// Where the door listens.
    pub address: SocketAddr,
    /// Its token, if it has one.
    pub token: Option<String>,
}

/// An answer.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The status.
    pub status: u16,
    /// The header fields, with names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

/// An event of a stream: its id, its word, its JSON.
pub type StreamedEvent = (Option<String>, String, Value);

impl HttpAnswer {
    /// The body as JSON.
    ///
    /// # Panics
    /// If it is not.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }
}

impl HttpClient {
    /// Sends a request, and reads the answer to its end.
    ///
    /// # Panics
    /// If the door cannot be reached or answers with something else than HTTP.
    #[must_use]
    pub fn call(&self, method: &str, path: &str, body: &str, headers: &[(&str, &str)]) -> HttpAnswer {
        let (status, headers, mut rest) = self.begun(method, path, body, headers);
        let mut body = Vec::new();
        match headers.contains_key("transfer-encoding") {
            true => read_chunks(&mut rest, |chunk| {
                body.extend_from_slice(chunk);
                true
            }),
            false => drop(rest.read_to_end(&mut body).expect("the whole answer")),
        }
        HttpAnswer { status, headers, body }
    }

    /// Reads the events of a stream, at most `most`.
    ///
    /// # Panics
    /// As [`HttpClient::call`], and if it is no stream of events.
    #[must_use]
    pub fn events(&self, path: &str, last: Option<&str>, most: usize) -> Vec<StreamedEvent> {
        let headers: Vec<_> = last.map(|id| ("last-event-id", id)).into_iter().collect();
        let (status, fields, mut rest) = self.begun("GET", path, "", &headers);
        if status == 204 {
            return Vec::new();
        }
        assert_eq!((status, fields["content-type"].as_str()), (200, "text/event-stream"));
        let (mut text, mut events) = (String::new(), Vec::new());
        read_chunks(&mut rest, |chunk| {
            text.push_str(&String::from_utf8_lossy(chunk));
            while let Some((frame, rest)) = text.split_once("\n\n") {
                events.extend(event(frame));
                text = rest.to_owned();
            }
            events.len() < most
        });
        events.truncate(most);
        events
    }

    fn begun(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> (u16, BTreeMap<String, String>, BufReader<TcpStream>) {
        let mut stream = TcpStream::connect_timeout(&self.address, PATIENCE).expect("the door listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.address);
        if let Some(token) = &self.token {
            head.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).expect("the door reads");
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        lines.read_line(&mut line).expect("a status");
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{line:?}"));
        let mut fields = BTreeMap::new();
        loop {
            let mut line = String::new();
            lines.read_line(&mut line).expect("a header");
            let Some((name, value)) = line.trim_end().split_once(':') else { return (status, fields, lines) };
            fields.insert(name.to_lowercase(), value.trim().to_owned());
        }
    }
}

/// Reads a chunked body, until `take` says that it is enough.
fn read_chunks(rest: &mut impl BufRead, mut take: impl FnMut(&[u8]) -> bool) {
    loop {
        let mut size = String::new();
        rest.read_line(&mut size).expect("the size of a chunk");
        let size = usize::from_str_radix(size.trim(), 16).expect("a size");
        let mut chunk = vec![0; size + 2];
        rest.read_exact(&mut chunk).expect("a whole chunk");
        if size == 0 || !take(&chunk[..size]) {
            return;
        }
    }
}

fn event(frame: &str) -> Option<StreamedEvent> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    let json = serde_json::from_str(&field("data: ")?).expect("JSON");
    Some((field("id: "), field("event: ")?, json))
}

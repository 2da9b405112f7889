//! A search provider of one's own without a line in Precis: a server that answers as SearXNG does, and a search of it.
//!
//! `cargo run -p precis-tests --example search_provider`. In the settings it is
//! `[search.providers.notes]` with `kind = "searxng"` and its `base_url`. How a vendor's own interface is added: CONTRIBUTING.md, "A
//! search provider". Limits, pauses, the memo and what may be sent are the same for all.

#![allow(clippy::disallowed_macros, reason = "an example prints")]

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use precis_proto::SessionId;
use precis_runtime::model::BillingContext;
use precis_runtime::search::{PublicQuery, SearchCall, SearchKind, SearchPolicy, SearchProviderConfig, Searches};
use precis_runtime::store::{MemoryStore, Store};
use serde_json::{Value, json};

/// What can be found: address, title and text.
const NOTES: [(&str, &str, &str); 2] = [
    ("https://notes.example/dams", "Dams", "The dam was built in 1931."),
    ("https://notes.example/tides", "Tides", "Low water is at six."),
];

/// The notes that have a word of the query, in the format of SearXNG.
fn found(query: &str) -> Value {
    let words: Vec<String> = query.split('+').map(str::to_lowercase).collect();
    let fits = |text: &str| words.iter().any(|word| text.to_lowercase().contains(word.as_str()));
    let results = NOTES.iter().filter(|(_, title, text)| fits(title) || fits(text));
    json!({ "results": results.map(|(url, title, text)| json!({ "url": url, "title": title, "content": text })).collect::<Vec<_>>() })
}

/// Answers one request: `GET /search?q=WORDS&format=json`.
fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    // The other lines of the head say nothing that matters here.
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let query = request.split(['?', '&', ' ']).find_map(|part| part.strip_prefix("q=")).unwrap_or_default();
    let body = found(query).to_string();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Starts the server, searches it, and prints what was found.
#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || listener.incoming().flatten().try_for_each(answer));

    let notes = SearchProviderConfig::new("notes", SearchKind::Searxng, address);
    let searches = Searches::new(&[notes], Store::Memory(MemoryStore::new()), SearchPolicy::default())?;
    // A query is text that a user typed, or text whose label was checked: words of a private document cannot become one.
    let call = SearchCall::new(PublicQuery::of_user("when was the dam built"), vec!["notes".to_owned()]);
    let billing = BillingContext::new(SessionId::new("example")?, Default::default());
    let answer = searches.search(&billing, &call, Duration::from_secs(20)).await?;
    for hit in &answer.hits {
        println!("{}: {}", hit.url, hit.snippet);
    }
    let first = answer.hits.first().map(|hit| hit.url.as_str());
    if first == Some("https://notes.example/dams") { Ok(()) } else { Err(format!("found {first:?}").into()) }
}

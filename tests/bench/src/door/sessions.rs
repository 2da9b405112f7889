//! Sessions as a caller of a door sees them: submitted, and waited for.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::json;

use super::http::HttpConnection;

/// Longest wait for a door that starts, and for a session that ends.
const PATIENCE: Duration = Duration::from_secs(120);
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(50);

/// Waits until the door at `address` accepts requests.
///
/// # Errors
/// After a while.
pub async fn until_ready(address: SocketAddr) -> Result<(), String> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Ok(mut client) = HttpConnection::open(address).await
            && let Ok((200, _)) = client.call("GET", "/readyz", "").await
        {
            return Ok(());
        }
        tokio::time::sleep(LOOK).await;
    }
    Err("the door does not become ready".to_owned())
}

/// A request with as many sources, whose texts no other request has: no work of another session is found in a cache.
#[must_use]
pub fn request(sources: usize) -> String {
    let text = "The harbour tax was raised in spring. The harbour tax on tea is paid by the captain of the ship.";
    let book: u64 = rand::random();
    let source = |n: usize| {
        let content = format!("{text} It is page {n} of book {book:020}.");
        json!({ "source_id": format!("s{n}"), "title": format!("Tax {n}"), "content": content })
    };
    let sources: Vec<_> = (0..sources).map(source).collect();
    json!({ "schema_version": 3, "query": "Who pays the harbour tax on tea?", "sources": sources }).to_string()
}

/// Submits a request; returns the id of its session.
///
/// # Errors
/// If it is not accepted.
pub async fn submitted(client: &mut HttpConnection, body: &str) -> Result<String, String> {
    let (status, answer) = client.call("POST", "/v1/sessions", body).await?;
    let shown: serde_json::Value = serde_json::from_slice(&answer).map_err(|e| e.to_string())?;
    match (status, shown["id"].as_str()) {
        (202, Some(id)) => Ok(id.to_owned()),
        _ => Err(format!("a request was answered with {status}: {shown}")),
    }
}

/// Waits for the end of a session.
///
/// # Errors
/// After a while.
pub async fn ended(client: &mut HttpConnection, id: &str) -> Result<(), String> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let (_, shown) = client.call("GET", &format!("/v1/sessions/{id}"), "").await?;
        let shown: serde_json::Value = serde_json::from_slice(&shown).map_err(|e| e.to_string())?;
        if shown.get("ended").is_some() {
            return Ok(());
        }
        tokio::time::sleep(LOOK).await;
    }
    Err(format!("{id} does not end"))
}

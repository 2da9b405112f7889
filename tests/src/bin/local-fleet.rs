//! A fleet in one process with everything on disk, for tests that kill it. The folder is the first argument; settings come from the variable
//! `SETTINGS`, as JSON. It does what its standard input says, a line at a time, and ends in order when that ends.
//!
//! | line | answer |
//! | --- | --- |
//! | `submit ID` | `accepted ID`, once the request, of three short documents, is durable |
//! | `submit ID N` | the same with `N` documents that are long enough for a digest |
//! | `depth QUEUE` | the number of messages in a queue |

use std::io::{BufRead, Write};
use std::path::Path;

use precis_proto::request::ResearchRequest;
use precis_runtime::config::Settings;
use precis_workers::documents::parse::Parser;
use precis_workers::fleet::{Caller, LocalFleet};
use precis_workers::options::extract_limits;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// Lines that wait to be done.
const LINES: usize = 1_000;

#[tokio::main]
async fn main() {
    let dir = std::env::args().nth(1).expect("a folder");
    let settings = std::env::var("SETTINGS").map_or_else(|_| json!({}), |text| text.parse::<Value>().expect("JSON"));
    let settings: Settings = serde_json::from_value(settings).expect("settings");
    let parser = Parser::in_process(extract_limits(&settings), settings.extraction.html);
    let fleet = match LocalFleet::start(&settings, Path::new(&dir), parser).await {
        Ok(fleet) => fleet,
        Err(failure) => return say(&format!("refused {}", failure.message)),
    };
    say("ready");
    let (sender, mut lines) = mpsc::channel(LINES);
    tokio::task::spawn_blocking(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    let caller = fleet.caller();
    while let Some(line) = lines.recv().await {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["submit", id] => say(&submit(&caller, id, 3, "").await),
            ["submit", id, documents] => {
                let aside = "The hills beside it were dry, and nobody went there at all. ".repeat(120);
                say(&submit(&caller, id, documents.parse().expect("a number"), &aside).await);
            }
            ["depth", queue] => say(&caller.broker.depth(queue).await.expect("declared").ready.to_string()),
            _ => say("what?"),
        }
    }
    fleet.shutdown().await;
    say("closed");
}

async fn submit(caller: &Caller, id: &str, documents: usize, aside: &str) -> String {
    let source = |n: usize| {
        let flood = format!("The river rose by {n} metres in {id}. The bridge was closed for {n} days.");
        let text = format!("# Report {n} of {id}\n\n{flood}\n\n{aside}\n");
        json!({ "source_id": format!("s{n}"), "title": format!("report {n}"), "content": text })
    };
    let request = json!({
        "schema_version": 3, "session_id": id, "query": "By how much did the river rise, and was the bridge closed?",
        "sources": (1..=documents).map(source).collect::<Vec<_>>(),
    });
    let request: ResearchRequest = serde_json::from_value(request).expect("a request");
    match caller.submit(&request, None, None).await {
        Ok(()) => format!("accepted {id}"),
        Err(error) => format!("refused {error}"),
    }
}

fn say(line: &str) {
    println!("{line}");
    std::io::stdout().flush().expect("somebody listens");
}

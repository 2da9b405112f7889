//! Dead letters of a fleet that two operators redrive at once: real processes on a private RabbitMQ.

use std::collections::BTreeSet;

use precis_proto::envelope::{Envelope, Header, message_type};
use precis_runtime::broker::{Broker, Outgoing, RabbitConnection, RabbitSettings, Route, names};
use precis_tests::program::ended;
use serde_json::{Value, json};

use super::operate::Fleet;

/// Letters with the reason that both name, and others.
const WANTED: usize = 60;
const OTHERS: usize = 5;

async fn bury(broker: &Broker, session: &str, reason: &str) {
    let header = Header {
        message_type: message_type::REQUEST.to_owned(),
        message_id: session.to_owned(),
        correlation_id: session.to_owned(),
        subject: names::REQUESTS.to_owned(),
        dead_reason: Some(reason.to_owned()),
        ..Header::default()
    };
    let source = json!({ "source_id": "a", "content": "The harbour tax is paid by the captain." });
    let request = json!({ "schema_version": 2, "session_id": session, "query": "Who pays?", "sources": [source] });
    let envelope = Envelope::encode(header, &request).expect("small");
    broker.publish(Outgoing { route: Route::queue(names::DEAD), envelope }).await.expect("published");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_operators_redriving_one_filter_send_each_letter_once() {
    let Some(fleet) = Fleet::start().await else { return };
    fleet.fine(&["topology", "apply"]);
    let settings = RabbitSettings::new(fleet.rabbit.address());
    let broker = Broker::Rabbit(RabbitConnection::connect(&settings).await.expect("reachable"));
    for n in 0..WANTED {
        bury(&broker, &format!("wanted-{n}"), "attempts_exhausted").await;
    }
    for n in 0..OTHERS {
        bury(&broker, &format!("other-{n}"), "undecodable").await;
    }
    let redriving = || ended(fleet.command(&["dead", "redrive", "--reason", "attempts_exhausted", "--json"]));
    let both = std::thread::scope(|scope| {
        let both = [scope.spawn(redriving), scope.spawn(redriving)];
        both.map(|one| one.join().expect("no panic"))
    });
    let mut told: Vec<String> = Vec::new();
    for ended in &both {
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        for line in ended.stdout.lines() {
            let row: Value = serde_json::from_str(line).expect("JSON");
            told.push(row["letter"]["session_id"].as_str().expect("a session").to_owned());
        }
    }
    let sent: BTreeSet<&String> = told.iter().collect();
    assert_eq!((told.len(), sent.len()), (WANTED, WANTED), "each once, by one of them: {told:?}");
    assert_eq!(broker.depth(names::REQUESTS).await.expect("declared").ready, WANTED as u64);
    let left = fleet.fine(&["dead", "ls", "--json"]);
    assert_eq!(left.lines().filter(|line| line.contains("undecodable")).count(), OTHERS, "{left}");
    assert_eq!(left.lines().count(), OTHERS, "{left}");
    broker.close().await;
}

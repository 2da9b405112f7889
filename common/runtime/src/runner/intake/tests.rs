//! Tests of requests that become sessions: given back when they cannot, and the same when they come again.

use std::time::Duration;

use precis_proto::envelope::{Header, message_type};
use precis_proto::source::ContentRef;
use precis_proto::{CollectionId, Phase};
use serde_json::json;

use super::*;
use crate::broker::{MemoryBroker, Topology};
use crate::collections::{
    Collection, CollectionFile, CollectionIndex, FileChange, change_files, create_collection, keep_index,
};
use crate::runner::core::tests::{core, core_with_one_queue, take_delivery};

#[tokio::test(start_paused = true)]
async fn a_request_with_an_unpublishable_session_is_returned_after_a_pause() {
    let core = core_with_one_queue(names::REQUESTS).await;
    let body = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [{ "source_id": "a", "content": "A text." }] });
    let header = Header { message_type: message_type::REQUEST.to_owned(), ..Header::default() };
    let envelope = Envelope { header, body: Bytes::from(body.to_string()) };
    core.broker.publish(Outgoing { route: Route::queue(names::REQUESTS), envelope }).await.expect("published");
    let since = Instant::now();
    hold(Arc::clone(&core), take_delivery(&core, names::REQUESTS).await).await;
    assert_eq!(since.elapsed(), Duration::from_secs(1));
    assert_eq!(core.broker.depth(names::REQUESTS).await.expect("declared").ready, 1);
}

/// Adds a file to a collection, and an index of the version.
async fn grow(core: &Core, id: &CollectionId, name: &str) -> ContentRef {
    let content = &core.services.content;
    let manifest = ContentRef::from_bytes(name.as_bytes());
    let file = CollectionFile { name: name.to_owned(), content: manifest.clone(), bytes: 1 };
    let changed = change_files(content, id, &FileChange::Add(vec![file]), 9, &core.clock).await.expect("changed");
    let index = CollectionIndex {
        schema_version: 1,
        version: changed.expect("a version").0.version,
        at: core.clock.now(),
        reading: String::new(),
        manifest: manifest.clone(),
        documents: 1,
        unread: Vec::new(),
        keeps: Vec::new(),
    };
    keep_index(content, id, &index).await.expect("kept");
    manifest
}

#[tokio::test]
async fn a_request_that_comes_again_searches_the_version_it_was_accepted_with() {
    let core = core(&MemoryBroker::new()).await;
    core.broker.declare(&Topology::standard()).await.expect("declared");
    let id = CollectionId::new("c").expect("an id");
    let collection = Collection {
        schema_version: 1,
        id: id.clone(),
        tenant: Some("t".to_owned()),
        name: String::new(),
        created_at: core.clock.now(),
        token: None,
    };
    create_collection(&core.services.content, &collection, 9).await.expect("made");
    let first = grow(&core, &id, "one").await;
    let research = json!({ "collections": [{ "id": id }] });
    let body = json!({ "schema_version": 3, "session_id": "s", "query": "q", "sources": [], "options": { "research": research } });
    let ask = async |tenant: &str| {
        let header = Header {
            message_type: message_type::REQUEST.to_owned(),
            message_id: "s".to_owned(),
            tenant: Some(tenant.to_owned()),
            ..Header::default()
        };
        let envelope = Envelope { header, body: Bytes::from(body.to_string()) };
        core.broker.publish(Outgoing { route: Route::queue(names::REQUESTS), envelope }).await.expect("published");
        hold(Arc::clone(&core), take_delivery(&core, names::REQUESTS).await).await;
    };
    let planning = names::session_queue(Phase::first(true));
    // Another tenant's request is refused, and takes nothing.
    ask("u").await;
    assert_eq!(core.broker.depth(&planning).await.expect("declared").ready, 0);
    for _ in 0..2 {
        ask("t").await;
        let delivery = take_delivery(&core, &planning).await;
        let state: serde_json::Value =
            serde_json::from_slice(&delivery.envelope.plain_body().expect("plain")).expect("a state");
        let research = &state["options"]["research"];
        assert_eq!(research["collections"], json!([{ "id": id, "version": 1 }]));
        assert_eq!(research["corpus"], json!([{ "manifest": first }]));
        grow(&core, &id, "two").await;
    }
}

//! What a fleet knows of its users bounds what they store and where answers go.

use super::*;

/// A worker of a fleet with these settings.
fn slot_with(world: &World, settings: impl Fn(&mut RunnerSettings) + Send + Sync + 'static) -> WorkerSlot {
    let furnish = move |mut parts: WorkerParts| {
        settings(&mut parts.settings);
        parts
    };
    WorkerSlot::start_furnished(world, "a", furnish, |_| Fate::Fault(Fault::None))
}

/// The codes of the refusals at `queue`, null for a result, in the order of their arrival.
fn codes_at(world: &World, queue: &str) -> Vec<Value> {
    let messages = world.broker.messages(queue);
    messages.iter().map(|e| e.decode::<Value>().expect("JSON")["error"]["code"].clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_message_without_a_required_user_reaches_no_named_queue() {
    let world = World::new().await;
    let _slot = slot_with(&world, |settings| settings.requires_user = true);
    let replies = world.caller().replies().await.expect("direct replies");
    ask_as(&world, None, "s", &request("s")).await;
    ask_as(&world, None, "s", &json!({})).await;
    ask(&world, "s", request("s").to_string(), replies.address()).await;
    let told: Value = replies.next().await.expect("an answer").decode().expect("JSON");
    assert_eq!(told["error"]["code"], "user_not_verified", "{told}");
    ask_as(&world, Some("alice"), "s", &request("s")).await;
    world.wait_for(1, LIMIT).await.expect("ends");
    assert_eq!(codes_at(&world, REPLIES), [Value::Null]);
}

#[tokio::test(start_paused = true)]
async fn a_users_daily_storage_limit_survives_a_wiped_cache() {
    let size = |session: &str| serde_json::to_vec(&request(session)).expect("JSON").len() as u64 + SESSION_BYTES;
    for (spare, is_accepted) in [(-1, false), (0, true), (1, true)] {
        let world = World::new().await;
        let limit = (2 * size("one")).checked_add_signed(spare).expect("small");
        let quotas = StorageQuotas { of_others: limit, ..StorageQuotas::default() };
        let _slot = slot_with(&world, move |settings| settings.quotas = Some(quotas.clone()));
        ask_as(&world, Some("alice"), "one", &request("one")).await;
        // Again: the same session counts once.
        ask_as(&world, Some("alice"), "one", &request("one")).await;
        world.wait_for(1, LIMIT).await.expect("ends");
        world.store.wipe();
        let before = world.content.list_named("requests").await.expect("in memory").len();
        ask_as(&world, Some("alice"), "two", &request("two")).await;
        ask_as(&world, Some("alice"), "six", &request("six")).await;
        ask_as(&world, Some("bob"), "bob", &request("bob")).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        let refused = codes_at(&world, REPLIES).iter().filter(|code| **code == "storage_quota_reached").count();
        assert_eq!(refused, if is_accepted { 1 } else { 2 }, "{spare}");
        let after = world.content.list_named("requests").await.expect("in memory").len();
        assert_eq!(after - before, 3 - refused, "a refused request leaves nothing, and another user is not concerned");
    }
}

/// Asks for a text by its name on behalf of `tenant`; returns the code of the refusal, or null.
async fn refer(world: &World, session: &str, tenant: &str, content: &ContentRef, proof: Option<&str>) -> Value {
    let mut body = request(session);
    body["sources"] = json!([{ "source_id": "a", "content_ref": content, "content_proof": proof }]);
    let header = Header {
        message_type: message_type::REQUEST.to_owned(),
        message_id: session.to_owned(),
        correlation_id: session.to_owned(),
        reply_to: Some(REPLIES.to_owned()),
        tenant: Some(tenant.to_owned()),
        ..Header::default()
    };
    let envelope = Envelope::encode(header, &body).expect("small");
    world.caller().publish(Outgoing { route: ingress(), envelope }).await.expect("the ingress is there");
    tokio::time::sleep(Duration::from_secs(60)).await;
    let answers = world.broker.messages(REPLIES);
    let answer = answers.iter().find(|answer| answer.header.correlation_id == session).expect("an answer");
    answer.decode::<Value>().expect("JSON")["error"]["code"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_text_reference_needs_proof_that_the_tenant_stored_it() {
    let world = World::new().await;
    let _slot = WorkerSlot::start(&world, "a", |_| Fate::Fault(Fault::None));
    let put = world.content.put(Bytes::from_static(b"The code word is MAGENTA-77.")).await.expect("in memory");
    let other = world.content.put(Bytes::from_static(b"Another text.")).await.expect("in memory");
    let mine = world.content.proof("", &put).await.expect("in memory");
    let legal = world.content.proof("legal", &put).await.expect("in memory");
    let elsewhere = ContentStore::in_memory().proof("", &put).await.expect("in memory");
    let refused = json!("content_not_proved");
    let table = [
        ("right", "", &put, Some(mine.as_str()), Value::Null),
        ("missing", "", &put, None, refused.clone()),
        ("empty", "", &put, Some(""), refused.clone()),
        ("too long", "", &put, Some(&*"0".repeat(9_999)), refused.clone()),
        ("of another text", "", &other, Some(mine.as_str()), refused.clone()),
        ("of a text that is not there", "", &ContentRef::from_bytes(b"no"), Some(mine.as_str()), refused.clone()),
        ("of another tenant", "", &put, Some(legal.as_str()), refused.clone()),
        ("of the default tenant", "legal", &put, Some(mine.as_str()), refused.clone()),
        ("of this tenant", "legal", &put, Some(legal.as_str()), Value::Null),
        ("of another deployment", "", &put, Some(elsewhere.as_str()), refused.clone()),
    ];
    for (session, tenant, content, proof, expected) in table {
        assert_eq!(refer(&world, session, tenant, content, proof).await, expected, "{session}");
    }
}

//! Who waits for a session, and who follows its events.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt;
use precis_proto::event::EventKind;
use precis_proto::response::Status;
use precis_runtime::store::Store;

use super::world::{parsed, world};
use crate::limits::LOOK_AGAIN;

#[tokio::test]
async fn a_waiter_is_answered_at_the_end_or_timeout() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    let path = format!("/v1/sessions/{session}");
    let begun = tokio::time::Instant::now();
    let early = world.call("alpha", "GET", &path, "", &[("prefer", "wait=1")]).await;
    assert_eq!(early.json()["status"], "queued");
    assert!(begun.elapsed() >= Duration::from_secs(1));
    let wait = [("prefer", "wait=60")];
    let waiting = world.call("alpha", "GET", &path, "", &wait);
    let ending = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        world.end(&session).await;
        world.door.wakeups.wake(&session);
    };
    let (answer, ()) = tokio::join!(waiting, ending);
    assert_eq!(answer.json()["status"], "failed");
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(world.door.wakeups.is_empty());
}

#[tokio::test]
async fn events_come_once_in_order_across_breaks_until_the_end() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    world.log(&session, EventKind::SessionAccepted { sources: 1 }).await;
    let request =
        Request::builder().uri(format!("/v1/sessions/{session}/events")).header("authorization", "Bearer alpha");
    let mut live = world.raw(request.body(Body::empty()).expect("a request")).await.into_body().into_data_stream();
    let first = parsed(&live.next().await.expect("an event").expect("open"));
    assert_eq!(first.len(), 1);
    let phase = EventKind::PhaseStarted { phase: precis_proto::Phase::Digest, attempt: 1 };
    world.log(&session, phase).await;
    let second = parsed(&live.next().await.expect("an event").expect("open"));
    drop(live);
    world.end(&session).await;
    world.log(&session, EventKind::SessionFinished { status: Status::Failed }).await;
    let all = world.events(&session, None).await;
    let words: Vec<&str> = all.iter().map(|(_, word)| word.as_str()).collect();
    assert_eq!(words, ["session_accepted", "phase_started", "session_finished"]);
    assert_eq!([first, second].concat(), all[..2]);
    let last = |n: usize| all[n].0.as_deref().expect("an id");
    assert_eq!(world.events(&session, Some(last(0))).await, all[1..]);
    assert!(last(0) < last(1) && last(1) < last(2));
    let path = format!("/v1/sessions/{session}/events");
    let all_seen = world.call("alpha", "GET", &path, "", &[("last-event-id", last(2))]).await;
    assert_eq!((all_seen.status, all_seen.body.len()), (204, 0), "who has everything is not kept waiting");
}

#[tokio::test]
async fn a_gap_and_the_end_are_announced_despite_log_losses() {
    let world = world(true).await;
    let (session, other) = (world.submitted("Why?").await, world.submitted("Else?").await);
    world.log(&other, EventKind::SessionAccepted { sources: 1 }).await;
    world.end(&session).await;
    let finished = world.events(&session, None).await.remove(0);
    let (id, word) = (finished.0.clone().expect("an id"), finished.1.as_str());
    assert_eq!(word, "session_finished");
    let path = format!("/v1/sessions/{session}/events");
    assert_eq!(world.call("alpha", "GET", &path, "", &[("last-event-id", &id)]).await.status, 204);
    let gap = [(None, "snapshot".to_owned()), finished.clone()];
    // Lost, of the future, of another session.
    let foreign = world.store.events().from(&other, None, 1).await.expect("in memory")[0].id.to_string();
    for last in ["1-0", "99999999999999-0", &foreign] {
        assert_eq!(world.events(&session, Some(last)).await, gap, "{last}");
    }
    let refused =
        world.call("alpha", "GET", &format!("/v1/sessions/{session}/events"), "", &[("last-event-id", "x")]).await;
    assert_eq!(refused.code(), (400, "invalid_last_event_id".to_owned()));
    if let Store::Memory(store) = &world.store {
        store.set_available(false);
    }
    assert_eq!(world.events(&session, Some("1-0")).await, [finished], "the cache is away");
    assert_eq!(world.get(&format!("/v1/sessions/{session}")).await.json()["status"], "failed");
}

#[tokio::test(start_paused = true)]
async fn all_readers_soon_see_what_nothing_woke_them_for() {
    let world = world(true).await;
    let session = world.submitted("Why?").await;
    let begun = tokio::time::Instant::now();
    let ending = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        world.end(&session).await;
    };
    let read = || world.events(&session, None);
    let (a, b, c, ()) = tokio::join!(read(), read(), read(), ending);
    for events in [a, b, c] {
        assert_eq!(events.iter().map(|(_, word)| word.as_str()).collect::<Vec<_>>(), ["session_finished"]);
    }
    assert!(begun.elapsed() <= 2 * LOOK_AGAIN, "one looks for all: {:?}", begun.elapsed());
}

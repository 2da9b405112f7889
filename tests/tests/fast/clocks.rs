//! Workers whose clocks differ: by minutes, as without time synchronization, or by days, as after a failed battery.

use std::time::Duration;

use precis_proto::Timestamp;
use precis_runtime::clock::Clock;
use precis_runtime::failpoints::Fault;
use precis_runtime::store::MemoryStore;
use precis_tests::world::{Fate, WorkerSlot, World};
use serde_json::json;

/// A session without faults takes milliseconds; a job that is lost to a clock costs minutes.
const SOON: Duration = Duration::from_secs(5);
const SESSIONS: [(&str, usize); 4] = [("one", 3), ("two", 5), ("three", 1), ("four", 4)];
/// How far the clock of one worker is ahead, in seconds.
const SKEWS_S: [i64; 6] = [60, -60, 360, -360, 3 * 86_400, -3 * 86_400];

/// Runs all sessions on two right workers and one whose clock is `skew_s` ahead.
async fn run(world: World, skew_s: i64, deadline_s: Option<u64>) {
    let right = world.clock.now();
    let worker = |name: &str, at: Timestamp| {
        let world = World { clock: Clock::starting_at(at), ..world.clone() };
        WorkerSlot::start(&world, name, |_| Fate::Fault(Fault::None))
    };
    // The wrong one first, so that it gets a share of everything.
    let _slots = [worker("wrong", right.plus_ms(skew_s * 1_000)), worker("a", right), worker("b", right)];
    for (session, sources) in SESSIONS {
        let sources: Vec<_> = (0..sources)
            .map(|n| json!({ "source_id": format!("{session}-s{n}"), "content": format!("text {n}") }))
            .collect();
        let mut body = json!({ "schema_version": 2, "session_id": session, "query": "q", "sources": sources });
        if let Some(seconds) = deadline_s {
            body["options"] = json!({ "deadline_seconds": seconds });
        }
        world.submit_body(session, &body).await;
    }
    world
        .wait_for(SESSIONS.len(), SOON)
        .await
        .unwrap_or_else(|n| panic!("{skew_s} s: {n} of {} ended", SESSIONS.len()));
    world.check(&SESSIONS).await.unwrap_or_else(|e| panic!("{skew_s} s: {e}"));
}

#[tokio::test(start_paused = true)]
async fn a_wrong_clock_on_one_worker_costs_no_session_anything() {
    for skew_s in SKEWS_S {
        run(World::new().await, skew_s, None).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrong_clock_ends_no_session_before_its_deadline() {
    for skew_s in SKEWS_S {
        run(World::new().await, skew_s, Some(30)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrong_clock_costs_no_session_without_store_time() {
    for skew_s in SKEWS_S {
        run(World { store: MemoryStore::new(), ..World::new().await }, skew_s, None).await;
    }
}

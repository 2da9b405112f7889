//! How many sessions a token may submit.

use precis_proto::SessionId;

use super::world::{Answer, World, request, world_with};
use crate::limits::DoorLimits;

fn limits(active_sessions: usize, submissions_per_minute: u64, queue_depth: u64) -> DoorLimits {
    DoorLimits { active_sessions, submissions_per_minute, queue_depth, ..DoorLimits::default() }
}

async fn submit(world: &World, token: &str) -> Answer {
    world.call(token, "POST", "/v1/sessions", &request("Why?").to_string(), &[]).await
}

fn fields(answer: &Answer) -> (&str, &str) {
    let field = |name: &str| answer.headers[name].to_str().expect("text");
    assert!(answer.headers["retry-after"].to_str().expect("text").parse::<u32>().expect("seconds") >= 1);
    (field("ratelimit-policy"), field("ratelimit"))
}

#[tokio::test]
async fn a_token_has_a_limited_number_of_open_sessions() {
    let world = world_with(true, limits(3, 6_000, 100)).await;
    let mut ids = Vec::new();
    for n in 1..=4 {
        let answer = submit(&world, "alpha").await;
        assert_eq!(answer.status, if n <= 3 { 202 } else { 429 }, "session {n}");
        if n > 3 {
            assert_eq!(answer.code(), (429, "too_many_sessions".to_owned()));
            assert_eq!(fields(&answer), ("\"sessions\";q=3", "\"sessions\";r=0;t=5"));
        } else {
            ids.push(answer.json()["id"].as_str().expect("an id").to_owned());
        }
    }
    assert_eq!(world.waiting().await, 3, "what was refused is not published");
    assert_eq!(world.get("/v1/sessions").await.json()["data"].as_array().map(Vec::len), Some(3), "nor kept");
    assert_eq!(submit(&world, "submitter").await.status, 202, "another token");
    world.end(&SessionId::new(ids[0].as_str()).expect("an id")).await;
    assert_eq!(submit(&world, "alpha").await.status, 202);
    assert_eq!(submit(&world, "alpha").await.status, 429);
    world.end(&SessionId::new(ids[1].as_str()).expect("an id")).await;
    assert_eq!(world.call("alpha", "DELETE", &format!("/v1/sessions/{}", ids[1]), "", &[]).await.status, 204);
    assert_eq!(submit(&world, "alpha").await.status, 202);
}

#[tokio::test]
async fn a_key_that_has_its_session_is_answered_whatever_the_limits() {
    let world = world_with(true, limits(1, 6_000, 2)).await;
    let first = world.post(&request("Why?"), Some("k")).await;
    assert_eq!(first.status, 202);
    for _ in 0..3 {
        let again = world.post(&request("Why?"), Some("k")).await;
        assert_eq!((again.status, &again.json()["id"]), (202, &first.json()["id"]));
    }
    tokio::time::sleep(crate::limits::DEPTH_KEPT).await;
    assert_eq!(world.post(&request("Why?"), Some("l")).await.status, 503);
}

#[tokio::test]
async fn a_minute_has_so_many_submissions_of_a_token() {
    // A tenth of the limit at once, and one that is paid off meanwhile.
    let world = world_with(true, limits(1_000, 10, 1_000)).await;
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(submit(&world, "alpha").await);
    }
    assert_eq!(answers.iter().map(|answer| answer.status).collect::<Vec<_>>(), [202, 202, 429]);
    assert_eq!(answers[2].code(), (429, "too_many_submissions".to_owned()));
    let (policy, state) = fields(&answers[2]);
    assert_eq!(policy, "\"submissions\";q=10;w=60");
    assert!(state.starts_with("\"submissions\";r=0;t="), "{state}");
    assert_eq!(submit(&world, "submitter").await.status, 202, "another token");
    if let precis_runtime::store::Store::Memory(store) = &world.store {
        store.set_available(false);
    }
    let alone: Vec<u16> =
        [submit(&world, "gamma").await, submit(&world, "gamma").await].map(|answer| answer.status).to_vec();
    assert_eq!(alone, [202, 429], "with the store away, a door grants its share");
}

#[tokio::test]
async fn full_queues_are_reported_before_the_body_is_read() {
    for (depth, status) in [(1, 202), (2, 202), (3, 503)] {
        let world = world_with(true, limits(1_000, 6_000, 3)).await;
        for _ in 0..depth {
            assert_eq!(submit(&world, "alpha").await.status, 202);
        }
        // What was counted a moment ago counts no more.
        tokio::time::sleep(crate::limits::DEPTH_KEPT).await;
        let answer = world.call("alpha", "POST", "/v1/sessions", &request("Why?").to_string(), &[]).await;
        assert_eq!(answer.status, status, "{depth} wait");
        if status == 503 {
            let unread = world.call("alpha", "POST", "/v1/sessions", "{", &[]).await;
            assert_eq!(unread.code(), (503, "queue_full".to_owned()));
            assert_eq!(fields(&answer), ("\"queue\";q=3", "\"queue\";r=0;t=10"));
        }
    }
}

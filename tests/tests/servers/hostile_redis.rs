//! Attacks on the records of a real Redis while workers use it: what somebody makes up, restores or holds for ever there loses no session.
//! Where Redis is not installed, each test says so and ends.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::job::{Extraction, JobKind};
use precis_proto::response::Response;
use precis_proto::{JobId, Phase, SessionId};
use precis_runtime::failpoints::Fault;
use precis_runtime::runner::{RunnerSettings, WorkerParts};
use precis_runtime::store::{Lease, Store};
use precis_tests::servers::redis::RedisServer;
use precis_tests::world::{Fate, WorkerSlot, World, expected};

const SESSIONS: usize = 10;
const SOURCES: usize = 2;
/// Far less than any record is planted for, and than a job may take.
const SOON: Duration = Duration::from_secs(30);
/// Length of a lease here: a wrong fence is believed for twice as long.
const LEASE: Duration = Duration::from_secs(3);
const LONG: Duration = Duration::from_secs(86_400);
/// What fences say in this attack, with the end of a hold in about 30,000 years.
const HELD: &str =
    "{\"revision\":1,\"hold\":{\"holder\":\"x|evil\",\"until_ms\":1000000000000000},\"expires_ms\":1000000000000000}";
const HIGH: &str = "{\"revision\":100,\"expires_ms\":1000000000000000}";

/// A fleet of one worker with a store on `server`.
struct Fleet {
    world: World,
    store: Store,
    _worker: WorkerSlot,
}

impl Fleet {
    async fn start(server: &RedisServer) -> Self {
        let world = World::new().await;
        let store = Store::Redis(server.store().with_fleet_key(world.content.clone()));
        let shared = store.clone();
        let furnish = move |parts: WorkerParts| {
            let settings = RunnerSettings { lease: LEASE, ..parts.settings };
            WorkerParts { store: shared.clone(), settings, ..parts }
        };
        let worker = WorkerSlot::start_furnished(&world, "w", furnish, |_| Fate::Fault(Fault::None));
        Self { world, store, _worker: worker }
    }

    /// Asks for all sessions; while they are not all answered, `meanwhile` happens.
    async fn answered(&self, prefix: &str, meanwhile: impl AsyncFn(&str)) {
        let ids: Vec<String> = (0..SESSIONS).map(|n| format!("{prefix}-{n}")).collect();
        let before = self.bodies();
        for id in &ids {
            self.world.submit(id, SOURCES).await;
        }
        let waiting = async {
            while self.bodies() < before + SESSIONS {
                for id in &ids {
                    meanwhile(id).await;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let ended = tokio::time::timeout(SOON, waiting).await;
        assert!(ended.is_ok(), "{} of {SESSIONS} answered", self.bodies() - before);
        let results = self.world.results();
        for id in ids {
            let bodies = &results[&SessionId::new(id.as_str()).expect("an id")];
            let response: Response = serde_json::from_slice(bodies.last().expect("answered")).expect("a response");
            assert_eq!(response.data.map(|data| data.report), Some(expected(&id, SOURCES)), "{:?}", response.error);
        }
    }

    fn bodies(&self) -> usize {
        self.world.results().values().map(Vec::len).sum()
    }
}

/// Whoever may write to Redis, without the key of a fleet.
fn intruder(server: &RedisServer) -> Store {
    Store::Redis(server.store())
}

/// The name of the record of a fence, after the prefix.
fn fence(id: &str) -> String {
    format!("k1:fence:{id}")
}

async fn plant(intruder: &Store, key: &str, value: impl Into<Bytes>) {
    intruder.values().put(key, value.into(), LONG).await.expect("reachable");
}

#[tokio::test]
async fn a_forged_revision_loses_and_delays_no_session() {
    let Some(server) = RedisServer::start().await else { return };
    let (fleet, intruder) = (Fleet::start(&server).await, intruder(&server));
    fleet.answered("made-up", async |id| plant(&intruder, &fence(id), HIGH).await).await;
    for (name, command) in [
        ("hash", "HSET precis:k1:fence:ID revision 100"),
        ("older", "HSET precis:fence:ID revision 18446744073709551615"),
        ("number", "SET precis:k1:fence:ID 18446744073709551615"),
        ("huge", "EVAL \"redis.call('SET', KEYS[1], string.rep('x', 9000000))\" 1 precis:k1:fence:ID"),
    ] {
        for n in 0..SESSIONS {
            let said = server.ask(&command.replace("ID", &format!("{name}-{n}"))).await.expect("reachable");
            assert!(!said.starts_with('-'), "{said}");
        }
        fleet.answered(name, async |_| {}).await;
    }
    // A true record, under the names of other sessions.
    let ended = intruder.values().get(&fence("older-0")).await.expect("reachable").expect("kept");
    fleet.answered("copied", async |id| plant(&intruder, &fence(id), ended.clone()).await).await;
}

#[tokio::test]
async fn what_is_held_for_ever_delays_no_session_for_ever() {
    let Some(server) = RedisServer::start().await else { return };
    let (fleet, intruder) = (Fleet::start(&server).await, intruder(&server));
    fleet
        .answered("held", async |id| {
            plant(&intruder, &fence(id), HELD).await;
        })
        .await;
    // The marks of jobs, which carry no tag, without an end.
    for n in 0..SESSIONS {
        let session = SessionId::new(format!("marked-{n}")).expect("an id");
        for source in 0..SOURCES {
            let key = format!("{session}-s{source}");
            let job = JobId::derive(&session, Phase::Extraction.as_str(), Extraction::NAME, &key, 0);
            server.ask(&format!("SET precis:lease:running:{job} evil")).await.expect("reachable");
        }
    }
    fleet.answered("marked", async |_| {}).await;
}

#[tokio::test]
async fn a_true_fence_of_an_earlier_life_loses_no_session() {
    let Some(server) = RedisServer::start().await else { return };
    let (fleet, intruder) = (Fleet::start(&server).await, intruder(&server));
    let seen = tokio::sync::Mutex::new(std::collections::BTreeMap::<String, Vec<Bytes>>::new());
    fleet
        .answered("again", async |id| {
            if let Ok(Some(record)) = intruder.values().get(&fence(id)).await {
                let mut seen = seen.lock().await;
                let records = seen.entry(id.to_owned()).or_default();
                if records.last() != Some(&record) {
                    records.push(record);
                }
            }
        })
        .await;
    let seen = seen.into_inner();
    assert_eq!(seen.len(), SESSIONS, "too few fences were seen: the test shows nothing");
    // The last one before the end, then the end itself.
    for back in [2, 1] {
        fleet.world.content.remove_older_than(0).await.expect("in memory");
        fleet
            .answered("again", async |id| {
                let records = &seen[id];
                plant(&intruder, &fence(id), records[records.len().saturating_sub(back)].clone()).await;
            })
            .await;
    }
}

#[tokio::test]
async fn two_fleets_under_one_prefix_are_reported_and_answer_the_same_ids() {
    let Some(server) = RedisServer::start().await else { return };
    let (first, second) = (Fleet::start(&server).await, Fleet::start(&server).await);
    assert_eq!(first.store.is_of_this_fleet().await, Ok(true));
    assert_eq!(second.store.is_of_this_fleet().await, Ok(false));
    assert_eq!(first.store.is_of_this_fleet().await, Ok(true), "the first to come stays");
    tokio::join!(first.answered("both", async |_| {}), second.answered("both", async |_| {}));
    second.answered("after", async |_| {}).await;
    first.answered("after", async |_| {}).await;
    server.flush().await;
    assert_eq!(second.store.is_of_this_fleet().await, Ok(true));
    assert_eq!(first.store.is_of_this_fleet().await, Ok(false));
}

#[tokio::test]
async fn a_lease_is_believed_up_to_the_longest_of_ours() {
    let Some(server) = RedisServer::start().await else { return };
    let store = intruder(&server);
    // A second of margin: the time to live shrinks before it is read.
    for (left_ms, is_held) in [(3_599_000, true), (3_600_000, true), (3_601_000, false), (1_000_000_000_000_u64, false)]
    {
        server.ask(&format!("SET precis:lease:a evil PX {left_ms}")).await.expect("reachable");
        let lease = store.leases().acquire("a", "w", Duration::from_secs(1)).await.expect("reachable");
        assert_eq!(matches!(lease, Lease::Held(_)), is_held, "{left_ms}");
    }
}

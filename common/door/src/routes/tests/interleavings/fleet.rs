//! A fleet of some doors and one worker, what callers do at it, and what must be so when all of it has ended.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::event::{Event, EventKind};
use precis_proto::failure_code::FailureCode;
use precis_proto::response::{ErrorInfo, Response, Status};
use precis_proto::{Phase, SessionId, Timestamp};
use precis_runtime::runner::RESULTS;
use serde_json::Value;

use super::World;
use super::reader::{Got, Reader};
use super::script::{KEYS, READERS, Step};
use crate::routes::tests::world::{self, request};

/// Events of a session before it ends by itself.
const EVENTS: u32 = 4;

/// A session that was accepted.
struct Begun {
    id: SessionId,
    /// Every event that was ever logged, in order, with its id: also those that were lost.
    logged: Vec<(String, String)>,
    /// Whether any was lost.
    has_losses: bool,
    has_ended: bool,
}

/// A fleet.
pub(super) struct Fleet {
    doors: Vec<World>,
    sessions: [Option<Begun>; KEYS],
    readers: [Reader; READERS],
}

/// What is left when everything has ended: the same for any number of doors.
#[derive(Debug, PartialEq)]
pub(super) struct Ending {
    /// How the session of each key ended.
    statuses: Vec<Option<String>>,
    /// Requests that the broker has: a session of which no worker has begun is published with every submission.
    published: u64,
    /// The words of what was logged of each session.
    logged: Vec<Vec<String>>,
    /// The words of what each reader got, each event once.
    read: Vec<BTreeSet<String>>,
}

impl Fleet {
    pub(super) async fn open(doors: usize) -> Self {
        let first = world::world(true).await;
        let mut all = vec![first];
        while all.len() < doors {
            all.push(all[0].beside().await);
        }
        Self { doors: all, sessions: Default::default(), readers: Default::default() }
    }

    fn door(&self, number: usize) -> &World {
        &self.doors[number % self.doors.len()]
    }

    /// The key whose session a reader follows.
    fn key_of(reader: usize) -> usize {
        reader % KEYS
    }

    pub(super) async fn act(&mut self, step: Step) {
        match step {
            Step::Create { key, door } => self.create(key, [door, door]).await,
            Step::CreateTwice { key, doors } => self.create(key, doors).await,
            Step::Connect { reader, door } => {
                let Some(session) = &self.sessions[Self::key_of(reader)] else { return };
                let door = &self.doors[door % self.doors.len()];
                self.readers[reader].connect(door, &session.id).await;
            }
            Step::Read { reader, cut } => self.readers[reader].read(cut).await,
            Step::Cancel { key, door } => self.cancel(key, door).await,
            Step::Work { key, door } => self.work(key, door).await,
            Step::Lose { key } => self.lose(key).await,
        }
    }

    /// Submits the request of a key at two doors at once; both tell of the session that there is.
    async fn create(&mut self, key: usize, doors: [usize; 2]) {
        let (body, name) = (request(&format!("Question {key}?")), format!("key-{key}"));
        let (one, two) =
            tokio::join!(self.door(doors[0]).post(&body, Some(&name)), self.door(doors[1]).post(&body, Some(&name)));
        assert_eq!((one.status, two.status), (202, 202));
        let id = one.json()["id"].as_str().expect("an id").to_owned();
        assert_eq!(two.json()["id"], id.as_str(), "one key has two sessions");
        let id = SessionId::new(id).expect("an id");
        let begun = self.sessions[key].get_or_insert_with(|| Begun {
            id: id.clone(),
            logged: Vec::new(),
            has_losses: false,
            has_ended: false,
        });
        assert_eq!(begun.id, id, "one key has two sessions");
    }

    async fn cancel(&self, key: usize, door: usize) {
        let Some(Begun { id, has_ended, .. }) = &self.sessions[key] else { return };
        let path = format!("/v1/sessions/{id}/cancel");
        let answer = self.door(door).call("alpha", "POST", &path, "", &[]).await;
        assert_eq!(answer.status, if *has_ended { 200 } else { 202 });
    }

    /// A worker begins with a session, tells of a phase, or ends it.
    async fn work(&mut self, key: usize, door: usize) {
        let Some(Begun { id, has_ended: false, logged, .. }) = &self.sessions[key] else { return };
        let (id, told) = (id.clone(), u32::try_from(logged.len()).expect("few"));
        let first = &self.doors[0];
        if told == 0 {
            first.content.put_named_if_absent("requests", id.as_str(), Bytes::from_static(b"x")).await.expect("kept");
        }
        let is_cancelled = first.store.values().get(&format!("cancel:{id}")).await.expect("in memory").is_some();
        match (is_cancelled, told) {
            (true, _) => self.end(key, door, Status::Cancelled).await,
            (false, EVENTS) => self.end(key, door, Status::Failed).await,
            (false, 0) => self.tell(key, door, EventKind::SessionAccepted { sources: 1 }).await,
            (false, attempt) => self.tell(key, door, EventKind::PhaseStarted { phase: Phase::Digest, attempt }).await,
        }
    }

    async fn end(&mut self, key: usize, door: usize, status: Status) {
        let begun = self.sessions[key].as_mut().expect("begun");
        begun.has_ended = true;
        let error = ErrorInfo::new(status, FailureCode::OverBudget, "words");
        let result = Bytes::from(serde_json::to_vec(&Response::failure(error)).expect("plain data"));
        let content = &self.doors[0].content;
        content.put_named_if_absent(RESULTS, begun.id.as_str(), result).await.expect("kept");
        self.tell(key, door, EventKind::SessionFinished { status }).await;
    }

    /// Logs an event, of which one door hears.
    async fn tell(&mut self, key: usize, door: usize, kind: EventKind) {
        let hears = door % self.doors.len();
        let (doors, begun) = (&self.doors, self.sessions[key].as_mut().expect("begun"));
        let event = Event { session_id: begun.id.clone(), at: Timestamp(7), kind };
        let json = Bytes::from(serde_json::to_vec(&event).expect("plain data"));
        let log = doors[0].store.events();
        log.add(&[(begun.id.clone(), json)]).await.expect("in memory");
        let kept = log.from(&begun.id, None, usize::MAX).await.expect("in memory").pop().expect("just logged");
        begun.logged.push((kept.id.to_string(), String::from_utf8_lossy(&kept.json).into_owned()));
        doors[hears].door.wakeups.wake(&begun.id);
    }

    async fn lose(&mut self, key: usize) {
        let Some(begun) = &mut self.sessions[key] else { return };
        self.doors[0].store.events().remove(&begun.id).await.expect("in memory");
        begun.has_losses = true;
        // Ids are by the clock of the store: one that is wiped is not back within a millisecond.
        std::thread::sleep(Duration::from_millis(1));
    }

    /// Lets every session and every reader end, and checks what the readers got.
    pub(super) async fn finish(mut self) -> Ending {
        for key in 0..KEYS {
            while self.sessions[key].as_ref().is_some_and(|begun| !begun.has_ended) {
                self.work(key, key).await;
            }
        }
        for reader in 0..READERS {
            let Some(begun) = &self.sessions[Self::key_of(reader)] else { continue };
            let door = &self.doors[reader % self.doors.len()];
            self.readers[reader].finish(door, &begun.id).await;
            check(&self.readers[reader].got, begun);
        }
        self.ending().await
    }

    async fn ending(&self) -> Ending {
        let mut statuses = Vec::new();
        for begun in &self.sessions {
            let Some(Begun { id, .. }) = begun else {
                statuses.push(None);
                continue;
            };
            let mut shown = Vec::new();
            for door in &self.doors {
                shown.push(door.get(&format!("/v1/sessions/{id}")).await.json());
            }
            assert!(shown.iter().all(|at| *at == shown[0]), "doors do not agree: {shown:?}");
            statuses.push(shown[0]["status"].as_str().map(str::to_owned));
        }
        let words = |got: &Got| format!("{} {}", got.word, without_ids(&got.json));
        Ending {
            statuses,
            published: self.doors[0].waiting().await,
            logged: self
                .sessions
                .iter()
                .flatten()
                .map(|begun| begun.logged.iter().map(|(_, json)| without_ids(json)).collect())
                .collect(),
            read: self
                .readers
                .iter()
                .map(|r| r.got.iter().filter(|got| got.id.is_some()).map(words).collect())
                .collect(),
        }
    }
}

/// The event without the id of its session, which differs between fleets.
fn without_ids(json: &str) -> String {
    let mut value: Value = serde_json::from_str(json).expect("JSON");
    for field in ["session_id", "at"] {
        value.as_object_mut().expect("an object").remove(field);
    }
    value.to_string()
}

/// Every event that was got is one of the log, and follows the one before it there; unless a snapshot came in between, or the end, which
/// is told also where the log has lost it.
fn check(got: &[Got], begun: &Begun) {
    let place = |got: &Got| {
        let id = got.id.as_ref()?;
        begun.logged.iter().position(|(logged, json)| logged == id && *json == got.json)
    };
    let mut next = (!begun.has_losses).then_some(0);
    for event in got {
        match (event.word.as_str(), place(event)) {
            ("snapshot", _) => {
                assert!(begun.has_losses, "a gap is announced where there is none: {got:?}");
                next = None;
            }
            (_, Some(at)) => {
                assert!(
                    next.is_none_or(|next| next == at),
                    "an event was lost or came twice: {got:?} of {:?}",
                    begun.logged
                );
                next = Some(at + 1);
            }
            ("session_finished", None) => assert!(begun.has_losses, "an end that was not logged: {got:?}"),
            (_, None) => panic!("an event that was not logged: {event:?} of {:?}", begun.logged),
        }
    }
}

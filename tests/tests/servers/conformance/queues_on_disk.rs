//! The broker in this process with its queues on disk: the laws of every broker, where a restart reads the folder again; and what a kill may
//! cost.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use precis_proto::envelope::{Envelope, Header};
use precis_runtime::broker::{
    Broker, DeadLetter, Delivery, MemoryBroker, Outgoing, Queue, Route, TIERS, Topology, names,
};
use precis_runtime::clock::Clock;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::journal::OpenJournalError;
use precis_tests::broker_laws;
use precis_tests::conformance::broker::BrokerUnderTest;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tempfile::TempDir;

/// A broker in a folder, by one clock: that of a paused test goes on over restarts.
struct OnDisk {
    dir: TempDir,
    clock: Clock,
    broker: Mutex<MemoryBroker>,
}

impl OnDisk {
    async fn new() -> Self {
        let (dir, clock) = (tempfile::tempdir().expect("a directory"), Clock::system());
        let broker = Mutex::new(opened(dir.path(), &clock).await);
        Self { dir, clock, broker }
    }

    fn broker(&self) -> MemoryBroker {
        self.broker.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn worker(&self) -> Broker {
        Broker::Memory(self.broker().connect(Failpoints::none()))
    }
}

async fn opened(dir: &Path, clock: &Clock) -> MemoryBroker {
    MemoryBroker::open(dir, Topology::default(), clock.clone()).await.expect("opens")
}

impl BrokerUnderTest for OnDisk {
    async fn connect(&self) -> Broker {
        self.worker()
    }

    async fn kill(&self, connection: &Broker) {
        match connection {
            Broker::Memory(connection) => connection.kill(),
            Broker::Rabbit(_) => unreachable!("these laws run in memory"),
        }
    }

    async fn restart(&self) {
        self.broker().close();
        let again = opened(self.dir.path(), &self.clock).await;
        *self.broker.lock().unwrap_or_else(PoisonError::into_inner) = again;
    }
}

macro_rules! broker {
    ($($law:ident)*) => {
        mod broker {
            $(
                #[tokio::test(start_paused = true)]
                async fn $law() {
                    precis_tests::conformance::broker::$law(&super::OnDisk::new().await).await;
                }
            )*
        }
    };
}

broker_laws!(broker);

const WORK: &str = "work";
const DEAD: &str = "dead";

/// A queue that gives a message up after two returns.
fn topology() -> Topology {
    let dead_letter = DeadLetter { exchange: String::new(), routing_key: Some(DEAD.to_owned()) };
    let work =
        Queue { name: WORK.to_owned(), delivery_limit: Some(2), dead_letter: Some(dead_letter), message_ttl_ms: None };
    let dead = Queue { name: DEAD.to_owned(), delivery_limit: None, dead_letter: None, message_ttl_ms: None };
    let mut topology = Topology::standard();
    topology.queues.extend([work, dead]);
    topology
}

fn message(route: Route, text: &str) -> Outgoing {
    let header = Header { message_id: text.to_owned(), ..Header::default() };
    Outgoing { route, envelope: Envelope::encode(header, &text).expect("short") }
}

async fn publish(worker: &Broker, texts: &[&str]) {
    let window = texts.iter().map(|text| message(Route::queue(WORK), text)).collect();
    worker.publish_all(window).await.expect("confirmed");
}

async fn got(worker: &Broker, queue: &str) -> Vec<Delivery> {
    let mut all = Vec::new();
    while let Some(delivery) = worker.get(queue).await.expect("the queue exists") {
        all.push(delivery);
    }
    all
}

fn id(delivery: &Delivery) -> String {
    delivery.envelope.header.message_id.clone()
}

#[tokio::test(start_paused = true)]
async fn messages_held_at_a_kill_keep_their_count_and_are_limited() {
    let on = OnDisk::new().await;
    on.worker().declare(&topology()).await.expect("declared");
    publish(&on.worker(), &["held", "acked", "waiting"]).await;
    for count in 0..=2 {
        let worker = on.worker();
        let held = worker.get(WORK).await.expect("there").expect("a message");
        assert_eq!((id(&held).as_str(), held.delivery_count, held.redelivered), ("held", count, count > 0));
        if count == 0 {
            let second = worker.get(WORK).await.expect("there").expect("a message");
            second.ack().await.expect("durable");
        }
        on.restart().await;
    }
    let worker = on.worker();
    let dead = got(&worker, DEAD).await;
    let death = dead[0].death.clone().expect("a reason");
    assert_eq!((id(&dead[0]).as_str(), death.reason.as_str(), death.queue.as_str()), ("held", "delivery_limit", WORK));
    let left = got(&worker, WORK).await;
    assert_eq!(left.iter().map(id).collect::<Vec<_>>(), ["waiting"]);
    assert_eq!((left[0].delivery_count, left[0].redelivered), (0, false));
}

#[tokio::test(start_paused = true)]
async fn a_delayed_message_keeps_its_due_time_over_a_kill() {
    let on = OnDisk::new().await;
    on.worker().declare(&topology()).await.expect("declared");
    on.worker().publish(message(Route::after_delay(TIERS[1], WORK), "later")).await.expect("confirmed");
    tokio::time::sleep(Duration::from_secs(10)).await;
    on.restart().await;
    let depth = |queue: String| {
        let worker = on.worker();
        async move { worker.depth(&queue).await.expect("there").ready }
    };
    tokio::time::sleep(Duration::from_millis(4_900)).await;
    assert_eq!((depth(names::tier(TIERS[1])).await, depth(WORK.to_owned()).await), (1, 0));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!((depth(names::tier(TIERS[1])).await, depth(WORK.to_owned()).await), (0, 1));
    // One that is due while nobody runs comes at the next start.
    on.worker().publish(message(Route::after_delay(TIERS[0], WORK), "overdue")).await.expect("confirmed");
    on.broker().close();
    tokio::time::sleep(Duration::from_secs(60)).await;
    on.restart().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let back = got(&on.worker(), WORK).await;
    assert_eq!(back.iter().map(id).collect::<Vec<_>>(), ["later", "overdue"]);
}

#[tokio::test(start_paused = true)]
async fn a_second_process_is_refused_with_what_to_do() {
    let on = OnDisk::new().await;
    let refused = MemoryBroker::open(on.dir.path(), Topology::default(), on.clock.clone()).await.expect_err("in use");
    let said = refused.to_string();
    assert!(said.contains("in use by another process") && said.contains("name another folder"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_folder_that_others_may_write_to_is_refused() {
    let (dir, clock) = (tempfile::tempdir().expect("a directory"), Clock::system());
    let queues = dir.path().join("queues");
    opened(&queues, &clock).await.close();
    let mode = |mode| std::fs::set_permissions(&queues, std::fs::Permissions::from_mode(mode)).expect("set");
    assert_eq!(std::fs::metadata(&queues).expect("there").permissions().mode() & 0o777, 0o700);
    for entry in std::fs::read_dir(&queues).expect("a folder") {
        let entry = entry.expect("an entry");
        assert_eq!(entry.metadata().expect("there").permissions().mode() & 0o777, 0o600, "{entry:?}");
    }
    mode(0o777);
    let refused = MemoryBroker::open(&queues, Topology::default(), clock.clone()).await;
    assert!(matches!(refused, Err(OpenJournalError::Unsafe(_))), "{refused:?}");
    mode(0o700);
    opened(&queues, &clock).await;
}

/// The history gives way to what is live, while the broker runs and whatever happened before.
#[tokio::test]
async fn a_folder_stays_small_however_much_goes_through_it() {
    let on = OnDisk::new().await;
    on.worker().declare(&topology()).await.expect("declared");
    let worker = on.worker();
    let body = "x".repeat(256 * 1024);
    let folder = || -> u64 {
        let files = std::fs::read_dir(on.dir.path()).expect("a folder");
        files.map(|entry| entry.expect("an entry").metadata().map_or(0, |metadata| metadata.len())).sum()
    };
    let mut largest = 0;
    for _ in 0..40 {
        for _ in 0..10 {
            let envelope = Envelope { header: Header::default(), body: body.clone().into() };
            worker.publish(Outgoing { route: Route::queue(WORK), envelope }).await.expect("confirmed");
        }
        for delivery in got(&worker, WORK).await {
            delivery.ack().await.expect("held");
        }
        largest = largest.max(folder());
    }
    // 100 MiB went through it, of which at most 2.5 were live.
    assert!(largest > 32 << 20, "nothing gave way: {largest}");
    assert!(largest < 64 << 20, "{largest}");
    on.restart().await;
    assert!(folder() < 1 << 20, "{}", folder());
}

#[tokio::test(start_paused = true)]
async fn arguments_of_queues_are_those_of_the_program_that_opens_them() {
    let on = OnDisk::new().await;
    on.worker().declare(&topology()).await.expect("declared");
    publish(&on.worker(), &["1"]).await;
    on.broker().close();
    let mut newer = topology();
    newer.queues.iter_mut().filter(|queue| queue.name == WORK).for_each(|queue| queue.delivery_limit = Some(9));
    let broker = MemoryBroker::open(on.dir.path(), newer.clone(), on.clock.clone()).await.expect("opens");
    let worker = Broker::Memory(broker.connect(Failpoints::none()));
    assert_eq!(worker.declare(&newer).await, Ok(()));
    assert_eq!(got(&worker, WORK).await.len(), 1);
}

/// The law that everything rests on: over any interleaving of publishes, deliveries, acks and kills, what was confirmed and not acked is there,
/// once, with as many returns as it was handed out; what was acked is gone.
#[tokio::test(start_paused = true)]
async fn over_any_kills_nothing_confirmed_is_lost_and_nothing_acked_comes_back() {
    for seed in 0..60 {
        let mut random = StdRng::seed_from_u64(seed);
        let on = OnDisk::new().await;
        let mut topology = topology();
        topology.queues.iter_mut().for_each(|queue| queue.delivery_limit = None);
        on.worker().declare(&topology).await.expect("declared");
        let (mut handed_out, mut acked) = (BTreeMap::<String, u32>::new(), BTreeSet::new());
        let mut held: Vec<Delivery> = Vec::new();
        let mut worker = on.worker();
        for step in 0..80 {
            match random.random_range(0..10) {
                0..4 => {
                    let window: Vec<String> = (0..random.random_range(1..5)).map(|n| format!("{step}.{n}")).collect();
                    publish(&worker, &window.iter().map(String::as_str).collect::<Vec<_>>()).await;
                    handed_out.extend(window.into_iter().map(|text| (text, 0)));
                }
                4..7 => {
                    if let Some(delivery) = worker.get(WORK).await.expect("there") {
                        let count = handed_out.get_mut(&id(&delivery)).expect("confirmed");
                        assert_eq!(delivery.delivery_count, *count, "seed {seed}, step {step}");
                        *count += 1;
                        held.push(delivery);
                    }
                }
                7..9 if !held.is_empty() => {
                    let delivery = held.swap_remove(random.random_range(0..held.len()));
                    let name = id(&delivery);
                    match random.random_range(0..3) {
                        0 => delivery.requeue().await.expect("held"),
                        _ => {
                            delivery.ack().await.expect("held");
                            acked.insert(name);
                        }
                    }
                }
                9 => {
                    held.clear();
                    on.restart().await;
                    worker = on.worker();
                }
                _ => {}
            }
        }
        on.restart().await;
        let found: Vec<String> = got(&on.worker(), WORK).await.iter().map(id).collect();
        let expected: BTreeSet<String> = handed_out.into_keys().filter(|text| !acked.contains(text)).collect();
        assert_eq!(found.len(), expected.len(), "seed {seed}: {found:?}");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "seed {seed}");
    }
}

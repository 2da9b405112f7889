//! Junk ends as a stated failure or a dead letter with a reason, every single message, and holds up nobody. What says it is a state
//! of a version to come is parked for a newer worker instead.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use precis_runtime::broker::names;
use precis_tests::fleet::fleet_under_test::FleetUnderTest;
use precis_tests::fleet::junk::{self, junk};
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::program;

const JUNK: usize = 500;
/// Good sessions, one every so often.
const GOOD: usize = 20;
const EVERY: Duration = Duration::from_millis(200);
/// By how much junk may delay a good message, beside so many times what it takes without.
const DELAY: Duration = Duration::from_secs(1);
const TIMES: u32 = 3;
/// Longest wait for all there is to come.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_junk_message_is_accounted_for_and_delays_no_good_one() {
    let Some(servers) = SharedServers::open().await else { return };
    servers.caller.begin();
    let fleet = FleetUnderTest::new(&servers, program::path(), true).await;
    let mut workers = [fleet.worker("a", &[]), fleet.worker("b", &[])];
    // The first sessions find workers that have only begun.
    latencies(&servers, 0, GOOD).await;
    let without = latencies(&servers, GOOD, GOOD).await;
    let throwing = async {
        for message in junk(JUNK, servers.caller.reply_queue()) {
            servers.caller.publish(message).await;
        }
    };
    let ((), with) = tokio::join!(throwing, latencies(&servers, 2 * GOOD, GOOD));
    println!("good sessions took {without:?} (nine in ten, at most) without junk, {with:?} with {JUNK} junk messages");
    let fates = fates(&servers).await;
    println!("{fates:?}");
    assert_eq!(fates.values().sum::<usize>(), JUNK, "{fates:?}");
    // A machine that has other things to do is slow without junk too.
    assert!(with.0 < without.0 * TIMES + DELAY, "junk delayed good sessions: {without:?}, then {with:?}");
    for worker in &mut workers {
        assert!(worker.is_alive(), "junk ended {}", worker.name());
        worker.drain().await.expect("drains");
    }
    assert_eq!(servers.depths().await, []);
}

/// Asks for `count` sessions from number `first`; returns the time nine in ten of them took at most, and the longest.
async fn latencies(servers: &SharedServers, first: usize, count: usize) -> (Duration, Duration) {
    let mut asked = Vec::new();
    for number in first..first + count {
        let request = requests::request(number);
        asked.push((requests::name(number), Instant::now()));
        servers.caller.ask(&request).await;
        tokio::time::sleep(EVERY).await;
    }
    let until = Instant::now() + PATIENCE;
    loop {
        let replies = servers.caller.replies();
        let took = asked.iter().map(|(name, at)| Some(replies.get(name)?.at.saturating_duration_since(*at)));
        if let Some(mut took) = took.collect::<Option<Vec<Duration>>>() {
            took.sort_unstable();
            return (took[count * 9 / 10 - 1], took[count - 1]);
        }
        assert!(Instant::now() < until, "good sessions have no result");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// How many messages of junk ended how: by a result, dead with a reason, or parked. Takes the dead letters and the parked away.
async fn fates(servers: &SharedServers) -> BTreeMap<String, usize> {
    let broker = servers.connect().await;
    let mut fates = BTreeMap::new();
    let until = Instant::now() + PATIENCE;
    let mut away = 0;
    let tier = names::tier(Duration::from_secs(60));
    loop {
        while let Some(letter) = broker.get(names::DEAD).await.expect("declared") {
            let reason = letter.envelope.header.dead_reason.clone().unwrap_or_else(|| "no reason".to_owned());
            *fates.entry(format!("dead: {reason}")).or_default() += 1;
            letter.ack().await.expect("held");
            away += 1;
        }
        while let Some(parked) = broker.get(&tier).await.expect("declared") {
            *fates.entry("parked for a newer worker".to_owned()).or_default() += 1;
            parked.ack().await.expect("held");
            away += 1;
        }
        let replies = servers.caller.replies();
        let told = (0..JUNK).filter(|number| replies.contains_key(&junk::name(*number))).count();
        if away + told >= JUNK || Instant::now() > until {
            fates.insert("told the caller".to_owned(), told);
            broker.close().await;
            return fates;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

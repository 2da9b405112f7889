//! Those who mean harm, beside a trial: a caller with requests of every bad kind, and somebody who writes to Redis.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::hostile::Hostile;
use super::requests;
use super::shared_servers::SharedServers;

/// Between two messages of the caller, and between two writes to Redis.
const CALLER_PAUSE: Duration = Duration::from_millis(150);
const WRITER_PAUSE: Duration = Duration::from_millis(25);
/// Longest wait for Redis, which a fault may have stopped.
const PATIENCE: Duration = Duration::from_millis(500);
/// Where refusals go; there is no such queue.
const NOWHERE: &str = "reply.nowhere";

/// The ids of sessions that the caller asked for: some of its requests are good enough to be answered.
pub(super) type AskedIds = Mutex<BTreeSet<String>>;

/// Goes on until it is dropped, with the ids of the first `sessions` honest ones as victims; notes in `asked` what sessions it asks for.
pub(super) async fn go_on(servers: &SharedServers, sessions: usize, seed: u64, asked: &AskedIds) {
    tokio::join!(ask(servers, sessions, seed, asked), write(servers, sessions, seed));
}

async fn ask(servers: &SharedServers, sessions: usize, seed: u64, asked: &AskedIds) {
    let hostile = Hostile::new();
    let mut rng = StdRng::seed_from_u64(seed ^ 1);
    for number in 0_usize.. {
        let victim = requests::name(rng.random_range(0..sessions));
        let message = hostile.message(seed, number, NOWHERE, &victim);
        let body: Option<serde_json::Value> = serde_json::from_slice(&message.envelope.body).ok();
        if let Some(id) = body.as_ref().and_then(|body| body.get("session_id")?.as_str()) {
            asked.lock().expect("no panic holds it").insert(id.to_owned());
        }
        servers.caller.publish(message).await;
        tokio::time::sleep(CALLER_PAUSE).await;
    }
}

/// Removes records, writes over them, moves one to the name of another, and makes fences up.
async fn write(servers: &SharedServers, sessions: usize, seed: u64) {
    const HARM: [&str; 6] = [
        "SET precis:k1:fence:ID nonsense",
        "DEL precis:k1:fence:ID",
        "HSET precis:fence:ID revision 18446744073709551615",
        "EVAL \"local k = redis.call('RANDOMKEY') if k then redis.call('DEL', k) end return 1\" 0",
        "EVAL \"local k = redis.call('RANDOMKEY') if k then redis.call('SET', k, 'nonsense') end return 1\" 0",
        "EVAL \"local a, b = redis.call('RANDOMKEY'), redis.call('RANDOMKEY') if a then redis.call('COPY', a, b, 'REPLACE') end return 1\" 0",
    ];
    let mut rng = StdRng::seed_from_u64(seed ^ 2);
    loop {
        let victim = requests::name(rng.random_range(0..sessions));
        let command = HARM.choose(&mut rng).expect("some harm").replace("ID", &victim);
        // Stopped or busy: the next write is another.
        let _ = tokio::time::timeout(PATIENCE, servers.redis.ask(&command)).await;
        tokio::time::sleep(WRITER_PAUSE).await;
    }
}

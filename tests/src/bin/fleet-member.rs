//! A process of a fleet that shares a store: it does what its standard input says, a line at a time, and answers with a line.
//!
//! | line | answer |
//! | --- | --- |
//! | `admit NAME OPEN_MS` | `allowed`, `probe` or `open` |
//! | `watch NAME` | `open UNIX_MS`, as soon as the breaker refuses |

use std::io::{BufRead, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use precis_runtime::store::{Admission, BreakerPolicy, RedisSettings, RedisStore, Store};
use secrecy::SecretString;

/// Between two looks at a breaker.
const LOOK: Duration = Duration::from_millis(10);

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let address = std::env::args().nth(1).expect("the address of Redis");
    let settings = RedisSettings {
        response_timeout: Duration::from_secs(3),
        ..RedisSettings::from_address(SecretString::from(address))
    };
    let store = Store::Redis(RedisStore::connect(&settings).expect("a good address"));
    store.values().get("nothing").await.expect("Redis is there");
    say("ready");
    // Only this task does anything, so waiting for a line may hold its thread.
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["admit", name, open_ms] => say(admit(&store, name, open_ms.parse().expect("milliseconds")).await),
            ["watch", name] => say(&format!("open {}", watch(&store, name).await)),
            _ => say("what?"),
        }
    }
}

async fn admit(store: &Store, name: &str, open_ms: u64) -> &'static str {
    let policy = BreakerPolicy { open_ms, ..BreakerPolicy::default() };
    match store.breakers().admit(name, &policy).await.expect("reachable") {
        Admission::Allowed { .. } => "allowed",
        Admission::Probe { .. } => "probe",
        Admission::Open { .. } => "open",
    }
}

async fn watch(store: &Store, name: &str) -> u128 {
    while admit(store, name, BreakerPolicy::default().open_ms).await != "open" {
        tokio::time::sleep(LOOK).await;
    }
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis()
}

fn say(line: &str) {
    println!("{line}");
    std::io::stdout().flush().expect("somebody listens");
}

//! The store on Redis: same operations and results as in memory, shared by a fleet. Every change of more than one step is a script that
//! uses the server's clock, so that workers' clocks do not matter.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `settings` | the address, the timeouts, TLS |
//! | `link` | the connection: opened in the background, given up at the first timeout |
//! | `values`, `leases`, `fences`, `events`, `breakers`, `limits`, `ceilings` | one family of operations each, next to its scripts (`*.lua`) |
//! | `bounded` | reads that are bounded on the server |
//! | `records` | authenticated values |
//! | `marker` | the marker of the fleet that uses a prefix |
//! | `time` | the server's clock |
//! | `work` | operations of several families in one pipeline |
//!
//! Keys, after the prefix: the key of a value or a fence (`k1:answer:…`, `k1:fence:…`, `k1:events:…`, `k2:call:…`), `lease:…`, `breaker:…`, `limit:…`, `spend:…`, `fleet`. Every key
//! expires, and every script touches one key. Numbers in scripts are exact up to 2^53.

mod bounded;
mod breakers;
mod ceilings;
mod events;
mod fences;
mod leases;
mod limits;
mod link;
mod marker;
mod records;
mod settings;
mod time;
mod values;
mod work;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::Script;

use self::link::RedisLink;
pub use self::settings::{ClientIdentity, RedisSettings, RedisSettingsError};
use crate::content::ContentStore;

/// Longest time to live; longer ones are shortened to it.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// A store on Redis. Clones share the connection, which ends with the last of them.
#[derive(Clone)]
pub struct RedisStore {
    link: Arc<RedisLink>,
    prefix: Arc<str>,
    max_value_bytes: usize,
    /// Provides the fleet key; without it values are stored without tags.
    keys: Option<ContentStore>,
}

impl RedisStore {
    /// Starts connecting in the background, and keeps trying while Redis is unavailable. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// [`RedisSettingsError`] if the address, a certificate or a key cannot be used. An unavailable Redis is not an error.
    pub fn connect(settings: &RedisSettings) -> Result<Self, RedisSettingsError> {
        Ok(Self {
            link: Arc::new(RedisLink::new(settings.client()?, settings.timeouts())),
            prefix: settings.prefix.as_str().into(),
            max_value_bytes: settings.max_value_bytes,
            keys: None,
        })
    }

    /// Returns this store with values and fences tagged under the fleet key kept in `content`: those written by others are ignored,
    /// counted, and written again. Breakers, limits and leases, which scripts change, carry no tag.
    #[must_use]
    pub fn with_fleet_key(self, content: ContentStore) -> Self {
        Self { keys: Some(content), ..self }
    }

    fn key_in(&self, family: &str, name: &str) -> String {
        format!("{}{family}:{name}", self.prefix)
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("prefix", &self.prefix).field("link", &self.link).finish_non_exhaustive()
    }
}

/// Converts a time to live for Redis: at least one millisecond, because Redis rejects zero.
fn millis(ttl: Duration) -> u64 {
    u64::try_from(ttl.min(LONGEST).as_millis()).unwrap_or(u64::MAX).max(1)
}

/// Builds a script that first reads the server's clock, as `now_us` in microseconds and `now_ms` in milliseconds.
fn timed_script(code: &str) -> Script {
    Script::new(&format!("{}{code}", include_str!("clock.lua")))
}

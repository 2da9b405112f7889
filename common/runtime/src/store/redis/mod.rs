//! The store on Redis: the same operations and answers as in memory, for a fleet. Whatever changes in more than one step is a
//! script with the server's clock, so that no worker's clock matters.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `settings` | where Redis is, how patient we are with it, TLS |
//! | `link` | the one connection: made in the background, given up at the first silence |
//! | `values`, `leases`, `fences`, `breakers`, `limits`, `ceilings` | a family of operations each, beside its scripts (`*.lua`) |
//! | `records` | values that only the fleet can have written |
//! | `work` | operations of several families that travel together |
//!
//! Keys, after the prefix: a value's own key (`digest:…`, `call:…`), `lease:…`, `fence:…`, `breaker:…`, `limit:…`,
//! `spend:…`. Every key
//! expires and every script touches one key. Numbers in scripts are exact up to 2^53.

mod breakers;
mod ceilings;
mod fences;
mod leases;
mod limits;
mod link;
mod records;
mod settings;
mod values;
mod work;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::Script;

use self::link::RedisLink;
pub use self::settings::{ClientIdentity, RedisSettings, RedisSettingsError};
use crate::content::ContentStore;

/// Longest time to live; longer ones are cut to it.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// A store on Redis. Cloning gives another handle to the same connection, which ends with the last of them.
#[derive(Clone)]
pub struct RedisStore {
    link: Arc<RedisLink>,
    prefix: Arc<str>,
    max_value_bytes: usize,
    /// Where the key of values is; without it they are kept as they are.
    keys: Option<ContentStore>,
}

impl RedisStore {
    /// Begins to connect, in the background, and goes on trying while Redis is away. Call inside a runtime.
    ///
    /// # Errors
    /// [`RedisSettingsError`] where the address, a certificate or a key cannot be used. That Redis is away is none.
    pub fn connect(settings: &RedisSettings) -> Result<Self, RedisSettingsError> {
        Ok(Self {
            link: Arc::new(RedisLink::new(settings.client()?, settings.patience())),
            prefix: settings.prefix.as_str().into(),
            max_value_bytes: settings.max_value_bytes,
            keys: None,
        })
    }

    /// The same store, whose values carry a tag under the key of the deployment that `content` is of: what others wrote is refused,
    /// counted, and made again. Fences, breakers, limits and leases, which Redis itself changes, carry none.
    #[must_use]
    pub fn keyed(self, content: ContentStore) -> Self {
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

/// A time to live as Redis takes it: at least one millisecond, since it refuses none.
fn millis(ttl: Duration) -> u64 {
    u64::try_from(ttl.min(LONGEST).as_millis()).unwrap_or(u64::MAX).max(1)
}

/// A script that asks the server's clock first, as `now_us` in microseconds and `now_ms` in milliseconds.
fn timed(code: &str) -> Script {
    Script::new(&format!("{}{code}", include_str!("clock.lua")))
}

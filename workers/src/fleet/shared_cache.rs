//! Tells operators that another fleet uses the cache of this one: both get their results, but do each other's work again and again.

use std::time::Duration;

use precis_runtime::config::Settings;
use precis_runtime::store::Store;

/// How often a worker looks: also the longest time for which the marker of a fleet that was started second goes unnoticed.
const LOOK: Duration = Duration::from_secs(3_600);
/// Pause after a look that failed, because the cache cannot be reached.
const LOOK_AGAIN: Duration = Duration::from_secs(15);

/// Describes the fault and its remedy.
#[must_use]
pub fn shared_cache(settings: &Settings) -> String {
    let prefix = &settings.services.redis_prefix;
    format!(
        "another fleet, with another content store, uses Redis under the prefix `{prefix}`; try: set redis_prefix to another prefix for each \
         fleet, or delete the key `{prefix}fleet` if the content store of this fleet was replaced"
    )
}

/// Logs `told` whenever the cache is found to be used by another fleet. Ends with the task.
///
/// Only a message: fences and values of another fleet are not believed, so sharing a cache costs work and nothing else, and whoever may
/// write to Redis must not be able to stop workers.
pub async fn watch_shared_cache(store: Store, told: String) {
    loop {
        let pause = match store.is_of_this_fleet().await {
            Ok(true) => LOOK,
            Ok(false) => {
                tracing::error!("{told}");
                LOOK
            }
            Err(_) => LOOK_AGAIN,
        };
        tokio::time::sleep(pause).await;
    }
}

//! Laws of the seams, as functions over an implementation under test. Each law is a sentence; a new implementation runs them all.
//!
//! ```ignore
//! macro_rules! on_memory {
//!     ($($law:ident)*) => { $(#[tokio::test(start_paused = true)] async fn $law() {
//!         precis_tests::conformance::broker::$law(&Memory::new()).await;
//!     })* };
//! }
//! precis_tests::broker_laws!(on_memory);
//! ```

pub mod broker;
pub mod store;

use std::time::Duration;

/// Longest any single wait of a law may take before it counts as failed; a loaded broker needs seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// Awaits `future`, or fails saying what was awaited.
async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(done) => done,
        Err(_) => panic!("waited {PATIENCE:?} for {what}"),
    }
}

/// A name no other test uses.
fn fresh_name(stem: &str) -> String {
    format!("law-{stem}-{:016x}", rand::random::<u64>())
}

//! The end of a process that pays for answers.

use std::time::Duration;

use precis_runtime::model::Models;

use crate::lanes::Lanes;

/// How long requests that were sent may still take when a process ends.
const GRACE: Duration = Duration::from_secs(5);

/// Waits for the model calls and searches that were sent, also for work that somebody else has by now: they are paid, and their answers
/// are kept. Those that take too long are told of in the log.
pub async fn settled(models: &Models, lanes: &Lanes) {
    let (models, searches) = tokio::join!(models.drain(GRACE), lanes.settled(GRACE));
    for (what, is_settled) in [("model call", models), ("search", searches)] {
        if !is_settled {
            tracing::warn!("a {what} that was sent is not answered after {} s; it may be paid again", GRACE.as_secs());
        }
    }
}

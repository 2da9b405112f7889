//! Waits for paid answers when a process ends.

use std::time::Duration;

use precis_runtime::model::Models;

use crate::lanes::Lanes;

/// Longest wait for requests already sent when a process ends.
const GRACE: Duration = Duration::from_secs(5);

/// Waits for the model calls and searches already sent, even for work that another worker has taken over: they are paid, and their answers
/// are stored. Logs a warning if some take too long.
pub async fn settle_sent(models: &Models, lanes: &Lanes) {
    let (models, searches) = tokio::join!(models.drain(GRACE), lanes.settle_sent(GRACE));
    for (what, is_settled) in [("model call", models), ("search", searches)] {
        if !is_settled {
            tracing::warn!("a {what} was not answered within {} s; it may be paid for again", GRACE.as_secs());
        }
    }
}

//! Gives a delivery back to its queue because the broker or a store did not accept what would have replaced it.

use std::time::Duration;

use crate::broker::Delivery;

/// Pause before a delivery is given back. Chosen, not measured: short next to a lease, long next to a delivery.
const PAUSE: Duration = Duration::from_secs(1);

/// Gives `delivery` back after a pause; without it, a broker that refuses would redeliver as fast as it can. A delivery that is neither
/// acked nor given back would be held as long as the connection lasts. If the connection is gone, so is the delivery, and the broker has
/// redelivered it.
pub(super) async fn give_back(delivery: Delivery) {
    tokio::time::sleep(PAUSE).await;
    let _ = delivery.requeue().await;
}

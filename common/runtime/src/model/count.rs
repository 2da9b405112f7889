//! The provider's own token count of a payload, requested if ours is near the limit.
//!
//! Our count is exact for some vocabularies and an estimate for the rest. Far from the limit an estimate is enough; near it, a vendor
//! with a free token counter is asked first, so that no payload over its window is sent. A count depends only on payload and model, so it
//! is made once for the whole fleet. If the counter does not answer, the estimate is used, with a warning.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout};

use super::call_order::CallOrder;
use super::gate::PreparedPayload;
use super::state::ModelsState;

/// A payload above this percentage of the room is near the limit. Token counts of one text differ by a third and more between
/// vocabularies. Chosen, not measured.
const NEAR_PERCENT: u128 = 50;
/// Longest wait for a count; without one the payload is sent anyway. Chosen.
pub(super) const LONGEST: Duration = Duration::from_secs(10);
/// How long the store keeps a count.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// The result of asking a provider to count a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountResult {
    /// Not asked: our count is far from the limit, or this provider has no counter.
    Unasked,
    /// The payload fits.
    Fits,
    /// The payload does not fit: it has this many tokens.
    Over(u64),
    /// The counter did not answer.
    Unknown,
}

impl ModelsState {
    /// Asks the provider of `order` how many tokens its payload has, if our count is near the limit.
    pub(super) async fn count(&self, order: &CallOrder) -> CountResult {
        let (prepared, provider) = (&order.prepared, &order.provider);
        let Some(fingerprint) = provider.countable(&order.model, prepared).filter(|_| is_near(prepared)) else {
            return CountResult::Unasked;
        };
        let key = format!("tokens:{}:{fingerprint}", order.model);
        let known = match self.counts.find(&key) {
            Some(known) => Some(known),
            None => self.shared_count(&key).await,
        };
        let tokens = match known {
            Some(known) => known,
            None => match self.ask_count(order).await {
                Some(tokens) => tokens,
                None => return CountResult::Unknown,
            },
        };
        if known.is_none() {
            // Ignored: without the store the same payload is only counted again.
            let _ = self.store.values().put_if_absent(&key, Bytes::from(tokens.to_string()), KEPT).await;
        }
        self.counts.keep(key, tokens);
        if tokens > prepared.input_room { CountResult::Over(tokens) } else { CountResult::Fits }
    }

    async fn shared_count(&self, key: &str) -> Option<u64> {
        let found = self.store.values().get(key).await.ok()??;
        std::str::from_utf8(&found).ok()?.parse().ok()
    }

    async fn ask_count(&self, order: &CallOrder) -> Option<u64> {
        let left = order.deadline.saturating_duration_since(Instant::now()).min(LONGEST).min(order.provider.timeout);
        match timeout(left, order.provider.count(&order.model, &order.prepared)).await {
            Ok(Ok(tokens)) => Some(tokens),
            Ok(Err(failure)) => {
                tracing::debug!(provider = order.provider.name, %failure, "tokens not counted");
                None
            }
            Err(_) => {
                tracing::debug!(provider = order.provider.name, "tokens not counted in time");
                None
            }
        }
    }
}

fn is_near(prepared: &PreparedPayload) -> bool {
    u128::from(prepared.input_tokens) * 100 > u128::from(prepared.input_room) * NEAR_PERCENT
}

/// Returns the provider's tokens per hundred of ours, rounded up: it counted `tokens` where we counted `ours`, already scaled by `before`
/// per hundred.
pub(super) fn per_hundred(tokens: u64, ours: u64, before: Option<u64>) -> u64 {
    let before = u128::from(before.unwrap_or(100));
    let ratio = (before * u128::from(tokens)).div_ceil(u128::from(ours.max(1)));
    // Two more, because the ratio of the remaining pieces may differ from that of the whole.
    u64::try_from(ratio).unwrap_or(u64::MAX).saturating_add(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_that_of_both_counts_and_a_little_more() {
        for (tokens, ours, before, ratio) in
            [(1_300, 1_000, None, 132), (1_001, 1_000, None, 103), (1_300, 1_000, Some(120), 158), (5, 0, None, 502)]
        {
            assert_eq!(per_hundred(tokens, ours, before), ratio);
        }
    }
}

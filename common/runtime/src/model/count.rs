//! The provider's own count of a payload, where ours comes near the room there is.
//!
//! Our count knows the vocabularies of some models and estimates the rest. Far from the limit an estimate decides as well as a count;
//! near it, a vendor that counts for nothing is asked before it is sent more than it takes. A count is a function of payload and
//! model, so it is made once for the whole fleet. A counter that does not answer is replaced by the estimate, with a warning.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout};

use super::call_order::CallOrder;
use super::gate::PreparedPayload;
use super::state::ModelsState;

/// Share of the room from which on a payload is near it, in percent. Vocabularies of one text differ by a third and more. Chosen,
/// not measured.
const NEAR_PERCENT: u128 = 50;
/// Longest wait for a count: a payload is worth sending without one. Chosen.
pub(super) const LONGEST: Duration = Duration::from_secs(10);
/// How long the store keeps a count.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// What the provider's count says of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountResult {
    /// Nothing was asked: our count is far from the limit, or this provider does not count.
    Unasked,
    /// It fits.
    Fits,
    /// It does not: so many tokens.
    Over(u64),
    /// The counter did not answer.
    Unknown,
}

impl ModelsState {
    /// Asks the provider of `order` how many tokens its payload has, where that may decide anything.
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
            // A store that is away costs a count another time.
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

/// Tokens of the provider for each hundred of ours, rounded up, after it counted `tokens` where we counted `ours` at `before` per
/// hundred.
pub(super) fn per_hundred(tokens: u64, ours: u64, before: Option<u64>) -> u64 {
    let before = u128::from(before.unwrap_or(100));
    let ratio = (before * u128::from(tokens)).div_ceil(u128::from(ours.max(1)));
    // A little more, since the pieces that are left need not be like the whole.
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

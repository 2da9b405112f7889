//! How much of a session may go to judging.

/// Most tokens that rules, schema and answer of a call take besides statements and passages.
const BESIDE_TOKENS: u64 = 4_096;
/// Most of a session's spending limits, and of the time left, that goes to judging, in percent. Chosen: equal to the share that research
/// reserves for the end of a session.
pub const SHARE_PERCENT: u64 = 20;

/// Use and limits of judging before the next question. An absent limit does not limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct JudgingUse {
    /// Calls made so far.
    pub asked: usize,
    /// Most calls.
    pub most: usize,
    /// Whether the model gave no readable answer, or failed twice on sentences whose verdict is known.
    pub is_over: bool,
    /// Tokens used for judging.
    pub judging_tokens: u64,
    /// Tokens used by the whole session.
    pub tokens: u64,
    /// Most tokens of the session.
    pub max_tokens: Option<u64>,
    /// US dollars spent on judging.
    pub judging_usd: f64,
    /// US dollars spent by the whole session.
    pub usd: f64,
    /// Most US dollars of the session.
    pub max_usd: Option<f64>,
    /// Milliseconds spent on judging.
    pub judging_ms: u64,
    /// Milliseconds left in the session when judging began.
    pub left_ms: Option<u64>,
}

/// Whether a call of `tokens` may be made.
///
/// ```
/// use precis_report::claims::{JudgingUse, may_ask};
///
/// let free = JudgingUse { most: 2, ..JudgingUse::default() };
/// assert!(may_ask(&free, 500));
/// assert!(!may_ask(&JudgingUse { asked: 2, ..free }, 500));
/// // Judging may use a fifth of the session's tokens, prompt and answer included.
/// assert!(!may_ask(&JudgingUse { max_tokens: Some(10_000), ..free }, 500));
/// ```
#[must_use]
pub fn may_ask(spent: &JudgingUse, tokens: u64) -> bool {
    let next = tokens.saturating_add(BESIDE_TOKENS);
    // Divided before it is multiplied, because the product could overflow.
    let of = |limit: u64| limit / 100 * SHARE_PERCENT + limit % 100 * SHARE_PERCENT / 100;
    let fits_tokens = |max| spent.judging_tokens + next <= of(max) && spent.tokens + next <= max;
    let fits_usd = |max: f64| spent.judging_usd < max * SHARE_PERCENT as f64 / 100.0 && spent.usd < max;
    spent.asked < spent.most
        && !spent.is_over
        && spent.max_tokens.is_none_or(fits_tokens)
        && spent.max_usd.is_none_or(fits_usd)
        && spent.left_ms.is_none_or(|left| spent.judging_ms < of(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_made_as_long_as_its_share_lasts() {
        let free = JudgingUse { most: 5, ..JudgingUse::default() };
        let limits = JudgingUse { max_tokens: Some(100_000), max_usd: Some(1.0), left_ms: Some(10_000), ..free };
        let share = 100_000 * SHARE_PERCENT / 100;
        let next = 1_000 + BESIDE_TOKENS;
        for (spent, want) in [
            (free, true),
            (limits, true),
            (JudgingUse { asked: 4, ..free }, true),
            (JudgingUse { asked: 5, ..free }, false),
            (JudgingUse { asked: 6, ..free }, false),
            (JudgingUse { is_over: true, ..free }, false),
            (JudgingUse { judging_tokens: share - next, ..limits }, true),
            (JudgingUse { judging_tokens: share - next + 1, ..limits }, false),
            (JudgingUse { tokens: 100_000 - next, ..limits }, true),
            (JudgingUse { tokens: 100_000 - next + 1, ..limits }, false),
            (JudgingUse { judging_usd: 0.19, ..limits }, true),
            (JudgingUse { judging_usd: 0.2, ..limits }, false),
            (JudgingUse { usd: 0.99, ..limits }, true),
            (JudgingUse { usd: 1.0, ..limits }, false),
            (JudgingUse { judging_ms: 1_999, ..limits }, true),
            (JudgingUse { judging_ms: 2_000, ..limits }, false),
            (JudgingUse { tokens: 1_000_000_000, usd: 1e9, judging_ms: u64::MAX, ..free }, true),
        ] {
            assert_eq!(may_ask(&spent, 1_000), want, "{spent:?}");
        }
    }
}

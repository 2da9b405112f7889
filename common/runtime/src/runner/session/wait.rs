//! How long a delivery waits for whoever holds its session according to the fence: shortly at first, and not for ever.

use std::time::Duration;

use crate::broker::TIERS;

/// Waits of the first tier: together as long as a hold outlives a dead worker, 30 seconds.
const SHORT_WAITS: u32 = 15;
/// In leases: nobody holds a revision for longer, since a run ends after one and a half (chosen: the rest is for reading pages and for a
/// slow broker). A fence that says otherwise is wrong.
const LONGEST_HOLD: u32 = 2;

/// Returns the delay of the next wait after `waits`; `None` once they were longer together than anybody holds a session.
pub(super) fn next_wait(waits: u32, lease: Duration) -> Option<Duration> {
    let long = TIERS[1].saturating_mul(waits.saturating_sub(SHORT_WAITS));
    let waited = TIERS[0].saturating_mul(waits.min(SHORT_WAITS)).saturating_add(long);
    if waited >= lease.saturating_mul(LONGEST_HOLD) {
        return None;
    }
    Some(if waits < SHORT_WAITS { TIERS[0] } else { TIERS[1] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_waits_shortly_then_longer_and_no_longer_than_anybody_holds() {
        let (short, long) = (Some(Duration::from_secs(2)), Some(Duration::from_secs(15)));
        // 15 waits of 2 s and 78 of 15 s are two leases of 600 s.
        for (waits, lease_s, next) in [
            (0, 600, short),
            (14, 600, short),
            (15, 600, long),
            (92, 600, long),
            (93, 600, None),
            (94, 600, None),
            (u32::MAX, 600, None),
            (0, 0, None),
            (9, 10, short),
            (10, 10, None),
            (u32::MAX, u64::MAX, long),
        ] {
            assert_eq!(next_wait(waits, Duration::from_secs(lease_s)), next, "{waits} of {lease_s} s");
        }
    }
}

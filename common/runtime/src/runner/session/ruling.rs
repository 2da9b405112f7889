//! What the fence's answer means for a delivery. One pure function, one table.
//!
//! Whoever may write to Redis can remove the record of a fence and restore an earlier one, but cannot make one. So a record is believed
//! as far as an earlier record cannot mislead: that a later revision of the same life was published stays true, and the broker has it.
//! That the session has ended counts only with its result, and everything else only delays: whatever happens to the records, each
//! delivery ends in a later one or in a result.

use std::time::Duration;

use crate::store::{FenceClaim, StoreError};

/// What to do with a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ruling {
    /// Work on it. `is_first`: nobody may have worked on it before, as far as the fence knows, so the session may have ended.
    Work { is_first: bool },
    /// A duplicate: the broker has a later revision.
    Duplicate,
    /// The session has ended, if it has a result.
    Ended,
    /// Somebody else seems to work on the session. Put it off; after the longest wait, work on it.
    Wait,
    /// Another copy of the request was accepted, and nobody has held or published it for a whole lease: it is lost, as with a broker that
    /// lost its queues, or waits in a queue longer than anybody should wait for it. Work on this one.
    Abandoned,
}

/// Rules on a delivery. `has_life`: whether its state names the life it belongs to. Without that a record of an earlier life cannot be
/// told from one of this. `lease`: how long a worker holds a session at most before it publishes it again.
pub(super) fn ruling(claim: &Result<FenceClaim, StoreError>, has_life: bool, lease: Duration) -> Ruling {
    match claim {
        Ok(FenceClaim::Claimed { first }) => Ruling::Work { is_first: *first },
        Ok(FenceClaim::Stale { latest: u64::MAX } | FenceClaim::Other { latest: u64::MAX, .. }) => Ruling::Ended,
        Ok(FenceClaim::Stale { .. }) if has_life => Ruling::Duplicate,
        Ok(FenceClaim::Other { idle, .. }) if has_life && *idle >= lease => Ruling::Abandoned,
        Ok(FenceClaim::Stale { .. } | FenceClaim::Other { .. } | FenceClaim::Held) => Ruling::Wait,
        // Without a fence work may be repeated, but nothing is lost.
        Err(_) => Ruling::Work { is_first: true },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(600);
    const MS: Duration = Duration::from_millis(1);

    fn other(latest: u64, idle: Duration) -> Result<FenceClaim, StoreError> {
        Ok(FenceClaim::Other { latest, idle })
    }

    #[test]
    fn only_a_later_revision_of_the_same_life_makes_a_duplicate() {
        let ended = u64::MAX;
        for (claim, of_its_life, without_life) in [
            (Ok(FenceClaim::Claimed { first: true }), Ruling::Work { is_first: true }, Ruling::Work { is_first: true }),
            (
                Ok(FenceClaim::Claimed { first: false }),
                Ruling::Work { is_first: false },
                Ruling::Work { is_first: false },
            ),
            (Ok(FenceClaim::Stale { latest: 2 }), Ruling::Duplicate, Ruling::Wait),
            (Ok(FenceClaim::Stale { latest: ended - 1 }), Ruling::Duplicate, Ruling::Wait),
            (Ok(FenceClaim::Stale { latest: ended }), Ruling::Ended, Ruling::Ended),
            (other(2, LEASE - MS), Ruling::Wait, Ruling::Wait),
            (other(2, LEASE), Ruling::Abandoned, Ruling::Wait),
            (other(2, LEASE + MS), Ruling::Abandoned, Ruling::Wait),
            (other(ended, LEASE), Ruling::Ended, Ruling::Ended),
            (Ok(FenceClaim::Held), Ruling::Wait, Ruling::Wait),
            (Err(StoreError("away".to_owned())), Ruling::Work { is_first: true }, Ruling::Work { is_first: true }),
        ] {
            let got = (ruling(&claim, true, LEASE), ruling(&claim, false, LEASE));
            assert_eq!(got, (of_its_life, without_life), "{claim:?}");
        }
    }
}

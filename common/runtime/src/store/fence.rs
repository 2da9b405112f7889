//! The fence of one session: the last published revision and its holder. Plain data, with time as an argument.

use std::time::Duration;

use tokio::time::Instant;

/// Shortest time to remember a claim without a publish: longer than any phase, retry tier or outage it must span.
pub(crate) const FENCE_MEMORY: Duration = Duration::from_secs(24 * 3600);

/// The fence's answer to a session delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceClaim {
    /// Claimed: process the delivery.
    Claimed {
        /// Whether the fence did not know the session: it is new, or the store was wiped.
        first: bool,
    },
    /// A later revision of the session has been published: this delivery is a duplicate.
    Stale {
        /// That revision.
        latest: u64,
    },
    /// Another live holder works on this revision.
    Held,
}

/// The record of one session. The revision never goes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    revision: u64,
    hold: Option<FenceHold>,
    /// Forgotten after this.
    expires: Instant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct FenceHold {
    holder: String,
    expires: Instant,
}

impl Fence {
    /// The record of a session that was unknown so far, published with `revision`.
    pub(super) fn new(revision: u64, expires: Instant) -> Self {
        Self { revision, hold: None, expires }
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether the record is still needed at `now`: not expired, or held.
    pub(super) fn is_alive(&self, now: Instant) -> bool {
        self.expires > now || self.live_hold(now).is_some()
    }

    /// Claims `revision` for `holder` until `hold_until`; the record is kept at least until `remember_until`.
    ///
    /// A holder is `{copy}|{worker}`. A copy that arrives at another worker was redelivered by the broker: its earlier holder is dead
    /// or disconnected, and the new worker takes over at once.
    pub(super) fn claim(
        &mut self,
        revision: u64,
        holder: &str,
        now: Instant,
        hold_until: Instant,
        remember_until: Instant,
    ) -> FenceClaim {
        if revision < self.revision {
            return FenceClaim::Stale { latest: self.revision };
        }
        let other = self.live_hold(now).is_some_and(|h| copy_of(&h.holder) != copy_of(holder));
        if revision == self.revision && other {
            return FenceClaim::Held;
        }
        self.revision = revision;
        self.hold = Some(FenceHold { holder: holder.to_owned(), expires: hold_until });
        self.expires = self.expires.max(remember_until);
        FenceClaim::Claimed { first: false }
    }

    /// Renews the hold of `holder` on `revision` until `hold_until`, unless another holder has it or a later revision was published.
    /// After a wipe the store may know less than its caller: an older revision claimed since then does not end the hold on a newer one.
    pub(super) fn renew(&mut self, revision: u64, holder: &str, now: Instant, hold_until: Instant) -> FenceClaim {
        if revision < self.revision {
            return FenceClaim::Stale { latest: self.revision };
        }
        if revision == self.revision && self.live_hold(now).is_some_and(|h| h.holder != holder) {
            return FenceClaim::Held;
        }
        self.revision = revision;
        self.hold = Some(FenceHold { holder: holder.to_owned(), expires: hold_until });
        FenceClaim::Claimed { first: false }
    }

    /// Records a publish. A revision already known changes nothing: its next holder may have claimed it before its publisher got here.
    pub(super) fn advance(&mut self, revision: u64, remember_until: Instant) {
        if revision > self.revision {
            self.revision = revision;
            self.hold = None;
        }
        self.expires = self.expires.max(remember_until);
    }

    /// Ends the hold of `holder` on `revision`, if it has it.
    pub(super) fn unclaim(&mut self, revision: u64, holder: &str) {
        if self.revision == revision && self.hold.as_ref().is_some_and(|h| h.holder == holder) {
            self.hold = None;
        }
    }

    fn live_hold(&self, now: Instant) -> Option<&FenceHold> {
        self.hold.as_ref().filter(|h| h.expires > now)
    }
}

/// The copy part of a holder.
pub(super) fn copy_of(holder: &str) -> &str {
    holder.rsplit_once('|').map_or(holder, |(copy, _)| copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_returned_copy_is_taken_over_at_once_and_its_old_holder_cannot_renew() {
        let now = Instant::now();
        let later = now + Duration::from_secs(60);
        let mut fence = Fence::new(1, later);
        assert_eq!(fence.claim(1, "c1|a", now, later, later), FenceClaim::Claimed { first: false });
        assert_eq!(fence.claim(1, "c2|b", now, later, later), FenceClaim::Held);
        assert_eq!(fence.claim(1, "c1|b", now, later, later), FenceClaim::Claimed { first: false });
        assert_eq!(fence.renew(1, "c1|a", now, later), FenceClaim::Held);
        assert_eq!(fence.renew(1, "c1|b", now, later), FenceClaim::Claimed { first: false });
        fence.advance(2, later);
        assert_eq!(fence.renew(1, "c1|b", now, later), FenceClaim::Stale { latest: 2 });
    }

    #[test]
    fn after_a_wipe_a_late_duplicate_does_not_end_the_hold_on_the_newer_revision() {
        let now = Instant::now();
        let later = now + Duration::from_secs(60);
        let mut wiped = Fence::new(4, later);
        assert_eq!(wiped.claim(4, "duplicate|b", now, later, later), FenceClaim::Claimed { first: false });
        assert_eq!(wiped.renew(5, "c|a", now, later), FenceClaim::Claimed { first: false });
        assert_eq!(wiped.renew(4, "duplicate|b", now, later), FenceClaim::Stale { latest: 5 });
    }

    #[test]
    fn an_advance_to_the_revision_that_is_already_claimed_leaves_the_claim() {
        let now = Instant::now();
        let later = now + Duration::from_secs(60);
        let mut fence = Fence::new(1, later);
        assert_eq!(fence.claim(2, "next", now, later, later), FenceClaim::Claimed { first: false });
        fence.advance(2, later);
        assert_eq!(fence.claim(2, "third", now, later, later), FenceClaim::Held);
        fence.advance(3, later);
        assert_eq!(fence.claim(2, "next", now, later, later), FenceClaim::Stale { latest: 3 });
        assert_eq!(fence.claim(3, "third", now, later, later), FenceClaim::Claimed { first: false });
    }

    #[test]
    fn a_held_mark_outlives_its_own_expiry() {
        let now = Instant::now();
        let at = |s| now + Duration::from_secs(s);
        let mut fence = Fence::new(1, at(1));
        fence.claim(1, "a", now, at(10), at(1));
        assert!(fence.is_alive(at(5)));
        fence.unclaim(1, "b");
        assert!(fence.is_alive(at(5)));
        fence.unclaim(1, "a");
        assert!(!fence.is_alive(at(5)));
    }
}

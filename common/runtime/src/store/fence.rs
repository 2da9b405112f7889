//! What the fence knows of one session: the last published revision and who works on it. Plain data, time as an argument.

use std::time::Duration;

use tokio::time::Instant;

/// How long a claim without a publish is remembered at least: longer than any phase, retry tier or outage it should span.
pub(crate) const FENCE_MEMORY: Duration = Duration::from_secs(24 * 3600);

/// What the fence says of a session's delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceClaim {
    /// Ours: go on.
    Claimed {
        /// Whether the fence had never heard of the session: new, or the store was wiped.
        first: bool,
    },
    /// The session has been published with a later revision: this delivery is a duplicate.
    Stale {
        /// That revision.
        latest: u64,
    },
    /// A live other holder works on this revision.
    Held,
}

/// One session's mark. What it knows only ever grows: the revision never goes back.
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
    /// A session nobody has heard of, published with `revision`.
    pub(super) fn new(revision: u64, expires: Instant) -> Self {
        Self { revision, hold: None, expires }
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether it is still to be remembered at `now`: not yet expired, or held.
    pub(super) fn is_alive(&self, now: Instant) -> bool {
        self.expires > now || self.live_hold(now).is_some()
    }

    /// `holder` asks for `revision` until `hold_until`; the mark is remembered at least until `remember_until`.
    ///
    /// A holder is `{copy}|{worker}`. A copy that comes to another worker was returned by the broker: whoever held it before
    /// is dead or cut off, and the new worker takes over at once.
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

    /// `holder` keeps `revision` until `hold_until`, unless another holder has it or a later revision was published. A store that
    /// was wiped may know less than its caller: an older revision claimed since then does not end the hold on a newer one.
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

    /// Records a publish. A known revision changes nothing: its next holder may have claimed it before its publisher got here.
    pub(super) fn advance(&mut self, revision: u64, remember_until: Instant) {
        if revision > self.revision {
            self.revision = revision;
            self.hold = None;
        }
        self.expires = self.expires.max(remember_until);
    }

    /// Ends the hold of `holder` on `revision`, where it has it.
    pub(super) fn unclaim(&mut self, revision: u64, holder: &str) {
        if self.revision == revision && self.hold.as_ref().is_some_and(|h| h.holder == holder) {
            self.hold = None;
        }
    }

    fn live_hold(&self, now: Instant) -> Option<&FenceHold> {
        self.hold.as_ref().filter(|h| h.expires > now)
    }
}

/// The copy a holder works on.
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

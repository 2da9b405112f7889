//! The fence of one session: the last published revision of its present life, and its holder. Plain data, with time as an argument.

use std::time::Duration;

use precis_proto::state::SessionState;
use precis_proto::{LifeId, SessionId};
use serde::{Deserialize, Serialize};

/// Shortest time to remember a claim without a publish: longer than any phase, retry tier or outage it must span.
const FENCE_MEMORY: Duration = Duration::from_secs(24 * 3600);

/// A revision of one life of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Its life; `None` if a worker of an older version wrote its state.
    pub life: Option<&'a LifeId>,
    /// The revision; [`u64::MAX`] once the session has ended.
    pub number: u64,
}

impl<'a> Revision<'a> {
    /// The revision of `state`.
    #[must_use]
    pub fn of(state: &'a SessionState) -> Self {
        Self { session: &state.session_id, life: state.life.as_ref(), number: state.revision }
    }

    /// The revision `number` of the same life.
    #[must_use]
    pub fn at(self, number: u64) -> Self {
        Self { number, ..self }
    }
}

/// The fence's answer to a session delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceClaim {
    /// Claimed: process the delivery.
    Claimed {
        /// Whether the fence did not know the session: it is new, or the store was wiped.
        first: bool,
    },
    /// A later revision of this life of the session has been published: this delivery is a duplicate.
    Stale {
        /// That revision.
        latest: u64,
    },
    /// Another live holder works on this revision.
    Held,
    /// The fence tells of another life of the session: an earlier one, or another copy of its request.
    Other {
        /// The last published revision of that life.
        latest: u64,
        /// For how long nobody has held or published that life; zero if it is held, or if that is not known.
        idle: Duration,
    },
}

/// The record of one session. Within a life the revision never goes back. Times are milliseconds of the store's clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fence {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    life: Option<LifeId>,
    revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hold: Option<FenceHold>,
    /// When somebody last claimed, held or published; `None` if a worker of an older version wrote the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changed_ms: Option<u64>,
    /// Forgotten after this.
    expires_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FenceHold {
    holder: String,
    until_ms: u64,
}

/// A holder, the time of its operation, and how long it holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claimant<'a> {
    /// `{copy}|{worker}`.
    pub(super) holder: &'a str,
    pub(super) now_ms: u64,
    pub(super) ttl: Duration,
}

impl Claimant<'_> {
    fn hold(self) -> Option<FenceHold> {
        Some(FenceHold { holder: self.holder.to_owned(), until_ms: after(self.now_ms, self.ttl) })
    }

    fn remember_until_ms(self) -> u64 {
        after(self.now_ms, self.ttl.max(FENCE_MEMORY))
    }
}

impl Fence {
    fn new(at: Revision<'_>, hold: Option<FenceHold>, now_ms: u64, expires_ms: u64) -> Self {
        Self { life: at.life.cloned(), revision: at.number, hold, changed_ms: Some(now_ms), expires_ms }
    }

    /// For how long nobody has held or published it.
    fn idle(&self, now_ms: u64) -> Duration {
        let since = self.changed_ms.filter(|_| self.live_hold(now_ms).is_none());
        Duration::from_millis(since.map_or(0, |since| now_ms.saturating_sub(since)))
    }

    /// The last published revision, if this is about `life`. A session of unknown life is never the one that a fence tells of.
    pub(super) fn latest_of(&self, life: Option<&LifeId>) -> Option<u64> {
        (life.is_some() && self.life.as_ref() == life).then_some(self.revision)
    }

    /// Whether the record is still needed at `now_ms`: not expired, or held.
    pub(super) fn is_alive(&self, now_ms: u64) -> bool {
        self.needed_until_ms() > now_ms
    }

    /// The end of the record: its expiry, or that of its hold if that is later.
    pub(super) fn needed_until_ms(&self) -> u64 {
        self.expires_ms.max(self.hold.as_ref().map_or(0, |hold| hold.until_ms))
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether it names a holder, whose time may be over.
    pub(super) fn is_held(&self) -> bool {
        self.hold.is_some()
    }

    fn is_about(&self, at: Revision<'_>) -> bool {
        self.life.as_ref() == at.life
    }

    fn live_hold(&self, now_ms: u64) -> Option<&FenceHold> {
        self.hold.as_ref().filter(|hold| hold.until_ms > now_ms)
    }
}

/// Claims a revision. The record is kept for [`FENCE_MEMORY`] at least.
///
/// A holder is `{copy}|{worker}`. A copy that arrives at another worker was redelivered by the broker: its earlier holder is dead or
/// disconnected, and the new worker takes over at once.
pub(super) fn claim(slot: &mut Option<Fence>, at: Revision<'_>, by: Claimant<'_>) -> FenceClaim {
    let Some(fence) = slot else {
        take(slot, at, by);
        return FenceClaim::Claimed { first: true };
    };
    // Before revisions are compared: those of two lives have no order.
    if !fence.is_about(at) {
        return FenceClaim::Other { latest: fence.revision, idle: fence.idle(by.now_ms) };
    }
    if at.number < fence.revision {
        return FenceClaim::Stale { latest: fence.revision };
    }
    let other = fence.live_hold(by.now_ms).is_some_and(|hold| copy_of(&hold.holder) != copy_of(by.holder));
    if at.number == fence.revision && other {
        return FenceClaim::Held;
    }
    // Also a later revision than the fence knows: its message may arrive before its publisher has told the fence.
    take(slot, at, by);
    FenceClaim::Claimed { first: false }
}

/// Claims a revision whatever the record says.
pub(super) fn take(slot: &mut Option<Fence>, at: Revision<'_>, by: Claimant<'_>) {
    // Never earlier than before: a publish may have asked to be remembered for longer than a claim is.
    let expires_ms = slot.as_ref().map_or(0, |fence| fence.expires_ms).max(by.remember_until_ms());
    *slot = Some(Fence::new(at, by.hold(), by.now_ms, expires_ms));
}

/// Renews a hold, unless another holder has it or a later revision was published. After a wipe the store may know less than its caller:
/// an older revision claimed since then does not end the hold on a newer one, and neither does another life.
pub(super) fn renew(slot: &mut Option<Fence>, at: Revision<'_>, by: Claimant<'_>) -> FenceClaim {
    let Some(fence) = slot.as_mut().filter(|fence| fence.is_about(at)) else {
        take(slot, at, by);
        return FenceClaim::Claimed { first: false };
    };
    if at.number < fence.revision {
        return FenceClaim::Stale { latest: fence.revision };
    }
    if at.number == fence.revision && fence.live_hold(by.now_ms).is_some_and(|hold| hold.holder != by.holder) {
        return FenceClaim::Held;
    }
    (fence.revision, fence.hold, fence.changed_ms) = (at.number, by.hold(), Some(by.now_ms));
    FenceClaim::Claimed { first: false }
}

/// Records a publish, and remembers it for `ttl`. A revision already known changes nothing: its next holder may have claimed it before
/// its publisher got here.
pub(super) fn advance(slot: &mut Option<Fence>, at: Revision<'_>, now_ms: u64, ttl: Duration) {
    let until_ms = after(now_ms, ttl);
    match slot.as_mut().filter(|fence| fence.is_about(at)) {
        Some(fence) => {
            if at.number > fence.revision {
                (fence.revision, fence.hold, fence.changed_ms) = (at.number, None, Some(now_ms));
            }
            fence.expires_ms = fence.expires_ms.max(until_ms);
        }
        None => *slot = Some(Fence::new(at, None, now_ms, until_ms)),
    }
}

/// Ends the hold of `holder` on a revision, if it has it.
pub(super) fn unclaim(slot: &mut Option<Fence>, at: Revision<'_>, holder: &str) {
    if let Some(fence) = slot.as_mut().filter(|fence| fence.is_about(at) && fence.revision == at.number)
        && fence.hold.as_ref().is_some_and(|hold| hold.holder == holder)
    {
        fence.hold = None;
    }
}

fn after(now_ms: u64, ttl: Duration) -> u64 {
    now_ms.saturating_add(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX))
}

/// The copy part of a holder.
fn copy_of(holder: &str) -> &str {
    holder.rsplit_once('|').map_or(holder, |(copy, _)| copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// The fence of one session, and a clock.
    #[derive(Default)]
    struct Tried {
        slot: Option<Fence>,
        now_ms: u64,
    }

    impl Tried {
        fn by<'a>(&self, holder: &'a str) -> Claimant<'a> {
            Claimant { holder, now_ms: self.now_ms, ttl: MINUTE }
        }
        fn claim(&mut self, at: Revision<'_>, holder: &str) -> FenceClaim {
            let by = self.by(holder);
            claim(&mut self.slot, at, by)
        }
        fn renew(&mut self, at: Revision<'_>, holder: &str) -> FenceClaim {
            let by = self.by(holder);
            renew(&mut self.slot, at, by)
        }
        fn advance(&mut self, at: Revision<'_>) {
            advance(&mut self.slot, at, self.now_ms, MINUTE);
        }
    }

    const NEW: FenceClaim = FenceClaim::Claimed { first: true };
    const CLAIMED: FenceClaim = FenceClaim::Claimed { first: false };

    fn ids() -> (SessionId, LifeId, LifeId) {
        (SessionId::new("s").expect("an id"), LifeId::new("1").expect("an id"), LifeId::new("2").expect("an id"))
    }

    #[test]
    fn a_returned_copy_is_taken_over_and_its_holder_cannot_renew() {
        let ((session, life, _), mut fence) = (ids(), Tried::default());
        let first = Revision { session: &session, life: Some(&life), number: 1 };
        assert_eq!(fence.claim(first, "c1|a"), NEW);
        assert_eq!(fence.claim(first, "c2|b"), FenceClaim::Held);
        assert_eq!(fence.claim(first, "c1|b"), CLAIMED);
        assert_eq!(fence.renew(first, "c1|a"), FenceClaim::Held);
        assert_eq!(fence.renew(first, "c1|b"), CLAIMED);
        fence.advance(first.at(2));
        assert_eq!(fence.renew(first, "c1|b"), FenceClaim::Stale { latest: 2 });
    }

    #[test]
    fn a_late_duplicate_after_a_wipe_keeps_the_newer_hold() {
        let ((session, life, _), mut fence) = (ids(), Tried::default());
        let older = Revision { session: &session, life: Some(&life), number: 4 };
        assert_eq!(fence.claim(older, "duplicate|b"), NEW);
        assert_eq!(fence.renew(older.at(5), "c|a"), CLAIMED);
        assert_eq!(fence.renew(older, "duplicate|b"), FenceClaim::Stale { latest: 5 });
    }

    #[test]
    fn an_advance_to_the_revision_that_is_already_claimed_leaves_the_claim() {
        let ((session, life, _), mut fence) = (ids(), Tried::default());
        let next = Revision { session: &session, life: Some(&life), number: 2 };
        assert_eq!(fence.claim(next, "next"), NEW);
        fence.advance(next);
        assert_eq!(fence.claim(next, "third"), FenceClaim::Held);
        fence.advance(next.at(3));
        assert_eq!(fence.claim(next, "next"), FenceClaim::Stale { latest: 3 });
        assert_eq!(fence.claim(next.at(3), "third"), CLAIMED);
    }

    #[test]
    fn a_held_mark_outlives_its_own_expiry() {
        let ((session, life, _), mut fence) = (ids(), Tried::default());
        let first = Revision { session: &session, life: Some(&life), number: 1 };
        fence.advance(first);
        fence.now_ms = 59_999;
        let by = Claimant { holder: "a", now_ms: fence.now_ms, ttl: MINUTE };
        renew(&mut fence.slot, first, by);
        let held = fence.slot.as_mut().expect("held");
        assert_eq!((held.is_alive(119_998), held.is_alive(119_999)), (true, false));
        unclaim(&mut fence.slot, first, "b");
        assert!(fence.slot.as_ref().expect("kept").is_alive(60_000), "of another holder");
        unclaim(&mut fence.slot, first, "a");
        assert!(!fence.slot.expect("kept").is_alive(60_000));
    }

    #[test]
    fn a_fence_of_another_life_is_taken_over_by_its_holder() {
        let (session, before, now) = ids();
        let earlier = Revision { session: &session, life: Some(&before), number: 9 };
        let present = Revision { session: &session, life: Some(&now), number: 1 };
        let unknown = Revision { life: None, ..present };
        let mut fence = Tried::default();
        fence.advance(earlier);
        for at in [present, unknown] {
            assert_eq!(fence.claim(at, "c|a"), FenceClaim::Other { latest: 9, idle: Duration::ZERO });
            assert_eq!(fence.slot.as_ref().expect("kept").latest_of(at.life), None);
        }
        assert_eq!(fence.slot.as_ref().expect("kept").latest_of(earlier.life), Some(9));
        let by = fence.by("c|a");
        take(&mut fence.slot, present, by);
        assert_eq!(fence.claim(present, "d|b"), FenceClaim::Held);
        fence.advance(earlier);
        assert_eq!(fence.renew(present, "c|a"), CLAIMED, "a holder does not lose its hold to another life");
        assert_eq!(fence.claim(present, "d|b"), FenceClaim::Held);
        unclaim(&mut fence.slot, earlier.at(1), "c|a");
        assert_eq!(fence.claim(present, "d|b"), FenceClaim::Held, "of another life");
    }
    #[test]
    fn another_life_is_idle_since_it_was_last_held_or_published() {
        let (session, before, now) = ids();
        let earlier = Revision { session: &session, life: Some(&before), number: 1 };
        let present = Revision { session: &session, life: Some(&now), number: 1 };
        let mut fence = Tried::default();
        let idle_at = |fence: &mut Tried, now_ms: u64| {
            fence.now_ms = now_ms;
            match fence.claim(present, "c|a") {
                FenceClaim::Other { idle, .. } => u64::try_from(idle.as_millis()).expect("short"),
                claim => panic!("{claim:?}"),
            }
        };
        assert_eq!(fence.claim(earlier, "d|b"), NEW);
        // Held for a minute, and idle since it was claimed once nobody holds it any more.
        for (now_ms, expected) in [(0, 0), (59_999, 0), (60_000, 60_000)] {
            assert_eq!(idle_at(&mut fence, now_ms), expected, "claimed");
        }
        fence.renew(earlier, "d|b");
        assert_eq!((idle_at(&mut fence, 70_000), idle_at(&mut fence, 130_000)), (0, 70_000), "renewed");
        fence.advance(earlier.at(2));
        assert_eq!((idle_at(&mut fence, 130_000), idle_at(&mut fence, 131_000)), (0, 1_000), "published");
        // By a worker of an older version.
        fence.slot.as_mut().expect("kept").changed_ms = None;
        assert_eq!(idle_at(&mut fence, 999_999), 0);
    }
}

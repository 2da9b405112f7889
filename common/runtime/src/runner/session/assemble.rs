//! Completes a claimed session: reserves memory, then reads the pages its message refers to.

use std::time::Duration;

use precis_proto::dead_reason::DeadReason;
use precis_proto::response::ErrorInfo;
use precis_proto::state::{PagedField, Pages, SessionState};
use tokio::sync::SemaphorePermit;

use super::claimed::ClaimedSession;
use super::lease;
use crate::runner::content_faults::outcome_of;
use crate::runner::core::Core;
use crate::runner::pages::{self, PageError};
use crate::runner::settle::DeliveryOutcome;
use crate::runner::stated_failure::dead_letter_failure;

/// Memory for sessions read from pages, in KiB. Sessions that need more wait in their queue.
pub(in crate::runner) const CARRYING_KIB: u32 = 128 * 1024;
/// Memory of a session per byte of its pages: the state, what the phase derives from it, and the pages written next (chosen: the
/// records of 5,000 sources take about twice their JSON).
const MEMORY_PER_BYTE: u64 = 4;
/// Memory of a session per source on a page: its job answers and what a phase derives from them are on no page yet. Each further
/// session of 5,000 sources took 137 MB more, measured with `bench-fleet --only crowd`.
const MEMORY_PER_SOURCE: u64 = 28 * 1024;
/// How long a session waits for memory before it goes back to its queue; well below the broker's consumer timeout.
const ROOM_WITHIN: Duration = Duration::from_secs(60);

/// Reserves memory for the pages `head` refers to; reserves nothing for a session without pages. `None` if there is no memory in time.
pub(super) async fn room<'a>(core: &'a Core, head: &SessionState) -> Option<SemaphorePermit<'a>> {
    tokio::time::timeout(ROOM_WITHIN, core.carrying.acquire_many(needed_kib(&head.pages))).await.ok()?.ok()
}

/// Memory that a session with these pages takes while held, in KiB; capped at the whole budget, so that the largest can still run.
fn needed_kib(pages: &Pages) -> u32 {
    let sources = pages.0.get(&PagedField::Sources).map_or(0, |list| list.items);
    // The numbers come from the message: a product that wraps around would reserve too little.
    let bytes = pages.bytes().saturating_mul(MEMORY_PER_BYTE).max(sources.saturating_mul(MEMORY_PER_SOURCE));
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(CARRYING_KIB).min(CARRYING_KIB)
}

/// Why a session cannot be completed.
pub(super) enum IncompleteSession {
    /// The lease was lost meanwhile, or the content store is unavailable.
    For(DeliveryOutcome),
    /// A page is missing or damaged.
    Gone(Box<ErrorInfo>),
}

/// Returns the complete state of a claimed session; renews its hold meanwhile.
pub(super) async fn read(core: &Core, held: &ClaimedSession) -> Result<SessionState, IncompleteSession> {
    let mut state = held.state.clone();
    if state.pages.is_empty() {
        return Ok(state);
    }
    let loaded = tokio::select! {
        // Loaded first: a complete read is not thrown away, and a lost hold is noticed at the next renewal of the run.
        biased;
        loaded = pages::load(&core.services.content, &mut state) => loaded,
        lost = lease::renew(core, held) => return Err(IncompleteSession::For(lost)),
    };
    let Err(error) = loaded else { return Ok(state) };
    tracing::warn!(%error, session_id = %held.state.session_id, "cannot read all pages of the state");
    Err(match error.retryable_fault() {
        Some(fault) => IncompleteSession::For(outcome_of(&core.services.content, fault).await),
        None => IncompleteSession::Gone(Box::new(missing_page_failure(held, &error))),
    })
}

fn missing_page_failure(held: &ClaimedSession, error: &PageError) -> ErrorInfo {
    dead_letter_failure(&held.state.session_id, &DeadReason::StatePageMissing, error.to_string())
}

#[cfg(test)]
mod tests {
    use precis_proto::state::PageList;

    use super::*;

    #[test]
    fn a_session_reserves_room_for_its_sources_and_pages() {
        let pages = |items, bytes| {
            let list = PageList { items, bytes, ..PageList::default() };
            Pages([(PagedField::Sources, list)].into())
        };
        assert_eq!(needed_kib(&Pages::default()), 0, "it travels whole");
        for (items, bytes, kib) in [
            (100, 1_024, 2_800),
            (1, 1_024 * 1_024, 4 * 1_024),
            (4_681, 1_024, 131_068),
            (4_682, 1_024, CARRYING_KIB),
            (5_000, u64::MAX, CARRYING_KIB),
        ] {
            assert_eq!(needed_kib(&pages(items, bytes)), kib, "{items} {bytes}");
        }
    }
}

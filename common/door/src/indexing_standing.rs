//! Where the indexing of a version of a collection is, as far as is known. Pure.

use precis_proto::Timestamp;
use precis_runtime::runner::{IndexingView, SessionWait, WaitReason};
use schemars::JsonSchema;
use serde::Serialize;

/// Where the indexing of a version is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndexingState {
    /// There is no file.
    Empty,
    /// No worker is at it, as far as is known.
    Waiting,
    /// A worker is at it.
    Running,
    /// It is done: requests search this version.
    Indexed,
}

/// Where the indexing of a version is, since when, and what it waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexingStanding {
    pub(crate) state: IndexingState,
    pub(crate) since: Option<Timestamp>,
    pub(crate) waiting: Option<SessionWait>,
}

impl IndexingStanding {
    pub(crate) fn of(state: IndexingState) -> Self {
        Self { state, since: None, waiting: None }
    }
}

/// How a version that was made `at` and is not indexed stands. `is_running` says whether a worker is at the collection, `view` what workers
/// recorded of it last; each is `None` where the store cannot be reached. Pure.
pub(crate) fn unindexed(
    (version, at): (u64, Timestamp),
    is_running: Option<bool>,
    view: Option<Option<IndexingView>>,
) -> IndexingStanding {
    // Of an earlier version, a view says nothing of this one.
    let view = view.map(|view| view.filter(|view| view.version == version));
    let queue = Some(SessionWait { reason: WaitReason::Queue, until: None });
    let (state, since, waiting) = match (is_running, view) {
        (Some(true), Some(Some(view))) if view.waiting.is_none() => (IndexingState::Running, Some(view.since), None),
        // It is at an earlier version, or takes this one up again just now.
        (Some(true), _) => (IndexingState::Running, None, None),
        (Some(false), Some(Some(view))) if view.waiting.is_some() => {
            (IndexingState::Waiting, Some(view.since), view.waiting)
        }
        // The worker that was at it is gone; nobody saw when.
        (Some(false), Some(Some(_))) => (IndexingState::Waiting, None, queue),
        (Some(false), Some(None)) => (IndexingState::Waiting, Some(at), queue),
        (Some(false) | None, _) => (IndexingState::Waiting, None, None),
    };
    IndexingStanding { state, since, waiting }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unindexed_version_says_since_when_and_for_what_if_known() {
        use IndexingState::{Running, Waiting};
        let retry = SessionWait { reason: WaitReason::Retry, until: Some(Timestamp(99)) };
        let queue = SessionWait { reason: WaitReason::Queue, until: None };
        let view = |version, waiting| Some(Some(IndexingView { version, since: Timestamp(50), waiting }));
        for (is_running, view, expected) in [
            (Some(true), view(2, None), (Running, Some(50), None)),
            (Some(true), view(2, Some(retry)), (Running, None, None)),
            (Some(true), view(1, None), (Running, None, None)),
            (Some(true), Some(None), (Running, None, None)),
            (Some(true), None, (Running, None, None)),
            (Some(false), view(2, Some(retry)), (Waiting, Some(50), Some(retry))),
            (Some(false), view(2, None), (Waiting, None, Some(queue))),
            (Some(false), view(1, Some(retry)), (Waiting, Some(7), Some(queue))),
            (Some(false), Some(None), (Waiting, Some(7), Some(queue))),
            (Some(false), None, (Waiting, None, None)),
            (None, view(2, Some(retry)), (Waiting, None, None)),
            (None, None, (Waiting, None, None)),
        ] {
            let found = unindexed((2, Timestamp(7)), is_running, view.clone());
            let found = (found.state, found.since.map(|at| at.0), found.waiting);
            assert_eq!(found, expected, "{is_running:?} {view:?}");
        }
    }
}

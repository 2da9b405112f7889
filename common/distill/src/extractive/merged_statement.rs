//! A statement of a report, with all findings that say it.

use precis_proto::task::TaskFinding;

/// A statement with the ids of all findings that make it, the shown one first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MergedStatement<'a> {
    /// The finding that is shown.
    pub(super) finding: &'a TaskFinding,
    /// Its id, then the ids of findings of other sources that say the same.
    pub(super) ids: Vec<u32>,
}

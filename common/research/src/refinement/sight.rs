//! Which material the gaps and queries of a lane may use.
//!
//! A public search discloses its query. If a session has anything private, its report may contain it, so a public lane must not see the
//! report: its gaps and queries come only from the plan and from what that lane found itself. [`Sight::for_lane`] is the only constructor,
//! so no other code can give a lane the report.

use precis_proto::research::{Lane, Research};
use precis_proto::response::ReportData;

/// The report as far as a lane may use it for gaps and queries.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'r>(Option<&'r ReportData>);

impl<'r> Sight<'r> {
    /// Lets `lane` see `report`, except a public lane if `holds_private`: a folder is searched, a document or an earlier conversation was
    /// given, or the question may not be disclosed.
    #[must_use]
    pub fn for_lane(lane: Lane, holds_private: bool, report: &'r ReportData) -> Self {
        Self((!(lane.is_public() && holds_private)).then_some(report))
    }

    /// The report, if the lane may see it.
    pub(super) fn report(self) -> Option<&'r ReportData> {
        self.0
    }

    /// The research record of the report, if the lane may see it.
    pub(super) fn research(self) -> Option<&'r Research> {
        self.0.and_then(|report| report.research.as_ref())
    }
}

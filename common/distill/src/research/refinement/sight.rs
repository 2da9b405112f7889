//! What the gaps and queries of a lane may be made of.
//!
//! A search tells a stranger what is looked for. Where anything private is in a session, the report and its statements are made of it
//! too, so a lane of the web sees nothing of them: its gaps and its queries come from the plan and from what that lane itself found. There
//! is no other way to a [`Sight`] of the report than [`Sight::for_lane`].

use precis_proto::research::{Lane, Research};
use precis_proto::response::ReportData;

/// What a lane sees when its gaps are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'r>(Option<&'r ReportData>);

impl<'r> Sight<'r> {
    /// What `lane` may see of `report`: nothing in a lane of the web where `holds_private`, that is where a folder is searched, a document
    /// or an earlier conversation was given, or the question is not the user's to tell.
    #[must_use]
    pub fn for_lane(lane: Lane, holds_private: bool, report: &'r ReportData) -> Self {
        Self((!(lane.is_public() && holds_private)).then_some(report))
    }

    /// The report, where it may be seen.
    pub(super) fn report(self) -> Option<&'r ReportData> {
        self.0
    }

    /// The research of the report, where it may be seen.
    pub(super) fn research(self) -> Option<&'r Research> {
        self.0.and_then(|report| report.research.as_ref())
    }
}

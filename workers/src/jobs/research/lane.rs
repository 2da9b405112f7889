//! The lane a directive searches and reads: the user's folders, or search providers.

use precis_proto::job::Research as Kind;
use precis_proto::research::{CompletedSearch, PlannedSearch, ReadDocument};
use precis_runtime::runner::{JobContext, JobError};

use super::local::LocalLane;
use super::web::WebLane;

/// The lane a directive searches and reads.
pub(super) enum ResearchLane {
    Local(LocalLane),
    Web(WebLane),
}

impl ResearchLane {
    pub(super) async fn search(&self, wanted: &PlannedSearch, ctx: &JobContext<Kind>) -> CompletedSearch {
        match self {
            Self::Local(lane) => lane.search(wanted).await,
            Self::Web(lane) => lane.search(wanted, ctx).await,
        }
    }

    /// Reads a document that a search found; returns it with its passages about `topic`, in the order of the text.
    pub(super) async fn read(
        &self,
        document: &str,
        topic: &str,
        ctx: &JobContext<Kind>,
    ) -> Result<(ReadDocument, Vec<String>), JobError> {
        match self {
            Self::Local(lane) => Ok(lane.read(document, topic).await),
            Self::Web(lane) => lane.read(document, topic, ctx).await,
        }
    }
}

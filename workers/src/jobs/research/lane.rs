//! The lane a directive searches and reads: the user's folders, or search providers.

use futures_util::future::join_all;
use precis_proto::job::Research as Kind;
use precis_proto::research::{CompletedSearch, PlannedSearch, ReadDocument};
use precis_proto::warning::Warning;
use precis_research::researcher::DocumentPage;
use precis_runtime::runner::{JobContext, JobError};

use super::local::LocalLane;
use super::web::WebLane;

/// Most searches of one directive under way at once.
pub(super) const SEARCHES_AT_ONCE: usize = 4;

/// The lane a directive searches and reads.
pub(super) enum ResearchLane {
    Local(LocalLane),
    Web(WebLane),
}

impl ResearchLane {
    /// Makes the searches, at most [`SEARCHES_AT_ONCE`] at once, and returns them in the order given.
    pub(super) async fn search_all(&self, wanted: &[PlannedSearch], ctx: &JobContext<Kind>) -> Vec<CompletedSearch> {
        let mut all = Vec::new();
        for few in wanted.chunks(SEARCHES_AT_ONCE) {
            for (made, warning) in join_all(few.iter().map(|one| self.search(one, ctx))).await {
                // In the order given, not of arrival, so that warnings do not depend on timing.
                warning.into_iter().for_each(|warning| ctx.warn(warning));
                all.push(made);
            }
        }
        all
    }

    async fn search(&self, wanted: &PlannedSearch, ctx: &JobContext<Kind>) -> (CompletedSearch, Option<Warning>) {
        match self {
            Self::Local(lane) => (lane.search(wanted).await, None),
            Self::Web(lane) => lane.search(wanted, ctx).await,
        }
    }

    /// Reads a page of a document that a search found: the one `wanted`, else the one that speaks most to `topic`. No page if the document
    /// could not be read.
    pub(super) async fn read(
        &self,
        document: &str,
        (topic, wanted): (&str, Option<u32>),
        ctx: &JobContext<Kind>,
    ) -> Result<(ReadDocument, Option<DocumentPage>), JobError> {
        match self {
            Self::Local(lane) => Ok(lane.read(document, topic, wanted).await),
            Self::Web(lane) => lane.read(document, (topic, wanted), ctx).await,
        }
    }
}

//! The order in which the texts of a session share what is limited for all of them.

use std::collections::BTreeMap;

use precis_proto::SourceId;
use precis_proto::job::PlaceAmong;
use precis_proto::state::SessionState;

/// The place of each source with a text whose vectors did not come with it: the one that matches more of the question first, then in the
/// order of the session.
pub(super) fn places(session: &SessionState) -> BTreeMap<&SourceId, PlaceAmong> {
    let mut read: Vec<_> =
        session.sources.iter().filter(|source| source.text.is_some() && source.vectors_by.is_none()).collect();
    read.sort_by(|a, b| b.relevance.unwrap_or_default().total_cmp(&a.relevance.unwrap_or_default()));
    let of = u32::try_from(read.len()).unwrap_or(u32::MAX);
    read.into_iter().zip(0..).map(|(source, n)| (&source.source_id, PlaceAmong { n, of })).collect()
}

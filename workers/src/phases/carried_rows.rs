//! What the rows of a report's sources say of what was carried of them.

use precis_context::source_notes;
use precis_proto::response::SourceRow;
use precis_proto::state::SessionState;
use precis_runtime::runner::{PhaseContext, PhaseError};

use crate::documents::reductions;

/// Adds to each source row its digest and the model's note for the reader, including sources that were not carried further.
pub(super) async fn add_carried(
    session: &SessionState,
    rows: &mut [SourceRow],
    ctx: &PhaseContext,
) -> Result<(), PhaseError> {
    for row in rows {
        let Some(reference) = session.source(&row.source_id).and_then(|s| s.reduction.as_ref()) else { continue };
        let held = reductions::load(&reference.content, &ctx.services().content).await;
        let held = held.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
        row.note = source_notes::for_reader(&held);
        // Only with an archive: its snippets may be text that is not quoted, and without an archive only quoted text is kept.
        row.digest = held.digest.filter(|_| session.content_archive_hashes.contains_key(&row.source_id));
    }
    Ok(())
}

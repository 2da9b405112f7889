//! The statements of a draft, settled against the texts of the sources they cite: the same in synthesis, where the draft is accepted,
//! and in evaluation, where it becomes the report.

use precis_distill::claims::{Settled, Texts, settle};
use precis_distill::report::citations::cite;
use precis_distill::response;
use precis_proto::SourceId;
use precis_proto::state::SessionState;
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{PhaseContext, PhaseError};
use std::collections::BTreeSet;

use crate::texts;

/// Whether the built-in model alone wrote the report and the findings it stands on: each of its statements is a quote.
pub(super) fn is_built_in(session: &SessionState) -> bool {
    let models = response::models(&session.calls);
    !models.is_empty() && models.iter().all(|model| model == LOCAL_MODEL)
}

/// Settles `draft` with the texts of all sources it cites; without `edits` it is judged and stays as it is.
///
/// # Errors
/// Transient `content_unavailable` where a text cannot be read.
pub(super) async fn settled(
    session: &SessionState,
    draft: &str,
    edits: bool,
    ctx: &PhaseContext,
) -> Result<Settled, PhaseError> {
    let mut texts = Texts::new();
    if edits {
        let cited = cite(draft, &session.findings, &session.sources).citations;
        let ids: BTreeSet<SourceId> = cited.into_iter().map(|citation| citation.source_id).collect();
        for id in ids {
            let Some(text) = session.source(&id).and_then(|source| source.text.as_ref()) else { continue };
            let loaded = texts::load(&ctx.services().content, text).await;
            let loaded = loaded.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
            texts.insert(id, loaded);
        }
    }
    let (query, findings, sources) = (session.query.clone(), session.findings.clone(), session.sources.clone());
    let draft = draft.to_owned();
    Ok(texts::compute(move || settle(&query, &draft, &findings, &sources, &texts, edits)).await)
}

//! Settles the statements of a draft against the texts of the sources they cite. Synthesis uses it to accept the draft, evaluation to turn
//! it into the report.

use std::collections::BTreeSet;
use std::sync::Arc;

use precis_proto::SourceId;
use precis_proto::state::SessionState;
use precis_report::claims::{Opinions, SettledDraft, SourceTexts, settle_with};
use precis_report::draft::citations::cite;
use precis_report::response;
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{PhaseContext, PhaseError};

use crate::documents::texts;

/// Whether the built-in model alone wrote the report and its findings, so that each statement is a quote.
pub(super) fn is_built_in(session: &SessionState) -> bool {
    let models = response::models(&session.calls);
    !models.is_empty() && models.iter().all(|model| model == LOCAL_MODEL)
}

/// Settles `draft` with the texts of all sources it cites; without `edits` it is judged but not changed.
///
/// # Errors
/// Transient `content_unavailable` if a text cannot be read.
pub(super) async fn settled(
    session: &SessionState,
    draft: &str,
    edits: bool,
    ctx: &PhaseContext,
) -> Result<SettledDraft, PhaseError> {
    let texts = cited_texts(session, draft, edits, ctx).await?;
    Ok(settled_in(session, draft, edits, &texts, Opinions::new()).await)
}

/// Loads the texts of all sources that `draft` cites; empty without `edits`.
///
/// # Errors
/// As [`settled`].
pub(super) async fn cited_texts(
    session: &SessionState,
    draft: &str,
    edits: bool,
    ctx: &PhaseContext,
) -> Result<Arc<SourceTexts>, PhaseError> {
    let mut texts = SourceTexts::new();
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
    Ok(Arc::new(texts))
}

/// Settles `draft` with loaded `texts` and with a model's opinions on its statements.
pub(super) async fn settled_in(
    session: &SessionState,
    draft: &str,
    edits: bool,
    texts: &Arc<SourceTexts>,
    opinions: Opinions,
) -> SettledDraft {
    let (query, findings, sources) = (session.query.clone(), session.findings.clone(), session.sources.clone());
    let (draft, texts) = (draft.to_owned(), Arc::clone(texts));
    texts::compute(move || settle_with(&opinions, &query, &draft, &findings, &sources, &texts, edits)).await
}

//! Settles the statements of a draft against the texts of the sources they cite. Synthesis uses it to see what a draft cites, evaluation to
//! turn it into the report.

use std::collections::BTreeSet;
use std::sync::Arc;

use precis_proto::SourceId;
use precis_proto::finding::Finding;
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_report::claims::{CitablePieces, Opinions, SettledDraft, SourceTexts, settle_with};
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

/// A draft with all that its statements are compared with.
#[derive(Debug)]
pub(super) struct DraftToSettle {
    pub(super) query: String,
    draft: String,
    findings: Vec<Finding>,
    sources: Vec<Source>,
    /// The texts of the sources that it cites; empty without `edits`.
    pub(super) texts: SourceTexts,
    /// Without it the draft is judged but not changed.
    edits: bool,
}

impl DraftToSettle {
    /// Loads the texts of all sources that `draft` cites.
    ///
    /// # Errors
    /// Transient `content_unavailable` if a text cannot be read.
    pub(super) async fn load(
        session: &SessionState,
        draft: &str,
        edits: bool,
        ctx: &PhaseContext,
    ) -> Result<Arc<Self>, PhaseError> {
        let (findings, sources) = (session.findings.clone(), session.sources.clone());
        let mut texts = SourceTexts::new();
        let cited = if edits { cite(draft, &findings, &sources).citations } else { Vec::new() };
        let ids: BTreeSet<SourceId> = cited.into_iter().map(|citation| citation.source_id).collect();
        for id in ids {
            let Some(text) = session.source(&id).and_then(|source| source.text.as_ref()) else { continue };
            let loaded = texts::load(&ctx.services().content, text).await;
            let loaded = loaded.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
            texts.insert(id, loaded);
        }
        let (query, draft) = (session.query.clone(), draft.to_owned());
        Ok(Arc::new(Self { query, draft, findings, sources, texts, edits }))
    }

    /// What the draft may cite.
    pub(super) fn pieces(&self) -> CitablePieces<'_> {
        CitablePieces { findings: &self.findings, sources: &self.sources, texts: &self.texts }
    }

    /// Settles the draft with a model's `opinions`.
    pub(super) async fn settled(self: &Arc<Self>, opinions: Opinions) -> SettledDraft {
        let of = Arc::clone(self);
        texts::compute(move || {
            settle_with(&opinions, &of.query, &of.draft, &of.findings, &of.sources, &of.texts, of.edits)
        })
        .await
    }
}

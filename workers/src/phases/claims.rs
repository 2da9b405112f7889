//! Settles the statements of a draft against the texts of the sources they cite. Synthesis uses it to see what a draft cites, evaluation to
//! turn it into the report.

use std::collections::BTreeSet;
use std::sync::Arc;

use precis_proto::SourceId;
use precis_proto::finding::Finding;
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_report::claims::{CitablePieces, Opinions, SettledDraft, SourceTexts, UnsettledDraft, settle_with};
use precis_report::draft::citations::{CitedDraft, cite};
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
    /// The draft with its citations numbered and nothing changed; made once, whatever is asked of it.
    pub(super) cited: CitedDraft,
    /// The texts of the sources that it cites; empty without `edits`.
    pub(super) texts: SourceTexts,
    /// Without it the draft is judged but not changed.
    pub(super) edits: bool,
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
        let cited = cite(draft, &findings, &sources);
        let of_draft: BTreeSet<&SourceId> = cited.citations.iter().map(|citation| &citation.source_id).collect();
        for id in of_draft.into_iter().filter(|_| edits) {
            let Some(text) = session.source(id).and_then(|source| source.text.as_ref()) else { continue };
            let loaded = texts::load(&ctx.services().content, text).await;
            let loaded = loaded.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
            texts.insert(id.clone(), loaded);
        }
        let (query, draft) = (session.query.clone(), draft.to_owned());
        Ok(Arc::new(Self { query, draft, findings, sources, cited, texts, edits }))
    }

    /// What the draft may cite.
    pub(super) fn pieces(&self) -> CitablePieces<'_> {
        CitablePieces { findings: &self.findings, sources: &self.sources, texts: &self.texts }
    }

    /// Settles the draft with a model's `opinions`.
    pub(super) async fn settle(self: &Arc<Self>, opinions: Opinions) -> SettledDraft {
        let of = Arc::clone(self);
        texts::compute(move || {
            let (query, draft, cited) = (&of.query, &of.draft, &of.cited);
            settle_with(&opinions, &UnsettledDraft { query, draft, cited, pieces: of.pieces(), edits: of.edits })
        })
        .await
    }
}

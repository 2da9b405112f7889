//! What the question asks to be computed from tables of the session's texts.
//!
//! Evaluation reads the texts anew, and only if the question asks for something computed: the rows of a table are whole nowhere else, and
//! the state need not carry hundreds of cells from phase to phase.

use precis_evidence::computed::{MOST_ANSWERS, NamedText, asks_for_computed, compute};
use precis_proto::answer::{Answer, AnswerStatus};
use precis_proto::computed::Computed;
use precis_proto::response::ReportData;
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_report::answered::{AnswerBasis, answer_line};
use precis_runtime::runner::{PhaseContext, PhaseError};

use crate::documents::texts;

/// Adds to `data` what is computed from its sources, the most relevant first. A question that is computed is answered.
pub(super) async fn add(session: &SessionState, data: &mut ReportData, ctx: &PhaseContext) -> Result<(), PhaseError> {
    data.computed = all(session, ctx).await?;
    if data.computed.iter().any(|one| one.number.is_some()) {
        // The whole question is accounted for: no part of it is left open.
        let mut answer = Answer { status: AnswerStatus::Answered, line: String::new(), parts: Vec::new() };
        answer.line = answer_line(&answer, &AnswerBasis::of(data));
        data.answer = Some(answer);
    }
    Ok(())
}

async fn all(session: &SessionState, ctx: &PhaseContext) -> Result<Vec<Computed>, PhaseError> {
    if !asks_for_computed(&session.query) {
        return Ok(Vec::new());
    }
    // Its cells must be provable.
    let is_kept = |source: &&Source| session.content_archive_hashes.contains_key(&source.source_id);
    let mut sources: Vec<&Source> = session.sources.iter().filter(is_kept).collect();
    sources.sort_by(|a, b| b.relevance.unwrap_or_default().total_cmp(&a.relevance.unwrap_or_default()));
    let mut found: Vec<Computed> = Vec::new();
    for source in sources {
        let Some(text) = source.text.as_ref().filter(|text| text.blocks.is_some()) else { continue };
        let text = texts::load(&ctx.services().content, text)
            .await
            .map_err(|e| PhaseError::transient("content_unavailable", format!("read {}: {e}", source.source_id)))?;
        let (query, source) = (session.query.clone(), source.clone());
        let own = texts::compute(move || {
            let path = source.path.as_deref().unwrap_or_default();
            compute(&query, &NamedText { source_id: &source.source_id, title: &source.title, path, text: &text })
        });
        found.extend(own.await);
    }
    // What was computed comes before what was not.
    found.sort_by_key(|one| one.number.is_none());
    found.truncate(MOST_ANSWERS);
    Ok(found)
}

//! What the writer of a report reads besides findings: whole texts if they fit, otherwise the passages that findings rest on and more.

use std::collections::{BTreeMap, BTreeSet};

use precis_context::writer_passages;
use precis_proto::finding::Passage;
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_proto::task::{ShownEvidence, TaskFinding};
use precis_proto::{Phase, SourceId};
use precis_report::claims::SourceTexts;
use precis_report::fold;
use precis_runtime::runner::{PhaseContext, PhaseError};
use precis_text::tokens;

use crate::documents::texts;

/// Whether the writer reads every text of `session` whole, so that no call has to turn texts into findings first: nothing was reduced,
/// and all texts together fit `writer_tokens`. Decided from token counts alone; a session that searched has too many texts to know before.
pub(super) fn is_whole(session: &SessionState, writer_tokens: u64) -> bool {
    let carried = |source: &&Source| fold::carried(session, &source.source_id, Phase::Compression) > 0;
    let readable: Vec<&Source> = session.sources.iter().filter(carried).collect();
    let tokens = readable.iter().filter_map(|source| source.text.as_ref()).map(|text| text.tokens);
    let is_raw = readable.iter().all(|source| source.reduction.is_none());
    is_raw && session.research.is_none() && tokens.fold(0, u64::saturating_add) <= writer_tokens
}

/// The passages of a report call.
#[derive(Debug, Default)]
pub(super) struct WriterEvidence {
    /// As the model sees them.
    pub(super) shown: ShownEvidence,
    /// The same by their numbers.
    pub(super) passages: BTreeMap<u32, Passage>,
}

impl WriterEvidence {
    /// Loads the texts that the session still carries: all of them if they fit `writer_tokens`, otherwise those that findings quote, of which
    /// it chooses the passages that fit `room_tokens`.
    ///
    /// # Errors
    /// Transient `content_unavailable` if a text cannot be read.
    pub(super) async fn load(
        session: &SessionState,
        findings: &[TaskFinding],
        (writer_tokens, room_tokens): (u64, u64),
        ctx: &PhaseContext,
    ) -> Result<Self, PhaseError> {
        if writer_tokens == 0 || findings.is_empty() {
            return Ok(Self::default());
        }
        let quotes = session.findings.iter().flat_map(|finding| finding.quotes.iter());
        let quoted: BTreeSet<&SourceId> = quotes.map(|quote| &quote.source_id).collect();
        let is_whole = is_whole(session, writer_tokens);
        let is_read = |source: &&Source| {
            !session.dropped_content_ids.contains(&source.source_id) && (is_whole || quoted.contains(&source.source_id))
        };
        let mut texts = SourceTexts::new();
        let mut by_source = Vec::new();
        for source in session.sources.iter().filter(is_read) {
            let Some(text) = &source.text else { continue };
            let loaded = texts::load(&ctx.services().content, text).await;
            let loaded = loaded.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
            let (id, query, read) = (source.source_id.clone(), session.query.clone(), loaded.clone());
            by_source.push(texts::compute(move || writer_passages::of_text(&id, &read, &query)).await);
            texts.insert(source.source_id.clone(), loaded);
        }
        let room = if is_whole { u64::MAX } else { room_tokens.min(writer_tokens) };
        let (all, sources, first) = (session.findings.clone(), session.sources.clone(), first_number(session));
        Ok(texts::compute(move || {
            let chosen = writer_passages::chosen(&by_source, &all, room, &tokens::count);
            let shown = writer_passages::shown(&chosen, first, &sources, &texts);
            Self { shown, passages: (first..).zip(chosen).collect() }
        })
        .await)
    }
}

/// Passages are numbered after the findings, so that a number means one thing.
fn first_number(session: &SessionState) -> u32 {
    session.findings.iter().map(|finding| finding.finding_id).max().unwrap_or(0) + 1
}

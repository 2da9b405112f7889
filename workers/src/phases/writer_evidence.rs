//! What the writer of a report reads besides findings: whole texts if they fit, otherwise the passages that findings rest on and more.

use std::collections::{BTreeMap, BTreeSet};

use precis_context::writer_passages;
use precis_proto::finding::Passage;
use precis_proto::source::Source;
use precis_proto::state::{SessionState, WriterReads};
use precis_proto::task::{ShownEvidence, TaskFinding};
use precis_proto::{Phase, SourceId};
use precis_report::claims::SourceTexts;
use precis_report::fold::{self, ShownTokens};
use precis_runtime::model::PieceCut;
use precis_runtime::runner::{PhaseContext, PhaseError};
use precis_text::tokens;

use crate::documents::texts;

/// How much the writer of a report may read, and whether anything else decides that texts are shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterRoom {
    /// Tokens of texts; 0 if it writes from findings alone.
    pub tokens: u64,
    /// Whether every text gets a digest in any case.
    pub always_digests: bool,
}

impl WriterRoom {
    /// Decides from token counts alone what the writer reads of `session`: every text whole if all together fit, so that no call has to
    /// shorten texts or make findings of them. A session that searches compresses what it finds under the topic it was found for.
    pub(super) fn reads(self, session: &SessionState) -> WriterReads {
        let carried = |source: &Source| fold::carried_tokens(session, &source.source_id, Phase::Digest);
        let tokens = session.sources.iter().map(carried).fold(0, u64::saturating_add);
        let is_reduced = self.tokens == 0 || self.always_digests || session.research.is_some() || tokens > self.tokens;
        match is_reduced {
            true => WriterReads::Reduced,
            false => WriterReads::Whole,
        }
    }
}

/// Whether the writer reads every text of `session` whole.
pub(super) fn is_whole(session: &SessionState) -> bool {
    session.writer_reads == Some(WriterReads::Whole)
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
        let is_whole = is_whole(session);
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
        // Whether all texts fit was decided by their counts, before any was read ([`WriterRoom::reads`]).
        let room = if is_whole { u64::MAX } else { room_tokens.min(writer_tokens) };
        let (all, sources, first) = (session.findings.clone(), session.sources.clone(), first_number(session));
        Ok(texts::compute(move || {
            let chosen = writer_passages::choose_passages(&by_source, &all, room, &tokens::count);
            let shown = writer_passages::show_passages(&chosen, first, &sources, &texts);
            Self { shown, passages: (first..).zip(chosen).collect() }
        })
        .await)
    }
}

impl WriterEvidence {
    /// Number and tokens of the passages of each source that reached the writer, after what was `cut` of its prompt.
    pub(super) fn shown_tokens(&self, cut: &[PieceCut]) -> BTreeMap<SourceId, ShownTokens> {
        let mut shown: BTreeMap<SourceId, ShownTokens> = BTreeMap::new();
        for (number, passage) in &self.passages {
            let cut = cut.iter().find(|cut| cut.id == *number).map(|cut| cut.tokens_after);
            let tokens = cut.unwrap_or_else(|| tokens::count(&passage.text));
            if tokens > 0 {
                let of_source = shown.entry(passage.source_id.clone()).or_default();
                of_source.passages += 1;
                of_source.tokens += tokens;
            }
        }
        shown
    }
}

/// Passages are numbered after the findings, so that a number means one thing.
fn first_number(session: &SessionState) -> u32 {
    session.findings.iter().map(|finding| finding.finding_id).max().unwrap_or(0) + 1
}

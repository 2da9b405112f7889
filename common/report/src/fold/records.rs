//! Writes the fidelity records of a phase, with the session's warnings for them.

use precis_proto::fidelity::{FidelityLevel, FidelityReason, FidelityRecord};
use precis_proto::state::SessionState;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{SourceId, Timestamp};

use super::carried::{carried_tokens, left};

/// A record of the current phase whose tokens before are those that the previous phase left.
pub(super) fn record(
    state: &SessionState,
    source: &SourceId,
    level: FidelityLevel,
    after: u64,
    now: Timestamp,
) -> FidelityRecord {
    let before = carried_tokens(state, source, state.phase);
    FidelityRecord {
        level,
        reason: None,
        warnings: Vec::new(),
        timestamp: now,
        tokens_before: before,
        tokens_after: after.min(before),
        tokens_duplicate: 0,
        visit: state.visit,
    }
}

/// The record of a source that is carried unchanged: same level, same tokens.
pub(super) fn unchanged_record(state: &SessionState, source: &SourceId, now: Timestamp) -> FidelityRecord {
    let (level, _) = left(state, source, state.phase);
    record(state, source, level, u64::MAX, now)
}

/// Records that the current phase leaves a source as it is, because the writer reads it whole.
pub(super) fn pass_whole(state: &mut SessionState, source: &SourceId, now: Timestamp) {
    let mut record = unchanged_record(state, source, now);
    record.warnings.push("the writer of the report reads the whole text".to_owned());
    let phase = state.phase;
    state.content_fidelity.record(source, phase, record);
}

/// Why a source is dropped.
pub(super) struct DropReason {
    /// `None` if only the note gives the reason.
    pub(super) reason: Option<FidelityReason>,
    /// Note for the record of the source.
    pub(super) note: String,
}

impl DropReason {
    pub(super) fn new(reason: impl Into<Option<FidelityReason>>, note: impl Into<String>) -> Self {
        Self { reason: reason.into(), note: note.into() }
    }
}

/// Drops `source` in the current phase, with a session warning of this code and message.
pub(super) fn leave_out(
    state: &mut SessionState,
    source: &SourceId,
    loss: &DropReason,
    (code, message): (WarningCode, &str),
    now: Timestamp,
) {
    state.warn(Warning::new(code, state.phase, message).about(source));
    drop_source(state, source, loss, now);
}

/// Records a protected source that was read but is not quoted: it is not dropped, and none of its tokens go on. `code` is the code of the
/// warning; `None` if an earlier phase warned.
pub(super) fn read_unquoted(
    state: &mut SessionState,
    source: &SourceId,
    why: &str,
    code: Option<WarningCode>,
    now: Timestamp,
) {
    let message = format!("protected source was read, but nothing of it is quoted: {why}");
    if let Some(code) = code {
        // The source was read and not dropped.
        let code = if code == WarningCode::ContentDropped { WarningCode::ContentTruncated } else { code };
        state.warn(Warning::new(code, state.phase, &message).about(source));
    }
    let mut unquoted = record(state, source, FidelityLevel::Headline, 0, now);
    unquoted.warnings.push(message);
    let phase = state.phase;
    state.content_fidelity.record(source, phase, unquoted);
}

/// Marks `source` as dropped in the current phase.
pub(super) fn drop_source(state: &mut SessionState, source: &SourceId, loss: &DropReason, now: Timestamp) {
    let mut dropped = record(state, source, FidelityLevel::Dropped, 0, now);
    dropped.reason = loss.reason;
    dropped.warnings.push(loss.note.clone());
    let phase = state.phase;
    state.content_fidelity.record(source, phase, dropped);
    if !state.dropped_content_ids.contains(source) {
        state.dropped_content_ids.push(source.clone());
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::Phase;
    use precis_proto::fidelity::ContentFidelity;
    use precis_proto::source::{ContentRef, ReductionRef};

    use super::super::fixture::session;
    use super::*;

    #[test]
    fn what_enters_a_phase_is_what_left_the_one_before() {
        let mut state = session(Phase::Digest, &[100]);
        let id = state.sources[0].source_id.clone();
        assert_eq!(carried_tokens(&state, &id, Phase::Digest), 100);
        let shorter = record(&state, &id, FidelityLevel::Digest, 30, Timestamp(1));
        assert_eq!((shorter.tokens_before, shorter.tokens_after), (100, 30));
        state.content_fidelity.record(&id, Phase::Digest, shorter);
        state.phase = Phase::Compression;
        assert_eq!(unchanged_record(&state, &id, Timestamp(2)).tokens_after, 30);
        assert_eq!(left(&state, &id, state.phase).0, FidelityLevel::Digest);
        assert_eq!(carried_tokens(&state, &id, Phase::Extraction), 0);
    }

    #[test]
    fn a_source_without_a_record_enters_with_its_session_state() {
        let mut state = session(Phase::Compression, &[100, 100, 100, 100]);
        state.content_fidelity = ContentFidelity::default();
        let reduction =
            ReductionRef { content: ContentRef::from_bytes(b"r"), level: FidelityLevel::KeyPoints, tokens: 25 };
        state.sources[1].reduction = Some(reduction);
        state.sources[2].text = None;
        state.dropped_content_ids.push(state.sources[3].source_id.clone());
        let cases = [
            (FidelityLevel::Raw, 100),
            (FidelityLevel::KeyPoints, 25),
            (FidelityLevel::Dropped, 0),
            (FidelityLevel::Dropped, 0),
        ];
        for (source, expected) in state.sources.iter().zip(cases) {
            let record = unchanged_record(&state, &source.source_id, Timestamp(0));
            assert_eq!((record.level, record.tokens_before), expected, "{}", source.source_id);
            assert_eq!(record.tokens_after, record.tokens_before);
            assert_eq!(
                carried_tokens(&state, &source.source_id, Phase::Extraction),
                0,
                "extraction comes before any text"
            );
        }
    }

    #[test]
    fn nothing_leaves_a_phase_that_did_not_enter_it() {
        let state = session(Phase::Compression, &[10]);
        let grown = record(&state, &state.sources[0].source_id, FidelityLevel::Condensed, 99, Timestamp(0));
        assert_eq!(grown.tokens_after, 10);
    }
}

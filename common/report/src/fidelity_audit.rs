//! Audits the state of each source after a phase: kept with a number of tokens, or dropped. The ledger adds up tokens; this audit
//! follows each item, so that no source can go missing while the sums agree.

use std::collections::BTreeSet;

use precis_proto::fidelity::{FidelityLevel, FidelityRecord};
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId};

use crate::fold::unrecorded_entry;

/// Separates the id of a source from the number of one of its fragments.
const FRAGMENT: &str = "#fragment-";

/// Why the fidelity records of a phase are wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// It has no record of a source that entered it.
    #[error("{phase} has no record of {source_id}")]
    Missing {
        /// The phase.
        phase: Phase,
        /// The source.
        source_id: SourceId,
    },
    /// It has a record of a source that the session does not have.
    #[error("{phase} has a record of {item}, which is not a source of the session")]
    Unknown {
        /// The phase.
        phase: Phase,
        /// The item of the record.
        item: SourceId,
    },
    /// Its tokens before the phase differ from those left by the phase before.
    #[error("{phase} starts with {tokens_before} tokens of {source_id}, but the phase before left {tokens_left}")]
    Gap {
        /// The phase.
        phase: Phase,
        /// The source.
        source_id: SourceId,
        /// Tokens before the phase, as recorded.
        tokens_before: u64,
        /// Tokens left by the phase before.
        tokens_left: u64,
    },
    /// More tokens left the phase than entered it.
    #[error("{phase} kept {tokens_after} of {tokens_before} tokens of {source_id}")]
    Grown {
        /// The phase.
        phase: Phase,
        /// The source.
        source_id: SourceId,
        /// Tokens before the phase.
        tokens_before: u64,
        /// Tokens after the phase.
        tokens_after: u64,
    },
    /// It dropped a source, but kept tokens of it or did not list it as dropped.
    #[error("{phase} dropped {source_id}, but kept tokens of it or did not list it in dropped_content_ids")]
    HalfDropped {
        /// The phase.
        phase: Phase,
        /// The source.
        source_id: SourceId,
    },
}

/// Checks the records of `phase` for every source of `state` that was not dropped before it.
///
/// The record of a source is the one with its id, or the sum of those of its fragments (`ID#fragment-N`).
///
/// # Errors
/// The first fault, in the order of the sources.
pub fn check(state: &SessionState, phase: Phase) -> Result<(), AuditError> {
    unknown(state, phase)?;
    let listed: BTreeSet<&SourceId> = state.dropped_content_ids.iter().collect();
    for source in &state.sources {
        let source_id = &source.source_id;
        let before = last_before(state, source, phase);
        if before.as_ref().is_some_and(|before| before.is_dropped) {
            continue;
        }
        let Some(now) = at(state, source_id, phase) else {
            return Err(AuditError::Missing { phase, source_id: source_id.clone() });
        };
        // Before extraction there is no text, so there are no earlier tokens to compare with.
        if let Some(SourceBalance { tokens_after: tokens_left, .. }) = before
            && now.tokens_before != tokens_left
        {
            let (source_id, tokens_before) = (source_id.clone(), now.tokens_before);
            return Err(AuditError::Gap { phase, source_id, tokens_before, tokens_left });
        }
        if now.tokens_after > now.tokens_before {
            let SourceBalance { tokens_before, tokens_after, .. } = now;
            return Err(AuditError::Grown { phase, source_id: source_id.clone(), tokens_before, tokens_after });
        }
        if now.is_dropped && (now.tokens_after > 0 || !listed.contains(source_id)) {
            return Err(AuditError::HalfDropped { phase, source_id: source_id.clone() });
        }
    }
    Ok(())
}

/// A source after a phase, summed over its fragments.
#[derive(Debug, Clone, Copy)]
struct SourceBalance {
    tokens_before: u64,
    tokens_after: u64,
    /// Whether every fragment was dropped.
    is_dropped: bool,
}

fn unknown(state: &SessionState, phase: Phase) -> Result<(), AuditError> {
    let known: BTreeSet<&str> = state.sources.iter().map(|s| s.source_id.as_str()).collect();
    let items = state.content_fidelity.0.iter().filter(|(_, item)| item.phases.contains_key(&phase));
    for (item, _) in items {
        let source = item.as_str().rsplit_once(FRAGMENT).map_or(item.as_str(), |(source, _)| source);
        if !known.contains(item.as_str()) && !known.contains(source) {
            return Err(AuditError::Unknown { phase, item: item.clone() });
        }
    }
    Ok(())
}

fn at(state: &SessionState, source: &SourceId, phase: Phase) -> Option<SourceBalance> {
    sum(records(state, source).filter_map(|phases| phases.get(&phase)))
}

fn last_before(state: &SessionState, source: &Source, phase: Phase) -> Option<SourceBalance> {
    let phases = records(state, &source.source_id);
    let recorded = sum(phases.filter_map(|phases| phases.range(..phase).next_back().map(|(_, record)| record)));
    recorded.or_else(|| {
        let (level, tokens) = unrecorded_entry(state, source, phase)?;
        let is_dropped = level == FidelityLevel::Dropped;
        Some(SourceBalance { tokens_before: tokens, tokens_after: tokens, is_dropped })
    })
}

fn sum<'r>(records: impl Iterator<Item = &'r FidelityRecord>) -> Option<SourceBalance> {
    records.fold(None, |sum: Option<SourceBalance>, record| {
        let is_dropped = record.level == FidelityLevel::Dropped;
        let sum = sum.unwrap_or(SourceBalance { tokens_before: 0, tokens_after: 0, is_dropped: true });
        Some(SourceBalance {
            tokens_before: sum.tokens_before.saturating_add(record.tokens_before),
            tokens_after: sum.tokens_after.saturating_add(record.tokens_after),
            is_dropped: sum.is_dropped && is_dropped,
        })
    })
}

/// The records of a source: its own and those of its fragments.
fn records<'s>(
    state: &'s SessionState,
    source: &'s SourceId,
) -> impl Iterator<Item = &'s std::collections::BTreeMap<Phase, FidelityRecord>> {
    let beginning = state.content_fidelity.0.range(source.clone()..);
    let alike = beginning.take_while(|(item, _)| item.as_str().starts_with(source.as_str()));
    let own = alike.filter(|(item, _)| {
        let rest = &item.as_str()[source.as_str().len()..];
        rest.is_empty() || rest.starts_with(FRAGMENT)
    });
    own.map(|(_, item)| &item.phases)
}

#[cfg(test)]
mod tests {
    use precis_proto::Timestamp;

    use super::*;
    use crate::fold::fixture::session;

    fn record(level: FidelityLevel, before: u64, after: u64) -> FidelityRecord {
        FidelityRecord {
            level,
            reason: None,
            warnings: Vec::new(),
            timestamp: Timestamp(0),
            tokens_before: before,
            tokens_after: after,
            tokens_duplicate: 0,
            visit: 0,
        }
    }

    /// Two sources of 100 tokens; the first reduced to 40, the second as given by `second`, if any.
    fn after_digest(second: Option<FidelityRecord>) -> SessionState {
        let mut state = session(Phase::Digest, &[100, 100]);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        state.content_fidelity.record(&ids[0], Phase::Digest, record(FidelityLevel::Digest, 100, 40));
        if let Some(second) = second {
            if second.level == FidelityLevel::Dropped {
                state.dropped_content_ids.push(ids[1].clone());
            }
            state.content_fidelity.record(&ids[1], Phase::Digest, second);
        }
        state
    }

    #[test]
    fn a_phase_that_tells_of_every_source_what_is_true_is_believed() {
        for second in [
            record(FidelityLevel::Raw, 100, 100),
            record(FidelityLevel::Truncated, 100, 7),
            record(FidelityLevel::Dropped, 100, 0),
        ] {
            assert_eq!(check(&after_digest(Some(second.clone())), Phase::Digest), Ok(()), "{second:?}");
        }
        assert_eq!(check(&session(Phase::Extraction, &[5, 0]), Phase::Extraction), Ok(()));
    }

    #[test]
    fn each_lie_has_a_name() {
        let fault = |second| check(&after_digest(second), Phase::Digest).expect_err("a lie").to_string();
        assert_eq!(fault(None), "digest has no record of src-1");
        let gap = fault(Some(record(FidelityLevel::Raw, 90, 90)));
        assert_eq!(gap, "digest starts with 90 tokens of src-1, but the phase before left 100");
        assert_eq!(fault(Some(record(FidelityLevel::Raw, 100, 101))), "digest kept 101 of 100 tokens of src-1");
        let half = fault(Some(record(FidelityLevel::Dropped, 100, 1)));
        assert_eq!(half, "digest dropped src-1, but kept tokens of it or did not list it in dropped_content_ids");
        let mut unlisted = after_digest(Some(record(FidelityLevel::Dropped, 100, 0)));
        unlisted.dropped_content_ids.clear();
        let fault = check(&unlisted, Phase::Digest).expect_err("nobody is told").to_string();
        assert_eq!(fault, half, "it is not listed as dropped");
        let mut state = after_digest(Some(record(FidelityLevel::Raw, 100, 100)));
        let stranger = SourceId::new("stranger").expect("an id");
        state.content_fidelity.record(&stranger, Phase::Digest, record(FidelityLevel::Raw, 1, 1));
        let fault = check(&state, Phase::Digest).expect_err("a stranger").to_string();
        assert_eq!(fault, "digest has a record of stranger, which is not a source of the session");
    }

    #[test]
    fn fragments_represent_their_own_source_and_no_similar_name() {
        let mut state = after_digest(None);
        for (n, after) in [(1, 30), (2, 0)] {
            let fragment = SourceId::new(format!("src-1#fragment-{n}")).expect("an id");
            let level = if after == 0 { FidelityLevel::Dropped } else { FidelityLevel::Truncated };
            state.content_fidelity.record(&fragment, Phase::Digest, record(level, 50, after));
        }
        assert_eq!(check(&state, Phase::Digest), Ok(()));
        let mut state = after_digest(None);
        let other = SourceId::new("src-10").expect("an id");
        state.sources.push(crate::fold::fixture::source(10, 0));
        state.content_fidelity.record(&other, Phase::Digest, record(FidelityLevel::Raw, 0, 0));
        assert!(matches!(check(&state, Phase::Digest), Err(AuditError::Missing { .. })));
    }

    #[test]
    fn unrecorded_sources_start_from_what_the_session_has() {
        let mut state = after_digest(Some(record(FidelityLevel::Raw, 100, 100)));
        state.content_fidelity = precis_proto::fidelity::ContentFidelity::default();
        state.sources[1].text = None;
        let first = state.sources[0].source_id.clone();
        for (tokens_before, is_true) in [(100, true), (99, false), (0, false)] {
            state.content_fidelity.record(&first, Phase::Digest, record(FidelityLevel::Raw, tokens_before, 0));
            assert_eq!(check(&state, Phase::Digest).is_ok(), is_true, "{tokens_before}");
        }
    }

    #[test]
    fn what_was_dropped_is_not_asked_for_again() {
        let mut state = after_digest(Some(record(FidelityLevel::Dropped, 100, 0)));
        let first = state.sources[0].source_id.clone();
        state.content_fidelity.record(&first, Phase::Compression, record(FidelityLevel::Digest, 40, 40));
        assert_eq!(check(&state, Phase::Compression), Ok(()));
    }
}

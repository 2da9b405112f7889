//! Folds digest: the selected sources are carried as digests; the others, and those whose digest failed, unchanged.

use std::collections::BTreeMap;

use precis_proto::fidelity::{FidelityLevel, FidelityReason};
use precis_proto::job::{DigestAnswer, JobOutcome};
use precis_proto::state::{SessionState, WriterReads};
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SourceId, Timestamp};

use super::carried::{self, readable};
use super::records::{self, pass_whole, unchanged_record};

/// Folds the outcomes of the selected sources; every other readable source is carried unchanged.
///
/// If the texts exceed `budget_tokens`, the records give the budget as reason; a digest made by policy has no reason.
pub fn digest(
    state: &mut SessionState,
    mut outcomes: BTreeMap<SourceId, JobOutcome<DigestAnswer>>,
    budget_tokens: u64,
    now: Timestamp,
) {
    let carried = state.sources.iter().map(|s| carried::carried_tokens(state, &s.source_id, Phase::Digest));
    let is_over = carried.fold(0, u64::saturating_add) > budget_tokens;
    for id in readable(state) {
        if state.writer_reads == Some(WriterReads::Whole) {
            pass_whole(state, &id, now);
            continue;
        }
        let mut record = unchanged_record(state, &id, now);
        match outcomes.remove(&id) {
            None => {
                // A digest made in an earlier pass is kept.
                if let Some(tokens) = digest_tokens(state, &id).filter(|tokens| *tokens < record.tokens_before) {
                    record = records::record(state, &id, FidelityLevel::Digest, tokens, now);
                    record.reason = is_over.then_some(FidelityReason::BudgetLimit);
                    record.warnings.push("digest: carried as in the previous pass".to_owned());
                }
            }
            // A digest that is not shorter than its source saves nothing, so the source stays whole.
            Some(JobOutcome::Done(answer)) if answer.reduction.tokens < record.tokens_before => {
                record = records::record(state, &id, FidelityLevel::Digest, answer.reduction.tokens, now);
                record.reason = is_over.then_some(FidelityReason::BudgetLimit);
                record.warnings.push("digest: reduced to what is relevant to the question".to_owned());
                record.warnings.extend(answer.losses);
                if let Some(source) = state.sources.iter_mut().find(|s| s.source_id == id) {
                    source.reduction = Some(answer.reduction);
                }
            }
            Some(JobOutcome::Done(_)) => {}
            Some(JobOutcome::Failed(failure)) => {
                record.reason = Some(FidelityReason::ProviderError);
                record.warnings.push(format!("digest_failed: {}", failure.code));
                let message = format!("{}: {}", failure.code, failure.message);
                state.warn(Warning::new(WarningCode::DigestFailed, Phase::Digest, message).about(&id));
            }
        }
        state.content_fidelity.record(&id, Phase::Digest, record);
    }
}

/// Tokens of the digest that an earlier pass made of a source.
fn digest_tokens(state: &SessionState, id: &SourceId) -> Option<u64> {
    let reduction = state.source(id)?.reduction.as_ref()?;
    (state.visit > 0 && reduction.level == FidelityLevel::Digest).then_some(reduction.tokens)
}

#[cfg(test)]
mod tests {
    use precis_proto::digest::{DIGEST_CONTENT_TYPE, DIGEST_VERSION, DigestPayload};
    use precis_proto::job::JobFailure;
    use precis_proto::source::{ContentRef, ReductionRef};

    use super::super::fixture::session;
    use super::*;

    fn done(tokens: u64) -> JobOutcome<DigestAnswer> {
        let payload = DigestPayload {
            version: DIGEST_VERSION.to_owned(),
            content_type: DIGEST_CONTENT_TYPE.to_owned(),
            query_hash: "00000000".to_owned(),
            summary: String::new(),
            key_points: Vec::new(),
            evidence_snippets: Vec::new(),
            original_chars: 1,
            digest_chars: 1,
            compression_ratio: 1.0,
            source_text_hash: ContentRef::from_bytes(b"").to_string(),
        };
        let reduction = ReductionRef { content: ContentRef::from_bytes(b"r"), level: FidelityLevel::Digest, tokens };
        JobOutcome::Done(DigestAnswer {
            payload,
            reduction,
            cache_hit: false,
            losses: vec!["its summary was cut".to_owned()],
        })
    }

    #[test]
    fn a_digested_source_is_carried_as_digest_and_otherwise_unchanged() {
        let mut state = session(Phase::Digest, &[1_000, 1_000, 1_000, 50]);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let failure = JobFailure::permanent("timeout", "took too long");
        let outcomes = BTreeMap::from([
            (ids[0].clone(), done(100)),
            (ids[1].clone(), JobOutcome::Failed(failure)),
            (ids[3].clone(), done(60)),
        ]);
        digest(&mut state, outcomes, 3_050, Timestamp(1));
        let reason = |n: usize| state.content_fidelity.get(&ids[n], Phase::Digest).and_then(|record| record.reason);
        assert_eq!(reason(0), None, "all of it would have fit");
        let after = |n: usize| state.content_fidelity.get(&ids[n], Phase::Digest).map(|r| (r.level, r.tokens_after));
        assert_eq!(after(0), Some((FidelityLevel::Digest, 100)));
        assert_eq!(after(1), Some((FidelityLevel::Raw, 1_000)));
        assert_eq!(after(2), Some((FidelityLevel::Raw, 1_000)));
        assert_eq!(after(3), Some((FidelityLevel::Raw, 50)));
        let record = state.content_fidelity.get(&ids[1], Phase::Digest).expect("recorded");
        assert_eq!(record.warnings, vec!["digest_failed: timeout"]);
        assert!(state.sources[3].reduction.is_none());
    }
}

//! The warning about sources that no model saw whole: one with a count, whichever phase shortened them.

use std::collections::BTreeMap;

use precis_proto::Phase;
use precis_proto::fidelity::{FidelityLevel, FidelityRecord};
use precis_proto::state::SessionState;
use precis_proto::warning::{Warning, WarningCode};

/// The warning that some sources were shortened; `None` if all of them were carried whole.
#[must_use]
pub fn warning(state: &SessionState) -> Option<Warning> {
    let mut levels: BTreeMap<FidelityLevel, u64> = BTreeMap::new();
    let (mut before, mut after) = (0_u64, 0_u64);
    for source in &state.sources {
        let Some(phases) = state.content_fidelity.0.get(&source.source_id).map(|item| &item.phases) else { continue };
        // Only the phases before compression: compression reduces every source to findings.
        let records: Vec<&FidelityRecord> = phases.range(..Phase::Compression).map(|(_, record)| record).collect();
        let (Some(first), Some(last)) = (records.first(), records.last()) else { continue };
        if source.text.is_some() && last.level != FidelityLevel::Raw {
            *levels.entry(last.level).or_default() += 1;
            before = before.saturating_add(first.tokens_before);
            after = after.saturating_add(last.tokens_after);
        }
    }
    let count: u64 = levels.values().sum();
    if count == 0 {
        return None;
    }
    let total = state.sources.iter().filter(|source| source.text.is_some()).count();
    let each: Vec<String> = levels.iter().map(|(level, n)| format!("{n} {}", level.as_str())).collect();
    let message =
        format!("{count} of {total} sources were shortened ({}): {before} tokens became {after}", each.join(", "));
    Some(Warning { code: WarningCode::ContentTruncated, message, phase: None, item_id: None })
}

#[cfg(test)]
mod tests {
    use precis_proto::Timestamp;

    use super::*;
    use crate::fold::fixture::session;

    fn record(level: FidelityLevel, tokens_before: u64, tokens_after: u64) -> FidelityRecord {
        let (reason, warnings, timestamp) = (None, Vec::new(), Timestamp(0));
        FidelityRecord {
            level,
            reason,
            warnings,
            timestamp,
            tokens_before,
            tokens_after,
            tokens_duplicate: 0,
            visit: 0,
        }
    }

    #[test]
    fn one_warning_counts_all_that_was_shortened_and_findings_are_no_shortening() {
        let mut state = session(Phase::Evaluation, &[1_000, 1_000, 1_000, 10]);
        assert_eq!(warning(&state), None);
        let ids: Vec<_> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let mut set = |n: usize, phase, record| state.content_fidelity.record(&ids[n], phase, record);
        set(0, Phase::Digest, record(FidelityLevel::Digest, 1_000, 200));
        set(1, Phase::Digest, record(FidelityLevel::Digest, 1_000, 200));
        set(1, Phase::Summarization, record(FidelityLevel::Headline, 200, 50));
        set(3, Phase::Compression, record(FidelityLevel::KeyPoints, 10, 4));
        let told = warning(&state).expect("a warning");
        let expected = "2 of 4 sources were shortened (1 headline, 1 digest): 2000 tokens became 250";
        assert_eq!((told.code, told.message.as_str()), (WarningCode::ContentTruncated, expected));
    }
}

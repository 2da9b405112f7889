//! Summarization: what is carried fits the analysis budget now; every loss is recorded.

use std::collections::BTreeMap;

use precis_proto::fidelity::{FidelityLevel, FidelityReason};
use precis_proto::job::{JobOutcome, SummarizationAnswer};
use precis_proto::state::SessionState;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SourceId, Timestamp};

use crate::allocate::{Allocation, Fate};

/// Folds an allocation and the outcomes of the summaries it asked for.
///
/// A summary that failed or came out longer than its share leaves its source dropped, with a record: the budget holds whatever
/// the models do.
pub fn summarization(
    state: &mut SessionState,
    allocation: &Allocation,
    mut outcomes: BTreeMap<SourceId, JobOutcome<SummarizationAnswer>>,
    now: Timestamp,
) {
    for warning in &allocation.warnings {
        state.warn(warning.clone());
    }
    for (id, fate) in &allocation.fates {
        match fate {
            Fate::Keep => {
                let record = super::unchanged(state, id, now);
                state.content_fidelity.record(id, Phase::Summarization, record);
            }
            Fate::Reduce { level, tokens } => match outcomes.remove(id) {
                Some(JobOutcome::Done(answer)) => reduce(state, id, answer, *tokens, now),
                Some(JobOutcome::Failed(failure)) => {
                    let note = format!("summary_failed: {}", failure.code);
                    let warning =
                        Warning::new(WarningCode::SummaryProviderFailed, Phase::Summarization, failure.message);
                    state.warn(warning.about(id));
                    super::drop_source(state, id, FidelityReason::ProviderError, &note, now);
                }
                None => super::drop_source(
                    state,
                    id,
                    FidelityReason::BudgetLimit,
                    &format!("no summary at level {}", level.as_str()),
                    now,
                ),
            },
            Fate::Drop => {
                let warning = Warning::new(
                    WarningCode::ContentDropped,
                    Phase::Summarization,
                    "left out to meet the token budget",
                );
                state.warn(warning.about(id));
                super::drop_source(state, id, FidelityReason::BudgetLimit, "budget", now);
            }
        }
    }
}

fn reduce(state: &mut SessionState, id: &SourceId, answer: SummarizationAnswer, share: u64, now: Timestamp) {
    let Some(reduction) = answer.reduction.filter(|r| r.tokens <= share) else {
        let warning = Warning::new(
            WarningCode::ContentDropped,
            Phase::Summarization,
            "its summary did not fit its share of the budget",
        );
        state.warn(warning.about(id));
        return super::drop_source(state, id, FidelityReason::BudgetLimit, "summary over its share", now);
    };
    let mut record = super::record(state, id, reduction.level, reduction.tokens, now);
    record.reason = Some(FidelityReason::BudgetLimit);
    record.warnings.push(WarningCode::ContentTruncated.as_str().to_owned());
    let message = format!("carried at level {}", reduction.level.as_str());
    let code = if reduction.level == FidelityLevel::Condensed {
        WarningCode::PrioritySummarized
    } else {
        WarningCode::ContentTruncated
    };
    state.warn(Warning::new(code, Phase::Summarization, message).about(id));
    state.content_fidelity.record(id, Phase::Summarization, record);
    if let Some(source) = state.sources.iter_mut().find(|s| &s.source_id == id) {
        source.reduction = Some(reduction);
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::source::{ContentRef, ReductionRef};

    use super::super::tests::session;
    use super::*;

    fn summary(tokens: u64) -> JobOutcome<SummarizationAnswer> {
        JobOutcome::Done(SummarizationAnswer {
            summary: "s".to_owned(),
            key_points: Vec::new(),
            level: FidelityLevel::KeyPoints,
            tokens,
            provider: "local:extractive".to_owned(),
            reduction: Some(ReductionRef { content: ContentRef::of(b"r"), level: FidelityLevel::KeyPoints, tokens }),
        })
    }

    #[test]
    fn the_budget_holds_whatever_the_summaries_are() {
        for (made, expected) in [(39, 39), (40, 40), (41, 0)] {
            let mut state = session(Phase::Summarization, &[100, 100]);
            let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
            let fates = vec![
                (ids[0].clone(), Fate::Keep),
                (ids[1].clone(), Fate::Reduce { level: FidelityLevel::KeyPoints, tokens: 40 }),
            ];
            let allocation = Allocation { fates, warnings: Vec::new(), allocated: 140 };
            summarization(&mut state, &allocation, BTreeMap::from([(ids[1].clone(), summary(made))]), Timestamp(0));
            let after: Vec<u64> = ids
                .iter()
                .filter_map(|id| state.content_fidelity.get(id, Phase::Summarization))
                .map(|r| r.tokens_after)
                .collect();
            assert_eq!(after, vec![100, expected]);
        }
    }
}

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
                Some(JobOutcome::Done(answer)) => {
                    reduce(state, id, answer, *tokens, allocation.priority_ids.contains(id), now);
                }
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

fn reduce(
    state: &mut SessionState,
    id: &SourceId,
    answer: SummarizationAnswer,
    share: u64,
    is_priority: bool,
    now: Timestamp,
) {
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
    let message = format!("carried at level {}", reduction.level.as_str());
    // Who reads the warnings wants to know first whether something important was shortened.
    let code = match is_priority && reduction.level != FidelityLevel::Truncated {
        true => WarningCode::PrioritySummarized,
        false => WarningCode::ContentTruncated,
    };
    record.warnings.push(code.as_str().to_owned());
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

    fn allocation(fates: Vec<(SourceId, Fate)>) -> Allocation {
        let priority_ids = fates.iter().take(1).map(|(id, _)| id.clone()).collect();
        Allocation { fates, priority_ids, warnings: Vec::new(), allocated: 140, worth: 0.0 }
    }

    #[test]
    fn shortening_an_important_source_is_told_apart_from_shortening_another() {
        let mut state = session(Phase::Summarization, &[100, 100]);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let fate = Fate::Reduce { level: FidelityLevel::KeyPoints, tokens: 40 };
        let fates = ids.iter().map(|id| (id.clone(), fate)).collect();
        let outcomes = ids.iter().map(|id| (id.clone(), summary(40))).collect();
        summarization(&mut state, &allocation(fates), outcomes, Timestamp(0));
        let codes: Vec<WarningCode> = state.warnings.iter().map(|w| w.code).collect();
        assert_eq!(codes, [WarningCode::PrioritySummarized, WarningCode::ContentTruncated]);
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
            let allocation = allocation(fates);
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

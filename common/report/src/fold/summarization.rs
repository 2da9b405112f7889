//! Folds summarization: the carried content fits the analysis budget afterwards, and every loss is recorded.

use std::collections::BTreeMap;

use precis_context::allocate::{Allocation, Fate};
use precis_proto::fidelity::{FidelityLevel, FidelityReason};
use precis_proto::job::{JobOutcome, SummarizationAnswer};
use precis_proto::source::ReductionRef;
use precis_proto::state::{SessionState, WriterReads};
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SourceId, Timestamp};

use super::records::{self, DropReason, leave_out, pass_whole, unchanged_record};

/// Note for a source of which only passages are carried, even if there is room for all of it.
const ASIDE: &str = "other sources are far more relevant to the question: only its best passages are carried";

/// Folds an allocation, the outcomes of the summaries it requested, and a cut of each source that is [`unmet`].
///
/// Without a summary within its share, a source is carried as its cut; if that does not fit either, it is dropped and recorded. So the
/// budget holds whatever the models do.
pub fn summarization(
    state: &mut SessionState,
    allocation: &Allocation,
    mut outcomes: BTreeMap<SourceId, JobOutcome<SummarizationAnswer>>,
    mut cuts: BTreeMap<SourceId, ReductionRef>,
    now: Timestamp,
) {
    for warning in &allocation.warnings {
        state.warn(warning.clone());
    }
    for (id, fate) in &allocation.fates {
        match fate {
            Fate::Keep if state.writer_reads == Some(WriterReads::Whole) => pass_whole(state, id, now),
            Fate::Keep => {
                let record = unchanged_record(state, id, now);
                state.content_fidelity.record(id, Phase::Summarization, record);
            }
            Fate::Reduce { tokens, .. } => {
                if let Some(enough) = allocation.asides.get(id) {
                    // A share smaller than the passages need is due to the budget.
                    let reason = (tokens < enough).then_some(FidelityReason::BudgetLimit);
                    aside(state, id, cuts.remove(id).filter(|cut| fits(cut, *tokens)), reason, now);
                    continue;
                }
                let is_priority = allocation.priority_ids.contains(id);
                let outcome = outcomes.remove(id);
                match summary(outcome.as_ref(), *tokens) {
                    Some((reduction, answer)) => reduce(state, id, (reduction, answer), is_priority, now),
                    None => {
                        let cut = cuts.remove(id).filter(|cut| fits(cut, *tokens));
                        without_summary(state, id, outcome.as_ref(), cut, now);
                    }
                }
            }
            Fate::Drop => {
                let warning = (WarningCode::ContentDropped, "left out to meet the token budget");
                leave_out(state, id, &DropReason::new(FidelityReason::BudgetLimit, "budget"), warning, now);
            }
        }
    }
}

/// The sources without a summary within their share, each with that share in tokens, to which it must be cut.
#[must_use]
pub fn unmet(
    allocation: &Allocation,
    outcomes: &BTreeMap<SourceId, JobOutcome<SummarizationAnswer>>,
) -> Vec<(SourceId, u64)> {
    let share = |(id, fate): &(SourceId, Fate)| match fate {
        Fate::Reduce { tokens, .. } if summary(outcomes.get(id), *tokens).is_none() => Some((id.clone(), *tokens)),
        Fate::Reduce { .. } | Fate::Keep | Fate::Drop => None,
    };
    allocation.fates.iter().filter_map(share).collect()
}

/// The reduction of an outcome if it fits `share` tokens, with its answer.
fn summary(
    outcome: Option<&JobOutcome<SummarizationAnswer>>,
    share: u64,
) -> Option<(&ReductionRef, &SummarizationAnswer)> {
    let Some(JobOutcome::Done(answer)) = outcome else { return None };
    let reduction = answer.reduction.as_ref().filter(|reduction| fits(reduction, share))?;
    Some((reduction, answer))
}

fn fits(reduction: &ReductionRef, share: u64) -> bool {
    (1..=share).contains(&reduction.tokens)
}

fn reduce(
    state: &mut SessionState,
    id: &SourceId,
    (reduction, answer): (&ReductionRef, &SummarizationAnswer),
    is_priority: bool,
    now: Timestamp,
) {
    let SummarizationAnswer { parts, losses, .. } = answer;
    let level = parts.iter().map(|part| part.level).fold(reduction.level, FidelityLevel::max);
    let mut record = records::record(state, id, level, reduction.tokens, now);
    record.reason = Some(FidelityReason::BudgetLimit);
    let message = format!("carried at level {}", level.as_str());
    // A shortened priority source is what a reader of the warnings needs to see first, so it has its own code.
    let code = match is_priority && level != FidelityLevel::Truncated {
        true => WarningCode::PrioritySummarized,
        false => WarningCode::ContentTruncated,
    };
    record.warnings.push(code.as_str().to_owned());
    record.warnings.extend(parts.iter().map(|part| format!("#fragment-{}: {}", part.n, part.level.as_str())));
    record.warnings.extend(losses.iter().cloned());
    state.warn(Warning::new(code, Phase::Summarization, message).about(id));
    state.content_fidelity.record(id, Phase::Summarization, record);
    carry(state, id, ReductionRef { level, ..reduction.clone() });
}

/// Records a source without a summary within its share: it is carried as its `cut`, or dropped.
fn without_summary(
    state: &mut SessionState,
    id: &SourceId,
    outcome: Option<&JobOutcome<SummarizationAnswer>>,
    cut: Option<ReductionRef>,
    now: Timestamp,
) {
    let loss = match outcome {
        Some(JobOutcome::Failed(failure)) => {
            let warning = Warning::new(WarningCode::SummaryProviderFailed, Phase::Summarization, &failure.message);
            state.warn(warning.about(id));
            DropReason::new(FidelityReason::ProviderError, format!("summary_failed: {}", failure.code))
        }
        Some(JobOutcome::Done(_)) => DropReason::new(FidelityReason::BudgetLimit, "summary over its share"),
        None => DropReason::new(FidelityReason::BudgetLimit, "no summary was made"),
    };
    let Some(cut) = cut else {
        let warning = (WarningCode::ContentDropped, "no summary of it fits its share of the budget");
        return leave_out(state, id, &loss, warning, now);
    };
    let message = "no summary of it fits its share of the budget; its best passages are carried instead";
    state.warn(Warning::new(WarningCode::ContentTruncated, Phase::Summarization, message).about(id));
    let mut record = records::record(state, id, FidelityLevel::Truncated, cut.tokens, now);
    record.reason = loss.reason;
    record.warnings.push(loss.note);
    state.content_fidelity.record(id, Phase::Summarization, record);
    carry(state, id, ReductionRef { level: FidelityLevel::Truncated, ..cut });
}

/// Records a source of which only the best passages are carried.
fn aside(
    state: &mut SessionState,
    id: &SourceId,
    cut: Option<ReductionRef>,
    reason: Option<FidelityReason>,
    now: Timestamp,
) {
    let Some(cut) = cut else {
        let warning = (WarningCode::ContentDropped, "its text could not be read again");
        return leave_out(state, id, &DropReason::new(reason, ASIDE), warning, now);
    };
    state.warn(Warning::new(WarningCode::ContentTruncated, Phase::Summarization, ASIDE).about(id));
    let mut record = records::record(state, id, FidelityLevel::Truncated, cut.tokens, now);
    record.reason = reason;
    record.warnings.push(ASIDE.to_owned());
    state.content_fidelity.record(id, Phase::Summarization, record);
    carry(state, id, ReductionRef { level: FidelityLevel::Truncated, ..cut });
}

fn carry(state: &mut SessionState, id: &SourceId, reduction: ReductionRef) {
    if let Some(source) = state.sources.iter_mut().find(|s| &s.source_id == id) {
        source.reduction = Some(reduction);
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::job::{JobFailure, PartFidelity};
    use precis_proto::source::ContentRef;

    use super::super::fixture::session;
    use super::*;

    fn summary(tokens: u64) -> JobOutcome<SummarizationAnswer> {
        JobOutcome::Done(SummarizationAnswer {
            summary: "s".to_owned(),
            key_points: Vec::new(),
            level: FidelityLevel::KeyPoints,
            tokens,
            provider: "local:extractive".to_owned(),
            reduction: Some(reference(tokens)),
            parts: Vec::new(),
            losses: Vec::new(),
            is_flawed: false,
        })
    }

    fn reference(tokens: u64) -> ReductionRef {
        ReductionRef { content: ContentRef::from_bytes(b"r"), level: FidelityLevel::KeyPoints, tokens }
    }

    fn failed() -> JobOutcome<SummarizationAnswer> {
        JobOutcome::Failed(JobFailure::transient("timeout", "nobody answered"))
    }

    fn codes(state: &SessionState) -> Vec<WarningCode> {
        state.warnings.iter().map(|w| w.code).collect()
    }

    fn allocation(fates: Vec<(SourceId, Fate)>) -> Allocation {
        let priority_ids = fates.iter().take(1).map(|(id, _)| id.clone()).collect();
        Allocation { fates, priority_ids, asides: Default::default(), warnings: Vec::new(), allocated: 140 }
    }

    #[test]
    fn shortening_an_important_source_has_its_own_warning() {
        let mut state = session(Phase::Summarization, &[100, 100]);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let fate = Fate::Reduce { level: FidelityLevel::KeyPoints, tokens: 40 };
        let fates = ids.iter().map(|id| (id.clone(), fate)).collect();
        let outcomes = ids.iter().map(|id| (id.clone(), summary(40))).collect();
        summarization(&mut state, &allocation(fates), outcomes, BTreeMap::new(), Timestamp(0));
        assert_eq!(codes(&state), [WarningCode::PrioritySummarized, WarningCode::ContentTruncated]);
    }

    #[test]
    fn a_source_read_in_passages_names_the_budget_only_where_it_cut() {
        for (tokens, cut, reason, left) in [
            (320, Some(300), None, 300),
            (319, Some(300), Some(FidelityReason::BudgetLimit), 300),
            (320, Some(321), None, 0),
            (320, None, None, 0),
        ] {
            let mut state = session(Phase::Summarization, &[6_000]);
            let id = state.sources[0].source_id.clone();
            let fates = vec![(id.clone(), Fate::Reduce { level: FidelityLevel::Truncated, tokens })];
            let asked = Allocation { asides: [(id.clone(), 320)].into(), ..allocation(fates) };
            let cuts = cut.map(|tokens| (id.clone(), reference(tokens))).into_iter().collect();
            summarization(&mut state, &asked, BTreeMap::new(), cuts, Timestamp(0));
            let record = state.content_fidelity.get(&id, Phase::Summarization).expect("a record");
            assert_eq!((record.reason, record.tokens_after), (reason, left), "{tokens} {cut:?}");
            assert!(record.warnings.iter().any(|note| note == ASIDE), "{record:?}");
            assert_eq!(state.warnings.len(), 1);
        }
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
            let outcomes = BTreeMap::from([(ids[1].clone(), summary(made))]);
            summarization(&mut state, &allocation, outcomes, BTreeMap::new(), Timestamp(0));
            let after: Vec<u64> = ids
                .iter()
                .filter_map(|id| state.content_fidelity.get(id, Phase::Summarization))
                .map(|r| r.tokens_after)
                .collect();
            assert_eq!(after, vec![100, expected]);
        }
    }

    #[test]
    fn a_source_without_summary_is_carried_as_its_cut() {
        use FidelityLevel::{Dropped, Truncated};
        use WarningCode::{ContentDropped, ContentTruncated, SummaryProviderFailed};
        let error = FidelityReason::ProviderError;
        let cases = [
            (Some(failed()), Some(30), (Truncated, 30, error), vec![SummaryProviderFailed, ContentTruncated]),
            (Some(failed()), Some(41), (Dropped, 0, error), vec![SummaryProviderFailed, ContentDropped]),
            (Some(failed()), None, (Dropped, 0, error), vec![SummaryProviderFailed, ContentDropped]),
            (Some(summary(41)), Some(40), (Truncated, 40, FidelityReason::BudgetLimit), vec![ContentTruncated]),
            (Some(summary(0)), None, (Dropped, 0, FidelityReason::BudgetLimit), vec![ContentDropped]),
            (None, Some(1), (Truncated, 1, FidelityReason::BudgetLimit), vec![ContentTruncated]),
        ];
        for (outcome, cut, (level, tokens, reason), told) in cases {
            let mut state = session(Phase::Summarization, &[100]);
            state.sources[0].protected = true;
            let id = state.sources[0].source_id.clone();
            let fate = Fate::Reduce { level: FidelityLevel::KeyPoints, tokens: 40 };
            let allocation = allocation(vec![(id.clone(), fate)]);
            let outcomes: BTreeMap<_, _> = outcome.into_iter().map(|outcome| (id.clone(), outcome)).collect();
            assert_eq!(unmet(&allocation, &outcomes), [(id.clone(), 40)]);
            let cuts = cut.into_iter().map(|tokens| (id.clone(), reference(tokens))).collect();
            summarization(&mut state, &allocation, outcomes, cuts, Timestamp(0));
            let record = state.content_fidelity.get(&id, Phase::Summarization).expect("recorded");
            assert_eq!((record.level, record.tokens_after, record.reason), (level, tokens, Some(reason)));
            assert_eq!(codes(&state), told, "{record:?}");
            assert_eq!(state.dropped_content_ids.contains(&id), level == Dropped);
            assert_eq!(state.sources[0].reduction.as_ref().map(|r| r.level), (level == Truncated).then_some(level));
        }
    }

    #[test]
    fn what_fits_is_uncut_and_budget_omissions_are_stated() {
        let mut state = session(Phase::Summarization, &[100, 100]);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let fate = Fate::Reduce { level: FidelityLevel::KeyPoints, tokens: 40 };
        let overflow = Warning::new(WarningCode::ProtectedOverflow, Phase::Summarization, "too much");
        let mut allocation = allocation(vec![(ids[0].clone(), fate), (ids[1].clone(), Fate::Drop)]);
        allocation.warnings.push(overflow);
        let outcomes = BTreeMap::from([(ids[0].clone(), summary(40))]);
        assert!(unmet(&allocation, &outcomes).is_empty());
        summarization(&mut state, &allocation, outcomes, BTreeMap::new(), Timestamp(0));
        let expected = [WarningCode::ProtectedOverflow, WarningCode::PrioritySummarized, WarningCode::ContentDropped];
        assert_eq!(codes(&state), expected);
        assert_eq!(state.dropped_content_ids, ids[1..]);
    }

    #[test]
    fn a_cut_part_is_named_and_bounds_its_source_level() {
        let mut state = session(Phase::Summarization, &[100]);
        let id = state.sources[0].source_id.clone();
        let JobOutcome::Done(answer) = summary(40) else { unreachable!("it is one") };
        let parts = vec![PartFidelity { n: 3, level: FidelityLevel::Truncated }];
        let outcomes = BTreeMap::from([(
            id.clone(),
            JobOutcome::Done(SummarizationAnswer {
                parts,
                losses: vec!["its summary of 9000 tokens was cut to 40".to_owned()],
                ..answer
            }),
        )]);
        let fate = Fate::Reduce { level: FidelityLevel::KeyPoints, tokens: 40 };
        summarization(&mut state, &allocation(vec![(id.clone(), fate)]), outcomes, BTreeMap::new(), Timestamp(0));
        let record = state.content_fidelity.get(&id, Phase::Summarization).expect("recorded");
        assert_eq!((record.level, record.tokens_after), (FidelityLevel::Truncated, 40));
        assert_eq!(
            record.warnings,
            ["CONTENT_TRUNCATED", "#fragment-3: truncated", "its summary of 9000 tokens was cut to 40"]
        );
    }
}

//! The most calls of each phase.

use precis_proto::Phase;
use precis_proto::digest::DigestPolicy;
use precis_proto::research::Depth;
use precis_proto::task::Role;
use precis_report::claims::{MOST_CLAIMS, most_calls as most_judging_calls};
use precis_runtime::config::{JudgePolicy, Settings};

use super::facts::{SessionFacts, WriterGets};
use super::parts;
use super::work::Work;
use crate::options::{DigestOptions, analysis_budget, compression_calls, is_model};

/// The calls of one kind in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PhaseCalls {
    pub(super) phase: Phase,
    pub(super) work: Work,
    /// The most there may be; `None` if only the ceiling of the session bounds them.
    pub(super) most: Option<u64>,
    /// Tokens of the longest answer that the task asks for, which may be more than its model gives.
    pub(super) wanted_output: u64,
}

/// The most calls to judge statements and the answer: those of the longest report that is taken apart.
fn judging_calls() -> u64 {
    most_judging_calls(MOST_CLAIMS) as u64
}

/// Orders in which a report is shown to be rated.
const RATING_ORDERS: u64 = 2;

/// The calls of a session, in the order of its phases; none of roles that only the built-in model fills.
pub(super) fn most_calls(settings: &Settings, facts: &SessionFacts) -> Vec<PhaseCalls> {
    let mut all = Vec::new();
    if let Some(depth) = facts.research {
        all.extend(of_research(depth));
    }
    all.extend(of_texts(settings, facts));
    // Another report after each further iteration, of which only the ceiling says how many texts it reads.
    let visits = |calls: u64| (facts.research.is_none()).then_some(calls);
    let (target, write) = (facts.target(settings), Phase::Synthesis);
    all.push(PhaseCalls { phase: write, work: Work::Write, most: visits(1), wanted_output: target * 2 + 1_024 });
    if settings.report.judge != JudgePolicy::Off && is_model(settings, Role::Evaluation) {
        let of = |work, most, wanted_output| PhaseCalls { phase: Phase::Evaluation, work, most, wanted_output };
        all.push(of(Work::Judge, visits(judging_calls()), 0));
        all.push(of(Work::Repair, visits(1), u64::MAX));
        if settings.names(Role::Evaluation) {
            all.push(of(Work::Rate, visits(RATING_ORDERS), 0));
        }
    }
    all.retain(|calls| calls.most != Some(0) && is_model(settings, calls.work.role()));
    all
}

/// The calls of a search. Only its plan has a number of calls.
fn of_research(depth: Depth) -> Vec<PhaseCalls> {
    let plans = if depth == Depth::Deep { 2 } else { 1 };
    let of = |phase, work, most| PhaseCalls { phase, work, most, wanted_output: 0 };
    vec![
        of(Phase::Planning, Work::Plan, Some(plans)),
        of(Phase::Gathering, Work::Supervise, None),
        of(Phase::Gathering, Work::Turn, None),
        of(Phase::Refinement, Work::Gaps, None),
    ]
}

/// The calls that shorten texts and make findings of them; none if the writer reads the texts themselves.
fn of_texts(settings: &Settings, facts: &SessionFacts) -> Vec<PhaseCalls> {
    if facts.certainly(settings) == WriterGets::Whole {
        return Vec::new();
    }
    let of = |phase, work, most, wanted_output| PhaseCalls { phase, work, most, wanted_output };
    let digest = DigestOptions::from_settings(settings);
    let searched = facts.research.is_some();
    let known = |calls: u64| (!searched).then_some(calls);
    let mut each: Vec<u64> = facts.texts.iter().map(|tokens| parts::most_calls(*tokens, settings)).collect();
    let texts = each.len() as u64;
    let summaries: u64 = each.iter().sum();
    each.sort_unstable_by(|a, b| b.cmp(a));
    let digests = if digest.policy == DigestPolicy::Off { 0 } else { each.iter().take(digest.max_sources).sum() };
    let longest = facts.texts.iter().copied().try_fold(0, |most: u64, tokens| Some(most.max(tokens?)));
    // A summary is never longer than its text, and the model is given twice its length.
    let wanted = longest.map_or(u64::MAX, |longest| longest.saturating_mul(2).saturating_add(512));
    vec![
        of(Phase::Digest, Work::Summarize, known(digests), wanted),
        // Each text on its own, and once more if its summary of a common call is too long.
        of(Phase::Summarization, Work::Summarize, known(summaries + texts), wanted),
        of(Phase::Summarization, Work::SummarizeTogether, known(texts / 2), u64::MAX),
        of(Phase::Compression, Work::Compress, known(findings_calls(settings, facts)), 0),
    ]
}

/// Sources of a call that makes findings, unless more are needed.
const SOURCES_EACH: u64 = 8;

/// The most calls that make findings: those of the settings, and no more than texts of these sizes fill.
fn findings_calls(settings: &Settings, facts: &SessionFacts) -> u64 {
    let Some(most) = compression_calls(settings) else { return 0 };
    let most = (most as u64).max(1);
    let (room, texts) = (analysis_budget(settings), facts.texts.len() as u64);
    match facts.tokens().filter(|_| !facts.has_earlier && room > 0) {
        // Two calls in a row carry more than one has room for, or the first has all the sources it may have.
        Some(tokens) if tokens > room => {
            let filled = tokens.div_ceil(room).saturating_mul(3).saturating_add(texts.div_ceil(SOURCES_EACH) + 1);
            most.min(filled)
        }
        Some(_) => most.min(texts.div_ceil(SOURCES_EACH).max(1)),
        None => most,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(settings: serde_json::Value, texts: &[u64], research: Option<Depth>) -> Vec<(Phase, Work, Option<u64>)> {
        let settings: Settings = serde_json::from_value(settings).expect("settings");
        let facts =
            SessionFacts { texts: texts.iter().map(|n| Some(*n)).collect(), research, ..SessionFacts::default() };
        most_calls(&settings, &facts).into_iter().map(|calls| (calls.phase, calls.work, calls.most)).collect()
    }

    #[test]
    fn built_in_roles_have_no_calls_and_whole_texts_need_none() {
        assert_eq!(of(json!({}), &[100], None), []);
        let all = json!({ "roles": { "summarization": { "providers": ["a:b"] }, "compression": { "providers": ["a:b"] },
            "synthesis": { "providers": ["a:b"] }, "evaluation": { "providers": ["a:b"] } } });
        let whole = [
            (Phase::Synthesis, Work::Write, Some(1)),
            (Phase::Evaluation, Work::Judge, Some(127)),
            (Phase::Evaluation, Work::Repair, Some(1)),
            (Phase::Evaluation, Work::Rate, Some(2)),
        ];
        assert_eq!(of(all.clone(), &[32_000], None), whole);
        let reduced = of(all.clone(), &[32_001], None);
        assert_eq!(reduced[0], (Phase::Digest, Work::Summarize, Some(194)), "{reduced:?}");
        assert_eq!(reduced.len(), 3 + whole.len(), "no two texts to be read together: {reduced:?}");
        let searched = of(all, &[100], Some(Depth::Deep));
        assert!(searched.iter().all(|(_, _, most)| most.is_none()), "nothing but the ceiling bounds it: {searched:?}");
    }

    #[test]
    fn a_plan_is_one_call_and_at_depth_deep_two() {
        let supervised = json!({ "roles": { "supervision": { "providers": ["a:b"] } } });
        for (depth, calls) in [(Depth::Quick, 1), (Depth::Standard, 1), (Depth::Deep, 2)] {
            let found = of(supervised.clone(), &[], Some(depth));
            assert_eq!(found[0], (Phase::Planning, Work::Plan, Some(calls)));
        }
    }
}

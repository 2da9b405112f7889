//! The most calls of each phase.

use precis_proto::Phase;
use precis_proto::digest::DigestPolicy;
use precis_proto::research::ResearchOptions;
use precis_proto::task::Role;
use precis_report::claims::{MOST_CLAIMS, most_calls as most_judging_calls};
use precis_runtime::config::{JudgePolicy, Settings};

use super::facts::{SessionFacts, WriterGets};
use super::parts;
use super::search_limits::{SearchLimits, found_in_passes};
use super::work::Work;
use crate::options::{DigestOptions, analysis_budget, compression_calls, is_model};

/// The calls of one kind in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PhaseCalls {
    pub(super) phase: Phase,
    pub(super) work: Work,
    /// The most there may be.
    pub(super) most: u64,
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
    if let Some(options) = &facts.research {
        all.extend(of_research(options));
    }
    all.extend(of_texts(settings, facts));
    // Another report after each further iteration.
    let passes = found_in_passes(facts.research.as_ref()).len() as u64;
    let (target, write) = (facts.target(settings), Phase::Synthesis);
    all.push(PhaseCalls { phase: write, work: Work::Write, most: passes, wanted_output: target * 2 + 1_024 });
    if settings.report.judge != JudgePolicy::Off && is_model(settings, Role::Evaluation) {
        let of = |work, most, wanted_output| PhaseCalls { phase: Phase::Evaluation, work, most, wanted_output };
        all.push(of(Work::Judge, passes * judging_calls(), 0));
        all.push(of(Work::Repair, passes, u64::MAX));
        if settings.names(Role::Evaluation) {
            all.push(of(Work::Rate, passes * RATING_ORDERS, 0));
        }
    }
    all.retain(|calls| calls.most > 0 && is_model(settings, calls.work.role()));
    all
}

/// The calls of a search.
fn of_research(options: &ResearchOptions) -> Vec<PhaseCalls> {
    let SearchLimits { plans, supervisions, turns, gaps, .. } = SearchLimits::of(options);
    let of = |phase, work, most| PhaseCalls { phase, work, most, wanted_output: 0 };
    vec![
        of(Phase::Planning, Work::Plan, plans),
        of(Phase::Gathering, Work::Supervise, supervisions),
        of(Phase::Gathering, Work::Turn, turns),
        of(Phase::Refinement, Work::Gaps, gaps),
    ]
}

/// The calls that shorten texts and make findings of them, in all passes; none if the writer reads the texts themselves.
fn of_texts(settings: &Settings, facts: &SessionFacts) -> Vec<PhaseCalls> {
    if facts.certainly(settings) == WriterGets::Whole {
        return Vec::new();
    }
    let of = |phase, work, most, wanted_output| PhaseCalls { phase, work, most, wanted_output };
    let (mut digests, mut alone, mut together, mut findings) = (0, 0, 0, 0);
    for found in found_in_passes(facts.research.as_ref()) {
        // What is found has a length that nobody knows before.
        let unknown = std::iter::repeat_n(None, found as usize);
        let texts: Vec<Option<u64>> = facts.texts.iter().copied().chain(unknown).collect();
        let mut each: Vec<u64> = texts.iter().map(|tokens| parts::most_calls(*tokens, settings)).collect();
        each.sort_unstable_by(|a, b| b.cmp(a));
        digests += digest_calls(settings, &each);
        // Each text on its own, and once more if its summary of a common call is too long.
        alone += each.iter().sum::<u64>() + texts.len() as u64;
        together += texts.len() as u64 / 2;
        findings += findings_calls(settings, facts);
    }
    let longest = facts.tokens_of_longest();
    // A summary is never longer than its text, and the model is given twice its length.
    let wanted = longest.map_or(u64::MAX, |longest| longest.saturating_mul(2).saturating_add(512));
    vec![
        of(Phase::Digest, Work::Summarize, digests, wanted),
        of(Phase::Summarization, Work::Summarize, alone, wanted),
        of(Phase::Summarization, Work::SummarizeTogether, together, u64::MAX),
        of(Phase::Compression, Work::Compress, findings, 0),
    ]
}

/// The most calls that digest texts, of which each alone takes so many, the largest number first.
fn digest_calls(settings: &Settings, each: &[u64]) -> u64 {
    let digest = DigestOptions::from_settings(settings);
    if digest.policy == DigestPolicy::Off { 0 } else { each.iter().take(digest.max_sources).sum() }
}

/// Sources of a call that makes findings, unless more are needed.
const SOURCES_EACH: u64 = 8;

/// The most calls that make findings: those of the settings, and no more than texts of these sizes fill.
fn findings_calls(settings: &Settings, facts: &SessionFacts) -> u64 {
    let Some(most) = compression_calls(settings) else { return 0 };
    let most = (most as u64).max(1);
    let (room, texts) = (analysis_budget(settings), facts.texts.len() as u64);
    match facts.tokens().filter(|_| !facts.has_earlier && facts.research.is_none() && room > 0) {
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

    fn of(settings: serde_json::Value, texts: &[u64], research: Option<&str>) -> Vec<(Phase, Work, u64)> {
        let settings: Settings = serde_json::from_value(settings).expect("settings");
        let options = |depth| serde_json::from_value(json!({ "depth": depth, "web": ["brave"] })).expect("options");
        let research = research.map(options);
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
            (Phase::Synthesis, Work::Write, 1),
            (Phase::Evaluation, Work::Judge, 127),
            (Phase::Evaluation, Work::Repair, 1),
            (Phase::Evaluation, Work::Rate, 2),
        ];
        assert_eq!(of(all.clone(), &[32_000], None), whole);
        let reduced = of(all.clone(), &[32_001], None);
        assert_eq!(reduced[0], (Phase::Digest, Work::Summarize, 194), "{reduced:?}");
        assert_eq!(reduced.len(), 3 + whole.len(), "no two texts to be read together: {reduced:?}");
    }

    #[test]
    fn each_pass_of_a_search_reads_found_documents_of_unknown_length() {
        let all = json!({ "roles": { "summarization": { "providers": ["a:b"] }, "compression": { "providers": ["a:b"] },
            "synthesis": { "providers": ["a:b"] }, "evaluation": { "providers": ["a:b"] } }, "compression_calls": 4 });
        for (depth, passes, found) in [("quick", 1, 10), ("standard", 2, 10 + 13), ("deep", 3, 10 + 13 + 16)] {
            let want = [
                (Phase::Digest, Work::Summarize, 0),
                (Phase::Summarization, Work::Summarize, found * 195 + passes * 3),
                (Phase::Summarization, Work::SummarizeTogether, 0),
                (Phase::Compression, Work::Compress, passes * 4),
                (Phase::Synthesis, Work::Write, passes),
                (Phase::Evaluation, Work::Judge, passes * 127),
                (Phase::Evaluation, Work::Repair, passes),
                (Phase::Evaluation, Work::Rate, passes * 2),
            ];
            let calls = of(all.clone(), &[100], Some(depth));
            for (phase, work, most) in want.into_iter().filter(|(.., most)| *most > 0) {
                assert!(calls.contains(&(phase, work, most)), "{depth}: {work:?} {most} in {calls:?}");
            }
        }
    }

    #[test]
    fn a_plan_is_one_call_and_at_depth_deep_two() {
        let supervised = json!({ "roles": { "supervision": { "providers": ["a:b"] } } });
        for (depth, calls) in [("quick", 1), ("standard", 1), ("deep", 2)] {
            let found = of(supervised.clone(), &[], Some(depth));
            assert_eq!(found[0], (Phase::Planning, Work::Plan, calls));
        }
    }
}

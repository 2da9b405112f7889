//! Folds synthesis: stores the draft and records what each source contributes to it.

use std::collections::{BTreeMap, BTreeSet};

use precis_context::markdown::escape;
use precis_proto::fidelity::{FidelityLevel, FidelityReason};
use precis_proto::finding::Finding;
use precis_proto::state::{SessionState, WriterReads};
use precis_proto::task::TaskFinding;
use precis_proto::warning::WarningCode;
use precis_proto::{Phase, SourceId, Timestamp};
use precis_text::tokens::TokenBudget;

use super::carried::{is_protected, readable};
use super::records::{self, DropReason, leave_out, read_unquoted};

/// Heading of the findings added to a draft that does not cite a protected source.
const PROTECTED_HEADING: &str = "## Protected sources";

/// Folds a draft with the ids of the findings it was made from (`offered`) and of those it cites. Findings not cited are recorded as left
/// out.
pub fn synthesis(
    state: &mut SessionState,
    draft: String,
    offered: &BTreeSet<u32>,
    cited: &BTreeSet<u32>,
    now: Timestamp,
) {
    let mut kept: BTreeMap<SourceId, u64> = BTreeMap::new();
    for finding in state.findings.iter().filter(|f| cited.contains(&f.finding_id)) {
        if let Some(quote) = finding.quotes.first() {
            *kept.entry(quote.source_id.clone()).or_default() += finding.tokens;
        }
    }
    let quoted = quoted_by(state, |finding_id| cited.contains(&finding_id));
    let read = quoted_by(state, |finding_id| offered.contains(&finding_id));
    // Whoever reads the whole texts is withheld nothing by a finding that is left out.
    let is_whole = state.writer_reads == Some(WriterReads::Whole);
    let withheld = quoted_by(state, |finding_id| !is_whole && !offered.contains(&finding_id));
    for id in readable(state) {
        if !quoted.contains(&id) {
            if is_protected(state, &id) {
                // No warning: if it had a finding, `with_protected` would have cited it; that it has none, compression warned.
                read_unquoted(state, &id, "it has no finding that can be cited", None, now);
                continue;
            }
            let loss = match withheld.contains(&id) && !read.contains(&id) {
                true => {
                    DropReason::new(FidelityReason::BudgetLimit, "none of its findings fits the budget of the report")
                }
                false if is_whole => DropReason::new(None, "the report cites nothing of it"),
                false => DropReason::new(None, "the report cites none of its findings"),
            };
            leave_out(state, &id, &loss, (WarningCode::ContentDropped, &loss.note), now);
            continue;
        }
        let after = kept.get(&id).copied().unwrap_or(0);
        let mut record = records::record(state, &id, FidelityLevel::KeyPoints, after, now);
        if record.tokens_after < record.tokens_before && withheld.contains(&id) {
            record.reason = Some(FidelityReason::BudgetLimit);
        }
        state.content_fidelity.record(&id, Phase::Synthesis, record);
    }
    state.draft = Some(draft);
}

/// Passages of a source that the writer of a report was shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShownTokens {
    /// Number of passages.
    pub passages: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// Notes in the records of synthesis what the writer was `shown` of each source beside its findings, which may be more than compression
/// kept of it.
pub fn shown_to_writer(state: &mut SessionState, shown: &BTreeMap<SourceId, ShownTokens>) {
    for (id, ShownTokens { passages, tokens }) in shown {
        let phases = state.content_fidelity.0.get_mut(id).map(|item| &mut item.phases);
        if let Some(record) = phases.and_then(|phases| phases.get_mut(&Phase::Synthesis)) {
            record.warnings.push(format!("the writer was shown {passages} passages of it, {tokens} tokens"));
        }
    }
}

/// The sources quoted by the findings for whose id `of` is true.
fn quoted_by(state: &SessionState, of: impl Fn(u32) -> bool) -> BTreeSet<SourceId> {
    let findings = state.findings.iter().filter(|finding| of(finding.finding_id));
    findings.flat_map(|finding| finding.quotes.iter().map(|quote| quote.source_id.clone())).collect()
}

/// `draft`, followed by the best finding of each protected source that it does not cite; and the ids of these findings.
#[must_use]
pub fn with_protected(mut draft: String, state: &SessionState, cited: &BTreeSet<u32>) -> (String, Vec<u32>) {
    let mut quoted = quoted_by(state, |finding_id| cited.contains(&finding_id));
    let mut added = Vec::new();
    for id in readable(state).into_iter().filter(|id| is_protected(state, id)) {
        if quoted.contains(&id) {
            continue;
        }
        let quotes = |finding: &&Finding| finding.quotes.iter().any(|quote| quote.source_id == id);
        let best = state
            .findings
            .iter()
            .filter(quotes)
            .max_by(|a, b| a.score.total_cmp(&b.score).then(b.finding_id.cmp(&a.finding_id)));
        let Some(best) = best else { continue };
        if added.is_empty() {
            draft = format!("{}\n\n{PROTECTED_HEADING}\n\n", draft.trim_end());
        }
        let line = best.statement.split_whitespace().collect::<Vec<_>>().join(" ");
        draft.push_str(&format!("- {} [{}]\n", escape(&line), best.finding_id));
        // The finding may quote other protected sources, which then need none of their own.
        quoted.extend(best.quotes.iter().map(|quote| quote.source_id.clone()));
        added.push(best.finding_id);
    }
    (draft, added)
}

/// The findings that fit `budget_tokens` with their topics and titles, in the order given, and the number left out. Selected best first;
/// the best finding of each `protected` source (by number) comes before all others. At least one is kept: if it is too long, the gate
/// shortens it.
#[must_use]
pub fn carried_findings(
    findings: Vec<TaskFinding>,
    protected: &BTreeSet<u32>,
    budget_tokens: u64,
    count: &dyn Fn(&str) -> u64,
) -> (Vec<TaskFinding>, usize) {
    let mut ranked: Vec<usize> = (0..findings.len()).collect();
    ranked.sort_by(|a, b| findings[*b].score.total_cmp(&findings[*a].score).then(a.cmp(b)));
    let mut waiting = protected.clone();
    // Ranked best first, so the first finding of a source met here is its best.
    let (first, others): (Vec<usize>, Vec<usize>) =
        ranked.into_iter().partition(|at| waiting.remove(&findings[*at].source));
    let ranked = [first, others].concat();
    let mut budget = TokenBudget::new(budget_tokens);
    let cost = |f: &TaskFinding| count(&f.statement) + count(&f.topic) + count(&f.title);
    let fits = ranked.iter().enumerate().filter(|(n, at)| budget.allocate(cost(&findings[**at])) || *n == 0);
    let kept: BTreeSet<usize> = fits.map(|(_, at)| *at).collect();
    let left_out = findings.len() - kept.len();
    let carried = findings.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, finding)| finding);
    (carried.collect(), left_out)
}

#[cfg(test)]
mod tests {
    use precis_proto::fidelity::FidelityRecord;
    use precis_proto::finding::Quote;

    use super::super::fixture::session;
    use super::*;

    fn finding_of(state: &SessionState, n: usize, finding_id: u32, score: f64) -> Finding {
        let source_id = state.sources[n].source_id.clone();
        let quotes = vec![Quote {
            source_id,
            locator: "char:0-5".parse().expect("a locator"),
            text: "quote".to_owned(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        }];
        Finding {
            finding_id,
            topic: String::new(),
            statement: format!("It holds *{finding_id}*."),
            quotes,
            score,
            tokens: 12,
            similarity: None,
        }
    }

    #[test]
    fn an_uncited_protected_source_gets_its_best_finding() {
        let mut state = session(Phase::Synthesis, &[30, 30, 30, 30]);
        state.sources[..3].iter_mut().for_each(|source| source.protected = true);
        let scores = [(0, 1, 0.2), (0, 2, 0.9), (1, 3, 0.5), (3, 4, 0.5)];
        state.findings = scores.map(|(n, id, score)| finding_of(&state, n, id, score)).to_vec();
        let cited = BTreeSet::from([3]);
        let (draft, added) = with_protected("# Report\n\nIt holds. [3]\n".to_owned(), &state, &cited);
        assert_eq!(added, [2], "one is cited, one has no finding, one is not protected");
        assert_eq!(draft, "# Report\n\nIt holds. [3]\n\n## Protected sources\n\n- It holds \\*2\\*. [2]\n");
        synthesis(&mut state, draft, &BTreeSet::from([3]), &BTreeSet::from([2, 3]), Timestamp(0));
        let level = |n: usize| {
            state.content_fidelity.get(&state.sources[n].source_id, Phase::Synthesis).expect("recorded").level
        };
        let (points, headline) = (FidelityLevel::KeyPoints, FidelityLevel::Headline);
        assert_eq!([level(0), level(1), level(2), level(3)], [points, points, headline, FidelityLevel::Dropped]);
        assert_eq!(state.dropped_content_ids, [state.sources[3].source_id.clone()]);
        let whole = BTreeSet::from([1, 2, 3, 4]);
        assert_eq!(with_protected("a [1]".to_owned(), &state, &whole), ("a [1]".to_owned(), Vec::new()));
    }

    #[test]
    fn the_best_finding_of_a_protected_source_is_read_first() {
        let finding = |id: u32, source: u32, score: f64| TaskFinding {
            id,
            topic: String::new(),
            statement: ["word"; 10].join(" "),
            title: String::new(),
            source,
            score,
            headings: Vec::new(),
            path: String::new(),
            context: Vec::new(),
            similarity: None,
        };
        let given = vec![finding(1, 1, 0.9), finding(2, 2, 0.1), finding(3, 2, 0.2), finding(4, 1, 0.8)];
        let words = |text: &str| text.split_whitespace().count() as u64;
        for (budget, expected) in [(10, vec![3]), (20, vec![1, 3]), (30, vec![1, 3, 4]), (40, vec![1, 2, 3, 4])] {
            let (kept, _) = carried_findings(given.clone(), &BTreeSet::from([2]), budget, &words);
            assert_eq!(kept.iter().map(|f| f.id).collect::<Vec<_>>(), expected, "{budget}");
        }
    }

    #[test]
    fn only_cited_findings_are_kept_and_others_listed_with_cause() {
        let mut state = session(Phase::Synthesis, &[30, 30, 30, 30]);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        for (n, id) in ids.iter().enumerate() {
            let locator = "char:0-5".parse().expect("a locator");
            let quotes = vec![Quote {
                source_id: id.clone(),
                locator,
                text: "quote".to_owned(),
                headings: Vec::new(),
                context: Vec::new(),
                answer: Vec::new(),
                more_items: 0,
                place: None,
                recognized: None,
            }];
            let finding_id = u32::try_from(n + 1).expect("small");
            state.findings.push(Finding {
                finding_id,
                topic: String::new(),
                statement: "s".to_owned(),
                quotes,
                score: 0.5,
                tokens: 12,
                similarity: None,
            });
        }
        state.findings.push(Finding { finding_id: 5, ..state.findings[3].clone() });
        synthesis(&mut state, "text [2]".to_owned(), &BTreeSet::from([1, 2, 4]), &BTreeSet::from([2, 4]), Timestamp(0));
        let record =
            |n: usize| -> &FidelityRecord { state.content_fidelity.get(&ids[n], Phase::Synthesis).expect("recorded") };
        assert_eq!((record(0).level, record(0).tokens_after), (FidelityLevel::Dropped, 0));
        assert_eq!((record(1).level, record(1).tokens_after, record(1).reason), (FidelityLevel::KeyPoints, 12, None));
        assert_eq!(record(3).reason, Some(FidelityReason::BudgetLimit), "its other finding did not fit");
        assert_eq!((record(0).reason, record(2).reason), (None, Some(FidelityReason::BudgetLimit)));
        assert_eq!(state.dropped_content_ids, [ids[0].clone(), ids[2].clone()]);
        let told: Vec<_> = state.warnings.iter().map(|w| (w.code, w.item_id.clone())).collect();
        let dropped = |n: usize| (WarningCode::ContentDropped, Some(ids[n].clone()));
        assert_eq!(told, [dropped(0), dropped(2)]);
    }

    #[test]
    fn the_best_findings_go_into_the_report_in_their_own_order() {
        let finding = |id: u32, score: f64, words: usize| TaskFinding {
            id,
            topic: String::new(),
            statement: vec!["word"; words].join(" "),
            title: String::new(),
            source: 1,
            score,
            headings: Vec::new(),
            path: String::new(),
            context: Vec::new(),
            similarity: None,
        };
        let words = |text: &str| text.split_whitespace().count() as u64;
        let given = || vec![finding(1, 0.2, 10), finding(2, 0.9, 10), finding(3, f64::NAN, 5), finding(4, 0.5, 10)];
        for (budget, expected) in [(35, vec![1, 2, 3, 4]), (34, vec![2, 3, 4]), (15, vec![2, 3]), (0, vec![3])] {
            let (kept, left_out) = carried_findings(given(), &BTreeSet::new(), budget, &words);
            assert_eq!(kept.iter().map(|f| f.id).collect::<Vec<_>>(), expected, "{budget}");
            assert_eq!(left_out, 4 - expected.len());
        }
        assert_eq!(carried_findings(Vec::new(), &BTreeSet::new(), 0, &words).1, 0);
    }
}

//! Limits the share of a window for the course of research: earlier evidence, findings and thoughts, and a researcher's messages.
//!
//! Whole rows are left out, oldest first, before the payload is written. The gate still counts every payload afterwards.

use std::borrow::Cow;
use std::collections::BTreeSet;

use precis_proto::task::{DelegateTask, Task, ThinkTask, TurnMessage, TurnRole, TurnTask};

use super::evidence_cut::EvidenceCut;
use super::render::KEPT_THOUGHTS;
use crate::truncate::Count;

/// Most of a window for evidence, findings and thoughts of earlier rounds, in percent.
pub const HISTORY_PERCENT: u64 = 40;
/// Most of a window for the messages of a researcher, in percent. Chosen, not measured.
pub const TURN_PERCENT: u64 = 35;
/// Most tokens of the mark above a row.
const MARK_TOKENS: u64 = 24;

/// `task` reduced to its share of a window of `room` tokens, and the cuts made; tasks without a course of research are returned unchanged.
pub(super) fn within<'t>(task: &'t Task, room: u64, count: Count<'_>) -> (Cow<'t, Task>, Vec<EvidenceCut>) {
    match task {
        Task::Think(t) => match supervision(t, percent(room, HISTORY_PERCENT), count) {
            Some((less, cuts)) => (Cow::Owned(Task::Think(less)), cuts),
            None => (Cow::Borrowed(task), Vec::new()),
        },
        Task::Delegate(t) => match supervision(&t.seen, percent(room, HISTORY_PERCENT), count) {
            Some((seen, cuts)) => (Cow::Owned(Task::Delegate(DelegateTask { seen, ..t.clone() })), cuts),
            None => (Cow::Borrowed(task), Vec::new()),
        },
        Task::Turn(t) => {
            let costs: Vec<u64> = t.messages.iter().map(|message| cost(&message.text, count)).collect();
            let out = messages_out(&t.messages, &costs, percent(room, TURN_PERCENT));
            if out.is_empty() {
                return (Cow::Borrowed(task), Vec::new());
            }
            let cuts = out.iter().map(|at| left_out(t.messages[*at].n, costs[*at])).collect();
            let kept = t.messages.iter().enumerate().filter(|(at, _)| !out.contains(at)).map(|(_, m)| m.clone());
            (Cow::Owned(Task::Turn(TurnTask { messages: kept.collect(), ..t.clone() })), cuts)
        }
        Task::Summarize(_)
        | Task::SummarizeTogether(_)
        | Task::Compress(_)
        | Task::Synthesize(_)
        | Task::Plan(_)
        | Task::CritiquePlan(_)
        | Task::CritiqueDirectives(_)
        | Task::Gaps(_)
        | Task::Judge(_)
        | Task::JudgeParts(_)
        | Task::JudgeStatements(_)
        | Task::Repair(_)
        | Task::Rate(_) => (Cow::Borrowed(task), Vec::new()),
    }
}

fn percent(room: u64, percent: u64) -> u64 {
    room / 100 * percent + room % 100 * percent / 100
}

/// Tokens of a text with its mark.
fn cost(text: &str, count: Count<'_>) -> u64 {
    count(text) + MARK_TOKENS
}

fn left_out(id: u32, tokens_before: u64) -> EvidenceCut {
    EvidenceCut { id, is_note: false, tokens_before, tokens_after: 0 }
}

/// A row of a [`ThinkTask`], in the order shown.
struct ThinkRow {
    text: String,
    cost: u64,
    is_out: bool,
}

/// The task with at most `budget` tokens of evidence, findings and thoughts, and the cuts; `None` if it is within the budget unchanged.
/// Whole rows are left out: inventories first, then findings, then thoughts, each oldest first. The last thoughts stay whatever they cost.
fn supervision(task: &ThinkTask, budget: u64, count: Count<'_>) -> Option<(ThinkTask, Vec<EvidenceCut>)> {
    let texts = task.evidence.iter().map(|row| &row.text).chain(&task.findings).chain(&task.thoughts);
    let mut rows: Vec<ThinkRow> = texts
        .map(|text| {
            let cost = cost(text, count);
            ThinkRow { text: text.clone(), cost, is_out: false }
        })
        .collect();
    let mut sum: u64 = rows.iter().map(|row| row.cost).sum();
    if sum <= budget {
        return None;
    }
    let findings = task.evidence.len()..task.evidence.len() + task.findings.len();
    let droppable = rows.len() - task.thoughts.len().min(KEPT_THOUGHTS);
    for row in &mut rows[..droppable] {
        if sum <= budget {
            break;
        }
        (row.is_out, sum) = (true, sum - row.cost);
    }
    let cuts = rows.iter().zip(1..).filter(|(row, _)| row.is_out);
    let cuts = cuts.map(|(row, id)| left_out(id, row.cost)).collect();
    let mut less = task.clone();
    let kept = |range: std::ops::Range<usize>| rows[range].iter().filter(|row| !row.is_out).map(|row| row.text.clone());
    less.findings = kept(findings.clone()).collect();
    less.thoughts = kept(findings.end..rows.len()).collect();
    let mut at = 0..;
    less.evidence.retain(|_| at.next().is_some_and(|at| !rows[at].is_out));
    Some((less, cuts))
}

/// Indexes of the messages to leave out so that the others cost at most `budget`: calls with their results, oldest first, then older
/// thoughts. The last result with its call, the last thoughts and reminders stay whatever they cost.
pub fn messages_out(messages: &[TurnMessage], costs: &[u64], budget: u64) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    let mut sum: u64 = costs.iter().sum();
    if sum <= budget {
        return out;
    }
    let of = |role: TurnRole| (0..messages.len()).filter(move |at| messages[*at].role == role);
    let last_result = of(TurnRole::Result).next_back();
    for call in of(TurnRole::Call) {
        let behind =
            (call + 1..messages.len()).find(|at| matches!(messages[*at].role, TurnRole::Result | TurnRole::Call));
        // A call without a result is not a complete pair and stays.
        let Some(result) = behind.filter(|at| messages[*at].role == TurnRole::Result) else { continue };
        if sum <= budget || Some(result) == last_result {
            break;
        }
        sum -= costs[call] + costs[result];
        out.extend([call, result]);
    }
    let thoughts: Vec<usize> = of(TurnRole::Think).collect();
    for at in &thoughts[..thoughts.len().saturating_sub(KEPT_THOUGHTS)] {
        if sum <= budget {
            break;
        }
        sum -= costs[*at];
        out.insert(*at);
    }
    out
}

#[cfg(test)]
mod tests {
    use precis_proto::task::EvidenceRow;

    use super::*;

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    fn task(evidence: usize, findings: usize, thoughts: usize) -> ThinkTask {
        let text = |n: usize| format!("{n} {}", vec!["w"; 75].join(" "));
        ThinkTask {
            question: "q".into(),
            today: "2026-11-23".into(),
            plan: Vec::new(),
            coverage: Vec::new(),
            round: 3,
            rounds: 6,
            searches_left: 1,
            calls_left: 1,
            evidence: (0..evidence).map(|n| EvidenceRow { directive: format!("d{n}"), text: text(n) }).collect(),
            findings: (0..findings).map(text).collect(),
            thoughts: (0..thoughts).map(text).collect(),
            refused: Vec::new(),
        }
    }

    #[test]
    fn the_oldest_inventories_go_before_findings_and_the_last_two_thoughts_stay() {
        // Each row costs 76 words and its mark: 100.
        for (room, kept) in [
            (2_250, (3, 3, 3)),
            (2_249, (2, 3, 3)),
            (1_999, (1, 3, 3)),
            (1_499, (0, 2, 3)),
            (750, (0, 0, 3)),
            (749, (0, 0, 2)),
            (500, (0, 0, 2)),
            (0, (0, 0, 2)),
        ] {
            let task = Task::Think(task(3, 3, 3));
            let (less, cuts) = within(&task, room, &words);
            let Task::Think(less) = &*less else { panic!("{less:?}") };
            assert_eq!((less.evidence.len(), less.findings.len(), less.thoughts.len()), kept, "{room}");
            assert_eq!(cuts.len(), 9 - kept.0 - kept.1 - kept.2, "{room}");
            assert!(less.thoughts.iter().any(|text| text.starts_with('2')), "the last one stays");
            if kept.0 > 0 {
                assert!(less.evidence.iter().any(|row| row.directive == "d2"), "the newest one stays");
            }
        }
    }

    #[test]
    fn a_finding_is_whole_or_left_out() {
        let mut long = task(1, 2, 0);
        long.findings[0] = vec!["w"; 400].join(" ");
        let long = Task::Think(long);
        for (room, evidence, findings) in [(1_560, 1, 2), (1_559, 0, 2), (1_309, 0, 1)] {
            let (less, cuts) = within(&long, room, &words);
            let Task::Think(less) = &*less else { panic!("{less:?}") };
            assert_eq!((less.evidence.len(), less.findings.len()), (evidence, findings), "{room}");
            assert!(less.findings.iter().all(|finding| !finding.contains('…')));
            assert!(cuts.iter().all(|cut| cut.tokens_after == 0));
        }
    }

    #[test]
    fn oldest_pairs_are_dropped_but_not_the_last_result_or_thoughts() {
        use TurnRole::{Call, Reminder, Result, Think};
        let roles = [Think, Call, Result, Think, Call, Result, Think, Call, Result, Think, Reminder];
        let messages: Vec<TurnMessage> =
            roles.iter().zip(1..).map(|(role, n)| TurnMessage { n, role: *role, text: "w".into() }).collect();
        for (budget, out) in [
            (110, vec![]),
            (109, vec![1, 2]),
            (90, vec![1, 2]),
            (89, vec![1, 2, 4, 5]),
            (70, vec![1, 2, 4, 5]),
            (69, vec![0, 1, 2, 4, 5]),
            (50, vec![0, 1, 2, 3, 4, 5]),
            (0, vec![0, 1, 2, 3, 4, 5]),
        ] {
            let found = messages_out(&messages, &[10; 11], budget);
            assert_eq!(found.into_iter().collect::<Vec<_>>(), out, "{budget}");
        }
        assert!(messages_out(&messages[..2], &[10; 2], 0).is_empty(), "a call without its result stays");
        let roles = [Call, Call, Result, Call, Result];
        let messages: Vec<TurnMessage> =
            roles.iter().zip(1..).map(|(role, n)| TurnMessage { n, role: *role, text: "w".into() }).collect();
        assert_eq!(
            messages_out(&messages, &[10; 5], 0).into_iter().collect::<Vec<_>>(),
            [1, 2],
            "a result has one call"
        );
    }
}

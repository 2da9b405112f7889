//! The tasks of planning, supervision and research without a model: the results of [`crate`] in the form of task answers, so that
//! the built-in strategy runs through the same calls.

use precis_proto::research::Answered;
use precis_proto::task::{
    CritiqueDirectivesTask, CritiquePlanTask, DelegateTask, Delegation, DirectiveDraft, PlanDraft, PlanRow, PlanTask,
    QUERY_CHARS, SEARCH_QUERIES, SubQuestionDraft, THOUGHT_CHARS, ThinkTask, Thought, ToolCall, Turn, TurnRole,
    TurnTask,
};

/// The built-in plan, cut to the allowed number of sub-questions.
#[must_use]
pub fn plan(task: &PlanTask) -> PlanDraft {
    let sub_questions = &task.built_in.sub_questions[..task.built_in.sub_questions.len().min(task.max_sub_questions)];
    let place = |id: &String| sub_questions.iter().position(|other| other.id == *id).map(|at| at as u32 + 1);
    let drafts = sub_questions.iter().map(|one| SubQuestionDraft {
        text: one.text.clone(),
        answered_when: one.answered_when.clone(),
        priority: one.priority,
        after: one.after.iter().filter_map(place).collect(),
    });
    PlanDraft {
        restated: task.built_in.brief.restated.clone(),
        kind: task.built_in.brief.kind,
        constraints: task.built_in.brief.constraints.clone(),
        assumptions: task.built_in.brief.assumptions.clone(),
        sub_questions: drafts.collect(),
    }
}

/// The plan, unchanged.
#[must_use]
pub fn critique_plan(task: &CritiquePlanTask) -> PlanDraft {
    task.draft.clone()
}

/// A thought that lists the sub-questions not covered and what they lack.
#[must_use]
pub fn think(task: &ThinkTask) -> Thought {
    let open = open(task);
    if open.is_empty() {
        let text = match task.plan.len() {
            1 => "The question is covered.".to_owned(),
            n => format!("All {n} sub-questions are covered."),
        };
        return Thought { text, is_enough: true };
    }
    let mut text = format!("{} of {} sub-questions are open.", open.len(), task.plan.len());
    for row in open {
        let known = task.coverage.iter().find(|coverage| coverage.sub_question == row.id);
        let said = match known {
            Some(coverage) if !coverage.missing.is_empty() => {
                format!(" {} ({}) lacks {}.", row.id, row.text, coverage.missing)
            }
            Some(coverage) if coverage.answered == Answered::Partly => {
                format!(" {} ({}) is covered in part.", row.id, row.text)
            }
            _ => format!(" {} ({}) has no document.", row.id, row.text),
        };
        if text.chars().count() + said.chars().count() > THOUGHT_CHARS {
            break;
        }
        text.push_str(&said);
    }
    Thought { text, is_enough: false }
}

/// A directive for each sub-question that is not covered, those that rest on no open one first.
#[must_use]
pub fn delegate(task: &DelegateTask) -> Delegation {
    let open = open(&task.seen);
    if open.is_empty() {
        let reason = "every sub-question is covered".to_owned();
        return Delegation { directives: Vec::new(), is_complete: true, reason };
    }
    let rests = |row: &PlanRow| row.after.iter().any(|id| open.iter().any(|other| other.id == *id));
    let mut order: Vec<&&PlanRow> = open.iter().collect();
    order.sort_by_key(|row| (rests(row), row.priority));
    let directives: Vec<DirectiveDraft> = order
        .into_iter()
        .take(task.max_directives)
        .map(|row| DirectiveDraft {
            sub_questions: vec![row.id.clone()],
            topic: row.text.clone(),
            perspective: String::new(),
            evidence_needed: row.answered_when.clone(),
            priority: row.priority,
        })
        .collect();
    let reason = format!("{} of {} sub-questions are open", open.len(), task.seen.plan.len());
    Delegation { directives, is_complete: false, reason }
}

/// The directives, unchanged.
#[must_use]
pub fn critique_directives(task: &CritiqueDirectivesTask) -> Delegation {
    task.delegation.clone()
}

/// A search for the topic and its sub-questions in the first turn, then completion.
#[must_use]
pub fn turn(task: &TurnTask) -> Turn {
    let results = task.messages.iter().filter(|message| message.role == TurnRole::Result).count();
    let call = if results == 0 {
        let mut queries: Vec<String> = Vec::new();
        let texts = task.directive.sub_questions.iter().map(|row| row.text.as_str());
        for text in std::iter::once(task.directive.topic.as_str()).chain(texts) {
            let query: String =
                text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUERY_CHARS).collect();
            if !query.is_empty() && !queries.contains(&query) && queries.len() < SEARCH_QUERIES {
                queries.push(query);
            }
        }
        match queries.is_empty() {
            true => ToolCall::Complete { summary: "There was nothing to search for.".to_owned() },
            false => ToolCall::Search { queries },
        }
    } else {
        let summary = "The topic and its sub-questions were searched for; no model has weighed the results.".to_owned();
        ToolCall::Complete { summary }
    };
    Turn { calls: vec![call] }
}

/// The sub-questions that are not covered, in the order of the plan.
fn open(task: &ThinkTask) -> Vec<&PlanRow> {
    let is_covered = |row: &&PlanRow| {
        task.coverage.iter().any(|coverage| coverage.sub_question == row.id && coverage.answered == Answered::Yes)
    };
    task.plan.iter().filter(|row| !is_covered(row)).collect()
}

#[cfg(test)]
mod tests {
    use precis_proto::research::Complexity;
    use precis_proto::task::{CoverageRow, TaskPlan, TurnDirective, TurnMessage};

    use super::*;

    fn seen(covered: &[Answered]) -> ThinkTask {
        let row = |n: usize| PlanRow {
            id: format!("q{n}"),
            text: format!("What is {n}?"),
            answered_when: "w".into(),
            priority: 1,
            after: if n == 1 { vec!["q2".into()] } else { Vec::new() },
        };
        let coverage = covered.iter().zip(1..).map(|(answered, n)| CoverageRow {
            sub_question: format!("q{n}"),
            before: None,
            answered: *answered,
            documents: 0,
            independent: 0,
            missing: if n == 3 { "a date".into() } else { String::new() },
        });
        ThinkTask {
            question: "q".into(),
            today: "2026-11-23".into(),
            plan: (1..=3).map(row).collect(),
            coverage: coverage.collect(),
            round: 1,
            rounds: 3,
            searches_left: 9,
            calls_left: 9,
            evidence: Vec::new(),
            findings: Vec::new(),
            thoughts: Vec::new(),
            refused: Vec::new(),
        }
    }

    #[test]
    fn the_built_in_plan_is_given_as_it_is() {
        let question = "What does PEP 409 require, and who wrote the required PEP?";
        let built_in = crate::plan(&precis_evidence::question::analysis::analyse(question));
        let task = |most| PlanTask {
            question: question.into(),
            today: "2026-11-23".into(),
            language: "en".into(),
            given: Vec::new(),
            built_in: TaskPlan { brief: built_in.brief.clone(), sub_questions: built_in.sub_questions.clone() },
            max_sub_questions: most,
        };
        let draft = plan(&task(5));
        let found: Vec<(&str, &[u32])> =
            draft.sub_questions.iter().map(|q| (q.text.as_str(), q.after.as_slice())).collect();
        assert_eq!(found, [("What does PEP 409 require", &[][..]), ("who wrote the required PEP", &[1])]);
        assert_eq!(plan(&task(1)).sub_questions.len(), 1);
    }

    #[test]
    fn a_thought_names_the_gaps_and_is_enough_only_without_any() {
        use Answered::{No, Partly, Yes};
        for (covered, enough, says) in [
            (&[Yes, Yes, Yes][..], true, "All 3 sub-questions are covered."),
            (&[Yes, No, Yes], false, "1 of 3 sub-questions are open. q2 (What is 2?) has no document."),
            (&[Yes, Yes, Partly], false, "1 of 3 sub-questions are open. q3 (What is 3?) lacks a date."),
            (&[Partly, Yes, Yes], false, "1 of 3 sub-questions are open. q1 (What is 1?) is covered in part."),
        ] {
            let thought = think(&seen(covered));
            assert_eq!((thought.is_enough, thought.text.as_str()), (enough, says), "{covered:?}");
        }
        assert!(think(&seen(&[])).text.starts_with("3 of 3"), "nothing is covered before the first round");
    }

    #[test]
    fn an_open_sub_question_has_a_directive_up_to_the_bound() {
        use Answered::{No, Yes};
        for (covered, most, topics) in [
            (&[No, No, No][..], 5, vec!["q2", "q3", "q1"]),
            (&[No, No, No], 2, vec!["q2", "q3"]),
            (&[No, Yes, No], 5, vec!["q1", "q3"]),
            (&[Yes, Yes, Yes], 5, vec![]),
        ] {
            let task = DelegateTask {
                seen: seen(covered),
                thought: Thought::default(),
                complexity: Complexity::Moderate,
                compared: 0,
                max_directives: most,
            };
            let delegation = delegate(&task);
            let found: Vec<&str> = delegation.directives.iter().map(|d| d.sub_questions[0].as_str()).collect();
            assert_eq!((found, delegation.is_complete), (topics.clone(), topics.is_empty()), "{covered:?}");
        }
    }

    #[test]
    fn a_turn_searches_once_and_ends() {
        let directive =
            TurnDirective { topic: "What  is 2?".into(), sub_questions: seen(&[]).plan, ..TurnDirective::default() };
        let mut task = TurnTask {
            directive,
            brief: "b".into(),
            today: "2026-11-23".into(),
            messages: Vec::new(),
            searches_left: 3,
            searches_now: 3,
            earlier: Vec::new(),
            calls_left: 3,
        };
        let queries = ["What is 2?", "What is 1?", "What is 3?"].map(str::to_owned).to_vec();
        assert_eq!(turn(&task).calls, [ToolCall::Search { queries }]);
        task.messages.push(TurnMessage { n: 2, role: TurnRole::Result, text: "r".into() });
        assert!(matches!(&turn(&task).calls[..], [ToolCall::Complete { .. }]));
        task.messages.clear();
        task.directive = TurnDirective::default();
        assert!(matches!(&turn(&task).calls[..], [ToolCall::Complete { .. }]), "nothing to search for");
    }
}

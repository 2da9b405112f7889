//! Supervision of a round by a model: think, then delegate, in two calls; the directives of the first round are revised once.
//!
//! The model only adds to the built-in plan and removes nothing. Its output is parsed strictly and bounded by code.

use std::collections::BTreeMap;

use precis_proto::label::Label;
use precis_proto::research::RoundLog;
use precis_proto::state::SessionState;
use precis_proto::task::{CritiqueDirectivesTask, DelegateTask, Delegation, DirectiveDraft, Task, Thought};
use precis_research::{RefusedDirective, ResearchCourse, SupervisorNotes, admit, researcher};
use precis_runtime::runner::{PhaseContext, PhaseError};

/// Most summaries of researchers' findings shown to a supervisor.
const SHOWN: usize = 40;

/// A supervisor's answers for a round, before code bounds them.
#[derive(Debug, Default)]
pub(super) struct SupervisionResult {
    pub(super) delegation: Delegation,
    pub(super) think: String,
    /// Number of answers that could not be parsed, by `NAME:MODEL`.
    pub(super) unreadable: BTreeMap<String, u32>,
}

impl SupervisionResult {
    /// Whether the supervisor considers the research complete, and `course` may be.
    pub(super) fn is_complete(&self, course: &ResearchCourse) -> bool {
        self.delegation.is_complete && course.may_be_complete()
    }

    /// Returns the directives that `course` may send in its next round, and why it refuses the others.
    pub(super) fn admitted(&self, course: &ResearchCourse) -> (Vec<DirectiveDraft>, Vec<String>) {
        let bounds = (most_directives(course), course.compared());
        let admission = admit(self.delegation.clone(), &course.plan_rows(), &course.topics(), bounds);
        (admission.admitted, admission.refused.iter().map(RefusedDirective::line).collect())
    }
}

/// Asks the models of role `supervision` for the next round of `course`; `logs` are its rounds so far, and `label` decides which models may
/// receive them.
pub(super) async fn supervise(
    session: &SessionState,
    label: Label,
    course: &ResearchCourse,
    logs: &[RoundLog],
    ctx: &PhaseContext,
) -> Result<SupervisionResult, PhaseError> {
    let told = SupervisorNotes {
        today: day(session),
        findings: latest(logs.iter().flat_map(summaries).collect()),
        thoughts: logs.iter().map(|log| log.think.clone()).filter(|think| !think.is_empty()).collect(),
        refused: logs.last().map(|log| log.refused.clone()).unwrap_or_default(),
        calls_left: researcher::DEFAULT_CALLS,
    };
    let seen = course.seen(told);
    let mut unreadable = BTreeMap::new();
    let thought: Thought = ask_counting(label, Task::Think(seen.clone()), &mut unreadable, ctx).await?;
    let (brief, elements, most) = (course.brief(), course.compared(), most_directives(course));
    let task = DelegateTask {
        seen: seen.clone(),
        thought: thought.clone(),
        complexity: brief.complexity,
        compared: elements,
        max_directives: most,
    };
    let mut delegation: Delegation = ask_counting(label, Task::Delegate(task), &mut unreadable, ctx).await?;
    if logs.is_empty() && !delegation.directives.is_empty() {
        let critique = CritiqueDirectivesTask {
            question: session.query.clone(),
            today: seen.today.clone(),
            plan: seen.plan.clone(),
            delegation,
            complexity: brief.complexity,
            compared: elements,
            max_directives: most,
        };
        delegation = ask_counting(label, Task::CritiqueDirectives(critique), &mut unreadable, ctx).await?;
    }
    Ok(SupervisionResult { delegation, think: thought.text, unreadable })
}

/// The directives that the next round of `course` may have.
fn most_directives(course: &ResearchCourse) -> usize {
    course.most_directives().min(course.deserved())
}

/// Returns the researchers' summaries of a round, each prefixed with the id of its directive.
fn summaries(log: &RoundLog) -> impl Iterator<Item = String> + '_ {
    let said = log.assignments.iter().zip(&log.gathered).filter(|(_, one)| !one.summary.is_empty());
    said.map(|(assignment, one)| format!("{}: {}", assignment.id, one.summary))
}

/// Returns the last [`SHOWN`] entries, in order.
fn latest(mut all: Vec<String>) -> Vec<String> {
    all.split_off(all.len().saturating_sub(SHOWN))
}

/// Puts a task with `label` to the models of its role and reads the answer.
pub(super) async fn ask<A: serde::de::DeserializeOwned>(
    label: Label,
    task: Task,
    ctx: &PhaseContext,
) -> Result<A, PhaseError> {
    ask_counting(label, task, &mut BTreeMap::new(), ctx).await
}

/// [`ask`], adding the numbers of unreadable answers to `unreadable`.
async fn ask_counting<A: serde::de::DeserializeOwned>(
    label: Label,
    task: Task,
    unreadable: &mut BTreeMap<String, u32>,
    ctx: &PhaseContext,
) -> Result<A, PhaseError> {
    let called = ctx.model_labelled(label, &task).await?;
    for (provider, answers) in called.unreadable {
        *unreadable.entry(provider).or_default() += answers;
    }
    serde_json::from_value(called.value)
        .map_err(|_| PhaseError::transient("model_failed", format!("{} returned an invalid answer", called.provider)))
}

/// Returns the day on which the session was accepted; prompts use it so that a repeated call is identical.
pub(super) fn day(session: &SessionState) -> String {
    session.created_at.to_string().chars().take(10).collect()
}

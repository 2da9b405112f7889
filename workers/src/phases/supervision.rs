//! Supervision of a round by a model: think, then delegate, in two calls. Its output is parsed strictly and bounded by code.

use std::collections::BTreeMap;

use precis_proto::label::Label;
use precis_proto::research::{Depth, ResearchOptions, RoundLog};
use precis_proto::state::SessionState;
use precis_proto::task::{CritiqueDirectivesTask, DelegateTask, Delegation, DirectiveDraft, Task, Thought};
use precis_research::{DirectiveBound, RefusedDirective, ResearchCourse, SupervisorNotes, admit, researcher};
use precis_runtime::runner::{PhaseContext, PhaseError};

/// Most summaries of researchers' findings shown to a supervisor.
const SHOWN: usize = 40;

/// A supervisor's answers for a round, before code bounds them.
#[derive(Debug, Default)]
pub(super) struct SupervisionResult {
    pub(super) delegation: Delegation,
    pub(super) think: String,
    /// Whether it says that what is known is enough.
    is_enough: bool,
    /// Number of answers that could not be parsed, by `NAME:MODEL`.
    pub(super) unreadable: BTreeMap<String, u32>,
}

impl SupervisionResult {
    /// Whether the supervisor considers the research complete, and `course` may be.
    pub(super) fn is_complete(&self, course: &ResearchCourse) -> bool {
        (self.is_enough || self.delegation.is_complete) && course.may_be_complete()
    }

    /// Returns the directives that `course` may send in its next round, and why it refuses the others.
    pub(super) fn admit(&self, course: &ResearchCourse) -> (Vec<DirectiveDraft>, Vec<String>) {
        let admission = admit(self.delegation.clone(), &course.plan_rows(), &course.topics(), bound(course));
        (admission.admitted, admission.refused.iter().map(RefusedDirective::line).collect())
    }
}

/// A round to be supervised.
pub(super) struct SupervisedRound<'a> {
    pub(super) session: &'a SessionState,
    pub(super) options: &'a ResearchOptions,
    /// Which models may receive what the lane has found.
    pub(super) label: Label,
    /// The rounds of the lane so far.
    pub(super) logs: &'a [RoundLog],
}

/// Asks the models of role `supervision` for the next round of `course`: what is known, then which directives to send, unless what is known
/// is enough. At [`Depth::Deep`] the directives of the first round are revised once.
pub(super) async fn supervise(
    round: &SupervisedRound<'_>,
    course: &ResearchCourse,
    ctx: &PhaseContext,
) -> Result<SupervisionResult, PhaseError> {
    let SupervisedRound { session, options, label, logs } = *round;
    let told = SupervisorNotes {
        today: day(session),
        findings: latest(logs.iter().flat_map(summaries).map(|(id, said)| format!("{id}: {said}")).collect()),
        thoughts: logs.iter().map(|log| log.think.clone()).filter(|think| !think.is_empty()).collect(),
        refused: logs.last().map(|log| log.refused.clone()).unwrap_or_default(),
        calls_left: researcher::DEFAULT_CALLS,
    };
    let seen = course.think_task(told);
    let mut unreadable = BTreeMap::new();
    let thought: Thought = ask_counting(label, Task::Think(seen.clone()), &mut unreadable, ctx).await?;
    // A supervisor alone does not end a research: where code does not agree, it is asked to delegate all the same.
    if thought.is_enough && course.may_be_complete() {
        let delegation = Delegation::default();
        return Ok(SupervisionResult { delegation, think: thought.text, is_enough: true, unreadable });
    }
    let (brief, DirectiveBound { most, funded, compared }) = (course.brief(), bound(course));
    let task = DelegateTask {
        seen: seen.clone(),
        thought: thought.clone(),
        complexity: brief.complexity,
        compared,
        max_directives: most.min(funded),
    };
    let mut delegation: Delegation = ask_counting(label, Task::Delegate(task), &mut unreadable, ctx).await?;
    if logs.is_empty() && options.depth == Depth::Deep && !delegation.directives.is_empty() {
        let critique = CritiqueDirectivesTask {
            question: session.query.clone(),
            today: seen.today.clone(),
            plan: seen.plan.clone(),
            delegation,
            complexity: brief.complexity,
            compared,
            max_directives: most.min(funded),
        };
        delegation = ask_counting(label, Task::CritiqueDirectives(critique), &mut unreadable, ctx).await?;
    }
    Ok(SupervisionResult { delegation, think: thought.text, is_enough: thought.is_enough, unreadable })
}

/// The directives that the next round of `course` may have.
fn bound(course: &ResearchCourse) -> DirectiveBound {
    let compared = course.compared_count();
    DirectiveBound {
        most: course.most_directives().min(course.deserved_directives()),
        funded: course.funded_directives(),
        compared,
    }
}

/// Returns the researchers' summaries of a round, each with the id of its directive.
pub(super) fn summaries(log: &RoundLog) -> impl Iterator<Item = (String, String)> + '_ {
    let said = log.assignments.iter().zip(&log.gathered).filter(|(_, one)| !one.summary.is_empty());
    said.map(|(assignment, one)| (assignment.id.clone(), one.summary.clone()))
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

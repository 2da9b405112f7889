//! Supervision of a round by a model: think, then delegate, in two calls; the first directives are looked over once.
//!
//! A model adds to what is planned without one and takes nothing away. What it writes is read strictly and bounded by code.

use std::collections::BTreeMap;

use precis_distill::research::{RefusedDirective, ResearchCourse, SupervisorNotes, admit, researcher};
use precis_proto::label::Label;
use precis_proto::research::RoundLog;
use precis_proto::state::SessionState;
use precis_proto::task::{CritiqueDirectivesTask, DelegateTask, Delegation, DirectiveDraft, Task, Thought};
use precis_runtime::runner::{PhaseContext, PhaseError};

/// Most findings of researchers and thoughts that a supervisor is shown.
const SHOWN: usize = 40;

/// What a supervisor wants of a round.
#[derive(Debug, Default)]
pub(super) struct SupervisionResult {
    pub(super) delegated: Vec<DirectiveDraft>,
    pub(super) think: String,
    pub(super) refused: Vec<String>,
    /// Answers that could not be read, by who gave them.
    pub(super) unreadable: BTreeMap<String, u32>,
    /// The supervisor says that nothing is left to look for.
    pub(super) is_complete: bool,
}

/// Asks the models of supervision for the next round of `course`, of which `logs` are the rounds so far and `label` says who may be told
/// of them.
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
    let (brief, elements) = (course.brief(), course.compared());
    let most = course.most_directives().min(course.deserved());
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
    let is_complete = delegation.is_complete && course.may_be_complete();
    let admission = admit(delegation, &seen.plan, &course.topics(), (most, elements));
    Ok(SupervisionResult {
        delegated: admission.admitted,
        think: thought.text,
        refused: admission.refused.iter().map(RefusedDirective::line).collect(),
        unreadable,
        is_complete,
    })
}

/// What the researchers of a round said they found, each behind the name of its directive.
fn summaries(log: &RoundLog) -> impl Iterator<Item = String> + '_ {
    let said = log.assignments.iter().zip(&log.gathered).filter(|(_, one)| !one.summary.is_empty());
    said.map(|(assignment, one)| format!("{}: {}", assignment.id, one.summary))
}

/// The last of them, in their order.
fn latest(mut all: Vec<String>) -> Vec<String> {
    all.split_off(all.len().saturating_sub(SHOWN))
}

/// Puts a task, of which strangers may be told as much as `label` says, to its models and reads the answer.
pub(super) async fn ask<A: serde::de::DeserializeOwned>(
    label: Label,
    task: Task,
    ctx: &PhaseContext,
) -> Result<A, PhaseError> {
    ask_counting(label, task, &mut BTreeMap::new(), ctx).await
}

/// The same, with the answers on the way to it that could not be read added to `unreadable`.
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
    serde_json::from_value(called.value).map_err(|_| {
        PhaseError::transient("model_failed", format!("{} gave no answer that can be read", called.provider))
    })
}

/// The day on which the session was accepted: what prompts say, whenever a call is made.
pub(super) fn day(session: &SessionState) -> String {
    session.created_at.to_string().chars().take(10).collect()
}

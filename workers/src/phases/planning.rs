//! Planning: writes the plan of research before anything is searched.

use std::sync::Arc;

use bytes::Bytes;
use precis_evidence::question::analysis::analyse;
use precis_evidence::question::follow_up::question_in_conversation;
use precis_proto::Phase;
use precis_proto::event::EventKind;
use precis_proto::failure_code::FailureCode;
use precis_proto::label::Label;
use precis_proto::research::{Depth, Fork, Plan, ResearchOptions, ResearchState, RoundLog};
use precis_proto::source::ContentRef;
use precis_proto::state::SessionState;
use precis_proto::task::{CritiquePlanTask, PlanDraft, PlanTask, Task, TaskPlan};
use precis_research::{MOST_SUB_QUESTIONS, join, plan};
use precis_runtime::content::ContentStore;
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::give_up;
use super::route::{PhaseEnd, next};
use super::supervision::{ask, day};
use crate::lanes::Lanes;

/// The planning phase.
#[derive(Debug)]
pub struct PlanningPhase {
    /// The lanes that can be searched.
    pub lanes: Arc<Lanes>,
    /// Whether a model plans.
    pub is_supervised: bool,
    /// Whether it must not receive private text.
    pub is_kept_private: bool,
}

impl PhaseHandler for PlanningPhase {
    const PHASE: Phase = Phase::Planning;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let options = research_options(&mut session)?;
        let content = &ctx.services().content;
        // Fail before a model is paid for a plan if the lanes cannot be searched.
        let searchable = match self.lanes.check(options) {
            Ok(()) => self.lanes.folders(&options.corpus, content).await.map(drop),
            missing => missing,
        };
        if let Err(error) = searchable {
            return Err(match error.is_transient {
                true => PhaseError::transient(error.code, error.message),
                false => give_up(&session, FailureCode::from_word(error.code), &error.message, error.remedy),
            });
        }
        let label = options.question_label();
        let may_see = label.is_public() || !self.is_kept_private;
        // Taken out of the options, which travel with every message: from here on the plan is in the content store.
        let given = options.plan.take();
        let fork = options.fork.take();
        let depth = options.depth;
        let plan = match given {
            Some(given) => given,
            None if self.is_supervised && may_see => model_plan(&session, (label, depth), ctx).await?,
            None => plan(&analyse(&session.query)),
        };
        let sub_questions = plan.sub_questions.len() as u32;
        let plan = put(&plan, content).await?;
        ctx.announce(EventKind::PlanWritten { plan: plan.clone(), sub_questions });
        let rounds = match &fork {
            Some(fork) => kept_rounds(&session, fork, content).await?,
            None => Vec::new(),
        };
        let forked = fork.map(|fork| fork.from);
        session.research = Some(ResearchState {
            plan,
            rounds,
            course: None,
            refinement: None,
            evaluated: None,
            failure: None,
            forked,
        });
        Ok(next(session, Self::PHASE, PhaseEnd::Done))
    }
}

/// Gets a model's plan, has it revised once at [`Depth::Deep`], and joins it with the built-in plan. The model gets only the question,
/// because its plan may be sent to a search provider.
async fn model_plan(
    session: &SessionState,
    (label, depth): (Label, Depth),
    ctx: &PhaseContext,
) -> Result<Plan, PhaseError> {
    let built_in = plan(&analyse(&session.query));
    // Of the prior context the model gets only the user's own words.
    let question = question_in_conversation(&session.query, &*ctx.prior().await?);
    let (today, language) = (day(session), built_in.brief.language.clone());
    let task = PlanTask {
        question: question.clone(),
        today: today.clone(),
        language: language.clone(),
        given: Vec::new(),
        built_in: TaskPlan { brief: built_in.brief.clone(), sub_questions: built_in.sub_questions.clone() },
        max_sub_questions: MOST_SUB_QUESTIONS,
    };
    let called = ctx.model_labelled(label, &Task::Plan(task)).await?;
    let mut draft: PlanDraft = serde_json::from_value(called.value)
        .map_err(|_| PhaseError::transient("model_failed", format!("{} returned no valid plan", called.provider)))?;
    if depth == Depth::Deep {
        let given = Vec::new();
        let max_sub_questions = MOST_SUB_QUESTIONS;
        let critique = CritiquePlanTask { question, today, language, given, draft, max_sub_questions };
        draft = ask(label, Task::CritiquePlan(critique), ctx).await?;
    }
    let mut plan = join(built_in, draft);
    plan.brief.written_by = called.provider;
    Ok(plan)
}

/// Stores each round that the fork contains, and returns their references.
async fn kept_rounds(
    session: &SessionState,
    fork: &Fork,
    content: &ContentStore,
) -> Result<Vec<ContentRef>, PhaseError> {
    let kept: Vec<Vec<RoundLog>> = get(&fork.rounds, content).await?;
    if kept.len() != fork.from.round as usize {
        let message = format!("the fork continues from round {} but contains {} rounds", fork.from.round, kept.len());
        return Err(give_up(session, FailureCode::InvalidFork, &message, "fork the report again with `precis fork`"));
    }
    let mut rounds = Vec::new();
    for round in &kept {
        rounds.push(put(round, content).await?);
    }
    Ok(rounds)
}

/// Returns the session's research options.
///
/// # Errors
/// The session has none although it is in a phase of research.
pub(super) fn research_options(session: &mut SessionState) -> Result<&mut ResearchOptions, PhaseError> {
    if session.options.research.is_none() {
        let message = "the session is in a research phase but has no research options";
        return Err(give_up(session, FailureCode::NoResearch, message, "submit the request again"));
    }
    Ok(session.options.research.get_or_insert_default())
}

/// Stores a value as JSON.
pub(super) async fn put<T: Serialize>(value: &T, content: &ContentStore) -> Result<ContentRef, PhaseError> {
    let bytes = serde_json::to_vec(value).map_err(|e| PhaseError::transient("unwritable", e.to_string()))?;
    content.put(Bytes::from(bytes)).await.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))
}

/// Reads a value stored by [`put`].
pub(super) async fn get<T: DeserializeOwned>(reference: &ContentRef, content: &ContentStore) -> Result<T, PhaseError> {
    let bytes = content.get(reference).await;
    let bytes = bytes.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|e| PhaseError::transient("content_unreadable", e.to_string()))
}

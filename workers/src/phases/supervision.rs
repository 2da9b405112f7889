//! Supervision of a round by a model: think, then delegate, in two calls; the first directives are looked over once.
//!
//! A model adds to what is planned without one and takes nothing away. What it writes is read strictly and bounded by code.

use precis_distill::research::{Course, Refused, Told, admit, allowed, researcher};
use precis_proto::research::{RoundLog, Stop};
use precis_proto::state::SessionState;
use precis_proto::task::{CritiqueDirectivesTask, DelegateTask, Delegation, DirectiveDraft, Task, Thought};
use precis_runtime::runner::{PhaseContext, PhaseError};

/// Of tokens, money and time so much is kept for reading and writing the report.
const RESERVE: f64 = 0.2;
/// Most findings of researchers and thoughts that a supervisor is shown.
const SHOWN: usize = 40;

/// What a supervisor wants of a round.
#[derive(Debug, Default)]
pub(super) struct Supervised {
    pub(super) delegated: Vec<DirectiveDraft>,
    pub(super) think: String,
    pub(super) refused: Vec<String>,
    /// The supervisor says that nothing is left to look for.
    pub(super) is_complete: bool,
}

/// Asks the models of supervision for the next round of `course`, of which `logs` are the rounds so far.
pub(super) async fn supervise(
    session: &SessionState,
    course: &Course,
    logs: &[RoundLog],
    ctx: &PhaseContext,
) -> Result<Supervised, PhaseError> {
    let summaries = logs.iter().flat_map(|log| &log.gathered).map(|one| one.summary.clone());
    let told = Told {
        today: day(session),
        findings: latest(summaries.filter(|summary| !summary.is_empty()).collect()),
        thoughts: logs.iter().map(|log| log.think.clone()).filter(|think| !think.is_empty()).collect(),
        refused: logs.last().map(|log| log.refused.clone()).unwrap_or_default(),
        calls_left: researcher::DEFAULT_CALLS,
    };
    let seen = course.seen(told);
    let thought: Thought = ask(Task::Think(seen.clone()), ctx).await?;
    let (brief, elements) = (course.brief(), course.compared());
    let most = course.most_directives().min(allowed(brief.complexity, elements));
    let task = DelegateTask {
        seen: seen.clone(),
        thought: thought.clone(),
        complexity: brief.complexity,
        compared: elements,
        max_directives: most,
    };
    let mut delegation: Delegation = ask(Task::Delegate(task), ctx).await?;
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
        delegation = ask(Task::CritiqueDirectives(critique), ctx).await?;
    }
    let is_complete = delegation.is_complete && course.may_be_complete();
    let admission = admit(delegation, &seen.plan, &course.topics(), most);
    Ok(Supervised {
        delegated: admission.admitted,
        think: thought.text,
        refused: admission.refused.iter().map(Refused::line).collect(),
        is_complete,
    })
}

/// The last of them, in their order.
fn latest(mut all: Vec<String>) -> Vec<String> {
    all.split_off(all.len().saturating_sub(SHOWN))
}

/// Puts a task to its models and reads the answer.
pub(super) async fn ask<A: serde::de::DeserializeOwned>(task: Task, ctx: &PhaseContext) -> Result<A, PhaseError> {
    let called = ctx.model(&task).await?;
    serde_json::from_value(called.value).map_err(|_| {
        PhaseError::transient("model_failed", format!("{} gave no answer that can be read", called.provider))
    })
}

/// The day on which the session was accepted: what prompts say, whenever a call is made.
pub(super) fn day(session: &SessionState) -> String {
    session.created_at.to_string().chars().take(10).collect()
}

/// Why no further round may begin: what the session may spend is spent but for what the report needs.
pub(super) fn spent(session: &SessionState, now: precis_proto::Timestamp) -> Option<Stop> {
    let account = &session.account;
    let tokens: u64 = session.calls.iter().map(|call| call.input_tokens + call.output_tokens).sum();
    let usd: f64 = session.calls.iter().map(|call| call.cost_usd).sum();
    let share = 1.0 - RESERVE;
    let is_over = |used: f64, limit: Option<f64>| limit.is_some_and(|limit| used >= limit * share);
    let whole = session.deadline.map(|deadline| (deadline.0 - session.created_at.0) as f64);
    if is_over(tokens as f64, account.max_spend_tokens.map(|limit| limit as f64)) {
        Some(Stop::Tokens)
    } else if is_over(usd, account.max_spend_usd) && usd > 0.0 {
        Some(Stop::Money)
    } else if is_over((now.0 - session.created_at.0) as f64, whole) {
        Some(Stop::Time)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::Timestamp;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fifth_of_what_may_be_spent_is_kept_for_the_report() {
        let state = |tokens: u64, usd: f64, limits: serde_json::Value| -> SessionState {
            let call = json!({ "call_key": "k", "role": "research", "provider": "a:b", "paid": true,
                "input_tokens": tokens, "output_tokens": 0, "cost_usd": usd });
            let state = json!({
                "schema_version": 4, "session_id": "s", "revision": 1, "phase": "gathering", "query": "q", "sources": [],
                "created_at": "2026-01-01T00:00:00Z", "deadline": "2026-01-01T00:01:40Z", "calls": [call], "account": limits,
            });
            serde_json::from_value(state).expect("a state")
        };
        let begun: Timestamp = serde_json::from_value(json!("2026-01-01T00:00:00Z")).expect("a time");
        let limits = || json!({ "max_spend_tokens": 100, "max_spend_usd": 1.0 });
        for (tokens, usd, seconds, want) in [
            (79, 0.79, 79, None),
            (80, 0.0, 0, Some(Stop::Tokens)),
            (81, 0.0, 0, Some(Stop::Tokens)),
            (0, 0.8, 0, Some(Stop::Money)),
            (0, 0.0, 80, Some(Stop::Time)),
        ] {
            let now = begun.plus_ms(seconds * 1_000);
            assert_eq!(spent(&state(tokens, usd, limits()), now), want, "{tokens} {usd} {seconds}");
        }
        assert_eq!(spent(&state(1_000_000, 100.0, json!({})), begun), None);
    }
}

//! Judgement by a model: puts the statements that passed the checks to role `evaluation`, one per call, each with only its quotes, and asks
//! whether the statements answer the question. This module makes the calls until none is left or their share of the budget is used up;
//! [`precis_report::answered`] weighs the answers.

use std::sync::Arc;
use std::time::Instant;

use precis_proto::account::Spent;
use precis_proto::call::CallRecord;
use precis_proto::claim::JudgeCounts;
use precis_proto::research::GatheringResult;
use precis_proto::state::SessionState;
use precis_proto::task::{Judgement, Role, Task};
use precis_report::answered::ReportSaid;
use precis_report::claims::{JudgingUse, Opinions, SettledDraft, SourceTexts, counted, counts, may_ask, questions};
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{PhaseContext, PhaseError};

use crate::documents::texts::compute;

/// The start of judging, and the session's remaining time at that moment.
#[derive(Debug)]
pub(super) struct JudgingClock {
    began: Instant,
    left_ms: Option<u64>,
}

impl JudgingClock {
    pub(super) fn new(session: &SessionState, ctx: &PhaseContext) -> Self {
        let left_ms = session.deadline.map(|deadline| u64::try_from(deadline.0 - ctx.now().0).unwrap_or(0));
        Self { began: Instant::now(), left_ms }
    }

    /// Returns what judging has used by now, after `asked` questions of which the last `unanswered` got no answer.
    pub(super) fn used(
        &self,
        session: &SessionState,
        (asked, unanswered): (usize, usize),
        ctx: &PhaseContext,
    ) -> JudgingUse {
        JudgingUse {
            asked,
            unanswered,
            judging_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            left_ms: self.left_ms,
            ..spent(session, &ctx.recorded().calls)
        }
    }
}

/// A model's judgements on the statements of a report.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// The judgements that count.
    pub(super) opinions: Opinions,
    /// Number of statements asked about.
    asked: usize,
    /// Number of unanswered questions at the end.
    pub(super) unanswered: usize,
}

impl Heard {
    /// Returns the counts for the report, once it is settled with the opinions.
    pub(super) fn counts(&self, settled: &SettledDraft) -> Option<JudgeCounts> {
        counts(self.asked, &settled.claims)
    }
}

/// Asks about the statements of `settled`, whose quotes are in `texts`.
///
/// # Errors
/// An interrupt to pass on; the answers received so far are stored.
pub(super) async fn hear(
    session: &SessionState,
    settled: &SettledDraft,
    texts: &Arc<SourceTexts>,
    clock: &JudgingClock,
    ctx: &PhaseContext,
) -> Result<Heard, PhaseError> {
    let (shown, of) = (settled.clone(), Arc::clone(texts));
    let asked = compute(move || questions(&shown, &of)).await;
    let (mut answers, mut unanswered): (Vec<Judgement>, usize) = (Vec::new(), 0);
    // One after the other: what the answers so far have cost decides whether the next question is asked.
    for question in &asked {
        let spent = clock.used(session, (answers.len(), unanswered), ctx);
        // After an early stop no model answers any more.
        if ctx.is_stopped() || !may_ask(&spent, question.tokens) {
            break;
        }
        let called = ctx.model(&Task::Judge(question.task.clone())).await?;
        unanswered = if called.provider == LOCAL_MODEL { unanswered + 1 } else { 0 };
        // An unreadable answer counts as no judgement.
        answers.push(serde_json::from_value(called.value).unwrap_or_default());
    }
    let (claims, of, number) = (settled.claims.clone(), Arc::clone(texts), answers.len());
    let opinions = compute(move || counted(&asked, &answers, &claims, &of)).await;
    Ok(Heard { opinions, asked: number, unanswered })
}

/// Asks whether the statements of `report` answer the question: each sub-question if research planned several, otherwise the whole.
/// `unanswered` questions in a row came before.
///
/// # Errors
/// As [`hear`].
pub(super) async fn hear_answers(
    session: &SessionState,
    gathered: Option<&GatheringResult>,
    report: &mut ReportSaid,
    mut unanswered: usize,
    clock: &JudgingClock,
    ctx: &PhaseContext,
) -> Result<(), PhaseError> {
    let plan = gathered.map_or(&[][..], |gathered| &gathered.research.plan);
    let parts: Vec<String> = match plan.len() {
        0 | 1 => vec![session.query.clone()],
        _ => plan.iter().map(|part| part.text.clone()).collect(),
    };
    for (asked, question) in report.questions(&parts).iter().enumerate() {
        let spent = clock.used(session, (asked, unanswered), ctx);
        if ctx.is_stopped() || !may_ask(&spent, question.tokens) {
            break;
        }
        let called = ctx.model(&Task::Judge(question.task.clone())).await?;
        unanswered = if called.provider == LOCAL_MODEL { unanswered + 1 } else { 0 };
        report.hear(question, &serde_json::from_value(called.value).unwrap_or_default());
    }
    Ok(())
}

/// Returns what the session and its judging have used; `recorded` are the calls of this lease, which are not yet in the session.
fn spent(session: &SessionState, recorded: &[CallRecord]) -> JudgingUse {
    let all: Vec<CallRecord> = session.calls.iter().chain(recorded).cloned().collect();
    let judging: Vec<CallRecord> = all.iter().filter(|call| call.role == Role::Evaluation).cloned().collect();
    let (judging, all) = (Spent::from_calls(&judging), Spent::from_calls(&all));
    JudgingUse {
        judging_tokens: judging.tokens,
        tokens: all.tokens,
        max_tokens: session.account.max_spend_tokens,
        judging_usd: judging.usd,
        usd: all.usd,
        max_usd: session.account.max_spend_usd,
        ..JudgingUse::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_used_is_that_of_the_session_and_of_this_lease() {
        let call = |key: &str, role: &str, usd: f64| {
            json!({ "call_key": key, "role": role, "provider": "a:b", "paid": true, "input_tokens": 10,
                "output_tokens": 1, "cost_usd": usd })
        };
        let state = json!({
            "schema_version": 4, "session_id": "s", "revision": 1, "phase": "evaluation", "query": "q", "sources": [],
            "created_at": "2026-01-01T00:00:00Z", "calls": [call("a", "synthesis", 0.5), call("b", "evaluation", 0.25)],
            "account": { "max_spend_tokens": 100, "max_spend_usd": 1.0 },
        });
        let session: SessionState = serde_json::from_value(state).expect("a state");
        let recorded: CallRecord = serde_json::from_value(call("c", "evaluation", 0.125)).expect("a call");
        let want = JudgingUse {
            judging_tokens: 22,
            tokens: 33,
            max_tokens: Some(100),
            judging_usd: 0.375,
            usd: 0.875,
            max_usd: Some(1.0),
            ..JudgingUse::default()
        };
        assert_eq!(spent(&session, &[recorded]), want);
    }
}

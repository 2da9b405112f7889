//! Judgement by a model: puts the statements of a report to role `evaluation`, several in a call, gives those that fail back to their
//! writer once, and asks whether the statements answer the question. This module makes the calls until none is left or their share of the
//! budget is used up; [`precis_report::claims`] decides what they say and what comes of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use precis_proto::account::Spent;
use precis_proto::call::CallRecord;
use precis_proto::claim::JudgeCounts;
use precis_proto::research::GatheringResult;
use precis_proto::state::SessionState;
use precis_proto::task::{Judgement, PartVerdict, PartVerdicts, Replacements, Role, Task, Verdicts};
use precis_report::answered::ReportSaid;
use precis_report::claims::{
    BatchOutcome, JudgingUse, OpenStatement, Opinion, Opinions, SettledDraft, batches, counts, may_ask, most_calls,
    open_statements, repair_request,
};
use precis_runtime::config::{JudgePolicy, LOCAL_MODEL};
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::claims::DraftToSettle;
use super::verdict_memo::VerdictKeys;
use crate::documents::texts::compute;

/// Calls whose controls fail, or that get no answer, after which no more are made.
const FAILED_MOST: usize = 2;

/// The calls to judge one report.
pub(super) struct Judging<'a> {
    session: &'a SessionState,
    ctx: &'a PhaseContext,
    began: Instant,
    left_ms: Option<u64>,
    /// Most tokens of statements and passages in one call.
    room_tokens: u64,
    /// The models that may answer.
    chain: &'a [String],
    /// Calls made, and the most there may be.
    calls: usize,
    most: usize,
    /// Calls that judged nothing.
    failed: usize,
    /// Statements asked about.
    asked: usize,
}

impl<'a> Judging<'a> {
    /// Judging of `session` in calls of at most `room_tokens` tokens of statements and passages; `chain` are the models that may answer.
    pub(super) fn new(session: &'a SessionState, room_tokens: u64, chain: &'a [String], ctx: &'a PhaseContext) -> Self {
        let left_ms = session.deadline.map(|deadline| u64::try_from(deadline.0 - ctx.now().0).unwrap_or(0));
        // A report without statements to judge is still asked whether it answers.
        let most = most_calls(1);
        Self { session, ctx, chain, began: Instant::now(), left_ms, room_tokens, calls: 0, most, failed: 0, asked: 0 }
    }

    /// The counts for the report, once it is settled.
    pub(super) fn counts(&self, settled: &SettledDraft) -> Option<JudgeCounts> {
        counts(self.asked, &settled.claims)
    }

    /// What judging has used by now.
    pub(super) fn judging_use(&self) -> JudgingUse {
        JudgingUse {
            asked: self.calls,
            most: self.most,
            is_over: self.failed >= FAILED_MOST || self.ctx.is_stopped(),
            judging_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            left_ms: self.left_ms,
            ..session_use(self.session, &self.ctx.lease_record().calls)
        }
    }

    /// Judges the statements of `draft`, repairs what fails, and returns it settled.
    ///
    /// # Errors
    /// An interrupt to pass on; the answers received so far are stored.
    pub(super) async fn judge(
        &mut self,
        draft: &Arc<DraftToSettle>,
        settled: SettledDraft,
        policy: JudgePolicy,
    ) -> Result<SettledDraft, PhaseError> {
        let open = match policy {
            JudgePolicy::All => open_statements(&settled, false),
            JudgePolicy::Doubts => open_statements(&settled, true),
            JudgePolicy::Off => Vec::new(),
        };
        self.most = self.most.max(most_calls(open.len()));
        let mut opinions = Opinions { judged: self.hear(draft, open).await?, ..Opinions::default() };
        if opinions.judged.is_empty() {
            return Ok(settled);
        }
        let judged = draft.settle(opinions.clone()).await;
        let (of, first) = (Arc::clone(draft), judged.clone());
        let Some(request) = compute(move || repair_request(&of.query, &first, &of.pieces())).await else {
            return Ok(judged);
        };
        let replacements = if self.ctx.is_stopped() {
            Replacements::default()
        } else {
            let called = self.ctx.model(&Task::Repair(request.task.clone())).await?;
            // An unreadable answer repairs nothing.
            serde_json::from_value(called.value).unwrap_or_default()
        };
        let repaired = request.apply_replacements(&replacements.replacements, &judged, &draft.pieces());
        let again = self.hear(draft, repaired.open.clone()).await?;
        opinions = opinions.with_fates(request.fates(&judged, &repaired, &again, &draft.pieces()));
        Ok(draft.settle(opinions).await)
    }

    /// Asks about `open`, in calls of several, and returns the opinions that count by claim.
    async fn hear(
        &mut self,
        draft: &Arc<DraftToSettle>,
        open: Vec<OpenStatement>,
    ) -> Result<BTreeMap<usize, Opinion>, PhaseError> {
        let keys = VerdictKeys::new(&open, draft, self.chain);
        let (mut heard, open) = keys.recall(open, draft, self.ctx).await;
        self.asked += heard.len();
        let (of, room) = (Arc::clone(draft), self.room_tokens);
        let batches = compute(move || batches(&open, &of.pieces(), room)).await;
        // One after the other: what the answers so far have cost, and whether they count, decides whether the next call is made.
        for batch in batches {
            if !may_ask(&self.judging_use(), batch.tokens) {
                break;
            }
            self.asked += batch.statements();
            let Some(answer) = self.ask::<Verdicts>(Task::JudgeStatements(batch.task.clone())).await? else { continue };
            match batch.outcome(&answer, &draft.texts) {
                BatchOutcome::Judged(verdicts) => {
                    keys.keep(&verdicts, self.ctx).await;
                    heard.extend(verdicts.into_iter().map(|one| (one.claim, one.opinion)));
                }
                BatchOutcome::FailedControls => self.failed += 1,
            }
        }
        Ok(heard)
    }

    /// Makes one call; `None` if no model answered, or if it was not shown all of the task.
    async fn ask<A: serde::de::DeserializeOwned + Default>(&mut self, task: Task) -> Result<Option<A>, PhaseError> {
        self.calls += 1;
        let called = self.ctx.model(&task).await?;
        if called.provider == LOCAL_MODEL {
            self.failed += 1;
            return Ok(None);
        }
        // What did not fit into its window was not judged, and a statement without its end may say something else.
        if !called.cut.is_empty() {
            return Ok(None);
        }
        // An unreadable answer counts as no judgement.
        Ok(Some(serde_json::from_value(called.value).unwrap_or_default()))
    }

    /// Asks whether the statements of `report` answer the question: each sub-question if research planned several, otherwise the whole.
    ///
    /// # Errors
    /// As [`Judging::judge`].
    pub(super) async fn hear_answers(
        &mut self,
        gathered: Option<&GatheringResult>,
        report: &mut ReportSaid,
    ) -> Result<(), PhaseError> {
        let plan = gathered.map_or(&[][..], |gathered| &gathered.research.plan);
        let parts: Vec<String> = match plan.len() {
            0 | 1 => vec![self.session.query.clone()],
            _ => plan.iter().map(|part| part.text.clone()).collect(),
        };
        let Some(question) = report.question(&parts).filter(|one| may_ask(&self.judging_use(), one.tokens)) else {
            return Ok(());
        };
        if question.has_parts() {
            let answer: Option<PartVerdicts> = self.ask(question.task()).await?;
            for PartVerdict { part, verdict, quote, reason } in answer.unwrap_or_default().verdicts {
                report.hear(&question, part, &Judgement { verdict: Some(verdict), quote, reason });
            }
        } else if let Some(answer) = self.ask::<Judgement>(question.task()).await? {
            report.hear(&question, 1, &answer);
        }
        Ok(())
    }
}

/// Returns what the session and its judging have used; `recorded` are the calls of this lease, which are not yet in the session.
fn session_use(session: &SessionState, recorded: &[CallRecord]) -> JudgingUse {
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
        assert_eq!(session_use(&session, &[recorded]), want);
    }
}

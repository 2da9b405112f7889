//! One task with one provider: repeats an unreadable answer with a complaint, steps down one level, shrinks payloads that overflow.
//!
//! From the outside in: [`Conversation::converse`] asks until an answer is valid, [`Conversation::ask_within_window`] shrinks the payload
//! until it fits, [`Conversation::pay_once`] takes the answer from the memo or sends requests, [`Conversation::wait_until_welcome`] keeps
//! the pause the provider asked for.

use std::sync::Arc;

use precis_proto::call::CallRecord;
use precis_proto::prior::Prior;
use precis_proto::task::Task;
use precis_proto::warning::{Warning, WarningCode};
use tokio::time::{Instant, sleep_until};

use super::call_order::{CallOrder, FinishedRequest};
use super::count;
use super::failure::{Code, Failure};
use super::gate::{GateAttempt, GateError, PreparedPayload};
use super::memo::{self as answers, CountedBy};
use super::provider::Provider;
use super::state::ModelsState;
use super::tally::{CheckedAnswer, Tally};
use crate::paid::{BillingContext, dispatch, memo};

/// How often a payload is shrunk because the provider reports an overflow.
const MAX_SHRINKS: u32 = 2;

/// Returns how often a model is asked again after an unreadable answer to `task`. Research tasks get one more try, because they have no
/// simpler level to step down to.
fn max_repeats(task: &Task) -> u32 {
    match task {
        Task::Turn(_)
        | Task::Plan(_)
        | Task::CritiquePlan(_)
        | Task::Think(_)
        | Task::Delegate(_)
        | Task::CritiqueDirectives(_)
        | Task::Gaps(_) => 2,
        Task::Summarize(_)
        | Task::SummarizeTogether(_)
        | Task::Compress(_)
        | Task::Synthesize(_)
        | Task::Judge(_)
        | Task::JudgeParts(_)
        | Task::JudgeStatements(_)
        | Task::Repair(_)
        | Task::Rate(_) => 1,
    }
}

/// The exchange with one provider about one task.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    pub(super) inner: &'a Arc<ModelsState>,
    pub(super) billing: &'a BillingContext,
    /// The session's prior context.
    pub(super) prior: &'a Arc<Prior>,
    /// `NAME:MODEL`.
    pub(super) link: &'a str,
    pub(super) provider: &'a Arc<Provider>,
    pub(super) model: &'a str,
    /// Nothing is sent after this.
    pub(super) deadline: Instant,
    pub(super) tally: &'a mut Tally,
}

impl Conversation<'_> {
    /// Asks until an answer is valid: first plainly, then with the complaint about the last answer, then once with the simpler task one
    /// level down, which more models answer correctly.
    ///
    /// # Errors
    /// [`Code::Malformed`] if no answer was valid; any other failure ends the conversation at once.
    pub(super) async fn converse(mut self, task: &Arc<Task>) -> Result<CheckedAnswer, Failure> {
        let mut complaint = match self.ask_within_window(task, None).await? {
            Ok(answered) => return Ok(self.gone_on(task, answered).await),
            Err(complaint) => complaint,
        };
        for n in 0..max_repeats(task) {
            // The number makes each repeat a different request: an identical one would get the same bad answer from the memo.
            let numbered = if n == 0 { complaint } else { format!("{complaint} (refused {} times)", n + 1) };
            complaint = match self.ask_within_window(task, Some(numbered)).await? {
                Ok(answered) => return Ok(self.gone_on(task, answered).await),
                Err(complaint) => complaint,
            };
        }
        let Some(lower) = self.inner.gate.step_down(task).map(Arc::new) else {
            return Err(Failure::new(Code::Malformed, complaint));
        };
        match self.ask_within_window(&lower, None).await? {
            Ok(answered) => Ok(CheckedAnswer { stepped_down: Some(Arc::unwrap_or_clone(lower)), ..answered }),
            Err(complaint) => Err(Failure::new(Code::Malformed, complaint)),
        }
    }

    /// Goes on once with an answer that was cut off. If that fails or is cut off too, what is whole stands, with a warning.
    async fn gone_on(&mut self, task: &Arc<Task>, mut begun: CheckedAnswer) -> CheckedAnswer {
        let more = if begun.is_begun { self.inner.gate.going_on(task, &begun.value).map(Arc::new) } else { None };
        let Some(more) = more else { return begun };
        let is_whole = match self.ask_within_window(&more, None).await {
            Ok(Ok(rest)) => {
                begun.value = self.inner.gate.join_answers(begun.value, &rest.value);
                !rest.is_begun
            }
            Ok(Err(_)) | Err(_) => false,
        };
        if !is_whole {
            let message =
                format!("the answer of {} was cut off, and so was what followed; its end is missing", self.link);
            begun.warnings.push(Warning::new(WarningCode::ContentTruncated, self.tally.phase(), message));
        }
        begun
    }

    /// Sends one question, shrinking its payload until it fits the provider's window. Returns the value, or the complaint about the text,
    /// which the tally counts as unreadable.
    async fn ask_within_window(
        &mut self,
        task: &Arc<Task>,
        complaint: Option<String>,
    ) -> Result<Result<CheckedAnswer, String>, Failure> {
        let mut attempt = GateAttempt {
            window: self.inner.named_window(self.provider, self.model).await,
            complaint,
            prior: Arc::clone(self.prior),
            ..GateAttempt::default()
        };
        let mut shrinks_left = MAX_SHRINKS;
        loop {
            let prepared = self.prepare(task, &attempt).await?;
            let key = answers::key(self.link, self.provider, self.model, &prepared);
            match self.pay_once(task, &prepared, &key).await {
                Ok(answer) => {
                    let record = self.inner.record(&self.billing.session, self.link, &key, &answer.paid, self.tally);
                    let record = CallRecord { unreadable: answer.reading.is_err(), ..record };
                    self.tally.record(record, &prepared.layers);
                    if answer.reading.is_err() {
                        self.tally.unreadable(self.link);
                    }
                    let (cut, warnings) = (prepared.cut, self.warnings(prepared.warnings, answer.paid.counted));
                    let is_begun = answer.is_begun;
                    let checked = |value| CheckedAnswer { value, stepped_down: None, warnings, cut, is_begun };
                    return Ok(answer.reading.map(checked));
                }
                Err(failure) if failure.code == Code::Overflow && shrinks_left > 0 => {
                    shrinks_left -= 1;
                    self.tally.record_overflow();
                    self.shrink(&mut attempt, task, &failure, prepared.input_tokens).await?;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Makes the next attempt smaller by what `failure`, an overflow of a payload of `input_tokens`, says of the window.
    ///
    /// # Errors
    /// [`Code::WindowNamed`] if the caller has to split the text anew.
    async fn shrink(
        &self,
        attempt: &mut GateAttempt,
        task: &Task,
        failure: &Failure,
        input_tokens: u64,
    ) -> Result<(), Failure> {
        match (failure.counted, failure.window) {
            (Some(counted), _) => {
                attempt.per_hundred = Some(count::per_hundred(counted, input_tokens, attempt.per_hundred));
            }
            // Compared with this attempt's window, not with the stored one: a concurrent call may have stored it already.
            (None, Some(window)) if attempt.window.is_none_or(|known| window < known) => {
                self.inner.learn_window(self.provider, self.model, window).await;
                if matches!(task, Task::Summarize(_) | Task::SummarizeTogether(_)) {
                    return Err(Failure::new(Code::WindowNamed, format!("{window} tokens")));
                }
                attempt.window = Some(window);
            }
            (None, _) => attempt.shrink += 1,
        }
        Ok(())
    }

    /// Adjusts a payload's warnings about its token count: removes the estimate warning if the provider counted, adds one if the provider's
    /// counter did not answer.
    fn warnings(&self, mut warnings: Vec<Warning>, counted: CountedBy) -> Vec<Warning> {
        if counted == CountedBy::Provider {
            warnings.retain(|w| w.code != WarningCode::TokenCountEstimateUsed);
        }
        if counted == CountedBy::UsInstead && warnings.iter().all(|w| w.code != WarningCode::TokenCountEstimateUsed) {
            let message =
                format!("the tokens of a call to `{}` were estimated: its token counter did not answer", self.link);
            warnings.push(Warning { code: WarningCode::TokenCountEstimateUsed, message, phase: None, item_id: None });
        }
        warnings
    }

    /// Builds the payload on a blocking thread: counting a large one takes longer than an async thread may be held.
    async fn prepare(&self, task: &Arc<Task>, attempt: &GateAttempt) -> Result<PreparedPayload, Failure> {
        let (gate, task, link, attempt) =
            (Arc::clone(&self.inner.gate), Arc::clone(task), self.link.to_owned(), attempt.clone());
        match tokio::task::spawn_blocking(move || gate.prepare(&task, &link, &attempt)).await {
            Ok(Ok(prepared)) => Ok(prepared),
            Ok(Err(over @ GateError::OverBudget { .. })) => Err(Failure::new(Code::OverBudget, over.to_string())),
            Err(panic) => Err(Failure::new(Code::Internal, format!("prepare: {panic}"))),
        }
    }

    /// Returns the stored answer of `key`, else dispatches at most [`CallPolicy::tries`](super::CallPolicy) requests for a new one.
    async fn pay_once(
        &self,
        task: &Arc<Task>,
        prepared: &PreparedPayload,
        key: &str,
    ) -> Result<FinishedRequest, Failure> {
        if let Some(paid) = memo::look_up(&self.inner.store, key).await {
            return Ok(FinishedRequest::read(&*self.inner.gate, task, paid));
        }
        let policy = &self.inner.policy;
        let mut left = policy.tries.max(1);
        loop {
            self.wait_until_welcome().await?;
            let order = CallOrder {
                key: key.to_owned(),
                phase: self.tally.phase(),
                role: self.tally.role(),
                billing: self.billing.clone(),
                provider: Arc::clone(self.provider),
                model: self.model.to_owned(),
                task: Arc::clone(task),
                prepared: prepared.clone(),
                deadline: self.deadline,
            };
            let failure = match dispatch(self.inner, order).await {
                Ok(answer) => {
                    self.billing.unanswered.take(key);
                    return Ok(answer);
                }
                Err(failure) => failure,
            };
            left -= 1;
            // A pause that the provider asked for is kept by `wait_until_welcome`.
            let pause =
                if failure.retry_after.is_some() { Instant::now() } else { Instant::now() + policy.retry_delay };
            if left == 0 || !failure.code.is_transient() || pause >= self.deadline {
                return Err(failure);
            }
            sleep_until(pause).await;
        }
    }

    /// Waits out the pause the provider asked for.
    ///
    /// # Errors
    /// [`Code::RateLimited`] if the pause ends after the deadline.
    async fn wait_until_welcome(&self) -> Result<(), Failure> {
        match self.provider.not_before() {
            Some(at) if at >= self.deadline => {
                Err(Failure::new(Code::RateLimited, "the provider asks for a longer wait than the time left"))
            }
            Some(at) => {
                sleep_until(at).await;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

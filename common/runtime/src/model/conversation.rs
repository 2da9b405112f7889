//! One provider and one task: payloads that shrink while they overflow, a second try, a complaint, one level down.

use std::sync::Arc;

use precis_proto::call::CallRecord;
use precis_proto::prior::Prior;
use precis_proto::task::Task;
use precis_proto::warning::{Warning, WarningCode};
use tokio::time::{Instant, sleep_until};

use super::billing::BillingContext;
use super::call_order::{CallOrder, FinishedRequest};
use super::count;
use super::failure::{Code, Failure};
use super::gate::{GateAttempt, GateError, PreparedPayload};
use super::memo::{self, CountedBy};
use super::provider::Provider;
use super::state::ModelsState;
use super::tally::{CheckedAnswer, Tally};

/// How often a payload is made smaller because the provider says that it overflows.
const MAX_SHRINKS: u32 = 2;

/// How often a model is asked again whose answer to `task` cannot be read: a task of research has no lower level to go down to.
fn asked_again(task: &Task) -> u32 {
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
        | Task::Rate(_) => 1,
    }
}

/// The talk with one provider about one task.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    pub(super) inner: &'a Arc<ModelsState>,
    pub(super) billing: &'a BillingContext,
    /// What was before the session.
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
    /// Asks; where the answer does not hold, asks again with the complaint, then once one level down: less is asked for there, so
    /// that more models get it right.
    pub(super) async fn hold(mut self, task: &Arc<Task>) -> Result<CheckedAnswer, Failure> {
        let mut complaint = match self.read(task, None).await? {
            Ok(answered) => return Ok(answered),
            Err(complaint) => complaint,
        };
        for n in 0..asked_again(task) {
            // The same words again would be the same request, which the memo answers as it was answered before.
            let told = if n == 0 { complaint } else { format!("{complaint} (refused {} times)", n + 1) };
            complaint = match self.read(task, Some(told)).await? {
                Ok(answered) => return Ok(answered),
                Err(complaint) => complaint,
            };
        }
        let Some(lower) = self.inner.gate.step_down(task).map(Arc::new) else {
            return Err(Failure::new(Code::Malformed, complaint));
        };
        match self.read(&lower, None).await? {
            Ok(answered) => Ok(CheckedAnswer { stepped_down: Some(Arc::unwrap_or_clone(lower)), ..answered }),
            Err(complaint) => Err(Failure::new(Code::Malformed, complaint)),
        }
    }

    /// As [`Conversation::ask`], with what cannot be read counted.
    async fn read(
        &mut self,
        task: &Arc<Task>,
        complaint: Option<String>,
    ) -> Result<Result<CheckedAnswer, String>, Failure> {
        let answer = self.ask(task, complaint).await?;
        if answer.is_err() {
            self.tally.unreadable(self.link);
        }
        Ok(answer)
    }

    /// One answer to one question: the value, or what is wrong with the text. Shrinks the payload while it overflows.
    async fn ask(
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
            let key = memo::key(self.link, self.provider, self.model, &prepared);
            match self.pay_once(task, &prepared, &key).await {
                Ok(answer) => {
                    let record = self.inner.record(&self.billing.session, self.link, &key, &answer.paid, self.tally);
                    let record = CallRecord { unreadable: answer.reading.is_err(), ..record };
                    self.tally.record(record, &prepared.layers);
                    let (cut, warnings) = (prepared.cut, self.warnings(prepared.warnings, answer.paid.counted));
                    return Ok(answer.reading.map(|value| CheckedAnswer { value, stepped_down: None, warnings, cut }));
                }
                Err(failure) if failure.code == Code::Overflow && shrinks_left > 0 => {
                    shrinks_left -= 1;
                    self.tally.overflowed();
                    match (failure.counted, failure.window) {
                        (Some(counted), _) => {
                            let ratio = count::per_hundred(counted, prepared.input_tokens, attempt.per_hundred);
                            attempt.per_hundred = Some(ratio);
                        }
                        // Also where a call beside this one has learnt it meanwhile.
                        (None, Some(window)) if attempt.window.is_none_or(|known| window < known) => {
                            self.inner.learn_window(self.provider, self.model, window).await;
                            if matches!(**task, Task::Summarize(_) | Task::SummarizeTogether(_)) {
                                return Err(Failure::new(Code::WindowNamed, format!("{window} tokens")));
                            }
                            attempt.window = Some(window);
                        }
                        (None, _) => attempt.shrink += 1,
                    }
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// The warnings of a payload, with one about its count where the provider should have made it and did not, and none where it
    /// did.
    fn warnings(&self, mut warnings: Vec<Warning>, counted: CountedBy) -> Vec<Warning> {
        if counted == CountedBy::Provider {
            warnings.retain(|w| w.code != WarningCode::TokenCountEstimateUsed);
        }
        if counted == CountedBy::UsInstead && warnings.iter().all(|w| w.code != WarningCode::TokenCountEstimateUsed) {
            let message = format!("the tokens of a call to `{}` were estimated: it did not count them", self.link);
            warnings.push(Warning { code: WarningCode::TokenCountEstimateUsed, message, phase: None, item_id: None });
        }
        warnings
    }

    /// Counting a large payload takes longer than an async thread may be held.
    async fn prepare(&self, task: &Arc<Task>, attempt: &GateAttempt) -> Result<PreparedPayload, Failure> {
        let (gate, task, link, attempt) =
            (Arc::clone(&self.inner.gate), Arc::clone(task), self.link.to_owned(), attempt.clone());
        match tokio::task::spawn_blocking(move || gate.prepare(&task, &link, &attempt)).await {
            Ok(Ok(prepared)) => Ok(prepared),
            Ok(Err(over @ GateError::OverBudget { .. })) => Err(Failure::new(Code::OverBudget, over.to_string())),
            Err(panic) => Err(Failure::new(Code::Internal, format!("prepare: {panic}"))),
        }
    }

    /// The stored answer of `key`, or a new one in at most [`CallPolicy::tries`](super::CallPolicy) requests.
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
                billing: self.billing.clone(),
                provider: Arc::clone(self.provider),
                model: self.model.to_owned(),
                task: Arc::clone(task),
                prepared: prepared.clone(),
                deadline: self.deadline,
            };
            let failure = match self.inner.dispatch(order).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            left -= 1;
            // A wait the provider asks for is kept by `wait_until_welcome`.
            let pause =
                if failure.retry_after.is_some() { Instant::now() } else { Instant::now() + policy.retry_delay };
            if left == 0 || !failure.code.is_transient() || pause >= self.deadline {
                return Err(failure);
            }
            sleep_until(pause).await;
        }
    }

    /// Waits as long as the provider has asked to be left alone, unless that is longer than the time there is.
    async fn wait_until_welcome(&self) -> Result<(), Failure> {
        match self.provider.not_before() {
            Some(at) if at >= self.deadline => {
                Err(Failure::new(Code::RateLimited, "the wait it asks for is longer than the time left"))
            }
            Some(at) => {
                sleep_until(at).await;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

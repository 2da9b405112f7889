//! Runs a task along its role's chain of providers until one gives a valid answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use precis_proto::call::LayerUsage;
use precis_proto::label::Label;
use precis_proto::prior::Prior;
use precis_proto::task::Task;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SessionId};
use tokio::task::JoinError;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::{ModelAnswer, ModelError};
use super::chain::{Chains, LOCAL};
use super::conversation::Conversation;
use super::embedding::{EmbeddedTexts, EmbeddingCall, EmbeddingCalls, EmbeddingOrder};
use super::error::ModelsError;
use super::failure::{Code, Failure};
use super::gate::Gate;
use super::memo::{CountedBy, PaidAnswer, local_key};
use super::policy::CallPolicy;
use super::provider::{Provider, ProviderConfig};
use super::recent_counts::RecentCounts;
use super::session_waits::SessionWaits;
use super::state::ModelsState;
use super::tally::{CheckedAnswer, Tally};
use crate::paid::allowance::Allowance;
use crate::paid::billing::Ceilings;
use crate::paid::{BillingContext, memo};
use crate::store::{Breakers, Store};

/// Longer budgets are cut to this, so that no clock arithmetic can overflow.
const LONGEST_BUDGET: Duration = Duration::from_secs(24 * 3600);

/// The models of a process; clones share them.
#[derive(Debug, Clone)]
pub struct Models(Arc<ModelsState>);

impl Models {
    /// Sets up `providers` and `chains` without connecting.
    ///
    /// # Errors
    /// [`ModelsError`] names the provider and the configuration key at fault.
    pub fn new(
        providers: &[ProviderConfig],
        chains: Chains,
        store: Store,
        gate: Arc<dyn Gate>,
        policy: CallPolicy,
    ) -> Result<Self, ModelsError> {
        let mut by_name = BTreeMap::new();
        for config in providers {
            by_name.insert(config.name.clone(), Arc::new(Provider::new(config)?));
        }
        for link in chains.providers() {
            if link != LOCAL && split(link).is_none_or(|(name, _)| !by_name.contains_key(name)) {
                let known = by_name.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                return Err(ModelsError::UnknownProvider { provider: link.to_owned(), known });
            }
        }
        let breakers = Breakers::new(policy.breaker.clone());
        Ok(Self(Arc::new(ModelsState {
            providers: by_name,
            chains,
            store,
            gate,
            policy,
            breakers,
            patience: SessionWaits::default(),
            allowance: Allowance::new(),
            ceilings: Ceilings::default(),
            counts: RecentCounts::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        })))
    }

    /// Calls the providers of `task`'s role in order, within `budget`, until one gives a valid answer. Skips a provider that `billing`
    /// can no longer pay; the built-in model is free. Skips the providers in [`CallPolicy::strangers`] if `label`, the label of the task,
    /// is private: every model call passes through here, so no private text reaches them.
    ///
    /// An answer already in the store is used without a request. The built-in model answers even after the deadline. Dropping the future
    /// stops the waiting; a request already sent is finished and its answer stored. After [`Models::drain`] no provider is called and the
    /// built-in model does not answer either: the worker that takes over the session calls again.
    ///
    /// # Errors
    /// [`ModelError`] if no provider of the chain answers (with the built-in model at its end, only if that fails), and if this process
    /// is shutting down.
    pub async fn call(
        &self,
        label: Label,
        billing: &BillingContext,
        prior: &Arc<Prior>,
        phase: Phase,
        task: &Task,
        budget: Duration,
    ) -> Result<ModelAnswer, ModelError> {
        let inner = &self.0;
        let deadline = Instant::now() + budget.min(LONGEST_BUDGET);
        let task = Arc::new(task.clone());
        let mut tally = Tally::new(&task, phase);
        for link in inner.chains.of(task.role()).links() {
            let is_stranger = split(link).is_some_and(|(name, _)| inner.policy.strangers.contains(name));
            if is_stranger && !label.is_public() {
                continue;
            }
            let answered = match split(link).and_then(|(name, model)| Some((inner.providers.get(name)?, model))) {
                _ if link == LOCAL => inner.local(&billing.session, prior, &task, &mut tally).await,
                Some((provider, model)) => {
                    let conversation =
                        Conversation { inner, billing, prior, link, provider, model, deadline, tally: &mut tally };
                    Box::pin(conversation.converse(&task)).await
                }
                None => Err(Failure::new(Code::Internal, "checked when set up")),
            };
            match answered {
                Ok(answered) => return Ok(tally.into_answer(link, answered)),
                Err(failure) if failure.code == Code::WindowNamed => {
                    return Err(tally.needs_smaller_parts(failure.code));
                }
                Err(failure) => {
                    let is_over = failure.code == Code::Stopped;
                    let provider = split(link).and_then(|(name, _)| inner.providers.get(name));
                    let advice = provider.and_then(|provider| provider.advice(failure.code));
                    tally.record_failure(link, failure, advice);
                    if is_over {
                        break;
                    }
                }
            }
        }
        Err(tally.into_error())
    }

    /// Asks the server of `call` for the vectors of its texts, until `deadline`, on the account of `billing`.
    ///
    /// An answer already in the store is used without a request. Dropping the future stops the waiting; a request already sent is finished
    /// and its answer stored.
    ///
    /// # Errors
    /// The provider's [`Failure`], or why it was not asked.
    pub async fn embed(
        &self,
        billing: &BillingContext,
        phase: Option<Phase>,
        call: EmbeddingCall,
        deadline: Instant,
    ) -> Result<EmbeddedTexts, Failure> {
        let (name, model) = split(&call.link).ok_or_else(|| unknown(&call.link))?;
        let provider = self.0.providers.get(name).ok_or_else(|| unknown(&call.link))?;
        if self.0.policy.strangers.contains(name) {
            return Err(Failure::new(Code::Refused, "a foreign provider gets no private text (`strict_privacy`)"));
        }
        let order = EmbeddingOrder {
            key: call.key(&provider.address()),
            provider: Arc::clone(provider),
            model: model.to_owned(),
            call: Arc::new(call),
            billing: billing.clone(),
            phase,
            deadline,
        };
        EmbeddingCalls::new(&self.0).pay_once(order).await.map_err(|failure| match provider.advice(failure.code) {
            Some(advice) if failure.words().is_empty() => Failure { said: Some(advice), ..failure },
            Some(advice) => Failure { said: Some(format!("{}; {advice}", failure.words())), ..failure },
            None => failure,
        })
    }

    /// Returns the window that `link` (`NAME:MODEL`) has named in a refusal, to this process or another one on the same store.
    pub async fn window(&self, link: &str) -> Option<u64> {
        let (name, model) = split(link)?;
        self.0.named_window(self.0.providers.get(name)?, model).await
    }

    /// Waits for the requests under way, at most `grace`, then cancels them; returns whether all were finished in time.
    pub async fn drain(&self, grace: Duration) -> bool {
        self.0.tasks.close();
        let finished = timeout(grace, self.0.tasks.wait()).await.is_ok();
        // Only after the grace period: a request that was sent is paid for, and its answer should be stored.
        self.0.stop.cancel();
        self.0.tasks.wait().await;
        finished
    }
}

impl ModelsState {
    /// Returns the built-in model's answer, stored like any other.
    async fn local(
        &self,
        session: &SessionId,
        prior: &Arc<Prior>,
        task: &Arc<Task>,
        tally: &mut Tally,
    ) -> Result<CheckedAnswer, Failure> {
        let internal = |e: &dyn std::fmt::Display| Failure::new(Code::Internal, e.to_string());
        let key = local_key(self.gate.local_version(), task).map_err(|e| internal(&e))?;
        let known: Option<PaidAnswer> = memo::look_up(&self.store, &key).await;
        let known = known.and_then(|paid| Some((serde_json::from_str(&paid.text).ok()?, paid)));
        let (value, paid) = match known {
            Some(known) => known,
            None => {
                let (gate, task) = (Arc::clone(&self.gate), Arc::clone(task));
                let value = tokio::task::spawn_blocking(move || gate.local(&task)).await.map_err(|e| internal(&e))?;
                let text = value.to_string();
                let paid = PaidAnswer {
                    paid_by: session.clone(),
                    text,
                    cut_off: false,
                    input_tokens: 0,
                    cached_input_tokens: 0,
                    output_tokens: 0,
                    counted: CountedBy::Us,
                };
                let kept = memo::keep(&self.store, &key, &paid, self.policy.memo_ttl).await;
                (value, kept.unwrap_or(paid))
            }
        };
        let unread = self.unread(task, prior).await.map_err(|e| internal(&e))?;
        tally.record(self.record(session, LOCAL, &key, &paid, tally), &unread);
        Ok(CheckedAnswer {
            value,
            stepped_down: None,
            warnings: unread_warning(&unread).into_iter().collect(),
            cut: Vec::new(),
            is_begun: false,
        })
    }

    /// Lists the layers of `prior` that the built-in model does not read.
    async fn unread(&self, task: &Arc<Task>, prior: &Arc<Prior>) -> Result<Vec<LayerUsage>, JoinError> {
        if prior.is_empty() {
            return Ok(Vec::new());
        }
        let (gate, task, prior) = (Arc::clone(&self.gate), Arc::clone(task), Arc::clone(prior));
        tokio::task::spawn_blocking(move || gate.unread(&task, &prior)).await
    }
}

/// Warns that the built-in model read only its task, if the session has prior context.
fn unread_warning(unread: &[LayerUsage]) -> Option<Warning> {
    let message = "the built-in model does not read the background and the conversation of the session".to_owned();
    let warning = Warning { code: WarningCode::ContentDropped, message, phase: None, item_id: None };
    (!unread.is_empty()).then_some(warning)
}

fn unknown(link: &str) -> Failure {
    Failure::new(Code::Internal, format!("no provider is set up for `{link}`"))
}

/// Splits `NAME:MODEL`; the model may contain colons.
fn split(link: &str) -> Option<(&str, &str)> {
    link.split_once(':').filter(|(name, model)| !name.is_empty() && !model.is_empty())
}

//! A task along its role's chain of providers, to the first answer that holds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::job::CallRecord;
use precis_proto::prior::Prior;
use precis_proto::state::LayerUsage;
use precis_proto::task::{Role, Task};
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SessionId};
use serde_json::Value;
use tokio::task::JoinError;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::allowance::Allowance;
use super::chain::{Chains, LOCAL};
use super::conversation::Conversation;
use super::count::Counts;
use super::failure::{Code, Failure};
use super::gate::{Gate, PieceCut};
use super::memo::{self, CountedBy, Paid};
use super::patience::Patience;
use super::payer::{Ceilings, Payer, TenantPolicies};
use super::provider::{Provider, ProviderConfig};
use super::tally::{Answered, Tally};
use crate::store::{BreakerPolicy, Breakers, Store};

/// How long the window that a refusal has named is believed: servers are started anew with other windows.
const WINDOW_KEPT: Duration = Duration::from_secs(24 * 3600);
/// A longer time left is cut to this, so that no clock arithmetic can overflow.
const LONGEST_BUDGET: Duration = Duration::from_secs(24 * 3600);

/// How patient calls are and how long answers are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPolicy {
    /// Requests per provider and payload before the next provider is asked: many failures are gone at a second try, few at a third.
    pub tries: u32,
    /// Pause between them where the provider asks for none; with so few of them it need not grow.
    pub retry_delay: Duration,
    /// How long an answer is kept.
    pub memo_ttl: Duration,
    /// How long an answer is kept that did not hold: enough for a repeat after a crash, not for a bad hour to last.
    pub malformed_ttl: Duration,
    /// Life of a single-flight lease; renewed while the call runs.
    pub flight_ttl: Duration,
    /// How often a waiting call looks for the answer of the one under way.
    pub flight_poll: Duration,
    /// Longest wait for another's call.
    pub flight_wait: Duration,
    /// Longest wait of a session for a provider that does not answer, over all calls and phases; a provider with a longer timeout is
    /// waited for that long.
    pub patience: Duration,
    /// When a provider's breaker opens.
    pub breaker: BreakerPolicy,
    /// What tenants may take.
    pub tenants: TenantPolicies,
}

impl Default for CallPolicy {
    fn default() -> Self {
        Self {
            tries: 2,
            retry_delay: Duration::from_secs(3),
            memo_ttl: Duration::from_secs(30 * 24 * 3600),
            malformed_ttl: Duration::from_secs(600),
            flight_ttl: Duration::from_secs(6),
            flight_poll: Duration::from_millis(200),
            flight_wait: Duration::from_secs(120),
            patience: Duration::from_secs(120),
            breaker: BreakerPolicy::default(),
            tenants: TenantPolicies::default(),
        }
    }
}

/// Why models cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelsError {
    /// A chain names a provider nobody configured.
    #[error("provider `{provider}` of a chain is not configured: expected NAME:MODEL with NAME one of {known}")]
    UnknownProvider {
        /// As written in the chain.
        provider: String,
        /// Names there are.
        known: String,
    },
    /// A provider's configuration makes no sense.
    #[error("providers.{name}.{key}: {reason}")]
    Provider {
        /// The provider.
        name: String,
        /// The key at fault.
        key: String,
        /// What is wrong with its value.
        reason: String,
    },
    /// A variable that a tool shall have is not in the environment.
    #[error("provider `{name}` shall have the environment variable {variable}, which is not set")]
    MissingVariable {
        /// The provider.
        name: String,
        /// The variable.
        variable: String,
    },
    /// A provider's key is not in the environment.
    #[error("provider `{name}` needs its key in the environment variable {variable}, which is not set")]
    MissingKey {
        /// The provider.
        name: String,
        /// The variable.
        variable: String,
    },
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// The answer to the task, as JSON.
    pub value: Value,
    /// `NAME:MODEL` that gave it.
    pub provider: String,
    /// The task it answers, where that is one level down from the one asked.
    pub stepped_down: Option<Task>,
    /// Every finished request on the way to it, also those whose text did not hold; the last one gave the answer.
    pub records: Vec<CallRecord>,
    /// Tokens per layer of those requests.
    pub usage: Vec<LayerUsage>,
    /// What went less well than asked.
    pub warnings: Vec<Warning>,
    /// Pieces of evidence that the answer was given without, or with a part of.
    pub cut: Vec<PieceCut>,
    /// Answers on the way to it, of any provider, that could not be read.
    pub unreadable: u32,
}

/// No provider of the chain answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("no provider for {} answered: {tried}", role.as_str())]
pub struct ModelError {
    /// What the call was for.
    pub role: Role,
    /// Why the last provider failed.
    pub code: Code,
    /// Whether asking again later may help.
    pub is_transient: bool,
    /// Each provider with its code.
    pub tried: String,
    /// Requests that were paid all the same.
    pub records: Vec<CallRecord>,
    /// What to tell the session.
    pub warnings: Vec<Warning>,
}

impl ModelError {
    /// A call that was not made because what was before the session cannot be read now.
    pub(crate) fn without_prior(role: Role, reason: String) -> Self {
        let tried = format!("nobody was asked, as what was before the session cannot be read: {reason}");
        Self { role, code: Code::Internal, is_transient: true, tried, records: Vec::new(), warnings: Vec::new() }
    }
}

/// The models of a process; clones are the same models.
#[derive(Debug, Clone)]
pub struct Models(Arc<Inner>);

/// What calls share.
#[derive(Debug)]
pub(super) struct Inner {
    /// By name.
    pub(super) providers: BTreeMap<String, Arc<Provider>>,
    pub(super) chains: Chains,
    pub(super) store: Store,
    pub(super) gate: Arc<dyn Gate>,
    pub(super) policy: CallPolicy,
    pub(super) breakers: Breakers,
    /// What sessions have waited for providers that do not answer.
    pub(super) patience: Patience,
    pub(super) allowance: Allowance,
    pub(super) ceilings: Ceilings,
    /// What providers have counted for this process.
    pub(super) counts: Counts,
    /// Requests under way, owned here so that their answers are kept when nobody waits any more; end with the request.
    pub(super) tasks: TaskTracker,
    /// Set once, when a drain has waited long enough; ends every request.
    pub(super) stop: CancellationToken,
}

impl Models {
    /// Sets up `providers` behind `chains`. Connects to nobody.
    ///
    /// # Errors
    /// [`ModelsError`] names the provider and the key at fault.
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
        Ok(Self(Arc::new(Inner {
            providers: by_name,
            chains,
            store,
            gate,
            policy,
            breakers,
            patience: Patience::default(),
            allowance: Allowance::new(),
            ceilings: Ceilings::default(),
            counts: Counts::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        })))
    }

    /// [`Models::call_for`] a session that stands on its own, without a ceiling.
    ///
    /// # Errors
    /// As [`Models::call_for`].
    pub async fn call(
        &self,
        session: &SessionId,
        phase: Phase,
        task: &Task,
        budget: Duration,
    ) -> Result<Called, ModelError> {
        self.call_for(&Payer::open(session.clone()), &Arc::default(), phase, task, budget).await
    }

    /// Asks the providers of `task`'s role in order, within `budget`, until one gives an answer that holds. A provider that `payer`
    /// can no longer pay is passed over; the built-in model costs nothing.
    ///
    /// An answer already in the store is taken without asking. The built-in model answers even when the time is over.
    /// Dropping the future ends the waiting; a request that was sent is finished and its answer kept. After [`Models::drain`]
    /// nobody is asked and nobody stands in: whoever takes the work over asks again.
    ///
    /// # Errors
    /// [`ModelError`] where the chain ends without an answer (not where it ends with the built-in model, unless that fails), and
    /// where this process is shutting down.
    pub async fn call_for(
        &self,
        payer: &Payer,
        prior: &Arc<Prior>,
        phase: Phase,
        task: &Task,
        budget: Duration,
    ) -> Result<Called, ModelError> {
        let inner = &self.0;
        let deadline = Instant::now() + budget.min(LONGEST_BUDGET);
        let task = Arc::new(task.clone());
        let mut tally = Tally::new(task.role(), phase);
        for link in inner.chains.of(task.role()).links() {
            let answered = match split(link).and_then(|(name, model)| Some((inner.providers.get(name)?, model))) {
                _ if link == LOCAL => inner.local(&payer.session, prior, &task, &mut tally).await,
                Some((provider, model)) => {
                    let conversation =
                        Conversation { inner, payer, prior, link, provider, model, deadline, tally: &mut tally };
                    Box::pin(conversation.hold(&task)).await
                }
                None => Err(Failure::new(Code::Internal, "checked when set up")),
            };
            match answered {
                Ok(answered) => return Ok(tally.answered(link, answered)),
                Err(failure) if failure.code == Code::WindowNamed => return Err(tally.asked_anew(failure.code)),
                Err(failure) => {
                    let is_over = failure.code == Code::Stopped;
                    let provider = split(link).and_then(|(name, _)| inner.providers.get(name));
                    let advice = provider.and_then(|provider| provider.advice(failure.code));
                    tally.failed(link, failure, advice);
                    if is_over {
                        break;
                    }
                }
            }
        }
        Err(tally.exhausted())
    }

    /// The window that `link` (`NAME:MODEL`) has named for itself, to this process or to another one on the same store.
    pub async fn window(&self, link: &str) -> Option<u64> {
        let (name, model) = split(link)?;
        self.0.named_window(self.0.providers.get(name)?, model).await
    }

    /// Waits for the requests under way, at most `grace`, then ends them; says whether all were finished.
    pub async fn drain(&self, grace: Duration) -> bool {
        self.0.tasks.close();
        let finished = timeout(grace, self.0.tasks.wait()).await.is_ok();
        self.0.stop.cancel();
        self.0.tasks.wait().await;
        finished
    }
}

impl Inner {
    /// The window that a refusal has named for `model`, here or on another worker.
    pub(super) async fn named_window(&self, provider: &Provider, model: &str) -> Option<u64> {
        if let Some(window) = provider.window(model) {
            return Some(window);
        }
        let kept = self.store.get(&window_key(provider, model)).await.ok()??;
        let window = std::str::from_utf8(&kept).ok()?.parse().ok()?;
        provider.learn_window(model, window);
        Some(window)
    }

    /// Keeps the window that a refusal has named, for this process and those on the same store.
    pub(super) async fn learn_window(&self, provider: &Provider, model: &str, window: u64) {
        if provider.learn_window(model, window) {
            let key = window_key(provider, model);
            // First writers win on disk, and this one knows better. A store that is away costs one more refusal.
            let _ = self.store.delete(&key).await;
            let _ = self.store.put_if_absent(&key, Bytes::from(window.to_string()), WINDOW_KEPT).await;
        }
    }

    /// The built-in model's answer, remembered like any other.
    async fn local(
        &self,
        session: &SessionId,
        prior: &Arc<Prior>,
        task: &Arc<Task>,
        tally: &mut Tally,
    ) -> Result<Answered, Failure> {
        let internal = |e: &dyn std::fmt::Display| Failure::new(Code::Internal, e.to_string());
        let key = memo::local_key(self.gate.local_version(), task).map_err(|e| internal(&e))?;
        let known: Option<Paid> = memo::look_up(&self.store, &key).await;
        let known = known.and_then(|paid| Some((serde_json::from_str(&paid.text).ok()?, paid)));
        let (value, paid) = match known {
            Some(known) => known,
            None => {
                let (gate, task) = (Arc::clone(&self.gate), Arc::clone(task));
                let value = tokio::task::spawn_blocking(move || gate.local(&task)).await.map_err(|e| internal(&e))?;
                let text = value.to_string();
                let paid = Paid {
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
        Ok(Answered {
            value,
            stepped_down: None,
            warnings: unread_warning(&unread).into_iter().collect(),
            cut: Vec::new(),
        })
    }

    async fn unread(&self, task: &Arc<Task>, prior: &Arc<Prior>) -> Result<Vec<LayerUsage>, JoinError> {
        if prior.is_empty() {
            return Ok(Vec::new());
        }
        let (gate, task, prior) = (Arc::clone(&self.gate), Arc::clone(task), Arc::clone(prior));
        tokio::task::spawn_blocking(move || gate.unread(&task, &prior)).await
    }

    /// One finished call as the spend ledger counts it: another session's payment is no payment.
    pub(super) fn record(
        &self,
        session: &SessionId,
        provider: &str,
        key: &str,
        paid: &Paid,
        tally: &Tally,
    ) -> CallRecord {
        let is_ours = paid.paid_by == *session;
        let price = self.gate.price(provider).filter(|_| is_ours);
        CallRecord {
            call_key: key.to_owned(),
            phase: Some(tally.phase()),
            role: tally.role(),
            provider: provider.to_owned(),
            paid: is_ours,
            input_tokens: paid.input_tokens,
            cached_input_tokens: paid.cached_input_tokens.min(paid.input_tokens),
            output_tokens: paid.output_tokens,
            cost_usd: price.map_or(0.0, |p| p.of(paid.input_tokens, paid.cached_input_tokens, paid.output_tokens)),
        }
    }
}

fn window_key(provider: &Provider, model: &str) -> String {
    format!("window:named:{}:{model}", provider.name)
}

/// The built-in model reads its task alone; who asked for more is told.
fn unread_warning(unread: &[LayerUsage]) -> Option<Warning> {
    let message = "the built-in model answered without the background and the conversation of the session".to_owned();
    let warning = Warning { code: WarningCode::ContentDropped, message, phase: None, item_id: None };
    (!unread.is_empty()).then_some(warning)
}

/// `NAME:MODEL` in its parts; the model may hold colons.
fn split(link: &str) -> Option<(&str, &str)> {
    link.split_once(':').filter(|(name, model)| !name.is_empty() && !model.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_asked_twice_three_seconds_apart() {
        let CallPolicy { tries, retry_delay, .. } = CallPolicy::default();
        assert_eq!((tries, retry_delay), (2, Duration::from_secs(3)));
    }
}

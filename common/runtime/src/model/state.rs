//! The state shared by all model calls of a process, and the windows that providers have named.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;
use precis_proto::call::CallRecord;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::chain::Chains;
use super::gate::Gate;
use super::memo::PaidAnswer;
use super::policy::CallPolicy;
use super::provider::Provider;
use super::recent_counts::RecentCounts;
use super::session_waits::SessionWaits;
use super::tally::Tally;
use crate::paid::allowance::Allowance;
use crate::paid::billing::Ceilings;
use crate::store::{Breakers, Store};

/// How long a window named in a refusal is trusted: a server may be restarted with a different one.
const WINDOW_KEPT: Duration = Duration::from_secs(24 * 3600);

/// The state shared by all model calls.
#[derive(Debug)]
pub(super) struct ModelsState {
    /// By name.
    pub(super) providers: BTreeMap<String, Arc<Provider>>,
    pub(super) chains: Chains,
    pub(super) store: Store,
    pub(super) gate: Arc<dyn Gate>,
    pub(super) policy: CallPolicy,
    pub(super) breakers: Breakers,
    /// How long sessions have waited for providers that do not answer.
    pub(super) patience: SessionWaits,
    pub(super) allowance: Allowance,
    pub(super) ceilings: Ceilings,
    /// Recent token counts of providers.
    pub(super) counts: RecentCounts,
    /// Tasks of the requests under way, tracked here so that answers are stored even if the caller is gone.
    pub(super) tasks: TaskTracker,
    /// Cancelled once, when a drain has waited long enough; ends every request.
    pub(super) stop: CancellationToken,
}

impl ModelsState {
    /// Returns the window that a refusal has named for `model`, to this worker or another one.
    pub(super) async fn named_window(&self, provider: &Provider, model: &str) -> Option<u64> {
        if let Some(window) = provider.window(model) {
            return Some(window);
        }
        let kept = self.store.values().get(&window_key(provider, model)).await.ok()??;
        let window = std::str::from_utf8(&kept).ok()?.parse().ok()?;
        provider.learn_window(model, window);
        Some(window)
    }

    /// Keeps the window that a refusal has named, for this process and all on the same store.
    pub(super) async fn learn_window(&self, provider: &Provider, model: &str, window: u64) {
        if provider.learn_window(model, window) {
            let key = window_key(provider, model);
            // Delete first: the store keeps the first value written, and this one is newer. Errors are ignored: they cost one more refusal.
            let _ = self.store.values().delete(&key).await;
            let _ = self.store.values().put_if_absent(&key, Bytes::from(window.to_string()), WINDOW_KEPT).await;
        }
    }

    /// Builds the ledger record of a finished call. An answer that another session paid for costs this one nothing.
    pub(super) fn record(
        &self,
        session: &SessionId,
        provider: &str,
        key: &str,
        paid: &PaidAnswer,
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
            unreadable: false,
            unanswered: false,
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

//! Spending ceilings of sessions and tenants: the estimated cost of a request is set aside before it is sent, the actual cost is
//! spent afterwards. Ceilings are shared by the fleet through the store; while the store is unavailable, each process applies a share
//! of what is left locally.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use precis_proto::account::Account;
use precis_proto::{SessionId, TenantId};
use tokio::time::{Instant, sleep};

use super::unanswered::Unanswered;
use crate::store::{Amount, Ceiling, CeilingHold, CeilingPolicy, LimitPolicy, Measure, Spending, Store};
use crate::telemetry::TraceContext;

/// The tenant of a session that names none, and the table used for tenants without one.
const DEFAULT_TENANT: &str = "default";
/// A tenant's ceiling starts over each day of the store's clock: the UTC day with Redis.
const DAY: Duration = Duration::from_secs(24 * 3_600);
/// How long a day's spending is kept after its last call, so that a call begun before midnight can still be settled.
const DAY_KEPT: Duration = Duration::from_secs(2 * 24 * 3_600);
/// Pause between tries while other calls hold the rest of a ceiling.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// Longest such wait. The amount a dead worker had set aside is freed when its lease ends. Chosen, not measured.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The session that pays for a call, and its account.
#[derive(Debug, Clone, PartialEq)]
pub struct BillingContext {
    /// The session.
    pub session: SessionId,
    /// Its tenant, its ceilings and its known spending.
    pub account: Account,
    /// What its lease has sent and has no answer to.
    pub unanswered: Unanswered,
    /// The span that its calls are part of; `None` if they are not recorded.
    pub span: Option<TraceContext>,
}

impl BillingContext {
    /// The payer of calls of `session`, nothing of which was sent yet.
    #[must_use]
    pub fn new(session: SessionId, account: Account) -> Self {
        Self { session, account, unanswered: Unanswered::default(), span: None }
    }

    /// Returns the name the tenant's spending is counted under.
    fn tenant(&self) -> &str {
        self.account.tenant.as_ref().map_or(DEFAULT_TENANT, TenantId::as_str)
    }
}

/// The ceilings and rate limits of one tenant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TenantPolicy {
    /// US dollars per day.
    pub usd_per_day: Option<f64>,
    /// Tokens per day.
    pub tokens_per_day: Option<u64>,
    /// Calls and tokens per minute.
    pub limits: LimitPolicy,
}

/// Ceilings and rate limits of tenants, by name; `default` applies to all other tenants, each counted separately.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TenantPolicies(pub BTreeMap<String, TenantPolicy>);

impl TenantPolicies {
    fn of(&self, tenant: &str) -> Option<&TenantPolicy> {
        self.0.get(tenant).or_else(|| self.0.get(DEFAULT_TENANT))
    }

    /// Returns the limit name and the limits per minute of the paying tenant; unlimited if none are configured.
    pub(crate) fn limits(&self, billing: &BillingContext) -> (String, LimitPolicy) {
        let limits = self.of(billing.tenant()).map_or_else(LimitPolicy::default, |policy| policy.limits);
        (format!("tenant:{}", billing.tenant()), limits)
    }

    /// Whether a ceiling in US dollars applies to calls of `billing`; enforcing it requires a known price.
    pub(crate) fn count_money(&self, billing: &BillingContext) -> bool {
        self.ceilings(billing).iter().any(|bound| bound.policy.micro_usd.is_some())
    }

    /// Returns every ceiling that applies to calls of `billing`: the session's, then its tenant's.
    fn ceilings(&self, billing: &BillingContext) -> Vec<AccountCeiling> {
        let account = &billing.account;
        let spent = Amount { tokens: account.spent.tokens, micro_usd: micro_usd(account.spent.usd), requests: 0 };
        let session = CeilingPolicy {
            tokens: account.max_spend_tokens,
            micro_usd: account.max_spend_usd.map(micro_usd),
            ..CeilingPolicy::default()
        };
        let tenant = self.of(billing.tenant()).map(|policy| CeilingPolicy {
            tokens: policy.tokens_per_day,
            micro_usd: policy.usd_per_day.map(micro_usd),
            window: Some(DAY),
            kept: DAY_KEPT,
            ..CeilingPolicy::default()
        });
        let session =
            AccountCeiling { name: format!("session:{}", billing.session), policy: session, spent, whose: "session" };
        let tenant = tenant.map(|policy| AccountCeiling {
            name: format!("tenant:{}", billing.tenant()),
            policy,
            spent: Amount::default(),
            whose: "tenant",
        });
        std::iter::once(session).chain(tenant).filter(|bound| bound.policy.is_bounded()).collect()
    }
}

/// Converts US dollars to millionths, rounded up so that spending is never undercounted.
pub(crate) fn micro_usd(usd: f64) -> u64 {
    (usd * 1e6).ceil() as u64
}

/// A ceiling of a session or a tenant.
#[derive(Debug, Clone)]
struct AccountCeiling {
    name: String,
    policy: CeilingPolicy,
    spent: Amount,
    whose: &'static str,
}

/// The amount set aside for one request; must be passed to [`Ceilings::spend`].
#[derive(Debug)]
pub(crate) struct SpendHold {
    hold: CeilingHold,
    parts: Vec<CeilingShare>,
}

#[derive(Debug)]
struct CeilingShare {
    bound: AccountCeiling,
    window: u64,
    is_shared: bool,
}

impl SpendHold {
    /// A hold of `amount` that no ceiling has granted yet, for a request that ends before `lease` does.
    pub(crate) fn new(amount: Amount, lease: Duration) -> Self {
        let id = format!("{:016x}", rand::random::<u64>());
        Self { hold: CeilingHold { id, amount, lease }, parts: Vec::new() }
    }
}

/// The ceilings as one process sees them.
#[derive(Debug, Default)]
pub(crate) struct Ceilings {
    /// Local ceilings, used while the store is unavailable; they count only the spending of that time.
    own: Mutex<BTreeMap<String, Ceiling>>,
}

impl Ceilings {
    /// Sets the amount of `aside` aside under every ceiling of `billing`. If other calls hold the rest, waits until `deadline`, at most
    /// [`LONGEST_WAIT`]. In every case, also on error, pass `aside` to [`Ceilings::spend`]; with a zero amount if no request was made.
    ///
    /// # Errors
    /// A sentence that names the ceiling that is reached.
    pub(crate) async fn set_aside(
        &self,
        store: &Store,
        tenants: &TenantPolicies,
        billing: &BillingContext,
        deadline: Instant,
        aside: &mut SpendHold,
    ) -> Result<(), String> {
        let until = deadline.min(Instant::now() + LONGEST_WAIT);
        for bound in tenants.ceilings(billing) {
            let part = self.set_aside_one(store, bound, &aside.hold, until).await?;
            // Recorded only when granted: a hold whose future is dropped in between is freed when its lease ends.
            aside.parts.push(part);
        }
        Ok(())
    }

    async fn set_aside_one(
        &self,
        store: &Store,
        bound: AccountCeiling,
        hold: &CeilingHold,
        until: Instant,
    ) -> Result<CeilingShare, String> {
        loop {
            let (spending, is_shared) =
                match store.ceilings().set_aside(&bound.name, &bound.policy, hold, &bound.spent).await {
                    Ok(spending) => (spending, true),
                    Err(error) => {
                        tracing::debug!(%error, "shared ceiling not available, using the local one");
                        let alone = bound.policy.alone(&bound.spent);
                        // Local holds die with this process, so they need no lease: the clock is fixed at 0.
                        (self.with_own(&bound.name, |c| c.set_aside(&alone, 0, hold, &bound.spent)), false)
                    }
                };
            match spending {
                Spending::Granted { window } => return Ok(CeilingShare { bound, window, is_shared }),
                Spending::Reached(measure) => return Err(ceiling_message(bound.whose, Some(measure))),
                Spending::Busy if Instant::now() + ASK_AGAIN > until => return Err(ceiling_message(bound.whose, None)),
                Spending::Busy => sleep(ASK_AGAIN).await,
            }
        }
    }

    /// Frees the amount set aside and counts `used` as spent.
    pub(crate) async fn spend(&self, store: &Store, aside: SpendHold, used: Amount) {
        for part in aside.parts {
            let CeilingShare { bound, window, is_shared } = part;
            if !is_shared {
                self.with_own(&bound.name, |c| c.spend(window, &aside.hold.id, &used));
            } else if let Err(error) =
                store.ceilings().spend(&bound.name, &bound.policy, window, &aside.hold.id, &used).await
            {
                tracing::debug!(%error, "spending not counted");
            }
        }
    }

    fn with_own<T>(&self, name: &str, act: impl FnOnce(&mut Ceiling) -> T) -> T {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        act(own.entry(name.to_owned()).or_default())
    }
}

fn ceiling_message(whose: &str, measure: Option<Measure>) -> String {
    match measure {
        Some(Measure::MicroUsd) => format!("the {whose}'s ceiling in US dollars is reached"),
        Some(_) => format!("the {whose}'s ceiling in tokens is reached"),
        None => format!("calls under way have reserved the rest of the {whose}'s ceiling"),
    }
}

#[cfg(test)]
mod tests;

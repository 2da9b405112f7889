//! Who pays for a call, and the ceilings it stands under: set aside before a request, spent by what it came to. The ceilings are
//! the fleet's through the store, and a share of what is left is this process's own while the store is away.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use precis_proto::account::Account;
use precis_proto::{SessionId, TenantId};
use tokio::time::{Instant, sleep};

use crate::config::DEFAULT_TENANT;
use crate::store::{Amount, Ceiling, CeilingHold, CeilingPolicy, LimitPolicy, Measure, Spending, Store};

/// A tenant's ceiling begins anew each day of the store's clock: UTC where that is Redis.
const DAY: Duration = Duration::from_secs(24 * 3_600);
/// How long a day is remembered after its last call: whoever began before midnight still finds it.
const DAY_KEPT: Duration = Duration::from_secs(2 * 24 * 3_600);
/// How often a call asks again that waits for what others have set aside.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// Longest such wait; what a worker that died had set aside comes back when its lease ends. Chosen, not measured.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Whose session a call is made for, and what it may spend.
#[derive(Debug, Clone, PartialEq)]
pub struct BillingContext {
    /// The session.
    pub session: SessionId,
    /// Its ceilings, and what is known to be spent.
    pub account: Account,
}

impl BillingContext {
    /// A session without a ceiling of its own, asked for by nobody in particular.
    #[must_use]
    pub fn open(session: SessionId) -> Self {
        Self { session, account: Account::default() }
    }

    /// The word the tenant is counted by.
    fn tenant(&self) -> &str {
        self.account.tenant.as_ref().map_or(DEFAULT_TENANT, TenantId::as_str)
    }
}

/// What one tenant may take.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TenantPolicy {
    /// US dollars a day.
    pub usd_per_day: Option<f64>,
    /// Tokens a day.
    pub tokens_per_day: Option<u64>,
    /// Calls and tokens a minute.
    pub limits: LimitPolicy,
}

/// What tenants may take, by name; `default` holds for all others, each counted by itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TenantPolicies(pub BTreeMap<String, TenantPolicy>);

impl TenantPolicies {
    fn of(&self, tenant: &str) -> Option<&TenantPolicy> {
        self.0.get(tenant).or_else(|| self.0.get(DEFAULT_TENANT))
    }

    /// The name and the limits per minute of whoever pays; no limit where nothing is said.
    pub(crate) fn limits(&self, billing: &BillingContext) -> (String, LimitPolicy) {
        let limits = self.of(billing.tenant()).map_or_else(LimitPolicy::default, |policy| policy.limits);
        (format!("tenant:{}", billing.tenant()), limits)
    }

    /// Whether a call that `billing` pays stands under a ceiling in US dollars, which needs a price to be kept.
    pub(super) fn count_money(&self, billing: &BillingContext) -> bool {
        self.ceilings(billing).iter().any(|bound| bound.policy.micro_usd.is_some())
    }

    /// Every ceiling a call that `billing` pays stands under: the session's, then its tenant's.
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

/// Millionths, rounded up: spending is never counted short.
pub(crate) fn micro_usd(usd: f64) -> u64 {
    (usd * 1e6).ceil() as u64
}

/// A ceiling that somebody stands under.
#[derive(Debug, Clone)]
struct AccountCeiling {
    name: String,
    policy: CeilingPolicy,
    spent: Amount,
    whose: &'static str,
}

/// What was set aside for one request; to be spent.
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
    /// An amount that is set aside nowhere yet, for a request that is over before `lease` is.
    pub(crate) fn new(amount: Amount, lease: Duration) -> Self {
        let id = format!("{:016x}", rand::random::<u64>());
        Self { hold: CeilingHold { id, amount, lease }, parts: Vec::new() }
    }
}

/// The ceilings as one process sees them.
#[derive(Debug, Default)]
pub(crate) struct Ceilings {
    /// Used while the store is away; hears only what happens then.
    own: Mutex<BTreeMap<String, Ceiling>>,
}

impl Ceilings {
    /// Sets `aside`'s amount aside under every ceiling of `billing`, waiting for what others have set aside until `deadline`, and no
    /// longer than is sensible. Whatever happens, `aside` is to be spent, for nothing where no request was made.
    ///
    /// # Errors
    /// In words: whose ceiling is reached, and of what.
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
            let part = self.one(store, bound, &aside.hold, until).await?;
            aside.parts.push(part);
        }
        Ok(())
    }

    async fn one(
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
                        tracing::debug!(%error, "shared ceiling not asked");
                        let alone = bound.policy.alone(&bound.spent);
                        // What this process sets aside by itself ends with it: time stands still.
                        (self.with_own(&bound.name, |c| c.set_aside(&alone, 0, hold, &bound.spent)), false)
                    }
                };
            match spending {
                Spending::Granted { window } => return Ok(CeilingShare { bound, window, is_shared }),
                Spending::Reached(measure) => return Err(reached(bound.whose, Some(measure))),
                Spending::Busy if Instant::now() + ASK_AGAIN > until => return Err(reached(bound.whose, None)),
                Spending::Busy => sleep(ASK_AGAIN).await,
            }
        }
    }

    /// Frees what was set aside and counts `used` as spent.
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

fn reached(whose: &str, measure: Option<Measure>) -> String {
    match measure {
        Some(Measure::MicroUsd) => format!("the {whose}'s ceiling in US dollars"),
        Some(_) => format!("the {whose}'s ceiling in tokens"),
        None => format!("what other calls have set aside of the {whose}'s ceiling"),
    }
}

#[cfg(test)]
mod tests;

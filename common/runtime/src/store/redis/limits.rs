//! Rate limits: one hash each, changed by scripts as [`Limit`](crate::store::Limit) is in memory. Costs are computed here, so that the
//! scripts only add and compare.

use std::sync::LazyLock;
use std::time::Duration;

use redis::Script;

use super::{RedisStore, timed_script};
use crate::store::{Amount, LimitPolicy, Reservation, StoreError};

static RESERVE: LazyLock<Script> =
    LazyLock::new(|| timed_script(concat!(include_str!("limit.lua"), include_str!("reserve.lua"))));
static SETTLE: LazyLock<Script> =
    LazyLock::new(|| timed_script(concat!(include_str!("limit.lua"), include_str!("settle.lua"))));

impl RedisStore {
    pub(in crate::store) async fn reserve(
        &self,
        name: &str,
        policy: &LimitPolicy,
        amount: &Amount,
    ) -> Result<Reservation, StoreError> {
        let Some(charges) = policy.charges(amount) else { return Ok(Reservation::Wait(Duration::MAX)) };
        let mut script = RESERVE.prepare_invoke();
        script.key(self.key_in("limit", name));
        for charge in charges {
            script.arg(charge.measure.as_str()).arg(charge.cost_us).arg(charge.slack_us);
        }
        let wait_us: u64 = self.link.script(&script).await?;
        Ok(if wait_us == 0 { Reservation::Granted } else { Reservation::Wait(Duration::from_micros(wait_us)) })
    }

    pub(in crate::store) async fn settle(
        &self,
        name: &str,
        policy: &LimitPolicy,
        reserved: &Amount,
        used: &Amount,
    ) -> Result<(), StoreError> {
        let corrections = policy.corrections(reserved, used);
        if corrections.is_empty() {
            return Ok(());
        }
        let mut script = SETTLE.prepare_invoke();
        script.key(self.key_in("limit", name));
        for (measure, delta_us) in corrections {
            script.arg(measure.as_str()).arg(delta_us);
        }
        self.link.script(&script).await
    }
}

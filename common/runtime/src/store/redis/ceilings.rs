//! Ceilings: one hash each, changed by scripts as [`Ceiling`](crate::store::Ceiling) is in memory.

use std::sync::LazyLock;

use redis::Script;

use super::{RedisStore, millis, timed_script};
use crate::store::{Amount, CeilingHold, CeilingPolicy, Measure, Spending, StoreError};

static SET_ASIDE: LazyLock<Script> = LazyLock::new(|| timed_script(include_str!("set_aside.lua")));
static SPEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("spend.lua")));

impl RedisStore {
    pub(in crate::store) async fn set_aside(
        &self,
        name: &str,
        policy: &CeilingPolicy,
        hold: &CeilingHold,
        spent: &Amount,
    ) -> Result<Spending, StoreError> {
        let mut script = SET_ASIDE.prepare_invoke();
        script.key(self.key_in("spend", name));
        script.arg(policy.window.map_or(0, |w| w.as_micros().min(1 << 53) as u64)).arg(millis(policy.kept));
        script.arg(hold.id.as_str()).arg(millis(hold.lease));
        for (measure, bound) in policy.bounds() {
            let amount = exact(hold.amount.of(measure));
            script.arg(measure.as_str()).arg(exact(bound)).arg(amount).arg(exact(spent.of(measure)));
        }
        let (word, window): (String, u64) = self.link.script(&script).await?;
        match word.as_str() {
            "granted" => Ok(Spending::Granted { window }),
            "busy" => Ok(Spending::Busy),
            measure => match measure.parse::<Measure>() {
                Ok(measure) => Ok(Spending::Reached(measure)),
                Err(_) => Err(StoreError("the ceiling script returned an unknown result".to_owned())),
            },
        }
    }

    pub(in crate::store) async fn spend(
        &self,
        name: &str,
        policy: &CeilingPolicy,
        window: u64,
        id: &str,
        used: &Amount,
    ) -> Result<(), StoreError> {
        let mut script = SPEND.prepare_invoke();
        script.key(self.key_in("spend", name)).arg(window).arg(millis(policy.kept)).arg(id);
        for (measure, _) in policy.bounds() {
            script.arg(measure.as_str()).arg(exact(used.of(measure)));
        }
        let _: u64 = self.link.script(&script).await?;
        Ok(())
    }
}

/// Bounds a number so that sums in scripts stay exact.
fn exact(n: u64) -> u64 {
    n.min(1 << 51)
}

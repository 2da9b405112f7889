//! Amounts set aside before a request is sent, under the rate limits of provider and tenant and under the spending ceilings, and settled
//! with what it used.

use std::time::Duration;

use futures_util::future::{join, join_all};
use tokio::time::Instant;

use super::allowance::RateReservation;
use super::billing::{self, SpendHold, micro_usd};
use super::call_order::{AnswerSender, CallOrder};
use super::count;
use super::failure::{Code, Failure};
use super::state::ModelsState;
use crate::store::Amount;
use crate::telemetry::metrics;

/// Longest time between the end of a request and the settlement of its cost. Chosen, not measured.
const SETTLED: Duration = Duration::from_secs(30);

/// The reservations of one request under rate limits and ceilings; must be settled.
#[derive(Debug)]
pub(super) struct CallReservation {
    pub(super) estimate: Amount,
    taken: Vec<RateReservation>,
    aside: SpendHold,
}

impl ModelsState {
    /// Reserves the request's estimate under the rate limits and the ceilings. If one of them refuses, or the caller is gone, settles the
    /// reservations made so far with zero usage.
    pub(super) async fn reserve(
        &self,
        order: &CallOrder,
        asker: &mut AnswerSender,
    ) -> Result<CallReservation, Failure> {
        let estimate = self.estimate(order);
        let mut reservation =
            CallReservation { estimate, taken: Vec::new(), aside: SpendHold::new(estimate, lease(order)) };
        let asked = tokio::select! {
            asked = self.reserve_each(order, &mut reservation) => asked,
            () = self.unwanted(asker) => Err(Failure::stopped()),
        };
        match asked {
            Ok(()) => Ok(reservation),
            Err(refusal) => {
                self.settle(reservation, Amount::default()).await;
                Err(refusal)
            }
        }
    }

    /// Waits for room under the limits of the provider and the tenant, then sets the cost aside. Money comes last, so that no amount is
    /// blocked for other calls while this one waits for a limit.
    async fn reserve_each(&self, order: &CallOrder, reservation: &mut CallReservation) -> Result<(), Failure> {
        let (store, tenants, billing) = (&self.store, &self.policy.tenants, &order.billing);
        let provider = (format!("model:{}", order.provider.name), order.provider.limits);
        let waiting = Instant::now();
        for (name, limits) in [provider, tenants.limits(billing)] {
            let taken = self.allowance.take(store, &name, &limits, reservation.estimate, order.deadline).await;
            let over = |wait: Duration| Failure::new(Code::LimitReached, format!("room in {} s", wait.as_secs()));
            reservation.taken.push(taken.map_err(over)?);
        }
        metrics().models.waited(&order.provider.name, waiting.elapsed().as_secs_f64());
        let link = order.link();
        if tenants.count_money(billing) && self.gate.price(&link).is_none() {
            let reached = format!("a ceiling in US dollars applies, but [prices] has no price for `{link}`");
            return Err(Failure::new(Code::CeilingReached, reached));
        }
        let aside = self.ceilings.set_aside(store, tenants, billing, order.deadline, &mut reservation.aside).await;
        aside.map_err(|reached| Failure::new(Code::CeilingReached, reached))
    }

    /// Settles all reservations of a request with its actual usage.
    pub(super) async fn settle(&self, reservation: CallReservation, used: Amount) {
        let limits = reservation.taken.into_iter().map(|taken| self.allowance.settle(&self.store, taken, used));
        join(join_all(limits), self.ceilings.spend(&self.store, reservation.aside, used)).await;
    }

    /// Returns the largest usage the request can have: the amount reserved before it is sent.
    fn estimate(&self, order: &CallOrder) -> Amount {
        self.amount(order, order.prepared.input_tokens, 0, order.prepared.max_output_tokens)
    }

    /// Converts token counts to a usage amount of one request, priced for the model of `order`; free if its price is unknown.
    pub(super) fn amount(
        &self,
        order: &CallOrder,
        input_tokens: u64,
        cached_input_tokens: u64,
        output_tokens: u64,
    ) -> Amount {
        let price = self.gate.price(&format!("{}:{}", order.provider.name, order.model));
        let usd = price.map_or(0.0, |p| p.of(input_tokens, cached_input_tokens, output_tokens));
        Amount { requests: 1, tokens: input_tokens.saturating_add(output_tokens), micro_usd: micro_usd(usd) }
    }
}

/// Returns the longest time from setting the cost aside to its settlement. After it the amount is freed, since the worker must have died.
fn lease(order: &CallOrder) -> Duration {
    let left = order.deadline.saturating_duration_since(Instant::now());
    (billing::LONGEST_WAIT + count::LONGEST + order.provider.timeout).min(left) + SETTLED
}

//! Amounts set aside before a request is sent, under the rate limits of provider and tenant and under the spending ceilings, and settled
//! with what it used.

use std::time::Duration;

use futures_util::future::{join, join_all};
use tokio::time::Instant;

use super::allowance::RateReservation;
use super::billing::{LONGEST_WAIT, SpendHold};
use super::requests::{AnswerSender, NotPaid, PaidDesk, PaidRequests, PaidTerms};
use crate::store::Amount;

/// Longest time between the end of a request and the settlement of its cost. Chosen, not measured.
const SETTLED: Duration = Duration::from_secs(30);

/// The reservations of one request under rate limits and ceilings; must be settled.
#[derive(Debug)]
pub(super) struct PaidReservation {
    taken: Vec<RateReservation>,
    aside: SpendHold,
}

impl PaidReservation {
    /// Settles all reservations of a request with its actual usage.
    pub(super) async fn settle(self, desk: PaidDesk<'_>, used: Amount) {
        let limits = self.taken.into_iter().map(|taken| desk.allowance.settle(desk.store, taken, used));
        join(join_all(limits), desk.ceilings.spend(desk.store, self.aside, used)).await;
    }
}

/// Reserves the request's estimate under the rate limits and the ceilings. If one of them refuses, or the caller is gone, settles the
/// reservations made so far with zero usage.
pub(super) async fn reserve<P: PaidRequests>(
    kind: &P,
    (order, terms): (&P::Order, &PaidTerms<'_>),
    asker: &mut AnswerSender<P>,
) -> Result<PaidReservation, P::Failure> {
    let desk = kind.desk();
    let mut reservation = PaidReservation { taken: Vec::new(), aside: SpendHold::new(terms.estimate, lease(terms)) };
    let asked = tokio::select! {
        asked = reserve_each(kind, (order, terms), &mut reservation) => asked,
        () = desk.wait_until_unwanted(asker) => Err(NotPaid::Stopped),
    };
    match asked {
        Ok(()) => Ok(reservation),
        Err(refusal) => {
            reservation.settle(desk, Amount::default()).await;
            Err(refusal.into())
        }
    }
}

/// Waits for room under the limits of the provider and the tenant, then sets the cost aside. Money comes last, so that no amount is
/// blocked for other requests while this one waits for a limit.
async fn reserve_each<P: PaidRequests>(
    kind: &P,
    (order, terms): (&P::Order, &PaidTerms<'_>),
    reservation: &mut PaidReservation,
) -> Result<(), NotPaid> {
    let PaidDesk { store, allowance, ceilings, tenants, .. } = kind.desk();
    let waiting = Instant::now();
    for (name, limits) in [terms.limits.clone(), tenants.limits(terms.billing)] {
        let taken = allowance.take(store, &name, &limits, terms.estimate, terms.deadline).await;
        reservation.taken.push(taken.map_err(NotPaid::NoRoom)?);
    }
    kind.record_wait(order, waiting.elapsed().as_secs_f64());
    if let Some(reached) = kind.without_price(order) {
        return Err(NotPaid::Ceiling(reached));
    }
    let aside = ceilings.set_aside(store, tenants, terms.billing, terms.deadline, &mut reservation.aside).await;
    aside.map_err(NotPaid::Ceiling)
}

/// Returns the longest time from setting the cost aside to its settlement. After it the amount is freed, since the worker must have died.
fn lease(terms: &PaidTerms<'_>) -> Duration {
    let left = terms.deadline.saturating_duration_since(Instant::now());
    (LONGEST_WAIT + terms.longest).min(left) + SETTLED
}

//! Holding a session's delivery: the lease. Fence, read, run, publish, advance the fence, ack; always in this order.
//!
//! A crash between any two steps leads to a repeat, never to a loss: until the ack the broker still has the message. [`claim`] asks
//! the fence, [`whole`] reads what the message refers to, [`lease`] runs the phase, [`end`] does what the settlement says.

mod claim;
mod end;
mod lease;
pub(super) mod whole;

use std::sync::Arc;
use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::response::{ErrorInfo, Status};
use precis_proto::state::{SessionState, StateError};
use tokio::time::Instant;

use self::whole::Unread;
use super::handler::Step;
use super::settle::{Outcome, settle};
use super::suspects;
use super::worker::Core;
use crate::broker::Delivery;
use crate::telemetry::metrics;

/// How long a hold outlives its worker.
const HOLD: Duration = Duration::from_secs(30);
/// How long the fence remembers a session.
const FENCE_KEPT: Duration = Duration::from_secs(48 * 3_600);

/// A delivery with its state, claimed.
struct Held {
    delivery: Delivery,
    /// As it came: what it refers to stays on its pages.
    state: SessionState,
    attempt: u32,
    holder: String,
    since: Instant,
}

/// What a run left behind.
enum Product {
    Step(Step),
    /// A stated failure of the session.
    Failure(ErrorInfo),
    /// Nothing but the reason it ended.
    None(Outcome),
}

impl Held {
    fn traceparent(&self) -> Option<&str> {
        self.delivery.envelope.header.traceparent.as_deref()
    }
}

impl Product {
    fn outcome(&self) -> Outcome {
        match self {
            Self::Step(Step::Next(..)) => Outcome::Next,
            Self::Step(Step::Continue(_)) => Outcome::Continue,
            Self::Step(Step::Finish(..)) => Outcome::Finish,
            Self::Step(Step::Snooze(_, delay, _)) => Outcome::Snooze(*delay),
            Self::Failure(_) => Outcome::Permanent,
            Self::None(outcome) => outcome.clone(),
        }
    }
}

/// Takes a delivery from a session queue to its end.
pub(super) async fn hold(core: Arc<Core>, delivery: Delivery) {
    let Some(delivery) = suspects::sessions(&core, delivery).await else { return };
    let state = match claim::read(&delivery) {
        Ok(state) => state,
        Err(StateError::Newer { found }) => return claim::park(&core, delivery, found).await,
        Err(StateError::Unreadable(error)) => {
            tracing::warn!(error, queue = %delivery.queue, "undecodable state");
            return core.bury(delivery, "undecodable").await;
        }
    };
    // Before the claim: what waits for memory holds nobody up.
    let Some(_room) = whole::room(&core, &state).await else { return claim::stand_back(&core, delivery).await };
    let Some(held) = claim::claim(&core, delivery, state).await else { return };
    core.failpoints.hit("session.claimed").await;
    let counted = metrics().sessions.hold();
    let (frame, product) = match whole::read(&core, &held).await {
        Ok(state) => {
            let frame = lease::frame(&core, &held, &state);
            let product = lease::run(&core, &held, state, &frame).await;
            (frame, product)
        }
        Err(Unread::For(outcome)) => (lease::frame(&core, &held, &held.state), Product::None(outcome)),
        Err(Unread::Gone(failure)) => return end::without_page(&core, held, *failure).await,
    };
    let outcome = product.outcome();
    core.failpoints.hit("session.ran").await;
    let settlement = settle(&outcome, held.attempt, &core.settings.policy);
    tracing::info!(
        session_id = %held.state.session_id, phase = %held.state.phase, attempt = held.attempt, revision = held.state.revision,
        outcome = ?outcome, settlement = ?settlement, ms = u64::try_from(held.since.elapsed().as_millis()).unwrap_or(u64::MAX),
        "session delivery settled"
    );
    metrics().sessions.settled(held.state.phase.as_str(), settlement.word(), held.since.elapsed().as_secs_f64());
    drop(counted);
    end::act(&core, held, settlement, product, &frame).await;
}

async fn ack(core: &Core, delivery: Delivery) {
    core.failpoints.hit("ack.before").await;
    let _ = delivery.ack().await;
}

/// A failure in the words of the response envelope.
pub(super) fn stated(session: &SessionId, status: Status, code: &str, message: String) -> ErrorInfo {
    ErrorInfo {
        session_id: Some(session.clone()),
        status,
        code: code.to_owned(),
        message,
        remedy: None,
        pointer: None,
        sources: Vec::new(),
    }
}

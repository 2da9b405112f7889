//! Processes a session delivery from arrival to ack.

use std::sync::Arc;

use precis_proto::dead_reason::DeadReason;
use precis_proto::state::StateError;

use super::assemble::{self, IncompleteSession};
use super::claimed::ClaimedSession;
use super::phase_result::PhaseResult;
use super::{claim, end, lease};
use crate::broker::{Delivery, names};
use crate::runner::content_faults::outcome_of;
use crate::runner::core::Core;
use crate::runner::lease_context::LeaseContext;
use crate::runner::quarantine;
use crate::runner::registry::Registry;
use crate::runner::settle::{DeliveryOutcome, Settlement, settle};
use crate::telemetry::spans;
use crate::telemetry::spans::conventions::{self, WorkedMessage};
use crate::telemetry::{TraceContext, metrics};

/// Processes a delivery from a session queue, up to its ack.
pub(in crate::runner) async fn hold(core: Arc<Core>, registry: Arc<Registry>, delivery: Delivery) {
    let Some(delivery) = quarantine::sessions(&core, delivery).await else { return };
    let state = match claim::read(&delivery) {
        Ok(state) => state,
        Err(StateError::Newer { found }) => return claim::park(&core, delivery, found).await,
        Err(StateError::Unreadable(error)) => {
            tracing::warn!(error, queue = %delivery.queue, "state cannot be decoded; moved to the dead letters");
            return core.bury(delivery, &DeadReason::Undecodable).await;
        }
    };
    // Before the claim: a session that waits for memory must not block other copies of itself at the fence.
    let Some(_room) = assemble::room(&core, &state).await else { return claim::stand_back(&core, delivery).await };
    let Some(held) = claim::claim(&core, delivery, state).await else { return };
    core.failpoints.hit("session.claimed").await;
    let counted = metrics().sessions.hold();
    let (context, product) = match assemble::read(&core, &held).await {
        Ok(state) => {
            let context = lease::context(&core, &held, &state);
            let product = lease::run(&core, &registry, &held, state, &context).await;
            let product = credible_result(&core, product, &context).await;
            (context, product)
        }
        Err(IncompleteSession::For(outcome)) => (lease::context(&core, &held, &held.state), PhaseResult::None(outcome)),
        Err(IncompleteSession::Gone(failure)) => return Box::pin(end::without_page(&core, held, *failure)).await,
    };
    let outcome = product.outcome();
    core.failpoints.hit("session.ran").await;
    let settlement = settle(&outcome, held.attempt, &core.settings.policy);
    record(&core, &held, &outcome, &settlement);
    drop(counted);
    // Boxed: a settlement has many ways, and its future the size of the largest.
    Box::pin(end::act(&core, held, settlement, product, &context)).await;
}

/// Writes what came of the delivery to the log, the metrics and the trace: the one terminal line of a delivery.
fn record(core: &Core, held: &ClaimedSession, outcome: &DeliveryOutcome, settlement: &Settlement) {
    let (state, took) = (&held.state, held.since.elapsed());
    tracing::info!(
        session_id = %state.session_id, phase = %state.phase, attempt = held.attempt, revision = state.revision,
        outcome = ?outcome, settlement = ?settlement, ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "session delivery settled"
    );
    metrics().sessions.record_settlement(state.phase.as_str(), settlement.word(), took.as_secs_f64());
    spans::record(held.traceparent().and_then(TraceContext::parse), |context| {
        let message = WorkedMessage {
            system: core.broker.system(),
            queue: &names::session_queue(state.phase),
            id: &held.delivery.envelope.header.message_id,
            attempt: held.attempt,
            outcome: settlement.word(),
            took,
        };
        conventions::phase(context, &state.session_id, state.phase, state.revision, &message)
    });
}

/// Whether what a run ended with is believed although the content store was away or full meanwhile. A result may be poorer for it, and a
/// failure may have no other cause; how a lease ended has nothing to do with it.
async fn credible_result(core: &Core, product: PhaseResult, context: &LeaseContext) -> PhaseResult {
    match context.services.content.outage() {
        Some(fault) if product.outcome().depends_on_content() => {
            PhaseResult::None(outcome_of(&core.services.content, &fault).await)
        }
        Some(_) | None => product,
    }
}

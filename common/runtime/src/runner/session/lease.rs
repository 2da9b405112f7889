//! Runs a phase under its lease: renews the hold; handles cancellation, hand over, early end, panics and the time limit.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::join;
use precis_proto::control::Control;
use precis_proto::event::EventKind;
use precis_proto::state::SessionState;
use serde_json::Value;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::claimed::{ClaimedSession, HOLD};
use super::phase_result::PhaseResult;
use super::ruling::{Ruling, ruling};
use crate::model::Unanswered;
use crate::runner::context::PhaseContext;
use crate::runner::control;
use crate::runner::core::Core;
use crate::runner::error::{Interrupt, PhaseError};
use crate::runner::lease_context::LeaseContext;
use crate::runner::registry::Registry;
use crate::runner::session_view::SessionView;
use crate::runner::settle::DeliveryOutcome;
use crate::runner::signals::Signals;
use crate::store::Revision;

/// How often a hold is renewed.
const RENEW: Duration = Duration::from_secs(10);

/// The context of the phase and its jobs, built from the delivery.
pub(super) fn context(core: &Arc<Core>, held: &ClaimedSession, state: &SessionState) -> Arc<LeaseContext> {
    Arc::new(LeaseContext {
        core: Arc::clone(core),
        services: core.services.with_outage_watch(),
        session_id: state.session_id.clone(),
        life: held.fenced_life().cloned(),
        account: state.account.having_spent(&state.calls),
        prior: state.prior.clone(),
        read_prior: OnceCell::new(),
        phase: state.phase,
        revision: state.revision,
        epoch: state.epoch,
        traceparent: held.delivery.envelope.header.traceparent.clone(),
        deadline: Instant::now() + core.settings.lease,
        lease_until: Some(held.since + core.settings.lease),
        is_fresh: is_fresh(held, state),
        signals: Arc::new(Signals { hand_over: core.draining.clone(), ..Signals::default() }),
        gathered: Mutex::new(state.gathered.iter().map(|(id, answer)| (id.clone(), json(answer))).collect()),
        record: Mutex::default(),
        announced: Mutex::default(),
        unanswered: Unanswered::default(),
        no_vectors: OnceLock::new(),
    })
}

/// Whether this is the first attempt of a phase of a session that was never handed over, snoozed or retried: each of these publishes
/// the session without a new epoch, so the revision gets ahead of the epoch.
fn is_fresh(held: &ClaimedSession, state: &SessionState) -> bool {
    let is_first = held.attempt == 1 && !held.delivery.redelivered && state.gathered.is_empty();
    is_first && state.revision == u64::from(state.epoch) + 1
}

fn json(value: &Value) -> Bytes {
    Bytes::from(value.to_string())
}

/// Runs the phase on the complete `session` until it returns, or until it is cancelled, loses its hold or is aborted.
pub(super) async fn run(
    core: &Arc<Core>,
    registry: &Registry,
    held: &ClaimedSession,
    session: SessionState,
    context: &Arc<LeaseContext>,
) -> PhaseResult {
    let state = &held.state;
    // Attached before the store is read: a control sent in between reaches the lease one way or the other.
    core.controls.attach(&context.session_id, &context.signals);
    let (view, control) = (view(core, held), control::recall(&core.store, &state.session_id));
    // Announced before anything is awaited, so that events of the phase come after it.
    core.events.send(&state.session_id, EventKind::PhaseStarted { phase: state.phase, attempt: held.attempt });
    match join(view.write(&core.store, &state.session_id), control).await.1 {
        Some(Control::Cancel { .. }) => context.signals.cancelled.cancel(),
        Some(Control::Stop { .. }) => context.signals.stopped.cancel(),
        None => {}
    }
    if state.stop_requested || state.deadline.is_some_and(|deadline| core.clock.until(deadline).is_zero()) {
        context.signals.stopped.cancel();
    }
    // Biased: a cancellation wins over a step, but a step wins over a lost hold and an abort, because publishing it is safe (the fence
    // decides) and saves the work.
    tokio::select! {
        biased;
        () = context.signals.cancelled.cancelled() => PhaseResult::None(DeliveryOutcome::Cancelled),
        product = handle(core, registry, session, context) => product,
        lost = renew(core, held) => PhaseResult::None(lost),
        () = core.aborting.cancelled() => PhaseResult::None(DeliveryOutcome::HandOver),
        () = stop_at_deadline(core, state, context) => unreachable!("never returns"),
    }
}

async fn handle(core: &Core, registry: &Registry, session: SessionState, context: &Arc<LeaseContext>) -> PhaseResult {
    let phase = session.phase;
    let Some(handler) = registry.phase_handler(phase) else {
        return PhaseResult::None(DeliveryOutcome::Transient("no_handler"));
    };
    let ctx = PhaseContext { context: Arc::clone(context) };
    // A panic must not end this task: its delivery would stay unacked until the connection ends. What the handler left half done
    // is not used: a retry starts from the state as it was delivered.
    let run = AssertUnwindSafe(handler.run(session, &ctx)).catch_unwind();
    // A handler that does not hand over at the end of its lease is stuck; half a lease is added for its last wait.
    match tokio::time::timeout(core.settings.lease * 3 / 2, run).await {
        Ok(Ok(Ok(step))) => PhaseResult::Step(step),
        Ok(Ok(Err(error))) => product_of_error(error, context),
        Ok(Err(_)) => PhaseResult::None(DeliveryOutcome::Panicked),
        Err(_) => PhaseResult::None(DeliveryOutcome::TimedOut),
    }
}

fn product_of_error(error: PhaseError, context: &LeaseContext) -> PhaseResult {
    match error {
        PhaseError::Transient { code, message } => {
            tracing::warn!(session_id = %context.session_id, phase = %context.phase, code, message, "phase failed");
            PhaseResult::None(DeliveryOutcome::Transient(code))
        }
        PhaseError::Permanent(info) => PhaseResult::Failure(*info),
        PhaseError::Interrupted(Interrupt::HandOver) => PhaseResult::None(DeliveryOutcome::HandOver),
        PhaseError::Interrupted(Interrupt::Cancelled) => PhaseResult::None(DeliveryOutcome::Cancelled),
        PhaseError::Interrupted(Interrupt::WithoutContent) => PhaseResult::None(DeliveryOutcome::WithoutContent),
        PhaseError::Interrupted(Interrupt::Disconnected) => PhaseResult::None(DeliveryOutcome::Disconnected),
        // Reported by another worker, not by the fence: this copy may still be the only one.
        PhaseError::Interrupted(Interrupt::Superseded) => PhaseResult::None(DeliveryOutcome::LeaseLost),
    }
}

/// Renews the hold until it is lost; returns how it was lost. Store errors do not lose the hold.
pub(super) async fn renew(core: &Core, held: &ClaimedSession) -> DeliveryOutcome {
    loop {
        tokio::time::sleep(RENEW).await;
        let claim = core.store.fences().renew(Revision::of(&held.state), &held.holder, HOLD).await;
        match ruling(&claim, held.state.life.is_some(), core.settings.lease) {
            Ruling::Duplicate => return DeliveryOutcome::Superseded,
            // Another copy ended the session, if it has a result, or works on it; otherwise this delivery may be the only one.
            Ruling::Ended | Ruling::Wait | Ruling::Abandoned if !held.is_unfenced => return DeliveryOutcome::LeaseLost,
            Ruling::Ended | Ruling::Wait | Ruling::Abandoned | Ruling::Work { .. } => {}
        }
    }
}

/// Ends the session early at its deadline, or at once if an earlier phase was stopped: in this lease and in the workers that run its
/// jobs.
async fn stop_at_deadline(core: &Core, state: &SessionState, context: &LeaseContext) {
    match state.deadline {
        _ if state.stop_requested => {}
        Some(deadline) => tokio::time::sleep(core.clock.until(deadline)).await,
        None => std::future::pending().await,
    }
    // This lease first: the broadcast may wait for the broker.
    context.signals.stopped.cancel();
    // Best effort: a worker that misses the broadcast works until the job's own deadline.
    let _ = control::broadcast(&core.broker, &Control::Stop { session_id: state.session_id.clone() }).await;
    std::future::pending().await
}

/// The position of a held session, for operators.
pub(super) fn view(core: &Core, held: &ClaimedSession) -> SessionView {
    SessionView {
        phase: held.state.phase,
        revision: held.state.revision,
        attempt: held.attempt,
        worker: core.worker_id.clone(),
        since: core.clock.now(),
        waiting: None,
    }
}

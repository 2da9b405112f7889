//! Holding a session's delivery: the lease. Fence, run, publish, advance the fence, ack; always in this order.
//!
//! A crash between any two steps leads to a repeat, never to a loss: until the ack the broker still has the message.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use precis_proto::control::Control;
use precis_proto::event::EventKind;
use precis_proto::response::{ErrorInfo, Response, Status};
use precis_proto::state::{SessionState, StateError};
use precis_proto::{Phase, SessionId};
use tokio::time::Instant;

use super::context::{Frame, PhaseContext, Signals};
use super::control;
use super::handler::{Interrupt, PhaseError, Step};
use super::outbox::SendError;
use super::settle::{Outcome, Settlement, settle};
use super::worker::Core;
use crate::broker::{Delivery, Outgoing, Route, TIERS};
use crate::store::Claim;

/// How long a hold outlives its worker, and how often it is renewed.
const HOLD: Duration = Duration::from_secs(30);
const RENEW: Duration = Duration::from_secs(10);
/// How long the fence remembers a session.
const FENCE_KEPT: Duration = Duration::from_secs(48 * 3_600);
/// How long a state of a newer version waits for a newer worker before it is looked at again.
const PARKED: Duration = TIERS[2];

/// A delivery with its state, claimed.
struct Held {
    delivery: Delivery,
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
    let state = match read(&delivery) {
        Ok(state) => state,
        Err(StateError::Newer { found }) => return park(&core, delivery, found).await,
        Err(StateError::Unreadable(error)) => {
            tracing::warn!(error, queue = %delivery.queue, "undecodable state");
            return core.bury(delivery, "undecodable").await;
        }
    };
    let Some(held) = claim(&core, delivery, state).await else { return };
    core.failpoints.hit("session.claimed").await;
    let frame = frame(&core, &held);
    let product = run(&core, &held, &frame).await;
    let outcome = product.outcome();
    core.failpoints.hit("session.ran").await;
    let settlement = settle(&outcome, held.attempt, &core.settings.policy);
    tracing::info!(
        session_id = %held.state.session_id, phase = %held.state.phase, attempt = held.attempt, revision = held.state.revision,
        outcome = ?outcome, settlement = ?settlement, ms = u64::try_from(held.since.elapsed().as_millis()).unwrap_or(u64::MAX),
        "session delivery settled"
    );
    act(&core, held, settlement, product, &frame).await;
}

fn read(delivery: &Delivery) -> Result<SessionState, StateError> {
    let value = delivery.envelope.decode().map_err(|e| StateError::Unreadable(e.to_string()))?;
    precis_proto::state::read(value)
}

/// A state from the future waits for a newer worker; published unchanged before it is acked.
async fn park(core: &Core, delivery: Delivery, version: u64) {
    tracing::warn!(version, queue = %delivery.queue, "state of a newer version parked");
    let message = Outgoing { route: Route::after(PARKED, delivery.queue.clone()), envelope: delivery.envelope.clone() };
    if core.broker.publish(message).await.is_ok() {
        let _ = delivery.ack().await;
    }
}

/// Asks the fence. `None` where the delivery is a duplicate or somebody else's and has been settled.
async fn claim(core: &Core, delivery: Delivery, state: SessionState) -> Option<Held> {
    let copy = &delivery.envelope.header.copy;
    let holder = format!("{copy}|{}", core.worker_id);
    let claimed = core.store.claim(&state.session_id, state.revision, &holder, HOLD).await;
    let first = match claimed {
        Ok(Claim::Claimed { first }) => first,
        Ok(Claim::Stale { latest }) => {
            tracing::debug!(session_id = %state.session_id, revision = state.revision, latest, "duplicate delivery");
            ack(core, delivery).await;
            return None;
        }
        Ok(Claim::Held) => {
            stand_back(core, delivery).await;
            return None;
        }
        // No fence: work may repeat, nothing is lost.
        Err(_) => true,
    };
    // A session that the fence does not know, or that comes again, may have ended already: its result then only repeats.
    if first || delivery.redelivered {
        match core.repeat_result(&state.session_id, state.reply_to.as_deref()).await {
            Ok(Some(_)) => {
                let _ = core.store.advance(&state.session_id, u64::MAX, FENCE_KEPT).await;
                ack(core, delivery).await;
                return None;
            }
            Ok(None) => {}
            // Unknown: the work may be repeated, the result is put-if-absent.
            Err(error) => tracing::warn!(%error, session_id = %state.session_id, "cannot look for an earlier result"),
        }
    }
    let attempt = delivery.envelope.header.attempt.max(1);
    Some(Held { delivery, state, attempt, holder, since: Instant::now() })
}

/// Another holder works on this revision. The delivery comes back later, under a copy name of its own: it must not take the
/// session from a live holder, and it goes on should that holder die. Acked only once the copy is safe: the other holder's
/// delivery may be this very message.
async fn stand_back(core: &Core, delivery: Delivery) {
    let mut envelope = delivery.envelope.clone();
    envelope.header.copy = core.next_copy();
    let message = Outgoing { route: Route::after(TIERS[0], delivery.queue.clone()), envelope };
    if core.broker.publish(message).await.is_ok() {
        ack(core, delivery).await;
    } else {
        let _ = delivery.requeue().await;
    }
}

async fn ack(core: &Core, delivery: Delivery) {
    core.failpoints.hit("ack.before").await;
    let _ = delivery.ack().await;
}

fn frame(core: &Arc<Core>, held: &Held) -> Arc<Frame> {
    let state = &held.state;
    let job_deadline = core.clock.now().plus_ms(i64::try_from(core.settings.lease.as_millis()).unwrap_or(i64::MAX));
    Arc::new(Frame {
        core: Arc::clone(core),
        session_id: state.session_id.clone(),
        phase: state.phase,
        revision: state.revision,
        epoch: state.epoch,
        deadline: job_deadline,
        lease_until: Some(held.since + core.settings.lease),
        signals: Signals { hand_over: core.draining.clone(), ..Signals::default() },
        gathered: Mutex::new(state.gathered.clone()),
        record: Mutex::default(),
    })
}

/// Runs the phase under its lease: renewed hold, cancellation, hand over, early end, panic and time limit.
async fn run(core: &Arc<Core>, held: &Held, frame: &Arc<Frame>) -> Product {
    let state = &held.state;
    core.controls.attach(frame);
    match control::recall(core, &state.session_id).await {
        Some(Control::Cancel { .. }) => frame.signals.cancelled.cancel(),
        Some(Control::Stop { .. }) => frame.signals.stopped.cancel(),
        None => {}
    }
    core.events.send(&state.session_id, EventKind::PhaseStarted { phase: state.phase, attempt: held.attempt });
    tokio::select! {
        biased;
        () = frame.signals.cancelled.cancelled() => Product::None(Outcome::Cancelled),
        product = handle(core, held, frame) => product,
        lost = renew(core, held) => Product::None(lost),
        () = core.aborting.cancelled() => Product::None(Outcome::HandOver),
        () = stop_in_time(core, state, frame) => unreachable!("waiting for the deadline has no end"),
    }
}

async fn handle(core: &Core, held: &Held, frame: &Arc<Frame>) -> Product {
    let phase = held.state.phase;
    let Some(handler) = core.registry.phase_handler(phase) else {
        return Product::None(Outcome::Transient("no_handler"));
    };
    let ctx = PhaseContext { frame: Arc::clone(frame) };
    let run = AssertUnwindSafe(handler.run(held.state.clone(), &ctx)).catch_unwind();
    // A handler that does not hand over in time has lost its way; half the lease again is for its last wait.
    match tokio::time::timeout(core.settings.lease * 3 / 2, run).await {
        Ok(Ok(Ok(step))) => Product::Step(step),
        Ok(Ok(Err(error))) => product_of_error(error, frame),
        Ok(Err(_)) => Product::None(Outcome::Panicked),
        Err(_) => Product::None(Outcome::TimedOut),
    }
}

fn product_of_error(error: PhaseError, frame: &Frame) -> Product {
    match error {
        PhaseError::Transient { code, message } => {
            tracing::warn!(session_id = %frame.session_id, phase = %frame.phase, code, message, "phase failed");
            Product::None(Outcome::Transient(code))
        }
        PhaseError::Permanent(info) => Product::Failure(*info),
        PhaseError::Interrupted(Interrupt::HandOver) => Product::None(Outcome::HandOver),
        PhaseError::Interrupted(Interrupt::Cancelled) => Product::None(Outcome::Cancelled),
        PhaseError::Interrupted(Interrupt::Disconnected) => Product::None(Outcome::Disconnected),
    }
}

/// Renews the hold until it is lost, and says how. A store that is away loses nothing.
async fn renew(core: &Core, held: &Held) -> Outcome {
    loop {
        tokio::time::sleep(RENEW).await;
        let claim = core.store.renew(&held.state.session_id, held.state.revision, &held.holder, HOLD).await;
        match claim {
            Ok(Claim::Stale { .. }) => return Outcome::Superseded,
            Ok(Claim::Held) => return Outcome::LeaseLost,
            Ok(Claim::Claimed { .. }) | Err(_) => {}
        }
    }
}

/// Fires `stopped` at the session's deadline, for the phases that gather; the later ones are what an early end needs.
async fn stop_in_time(core: &Core, state: &SessionState, frame: &Frame) {
    if state.phase < Phase::Compression {
        if let Some(deadline) = state.deadline {
            tokio::time::sleep(core.clock.until(deadline)).await;
            frame.signals.stopped.cancel();
        } else if state.stop_requested {
            frame.signals.stopped.cancel();
        }
    }
    std::future::pending().await
}

/// Does what the settlement says. Any failure on the way leaves the delivery unacked: it comes again.
async fn act(core: &Core, held: Held, settlement: Settlement, product: Product, frame: &Frame) {
    let sent = match settlement {
        Settlement::Abandon => return ack(core, held.delivery).await,
        Settlement::StandBack => return stand_back(core, held.delivery).await,
        Settlement::Publish => publish_next(core, &held, product, frame).await,
        Settlement::HandOver => publish_again(core, &held, partial(&held, product, frame), 1, None).await,
        Settlement::Snooze { delay } => {
            publish_again(core, &held, partial(&held, product, frame), held.attempt, Some(delay)).await
        }
        Settlement::Retry { delay, attempt } => {
            publish_again(core, &held, held.state.clone(), attempt, Some(delay)).await
        }
        Settlement::Finish => finish(core, &held, product).await,
        Settlement::Fail => fail(core, &held, failure(&held, product)).await,
        Settlement::Bury(reason) => bury(core, &held, reason).await,
    };
    let revision = match sent {
        Ok(revision) => revision,
        Err(SendError::TooLarge(message)) => match fail(core, &held, too_large(&held, message)).await {
            Ok(revision) => revision,
            Err(error) => return give_back(core, held, &error).await,
        },
        Err(error) => return give_back(core, held, &error).await,
    };
    core.failpoints.hit("session.published").await;
    let _ = core.store.advance(&held.state.session_id, revision, FENCE_KEPT).await;
    core.failpoints.hit("session.fenced").await;
    ack(core, held.delivery).await;
}

/// Lets go of a session that could not be published, so that its next delivery finds the fence open.
async fn give_back(core: &Core, held: Held, error: &SendError) {
    tracing::warn!(%error, session_id = %held.state.session_id, "publish failed; the session will be delivered again");
    let _ = core.store.unclaim(&held.state.session_id, held.state.revision, &held.holder).await;
    if matches!(error, SendError::Content(_)) {
        // The broker is there: wait in a tier instead of spinning through the queue.
        if publish_again(core, &held, held.state.clone(), held.attempt, Some(TIERS[0])).await.is_ok() {
            ack(core, held.delivery).await;
            return;
        }
    }
    let _ = held.delivery.requeue().await;
}

async fn publish_next(core: &Core, held: &Held, product: Product, frame: &Frame) -> Result<u64, SendError> {
    let Product::Step(Step::Next(state, phase)) = product else { unreachable!("settled as next without a next step") };
    let mut state = *state;
    let seconds = held.since.elapsed().as_secs_f64();
    let done = state.phase;
    state.add_time(done, seconds);
    let record = frame.taken();
    state.calls.extend(record.calls);
    state.token_usage.extend(record.usage);
    for warning in record.warnings {
        state.warn(warning);
    }
    state.stop_requested |= frame.signals.stopped.is_cancelled();
    state.gathered.clear();
    state.phase = phase;
    state.epoch += 1;
    state.revision = held.state.revision + 1;
    core.publish_state(&state, 1, None).await?;
    core.events.send(&state.session_id, EventKind::PhaseFinished { phase: done, seconds });
    Ok(state.revision)
}

/// The state to go on with: the one the phase gave, or the one it got, with what was gathered.
fn partial(held: &Held, product: Product, frame: &Frame) -> SessionState {
    let mut state = match product {
        Product::Step(Step::Continue(state) | Step::Snooze(state, ..)) => *state,
        _ => held.state.clone(),
    };
    state.gathered = frame.gathered.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    state.add_time(held.state.phase, held.since.elapsed().as_secs_f64());
    state
}

async fn publish_again(
    core: &Core,
    held: &Held,
    mut state: SessionState,
    attempt: u32,
    delay: Option<Duration>,
) -> Result<u64, SendError> {
    state.phase = held.state.phase;
    state.revision = held.state.revision + 1;
    core.publish_state(&state, attempt, delay).await?;
    Ok(state.revision)
}

async fn finish(core: &Core, held: &Held, product: Product) -> Result<u64, SendError> {
    let Product::Step(Step::Finish(mut state, mut response)) = product else {
        unreachable!("settled as finish without a result")
    };
    state.add_time(held.state.phase, held.since.elapsed().as_secs_f64());
    if let Some(data) = &mut response.data {
        data.session.phases.clone_from(&state.phases);
    }
    core.publish_result(&held.state.session_id, held.state.reply_to.as_deref(), &response).await?;
    Ok(u64::MAX)
}

async fn fail(core: &Core, held: &Held, error: ErrorInfo) -> Result<u64, SendError> {
    let response = Response::failure(error);
    core.publish_result(&held.state.session_id, held.state.reply_to.as_deref(), &response).await?;
    Ok(u64::MAX)
}

async fn bury(core: &Core, held: &Held, reason: &'static str) -> Result<u64, SendError> {
    let message =
        format!("the {} phase failed {} times; the state is kept as a dead letter", held.state.phase, held.attempt);
    let mut envelope = held.delivery.envelope.clone();
    envelope.header.dead_reason = Some(reason.to_owned());
    envelope.header.subject.clone_from(&held.delivery.queue);
    core.broker.publish(Outgoing { route: Route::queue(crate::broker::names::DEAD), envelope }).await?;
    fail(core, held, stated(&held.state.session_id, Status::Failed, reason, message)).await
}

fn failure(held: &Held, product: Product) -> ErrorInfo {
    match product {
        Product::Failure(info) => info,
        Product::Step(_) | Product::None(_) => {
            stated(&held.state.session_id, Status::Cancelled, "cancelled", "the session was cancelled".to_owned())
        }
    }
}

fn too_large(held: &Held, message: String) -> ErrorInfo {
    let mut info = stated(&held.state.session_id, Status::Failed, "state_too_large", message);
    info.remedy = Some("ask with fewer sources, or split the question".to_owned());
    info
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

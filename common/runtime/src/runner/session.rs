//! Holding a session's delivery: the lease. Fence, run, publish, advance the fence, ack; always in this order.
//!
//! A crash between any two steps leads to a repeat, never to a loss: until the ack the broker still has the message.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use precis_proto::SessionId;
use precis_proto::control::Control;
use precis_proto::event::EventKind;
use precis_proto::response::{ErrorInfo, Response, Status};
use precis_proto::state::{SessionState, StateError};
use serde_json::Value;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::context::{Frame, PhaseContext, Signals};
use super::control;
use super::handler::{Interrupt, PhaseError, Step};
use super::outbox::{SendError, status_of};
use super::settle::{Outcome, Settlement, settle};
use super::suspects;
use super::unkept::{content_code, content_failure, content_policy};
use super::view::SessionView;
use super::worker::Core;
use crate::broker::{Delivery, Outgoing, Route, TIERS};
use crate::store::Claim;
use crate::telemetry::metrics;

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
    let counted = metrics().sessions.hold();
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
    metrics().sessions.settled(held.state.phase.as_str(), settlement.word(), held.since.elapsed().as_secs_f64());
    drop(counted);
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
            metrics().broker.duplicate();
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
    if (first || delivery.redelivered) && has_ended(core, &state).await {
        ack(core, delivery).await;
        return None;
    }
    let attempt = delivery.envelope.header.attempt.max(1);
    Some(Held { delivery, state, attempt, holder, since: Instant::now() })
}

/// Whether the session has its result, which is then sent again.
async fn has_ended(core: &Core, state: &SessionState) -> bool {
    match core.repeat_result(&state.session_id, state.reply_to.as_deref()).await {
        Ok(Some(_)) => {
            let _ = core.store.advance(&state.session_id, u64::MAX, FENCE_KEPT).await;
            true
        }
        Ok(None) => false,
        // Unknown: the work may be repeated, the result is put-if-absent.
        Err(error) => {
            tracing::warn!(%error, session_id = %state.session_id, "cannot look for an earlier result");
            false
        }
    }
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
        account: state.account.having_spent(&state.calls),
        prior: state.prior.clone(),
        read_prior: OnceCell::new(),
        phase: state.phase,
        revision: state.revision,
        epoch: state.epoch,
        traceparent: held.delivery.envelope.header.traceparent.clone(),
        deadline: job_deadline,
        lease_until: Some(held.since + core.settings.lease),
        is_fresh: is_fresh(held),
        signals: Signals { hand_over: core.draining.clone(), ..Signals::default() },
        gathered: Mutex::new(state.gathered.iter().map(|(id, answer)| (id.clone(), json(answer))).collect()),
        record: Mutex::default(),
        told: Mutex::default(),
    })
}

/// Whether this is the first try of a phase of a session that was never handed over, snoozed or retried: each of these publishes
/// the session without a new epoch, so that its revision runs ahead.
fn is_fresh(held: &Held) -> bool {
    let state = &held.state;
    let is_first = held.attempt == 1 && !held.delivery.redelivered && state.gathered.is_empty();
    is_first && state.revision == u64::from(state.epoch) + 1
}

fn json(value: &Value) -> Bytes {
    Bytes::from(value.to_string())
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
    if state.stop_requested || state.deadline.is_some_and(|deadline| core.clock.until(deadline).is_zero()) {
        frame.signals.stopped.cancel();
    }
    core.events.send(&state.session_id, EventKind::PhaseStarted { phase: state.phase, attempt: held.attempt });
    view(core, held).write(&core.store, &state.session_id).await;
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
        // Not the fence's word, but another worker's: this copy may be the only one all the same.
        PhaseError::Interrupted(Interrupt::Superseded) => Product::None(Outcome::LeaseLost),
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

/// Ends the session early at its deadline, or at once where an earlier phase was told to: here, and at whoever runs its jobs.
async fn stop_in_time(core: &Core, state: &SessionState, frame: &Frame) {
    match state.deadline {
        _ if state.stop_requested => {}
        Some(deadline) => tokio::time::sleep(core.clock.until(deadline)).await,
        None => std::future::pending().await,
    }
    frame.signals.stopped.cancel();
    // Who does not hear of it works until the job's own deadline.
    let _ = control::tell(&core.broker, &Control::Stop { session_id: state.session_id.clone() }).await;
    std::future::pending().await
}

/// Does what the settlement says. Any failure on the way leaves the delivery unacked: it comes again.
async fn act(core: &Core, held: Held, settlement: Settlement, product: Product, frame: &Frame) {
    let sent = match settlement {
        Settlement::Abandon => return ack(core, held.delivery).await,
        Settlement::StandBack if has_ended(core, &held.state).await => return ack(core, held.delivery).await,
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
        Err(error @ SendError::Content(_)) => match without_content(core, &held, &error).await {
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
    let _ = held.delivery.requeue().await;
}

/// What to do where the content store does not take a result: the phase is tried again in a while, as after any failure. After
/// the last try the caller is told, and nothing is kept: the fence alone makes a repeat harmless.
async fn without_content(core: &Core, held: &Held, error: &SendError) -> Result<u64, SendError> {
    let SendError::Content(fault) = error else { unreachable!("only of the content store's faults") };
    let session = &held.state.session_id;
    tracing::warn!(%error, session_id = %session, attempt = held.attempt, "the result cannot be kept");
    match settle(&Outcome::Transient(content_code(fault)), held.attempt, &content_policy(fault, core.settings.policy)) {
        Settlement::Retry { delay, attempt } => {
            publish_again(core, held, held.state.clone(), attempt, Some(delay)).await
        }
        _ => {
            core.tell_failure(held.state.reply_to.as_deref(), content_failure(session, fault)).await?;
            Ok(u64::MAX)
        }
    }
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
    core.publish_state(&state, 1, None, held.traceparent()).await?;
    core.events.send(&state.session_id, EventKind::PhaseFinished { phase: done, seconds });
    Ok(state.revision)
}

/// The state to go on with: the one the phase gave, or the one it got, with what was gathered.
fn partial(held: &Held, product: Product, frame: &Frame) -> SessionState {
    let mut state = match product {
        Product::Step(Step::Continue(state) | Step::Snooze(state, ..)) => *state,
        _ => held.state.clone(),
    };
    let gathered = frame.gathered.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    state.gathered =
        gathered.iter().filter_map(|(id, json)| Some((id.clone(), serde_json::from_slice(json).ok()?))).collect();
    drop(gathered);
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
    core.publish_state(&state, attempt, delay, held.traceparent()).await?;
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
    measure(core, held, &response);
    Ok(u64::MAX)
}

async fn fail(core: &Core, held: &Held, error: ErrorInfo) -> Result<u64, SendError> {
    let response = Response::failure(error);
    core.publish_result(&held.state.session_id, held.state.reply_to.as_deref(), &response).await?;
    measure(core, held, &response);
    Ok(u64::MAX)
}

async fn bury(core: &Core, held: &Held, reason: &'static str) -> Result<u64, SendError> {
    let message =
        format!("the {} phase failed {} times; the state is kept as a dead letter", held.state.phase, held.attempt);
    metrics().broker.dead_letter(reason);
    let mut envelope = held.delivery.envelope.clone();
    envelope.header.dead_reason = Some(reason.to_owned());
    envelope.header.subject.clone_from(&held.delivery.queue);
    core.broker.publish(Outgoing { route: Route::queue(crate::broker::names::DEAD), envelope }).await?;
    fail(core, held, stated(&held.state.session_id, Status::Failed, reason, message)).await
}

/// Where the session stands, for whoever lists sessions.
fn view(core: &Core, held: &Held) -> SessionView {
    SessionView {
        phase: held.state.phase,
        revision: held.state.revision,
        attempt: held.attempt,
        worker: core.worker_id.clone(),
        since: core.clock.now(),
    }
}

/// Measures a session that this worker has ended.
fn measure(core: &Core, held: &Held, response: &Response) {
    let ms = core.clock.now().0.saturating_sub(held.state.created_at.0);
    metrics().sessions.ended(status_of(response).as_str(), ms as f64 / 1_000.0);
    let Some(data) = &response.data else { return };
    for row in &data.ledger {
        let fates = [row.tokens_kept, row.tokens_reduced, row.tokens_dropped, row.tokens_duplicate];
        for (fate, tokens) in ["kept", "reduced", "dropped", "duplicate"].into_iter().zip(fates) {
            metrics().sessions.tokens(row.phase.as_str(), fate, tokens);
        }
    }
    for warning in &data.warning_details {
        metrics().sessions.warning(warning.code.as_str());
    }
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

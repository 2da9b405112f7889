//! Settles a session delivery after its phase ran: publish one message, advance the fence, ack the delivery.

use std::time::Duration;

use precis_proto::dead_reason::DeadReason;
use precis_proto::event::EventKind;
use precis_proto::failure_code::FailureCode;
use precis_proto::response::{ErrorInfo, Response, Status};
use precis_proto::state::{PagedField, SessionState};

use super::claim::{has_ended, wait};
use super::claimed::{ClaimedSession, FENCE_KEPT, ack};
use super::lease;
use super::phase_result::PhaseResult;
use crate::runner::content_faults::{content_failure, content_policy, outcome_of};
use crate::runner::core::Core;
use crate::runner::give_back;
use crate::runner::handler::Step;
use crate::runner::lease_context::LeaseContext;
use crate::runner::outbox::{SendError, status_of};
use crate::runner::pages;
use crate::runner::session_view::SessionView;
use crate::runner::session_wait::SessionWait;
use crate::runner::settle::{Settlement, settle};
use crate::runner::stated_failure::{dead_letter_failure, failure_info};
use crate::store::Revision;
use crate::telemetry::spans;
use crate::telemetry::spans::conventions::{self, EndedWorkflow};
use crate::telemetry::{TraceContext, metrics};

/// Carries out the settlement. Any failure on the way leaves the delivery unacked, so it is redelivered.
pub(super) async fn act(
    core: &Core,
    held: ClaimedSession,
    settlement: Settlement,
    product: PhaseResult,
    context: &LeaseContext,
) {
    tell_wait(core, &held, &settlement, &product).await;
    let sent = match settlement {
        Settlement::Abandon => return ack(core, held.delivery).await,
        // The other holder may have finished meanwhile: then the caller gets the result again, and no copy is needed.
        Settlement::StandBack if has_ended(core, &held.state).await => return ack(core, held.delivery).await,
        Settlement::StandBack => {
            let mut delivery = held.delivery;
            // It was worked on: what it waited before is over.
            delivery.envelope.header.waits = 0;
            return wait(core, delivery).await;
        }
        Settlement::Publish => publish_next(core, &held, product, context).await,
        Settlement::HandOver => {
            let is_further = got_further(&held, &product, context);
            let attempt = if is_further { 1 } else { held.attempt };
            publish_again(core, &held, partial(&held, product, context), attempt, None).await
        }
        Settlement::Snooze { delay } => {
            publish_again(core, &held, partial(&held, product, context), held.attempt, Some(delay)).await
        }
        Settlement::Retry { delay, attempt } => {
            publish_again(core, &held, held.state.clone(), attempt, Some(delay)).await
        }
        Settlement::Finish => finish(core, &held, product).await,
        Settlement::Fail => fail(core, &held, failure(&held, product)).await,
        Settlement::Bury(reason) => bury(core, &held, &reason).await,
    };
    let sent = match sent {
        Err(SendError::TooLarge(message)) => fail(core, &held, too_large(&held, message)).await,
        Err(error @ SendError::Content(_)) => without_content(core, &held, &error).await,
        sent => sent,
    };
    settle_sent(core, held, sent).await;
}

/// Writes what the session waits for from now on. Before it is published: whoever takes it next has the last word.
async fn tell_wait(core: &Core, held: &ClaimedSession, settlement: &Settlement, product: &PhaseResult) {
    let held_view = lease::view(core, held);
    let Some(waiting) = SessionWait::after(settlement, held_view.since) else { return };
    let phase = match product {
        PhaseResult::Step(Step::Next(_, next)) => *next,
        _ => held_view.phase,
    };
    let attempt = match settlement {
        Settlement::Retry { attempt, .. } => *attempt,
        _ => held_view.attempt,
    };
    let view = SessionView { phase, attempt, revision: held_view.revision + 1, waiting: Some(waiting), ..held_view };
    view.write(&core.store, &held.state.session_id).await;
}

/// Advances the fence and acks after a successful publish; otherwise gives the delivery back.
async fn settle_sent(core: &Core, held: ClaimedSession, sent: Result<u64, SendError>) {
    let revision = match sent {
        Ok(revision) => revision,
        Err(error) => return give_back(core, held, &error).await,
    };
    core.failpoints.hit("session.published").await;
    // Fence after publish: a crash in between redelivers this revision, which repeats. The other way round the fence would reject the
    // redelivery as a duplicate, and the session would be lost.
    let _ = core.store.fences().advance(Revision::of(&held.state).at(revision), FENCE_KEPT).await;
    core.failpoints.hit("session.fenced").await;
    ack(core, held.delivery).await;
}

/// Releases the claim of a session that could not be published, so that its redelivery finds the fence open.
async fn give_back(core: &Core, held: ClaimedSession, error: &SendError) {
    tracing::warn!(%error, session_id = %held.state.session_id, "publish failed; the delivery goes back to its queue");
    let _ = core.store.fences().unclaim(Revision::of(&held.state), &held.holder).await;
    give_back::give_back(held.delivery).await;
}

/// Handles a content store that does not accept a result: retries the phase with a delay, as after any failure, and for as long as the
/// store is away or full. After the last attempt it sends the caller a failure and keeps nothing, so a copy that comes later runs again.
async fn without_content(core: &Core, held: &ClaimedSession, error: &SendError) -> Result<u64, SendError> {
    let SendError::Content(fault) = error else { unreachable!("called with content store errors only") };
    let session = &held.state.session_id;
    tracing::warn!(%error, session_id = %session, attempt = held.attempt, "the content store did not accept the state or result");
    let outcome = outcome_of(&core.services.content, fault).await;
    match settle(&outcome, held.attempt, &content_policy(fault, core.settings.policy)) {
        Settlement::Retry { delay, attempt } => {
            publish_again(core, held, held.state.clone(), attempt, Some(delay)).await
        }
        _ => {
            core.send_failure(held.state.reply_to.as_deref(), content_failure(session, fault)).await?;
            Ok(u64::MAX)
        }
    }
}

/// Ends a session of which a page is missing: sends a failure, and keeps the message as a dead letter that can be redriven once the
/// page is back.
pub(super) async fn without_page(core: &Core, held: ClaimedSession, failure: ErrorInfo) {
    // The dead letter first: once the result is out, a redelivery after a crash is acked as ended, and the message would be lost.
    let sent = match core
        .publish_dead(held.delivery.envelope.clone(), &held.delivery.queue, &DeadReason::StatePageMissing)
        .await
    {
        Ok(()) => fail(core, &held, failure).await,
        Err(error) => Err(error),
    };
    settle_sent(core, held, sent).await;
}

async fn publish_next(
    core: &Core,
    held: &ClaimedSession,
    product: PhaseResult,
    context: &LeaseContext,
) -> Result<u64, SendError> {
    let PhaseResult::Step(Step::Next(state, phase)) = product else {
        unreachable!("settled as Publish without Step::Next")
    };
    let mut state = *state;
    let seconds = held.since.elapsed().as_secs_f64();
    let done = state.phase;
    state.add_time(done, seconds);
    take_in(&mut state, context);
    state.phase = phase;
    state.epoch += 1;
    state.revision = held.state.revision + 1;
    core.publish_state(&state, 1, None, held.traceparent()).await?;
    core.events.send(&state.session_id, EventKind::PhaseFinished { phase: done, seconds });
    Ok(state.revision)
}

/// Merges what the lease recorded into a state that includes the work done: none of it is repeated.
fn take_in(state: &mut SessionState, context: &LeaseContext) {
    let record = context.lease_record();
    state.calls.extend(record.calls);
    state.token_usage.extend(record.usage);
    for warning in record.warnings {
        state.warn(warning);
    }
    state.stop_requested |= context.signals.stopped.is_cancelled();
    state.gathered.clear();
}

/// The state to continue with: the one the phase returned, or the one it got plus the gathered answers.
fn partial(held: &ClaimedSession, product: PhaseResult, context: &LeaseContext) -> SessionState {
    let mut state = match product {
        PhaseResult::Step(Step::Continue(mut state)) => {
            // The returned state already includes what was gathered.
            take_in(&mut state, context);
            state.add_time(held.state.phase, held.since.elapsed().as_secs_f64());
            return *state;
        }
        PhaseResult::Step(Step::Snooze(state, ..)) => *state,
        _ => held.state.clone(),
    };
    let gathered = context.gathered.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    state.gathered =
        gathered.iter().filter_map(|(id, json)| Some((id.clone(), serde_json::from_slice(json).ok()?))).collect();
    drop(gathered);
    pages::drop_field(&mut state.pages, PagedField::Gathered);
    state.add_time(held.state.phase, held.since.elapsed().as_secs_f64());
    state
}

/// Whether the phase got further in this lease: it returned a state of its own, or a job was answered that had no answer before. Only
/// then its attempts start over; failures that alternate with hand overs would otherwise never end the session.
fn got_further(held: &ClaimedSession, product: &PhaseResult, context: &LeaseContext) -> bool {
    let paged = held.state.pages.0.get(&PagedField::Gathered).map_or(0, |list| list.items);
    let before = paged.saturating_add(held.state.gathered.len() as u64);
    let gathered = context.gathered.lock().unwrap_or_else(std::sync::PoisonError::into_inner).len() as u64;
    matches!(product, PhaseResult::Step(Step::Continue(_))) || gathered > before
}

async fn publish_again(
    core: &Core,
    held: &ClaimedSession,
    mut state: SessionState,
    attempt: u32,
    delay: Option<Duration>,
) -> Result<u64, SendError> {
    state.phase = held.state.phase;
    state.revision = held.state.revision + 1;
    core.publish_state(&state, attempt, delay, held.traceparent()).await?;
    Ok(state.revision)
}

async fn finish(core: &Core, held: &ClaimedSession, product: PhaseResult) -> Result<u64, SendError> {
    let PhaseResult::Step(Step::Finish(mut state, mut response)) = product else {
        unreachable!("settled as Finish without Step::Finish")
    };
    state.add_time(held.state.phase, held.since.elapsed().as_secs_f64());
    if let Some(mut data) = response.data.take() {
        data.session.phases.clone_from(&state.phases);
        // Sealed last: any later change to a report would look like tampering.
        *response = Response::report(data);
    }
    core.publish_result(&held.state.session_id, held.state.reply_to.as_deref(), &response).await?;
    measure(core, held, &response);
    // No revision is later: every further delivery of the session is acked as a duplicate.
    Ok(u64::MAX)
}

async fn fail(core: &Core, held: &ClaimedSession, error: ErrorInfo) -> Result<u64, SendError> {
    let response = Response::failure(error);
    core.publish_result(&held.state.session_id, held.state.reply_to.as_deref(), &response).await?;
    measure(core, held, &response);
    Ok(u64::MAX)
}

async fn bury(core: &Core, held: &ClaimedSession, reason: &DeadReason) -> Result<u64, SendError> {
    let message =
        format!("the {} phase failed {} times; the state is kept as a dead letter", held.state.phase, held.attempt);
    let delivery = &held.delivery;
    // The dead letter before the result, as in `without_page`.
    core.publish_dead(delivery.envelope.clone(), &delivery.queue, reason).await?;
    fail(core, held, dead_letter_failure(&held.state.session_id, reason, message)).await
}

/// Records the metrics of a session that this worker ended.
fn measure(core: &Core, held: &ClaimedSession, response: &Response) {
    let ms = core.clock.now().0.saturating_sub(held.state.created_at.0);
    metrics().sessions.record_end(status_of(response).as_str(), ms as f64 / 1_000.0);
    spans::record(held.traceparent().and_then(TraceContext::parse), |context| {
        let stop_reason = response.data.as_ref().and_then(|data| data.session.stop_reason.as_ref());
        let ended = EndedWorkflow {
            status: status_of(response).as_str(),
            stop_reason: stop_reason.map(|reason| reason.known_word().unwrap_or("other")),
            error: response.error.as_ref().map(|error| error.code.known_word().unwrap_or("other")),
            took: Duration::from_millis(u64::try_from(ms).unwrap_or(0)),
        };
        conventions::workflow(context, &held.state.session_id, &ended)
    });
    let Some(data) = &response.data else { return };
    metrics().reports.count_report(data);
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

fn failure(held: &ClaimedSession, product: PhaseResult) -> ErrorInfo {
    match product {
        PhaseResult::Failure(info) => info,
        PhaseResult::Step(_) | PhaseResult::None(_) => {
            let message = "the session was cancelled".to_owned();
            failure_info(&held.state.session_id, Status::Cancelled, FailureCode::Cancelled, message)
        }
    }
}

fn too_large(held: &ClaimedSession, message: String) -> ErrorInfo {
    failure_info(&held.state.session_id, Status::Failed, FailureCode::StateTooLarge, message)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use precis_proto::{JobId, Phase};
    use tokio::time::Instant;

    use super::*;
    use crate::broker::{MemoryBroker, Topology, names};
    use crate::runner::core::tests::{core, core_with_one_queue, delivered_session, take_delivery};
    use crate::runner::session::{claim, lease};
    use crate::runner::settle::DeliveryOutcome;

    #[tokio::test(start_paused = true)]
    async fn an_unpublishable_session_is_returned_after_a_pause_with_released_claim() {
        let queue = names::session_queue(Phase::Digest);
        let core = core_with_one_queue(&queue).await;
        let (state, delivery) = delivered_session(&core, 1).await;
        let held = claim::claim(&core, delivery, state.clone()).await.expect("free");
        let context = lease::context(&core, &held, &state);
        let since = Instant::now();
        let snooze = Settlement::Snooze { delay: Duration::from_secs(2) };
        Box::pin(act(&core, held, snooze, PhaseResult::None(DeliveryOutcome::Disconnected), &context)).await;
        assert_eq!(since.elapsed(), Duration::from_secs(1));
        let again = take_delivery(&core, &queue).await;
        assert!(claim::claim(&core, again, state).await.is_some());
    }

    #[tokio::test]
    async fn a_hand_over_keeps_the_attempt_unless_the_phase_got_further() {
        let queue = names::session_queue(Phase::Digest);
        let stays = |_: &SessionState| PhaseResult::None(DeliveryOutcome::HandOver);
        let continues = |state: &SessionState| PhaseResult::Step(Step::Continue(Box::new(state.clone())));
        type Product = fn(&SessionState) -> PhaseResult;
        let table: [(&str, Product, bool, u32); 3] = [
            ("nothing was done", stays, false, 3),
            ("a job was answered", stays, true, 1),
            ("the phase returned its own state", continues, false, 1),
        ];
        for (case, product, is_answered, attempt) in table {
            let core = core(&MemoryBroker::new()).await;
            core.broker.declare(&Topology::standard()).await.expect("declared");
            let (state, delivery) = delivered_session(&core, 3).await;
            let held = claim::claim(&core, delivery, state.clone()).await.expect("free");
            let context = lease::context(&core, &held, &state);
            if is_answered {
                context.keep(JobId::new("j".repeat(64)).expect("an id"), Bytes::from_static(b"{}"));
            }
            Box::pin(act(&core, held, Settlement::HandOver, product(&state), &context)).await;
            assert_eq!(take_delivery(&core, &queue).await.envelope.header.attempt, attempt, "{case}");
        }
    }

    #[tokio::test]
    async fn an_answer_counts_once_however_often_the_session_is_handed_over() {
        let queue = names::session_queue(Phase::Digest);
        let core = core(&MemoryBroker::new()).await;
        core.broker.declare(&Topology::standard()).await.expect("declared");
        let (mut state, _) = delivered_session(&core, 1).await;
        let id = JobId::new("j".repeat(64)).expect("an id");
        state.gathered.insert(id.clone(), serde_json::json!({}));
        core.publish_state(&state, 4, None, None).await.expect("published");
        let delivery = take_delivery(&core, &queue).await;
        let held = claim::claim(&core, delivery, state.clone()).await.expect("free");
        let context = lease::context(&core, &held, &state);
        context.keep(id, Bytes::from_static(b"{}"));
        Box::pin(act(&core, held, Settlement::HandOver, PhaseResult::None(DeliveryOutcome::HandOver), &context)).await;
        assert_eq!(take_delivery(&core, &queue).await.envelope.header.attempt, 4);
    }
}

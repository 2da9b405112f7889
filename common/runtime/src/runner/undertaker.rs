//! What the broker gave up on: it gets a typed reason, whoever waits for it gets an answer, and it rests among the dead letters.

use std::sync::Arc;

use precis_proto::SessionId;
use precis_proto::envelope::message_type;
use precis_proto::job::{Job, JobFailure};
use precis_proto::request::ResearchRequest;
use precis_proto::response::{ErrorInfo, Response};
use precis_proto::state::SessionState;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::context::Record;
use super::given_up::given_up;
use super::job::{self, Written};
use super::outbox::SendError;
use super::worker::Core;
use crate::broker::{Delivery, names};

/// Takes a delivery from the undertaker's queue to its end.
pub(super) async fn hold(core: Arc<Core>, mut delivery: Delivery) {
    let reason = delivery.death.as_ref().map_or("rejected", |death| death.reason.as_str()).to_owned();
    let told = match delivery.envelope.header.message_type.as_str() {
        message_type::STATE => tell_caller_of_state(&core, &delivery, &reason).await,
        message_type::JOB => tell_session(&core, &delivery, &reason).await,
        message_type::REQUEST => tell_caller_of_request(&core, &delivery, &reason).await,
        _ => true,
    };
    if told {
        // A dead letter names the queue it goes back to when it is redriven, which is not this one.
        delivery.queue = came_from(&delivery);
        core.bury(delivery, &reason).await;
    } else {
        // Not now: the broker or the content store is away. Nothing limits returns here, so nothing is lost.
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        let _ = delivery.requeue().await;
    }
}

/// The queue a dead letter was worked on from; for one that was held alone, where its like begin.
fn came_from(delivery: &Delivery) -> String {
    match &delivery.death {
        Some(death) if death.queue == names::JOBS_ALONE => names::job_queue(&delivery.envelope.header.subject),
        Some(death) => death.queue.clone(),
        None => delivery.queue.clone(),
    }
}

async fn tell_caller_of_state(core: &Core, delivery: &Delivery, reason: &str) -> bool {
    let Ok(value) = delivery.envelope.decode::<Value>() else { return true };
    let Ok(state) = precis_proto::state::read(value) else { return true };
    fail(core, &state, reason).await
}

async fn fail(core: &Core, state: &SessionState, reason: &str) -> bool {
    let message =
        format!("the {} phase was begun too often without an end; the state is kept as a dead letter", state.phase);
    let failure = given_up(&state.session_id, reason, message);
    let sent = tell(core, &state.session_id, state.reply_to.as_deref(), failure).await;
    if sent {
        let _ = core.store.advance(&state.session_id, u64::MAX, std::time::Duration::from_secs(48 * 3_600)).await;
    }
    sent
}

/// The session hears that this job will not be done, and degrades by policy.
async fn tell_session(core: &Core, delivery: &Delivery, reason: &str) -> bool {
    let Ok(job) = delivery.envelope.decode::<Job<IgnoredAny>>() else { return true };
    let failure = JobFailure::permanent(reason, "the job was begun too often without an end");
    let kept = job::keep(core, Written::failed(&job.job_id, failure, Record::default())).await;
    match &delivery.envelope.header.reply_to {
        Some(reply_to) => job::reply(core, reply_to, kept).await.is_ok(),
        None => true,
    }
}

async fn tell_caller_of_request(core: &Core, delivery: &Delivery, reason: &str) -> bool {
    let Ok(request) = delivery.envelope.decode::<ResearchRequest>() else { return true };
    let message = "the request was begun too often without an end".to_owned();
    let failure = given_up(&request.session_id, reason, message);
    tell(core, &request.session_id, delivery.envelope.header.reply_to.as_deref(), failure).await
}

/// Keeps the failure as the session's result; where nothing can be kept, the caller is told all the same.
async fn tell(core: &Core, session: &SessionId, reply_to: Option<&str>, failure: ErrorInfo) -> bool {
    match core.publish_result(session, reply_to, &Response::failure(failure.clone())).await {
        Ok(_) => true,
        Err(SendError::Content(_)) => core.tell_failure(reply_to, failure).await.is_ok(),
        Err(SendError::Broker(_) | SendError::TooLarge(_)) => false,
    }
}

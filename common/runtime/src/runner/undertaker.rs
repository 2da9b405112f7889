//! What the broker gave up on: it gets a typed reason, whoever waits for it gets an answer, and it rests among the dead letters.

use std::sync::Arc;

use precis_proto::envelope::message_type;
use precis_proto::job::{Answer, Job, JobFailure, JobOutcome};
use precis_proto::request::ResearchRequest;
use precis_proto::response::{Response, Status};
use precis_proto::state::SessionState;
use serde_json::Value;

use super::job;
use super::session::stated;
use super::worker::Core;
use crate::broker::Delivery;

/// Takes a delivery from the undertaker's queue to its end.
pub(super) async fn hold(core: Arc<Core>, delivery: Delivery) {
    let reason = delivery.death.as_ref().map_or("rejected", |death| death.reason.as_str()).to_owned();
    let told = match delivery.envelope.header.message_type.as_str() {
        message_type::STATE => tell_caller_of_state(&core, &delivery, &reason).await,
        message_type::JOB => tell_session(&core, &delivery, &reason).await,
        message_type::REQUEST => tell_caller_of_request(&core, &delivery, &reason).await,
        _ => true,
    };
    if told {
        core.bury(delivery, &reason).await;
    } else {
        // Not now: the broker or the content store is away. Nothing limits returns here, so nothing is lost.
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        let _ = delivery.requeue().await;
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
    let response = Response::failure(stated(&state.session_id, Status::Failed, reason, message));
    let sent = core.publish_result(&state.session_id, state.reply_to.as_deref(), &response).await.is_ok();
    if sent {
        let _ = core.store.advance(&state.session_id, u64::MAX, std::time::Duration::from_secs(48 * 3_600)).await;
    }
    sent
}

/// The session hears that this job will not be done, and degrades by policy.
async fn tell_session(core: &Core, delivery: &Delivery, reason: &str) -> bool {
    let Ok(job) = delivery.envelope.decode::<Job<Value>>() else { return true };
    let failure = JobFailure::permanent(reason, "the job was begun too often without an end");
    let answer =
        Answer { job_id: job.job_id, outcome: JobOutcome::Failed(failure), calls: Vec::new(), warnings: Vec::new() };
    let kept = job::keep(core, &answer).await;
    match &delivery.envelope.header.reply_to {
        Some(reply_to) => job::reply(core, reply_to, &kept).await.is_ok(),
        None => true,
    }
}

async fn tell_caller_of_request(core: &Core, delivery: &Delivery, reason: &str) -> bool {
    let Ok(request) = delivery.envelope.decode::<ResearchRequest>() else { return true };
    let message = "the request was begun too often without an end".to_owned();
    let response = Response::failure(stated(&request.session_id, Status::Failed, reason, message));
    let reply_to = delivery.envelope.header.reply_to.as_deref();
    core.publish_result(&request.session_id, reply_to, &response).await.is_ok()
}

//! Tells over HTTP that a session has ended.
//!
//! The message is published after the result is kept and before the session is acked: whoever dies in between repeats all of it, so the
//! end of a session is told at least once, under one id. Between two attempts a delivery is a message in the retry tiers. The order is that
//! of sessions: publish the next attempt, keep the record, ack. A repeat of a message is known by the record and does nothing.

use std::sync::Arc;
use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::dead_reason::DeadReason;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::webhook::{WebhookDelivery, WebhookEvent, WebhookPayload};
use tokio::time::Instant;

use super::core::Core;
use super::give_back::give_back;
use super::outbox::SendError;
use crate::broker::{Delivery, Outgoing, Route, TIERS, names};
use crate::records::{ACCEPTED, AcceptedSession, EndedSession, is_removed};
use crate::telemetry::metrics;
use crate::webhooks::{
    DeliveryAttempt, DeliveryRecord, DeliveryState, Verdict, Webhooks, event_id, keep_delivery, next_attempt,
    read_delivery,
};

/// Webhooks that a worker holds at once.
pub(super) const HELD: u16 = 32;
/// Largest message of a webhook, in bytes: an address of a request is the largest part of it.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;

impl Core {
    /// Asks for a webhook about the end of `session`, if its request wants one.
    ///
    /// # Errors
    /// [`SendError`]; the session must not be acked then.
    pub(super) async fn tell_end(&self, session: &SessionId, ended: &EndedSession) -> Result<(), SendError> {
        let content = &self.services.content;
        let Some(kept) = content.get_named(ACCEPTED, session.as_str()).await? else { return Ok(()) };
        // One that this version cannot read must not keep the session from ending.
        let Ok(accepted) = serde_json::from_slice::<AcceptedSession>(&kept) else { return Ok(()) };
        let Some(delivery) = delivery_of(accepted, ended) else { return Ok(()) };
        if read_delivery(content, session).await?.is_some_and(|record| record.covers(delivery.round, 1)) {
            return Ok(());
        }
        self.failpoints.hit("webhook.asked").await;
        Ok(self.broker.publish(self.webhook(&delivery, 1, None)).await?)
    }

    fn webhook(&self, delivery: &WebhookDelivery, attempt: u32, delay: Option<Duration>) -> Outgoing {
        let mut message = webhook_message(delivery, attempt);
        message.envelope.header.copy = self.next_copy();
        if let Some(delay) = delay {
            message.route = Route::after_delay(delay, names::WEBHOOKS);
        }
        message
    }
}

/// The message that asks a worker to make attempt number `attempt`, from 1, of `delivery`.
#[must_use]
pub fn webhook_message(delivery: &WebhookDelivery, attempt: u32) -> Outgoing {
    let header = Header {
        message_type: message_type::WEBHOOK.to_owned(),
        message_id: delivery.webhook_id.clone(),
        correlation_id: delivery.session_id.to_string(),
        attempt,
        tenant: delivery.tenant.clone(),
        ..Header::default()
    };
    let plain = serde_json::to_vec(delivery).expect("a delivery is plain data");
    let envelope = Envelope::from_json(header, plain).expect("an address is far below the limit of a message");
    Outgoing { route: Route::queue(names::WEBHOOKS), envelope }
}

/// The delivery that a session asked for, which ended so; `None` if it asked for none.
fn delivery_of(accepted: AcceptedSession, ended: &EndedSession) -> Option<WebhookDelivery> {
    let target = accepted.options.webhook?;
    let session_id = accepted.session_id;
    // With the time of its acceptance: an id may be used again once nothing is kept of the session before.
    let named = ["session.finished", session_id.as_str(), &accepted.accepted_at.to_string()];
    let webhook_id = event_id(&named);
    let event = WebhookEvent::SessionFinished {
        session_id: session_id.clone(),
        status: ended.status,
        stop_reason: ended.stop_reason.clone(),
    };
    Some(WebhookDelivery {
        session_id,
        webhook_id,
        target,
        tenant: accepted.tenant,
        payload: WebhookPayload { event, timestamp: ended.ended_at },
        round: 0,
        since: ended.ended_at,
        not_before: None,
    })
}

/// The tier in which a message waits next that must wait for `left`: the longest that is not longer, or the shortest; `None` if it need not
/// wait.
fn tier_for(left: i64) -> Option<Duration> {
    let left = Duration::from_millis(u64::try_from(left).ok().filter(|left| *left > 0)?);
    Some(TIERS.iter().rev().find(|tier| **tier <= left).copied().unwrap_or(TIERS[0]))
}

/// Processes a delivery from the queue of webhooks, up to its ack.
pub(super) async fn hold(core: Arc<Core>, delivery: Delivery) {
    core.failpoints.hit("webhook.received").await;
    let Some(webhooks) = core.settings.webhooks.clone() else { return give_back(delivery).await };
    let Ok(message) = delivery.envelope.decode_within::<WebhookDelivery>(MAX_MESSAGE_BYTES) else {
        return core.bury(delivery, &DeadReason::Undecodable).await;
    };
    let attempt = delivery.envelope.header.attempt.max(1);
    match work(&core, &webhooks, message, attempt).await {
        Ok(()) => {
            core.failpoints.hit("ack.before").await;
            let _ = delivery.ack().await;
        }
        Err(error) => {
            let webhook_id = &delivery.envelope.header.message_id;
            tracing::warn!(%error, webhook_id, "the webhook goes back to its queue");
            give_back(delivery).await;
        }
    }
}

/// Makes an attempt, if it is time for it. When this returns `Ok`, the message may be acked.
async fn work(core: &Core, webhooks: &Webhooks, message: WebhookDelivery, attempt: u32) -> Result<(), SendError> {
    let left = message.not_before.map_or(0, |at| at.0.saturating_sub(core.clock.now().0));
    if let Some(delay) = tier_for(left) {
        return Ok(core.broker.publish(core.webhook(&message, attempt, Some(delay))).await?);
    }
    let content = &core.services.content;
    let record = read_delivery(content, &message.session_id).await?;
    if record.as_ref().is_some_and(|record| record.covers(message.round, attempt)) {
        return Ok(());
    }
    if is_removed(content, &message.session_id).await? {
        // Its caller took it back.
        return Ok(());
    }
    // What was told first is told again, whatever a repeat of the end would say.
    let payload = record.map_or_else(|| message.payload.clone(), |record| record.delivery.payload);
    let message = WebhookDelivery { payload, ..message };
    let verdict = match webhooks.receiver(&message.target, message.tenant.as_deref()) {
        Ok(receiver) => {
            let Some(_turn) = webhooks.turn(&receiver) else {
                // Not an attempt: others are at this host.
                return Ok(core.broker.publish(core.webhook(&message, attempt, Some(TIERS[0]))).await?);
            };
            let since = Instant::now();
            let sent = webhooks.send(&receiver, &message.webhook_id, &message.payload, core.clock.now()).await;
            let verdict = Verdict::of(&sent);
            core.failpoints.hit("webhook.sent").await;
            (verdict, since.elapsed())
        }
        // Another worker may have another configuration, as while one is rolled out.
        Err(refusal) => {
            let reason = format!("not_configured: {}", refusal.message);
            (Verdict::Again { reason, retry_after: None }, Duration::ZERO)
        }
    };
    settle(core, &message, attempt, verdict).await
}

async fn settle(
    core: &Core,
    message: &WebhookDelivery,
    attempt: u32,
    (verdict, took): (Verdict, Duration),
) -> Result<(), SendError> {
    let now = core.clock.now();
    let next = match &verdict {
        Verdict::Again { retry_after, .. } => {
            next_attempt(attempt, message.since, now, *retry_after, rand::random::<f64>())
        }
        Verdict::Delivered | Verdict::Failed { .. } => None,
    };
    let (state, outcome, reason) = match (verdict, next) {
        (Verdict::Delivered, _) => (DeliveryState::Delivered, "delivered", None),
        (Verdict::Again { reason, .. }, Some(_)) => (DeliveryState::Pending, "retried", Some(reason)),
        (Verdict::Again { reason, .. } | Verdict::Failed { reason }, _) => {
            (DeliveryState::Failed, "failed", Some(reason))
        }
    };
    metrics().webhooks.record_attempt(outcome, took.as_secs_f64());
    let session_id = &message.session_id;
    match &reason {
        None => tracing::info!(%session_id, attempt, "webhook delivered"),
        Some(reason) => tracing::info!(%session_id, attempt, outcome, reason, "webhook not delivered"),
    }
    if let Some(at) = next {
        let again = WebhookDelivery { not_before: Some(at), ..message.clone() };
        let delay = tier_for(at.0.saturating_sub(now.0)).unwrap_or(TIERS[0]);
        // Published before the record: a crash in between repeats this attempt instead of losing the next one.
        core.broker.publish(core.webhook(&again, attempt.saturating_add(1), Some(delay))).await?;
    }
    let last = DeliveryAttempt { at: now, reason };
    let record = DeliveryRecord { next_at: next, ..DeliveryRecord::after(message, state, attempt, last) };
    Ok(keep_delivery(&core.services.content, &record).await?)
}

/// Records that a message of a webhook was given up; `false` if that must be retried.
pub(super) async fn give_up(core: &Core, delivery: &Delivery, reason: &DeadReason) -> bool {
    let Ok(message) = delivery.envelope.decode_within::<WebhookDelivery>(MAX_MESSAGE_BYTES) else { return true };
    let attempt = delivery.envelope.header.attempt.max(1);
    let content = &core.services.content;
    match read_delivery(content, &message.session_id).await {
        Ok(Some(record)) if record.covers(message.round, attempt) => return true,
        Ok(_) => {}
        Err(_) => return false,
    }
    let last = DeliveryAttempt {
        at: core.clock.now(),
        reason: Some(format!("{}: the message was given up", reason.as_str())),
    };
    let record = DeliveryRecord::after(&message, DeliveryState::Failed, attempt, last);
    keep_delivery(content, &record).await.is_ok()
}

#[cfg(test)]
mod tests;

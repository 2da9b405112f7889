//! The request itself: sent once, for at most as long as the provider, the caller and the session wait.

use tokio::time::{Instant, timeout};

use super::call_order::CallOrder;
use super::failure::{Code, Failure};
use super::provider::Transport;
use super::reply::Reply;
use super::state::ModelsState;

impl ModelsState {
    /// Sends the payload once, within the provider's timeout, the time left and the session's remaining patience.
    pub(super) async fn exchange(&self, order: &CallOrder) -> Result<Reply, Failure> {
        let left = order.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::out_of_time());
        }
        // A timeout longer than the patience extends it; otherwise the patience would cut short a permitted wait.
        let longest = self.policy.patience.max(order.provider.timeout);
        let (session, link, now) = (&order.billing.session, order.link(), Instant::now());
        let patient = self.patience.begin(session, &link, longest, now).saturating_duration_since(now);
        let limit = order.provider.timeout.min(left).min(patient);
        let sent = timeout(limit, async {
            match &order.provider.transport {
                Transport::Server(server) => server.post_payload(&order.model, &order.prepared).await,
                Transport::Tool(tool) => tool.run_payload(&order.model, &order.prepared).await,
            }
        });
        let reply = tokio::select! {
            reply = sent => reply.unwrap_or_else(|_| Err(match limit == left {
                true => Failure::out_of_time(),
                false => Failure::new(Code::Timeout, format!("after {} ms", limit.as_millis())),
            })),
            () = self.stop.cancelled() => Err(Failure::stopped()),
        };
        let is_unanswered = reply.as_ref().is_err_and(|failure| {
            matches!(failure.code, Code::Timeout | Code::OutOfTime | Code::Stopped | Code::Connect)
        });
        if self.patience.end(session, &link, !is_unanswered, longest, Instant::now()) {
            self.give_up(order, longest).await;
        }
        reply
    }
}

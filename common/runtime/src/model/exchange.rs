//! The request itself: sent once, for at most as long as the provider, the caller and the session wait.

use std::future::Future;

use tokio::time::{Instant, timeout};

use super::addressee::Addressee;
use super::call_order::CallOrder;
use super::failure::{Code, Failure};
use super::provider::Transport;
use super::reply::Reply;
use super::state::ModelsState;

impl ModelsState {
    /// Sends the payload once, within the provider's timeout, the time left and the session's remaining patience.
    pub(super) async fn exchange(&self, order: &CallOrder) -> Result<Reply, Failure> {
        let sent = async {
            match &order.provider.transport {
                Transport::Server(server) => server.post_payload(&order.model, &order.prepared).await,
                Transport::Tool(tool) => tool.run_payload(&order.model, &order.prepared).await,
            }
        };
        self.within_patience(&order.addressee(), order.deadline, sent).await
    }

    /// Waits for `sent`, a request to `addressee`, within the provider's timeout, until `deadline`, and no longer than the session still
    /// waits for this model.
    ///
    /// # Errors
    /// Those of `sent`, and that it took too long.
    pub(super) async fn within_patience<T>(
        &self,
        addressee: &Addressee<'_>,
        deadline: Instant,
        sent: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::out_of_time());
        }
        // A timeout longer than the patience extends it; otherwise the patience would cut short a permitted wait.
        let longest = self.policy.patience.max(addressee.provider.timeout);
        let (session, link, now) = (addressee.session, &addressee.link, Instant::now());
        let patient = self.patience.begin(session, link, longest, now).saturating_duration_since(now);
        let limit = addressee.provider.timeout.min(left).min(patient);
        let reply = tokio::select! {
            reply = timeout(limit, sent) => reply.unwrap_or_else(|_| Err(match limit == left {
                true => Failure::out_of_time(),
                false => Failure::new(Code::Timeout, format!("after {} ms", limit.as_millis())),
            })),
            () = self.stop.cancelled() => Err(Failure::stopped()),
        };
        let is_unanswered = reply.as_ref().is_err_and(|failure| {
            matches!(failure.code, Code::Timeout | Code::OutOfTime | Code::Stopped | Code::Connect)
        });
        if self.patience.end(session, link, !is_unanswered, longest, Instant::now()) {
            self.give_up(addressee, longest).await;
        }
        reply
    }
}

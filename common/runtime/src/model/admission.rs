//! Whether a request may be sent now: what its breakers say, whether its session still calls the model, and, near the limit, whether the
//! provider's own token count fits.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{join, join_all, join3};
use precis_proto::SessionId;

use super::addressee::Addressee;
use super::call_order::CallOrder;
use super::count::CountResult;
use super::failure::{Code, Failure};
use super::state::ModelsState;
use crate::paid::AnswerSender;
use crate::store::{BreakerPermit, CallOutcome};

/// How long the mark that a provider does not answer a session is kept: longer than a session lives.
const SILENT_FOR: Duration = Duration::from_secs(6 * 3_600);

/// A request that may be sent. Its breakers must be told how it ended.
#[derive(Debug)]
pub(super) struct Admission {
    pub(super) breakers: [BreakerPermit; 2],
    pub(super) counted: CountResult,
}

impl ModelsState {
    /// Admits the request of `order`, unless its breakers refuse, its session has given up the model, its payload is too large by the
    /// provider's own count, or the caller is gone.
    ///
    /// # Errors
    /// Why it may not be sent; the breakers then need not be told.
    pub(super) async fn admit_call(&self, order: &CallOrder, asker: &AnswerSender<Self>) -> Result<Admission, Failure> {
        let breakers = self.ask_breakers(&order.addressee()).await?;
        let counted = match asker.is_closed() {
            true => CountResult::Unasked,
            false => tokio::select! {
                counted = self.count(order) => counted,
                () = self.stop.cancelled() => CountResult::Unknown,
            },
        };
        let admission = Admission { breakers, counted };
        let refusal = match counted {
            _ if asker.is_closed() => Failure::stopped(),
            CountResult::Over(tokens) => {
                let room = order.prepared.input_room;
                let detail = format!("{tokens} tokens counted by the provider, room for {room}");
                Failure { counted: Some(tokens), ..Failure::new(Code::Overflow, detail) }
            }
            CountResult::Unasked | CountResult::Fits | CountResult::Unknown => return Ok(admission),
        };
        self.tell_breakers(&order.addressee(), admission.breakers, [CallOutcome::Neutral; 2]).await;
        Err(refusal)
    }

    /// Asks the breakers of the server and of the model to admit the request, and whether the session still calls this model. Asked once
    /// the permit and the reservations are there: while this call waited for them, another one may have found that it is silent.
    pub(super) async fn ask_breakers(&self, addressee: &Addressee<'_>) -> Result<[BreakerPermit; 2], Failure> {
        let (server, model) = (format!("server:{}", addressee.provider.name), format!("model:{}", addressee.link));
        let (silence, server, model) = join3(
            self.silence(addressee),
            self.breakers.ask(&self.store, &server),
            self.breakers.ask(&self.store, &model),
        )
        .await;
        let open =
            |what: &str, wait: Duration| Failure::new(Code::BreakerOpen, format!("{what}, for {} s", wait.as_secs()));
        let (refusal, unused) = match (silence, server, model) {
            (None, Ok(server), Ok(model)) => return Ok([server, model]),
            (Some(silence), server, model) => (silence, [server.ok(), model.ok()]),
            (None, Err(wait), model) => (open("the server", wait), [None, model.ok()]),
            (None, server, Err(wait)) => (open("the model", wait), [server.ok(), None]),
        };
        // A permit may be a breaker's only probe: return it unused, so that another call can make the probe.
        join_all(
            unused.into_iter().flatten().map(|permit| self.breakers.tell(&self.store, permit, CallOutcome::Neutral)),
        )
        .await;
        Err(refusal)
    }

    /// Reports the outcome of the request to the breakers of the server and of the model.
    pub(super) async fn tell_breakers(
        &self,
        addressee: &Addressee<'_>,
        [server, model]: [BreakerPermit; 2],
        outcomes: [CallOutcome; 2],
    ) {
        let opened = join(
            self.breakers.tell(&self.store, server, outcomes[0]),
            self.breakers.tell(&self.store, model, outcomes[1]),
        );
        let (server, model) = opened.await;
        for window in [server, model].into_iter().flatten() {
            let (provider, failures, size) = (&addressee.link, window.failures, window.size);
            tracing::warn!(provider, window_failures = failures, window_size = size, "breaker opened");
        }
    }

    /// Stores a mark, for all workers, that the session no longer calls this model.
    pub(super) async fn give_up(&self, addressee: &Addressee<'_>, longest: Duration) {
        let (session, provider) = (addressee.session, &addressee.link);
        tracing::warn!(%session, provider, seconds = longest.as_secs(), "the provider does not answer; this session no longer calls it");
        let seconds = Bytes::from(longest.as_secs().to_string());
        // Ignored: without the mark each worker detects the silence itself.
        let _ = self.store.values().put(&silent_key(session, provider), seconds, SILENT_FOR).await;
    }

    /// Returns a failure if the session no longer calls this model because it did not answer.
    async fn silence(&self, addressee: &Addressee<'_>) -> Option<Failure> {
        let mark = self.store.values().get(&silent_key(addressee.session, &addressee.link)).await.ok()??;
        let seconds = String::from_utf8_lossy(&mark).into_owned();
        Some(Failure::new(Code::Silent, format!("no answer to this session for {seconds} s")))
    }
}

fn silent_key(session: &SessionId, link: &str) -> String {
    format!("silent:{session}:{link}")
}

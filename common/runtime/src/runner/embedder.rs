//! Vectors of texts for the session of a lease: on its account, within its time, with a record of what each request has cost.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::lease_context::LeaseContext;
use crate::model::embedding::{EmbeddedTexts, EmbeddingCall};
use crate::model::{Code, Failure};

/// Longer times are cut to this, so that no clock arithmetic can overflow.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Asks a server for vectors on behalf of a session.
#[derive(Debug, Clone)]
pub struct Embedder(Arc<LeaseContext>);

impl Embedder {
    pub(super) fn new(context: &Arc<LeaseContext>) -> Self {
        Self(Arc::clone(context))
    }

    /// Asks for the vectors of `call`, as [`Models::embed`](crate::model::Models::embed); what it has cost is recorded.
    ///
    /// # Errors
    /// The provider's [`Failure`], or why it was not asked: after an early end of the session nothing is asked any more.
    pub async fn embed(&self, call: EmbeddingCall) -> Result<EmbeddedTexts, Failure> {
        let context = &self.0;
        if let Some(failure) = context.no_vectors.get() {
            return Err(failure.clone());
        }
        let (billing, deadline) = (context.billing(), Instant::now() + context.time_left().min(LONGEST));
        // Stopped first: an early end must not wait for a server. Dropping the call is safe: a paid request runs on.
        let embedded = tokio::select! {
            biased;
            () = context.signals.stopped.cancelled() => Err(Failure::new(Code::Stopped, "the session ends early")),
            embedded = context.core.services.models.embed(&billing, Some(context.phase), call, deadline) => embedded,
        };
        let embedded = embedded.inspect_err(|failure| drop(context.no_vectors.set(failure.clone())))?;
        context.record(|record| record.calls.push(embedded.record.clone()));
        Ok(embedded)
    }
}

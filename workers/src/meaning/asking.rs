//! A server's vectors for code that does not wait: each request holds the thread it is made on, which is one for blocking work.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use precis_evidence::meaning::{Meaning, Vector};
use precis_runtime::model::embedding::{EmbeddedTexts, EmbeddingCall};
use precis_runtime::model::{BillingContext, Failure, Models};
use precis_runtime::runner::Embedder;
use precis_text::tokens;
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::batches::{Batch, batches};
use super::served::ServedModel;

/// Longest time that a request outside a session may take.
const LONGEST_ALONE: Duration = Duration::from_secs(600);

/// On whose account a server is asked.
#[derive(Debug, Clone)]
pub enum Payer {
    /// The session of a lease.
    Session(Embedder),
    /// A command that runs no session.
    Command {
        /// The models of the command.
        models: Models,
        /// The account it names.
        billing: Box<BillingContext>,
    },
}

impl Payer {
    async fn embed(&self, call: EmbeddingCall) -> Result<EmbeddedTexts, Failure> {
        match self {
            Self::Session(embedder) => embedder.embed(call).await,
            Self::Command { models, billing } => {
                models.embed(billing, None, call, Instant::now() + LONGEST_ALONE).await
            }
        }
    }
}

/// A server that is asked for one piece of work. After its first failure it is not asked again, and gives no vectors.
#[derive(Debug)]
pub struct Asking {
    model: Arc<ServedModel>,
    payer: Payer,
    runtime: Handle,
    failure: Mutex<Option<Failure>>,
}

impl Asking {
    /// Asks on the runtime of the caller, on the account of `payer`.
    pub(super) fn new(model: &Arc<ServedModel>, payer: Payer) -> Self {
        let (model, runtime) = (Arc::clone(model), Handle::current());
        Self { model, payer, runtime, failure: Mutex::default() }
    }

    /// Why there are no vectors, if the server gave none.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The vectors of texts with their prefix, in order; of all of them or of none, since a passage without a vector beside others that have
    /// one would count as the furthest. Blocks.
    fn vectors(&self, texts: Vec<String>) -> Option<Vec<Vector>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in batches(texts, self.model.limits, tokens::count) {
            vectors.extend(self.of_batch(batch)?);
        }
        Some(vectors)
    }

    fn of_batch(&self, Batch { texts, tokens }: Batch) -> Option<Vec<Vector>> {
        if self.failure().is_some() {
            return None;
        }
        let ServedModel { link, dimensions, .. } = &*self.model;
        // Outside a session each vector is kept with its text by whoever asks, and a question is asked once.
        let is_kept = matches!(self.payer, Payer::Session(_));
        let call = EmbeddingCall { link: link.clone(), texts, dimensions: *dimensions, tokens, is_kept };
        match self.runtime.block_on(self.payer.embed(call)) {
            Ok(embedded) => Some(embedded.vectors.iter().map(|vector| Vector::from_unit(&unit(vector))).collect()),
            Err(failure) => {
                let (model, code, detail) = (&self.model.link, failure.code.as_str(), failure.detail.as_str());
                tracing::warn!(model, code, detail, "no vectors from the server of roles.embedding");
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                None
            }
        }
    }

    /// The vectors of texts below `prefix`; none of what is empty, which servers refuse.
    fn below(&self, prefix: &str, texts: &[&str]) -> Vec<Option<Vector>> {
        let of = |text: &&str| (!text.trim().is_empty()).then(|| format!("{prefix}{text}"));
        let asked: Vec<Option<String>> = texts.iter().map(of).collect();
        let mut made = self.vectors(asked.iter().flatten().cloned().collect()).into_iter().flatten();
        asked.iter().map(|text| text.as_ref().and_then(|_| made.next())).collect()
    }
}

impl Meaning for Asking {
    fn key(&self) -> &str {
        &self.model.key
    }

    fn query(&self, text: &str) -> Option<Vector> {
        self.below(&self.model.query_prefix, &[text]).pop().flatten()
    }

    fn passage(&self, text: &str) -> Option<Vector> {
        self.passages(&[text]).pop().flatten()
    }

    fn passages(&self, texts: &[&str]) -> Vec<Option<Vector>> {
        self.below(&self.model.passage_prefix, texts)
    }

    fn at_once(&self) -> usize {
        self.model.limits.texts
    }
}

/// The same direction with length one.
fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    vector.iter().map(|number| if length > 0.0 { (f64::from(*number) / length) as f32 } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_of_any_length_has_length_one() {
        for (given, want) in [([3.0, 4.0], [0.6, 0.8]), ([1e-30, 0.0], [1.0, 0.0]), ([-3e38, 0.0], [-1.0, 0.0])] {
            assert_eq!(unit(&given), want);
        }
        assert_eq!(unit(&[0.0, 0.0]), [0.0, 0.0]);
    }
}

//! What is asked of a server of vectors, and what the caller gets.

use std::sync::Arc;

use precis_proto::Phase;
use precis_proto::call::CallRecord;
use precis_proto::ids::sha256_hex;
use tokio::time::Instant;

use crate::model::addressee::Addressee;
use crate::model::provider::Provider;
use crate::paid::BillingContext;

/// One request for the vectors of some texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingCall {
    /// `NAME:MODEL`.
    pub link: String,
    /// The texts with their prefixes; none is empty.
    pub texts: Vec<String>,
    /// How many numbers each vector must have.
    pub dimensions: usize,
    /// Tokens of all texts, as counted here.
    pub tokens: u64,
    /// Whether the answer is stored for whoever asks the same.
    pub is_kept: bool,
}

impl EmbeddingCall {
    /// Key of the answer in the store. It depends on the `address` too: a server of the same name elsewhere may give other vectors.
    pub(in crate::model) fn key(&self, address: &str) -> String {
        let texts = self.texts.iter().map(|text| sha256_hex(text.as_bytes())).collect::<Vec<_>>().join("\n");
        let parts = ["vectors", &self.link, address, &self.dimensions.to_string(), &texts];
        format!("call:{}", sha256_hex(parts.join("\n").as_bytes()))
    }
}

/// The vectors of the texts of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedTexts {
    /// One a text, in order; finite numbers, as many as were asked for.
    pub vectors: Vec<Vec<f32>>,
    /// What it has cost.
    pub record: CallRecord,
}

/// A request before it is sent.
#[derive(Debug, Clone)]
pub(in crate::model) struct EmbeddingOrder {
    /// Key of its answer in the store.
    pub(in crate::model) key: String,
    pub(in crate::model) provider: Arc<Provider>,
    pub(in crate::model) model: String,
    pub(in crate::model) call: Arc<EmbeddingCall>,
    pub(in crate::model) billing: BillingContext,
    pub(in crate::model) phase: Option<Phase>,
    /// Nothing is sent after this.
    pub(in crate::model) deadline: Instant,
}

impl EmbeddingOrder {
    /// Whom it is sent to.
    pub(super) fn addressee(&self) -> Addressee<'_> {
        let link = format!("{}:{}", self.provider.name, self.model);
        Addressee { session: &self.billing.session, provider: &self.provider, link }
    }
}

//! The message that makes workers look at a collection. It carries nothing but the id: what there is to do, the content store tells, so a
//! message too many is harmless.

use bytes::Bytes;
use precis_proto::CollectionId;
use precis_proto::envelope::{Envelope, Header};
use serde::{Deserialize, Serialize};

use crate::broker::{Outgoing, Route, names};
use crate::store::{Store, StoreError};

/// Message type of an [`IndexWake`].
pub const INDEX_WAKE: &str = "collection.index";
/// Version of the message.
const WAKE_VERSION: u32 = 1;

/// Asks workers to index the newest version of a collection, unless it is indexed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexWake {
    /// The collection.
    pub collection_id: CollectionId,
}

/// The message for `collection`, as sent by `user` of the broker.
#[must_use]
pub fn wake_message(collection: &CollectionId, user: Option<String>) -> Outgoing {
    let header = Header {
        message_type: INDEX_WAKE.to_owned(),
        message_id: collection.to_string(),
        correlation_id: collection.to_string(),
        schema_version: WAKE_VERSION,
        user,
        ..Header::default()
    };
    let wake = IndexWake { collection_id: collection.clone() };
    let body = Bytes::from(serde_json::to_vec(&wake).expect("an id is plain data"));
    let route =
        Route { exchange: names::INGRESS.to_owned(), routing_key: names::INDEX_KEY.to_owned(), mandatory: true };
    Outgoing { route, envelope: Envelope { header, body } }
}

/// Whether a worker is indexing the collection.
///
/// # Errors
/// [`StoreError`] if the store cannot be reached: then nobody knows.
pub async fn is_being_indexed(store: &Store, collection: &CollectionId) -> Result<bool, StoreError> {
    store.leases().is_held(&lease_key(collection)).await
}

/// Key of the lease of whoever indexes a collection.
pub(crate) fn lease_key(collection: &CollectionId) -> String {
    format!("indexing:{collection}")
}

//! Searches corpora. No external service is called, so nothing is paid or cached.

use std::sync::Arc;

use precis_proto::research::{CompletedSearch, PlannedSearch, ReadDocument, Served};
use precis_research::CORPUS;

use crate::documents::texts;
use crate::lanes::Folders;

/// Passages returned of a document that is read.
const PASSAGES: usize = 6;

pub(super) struct LocalLane(pub(super) Arc<Folders>);

impl LocalLane {
    pub(super) async fn search(&self, wanted: &PlannedSearch) -> CompletedSearch {
        let (folders, query) = (Arc::clone(&self.0), wanted.clone());
        let found = texts::compute(move || folders.search(&query.text, query.hits as usize)).await;
        let (hits, failure) = match found {
            Ok(hits) => (hits, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        CompletedSearch {
            text: wanted.text.clone(),
            provider: CORPUS.to_owned(),
            served: if failure.is_some() { Served::None } else { Served::Paid },
            hits,
            usd: 0.0,
            failure,
            ended: None,
            withheld: None,
        }
    }

    pub(super) async fn read(&self, document: &str, topic: &str) -> (ReadDocument, Vec<String>) {
        let (folders, name, query) = (Arc::clone(&self.0), document.to_owned(), topic.to_owned());
        let found = texts::compute(move || folders.passages(&name, &query, PASSAGES)).await;
        let (passages, failure) = match found {
            Ok(passages) => (passages, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        (ReadDocument { document: document.to_owned(), answer: None, failure }, passages)
    }
}

//! Searches corpora. No external service is called, so nothing is paid or cached.

use std::sync::Arc;

use precis_corpus::CorpusError;
use precis_proto::research::{CompletedSearch, PlannedSearch, ReadDocument, Served};
use precis_research::CORPUS;
use precis_research::researcher::{DocumentPage, document_page};

use crate::documents::texts;
use crate::lanes::Folders;

pub(super) struct LocalLane(pub(super) Arc<Folders>);

impl LocalLane {
    pub(super) async fn search(&self, wanted: &PlannedSearch) -> CompletedSearch {
        let (folders, query) = (Arc::clone(&self.0), wanted.clone());
        let found = texts::compute(move || {
            let limit = query.hits as usize;
            match query.lead.as_ref().and_then(|lead| lead.document.as_deref()) {
                Some(document) => folders.search_document(document, &query.text, limit),
                None => folders.search(&query.text, limit),
            }
        });
        let found = found.await;
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

    pub(super) async fn read(
        &self,
        document: &str,
        topic: &str,
        wanted: Option<u32>,
    ) -> (ReadDocument, Option<DocumentPage>) {
        let (folders, name, query) = (Arc::clone(&self.0), document.to_owned(), topic.to_owned());
        let found = texts::compute(move || {
            let found = folders.document(&name)?;
            Ok::<_, CorpusError>(found.map(|(found, _)| document_page(&found.text, &query, wanted)))
        });
        let (page, failure) = match found.await {
            Ok(Some(page)) => (Some(page), None),
            Ok(None) => (None, Some(CorpusError::Missing.to_string())),
            Err(error) => (None, Some(error.to_string())),
        };
        (ReadDocument { document: document.to_owned(), answer: None, failure }, page)
    }
}

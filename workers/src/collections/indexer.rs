//! Makes the index of a version, in a directory of its own: on top of the index of the version before, of which it takes the texts that stay.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use precis_corpus::{Corpus, CorpusError, FileOutcome, IndexPlace, Update, fingerprint};
use precis_evidence::meaning::Meaning;
use precis_proto::CollectionId;
use precis_runtime::collections::{CollectionIndex, UnreadFile, index_before};
use precis_runtime::content::ContentStore;
use precis_runtime::runner::{CollectionIndexer, Indexing, IndexingError};

use super::known_texts::ParsedFile;
use super::reading::{DocumentReader, OneDocument, documents};
use crate::documents::parse::{Parser, ending};
use crate::lanes::{PublishedError, publish_corpus, unpack_into};

/// Documents in progress per processor: while one is parsed, the next is read.
const AHEAD: usize = 2;
/// Version of the record.
const RECORD_VERSION: u32 = 1;
/// How long vectors are made for one version: well below the ten minutes that a delivery is held, because a version that takes longer would
/// never get an index. The documents that are left are found by words, and get theirs with the next version.
const VECTORS_LONGEST: Duration = Duration::from_secs(240);

/// Indexes versions of collections.
#[derive(Debug)]
pub struct VersionIndexer {
    parser: Parser,
    meaning: Option<Arc<dyn Meaning>>,
    vectors_longest: Duration,
}

impl CollectionIndexer for VersionIndexer {
    fn reading(&self) -> String {
        fingerprint()
    }

    fn index<'a>(&'a self, indexing: Indexing<'a>) -> BoxFuture<'a, Result<CollectionIndex, IndexingError>> {
        Box::pin(self.index_version(indexing))
    }
}

impl VersionIndexer {
    /// An indexer that reads documents by the child processes of `parser`. `meaning` makes the vectors of passages; without it an index
    /// keeps those that the version before had.
    #[must_use]
    pub fn new(parser: Parser, meaning: Option<Arc<dyn Meaning>>) -> Self {
        Self { parser, meaning, vectors_longest: VECTORS_LONGEST }
    }

    async fn index_version(&self, indexing: Indexing<'_>) -> Result<CollectionIndex, IndexingError> {
        let Indexing { collection, version, content, clock } = indexing;
        let dir = tempfile::tempdir().map_err(indexing_error)?;
        // Readers see the name of the folder, which there is not.
        let place = IndexPlace::new(dir.path(), &dir.path().join(collection.as_str())).map_err(indexing_error)?;
        unpack_before(collection, version.version, content, &place).await?;
        let reader = DocumentReader::new(&self.parser, content).await;
        let mut update = begin_update(&place, &reader.extraction).await?;
        let mut unread = Vec::new();
        let mut to_read = Vec::new();
        for document in documents(&version.files) {
            let reused;
            (update, reused) = reuse(update, document.clone()).await?;
            to_read.extend((!reused).then_some(document));
        }
        let ahead = AHEAD * std::thread::available_parallelism().map_or(1, usize::from);
        let mut reading = reader.read(to_read, ahead);
        while let Some((document, parsed)) = reading.next().await {
            update = add_document(update, document, parsed?).await?;
        }
        drop(reading);
        if let Some(meaning) = &self.meaning {
            update = make_vectors(update, Arc::clone(meaning), self.vectors_longest).await?;
        }
        let (summary, rows) = blocking(move || {
            let summary = update.publish()?;
            let corpus = Corpus::open(&place)?;
            let rows: Vec<_> = corpus.files().cloned().collect();
            Ok((summary, (place, rows)))
        })
        .await?;
        let (place, rows) = rows;
        for row in rows {
            if let FileOutcome::Failed { code, message, .. } = row.outcome {
                unread.push(UnreadFile { name: row.stamp.path, code, message });
            }
        }
        let published = publish_corpus(&place, content).await.map_err(publish_error)?;
        let keeps = std::iter::once(published.manifest.clone()).chain(published.files).collect();
        Ok(CollectionIndex {
            schema_version: RECORD_VERSION,
            version: version.version,
            at: clock.now(),
            reading: fingerprint(),
            manifest: published.manifest,
            documents: summary.documents as u64,
            unread,
            keeps,
        })
    }
}

/// Unpacks the index of the version before into `place`. One that cannot be used only saves nothing.
async fn unpack_before(
    collection: &CollectionId,
    version: u64,
    content: &ContentStore,
    place: &IndexPlace,
) -> Result<(), IndexingError> {
    let Some(before) = index_before(content, collection, version).await? else { return Ok(()) };
    match unpack_into(&before.manifest, content, place.dir()).await {
        Ok(_) => Ok(()),
        Err(PublishedError::Content(error)) if error.is_outage() => Err(error.into()),
        Err(error) => {
            tracing::warn!(collection_id = %collection, %error, "the index of the version before cannot be used");
            let place = place.clone();
            blocking(move || place.remove().map(drop)).await
        }
    }
}

async fn begin_update(place: &IndexPlace, extraction: &str) -> Result<Update, IndexingError> {
    let (place, extraction) = (place.clone(), extraction.to_owned());
    blocking(move || Update::begin(&place, &extraction)).await
}

/// Adds a document that the index of the version before has; says whether it has it.
async fn reuse(mut update: Update, document: OneDocument) -> Result<(Update, bool), IndexingError> {
    blocking(move || {
        for file in &document.files {
            if !update.reuse(file, document.content.hex(), ending(&file.path))? {
                return Ok((update, false));
            }
        }
        Ok((update, true))
    })
    .await
}

async fn add_document(mut update: Update, document: OneDocument, parsed: ParsedFile) -> Result<Update, IndexingError> {
    blocking(move || {
        let hash = document.content.hex();
        for file in &document.files {
            match &parsed {
                ParsedFile::Read(text) => update.read(file, hash, ending(&file.path), text)?,
                ParsedFile::Unread { code, message } => update.record_failure(file, Some(hash), code, message, true)?,
            }
        }
        Ok(update)
    })
    .await
}

/// Makes the vectors that the texts of `update` lack, for at most so long, and no longer than somebody waits for them.
async fn make_vectors(
    mut update: Update,
    meaning: Arc<dyn Meaning>,
    longest: Duration,
) -> Result<Update, IndexingError> {
    let (begun, abandoned) = (Instant::now(), Arc::new(AtomicBool::new(false)));
    let _waiting = Waiting(Arc::clone(&abandoned));
    blocking(move || {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut left = 0;
        update.make_vectors(&*meaning, threads, |done, total| {
            left = total.saturating_sub(done);
            let is_over = begun.elapsed() >= longest || abandoned.load(Ordering::Relaxed);
            if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if left > 0 {
            tracing::warn!(left, "documents of a collection have no vectors yet and are found by words");
        }
        Ok(update)
    })
    .await
}

/// Says when nobody waits any more: a worker that drains drops the indexing, and its threads would go on for minutes.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CorpusError> + Send + 'static,
) -> Result<T, IndexingError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(indexing_error),
        Err(error) => Err(indexing_error(error)),
    }
}

fn indexing_error(error: impl std::fmt::Display) -> IndexingError {
    IndexingError::Failed(error.to_string())
}

fn publish_error(error: PublishedError) -> IndexingError {
    match error {
        PublishedError::Content(error) => error.into(),
        error @ (PublishedError::Corpus(_) | PublishedError::Manifest(_)) => indexing_error(error),
    }
}

#[cfg(test)]
mod tests;

//! How near the passages of a batch are to the question by meaning: first the passages, then the units of those that matter.

use std::collections::BTreeMap;

use precis_context::compress;
use precis_proto::SourceId;
use precis_proto::finding::Passage;
use precis_proto::job::{Compression as Kind, CompressionJob, CompressionSource};
use precis_proto::task::{CompressTask, PassageSimilarity};
use precis_research::extractive::{MOST_READ_CLOSELY, read_closely};
use precis_runtime::runner::JobContext;

use super::task::built_in_task;
use crate::documents::texts;
use crate::meaning::{ModelOfMeaning, close_of, passages_of, with_vectors};

/// The similarities that are known, by source and range.
#[derive(Debug, Default)]
pub(super) struct Similarities(BTreeMap<(SourceId, usize, usize), PassageSimilarity>);

impl Similarities {
    /// The task with what is known of its `passages`.
    pub(super) fn add_similarities(&self, mut task: CompressTask, passages: &[Passage]) -> CompressTask {
        for (own, passage) in task.passages.iter_mut().zip(passages) {
            if let Some(similarity) = self.0.get(&key(passage)) {
                own.similarity = similarity.clone();
            }
        }
        task
    }
}

fn key(passage: &Passage) -> (SourceId, usize, usize) {
    (passage.source_id.clone(), passage.range.start, passage.range.end)
}

/// How a process compares by meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comparing<'a> {
    /// The model of meaning, if there is one.
    pub(super) model: Option<&'a ModelOfMeaning>,
    /// Passages of a session that may get a vector.
    pub(super) passages: usize,
    /// Whether a language model makes the findings, which is not told how near they are.
    pub(super) has_model: bool,
}

impl<'a> Comparing<'a> {
    /// Compares the `passages` of each source of the batch with the question, and closely those that are next to be quoted or nearest.
    /// Nothing for a language model, and without a model of meaning. Also whether anything was compared.
    pub(super) async fn similarities(
        self,
        job: &CompressionJob,
        passages: &[Vec<Passage>],
        ctx: &JobContext<Kind>,
    ) -> (Similarities, bool) {
        let mut known = Similarities::default();
        if self.model.is_none() || (self.has_model && !job.quote_only) {
            return (known, false);
        }
        let mut has_compared = false;
        for (source, own) in job.sources.iter().zip(passages) {
            let (found, query) = (own.clone(), job.query.clone());
            let sensed = with_vectors(self.by(source), &source.text.content, ctx, move |sense| {
                sense
                    .map_or_else(Vec::new, |by| compress::passage_similarities(&found, &query, by.meaning, by.passages))
            });
            let sensed = sensed.await;
            has_compared |= sensed.has_compared;
            known.0.extend(own.iter().map(key).zip(sensed.done));
        }
        for (source, closely) in job.sources.iter().zip(self.closely(job, passages, &known).await) {
            if closely.is_empty() {
                continue;
            }
            let (found, query) = (closely.clone(), job.query.clone());
            let (model, passages) = self.by(source);
            // A text of which no passage was ranked by meaning may still have one that is next to be quoted.
            let sensed = with_vectors((model, passages.max(1)), &source.text.content, ctx, move |sense| {
                sense.map_or_else(Vec::new, |by| compress::unit_similarities(&found, &query, by.meaning))
            });
            known.0.extend(closely.iter().map(key).zip(sensed.await.done));
        }
        (known, has_compared)
    }

    /// The passages of each source that are read closely.
    async fn closely(self, job: &CompressionJob, passages: &[Vec<Passage>], known: &Similarities) -> Vec<Vec<Passage>> {
        let all = passages.concat();
        let task = known.add_similarities(built_in_task(job, &all), &all);
        let most = close_of(MOST_READ_CLOSELY, job.sources.len(), job.texts);
        let chosen = texts::compute(move || read_closely(&task, most)).await;
        let mut at = 0;
        let mut of_source = |own: &Vec<Passage>| {
            let first = at;
            at += own.len();
            own.iter().enumerate().filter(|(n, _)| chosen.contains(&(first + n))).map(|(_, own)| own.clone()).collect()
        };
        passages.iter().map(&mut of_source).collect()
    }

    /// The model of meaning, and how many passages of a source it ranks.
    pub(super) fn by(self, source: &CompressionSource) -> (Option<&'a ModelOfMeaning>, usize) {
        (self.model, passages_of(self.passages, source.place))
    }
}

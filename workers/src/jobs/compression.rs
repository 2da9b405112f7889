//! A compression job: turns a batch of sources into cited findings.

mod similarity;
mod task;

use precis_context::compress;
use precis_evidence::question::follow_up::earlier_words;
use precis_proto::SourceId;
use precis_proto::finding::Passage;
use precis_proto::job::{Compression as Kind, CompressionAnswer, CompressionJob, CompressionSource, SourcePart};
use precis_proto::source::Reduction;
use precis_proto::task::{CompressTask, FindingDrafts, Task};
use precis_proto::warning::{Warning, WarningCode};
use precis_research::TopicFit;
use precis_research::extractive;
use precis_research::extractive::{DocumentName, is_named};
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use precis_text::tokens;

use similarity::{Comparing, Similarities};
use task::{built_in_task, numbered_title, path_of, title_of};

use super::content_failed;
use crate::documents::{reductions, texts};
use crate::meaning::{ModelOfMeaning, Sensed, with_vectors};
use crate::options::DigestOptions;

/// Handles compression jobs.
#[derive(Debug)]
pub struct CompressionJobHandler {
    /// Ranker and passage size.
    pub settings: DigestOptions,
    /// Whether a language model makes the findings; it gets a source that fits as its whole text.
    pub has_model: bool,
    /// Finds what is said in other words; none for words alone.
    pub meaning: Option<ModelOfMeaning>,
}

impl JobHandler for CompressionJobHandler {
    type Kind = Kind;

    async fn run(&self, job: CompressionJob, ctx: &JobContext<Kind>) -> Result<CompressionAnswer, JobError> {
        let prior = ctx.prior().await?;
        let earlier = earlier_words(&job.query, &prior);
        let BatchEvidence { mut passages, unmatched, reductions, has_compared } =
            self.evidence(&job, &earlier, ctx).await?;
        let (similarities, is_near) = self.comparing().similarities(&job, &passages, ctx).await;
        let meaning = self.meaning.as_ref().filter(|_| has_compared || is_near).map(|model| model.key().to_owned());
        if passages.iter().all(Vec::is_empty) {
            if !job.openings {
                // Another batch may match the question; make no paid call for one that does not.
                return Ok(unmatched_answer(&job, unmatched, meaning));
            }
            passages = self.openings(&job, ctx).await?;
            if !job.quote_only {
                let message =
                    "no passage shares a word with the question; the report is based on the openings of the sources";
                ctx.warn(Warning::new(WarningCode::NoMatchingEvidence, ctx.phase(), message));
            }
        }
        if extractive::asks_for_overview(&job.query) && passages.iter().any(Vec::is_empty) {
            self.add_openings(&mut passages, &job, ctx).await?;
        }
        if job.quote_only {
            return Ok(CompressionAnswer { meaning, ..extractive_answer(&job, passages, unmatched, &similarities) });
        }
        let held: Vec<(SourceId, usize)> =
            job.sources.iter().zip(&passages).map(|(source, held)| (source.source_id.clone(), held.len())).collect();
        let passages = match self.has_model {
            true => compress::select_whole(passages, job.budget_tokens, &tokens::count),
            false => compress::select(passages, job.budget_tokens, &tokens::count),
        };
        let read = compress::read(held, &passages, &tokens::count);
        let task = similarities.add_similarities(self.task(&job, earlier, &passages, &reductions), &passages);
        let called =
            ctx.model(&Task::Compress(task)).await.map_err(|e| JobError::transient(e.code.as_str(), e.to_string()))?;
        let drafts: FindingDrafts = serde_json::from_value(called.value).map_err(|_| {
            JobError::transient("malformed_output", format!("{} returned no findings", called.provider))
        })?;
        let cuts = called.cut.iter().map(|cut| (cut.id, cut.tokens_before, cut.tokens_after));
        let mut read = compress::read_after_cuts(read, &passages, cuts);
        read.iter_mut().for_each(|source| source.overflows = called.overflows);
        let findings = compress::findings(&drafts, &passages, &tokens::count);
        let left_out = drafts.findings.len() - findings.len();
        if left_out > 0 {
            let message = format!("{left_out} findings of {} cite no quotable text and were left out", called.provider);
            ctx.warn(Warning::new(WarningCode::CitationRemoved, ctx.phase(), message));
        }
        Ok(CompressionAnswer { findings, unmatched, provider: called.provider, read, meaning })
    }
}

/// The evidence of a batch for the question, one row per source.
#[derive(Default)]
struct BatchEvidence {
    passages: Vec<Vec<Passage>>,
    /// Sources without a word of the question.
    unmatched: Vec<SourceId>,
    reductions: Vec<Option<Reduction>>,
    /// Whether a text was ranked by meaning.
    has_compared: bool,
}

/// The answer of a batch without a word of the question: nothing was read.
fn unmatched_answer(job: &CompressionJob, unmatched: Vec<SourceId>, meaning: Option<String>) -> CompressionAnswer {
    let held = job.sources.iter().map(|source| (source.source_id.clone(), 0)).collect();
    let read = compress::read(held, &[], &tokens::count);
    CompressionAnswer { findings: Vec::new(), unmatched, provider: String::new(), read, meaning }
}

/// Builds findings with the built-in model, for sources that no finding quotes. Unless openings are wanted, it quotes only passages that
/// match the question.
fn extractive_answer(
    job: &CompressionJob,
    mut passages: Vec<Vec<Passage>>,
    unmatched: Vec<SourceId>,
    similarities: &Similarities,
) -> CompressionAnswer {
    if !job.openings {
        passages.iter_mut().for_each(|held| held.retain(|passage| passage.score > 0.0));
    }
    let passages = passages.concat();
    let task = similarities.add_similarities(built_in_task(job, &passages), &passages);
    let findings = compress::findings(&extractive::compress(&task), &passages, &tokens::count);
    CompressionAnswer { findings, unmatched, provider: LOCAL_MODEL.to_owned(), read: Vec::new(), meaning: None }
}

/// Whether a passage of a source with these `topics` is read under `topic`. A passage about another one of them is read there; one that is
/// about none is read under each.
fn is_of_topic(topic: &str, topics: &[String], passage: &Passage) -> bool {
    if topics.len() < 2 {
        return true;
    }
    let fits = TopicFit::new(topics.iter().map(String::as_str)).of(&passage.text);
    TopicFit::choose_topics(&fits, |_| true).into_iter().any(|at| topics[at] == topic)
}

impl CompressionJobHandler {
    /// How this process compares by meaning.
    fn comparing(&self) -> Comparing<'_> {
        let (model, passages, has_model) = (self.meaning.as_ref(), self.settings.meaning_passages, self.has_model);
        Comparing { model, passages, has_model }
    }

    /// Collects the passages of each source of the batch, with its reduction.
    async fn evidence(
        &self,
        job: &CompressionJob,
        earlier: &str,
        ctx: &JobContext<Kind>,
    ) -> Result<BatchEvidence, JobError> {
        let mut batch = BatchEvidence::default();
        for source in &job.sources {
            let reduction = self.reduction(source, ctx).await?;
            let sensed = self.passages(source, reduction.as_ref(), (&job.query, earlier), ctx).await?;
            batch.has_compared |= sensed.has_compared;
            let mut found = sensed.done;
            if let Some(SourcePart { n, of }) = source.part {
                found = compress::of_part(found, (n, of), &tokens::count);
            }
            found.retain(|passage| is_of_topic(&job.topic, &source.topics, passage));
            let begins = source.part.is_none_or(|part| part.n == 0);
            if begins && is_named(&job.known.documents, DocumentName { title: &source.title, path: &source.path }) {
                found = self.with_abstract(found, source, ctx).await?;
            }
            if begins && compress::may_want_fields(&job.query) {
                found = self.with_fields(found, source, &job.query, ctx).await?;
            }
            if found.iter().all(|passage| passage.score <= 0.0) {
                batch.unmatched.push(source.source_id.clone());
            }
            batch.passages.push(found);
            batch.reductions.push(reduction);
        }
        Ok(batch)
    }

    /// Returns the task for the model: the selected passages, with notes on their sources.
    fn task(
        &self,
        job: &CompressionJob,
        earlier: String,
        passages: &[Passage],
        reductions: &[Option<Reduction>],
    ) -> CompressTask {
        let held =
            job.sources.iter().zip(reductions).filter_map(|(source, reduction)| Some((source, reduction.as_ref()?)));
        let notes = compress::notes(held.map(|(s, reduction)| (&s.source_id, s.title.as_str(), reduction)), passages);
        CompressTask {
            query: job.query.clone(),
            // A follow-up question continues the topic of the conversation.
            topic: if job.topic.is_empty() { earlier } else { job.topic.clone() },
            passages: compress::task_passages(passages, |id| match self.has_model {
                true => (numbered_title(job, id), String::new()),
                false => (title_of(job, id), path_of(job, id)),
            }),
            notes,
            max_findings: job.max_findings,
            known: job.known.clone(),
        }
    }

    /// Loads the reduction of a source, if it has one.
    async fn reduction(
        &self,
        source: &CompressionSource,
        ctx: &JobContext<Kind>,
    ) -> Result<Option<Reduction>, JobError> {
        let Some(reference) = &source.reduction else { return Ok(None) };
        let loaded = reductions::load(&reference.content, &ctx.services().content).await;
        loaded.map(Some).map_err(|e| content_failed(&e))
    }

    /// Returns the passages of a source: those of its reduction, else the best of its text.
    async fn passages(
        &self,
        source: &CompressionSource,
        reduction: Option<&Reduction>,
        (query, earlier): (&str, &str),
        ctx: &JobContext<Kind>,
    ) -> Result<Sensed<Vec<Passage>>, JobError> {
        let content = &ctx.services().content;
        if let Some(reduction) = reduction {
            return Ok(Sensed::by_words(compress::of_reduction(reduction)));
        }
        let text = texts::load(content, &source.text).await.map_err(|e| content_failed(&e))?;
        let (query, earlier) = (query.to_owned(), earlier.to_owned());
        let (settings, source_id) = (self.settings.clone(), source.source_id.clone());
        let has_model = self.has_model;
        Ok(with_vectors(self.comparing().by(source), &source.text.content, ctx, move |sense| {
            let (asked, most) = ((query.as_str(), earlier.as_str()), settings.evidence_max_chars);
            match has_model {
                true => compress::whole_text(&source_id, &text, asked, (settings.ranker, sense), most),
                false => compress::of_text(&source_id, &text, asked, (settings.ranker, sense), most),
            }
        })
        .await)
    }

    /// Adds the abstract of a document that the question names, which may share no word with the question.
    async fn with_abstract(
        &self,
        found: Vec<Passage>,
        source: &CompressionSource,
        ctx: &JobContext<Kind>,
    ) -> Result<Vec<Passage>, JobError> {
        let text = texts::load(&ctx.services().content, &source.text).await.map_err(|e| content_failed(&e))?;
        let (source_id, chars) = (source.source_id.clone(), self.settings.evidence_max_chars);
        Ok(texts::compute(move || compress::with_abstract(found, &source_id, &text, chars)).await)
    }

    /// Adds the header fields of a document to a question that they may answer.
    async fn with_fields(
        &self,
        found: Vec<Passage>,
        source: &CompressionSource,
        query: &str,
        ctx: &JobContext<Kind>,
    ) -> Result<Vec<Passage>, JobError> {
        let text = texts::load(&ctx.services().content, &source.text).await.map_err(|e| content_failed(&e))?;
        let (source_id, query) = (source.source_id.clone(), query.to_owned());
        Ok(texts::compute(move || compress::with_fields(found, &source_id, &text, &query)).await)
    }

    /// Gives every source without a passage its opening: an overview covers all documents, whatever words they use.
    async fn add_openings(
        &self,
        passages: &mut [Vec<Passage>],
        job: &CompressionJob,
        ctx: &JobContext<Kind>,
    ) -> Result<(), JobError> {
        let openings = self.openings(job, ctx).await?;
        let held = passages.iter_mut().zip(openings).filter(|(held, _)| held.is_empty());
        held.for_each(|(held, opening)| *held = opening);
        Ok(())
    }

    /// Returns the first passages of each source, for a question whose words occur in no source.
    async fn openings(&self, job: &CompressionJob, ctx: &JobContext<Kind>) -> Result<Vec<Vec<Passage>>, JobError> {
        let mut all = Vec::new();
        for source in &job.sources {
            let text = texts::load(&ctx.services().content, &source.text).await.map_err(|e| content_failed(&e))?;
            let (source_id, chars) = (source.source_id.clone(), self.settings.evidence_max_chars);
            all.push(texts::compute(move || compress::opening(&source_id, &text, chars)).await);
        }
        Ok(all)
    }
}

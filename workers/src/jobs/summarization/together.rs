//! Summarizes several short texts in one call, and caches each summary for its own job.

use precis_context::prompt::text_room;
use precis_context::reduction::{holds_prose, prose_level, prose_tokens};
use precis_proto::job::{Summarization as Kind, SummarizationJob};
use precis_proto::task::{ShortText, Summaries, SummarizeTogetherTask, Summary, Task};
use precis_runtime::cache::CacheKey;
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::JobContext;
use precis_text::CanonicalText;

use super::{CachedSummary, SummarizationJobHandler};
use crate::documents::texts;
use crate::jobs::map_reduce::{Summarizer, SummaryResult, SummaryTrace, limits};

/// A text without a cached summary.
struct OpenText<'a> {
    job: &'a SummarizationJob,
    key: CacheKey,
    text: CanonicalText,
}

impl SummarizationJobHandler {
    /// Makes and caches the missing summaries of `job` and the jobs grouped with it. A pure optimisation: each job makes its own summary if
    /// this fails.
    pub(super) async fn make_together(&self, job: &SummarizationJob, earlier: &str, ctx: &JobContext<Kind>) {
        let is_kept = self.summaries.cache_enabled && self.summaries.has_reader;
        if job.beside.is_empty() || !is_kept {
            return;
        }
        let mut open = Vec::new();
        for one in std::iter::once(job).chain(&job.beside).filter(|one| holds_prose(one.target_tokens)) {
            let key = self.key(one, earlier);
            if self.read_cached(&key, ctx).await.is_some() {
                continue;
            }
            match texts::load(&ctx.services().content, &one.text).await {
                Ok(text) => open.push(OpenText { job: one, key, text }),
                // A call for the others would differ from that of a run without the outage, and would be paid for besides.
                Err(error) if error.is_outage() => return,
                // Ignored here: the text's own job reports that it cannot be read.
                Err(_) => {}
            }
        }
        let task = Task::SummarizeTogether(together(job, &open));
        if open.len() < 2 || !self.fits(&task, &open, ctx).await {
            return;
        }
        let Ok(called) = ctx.model_within(&task, self.summaries.timeout).await else { return };
        let is_asked = self.summaries.is_asked(&called.provider) && called.provider != LOCAL_MODEL;
        // Do not cache the result of an outage, nor of a cut text, which its own job reads in parts.
        if !is_asked || !called.cut.is_empty() {
            return;
        }
        let made: Summaries = serde_json::from_value(called.value).unwrap_or_default();
        for one in made.summaries {
            // The model chose the id: it may be 0 or beyond the list.
            let text = usize::try_from(one.id).ok().and_then(|id| open.get(id.checked_sub(1)?));
            if let Some(text) = text {
                self.keep_one(text, one.summary, &called.provider, earlier, ctx).await;
            }
        }
    }

    /// Whether all texts fit uncut into one call of the first model.
    async fn fits(&self, task: &Task, open: &[OpenText<'_>], ctx: &JobContext<Kind>) -> bool {
        let limits = limits(&self.summaries, ctx).await;
        let provider = &self.summaries.provider;
        let tokenizer = limits.tokenizer(provider);
        let count = |text: &str| tokenizer.count(text);
        let empty = match task.clone() {
            Task::SummarizeTogether(mut task) => {
                task.texts.iter_mut().for_each(|text| text.text.clear());
                Task::SummarizeTogether(task)
            }
            task => task,
        };
        let needed = open.iter().map(|one| count(one.text.as_str())).fold(0, u64::saturating_add);
        needed <= text_room(&empty, provider, &limits, &count)
    }

    /// Caches a summary for its own job, shortened if it is over its target, since it was paid for.
    async fn keep_one(
        &self,
        open: &OpenText<'_>,
        summary: Summary,
        provider: &str,
        earlier: &str,
        ctx: &JobContext<Kind>,
    ) {
        let task = self.task(open.job, &open.text);
        let provider = provider.to_owned();
        let made = SummaryResult { summary, level: task.level, provider, trace: SummaryTrace::default() };
        let summarizer = Summarizer { ctx, settings: &self.summaries, source_id: &open.job.source_id };
        let Ok(made) = Box::pin(summarizer.within_target(made, &task)).await else { return };
        let (is_makeshift, losses) = (made.trace.is_makeshift, made.trace.losses.clone());
        // If its own job would not cache it, leave it to that job.
        if let Ok(answer) = self.answer((open.job, earlier), open.text.clone(), made, ctx).await
            && !is_makeshift
        {
            self.keep(&open.key, CachedSummary { answer, losses }, ctx).await;
        }
    }
}

fn together(job: &SummarizationJob, open: &[OpenText<'_>]) -> SummarizeTogetherTask {
    let text = |(one, id): (&OpenText<'_>, u32)| ShortText {
        id,
        title: one.job.title.clone(),
        text: one.text.as_str().to_owned(),
        target_tokens: prose_tokens(one.job.target_tokens, one.job.with_passages),
    };
    SummarizeTogetherTask {
        level: prose_level(job.level),
        query: job.query.clone(),
        texts: open.iter().zip(1..).map(text).collect(),
    }
}

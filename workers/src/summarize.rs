//! One text of any length to one summary within its target: in one call where it fits one, else part by part.
//!
//! Each call goes along the chain of its role, which retries, steps down and falls back by itself. What is decided here: the
//! parts, one more try one level tighter for a part that nobody summarized, and what happens to a summary that is too long.

use futures_util::StreamExt;
use futures_util::stream;
use precis_distill::map_reduce::{MAX_PARTS, joined, part_target, parts, shortened, summary_tokens, worth_reading};
use precis_distill::prompt::{step_down, text_room};
use precis_distill::tokens;
use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::Summarization as Kind;
use precis_proto::task::{SummarizeTask, Summary, Task};
use precis_proto::warning::{Warning, WarningCode};
use precis_runtime::model::{Code, ModelError};
use precis_runtime::runner::{JobContext, JobError};

use crate::settings::SummarySettings;
use crate::texts;

/// Parts of one text that are asked for at once. The provider's own limit holds besides.
const PARTS_AT_ONCE: usize = 4;
/// How often summaries of parts are put in parts again, before the gate cuts what is left. Chosen, not measured.
const MAX_ROUNDS: usize = 3;
/// A summary that is longer than its target by more than this part of it is asked for again instead of being cut.
const TOLERATED_FRACTION: u64 = 4;

/// A summary, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Made {
    pub(crate) summary: Summary,
    /// Level reached; further down than asked where that was needed.
    pub(crate) level: FidelityLevel,
    /// `NAME:MODEL` that wrote the last of it; empty where nobody did.
    pub(crate) provider: String,
}

/// One source being summarized.
pub(crate) struct Summarizer<'a> {
    pub(crate) ctx: &'a JobContext<Kind>,
    pub(crate) settings: &'a SummarySettings,
    pub(crate) source_id: &'a SourceId,
}

impl Summarizer<'_> {
    /// Summarizes `task`'s text at its level or further down, within its target as sessions count.
    ///
    /// # Errors
    /// Transient, where the chain has no answer.
    pub(crate) async fn summarize(&self, task: SummarizeTask) -> Result<Made, JobError> {
        let mut text = task.text.clone();
        for _ in 0..MAX_ROUNDS {
            let parts = self.parts(&task, text).await;
            if let [whole] = &parts[..] {
                let made = self.ask(SummarizeTask { text: whole.clone(), ..task.clone() }).await.map_err(failed)?;
                return self.within_target(made, &task).await;
            }
            text = joined(&self.each(&task, parts).await?);
        }
        let made = self.ask(SummarizeTask { text, ..task.clone() }).await.map_err(failed)?;
        self.within_target(made, &task).await
    }

    /// What is put into calls of their own; never empty. Parts that no call reads are warned about.
    async fn parts(&self, task: &SummarizeTask, text: String) -> Vec<String> {
        let (limits, provider, query) =
            (self.settings.limits.clone(), self.settings.provider.clone(), task.query.clone());
        let empty = Task::Summarize(SummarizeTask { text: String::new(), ..task.clone() });
        let (parts, all) = texts::compute(move || {
            let tokenizer = limits.tokenizer(&provider);
            let count = |text: &str| tokenizer.count(text);
            let allowed = text_room(&empty, &provider, &limits, &count);
            // A window without room for any text fails the call, and the next provider of the chain is asked. No text has
            // more tokens than bytes.
            if allowed == 0 || text.len() as u64 <= allowed || count(&text) <= allowed {
                return (vec![text], 1);
            }
            let all = parts(&text, allowed, &count);
            let found = all.len();
            (worth_reading(all, &query), found)
        })
        .await;
        if all > parts.len() {
            let message = format!(
                "{} of {all} parts of the text have least to do with the question and were not summarized",
                all - MAX_PARTS
            );
            self.warn(WarningCode::ContentTruncated, message, self.source_id);
        }
        parts
    }

    /// The summaries of `parts`, in order.
    async fn each(&self, task: &SummarizeTask, parts: Vec<String>) -> Result<Vec<Summary>, JobError> {
        let empty = Task::Summarize(SummarizeTask { text: String::new(), ..task.clone() });
        let (provider, limits) = (&self.settings.provider, &self.settings.limits);
        let tokenizer = limits.tokenizer(provider);
        let allowed = text_room(&empty, provider, limits, &|text| tokenizer.count(text));
        let target_tokens = part_target(parts.len(), allowed, task.target_tokens);
        let of = |(n, text): (usize, String)| {
            Box::pin(self.part(n + 1, SummarizeTask { text, target_tokens, ..task.clone() }))
        };
        let made: Vec<_> = stream::iter(parts.into_iter().enumerate().map(of)).buffered(PARTS_AT_ONCE).collect().await;
        made.into_iter().collect()
    }

    /// The summary of one part: where the chain fails, one level tighter, and where it fails again, the beginning of the part.
    async fn part(&self, n: usize, task: SummarizeTask) -> Result<Summary, JobError> {
        let first = match self.ask(task.clone()).await {
            Ok(made) => return Ok(shortened(made.summary, task.target_tokens.saturating_mul(2), &tokens::count)),
            Err(error) => error,
        };
        if is_over(&first) {
            return Err(failed(first));
        }
        let item = SourceId::new(format!("{}#fragment-{n}", self.source_id)).unwrap_or_else(|_| self.source_id.clone());
        let tighter = match step_down(&Task::Summarize(task.clone())) {
            Some(Task::Summarize(tighter)) => self.ask(tighter).await.map_err(|e| e.code),
            _ => Err(first.code),
        };
        if let Ok(made) = tighter {
            return Ok(shortened(made.summary, task.target_tokens.saturating_mul(2), &tokens::count));
        }
        self.warn(WarningCode::SummaryProviderFailed, first.to_string(), &item);
        self.warn(
            WarningCode::ContentTruncated,
            "nobody summarized this part; its beginning stands for it".to_owned(),
            &item,
        );
        let whole = Summary { summary: task.text, key_points: Vec::new() };
        Ok(shortened(whole, task.target_tokens, &tokens::count))
    }

    /// `made`, no longer than `task` wants it: asked for again one level tighter where it is much too long, else cut.
    async fn within_target(&self, made: Made, task: &SummarizeTask) -> Result<Made, JobError> {
        let target = task.target_tokens;
        let found = summary_tokens(&made.summary, &tokens::count);
        if found <= target {
            return Ok(made);
        }
        let mut best = made;
        if found - target > target / TOLERATED_FRACTION {
            let text = joined(std::slice::from_ref(&best.summary));
            let again = SummarizeTask { text, level: best.level, ..task.clone() };
            if let Some(Task::Summarize(tighter)) = step_down(&Task::Summarize(again)) {
                match self.ask(tighter).await {
                    Ok(shorter) => best = shorter,
                    Err(error) if is_over(&error) => return Err(failed(error)),
                    Err(_) => {}
                }
            }
        }
        if summary_tokens(&best.summary, &tokens::count) > target {
            best.summary = shortened(best.summary, target, &tokens::count);
        }
        Ok(best)
    }

    async fn ask(&self, task: SummarizeTask) -> Result<Made, ModelError> {
        let asked = task.level;
        let called = Box::pin(self.ctx.model_within(&Task::Summarize(task), self.settings.timeout)).await?;
        let level = match called.stepped_down {
            Some(Task::Summarize(lower)) => lower.level,
            _ => asked,
        };
        // What a chain returns was read as the answer to its task, so this is a summary.
        let summary = serde_json::from_value(called.value).unwrap_or_default();
        Ok(Made { summary, level, provider: called.provider })
    }

    fn warn(&self, code: WarningCode, message: String, item: &SourceId) {
        self.ctx.warn(Warning::new(code, self.ctx.phase(), message).about(item));
    }
}

/// Whether this process is ending: somebody else does the job anew.
fn is_over(error: &ModelError) -> bool {
    error.code == Code::Stopped
}

fn failed(error: ModelError) -> JobError {
    JobError::transient(error.code.as_str(), error.to_string())
}

//! Summarizes a text of any length within a target: in one call if it fits, else part by part.
//!
//! Each call uses the chain of its role, which retries, steps down and falls back. This module splits the text, tries a failed part once
//! more one level tighter, and shortens a summary that is too long.

use futures_util::StreamExt;
use futures_util::stream;
use precis_context::map_reduce::{MAX_PARTS, join, part_target, parts, shorten, summary_tokens, worth_reading};
use precis_context::prompt::{Limits, step_down, text_room};
use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{PartFidelity, Summarization as Kind};
use precis_proto::task::{SummarizeTask, Summary, Task};
use precis_proto::warning::{Warning, WarningCode, push_once};
use precis_runtime::model::{Code, ModelError};
use precis_runtime::runner::{JobContext, JobError};
use precis_text::tokens;

use crate::documents::texts;
use crate::options::SummarySettings;

/// Most concurrent calls for the parts of one text. The provider's own limit applies as well.
const PARTS_AT_ONCE: usize = 4;
/// How often the summaries of parts are split and summarized again, before the gate cuts the rest. Chosen, not measured.
const MAX_ROUNDS: usize = 3;
/// How often a text is split again because its model names a smaller window. Servers name one; chosen, not measured.
const MAX_WINDOWS: usize = 2;
/// A summary that exceeds its target by more than the target divided by this is requested again instead of being cut.
const TOLERATED_FRACTION: u64 = 4;

/// A summary, and how it was made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SummaryResult {
    pub(crate) summary: Summary,
    /// Level reached; may be lower than requested.
    pub(crate) level: FidelityLevel,
    /// `NAME:MODEL` that wrote the final summary; empty if no model did.
    pub(crate) provider: String,
    pub(crate) trace: SummaryTrace,
}

/// The losses on the way to a summary.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SummaryTrace {
    /// Whether some of it was not written by a configured model, so that a later try may give a better one; not cached.
    pub(crate) is_makeshift: bool,
    /// The losses, as reported to the session.
    pub(crate) losses: Vec<Warning>,
    /// Parts of the text that no configured model summarized.
    pub(crate) parts: Vec<PartFidelity>,
}

impl SummaryTrace {
    fn add(&mut self, other: Self) {
        self.is_makeshift |= other.is_makeshift;
        other.losses.into_iter().for_each(|loss| push_once(&mut self.losses, loss));
        self.parts.extend(other.parts);
    }
}

/// One source being summarized.
pub(crate) struct Summarizer<'a> {
    pub(crate) ctx: &'a JobContext<Kind>,
    pub(crate) settings: &'a SummarySettings,
    pub(crate) source_id: &'a SourceId,
}

/// A text to be summarized as part of a longer one.
struct TextPart {
    /// Its number in the source's text, from 1; `None` if it consists of summaries.
    n: Option<u32>,
    text: String,
}

impl Summarizer<'_> {
    /// Summarizes `task`'s text at its level or lower, within its target, counted as sessions count.
    ///
    /// # Errors
    /// Transient if the chain gives no answer.
    pub(crate) async fn summarize(&self, task: SummarizeTask) -> Result<SummaryResult, JobError> {
        for _ in 0..MAX_WINDOWS {
            match Box::pin(self.within_window(&task)).await {
                // Split the text again into parts that fit the window the model has named.
                Err(error) if error.code() == Code::WindowNamed.as_str() => {}
                made => return made,
            }
        }
        self.within_window(&task).await
    }

    /// [`Self::summarize`] with the window known now.
    async fn within_window(&self, task: &SummarizeTask) -> Result<SummaryResult, JobError> {
        let limits = limits(self.settings, self.ctx).await;
        let (mut text, mut trace) = (task.text.clone(), SummaryTrace::default());
        for round in 0..MAX_ROUNDS {
            let parts = self.parts(task, &limits, text, &mut trace).await;
            if let [(_, whole)] = &parts[..] {
                return self.whole(task, whole.clone(), trace).await;
            }
            let part = |(n, text)| TextPart { n: (round == 0).then_some(n), text };
            let made = self.each(task, &limits, parts.into_iter().map(part).collect()).await?;
            text = join(&made.iter().map(|part| part.summary.clone()).collect::<Vec<_>>());
            made.into_iter().for_each(|part| trace.add(part.trace));
        }
        self.whole(task, text, trace).await
    }

    /// Summarizes a text that fits one call, adding to the losses in `trace`.
    async fn whole(
        &self,
        task: &SummarizeTask,
        text: String,
        mut trace: SummaryTrace,
    ) -> Result<SummaryResult, JobError> {
        let made = self.ask(SummarizeTask { text, ..task.clone() }).await.map_err(model_failure)?;
        let mut made = self.within_target(made, task).await?;
        trace.add(std::mem::take(&mut made.trace));
        Ok(SummaryResult { trace, ..made })
    }

    /// Splits `text` into numbered parts, one per call; never empty. Raises a warning about parts that no call reads.
    async fn parts(
        &self,
        task: &SummarizeTask,
        limits: &Limits,
        text: String,
        trace: &mut SummaryTrace,
    ) -> Vec<(u32, String)> {
        let (limits, provider, query) = (limits.clone(), self.settings.provider.clone(), task.query.clone());
        let empty = Task::Summarize(SummarizeTask { text: String::new(), ..task.clone() });
        let (parts, all) = texts::compute(move || {
            let tokenizer = limits.tokenizer(&provider);
            let count = |text: &str| tokenizer.count(text);
            let allowed = text_room(&empty, &provider, &limits, &count);
            // Do not split for a window without any room: the call fails, and the next provider is called. A text never has more tokens
            // than bytes, so counting can be skipped for a short one.
            if allowed == 0 || text.len() as u64 <= allowed || count(&text) <= allowed {
                return (vec![(1, text)], 1);
            }
            let all = parts(&text, allowed, &count);
            let found = all.len();
            (worth_reading(all, &query), found)
        })
        .await;
        if all > parts.len() {
            let message = format!(
                "the {} of {all} parts of the text least relevant to the question were not summarized",
                all - MAX_PARTS
            );
            self.lose(trace, WarningCode::ContentTruncated, message, self.source_id);
        }
        parts
    }

    /// Summarizes `parts` concurrently; returns the summaries in order.
    async fn each(
        &self,
        task: &SummarizeTask,
        limits: &Limits,
        parts: Vec<TextPart>,
    ) -> Result<Vec<SummaryResult>, JobError> {
        let empty = Task::Summarize(SummarizeTask { text: String::new(), ..task.clone() });
        let provider = &self.settings.provider;
        let tokenizer = limits.tokenizer(provider);
        let allowed = text_room(&empty, provider, limits, &|text| tokenizer.count(text));
        let target_tokens = part_target(parts.len(), allowed, task.target_tokens);
        let of = |TextPart { n, text }: TextPart| {
            Box::pin(self.part(n, SummarizeTask { text, target_tokens, ..task.clone() }))
        };
        let made: Vec<_> = stream::iter(parts.into_iter().map(of)).buffered(PARTS_AT_ONCE).collect().await;
        made.into_iter().collect()
    }

    /// Summarizes one part. If no configured model answers, tries once more one level tighter. If that fails too, uses the built-in model's
    /// summary, or the beginning of the part if the chain does not end with the built-in model. Either is recorded as a loss.
    async fn part(&self, n: Option<u32>, task: SummarizeTask) -> Result<SummaryResult, JobError> {
        let item = n.and_then(|n| SourceId::new(format!("{}#fragment-{n}", self.source_id)).ok());
        let item = item.unwrap_or_else(|| self.source_id.clone());
        let longest = task.target_tokens.saturating_mul(2);
        let first = self.ask(task.clone()).await;
        match &first {
            Ok(made) if !made.trace.is_makeshift => {
                return first.map(|made| self.cut(made, longest, &item)).map_err(model_failure);
            }
            Err(error) if is_over(error) => return first.map_err(model_failure),
            Ok(_) | Err(_) => {}
        }
        if let Some(Task::Summarize(tighter)) = step_down(&Task::Summarize(task.clone())) {
            match self.ask(tighter).await {
                Ok(made) if !made.trace.is_makeshift => return Ok(self.cut(made, longest, &item)),
                Err(error) if is_over(&error) => return Err(model_failure(error)),
                Ok(_) | Err(_) => {}
            }
        }
        let level = first.as_ref().map_or(FidelityLevel::Truncated, |made| made.level);
        let parts = n.map(|n| PartFidelity { n, level }).into_iter().collect();
        let mut trace = SummaryTrace { is_makeshift: true, parts, ..SummaryTrace::default() };
        let first = match first {
            Ok(mut made) => {
                let message = format!("no configured model summarized this part; `{}` did", made.provider);
                self.lose(&mut trace, WarningCode::SummaryProviderFailed, message, &item);
                trace.add(std::mem::take(&mut made.trace));
                return Ok(self.cut(SummaryResult { trace, ..made }, longest, &item));
            }
            Err(first) => first,
        };
        self.lose(&mut trace, WarningCode::SummaryProviderFailed, first.to_string(), &item);
        let message = "no model summarized this part; its beginning is used instead".to_owned();
        self.lose(&mut trace, WarningCode::ContentTruncated, message, &item);
        let whole = Summary { summary: task.text, key_points: Vec::new() };
        let summary = shorten(whole, task.target_tokens, &tokens::count);
        Ok(SummaryResult { summary, level: FidelityLevel::Truncated, provider: String::new(), trace })
    }

    /// Fits `made` to the target of `task`: requests it again one level tighter if it is much too long, then cuts the excess.
    pub(crate) async fn within_target(
        &self,
        made: SummaryResult,
        task: &SummarizeTask,
    ) -> Result<SummaryResult, JobError> {
        let target = task.target_tokens;
        let found = summary_tokens(&made.summary, &tokens::count);
        if found <= target {
            return Ok(made);
        }
        let mut best = made;
        if found - target > target / TOLERATED_FRACTION {
            let text = join(std::slice::from_ref(&best.summary));
            let again = SummarizeTask { text, level: best.level, ..task.clone() };
            if let Some(Task::Summarize(tighter)) = step_down(&Task::Summarize(again)) {
                match self.ask(tighter).await {
                    Ok(mut shorter) => {
                        shorter.trace.add(std::mem::take(&mut best.trace));
                        best = shorter;
                    }
                    Err(error) if is_over(&error) => return Err(model_failure(error)),
                    Err(_) => best.trace.is_makeshift = true,
                }
            }
        }
        Ok(self.cut(best, target, self.source_id))
    }

    /// Cuts the summary of `made` to at most `longest` tokens, with a warning about `item`.
    fn cut(&self, mut made: SummaryResult, longest: u64, item: &SourceId) -> SummaryResult {
        let found = summary_tokens(&made.summary, &tokens::count);
        if found > longest {
            made.summary = shorten(made.summary, longest, &tokens::count);
            let message = format!("the summary of {found} tokens was cut to {longest}");
            self.lose(&mut made.trace, WarningCode::ContentTruncated, message, item);
        }
        made
    }

    async fn ask(&self, task: SummarizeTask) -> Result<SummaryResult, ModelError> {
        let asked = task.level;
        let called =
            Box::pin(self.ctx.model_about(self.source_id, &Task::Summarize(task), self.settings.timeout)).await?;
        let level = match called.stepped_down {
            Some(Task::Summarize(lower)) => lower.level,
            _ => asked,
        };
        let is_makeshift = !self.settings.is_asked(&called.provider);
        let losses = called.warnings.into_iter().filter(|warning| is_loss(warning.code)).collect();
        // Cannot fail: the chain has already parsed it as the answer to this task.
        let summary = serde_json::from_value(called.value).unwrap_or_default();
        let trace = SummaryTrace { is_makeshift, losses, parts: Vec::new() };
        Ok(SummaryResult { summary, level, provider: called.provider, trace })
    }

    /// Raises a warning about a loss, and adds it to the trace.
    fn lose(&self, trace: &mut SummaryTrace, code: WarningCode, message: String, item: &SourceId) {
        let warning = Warning::new(code, self.ctx.phase(), message).about(item);
        self.ctx.warn(warning.clone());
        push_once(&mut trace.losses, warning);
    }
}

/// Returns the limits of the summarizer, with the window that its provider has named, if any.
pub(super) async fn limits(settings: &SummarySettings, ctx: &JobContext<Kind>) -> Limits {
    match ctx.services().models.window(&settings.provider).await {
        Some(window) => settings.limits.with_window(&settings.provider, window),
        None => settings.limits.clone(),
    }
}

/// Whether a warning is about missing text, and so also applies when the cached summary is reused.
fn is_loss(code: WarningCode) -> bool {
    matches!(code, WarningCode::ContentTruncated | WarningCode::ContentDropped | WarningCode::SummaryProviderFailed)
}

/// Whether the job ends here: this process is stopping and another worker repeats the job, or the text must be split again.
fn is_over(error: &ModelError) -> bool {
    matches!(error.code, Code::Stopped | Code::WindowNamed)
}

fn model_failure(error: ModelError) -> JobError {
    JobError::transient(error.code.as_str(), error.to_string())
}

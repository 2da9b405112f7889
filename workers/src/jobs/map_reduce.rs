//! One text of any length to one summary within its target: in one call where it fits one, else part by part.
//!
//! Each call goes along the chain of its role, which retries, steps down and falls back by itself. What is decided here: the
//! parts, one more try one level tighter for a part that nobody summarized, and what happens to a summary that is too long.

use futures_util::StreamExt;
use futures_util::stream;
use precis_distill::map_reduce::{MAX_PARTS, joined, part_target, parts, shortened, summary_tokens, worth_reading};
use precis_distill::prompt::{Limits, step_down, text_room};
use precis_distill::tokens;
use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{PartFidelity, Summarization as Kind};
use precis_proto::task::{SummarizeTask, Summary, Task};
use precis_proto::warning::{Warning, WarningCode, push_once};
use precis_runtime::model::{Code, ModelError};
use precis_runtime::runner::{JobContext, JobError};

use crate::documents::texts;
use crate::wiring::settings::SummarySettings;

/// Parts of one text that are asked for at once. The provider's own limit holds besides.
const PARTS_AT_ONCE: usize = 4;
/// How often summaries of parts are put in parts again, before the gate cuts what is left. Chosen, not measured.
const MAX_ROUNDS: usize = 3;
/// How often a text is put into parts anew because its model names a smaller window. Servers name one; chosen, not measured.
const MAX_WINDOWS: usize = 2;
/// A summary that is longer than its target by more than this part of it is asked for again instead of being cut.
const TOLERATED_FRACTION: u64 = 4;

/// A summary, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SummaryResult {
    pub(crate) summary: Summary,
    /// Level reached; further down than asked where that was needed.
    pub(crate) level: FidelityLevel,
    /// `NAME:MODEL` that wrote the last of it; empty where nobody did.
    pub(crate) provider: String,
    pub(crate) trace: SummaryTrace,
}

/// What went less well on the way to a summary.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SummaryTrace {
    /// Somebody who was not asked wrote some of it, or nobody did: later it may come out better.
    pub(crate) is_makeshift: bool,
    /// What was lost, as the session was told.
    pub(crate) losses: Vec<Warning>,
    /// Parts of the text that nobody summarized.
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
    /// Its number in the source's own text, from 1; `None` where it is made of summaries.
    n: Option<u32>,
    text: String,
}

impl Summarizer<'_> {
    /// Summarizes `task`'s text at its level or further down, within its target as sessions count.
    ///
    /// # Errors
    /// Transient, where the chain has no answer.
    pub(crate) async fn summarize(&self, task: SummarizeTask) -> Result<SummaryResult, JobError> {
        for _ in 0..MAX_WINDOWS {
            match Box::pin(self.within_window(&task)).await {
                // The text is put into parts anew, which fit the window that the model has named.
                Err(error) if error.code() == Code::WindowNamed.as_str() => {}
                made => return made,
            }
        }
        self.within_window(&task).await
    }

    /// As [`Self::summarize`], in the window known now.
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
            text = joined(&made.iter().map(|part| part.summary.clone()).collect::<Vec<_>>());
            made.into_iter().for_each(|part| trace.add(part.trace));
        }
        self.whole(task, text, trace).await
    }

    /// The summary of all that one call carries, after what `trace` tells.
    async fn whole(
        &self,
        task: &SummarizeTask,
        text: String,
        mut trace: SummaryTrace,
    ) -> Result<SummaryResult, JobError> {
        let made = self.ask(SummarizeTask { text, ..task.clone() }).await.map_err(failed)?;
        let mut made = self.within_target(made, task).await?;
        trace.add(std::mem::take(&mut made.trace));
        Ok(SummaryResult { trace, ..made })
    }

    /// What is put into calls of their own, numbered; never empty. Parts that no call reads are warned about.
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
            // A window without room for any text fails the call, and the next provider of the chain is asked. No text has
            // more tokens than bytes.
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
                "{} of {all} parts of the text have least to do with the question and were not summarized",
                all - MAX_PARTS
            );
            self.lose(trace, WarningCode::ContentTruncated, message, self.source_id);
        }
        parts
    }

    /// The summaries of `parts`, in order.
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

    /// The summary of one part: where no model that was named answers, one level tighter, and where it fails again, what stands in for it:
    /// the built-in model's summary, or the beginning of the part where the chain ends without that. Either is recorded.
    async fn part(&self, n: Option<u32>, task: SummarizeTask) -> Result<SummaryResult, JobError> {
        let item = n.and_then(|n| SourceId::new(format!("{}#fragment-{n}", self.source_id)).ok());
        let item = item.unwrap_or_else(|| self.source_id.clone());
        let longest = task.target_tokens.saturating_mul(2);
        let first = self.ask(task.clone()).await;
        match &first {
            Ok(made) if !made.trace.is_makeshift => {
                return first.map(|made| self.cut(made, longest, &item)).map_err(failed);
            }
            Err(error) if is_over(error) => return first.map_err(failed),
            Ok(_) | Err(_) => {}
        }
        if let Some(Task::Summarize(tighter)) = step_down(&Task::Summarize(task.clone())) {
            match self.ask(tighter).await {
                Ok(made) if !made.trace.is_makeshift => return Ok(self.cut(made, longest, &item)),
                Err(error) if is_over(&error) => return Err(failed(error)),
                Ok(_) | Err(_) => {}
            }
        }
        let level = first.as_ref().map_or(FidelityLevel::Truncated, |made| made.level);
        let parts = n.map(|n| PartFidelity { n, level }).into_iter().collect();
        let mut trace = SummaryTrace { is_makeshift: true, parts, ..SummaryTrace::default() };
        let first = match first {
            Ok(mut made) => {
                let message = format!("no model that was named summarized this part; `{}` did", made.provider);
                self.lose(&mut trace, WarningCode::SummaryProviderFailed, message, &item);
                trace.add(std::mem::take(&mut made.trace));
                return Ok(self.cut(SummaryResult { trace, ..made }, longest, &item));
            }
            Err(first) => first,
        };
        self.lose(&mut trace, WarningCode::SummaryProviderFailed, first.to_string(), &item);
        let message = "nobody summarized this part; its beginning stands for it".to_owned();
        self.lose(&mut trace, WarningCode::ContentTruncated, message, &item);
        let whole = Summary { summary: task.text, key_points: Vec::new() };
        let summary = shortened(whole, task.target_tokens, &tokens::count);
        Ok(SummaryResult { summary, level: FidelityLevel::Truncated, provider: String::new(), trace })
    }

    /// `made`, no longer than `task` wants it: asked for again one level tighter where it is much too long, else cut.
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
            let text = joined(std::slice::from_ref(&best.summary));
            let again = SummarizeTask { text, level: best.level, ..task.clone() };
            if let Some(Task::Summarize(tighter)) = step_down(&Task::Summarize(again)) {
                match self.ask(tighter).await {
                    Ok(mut shorter) => {
                        shorter.trace.add(std::mem::take(&mut best.trace));
                        best = shorter;
                    }
                    Err(error) if is_over(&error) => return Err(failed(error)),
                    Err(_) => best.trace.is_makeshift = true,
                }
            }
        }
        Ok(self.cut(best, target, self.source_id))
    }

    /// `made` with a summary of at most `longest` tokens; what is cut off it is told of `item`.
    fn cut(&self, mut made: SummaryResult, longest: u64, item: &SourceId) -> SummaryResult {
        let found = summary_tokens(&made.summary, &tokens::count);
        if found > longest {
            made.summary = shortened(made.summary, longest, &tokens::count);
            let message = format!("its summary of {found} tokens was cut to {longest}");
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
        // What a chain returns was read as the answer to its task, so this is a summary.
        let summary = serde_json::from_value(called.value).unwrap_or_default();
        let trace = SummaryTrace { is_makeshift, losses, parts: Vec::new() };
        Ok(SummaryResult { summary, level, provider: called.provider, trace })
    }

    /// Tells of a loss, and remembers it.
    fn lose(&self, trace: &mut SummaryTrace, code: WarningCode, message: String, item: &SourceId) {
        let warning = Warning::new(code, self.ctx.phase(), message).about(item);
        self.ctx.warn(warning.clone());
        push_once(&mut trace.losses, warning);
    }
}

/// The limits of the summarizer, within the window that its provider has named.
pub(super) async fn limits(settings: &SummarySettings, ctx: &JobContext<Kind>) -> Limits {
    match ctx.services().models.window(&settings.provider).await {
        Some(window) => settings.limits.with_window(&settings.provider, window),
        None => settings.limits.clone(),
    }
}

/// Whether a warning tells of text that is missing, which is as true of the summary when it is used again.
fn is_loss(code: WarningCode) -> bool {
    matches!(code, WarningCode::ContentTruncated | WarningCode::ContentDropped | WarningCode::SummaryProviderFailed)
}

/// Whether this process is ending, so that somebody else does the job anew, or the text is to be put into parts anew.
fn is_over(error: &ModelError) -> bool {
    matches!(error.code, Code::Stopped | Code::WindowNamed)
}

fn failed(error: ModelError) -> JobError {
    JobError::transient(error.code.as_str(), error.to_string())
}

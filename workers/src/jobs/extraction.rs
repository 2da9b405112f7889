//! An extraction job: bytes to canonical text, in a child process that cannot hurt the worker.

use bytes::Bytes;
use precis_distill::tokens::Tokenizer;
use precis_proto::job::{Extraction as Kind, ExtractionAnswer, ExtractionJob};
use precis_proto::source::{ContentRef, Origin, SourceText};
use precis_runtime::content::ContentError;
use precis_runtime::fetch::FetchError;
use precis_runtime::runner::{JobContext, JobError, JobHandler};

use super::{CACHE_KEPT, content_failed};
use crate::counts;
use crate::pages::Pages;
use crate::parse::{Parse, Parser};

/// Bump when the same bytes may give another text.
const IMPLEMENTATION: &str = "1";

/// Extracts.
#[derive(Debug)]
pub struct Extraction {
    /// Limits, HTML mode, the child processes.
    pub parser: Parser,
    /// The guarded client for pages.
    pub pages: Pages,
}

impl JobHandler for Extraction {
    type Kind = Kind;

    async fn run(&self, job: ExtractionJob, ctx: &JobContext<Kind>) -> Result<ExtractionAnswer, JobError> {
        let (bytes, parse) = match &job.origin {
            Origin::Url(url) => self.pages.get(url).await.map_err(unfetched)?,
            Origin::Content(reference) => {
                if let Some(answer) = cached(&self.cache_key(reference, &job), ctx).await {
                    return Ok(answer);
                }
                let bytes = ctx.services().content.get(reference).await.map_err(|e| unreadable(&e))?;
                (bytes, Parse { content_type: job.content_type.clone(), name: job.title.clone() })
            }
        };
        let parsed = self.parser.parse(bytes, parse).await?;
        let content =
            ctx.services().content.put(Bytes::from(parsed.text.clone())).await.map_err(|e| content_failed(&e))?;
        let (text, cut) = (parsed.text, parsed.chars_cut);
        let chars = text.chars().count() as u64;
        let tokens = counts::of_document(Tokenizer::default(), content.hex(), text, ctx.cache()).await;
        let answer = ExtractionAnswer {
            content_type: parsed.content_type,
            title: parsed.title,
            text: SourceText { content, chars, tokens, pages: parsed.pages },
            remarks: parsed.remarks,
            // Characters beyond the limit were never counted in tokens; the density of the kept text stands for them.
            tokens_cut: cut.saturating_mul(tokens) / chars.max(1),
        };
        // A page may be another tomorrow: only what is named by its hash is remembered beyond the session.
        if let (Origin::Content(reference), Ok(bytes)) = (&job.origin, serde_json::to_vec(&answer)) {
            let _ = ctx.cache().put_if_absent(&self.cache_key(reference, &job), Bytes::from(bytes), CACHE_KEPT).await;
        }
        Ok(answer)
    }
}

/// The cached answer, where its text is still in the content store.
async fn cached(key: &str, ctx: &JobContext<Kind>) -> Option<ExtractionAnswer> {
    let bytes = ctx.cache().get(key).await.ok()??;
    let answer: ExtractionAnswer = serde_json::from_slice(&bytes).ok()?;
    ctx.services().content.get(&answer.text.content).await.ok()?;
    Some(answer)
}

fn unfetched(error: FetchError) -> JobError {
    match error.transient {
        true => JobError::transient(error.code, error.message),
        false => JobError::permanent(error.code, error.message),
    }
}

fn unreadable(error: &ContentError) -> JobError {
    match error {
        ContentError::Full(_) | ContentError::Unavailable(_) => content_failed(error),
        _ => JobError::permanent("content_missing", error.to_string()),
    }
}

impl Extraction {
    fn cache_key(&self, reference: &ContentRef, job: &ExtractionJob) -> String {
        let hint = format!("{}\u{1f}{}", job.content_type.as_deref().unwrap_or(""), crate::parse::ending(&job.title));
        let config = precis_proto::ids::sha256_hex(format!("{}\u{1f}{hint}", self.parser.config_key()).as_bytes());
        format!("extract:{IMPLEMENTATION}:{}:{}", reference.hex(), &config[..8])
    }
}

//! An extraction job: converts bytes to canonical text, in a sandboxed child process.

use bytes::Bytes;
use precis_proto::extraction::ExtractionAnswer;
use precis_proto::ids::sha256_hex;
use precis_proto::job::{Extraction as Kind, ExtractionJob};
use precis_proto::label::Public;
use precis_proto::source::{ContentRef, SourceText};
use precis_runtime::cache::{CacheFamily, CacheKey};
use precis_runtime::content::ContentError;
use precis_runtime::fetch::FetchError;
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use precis_text::tokens::Tokenizer;

use super::content_failed;
use crate::documents::extract_service::{READ_ELSEWHERE, TavilyReader};
use crate::documents::page_versions::{CachedPage, recall};
use crate::documents::pages::{PageFetcher, PageState};
use crate::documents::parse::{Parse, Parser};
use crate::documents::{archived_type, texts, token_counts};

/// Bump if the same bytes may give a different text.
pub(crate) const IMPLEMENTATION: &str = "19";

/// Remark on an archived text whose structure is missing or belongs to a different text.
const WITHOUT_STRUCTURE: &str = "the structure of this archived text cannot be read; it was read as plain text";

/// Handles extraction jobs.
#[derive(Debug)]
pub struct ExtractionJobHandler {
    /// Limits, HTML mode, the child processes.
    pub parser: Parser,
    /// The guarded client for pages.
    pub pages: PageFetcher,
    /// The external service that may extract a page's text.
    pub other: TavilyReader,
    /// Whether an archived text may name its stored structure. Only safe if the caller owns the content store: it names bytes by hash.
    pub takes_structure: bool,
}

impl JobHandler for ExtractionJobHandler {
    type Kind = Kind;

    async fn run(&self, job: ExtractionJob, ctx: &JobContext<Kind>) -> Result<ExtractionAnswer, JobError> {
        match job.origin.address() {
            Ok(address) => self.address(address, ctx).await,
            Err(reference) => self.document(reference, &job, ctx).await,
        }
    }
}

impl ExtractionJobHandler {
    /// Reads a page directly or through the external service, in the configured order; if both fail, returns the direct failure.
    async fn address(&self, address: Public<&str>, ctx: &JobContext<Kind>) -> Result<ExtractionAnswer, JobError> {
        let url = address.into_inner();
        if self.other.is_first(url)
            && let Ok(answer) = self.read_by_service(address, ctx).await
        {
            return Ok(answer);
        }
        match self.page(address, ctx).await {
            Err(error) if self.other.is_fallback(url, error.code()) => {
                self.read_by_service(address, ctx).await.map_err(|_| error)
            }
            read => read,
        }
    }

    /// Reads a page's text through the external service, and caches it, since it is paid for.
    async fn read_by_service(&self, url: Public<&str>, ctx: &JobContext<Kind>) -> Result<ExtractionAnswer, JobError> {
        let page = sha256_hex(url.into_inner().as_bytes());
        let key = format!("{IMPLEMENTATION}:elsewhere:{page}:{}", self.config8("").await);
        let key = CacheKey::new(CacheFamily::PageOfService, key);
        if let Some(answer) = cached_answer(&key, ctx).await {
            return Ok(answer);
        }
        let (text, parse) = self.other.text(url).await.map_err(|error| {
            tracing::info!(code = error.code, %error, "the extract service could not read a page");
            fetch_failure(error)
        })?;
        let mut answer = self.read(text, parse, ctx).await?;
        answer.remarks.push(READ_ELSEWHERE.to_owned());
        ctx.cache().keep(&key, &answer).await;
        Ok(answer)
    }

    /// Fetches a page conditionally, and parses it again only if it has changed.
    async fn page(&self, url: Public<&str>, ctx: &JobContext<Kind>) -> Result<ExtractionAnswer, JobError> {
        let key = self.page_key(url.into_inner()).await;
        let standing = recall(&key, ctx).await;
        let known = standing.value.as_ref();
        let page = self.pages.get_unless(url, known.map(|page| &page.version)).await.map_err(fetch_failure)?;
        let (bytes, parse, version) = match (page, known) {
            (PageState::Read { bytes, parse, version }, _) => (bytes, parse, version),
            (PageState::Unchanged, Some(known)) => return Ok(known.answer.clone()),
            (PageState::Unchanged, None) => {
                return Err(JobError::permanent("http_status", "the server answered 304 to an unconditional request"));
            }
        };
        let answer = self.read(bytes, parse, ctx).await?;
        if let Some(version) = version {
            let page = CachedPage { version, answer: answer.clone() };
            // Only over the entry read above: another worker may have stored a newer version meanwhile.
            ctx.cache().replace(&key, &standing, &page).await;
        }
        Ok(answer)
    }

    async fn document(
        &self,
        reference: &ContentRef,
        job: &ExtractionJob,
        ctx: &JobContext<Kind>,
    ) -> Result<ExtractionAnswer, JobError> {
        let key = self.cache_key(reference, job).await;
        if let Some(answer) = cached_answer(&key, ctx).await {
            return Ok(answer);
        }
        let bytes = ctx.services().content.get(reference).await.map_err(|e| unreadable(&e))?;
        let parse = Parse { content_type: job.content_type.clone(), name: job.title.clone() };
        let mut answer = self.read(bytes, parse, ctx).await?;
        let named = job.content_type.as_deref().and_then(archived_type::structure).filter(|_| self.takes_structure);
        // Only for the very text it was stored with: in another one its ranges would point to other words.
        if let Some(structure) = named.filter(|_| answer.text.content == *reference) {
            let text = SourceText { blocks: Some(structure), ..answer.text.clone() };
            match texts::load(&ctx.services().content, &text).await {
                Ok(_) => answer.text = text,
                Err(error) if error.is_outage() => return Err(content_failed(&error)),
                Err(_) => answer.remarks.push(WITHOUT_STRUCTURE.to_owned()),
            }
        }
        ctx.cache().keep(&key, &answer).await;
        Ok(answer)
    }

    async fn read(&self, bytes: Bytes, parse: Parse, ctx: &JobContext<Kind>) -> Result<ExtractionAnswer, JobError> {
        let parsed = self.parser.parse(bytes, parse).await?;
        let content =
            ctx.services().content.put(Bytes::from(parsed.text.clone())).await.map_err(|e| content_failed(&e))?;
        let blocks =
            texts::store_blocks(&parsed.blocks, &ctx.services().content).await.map_err(|e| content_failed(&e))?;
        let (text, cut) = (parsed.text, parsed.chars_cut);
        let chars = text.chars().count() as u64;
        let tokens = token_counts::of_document(Tokenizer::default(), content.hex(), text, ctx.cache()).await;
        Ok(ExtractionAnswer {
            content_type: parsed.content_type,
            title: parsed.title,
            text: SourceText { content, chars, tokens, pages: parsed.pages, blocks },
            remarks: parsed.remarks,
            tokens_cut: tokens_of(cut, tokens, chars),
        })
    }

    async fn cache_key(&self, reference: &ContentRef, job: &ExtractionJob) -> CacheKey {
        let hint = format!(
            "{}\u{1f}{}",
            job.content_type.as_deref().unwrap_or(""),
            crate::documents::parse::ending(&job.title)
        );
        let key = format!("{IMPLEMENTATION}:{}:{}", reference.hex(), self.config8(&hint).await);
        CacheKey::new(CacheFamily::Extraction, key)
    }

    async fn page_key(&self, url: &str) -> CacheKey {
        let key = format!("{IMPLEMENTATION}:page:{}:{}", sha256_hex(url.as_bytes()), self.config8("").await);
        CacheKey::new(CacheFamily::Extraction, key)
    }

    async fn config8(&self, hint: &str) -> String {
        sha256_hex(format!("{}\u{1f}{hint}", self.parser.config_key().await).as_bytes())[..8].to_owned()
    }
}

/// Estimates the tokens of `cut` characters beyond a limit from the density of the kept text. Rounded up, so that a cut never counts as
/// zero.
fn tokens_of(cut: u64, tokens: u64, chars: u64) -> u64 {
    cut.saturating_mul(tokens).div_ceil(chars.max(1))
}

/// Returns the cached answer if its text is still in the content store.
async fn cached_answer(key: &CacheKey, ctx: &JobContext<Kind>) -> Option<ExtractionAnswer> {
    let answer: ExtractionAnswer = ctx.cache().get(key).await?;
    let content = &ctx.services().content;
    for reference in std::iter::once(&answer.text.content).chain(&answer.text.blocks) {
        content.get(reference).await.ok()?;
    }
    Some(answer)
}

fn fetch_failure(error: FetchError) -> JobError {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_is_never_no_token() {
        for (cut, tokens, chars, expected) in [
            (0, 25, 100, 0),
            (1, 25, 100, 1),
            (4, 25, 100, 1),
            (5, 25, 100, 2),
            (1_500_000, 125_000, 500_000, 375_000),
            (9, 0, 0, 0),
        ] {
            assert_eq!(tokens_of(cut, tokens, chars), expected, "{cut}");
        }
    }
}

//! Recognizes the text of pages that are pictures, if it is configured: which pages, within which limits, and what is said about them.
//!
//! The parser finds the pages and draws them, in its own process; the recognition program runs in another, under a second sandbox profile
//! ([`precis_runtime::ocr`]); what it printed goes back to the parser, like any text from outside.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use precis_extract::pdf::RecognizedPage;
use precis_proto::Recognition;
use precis_proto::ids::sha256_hex;
use precis_runtime::config::Settings;
use precis_runtime::ocr::{self, OcrError, OcrLimits, OcrTool, RecognitionEngine};
use tokio::sync::{OnceCell, Semaphore};

/// The value of `ocr` that recognizes nothing.
const OFF: &str = "off";

/// The recognition program of this process, looked up and asked for its version when it is first needed.
#[derive(Debug, Clone)]
pub struct Recognizer {
    program: String,
    languages: Option<String>,
    limits: OcrLimits,
    found: Arc<OnceCell<Result<FoundTool, OcrError>>>,
    /// One page at a time: the memory of one is that of a parser, and all of it is besides theirs.
    turns: Arc<Semaphore>,
}

#[derive(Debug)]
struct FoundTool {
    tool: OcrTool,
    engine: RecognitionEngine,
}

/// What was recognized of a document.
#[derive(Debug, Default)]
pub(super) struct RecognitionOutcome {
    pub(super) pages: Vec<RecognizedPage>,
    /// What to say about it, as lower-case sentences.
    pub(super) remarks: Vec<String>,
}

impl Recognizer {
    /// Returns the configured recognition program; `None` if none is.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Option<Self> {
        let extraction = &settings.extraction;
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let limits = OcrLimits {
            page_time: Duration::from_secs(extraction.ocr_timeout),
            memory_bytes: extraction.ocr_memory_bytes,
            page_bytes: size(extraction.ocr_page_bytes),
            pages: size(extraction.ocr_max_pages),
        };
        (extraction.ocr != OFF).then(|| Self {
            program: extraction.ocr.clone(),
            languages: extraction.ocr_languages.clone(),
            limits,
            found: Arc::default(),
            turns: Arc::new(Semaphore::new(1)),
        })
    }

    /// Most bytes of recognized text of one document.
    pub(super) fn document_bytes(&self) -> usize {
        self.limits.page_bytes.saturating_mul(self.limits.pages)
    }

    async fn found_tool(&self) -> Result<&FoundTool, &OcrError> {
        let look = || async {
            let tool = OcrTool::find(&self.program, self.languages.as_deref(), std::env::var_os("PATH").as_deref())?;
            let engine = ocr::version(&tool, &self.limits).await?;
            Ok(FoundTool { tool, engine })
        };
        self.found.get_or_init(look).await.as_ref()
    }

    /// Returns the engine, after it was started once in its sandbox.
    ///
    /// # Errors
    /// Why nothing can be recognized.
    pub async fn engine(&self) -> Result<&RecognitionEngine, &OcrError> {
        self.found_tool().await.map(|found| &found.engine)
    }

    /// Returns what changes the text of the same document, for keys of caches: the engine, its version, languages and limits, or that it
    /// cannot be had.
    pub async fn key(&self) -> String {
        let OcrLimits { page_time, memory_bytes, page_bytes, pages } = self.limits;
        let engine = self.engine().await.map_or_else(|_| "none".to_owned(), RecognitionEngine::key);
        format!("{engine}:{}:{memory_bytes}:{page_bytes}:{pages}", page_time.as_secs())
    }

    /// Recognizes `pages`, as far as the limits allow; `picture` returns the picture of one.
    pub(super) async fn recognize<F: Future<Output = Option<Bytes>>>(
        &self,
        pages: &[usize],
        picture: impl Fn(usize) -> F,
    ) -> RecognitionOutcome {
        let mut outcome = RecognitionOutcome::default();
        let FoundTool { tool, engine } = match self.found_tool().await {
            Ok(found) => found,
            Err(error) => {
                outcome.remarks.push(error.to_string());
                return outcome;
            }
        };
        for page in pages.iter().take(self.limits.pages) {
            let Some(picture) = picture(*page).await else {
                outcome.remarks.push(format!("page {page} could not be drawn for recognition"));
                continue;
            };
            let recognition = Recognition {
                engine: engine.name.clone(),
                languages: engine.languages.clone(),
                picture: sha256_hex(&picture),
            };
            // Only while the program runs: the next page is drawn by the parser, whose memory is counted elsewhere.
            let turn = self.turns.acquire().await;
            let text = ocr::recognize(tool, picture, &self.limits).await;
            drop(turn);
            match text {
                Ok(text) => outcome.pages.push(RecognizedPage { page: *page, text, recognition }),
                Err(error) if error.is_of_every_page() => {
                    outcome.remarks.push(error.to_string());
                    break;
                }
                Err(error) => {
                    outcome.remarks.push(format!("page {page} was not recognized by {}: {error}", engine.name))
                }
            }
        }
        outcome.remarks.extend(self.summary(engine, pages.len(), outcome.pages.len()));
        outcome
    }

    fn summary(&self, engine: &RecognitionEngine, asked: usize, recognized: usize) -> Vec<String> {
        let pages = |count: usize| if count == 1 { "1 page".to_owned() } else { format!("{count} pages") };
        let done = (recognized > 0)
            .then(|| format!("the text of {} was recognized from pictures by {}", pages(recognized), engine.name));
        let left = asked.saturating_sub(self.limits.pages);
        let over =
            (left > 0).then(|| format!("{} were not recognized: ocr_max_pages = {}", pages(left), self.limits.pages));
        done.into_iter().chain(over).collect()
    }
}

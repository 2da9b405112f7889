//! Parses the bytes of a document to canonical text: in this process for tests, in a child process for everything from outside.
//!
//! This module decides which errors are permanent; parsing itself is in [`precis_extract`]. A child parses what it is sent and keeps no state
//! between documents.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use precis_extract::pdf::RecognizedPage;
use precis_extract::{ExtractError, ExtractLimits, HtmlMode};
use precis_proto::DocumentFormat;
use precis_proto::block::MAX_BLOCKS;
use precis_runtime::config::{SandboxMode, Settings};
use precis_runtime::runner::JobError;
use precis_runtime::sandbox::{self, Sandbox, SandboxCapacity, SandboxError, SandboxSettings, Walls};
use precis_runtime::telemetry::metrics;

use super::parse_exchange::{ChildRequest, ParseReply, ParseRequest, UNREADABLE, invalid_response};
pub use super::parse_exchange::{Parse, ParsedDocument};
use super::recognition::Recognizer;
use crate::documents::texts;
use crate::options::extract_limits;

/// The hidden subcommand that runs [`serve_child`].
pub const CHILD_COMMAND: &str = "parse-child";

/// Bytes reserved for the header of a request or a response.
const HEADER_BYTES: usize = 1 << 20;
/// Upper bound of the average size of a block or cell as JSON, in bytes; the longest list number has 20 digits.
const BLOCK_BYTES: usize = 160;
/// Most bytes of the picture of a page, and its header.
const PICTURE_BYTES: usize = (18 << 20) + HEADER_BYTES;
/// Most bytes per character in UTF-8.
const CHAR_BYTES: usize = 4;

/// Parses documents under limits.
#[derive(Debug, Clone)]
pub struct Parser {
    place: ParserBackend,
    limits: ExtractLimits,
    html: HtmlMode,
    /// Recognizes pages that are pictures; `None` unless it is configured.
    recognizer: Option<Recognizer>,
}

#[derive(Debug, Clone)]
enum ParserBackend {
    InProcess,
    Child(Arc<Sandbox>),
}

impl Parser {
    /// Creates a parser that runs in this process, for tests and trusted bytes: a hostile document can crash the process.
    #[must_use]
    pub fn in_process(limits: ExtractLimits, html: HtmlMode) -> Self {
        Self { place: ParserBackend::InProcess, limits, html, recognizer: None }
    }

    /// Creates a parser that runs in children of `sandbox`, whose executable must call [`serve_child`].
    #[must_use]
    pub fn in_sandbox(sandbox: Arc<Sandbox>, limits: ExtractLimits, html: HtmlMode) -> Self {
        Self { place: ParserBackend::Child(sandbox), limits, html, recognizer: None }
    }

    /// Creates a parser that runs in children of this program, with the configured limits.
    #[must_use]
    pub fn for_run(settings: &Settings) -> Self {
        let limits = extract_limits(settings);
        let extraction = &settings.extraction;
        let recognizer = Recognizer::from_settings(settings);
        // Twice: a line end of its text takes two bytes in JSON.
        let recognized_bytes = recognizer.as_ref().map_or(0, |r| r.document_bytes().saturating_mul(2));
        let configured = extraction.parser_children.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let SandboxCapacity { children, memory_bytes } =
            SandboxCapacity::here(configured, extraction.parser_memory_bytes);
        let sandbox = SandboxSettings {
            args: vec![CHILD_COMMAND.to_owned()],
            children,
            memory_bytes,
            is_required: extraction.sandbox == SandboxMode::Required,
            wall: Duration::from_secs_f64(settings.extraction.timeout_seconds),
            max_request_bytes: limits.max_bytes.saturating_add(HEADER_BYTES).saturating_add(recognized_bytes),
            max_response_bytes: limits
                .max_chars
                .saturating_mul(CHAR_BYTES)
                .saturating_add(MAX_BLOCKS * BLOCK_BYTES + HEADER_BYTES)
                .max(PICTURE_BYTES),
            ..SandboxSettings::default()
        };
        Self { recognizer, ..Self::in_sandbox(Arc::new(Sandbox::new(sandbox)), limits, settings.extraction.html) }
    }

    /// Returns which restrictions a parser process runs under; none if documents are parsed in this process.
    ///
    /// # Errors
    /// No parser process could be started.
    pub async fn walls(&self) -> Result<Walls, SandboxError> {
        match &self.place {
            ParserBackend::InProcess => Ok(Walls::default()),
            ParserBackend::Child(sandbox) => sandbox.walls().await,
        }
    }

    /// Returns a string of all settings that may change the text of the same bytes, for cache keys.
    pub async fn config_key(&self) -> String {
        let ExtractLimits { max_bytes, max_chars, max_pages } = self.limits;
        let of_text = format!("{max_bytes}:{max_chars}:{max_pages}:{}", self.html.as_str());
        match &self.recognizer {
            None => of_text,
            Some(recognizer) => format!("{of_text}:{}", recognizer.key().await),
        }
    }

    /// The recognizer of pages that are pictures; `None` unless it is configured.
    #[must_use]
    pub fn recognizer(&self) -> Option<&Recognizer> {
        self.recognizer.as_ref()
    }

    /// Parses `bytes` to canonical text.
    ///
    /// # Errors
    /// Permanent: `too_large`, `unsupported`, `encrypted`, `unreadable` (broken, or the parser died or took too long), `empty`, and
    /// `sandbox_missing` if no child may be used. Transient: `parser_unavailable` if no child could be started.
    pub async fn parse(&self, bytes: Bytes, parse: Parse) -> Result<ParsedDocument, JobError> {
        let since = Instant::now();
        let parsed = self.parse_in_child(bytes, parse).await;
        measure(&parsed, since.elapsed());
        parsed
    }

    async fn parse_in_child(&self, bytes: Bytes, parse: Parse) -> Result<ParsedDocument, JobError> {
        let limit = self.limits.max_bytes;
        // Checked before a child is started, so that an oversized document costs no process.
        if bytes.len() > limit {
            return Err(extract_failure(&ExtractError::TooLarge { bytes: bytes.len(), limit }));
        }
        let mut request = ParseRequest::new(parse, &self.limits, self.html);
        let (mut answer, mut text) = self.ask_to_parse(&mut request, &bytes, &[]).await?;
        if let Some(recognizer) = self.recognizer.as_ref().filter(|_| !answer.picture_pages().is_empty()) {
            let picture = |page| self.picture(bytes.clone(), page);
            let found = recognizer.recognize(answer.picture_pages(), picture).await;
            if !found.pages.is_empty() {
                (answer, text) = self.ask_to_parse(&mut request, &bytes, &found.pages).await?;
            }
            answer.remark(found.remarks);
        }
        answer.into_parsed(text)
    }

    async fn ask_to_parse(
        &self,
        request: &mut ParseRequest,
        document: &Bytes,
        recognized: &[RecognizedPage],
    ) -> Result<(ParseReply, Vec<u8>), JobError> {
        let body = request.body(document, recognized);
        self.ask(ChildRequest::Parse(request.clone()), body).await
    }

    /// The picture of a page as an image file; `None` if it cannot be drawn.
    async fn picture(&self, document: Bytes, page: usize) -> Option<Bytes> {
        let (_, picture) = self.ask(ChildRequest::Picture { page }, document).await.ok()?;
        (!picture.is_empty()).then(|| picture.into())
    }

    async fn ask(&self, request: ChildRequest, body: Bytes) -> Result<(ParseReply, Vec<u8>), JobError> {
        match &self.place {
            ParserBackend::InProcess => Ok(texts::compute(move || request.answer(&body)).await),
            ParserBackend::Child(sandbox) => {
                let header = serde_json::to_vec(&request).expect("a request has string keys and no floats");
                let (header, body) = sandbox.run(header, body).await.map_err(|e| sandbox_failed(&e))?;
                Ok((serde_json::from_slice(&header).map_err(|_| invalid_response())?, body.into()))
            }
        }
    }
}

fn measure(parsed: &Result<ParsedDocument, JobError>, took: Duration) {
    let extraction = &metrics().extraction;
    match parsed {
        Ok(parsed) => {
            let format = DocumentFormat::from_mime(&parsed.content_type);
            extraction.read(format, "read", took.as_secs_f64());
            if format == Some(DocumentFormat::Pdf) {
                extraction.pages(parsed.pages.into());
            }
        }
        Err(JobError::Permanent { .. }) => extraction.read(None, "refused", took.as_secs_f64()),
        Err(JobError::Transient { .. }) => extraction.read(None, "unavailable", took.as_secs_f64()),
        Err(JobError::Interrupted(_)) => {}
    }
}

/// Returns the extension of a file name or address, which extraction uses as a hint; empty if there is none.
#[must_use]
pub fn ending(name: &str) -> &str {
    let path = name.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Runs the child side of [`Parser::in_sandbox`]: parses documents until the input ends. The hidden subcommand must call it first.
///
/// # Errors
/// This process was not started by a sandbox, or a stream breaks.
pub fn serve_child() -> std::io::Result<()> {
    sandbox::serve(|header, body| {
        let (answer, text) = match serde_json::from_slice::<ChildRequest>(header) {
            Ok(request) => request.answer(body),
            Err(_) => (
                ParseReply::Refused {
                    code: UNREADABLE.to_owned(),
                    message: invalid_response().to_string(),
                    picture_pages: Vec::new(),
                },
                Vec::new(),
            ),
        };
        (serde_json::to_vec(&answer).unwrap_or_default(), text)
    })
}

fn extract_failure(error: &ExtractError) -> JobError {
    JobError::permanent(error.code(), error.to_string())
}

fn sandbox_failed(error: &SandboxError) -> JobError {
    if matches!(error, SandboxError::Died { .. } | SandboxError::TimedOut { .. }) {
        metrics().extraction.child_died();
    }
    // Permanent if the parser died or was too slow: the same bytes would do the same to the next one.
    match error {
        SandboxError::Died { how } => {
            JobError::permanent(UNREADABLE, format!("the document crashed its parser (the parser {how})"))
        }
        SandboxError::TimedOut { limit } => {
            let seconds = limit.as_secs_f64();
            JobError::permanent(UNREADABLE, format!("parsing the document took longer than {seconds} s"))
        }
        SandboxError::TooLarge { .. } => JobError::permanent("too_large", error.to_string()),
        SandboxError::Unconfined => {
            JobError::permanent("sandbox_missing", format!("{error}; run `precis doctor` to see what is missing"))
        }
        SandboxError::Unavailable(_) => JobError::transient("parser_unavailable", error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> ExtractLimits {
        ExtractLimits { max_bytes: 100, max_chars: 1_000, max_pages: 10 }
    }

    fn code(error: &JobError) -> (&str, bool) {
        match error {
            JobError::Transient { code, .. } => (code, true),
            JobError::Permanent { code, .. } => (code, false),
            JobError::Interrupted(_) => ("interrupted", true),
        }
    }

    async fn parse(bytes: &[u8], name: &str) -> Result<ParsedDocument, JobError> {
        let parser = Parser::in_process(limits(), HtmlMode::Full);
        parser.parse(Bytes::copy_from_slice(bytes), Parse { content_type: None, name: name.to_owned() }).await
    }

    #[tokio::test]
    async fn a_text_comes_back_canonical() {
        let parsed = parse(b"  some\n\nwords ", "note.txt").await.expect("a text");
        assert_eq!((parsed.text.as_str(), parsed.content_type.as_str(), parsed.pages), ("some words", "text/plain", 0));
    }

    #[tokio::test]
    async fn the_byte_limit_holds_before_anything_is_parsed() {
        for (bytes, expected) in [(99, None), (100, None), (101, Some(("too_large", false)))] {
            let answer = parse("a".repeat(bytes).as_bytes(), "note.txt").await;
            assert_eq!(answer.as_ref().err().map(code), expected, "{bytes}");
        }
        let nobody = sandbox::SandboxSettings { executable: Some("/nowhere".into()), ..Default::default() };
        let parser = Parser::in_sandbox(Arc::new(Sandbox::new(nobody)), limits(), HtmlMode::Full);
        let answer = parser.parse(Bytes::from(vec![b'a'; 101]), Parse::default()).await;
        assert_eq!(answer.as_ref().err().map(code), Some(("too_large", false)));
        let answer = parser.parse(Bytes::from(vec![b'a'; 100]), Parse::default()).await;
        assert_eq!(answer.as_ref().err().map(code), Some(("parser_unavailable", true)));
    }

    #[test]
    fn only_a_missing_child_is_worth_another_try() {
        let died = SandboxError::Died { how: sandbox::ChildDeath::Malformed("noise") };
        let slow = SandboxError::TimedOut { limit: std::time::Duration::from_secs(30) };
        for (error, expected) in [
            (died, (UNREADABLE, false)),
            (slow, (UNREADABLE, false)),
            (SandboxError::TooLarge { bytes: 2, limit: 1 }, ("too_large", false)),
            (SandboxError::Unavailable(String::new()), ("parser_unavailable", true)),
        ] {
            assert_eq!(code(&sandbox_failed(&error)), expected, "{error}");
        }
    }

    #[test]
    fn an_ending_is_that_of_the_file() {
        for (name, expected) in [
            ("paper.pdf", "pdf"),
            ("a.tar.gz", "gz"),
            ("https://a.b/READ.MD?v=1.0#x.txt", "MD"),
            ("https://a.b/c", ""),
            ("no ending", ""),
            ("x.", ""),
            ("", ""),
        ] {
            assert_eq!(ending(name), expected, "{name}");
        }
    }

    #[tokio::test]
    async fn what_changes_the_text_changes_the_key() {
        let key = async |limits, html| Parser::in_process(limits, html).config_key().await;
        assert_ne!(key(limits(), HtmlMode::Full).await, key(limits(), HtmlMode::Main).await);
        let longer = ExtractLimits { max_chars: 1_001, ..limits() };
        assert_ne!(key(limits(), HtmlMode::Full).await, key(longer, HtmlMode::Full).await);
    }
}

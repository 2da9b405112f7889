//! The messages exchanged with a parser child: a header as JSON, followed by the document or its text. A child reads a document, with or
//! without the text that was recognized on its pictures, or draws a page of it.

use bytes::Bytes;
use precis_corpus::ExtractedText;
use precis_extract::pdf::{RecognizedPage, page_picture};
use precis_extract::{ExtractError, ExtractLimits, ExtractedDocument, Hint, HtmlMode, extract_recognized};
use precis_proto::{Block, Recognition};
use precis_runtime::runner::JobError;
use serde::{Deserialize, Serialize};

/// Code of a document that could not be parsed.
pub(super) const UNREADABLE: &str = "unreadable";

/// What is known about a document besides its bytes.
#[derive(Debug, Clone, Default)]
pub struct Parse {
    /// MIME type as declared by the server or the caller.
    pub content_type: Option<String>,
    /// File name or title; its extension is a hint.
    pub name: String,
}

/// A parsed document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedDocument {
    /// The detected MIME type.
    pub content_type: String,
    /// The title found in the document.
    pub title: Option<String>,
    /// Canonical text, never empty.
    pub text: String,
    /// Number of pages; 0 if the format has none.
    pub pages: u32,
    /// Structure of the text; empty if unknown.
    pub blocks: Vec<Block>,
    /// What was left out or repaired, for readers.
    pub remarks: Vec<String>,
    /// Number of characters cut off at the limit.
    pub chars_cut: u64,
}

impl From<ParsedDocument> for ExtractedText {
    /// The text as an index of a corpus takes it.
    fn from(parsed: ParsedDocument) -> Self {
        let ParsedDocument { content_type, title, text, pages, blocks, remarks, chars_cut } = parsed;
        Self { content_type, title, text, pages, blocks, remarks, chars_cut }
    }
}

/// What a child is asked for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChildRequest {
    /// To read the document.
    Parse(ParseRequest),
    /// To draw the pictures of a page, counted from 1. The answer is the image file, empty if there is none.
    Picture { page: usize },
}

impl ChildRequest {
    /// Does what is asked for; `body` is that of the request.
    pub(super) fn answer(&self, body: &[u8]) -> (ParseReply, Vec<u8>) {
        match self {
            Self::Parse(request) => request.answer(body),
            Self::Picture { page } => (ParseReply::Picture, page_picture(body, *page).unwrap_or_default()),
        }
    }
}

/// The text of a recognized page, on its way to a child.
#[derive(Debug, Serialize, Deserialize)]
struct SentPage {
    page: usize,
    text: String,
    recognition: Recognition,
}

/// Header of a request to read; its body is the document of `document_bytes` bytes, followed by the recognized pages as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ParseRequest {
    content_type: Option<String>,
    name: String,
    html: HtmlMode,
    max_bytes: usize,
    max_chars: usize,
    max_pages: usize,
    document_bytes: usize,
}

/// Header of a response; its body is the text of `text_bytes` bytes, followed by the blocks as JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ParseReply {
    Parsed {
        content_type: String,
        title: Option<String>,
        pages: u32,
        remarks: Vec<String>,
        chars_cut: u64,
        text_bytes: usize,
        picture_pages: Vec<usize>,
    },
    Refused {
        code: String,
        message: String,
        picture_pages: Vec<usize>,
    },
    Picture,
}

impl ParseRequest {
    pub(super) fn new(parse: Parse, limits: &ExtractLimits, html: HtmlMode) -> Self {
        let ExtractLimits { max_bytes, max_chars, max_pages } = *limits;
        let (Parse { content_type, name }, document_bytes) = (parse, 0);
        Self { content_type, name, html, max_bytes, max_chars, max_pages, document_bytes }
    }

    /// The body of this request: the document, and the pages recognized in it, if there are any.
    pub(super) fn body(&mut self, document: &Bytes, recognized: &[RecognizedPage]) -> Bytes {
        self.document_bytes = document.len();
        if recognized.is_empty() {
            return document.clone();
        }
        let sent = |page: &RecognizedPage| SentPage {
            page: page.page,
            text: page.text.clone(),
            recognition: page.recognition.clone(),
        };
        let pages: Vec<SentPage> = recognized.iter().map(sent).collect();
        let mut body = document.to_vec();
        // Texts and numbers always serialize.
        body.extend(serde_json::to_vec(&pages).unwrap_or_default());
        body.into()
    }

    fn answer(&self, body: &[u8]) -> (ParseReply, Vec<u8>) {
        let (bytes, recognized) = body.split_at_checked(self.document_bytes).unwrap_or((body, &[]));
        let sent: Vec<SentPage> = serde_json::from_slice(recognized).unwrap_or_default();
        let received =
            |sent: SentPage| RecognizedPage { page: sent.page, text: sent.text, recognition: sent.recognition };
        let recognized: Vec<RecognizedPage> = sent.into_iter().map(received).collect();
        let Self { max_bytes, max_chars, max_pages, .. } = *self;
        let limits = ExtractLimits { max_bytes, max_chars, max_pages };
        let hint = Hint { content_type: self.content_type.as_deref(), name: &self.name };
        match extract_recognized(bytes, &hint, self.html, &limits, &recognized) {
            Ok(extracted) => ParseReply::from_extracted(extracted),
            Err(error) => (ParseReply::from_error(error), Vec::new()),
        }
    }
}

impl ParseReply {
    fn from_extracted(extracted: ExtractedDocument) -> (Self, Vec<u8>) {
        let ExtractedDocument { content_type, title, text, remarks, chars_cut, picture_pages } = extracted;
        let pages = u32::try_from(text.pages().len()).unwrap_or(u32::MAX);
        let mut body = text.as_str().as_bytes().to_vec();
        let text_bytes = body.len();
        // Blocks consist of numbers and short words and always serialize.
        body.extend(serde_json::to_vec(text.blocks()).unwrap_or_default());
        let content_type = content_type.to_owned();
        let answer = Self::Parsed { content_type, title, pages, remarks, chars_cut, text_bytes, picture_pages };
        (answer, body)
    }

    fn from_error(error: ExtractError) -> Self {
        let (code, message) = (error.code().to_owned(), error.to_string());
        let picture_pages = match error {
            ExtractError::NoTextLayer { picture_pages } => picture_pages,
            ExtractError::TooLarge { .. }
            | ExtractError::Unsupported { .. }
            | ExtractError::Encrypted
            | ExtractError::Broken { .. }
            | ExtractError::Empty => Vec::new(),
        };
        Self::Refused { code, message, picture_pages }
    }

    /// The pages that have pictures and no text.
    pub(super) fn picture_pages(&self) -> &[usize] {
        match self {
            Self::Parsed { picture_pages, .. } | Self::Refused { picture_pages, .. } => picture_pages,
            Self::Picture => &[],
        }
    }

    /// Adds remarks for the reader; of a document without text they explain the refusal.
    pub(super) fn remark(&mut self, more: Vec<String>) {
        match self {
            Self::Parsed { remarks, .. } => remarks.extend(more),
            Self::Refused { message, .. } => {
                *message = std::iter::once(message.clone()).chain(more).collect::<Vec<_>>().join("; ")
            }
            Self::Picture => {}
        }
    }

    pub(super) fn into_parsed(self, mut text: Vec<u8>) -> Result<ParsedDocument, JobError> {
        match self {
            Self::Parsed { content_type, title, pages, remarks, chars_cut, text_bytes, picture_pages: _ } => {
                // The length is untrusted, since a document may have taken over the child: slicing beyond the body would panic here.
                let blocks = text.get(text_bytes..).and_then(|bytes| serde_json::from_slice(bytes).ok());
                let blocks = blocks.ok_or_else(invalid_response)?;
                text.truncate(text_bytes);
                let text = String::from_utf8(text).map_err(|_| invalid_response())?;
                Ok(ParsedDocument { content_type, title, text, pages, blocks, remarks, chars_cut })
            }
            Self::Refused { code, message, picture_pages: _ } => Err(JobError::permanent(code, message)),
            Self::Picture => Err(invalid_response()),
        }
    }
}

pub(super) fn invalid_response() -> JobError {
    JobError::permanent(UNREADABLE, "the document parser returned an invalid response")
}

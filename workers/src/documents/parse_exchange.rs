//! The messages exchanged with a parser child: a header as JSON, followed by the document or its text.

use precis_extract::{ExtractLimits, ExtractedDocument, Hint, HtmlMode, extract};
use precis_proto::Block;
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

/// Header of a request; its body is the document.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ParseRequest {
    content_type: Option<String>,
    name: String,
    html: HtmlMode,
    max_bytes: usize,
    max_chars: usize,
    max_pages: usize,
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
    },
    Refused {
        code: String,
        message: String,
    },
}

impl ParseRequest {
    pub(super) fn new(parse: Parse, limits: &ExtractLimits, html: HtmlMode) -> Self {
        let ExtractLimits { max_bytes, max_chars, max_pages } = *limits;
        Self { content_type: parse.content_type, name: parse.name, html, max_bytes, max_chars, max_pages }
    }

    pub(super) fn answer(&self, bytes: &[u8]) -> (ParseReply, Vec<u8>) {
        let Self { max_bytes, max_chars, max_pages, .. } = *self;
        let limits = ExtractLimits { max_bytes, max_chars, max_pages };
        let hint = Hint { content_type: self.content_type.as_deref(), name: &self.name };
        match extract(bytes, &hint, self.html, &limits) {
            Ok(extracted) => ParseReply::from_extracted(extracted),
            Err(error) => {
                (ParseReply::Refused { code: error.code().to_owned(), message: error.to_string() }, Vec::new())
            }
        }
    }
}

impl ParseReply {
    fn from_extracted(extracted: ExtractedDocument) -> (Self, Vec<u8>) {
        let ExtractedDocument { content_type, title, text, remarks, chars_cut } = extracted;
        let pages = u32::try_from(text.pages().len()).unwrap_or(u32::MAX);
        let mut body = text.as_str().as_bytes().to_vec();
        let text_bytes = body.len();
        // Blocks consist of numbers and short words and always serialize.
        body.extend(serde_json::to_vec(text.blocks()).unwrap_or_default());
        let answer =
            Self::Parsed { content_type: content_type.to_owned(), title, pages, remarks, chars_cut, text_bytes };
        (answer, body)
    }

    pub(super) fn into_parsed(self, mut text: Vec<u8>) -> Result<ParsedDocument, JobError> {
        match self {
            Self::Parsed { content_type, title, pages, remarks, chars_cut, text_bytes } => {
                // The length is untrusted, since a document may have taken over the child: slicing beyond the body would panic here.
                let blocks = text.get(text_bytes..).and_then(|bytes| serde_json::from_slice(bytes).ok());
                let blocks = blocks.ok_or_else(invalid_response)?;
                text.truncate(text_bytes);
                let text = String::from_utf8(text).map_err(|_| invalid_response())?;
                Ok(ParsedDocument { content_type, title, text, pages, blocks, remarks, chars_cut })
            }
            Self::Refused { code, message } => Err(JobError::permanent(code, message)),
        }
    }
}

pub(super) fn invalid_response() -> JobError {
    JobError::permanent(UNREADABLE, "the document parser returned an invalid response")
}

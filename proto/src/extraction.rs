//! The result of extracting the text of a document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;
use crate::source::SourceText;

closed_words! {
    /// Which part of an HTML page is read.
    #[derive(Default, Serialize, Deserialize, JsonSchema)]
    pub enum HtmlMode: serde {
        /// The article, without menus and asides; the whole page if no article is found.
        #[default]
        Main => "main",
        /// The whole page: everything visible to a reader.
        Full => "full",
    }
}

/// Answer of an [`Extraction`](crate::job::Extraction) job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractionAnswer {
    /// The detected MIME type.
    pub content_type: String,
    /// The title found in the document.
    pub title: Option<String>,
    /// The canonical text.
    pub text: SourceText,
    /// Remarks, such as `extracted the first 500 of 812 pages`.
    pub remarks: Vec<String>,
    /// Tokens cut off at a limit; 0 if none were.
    pub tokens_cut: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_reads_back_its_name() {
        for mode in [HtmlMode::Main, HtmlMode::Full] {
            assert_eq!(serde_json::from_value::<HtmlMode>(mode.as_str().into()).ok(), Some(mode));
        }
        assert!(serde_json::from_value::<HtmlMode>("half".into()).is_err());
    }
}

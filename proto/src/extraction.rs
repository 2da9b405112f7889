//! What extraction makes of the bytes of a document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::SourceText;

/// Which part of an HTML page is its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HtmlMode {
    /// The article, without menus and asides; the whole page where no article is found.
    #[default]
    Main,
    /// The whole page: everything a reader could see.
    Full,
}

impl HtmlMode {
    /// The word in configuration and keys.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Full => "full",
        }
    }
}

/// Answer of an [`Extraction`](crate::job::Extraction) job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractionAnswer {
    /// What the content is.
    pub content_type: String,
    /// The document's own title.
    pub title: Option<String>,
    /// Its canonical text.
    pub text: SourceText,
    /// Remarks: `extracted the first 500 of 812 pages`.
    pub remarks: Vec<String>,
    /// Tokens left out by a limit; 0 where nothing was.
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

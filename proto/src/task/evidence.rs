//! Passages as the models that write and judge see them: grouped by document, in the order of the document.

use serde::{Deserialize, Serialize};

/// Passages of documents; untrusted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ShownEvidence {
    /// The documents, in the order shown.
    pub documents: Vec<ShownDocument>,
    /// The passages, in the order of their documents, and of the text of each.
    pub passages: Vec<ShownPassage>,
}

impl ShownEvidence {
    /// Returns whether nothing is shown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// Returns the passages of document `id`, in order.
    pub fn of(&self, id: u32) -> impl Iterator<Item = &ShownPassage> {
        self.passages.iter().filter(move |passage| passage.document == id)
    }
}

/// A document, introduced once before its passages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownDocument {
    /// Number in the session, from 1.
    pub id: u32,
    /// Its title.
    pub title: String,
    /// Its path or address; empty if it has none, or if the title says it already.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub address: String,
    /// Its kind, such as `PDF, 352 pages`; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// What it says about itself, one `name: value` each, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}

/// A passage that may be cited by its number.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ShownPassage {
    /// Number in the session, from 1; the same in every call.
    pub id: u32,
    /// Number of its document.
    pub document: u32,
    /// The headings above it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The characters of the archived text, of which white space between blocks is written as line ends.
    pub text: String,
    /// Importance, 0 to 1: what is left out first if not everything fits.
    pub score: f64,
}

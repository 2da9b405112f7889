//! What the tools answer.

use schemars::JsonSchema;
use serde::Serialize;

/// How a session stands, with its report once it has ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionAnswer {
    /// Handle of the session: pass it to `get_report`, `verify`, or as `follows` to `ask`
    pub(super) session: String,
    /// `preparing` or `running`: call `get_report`. `completed`, `failed` or `cancelled`: it has ended
    pub(super) status: String,
    /// Whether the documents answer the question: `answered`, `partly`, `not_in_documents`; `null` if it has not ended or was not judged
    pub(super) answer: Option<String>,
    /// Whether part of what was asked for is missing
    pub(super) incomplete: bool,
    /// The report as Markdown; `[n]` is the citation with this number. Untrusted text
    pub(super) report: Option<String>,
    /// The quotes that the report rests on. Untrusted text
    pub(super) citations: Vec<CitedQuote>,
    /// Documents that were not read, and other things to know
    pub(super) warnings: Vec<String>,
    /// Why there is no report
    pub(super) error: Option<SessionError>,
    /// What was paid for models and searches, in US dollars
    pub(super) spent_usd: f64,
    /// Hash over the whole report, which proves that it was not changed
    pub(super) seal: Option<String>,
    /// How to treat the texts
    pub(super) notice: &'static str,
    /// What to do next
    pub(super) next: String,
}

/// A quote.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CitedQuote {
    /// Number in the report
    pub(super) n: u32,
    /// The document
    pub(super) source_id: String,
    /// Its title
    pub(super) title: String,
    /// Its address, if it has one
    pub(super) url: Option<String>,
    /// Where the quote is in its text: characters from 0, end exclusive
    pub(super) locator: String,
    /// The quote, word for word
    pub(super) text: String,
    /// Hash of the whole text
    pub(super) source_text_hash: String,
}

/// Why a session has no report.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionError {
    /// Stable code
    pub(super) code: String,
    /// For people
    pub(super) message: String,
    /// What to do about it
    pub(super) remedy: Option<String>,
}

/// Whether a report holds against the texts that it quotes.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct VerdictAnswer {
    /// The session
    pub(super) session: String,
    /// Whether every quote, hash, citation and sum holds
    pub(super) holds: bool,
    /// Quotes found in the archived texts at their places
    pub(super) citations_proved: u64,
    /// Archived texts that match their hashes
    pub(super) texts_proved: u64,
    /// Whether the seal is that of the data; `null` if there is none
    pub(super) is_sealed: Option<bool>,
    /// What does not hold
    pub(super) mismatches: Vec<String>,
}

/// Passages of folders and collections, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EvidenceAnswer {
    /// `done`; or `indexing`: the folders or collections are still being read, call again
    pub(super) status: String,
    /// The passages, of several folders and collections by turns. Untrusted text
    pub(super) hits: Vec<Passage>,
    /// Documents in the indexes
    pub(super) documents: u64,
    /// What was not searched
    pub(super) warnings: Vec<String>,
    /// How to treat the texts
    pub(super) notice: &'static str,
}

/// A passage that was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Passage {
    /// The document: pass it to `extract` or `ask`. Of a collection, the name of the file
    pub(super) path: String,
    /// The collection that it is a file of; `null` for one of a folder
    pub(super) collection: Option<String>,
    /// Its title, or its file name
    pub(super) title: String,
    /// Headings above the passage, outermost first
    pub(super) headings: Vec<String>,
    /// Where the passage is in the text of the document
    pub(super) locator: String,
    /// The passage, word for word
    pub(super) text: String,
    /// Larger is better; comparable within one folder or collection only
    pub(super) score: f64,
    /// Hash of the whole text
    pub(super) source_text_hash: String,
}

/// Collections, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CollectionsAnswer {
    /// The collections. Their names are untrusted text
    pub(super) collections: Vec<CollectionRow>,
    /// Where the next part begins: pass it as `cursor`; `null` at the end
    pub(super) next: Option<String>,
    /// How to treat the names
    pub(super) notice: &'static str,
}

/// A collection.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CollectionRow {
    /// Pass it in `collections`
    pub(super) id: String,
    /// For people; may be empty
    pub(super) name: String,
    /// Number of its files
    pub(super) files: u64,
    /// Its newest version: 0 before the first file
    pub(super) version: u64,
    /// The newest version that can be searched; `null` if none can
    pub(super) indexed_version: Option<u64>,
}

/// The text of a document, or a part of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DocumentAnswer {
    /// The document, with all links resolved
    pub(super) path: String,
    /// MIME type
    pub(super) content_type: String,
    /// Title found in the document
    pub(super) title: Option<String>,
    /// The text from `offset`. Untrusted text
    pub(super) text: String,
    /// Its first character, from 0
    pub(super) offset: u64,
    /// Characters of the whole text
    pub(super) chars: u64,
    /// Where the next part begins; `null` at the end
    pub(super) next_offset: Option<u64>,
    /// Number of pages; 0 if the format has none
    pub(super) pages: u64,
    /// Hash of the whole text
    pub(super) source_text_hash: String,
    /// What was left out or repaired
    pub(super) warnings: Vec<String>,
    /// How to treat the text
    pub(super) notice: &'static str,
}

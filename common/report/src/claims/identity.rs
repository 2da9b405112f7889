//! What is known of the documents besides the passages: words of the question, of titles, paths, headings and header fields.
//!
//! A document is named as its reader names it: `EIP-4844` stands in a path, not in every passage. Such words are never a doubt.

use std::collections::BTreeSet;

use precis_proto::finding::Finding;
use precis_proto::source::Source;
use precis_proto::{Block, BlockKind};
use precis_text::CanonicalText;

use super::settled::SourceTexts;
use super::wording::{Word, words};

/// Most sources whose titles, paths and fields are read; the first ones. Bounds time. Chosen, not measured.
const MOST_SOURCES: usize = 2_000;

/// Words by which documents are known, and figures by their readings.
#[derive(Debug, Clone, Default)]
pub(super) struct Identity {
    keys: BTreeSet<String>,
    figures: BTreeSet<String>,
}

impl Identity {
    /// Of the question, of all `sources`, of the headings of `findings`, and of the header fields of the loaded `texts`.
    pub(super) fn new(query: &str, findings: &[Finding], sources: &[Source], texts: &SourceTexts) -> Self {
        let mut found = Self::default();
        found.add(query);
        for source in sources.iter().take(MOST_SOURCES) {
            found.add(&source.title);
            let places = [source.path.as_deref(), source.url.as_deref()];
            // File names join words by signs that are part of a word elsewhere.
            places.into_iter().flatten().for_each(|place| found.add(&place.replace(['_', '/', '.'], " ")));
        }
        let quotes = findings.iter().flat_map(|finding| &finding.quotes);
        let headings: BTreeSet<&str> = quotes.flat_map(|quote| &quote.headings).map(String::as_str).collect();
        headings.into_iter().for_each(|heading| found.add(heading));
        texts.values().for_each(|text| fields(text).for_each(|field| found.add(text.slice(field.range()))));
        found
    }

    fn add(&mut self, text: &str) {
        for word in words(text) {
            self.figures.extend(word.figures);
            self.keys.insert(word.key);
        }
    }

    /// Whether `word` is one of them.
    pub(super) fn holds(&self, word: &Word) -> bool {
        self.keys.contains(&word.key) || word.figures.iter().any(|figure| self.figures.contains(figure))
    }
}

/// The header fields of a text: they are its first blocks.
fn fields(text: &CanonicalText) -> impl Iterator<Item = &Block> {
    text.blocks().iter().take_while(|block| block.kind == BlockKind::Field)
}

//! The evidence of a digest: its text, ranked once for the question and once for the conversation that the question continues.

use precis_evidence::meaning::Sense;
use precis_evidence::ranking::{RankedChunk, Ranker, TextRanking, following};
use precis_proto::CharRange;
use precis_text::CanonicalText;

use super::further::further_passages;
use crate::reduction::most_passages;

/// A text with its chunks in the order in which a digest takes them.
#[derive(Debug, Clone)]
pub struct DigestEvidence {
    text: CanonicalText,
    own: TextRanking,
    earlier: Option<TextRanking>,
    snippets: usize,
}

/// How much evidence a digest quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnippetLimits {
    /// Preferred length of a snippet, in characters.
    pub chars: usize,
    /// Most snippets.
    pub snippets: usize,
}

impl DigestEvidence {
    /// Ranks the chunks of `text`, for the question and the `earlier` words of its conversation, which may be empty.
    #[must_use]
    pub fn new(
        text: CanonicalText,
        (query, earlier): (&str, &str),
        by: (Ranker, Option<Sense<'_>>),
        limits: SnippetLimits,
    ) -> Self {
        let own = TextRanking::new(&text, query, by, limits.chars);
        let earlier = (!earlier.is_empty()).then(|| own.for_query(&text, earlier, by.1));
        Self { text, own, earlier, snippets: limits.snippets }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &CanonicalText {
        &self.text
    }

    /// Whether the question continues a conversation.
    #[must_use]
    pub fn continues(&self) -> bool {
        self.earlier.is_some()
    }

    /// The chunks that a digest quotes, best first.
    #[must_use]
    pub fn snippets(&self) -> Vec<RankedChunk> {
        self.own.best(&self.text, self.snippets)
    }

    /// Tokens of as many chunks that words alone find best, as counted by `count`.
    #[must_use]
    pub fn tokens_by_words(&self, count: &dyn Fn(&str) -> u64) -> u64 {
        self.own.best_by_words(&self.text, self.snippets).iter().map(|chunk| count(&chunk.text)).sum()
    }

    /// Chunks beyond the ranges in `held`, best first, within `tokens` tokens.
    #[must_use]
    pub fn further(&self, held: &[CharRange], tokens: u64, count: &dyn Fn(&str) -> u64) -> Vec<RankedChunk> {
        let ranked = following(&self.text, &self.own, self.earlier.as_ref(), most_passages(tokens));
        further_passages(ranked, held, tokens, count)
    }
}

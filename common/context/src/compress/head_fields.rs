//! The header fields of a source as a passage, for a question that they may answer without sharing a word with it.

use precis_evidence::passage::passages;
use precis_evidence::ranking::RankedChunk;
use precis_evidence::typed::field_question::{FieldQuestion, field};
use precis_evidence::typed::premise::may_rest_on;
use precis_proto::finding::Passage;
use precis_proto::{Block, BlockKind, CharRange, SourceId};
use precis_text::CanonicalText;

/// Score of header fields if no other passage matches the question; must be positive, because passages that score 0 are not evidence.
const LEAST_OF_FIELDS: f64 = 0.05;
/// Most characters of the header fields taken; chosen: heads of proposals have up to 900.
const MOST_CHARS: usize = 2_000;

/// Whether a header field may answer `query`, or say the opposite of what it takes for granted.
#[must_use]
pub fn may_want_fields(query: &str) -> bool {
    FieldQuestion::of(query).is_some() || precis_evidence::typed::premise::takes_for_granted(query)
}

/// Adds to `found` the header fields of the text if some of them may bear on `query`, with the score of the best passage found.
#[must_use]
pub fn with_fields(mut found: Vec<Passage>, source_id: &SourceId, text: &CanonicalText, query: &str) -> Vec<Passage> {
    let asked = FieldQuestion::of(query);
    let blocks = text.leaf_blocks();
    let head: Vec<&Block> =
        blocks.iter().filter(|block| block.kind == BlockKind::Field && block.end <= MOST_CHARS).collect();
    let bears = |block: &&&Block| {
        let said = text.slice(block.range());
        asked.as_ref().is_some_and(|asked| asked.is_in(said)) || field(said).is_some_and(|(name, _)| may_rest_on(name))
    };
    let is_held = |range: CharRange| found.iter().any(|p| p.range.start <= range.start && range.end <= p.range.end);
    if !head.iter().filter(bears).any(|block| !is_held(block.range())) {
        return found;
    }
    let (Some(first), Some(last)) = (head.first(), head.last()) else { return found };
    let range = CharRange::new(first.start, last.end);
    let score = found.iter().map(|passage| passage.score).fold(LEAST_OF_FIELDS, f64::max);
    let chunk = RankedChunk { range, locator: text.locator(range), text: text.slice(range).to_owned(), score };
    // First, so that it is not what a budget leaves out.
    found.splice(0..0, passages(source_id, text, &[chunk]));
    found
}

#[cfg(test)]
mod tests {
    use precis_text::Leaf;

    use super::*;

    #[test]
    fn header_fields_join_what_was_found_where_they_may_answer() {
        let field = |text: &str| Leaf::new(BlockKind::Field, text);
        let text = CanonicalText::from_leaves(&[
            field("eip: 20"),
            field("author: Fabian Vogelsteller"),
            field("status: Final"),
            Leaf::new(BlockKind::Paragraph, "A standard interface for tokens."),
        ]);
        let id = SourceId::new("s").expect("an id");
        let of = |query: &str| {
            let found = with_fields(Vec::new(), &id, &text, query);
            found.first().map(|passage| (passage.text.clone(), passage.units.len()))
        };
        let head = Some(("eip: 20 author: Fabian Vogelsteller status: Final".to_owned(), 3));
        assert_eq!(of("Who wrote EIP-20?"), head);
        assert_eq!(
            with_fields(with_fields(Vec::new(), &id, &text, "Who wrote it?"), &id, &text, "Who wrote it?").len(),
            1
        );
        for (query, wants) in
            [("Who wrote EIP-20?", true), ("When was EIP-20 withdrawn?", true), ("What is a token?", false)]
        {
            assert_eq!(may_want_fields(query), wants, "{query}");
        }
        let plain = CanonicalText::from_plain("A standard interface for tokens.");
        assert!(with_fields(Vec::new(), &id, &plain, "Who wrote EIP-20?").is_empty());
    }
}

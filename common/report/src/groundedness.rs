//! Lexical groundedness: the share of a statement's words that occur in the quotes it cites.
//!
//! A share of words does not judge meaning: it finds statements unrelated to their quotes, but lets a negation of a quote pass. This
//! module only measures; it corrects nothing.

use std::collections::BTreeSet;
use std::ops::{Bound, Range};

use precis_proto::response::Citation;
use precis_text::sentences::ends as sentence_ends;
use precis_text::statement::of_citation;
use precis_text::terms::terms;

use crate::draft::reading::{ReadingBlock, blocks};

/// A statement with less than this share of its content words in its quotes is unsupported. Chosen, not measured.
pub const MIN_SUPPORT: f64 = 0.5;

/// How well a report's statements are covered by their quotes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Groundedness {
    /// Sentences outside headings.
    pub sentences: usize,
    /// Sentences with a citation.
    pub cited: usize,
    /// Cited sentences below the threshold, in order.
    pub unsupported: Vec<UnsupportedSentence>,
}

/// A sentence that its quotes do not support.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsupportedSentence {
    /// The sentence without its citations.
    pub sentence: String,
    /// The citations it names, in order.
    pub cites: Vec<u32>,
    /// Share of its content words that occur in its quotes, 0 to 1.
    pub support: f64,
}

/// Weighs each cited sentence of a finished report against the quotes it cites.
///
/// A citation belongs to the sentence that contains it or ends right before it. Sentences without a citation are only counted.
#[must_use]
pub fn assess(markdown: &str, citations: &[Citation], min_support: f64) -> Groundedness {
    let mut found = Groundedness::default();
    for block in blocks(markdown).iter().filter(|b| !b.is_heading) {
        for (sentence, cites) in sentences(block) {
            found.sentences += 1;
            if cites.is_empty() {
                continue;
            }
            found.cited += 1;
            let said: Vec<_> = citations.iter().filter(|c| cites.contains(&c.n)).map(of_citation).collect();
            let quotes: Vec<&str> = said.iter().map(|said| &**said).collect();
            let support = support(sentence, &quotes);
            if support < min_support {
                found.unsupported.push(UnsupportedSentence { sentence: sentence.to_owned(), cites, support });
            }
        }
    }
    found
}

/// Share of the distinct content words of `statement` that occur in `quotes`, 0 to 1; 1 if one of the quotes contains it word for word,
/// or if it has no content words.
#[must_use]
pub fn support(statement: &str, quotes: &[&str]) -> f64 {
    let plain = flat(statement);
    let plain = plain.trim_end_matches(['.', '!', '?', '。', '！', '？', ' ']);
    if quotes.iter().any(|quote| flat(quote).contains(plain)) {
        return 1.0;
    }
    let wanted: BTreeSet<String> = terms(statement).into_iter().collect();
    // Nothing to compare, so nothing is missing.
    if wanted.is_empty() {
        return 1.0;
    }
    let given: BTreeSet<String> = quotes.iter().flat_map(|quote| terms(quote)).collect();
    wanted.iter().filter(|word| stands_in(word, &given)).count() as f64 / wanted.len() as f64
}

/// Leading characters that two longer words must share to count as forms of the same word; chosen, not measured.
const STEM_CHARS: usize = 6;

fn stands_in(word: &str, given: &BTreeSet<String>) -> bool {
    if given.contains(word) {
        return true;
    }
    let stem = word.char_indices().nth(STEM_CHARS).map(|(at, _)| &word[..at]);
    // Words are sorted, so the first one at or after the stem starts with it if any does.
    stem.is_some_and(|stem| {
        given
            .range::<str, _>((Bound::Included(stem), Bound::Unbounded))
            .next()
            .is_some_and(|other| other.starts_with(stem))
    })
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Sentences of a block with the citations that belong to each.
fn sentences(block: &ReadingBlock) -> Vec<(&str, Vec<u32>)> {
    let mut found: Vec<_> = sentences_at(block).into_iter().map(|(at, cites)| (block.text[at].trim(), cites)).collect();
    found.retain(|(sentence, cites)| !sentence.is_empty() || !cites.is_empty());
    found
}

/// The sentences of a block as byte ranges that cover its text, with the citations that belong to each.
pub(crate) fn sentences_at(block: &ReadingBlock) -> Vec<(Range<usize>, Vec<u32>)> {
    // Our own, so that a mark of the document such as `[12]` stays with its sentence, as it does in the quote.
    let ends = sentence_ends(&block.text).into_iter().filter(|at| *at > 0);
    let mut found = Vec::new();
    let (mut start, mut cites) = (0, block.cites.iter().peekable());
    for end in ends {
        let mut own = Vec::new();
        while let Some((_, n)) = cites.next_if(|(at, _)| *at <= end) {
            own.push(*n);
        }
        found.push((start..end, own));
        start = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn citation(n: u32, text: &str) -> Citation {
        Citation {
            n,
            source_id: precis_proto::SourceId::new("s").expect("an id"),
            title: String::new(),
            url: None,
            locator: "char:0-1".parse().expect("a locator"),
            text: text.to_owned(),
            source_text_hash: String::new(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        }
    }

    #[test]
    fn support_is_the_share_of_content_words_in_the_quotes() {
        let quote = "The turbine lost 12 percent of its output within three winters.";
        let cases = [
            ("the turbine lost 12 percent of its output", 1.0),
            ("The turbine lost 12 percent of its output within three winters.", 1.0),
            ("Turbines lost output.", 1.0),
            ("The turbine gained efficiency.", 1.0 / 3.0),
            ("Bananas are yellow.", 0.0),
            ("", 1.0),
        ];
        for (statement, want) in cases {
            let got = support(statement, &[quote]);
            assert!((got - want).abs() < 1e-9, "{statement}: {got}");
        }
        assert_eq!(support("氷河は後退した", &["観測によれば氷河は後退した。"]), 1.0);
        assert_eq!(support("氷河は前進", &["林檎は赤い"]), 0.0);
        assert_eq!(support("Something", &[]), 0.0);
    }

    #[test]
    fn a_citation_belongs_to_its_own_or_the_preceding_sentence() {
        let markdown = "# Bananas\n\nGlaciers retreat [1]. Turbines ice over. [2] Bananas bend [1][2]. Nothing here.\n";
        let citations = [citation(1, "All glaciers retreat."), citation(2, "Most turbines ice over in winter.")];
        let found = assess(markdown, &citations, MIN_SUPPORT);
        assert_eq!((found.sentences, found.cited), (4, 3));
        let unsupported: Vec<_> = found.unsupported.iter().map(|u| (u.sentence.as_str(), &u.cites[..])).collect();
        assert_eq!(unsupported, [("Bananas bend .", &[1, 2][..])]);
    }

    #[test]
    fn a_mark_of_the_document_stays_with_its_sentence() {
        let markdown = "Glaciers retreat.\\[101\\] [1] Turbines ice over.\\[143\\] It is cold. [2]\n";
        let citations = [citation(1, "Glaciers retreat.[101]"), citation(2, "Turbines ice over.[143] It is cold.")];
        let found = assess(markdown, &citations, MIN_SUPPORT);
        assert_eq!((found.sentences, found.cited, found.unsupported), (3, 2, vec![]));
    }

    #[test]
    fn items_and_cells_are_weighed_each_on_their_own() {
        let markdown = "- Glaciers retreat [1]\n- Turbines ice over [1]\n\n| a |\n|---|\n| Glaciers retreat [1] |\n";
        let found = assess(markdown, &[citation(1, "All glaciers retreat.")], MIN_SUPPORT);
        assert_eq!((found.cited, found.unsupported.len()), (3, 1));
    }
}

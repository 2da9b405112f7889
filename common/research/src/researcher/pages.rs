//! A document as pages of about [`PAGE_TOKENS`] tokens, in its own order.

use precis_evidence::ranking::{Ranker, rank};
use precis_proto::CharRange;
use precis_text::{CanonicalText, tokens};

/// Approximate tokens of a page.
pub const PAGE_TOKENS: u64 = 1_500;
/// Characters of the parts into which a block longer than a page is cut.
const PART_CHARS: usize = 1_000;
/// Characters from which a block is cut without being counted.
const LONG_CHARS: usize = 10_000;
/// Approximate characters of the passage by which the best page is chosen.
const PASSAGE_CHARS: usize = 500;

/// A page of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentPage {
    /// Its number, from 1.
    pub n: u32,
    /// Number of pages.
    pub of: u32,
    /// Its text; empty if the document has none.
    pub text: String,
}

/// Page `wanted` of `text`, or the page with the best passage about `topic`; the last page if there are fewer.
#[must_use]
pub fn document_page(text: &CanonicalText, topic: &str, wanted: Option<u32>) -> DocumentPage {
    let pages = pages(text);
    let of = pages.len().max(1) as u32;
    let n = wanted.unwrap_or_else(|| best(text, topic, &pages)).clamp(1, of);
    let parts = pages.get(n as usize - 1).map(Vec::as_slice).unwrap_or_default();
    let parts: Vec<&str> =
        parts.iter().map(|range| text.slice(*range).trim()).filter(|part| !part.is_empty()).collect();
    DocumentPage { n, of, text: parts.join("\n") }
}

/// Number of the page with the best passage about `topic`; 1 if none is about it.
fn best(text: &CanonicalText, topic: &str, pages: &[Vec<CharRange>]) -> u32 {
    let first = rank(text, topic, Ranker::Bm25, PASSAGE_CHARS, 1).into_iter().next();
    let start = first.map_or(0, |chunk| chunk.range.start);
    let is_there = |page: &Vec<CharRange>| page.last().is_some_and(|part| start < part.end);
    pages.iter().position(is_there).map_or(1, |at| at as u32 + 1)
}

/// The parts of each page: blocks, as many as there is room for; a block longer than a page is cut between words. Together they are the
/// text.
fn pages(text: &CanonicalText) -> Vec<Vec<CharRange>> {
    let mut pages: Vec<Vec<CharRange>> = Vec::new();
    let mut held = 0;
    for part in blocks(text).into_iter().flat_map(|block| parts(text.slice(block), block.start)) {
        let cost = tokens::count(text.slice(part));
        match pages.last_mut() {
            Some(page) if held + cost <= PAGE_TOKENS => page.push(part),
            Some(_) | None => {
                pages.push(vec![part]);
                held = 0;
            }
        }
        held += cost;
    }
    pages
}

/// The text from the start of each block to that of the next one.
fn blocks(text: &CanonicalText) -> Vec<CharRange> {
    let mut starts: Vec<usize> = text.leaf_blocks().iter().map(|block| block.start).collect();
    starts.extend([0, text.chars()]);
    starts.sort_unstable();
    starts.dedup();
    starts.windows(2).map(|pair| CharRange::new(pair[0], pair[1])).collect()
}

/// The block that begins at `start`, or its parts if it is longer than a page.
fn parts(block: &str, start: usize) -> Vec<CharRange> {
    let chars = block.chars().count();
    if chars <= PART_CHARS || chars <= LONG_CHARS && tokens::count(block) <= PAGE_TOKENS {
        return vec![CharRange::new(start, start + chars)];
    }
    let (mut parts, mut rest, mut at) = (Vec::new(), block, start);
    while !rest.is_empty() {
        let most = rest.char_indices().nth(PART_CHARS).map_or(rest.len(), |(end, _)| end);
        let end = match rest[..most].rfind(char::is_whitespace) {
            Some(blank) if most < rest.len() && blank > 0 => blank,
            _ => most,
        };
        let held = rest[..end].chars().count();
        parts.push(CharRange::new(at, at + held));
        (rest, at) = (&rest[end..], at + held);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: &str) -> CanonicalText {
        CanonicalText::from_plain(of)
    }

    #[test]
    fn pages_are_the_whole_text_in_order_and_bounded() {
        let line = |n: usize| format!("Line {n} tells of ships and their crews.\n\n");
        let long = format!("{}\n\n", "a long word chain without any end ".repeat(900));
        for whole in [
            String::new(),
            "one line".to_owned(),
            (0..900).map(line).collect(),
            long.clone(),
            format!("{long}{}{long}", line(1)),
            "象".repeat(9_000),
            "x".repeat(40_000),
        ] {
            let whole = text(&whole);
            let pages = pages(&whole);
            let joined: String = pages.iter().flatten().map(|part| whole.slice(*part)).collect();
            assert_eq!(joined, whole.as_str());
            for page in &pages {
                let tokens: u64 = page.iter().map(|part| tokens::count(whole.slice(*part))).sum();
                assert!(tokens <= PAGE_TOKENS * 3 / 2, "{tokens}");
            }
        }
        assert!(pages(&text(&(0..900).map(line).collect::<String>())).len() > 3);
    }

    #[test]
    fn the_first_page_read_is_the_one_with_the_best_passage() {
        let filler = |n: usize| format!("Line {n} tells of ships and their crews.\n\n");
        let before: String = (0..300).map(filler).collect();
        let after: String = (300..600).map(filler).collect();
        let document = text(&format!("{before}The granite quarry of Merholz was sold in 1911.\n\n{after}"));
        let page = document_page(&document, "who sold the quarry of Merholz", None);
        assert!(page.text.contains("sold in 1911") && page.n > 1 && page.of > page.n, "{} of {}", page.n, page.of);
        let next = document_page(&document, "", Some(page.n + 1));
        assert_eq!(next.n, page.n + 1);
        assert!(next.text.contains("tells of ships"), "{:?}", next.text);
        for (wanted, n) in [(0, 1), (1, 1), (page.of, page.of), (page.of + 1, page.of)] {
            assert_eq!(document_page(&document, "", Some(wanted)).n, n);
        }
        let empty = document_page(&text(""), "x", None);
        assert_eq!((empty.n, empty.of, empty.text.as_str()), (1, 1, ""));
    }
}

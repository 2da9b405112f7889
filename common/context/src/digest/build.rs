//! Building a payload: caps, counts, ratio and hashes.

use precis_evidence::ranking::{RankedChunk, Ranker, rank};
use precis_proto::digest::{
    DIGEST_CONTENT_TYPE, DIGEST_VERSION, DigestPayload, EvidenceSnippet, MAX_EVIDENCE_SNIPPETS, MAX_KEY_POINT_CHARS,
    MAX_KEY_POINTS, MAX_SUMMARY_CHARS,
};
use precis_text::{CanonicalText, is_space};

use super::key::query_hash8;

/// The input of a digest.
#[derive(Debug, Clone)]
pub struct DigestInput<'a> {
    /// The document.
    pub text: &'a CanonicalText,
    /// The question the digest answers.
    pub query: &'a str,
    /// A model's prose; clipped to 2,000 characters.
    pub summary: &'a str,
    /// A model's key points, most important first; blank ones are left out, the first 10 kept, each clipped to 500 characters.
    pub key_points: &'a [String],
    /// The evidence, best first; the first 10 are kept, none for a digest without evidence.
    pub snippets: Vec<RankedChunk>,
}

impl<'a> DigestInput<'a> {
    /// A digest of `text` for `query` with the defaults: 5 snippets of about 400 characters by overlap, no prose yet.
    #[must_use]
    pub fn new(text: &'a CanonicalText, query: &'a str) -> Self {
        let snippets = rank(text, query, Ranker::default(), 400, 5);
        Self { text, query, summary: "", key_points: &[], snippets }
    }
}

/// Builds the payload of `input`. It is always valid, and every snippet is verbatim.
#[must_use]
pub fn build(input: &DigestInput<'_>) -> DigestPayload {
    let evidence_snippets: Vec<EvidenceSnippet> =
        input.snippets.iter().take(MAX_EVIDENCE_SNIPPETS).map(snippet).collect();
    let summary = clip(input.summary, MAX_SUMMARY_CHARS).to_owned();
    let points = input.key_points.iter().map(|point| clip(point, MAX_KEY_POINT_CHARS));
    let key_points: Vec<String> =
        points.filter(|point| !point.is_empty()).take(MAX_KEY_POINTS).map(str::to_owned).collect();
    let original_chars = input.text.chars() as u64;
    let digest_chars = digest_chars(&summary, &key_points, &evidence_snippets);
    DigestPayload {
        version: DIGEST_VERSION.to_owned(),
        content_type: DIGEST_CONTENT_TYPE.to_owned(),
        query_hash: query_hash8(input.query),
        summary,
        key_points,
        evidence_snippets,
        original_chars,
        digest_chars,
        compression_ratio: compression_ratio(digest_chars, original_chars),
        source_text_hash: input.text.hash().to_string(),
    }
}

fn snippet(chunk: &RankedChunk) -> EvidenceSnippet {
    EvidenceSnippet { text: chunk.text.clone(), locator: chunk.locator, relevance_score: chunk.score }
}

/// Characters of summary, key points and snippets together.
pub(super) fn digest_chars(summary: &str, key_points: &[String], evidence: &[EvidenceSnippet]) -> u64 {
    let texts = key_points.iter().map(String::as_str).chain(evidence.iter().map(|snippet| snippet.text.as_str()));
    texts.chain([summary]).map(|text| text.chars().count() as u64).sum()
}

/// `digest / original`, at most 1; 1 for an empty original.
pub(super) fn compression_ratio(digest_chars: u64, original_chars: u64) -> f64 {
    if original_chars == 0 { 1.0 } else { (digest_chars as f64 / original_chars as f64).min(1.0) }
}

/// Trims `text` and, if it is longer than `max` characters, cuts it: behind the last sentence that ends in the second half of what fits,
/// otherwise before the last word that does not fit whole, otherwise at the character.
#[must_use]
pub fn clip(text: &str, max: usize) -> &str {
    let text = text.trim_matches(is_space);
    let Some((limit, next)) = text.char_indices().nth(max) else { return text };
    let head = &text[..limit];
    let middle = head.char_indices().nth(max / 2).map_or(0, |(at, _)| at);
    if let Some(end) = last_sentence_end(head, next).filter(|&end| end >= middle) {
        return &head[..end];
    }
    if is_space(next) {
        return head.trim_end_matches(is_space);
    }
    let word = head.rfind(is_space).filter(|&end| end >= middle);
    word.map_or(head, |end| head[..end].trim_end_matches(is_space))
}

/// Byte position behind the last character of `head` that ends a sentence; `next` is the character that follows `head`.
fn last_sentence_end(head: &str, next: char) -> Option<usize> {
    let mut following = next;
    for (at, c) in head.char_indices().rev() {
        let ends = matches!(c, '。' | '！' | '？') || (matches!(c, '.' | '!' | '?') && is_space(following));
        if ends {
            return Some(at + c.len_utf8());
        }
        following = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::{validate, verify};

    #[test]
    fn clipping_prefers_a_sentence_then_a_word_then_the_character() {
        let table = [
            ("  short  ", 10, "short"),
            ("exactly 10", 10, "exactly 10"),
            ("One is here. Two is", 15, "One is here."),
            ("One. Two is longer than", 15, "One. Two is"),
            ("One. Two is longer than", 18, "One. Two is longer"),
            ("The value 3.14159 is", 14, "The value"),
            ("unbreakable", 4, "unbr"),
            ("漢字。かな。カナ", 6, "漢字。かな。"),
            ("漢字漢字漢字", 4, "漢字漢字"),
            ("a word", 0, ""),
        ];
        for (text, max, want) in table {
            assert_eq!(clip(text, max), want, "{text} {max}");
            assert!(clip(text, max).chars().count() <= max);
        }
    }

    #[test]
    fn a_digest_is_valid_and_verifies_against_its_text() {
        let text =
            CanonicalText::from_pages(&["Solar panels on roofs. ".repeat(60), "Heat pumps and panels. ".repeat(60)]);
        let points = vec![" ".to_owned(), "é".repeat(501), "A point.".to_owned()];
        let summary = "Words, and more words. ".repeat(200);
        let input = DigestInput { summary: &summary, key_points: &points, ..DigestInput::new(&text, "solar panels") };
        let payload = build(&input);
        assert_eq!(validate(&payload), Ok(()));
        assert_eq!(verify(&payload, &text), Ok(()));
        assert_eq!(payload.evidence_snippets.len(), 5);
        assert_eq!(payload.key_points, ["é".repeat(500), "A point.".to_owned()]);
        assert!(payload.summary.chars().count() <= 2_000 && payload.summary.ends_with('.'));
        assert!(payload.compression_ratio > 0.0 && payload.compression_ratio <= 1.0);
    }

    #[test]
    fn a_digest_names_its_question_by_the_hash_prefix() {
        let text = CanonicalText::from_plain(&"solar panels give heat. ".repeat(40));
        // Known digits of SHA-256; case and spaces of the question are hashed too.
        for (query, digits) in [("", "e3b0c442"), ("abc", "ba7816bf"), ("ABC", "b5d4045c"), ("abc ", "5488613c")] {
            assert_eq!(build(&DigestInput::new(&text, query)).query_hash, digits, "{query:?}");
        }
    }

    #[test]
    fn the_number_of_snippets_and_points_is_capped() {
        let text = CanonicalText::from_plain(&"solar panels give heat. ".repeat(400));
        for (asked, got) in [(0, 0), (1, 1), (10, 10), (11, 10)] {
            let snippets = rank(&text, "solar panels", Ranker::default(), 400, asked);
            let input = DigestInput { snippets, ..DigestInput::new(&text, "solar panels") };
            assert_eq!(build(&input).evidence_snippets.len(), got);
        }
        let points: Vec<String> = (0..11).map(|n| format!("point {n}")).collect();
        for count in [9, 10, 11] {
            let input = DigestInput { key_points: &points[..count], ..DigestInput::new(&text, "q") };
            assert_eq!(build(&input).key_points.len(), count.min(10));
        }
    }

    #[test]
    fn a_digest_longer_than_its_text_has_ratio_1() {
        let text = CanonicalText::from_plain("tiny");
        let input = DigestInput { summary: "a much longer summary", ..DigestInput::new(&text, "q") };
        assert_eq!(build(&input).compression_ratio, 1.0);
        assert_eq!(validate(&build(&DigestInput::new(&CanonicalText::from_plain(""), ""))), Ok(()));
    }
}

//! Checks payloads read from storage: their form alone, and their evidence against the text.

use precis_proto::Locator;
use precis_proto::digest::{
    DIGEST_CONTENT_TYPE, DIGEST_VERSION, DigestPayload, EvidenceSnippet, MAX_EVIDENCE_SNIPPETS, MAX_KEY_POINT_CHARS,
    MAX_KEY_POINTS, MAX_SNIPPET_CHARS, MAX_SUMMARY_CHARS,
};
use precis_proto::source::ContentRef;
use precis_text::CanonicalText;
use precis_text::locate::slice;

use super::build::{compression_ratio, digest_chars};

/// Tolerance for the ratio, which loses precision when written in decimal.
const RATIO_TOLERANCE: f64 = 1e-9;

/// The first rule that a payload breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DigestFault {
    /// An unsupported version or content type.
    #[error("unsupported digest: version `{version}`, content type `{content_type}`")]
    Kind {
        /// The version read.
        version: String,
        /// The content type read.
        content_type: String,
    },
    /// A hash is malformed.
    #[error("{0} is not a hash")]
    Hash(&'static str),
    /// More items or characters than allowed.
    #[error("{what}: {found}, expected at most {limit}")]
    TooMuch {
        /// The items counted.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number allowed.
        limit: usize,
    },
    /// A score is outside 0 to 1.
    #[error("the score of snippet {0} is not between 0 and 1")]
    Score(usize),
    /// A count or the ratio does not follow from the content.
    #[error("{0} does not follow from the content")]
    Counts(&'static str),
    /// The digest was made from another text.
    #[error("the digest was made from another text")]
    OtherText,
    /// A snippet differs from the characters named by its locator.
    #[error("snippet {0} differs from the text at its locator")]
    Evidence(usize),
}

/// Checks the form of `payload`.
///
/// # Errors
/// The first rule broken, in the order of [`DigestFault`].
pub fn validate(payload: &DigestPayload) -> Result<(), DigestFault> {
    if payload.version != DIGEST_VERSION || payload.content_type != DIGEST_CONTENT_TYPE {
        let (version, content_type) = (payload.version.clone(), payload.content_type.clone());
        return Err(DigestFault::Kind { version, content_type });
    }
    let is_hash8 =
        payload.query_hash.len() == 8 && payload.query_hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hash8 {
        return Err(DigestFault::Hash("query_hash"));
    }
    if payload.source_text_hash.parse::<ContentRef>().is_err() {
        return Err(DigestFault::Hash("source_text_hash"));
    }
    sizes(payload)?;
    let is_share = |value: f64| (0.0..=1.0).contains(&value);
    if let Some(k) = payload.evidence_snippets.iter().position(|snippet| !is_share(snippet.relevance_score)) {
        return Err(DigestFault::Score(k));
    }
    if payload.digest_chars != digest_chars(&payload.summary, &payload.key_points, &payload.evidence_snippets) {
        return Err(DigestFault::Counts("digest_chars"));
    }
    let ratio = compression_ratio(payload.digest_chars, payload.original_chars);
    let is_right = (payload.compression_ratio - ratio).abs() <= RATIO_TOLERANCE;
    if is_right { Ok(()) } else { Err(DigestFault::Counts("compression_ratio")) }
}

fn sizes(payload: &DigestPayload) -> Result<(), DigestFault> {
    let chars = |text: &String| text.chars().count();
    let longest_point = payload.key_points.iter().map(chars).max().unwrap_or(0);
    let longest_snippet = payload.evidence_snippets.iter().map(|snippet| chars(&snippet.text)).max().unwrap_or(0);
    let table = [
        ("characters of the summary", chars(&payload.summary), MAX_SUMMARY_CHARS),
        ("key points", payload.key_points.len(), MAX_KEY_POINTS),
        ("characters of a key point", longest_point, MAX_KEY_POINT_CHARS),
        ("evidence snippets", payload.evidence_snippets.len(), MAX_EVIDENCE_SNIPPETS),
        ("characters of a snippet", longest_snippet, MAX_SNIPPET_CHARS),
    ];
    match table.into_iter().find(|(_, found, limit)| found > limit) {
        Some((what, found, limit)) => Err(DigestFault::TooMuch { what, found, limit }),
        None => Ok(()),
    }
}

/// Checks that `payload` was made from `text` and that each snippet equals the text at its locator. Assumes a valid form.
///
/// # Errors
/// [`DigestFault::OtherText`], [`DigestFault::Counts`] or [`DigestFault::Evidence`] with the index of the first wrong snippet.
pub fn verify(payload: &DigestPayload, text: &CanonicalText) -> Result<(), DigestFault> {
    // Checked first: against another text every snippet would look wrong.
    if payload.source_text_hash != text.hash().to_string() {
        return Err(DigestFault::OtherText);
    }
    stands(payload, text.chars(), |locator| text.resolve(locator).map(|range| text.slice(range)))
}

/// Like [`verify`], for a text from an archive whose hash has already been checked.
///
/// # Errors
/// [`DigestFault::Counts`] or [`DigestFault::Evidence`].
pub fn verify_archived(payload: &DigestPayload, text: &str) -> Result<(), DigestFault> {
    stands(payload, text.chars().count(), |locator| slice(text, locator))
}

fn stands<'a>(
    payload: &DigestPayload,
    chars: usize,
    at: impl Fn(&Locator) -> Option<&'a str>,
) -> Result<(), DigestFault> {
    if payload.original_chars != chars as u64 {
        return Err(DigestFault::Counts("original_chars"));
    }
    let is_false = |snippet: &EvidenceSnippet| at(&snippet.locator) != Some(snippet.text.as_str());
    match payload.evidence_snippets.iter().position(is_false) {
        Some(k) => Err(DigestFault::Evidence(k)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::{DigestInput, build};

    fn sample() -> (CanonicalText, DigestPayload) {
        let text = CanonicalText::from_plain(&"Solar panels give heat. ".repeat(80));
        let input = DigestInput { summary: "Panels heat.", ..DigestInput::new(&text, "solar panels") };
        let payload = build(&input);
        (text, payload)
    }

    #[test]
    fn each_broken_rule_is_named() {
        type Spoil = fn(&mut DigestPayload);
        let table: [(Spoil, &str); 9] = [
            (|p| p.version = "2.0".into(), "unsupported digest: version `2.0`, content type `digest/v1`"),
            (|p| p.query_hash = "ABCDEF01".into(), "query_hash is not a hash"),
            (|p| p.source_text_hash = "sha256:00".into(), "source_text_hash is not a hash"),
            (|p| p.summary = "x".repeat(2_001), "characters of the summary: 2001, expected at most 2000"),
            (|p| p.key_points = vec!["x".into(); 11], "key points: 11, expected at most 10"),
            (|p| p.evidence_snippets[1].text = "x".repeat(501), "characters of a snippet: 501, expected at most 500"),
            (|p| p.evidence_snippets[1].relevance_score = f64::NAN, "the score of snippet 1 is not between 0 and 1"),
            (|p| p.digest_chars += 1, "digest_chars does not follow from the content"),
            (|p| p.compression_ratio += 0.01, "compression_ratio does not follow from the content"),
        ];
        for (spoil, message) in table {
            let (_, mut payload) = sample();
            assert_eq!(validate(&payload), Ok(()));
            spoil(&mut payload);
            assert_eq!(validate(&payload).map_err(|fault| fault.to_string()), Err(message.to_owned()));
        }
    }

    #[test]
    fn a_payload_may_be_as_large_as_its_limits_and_no_larger() {
        type Fill = fn(&mut DigestPayload, usize);
        let table: [(&str, usize, Fill); 5] = [
            ("characters of the summary", MAX_SUMMARY_CHARS, |p, n| p.summary = "é".repeat(n)),
            ("key points", MAX_KEY_POINTS, |p, n| p.key_points = vec!["é".to_owned(); n]),
            ("characters of a key point", MAX_KEY_POINT_CHARS, |p, n| p.key_points = vec!["é".repeat(n)]),
            ("evidence snippets", MAX_EVIDENCE_SNIPPETS, |p, n| {
                p.evidence_snippets = vec![p.evidence_snippets[0].clone(); n];
            }),
            ("characters of a snippet", MAX_SNIPPET_CHARS, |p, n| p.evidence_snippets[0].text = "é".repeat(n)),
        ];
        assert_eq!(table.each_ref().map(|row| row.1), [2_000, 10, 500, 10, 500]);
        for (what, limit, fill) in table {
            for found in [limit - 1, limit, limit + 1] {
                let (_, mut payload) = sample();
                payload.original_chars = 100_000;
                fill(&mut payload, found);
                payload.digest_chars = digest_chars(&payload.summary, &payload.key_points, &payload.evidence_snippets);
                payload.compression_ratio = compression_ratio(payload.digest_chars, payload.original_chars);
                let told = if found > limit { Err(DigestFault::TooMuch { what, found, limit }) } else { Ok(()) };
                assert_eq!(validate(&payload), told, "{found} {what}");
            }
        }
    }

    #[test]
    fn a_moved_or_changed_snippet_and_another_text_are_found() {
        let (text, payload) = sample();
        assert_eq!(verify(&payload, &text), Ok(()));
        let mut moved = payload.clone();
        moved.evidence_snippets[2].locator.range.start += 1;
        assert_eq!(verify(&moved, &text), Err(DigestFault::Evidence(2)));
        let mut changed = payload.clone();
        changed.evidence_snippets[0].text.replace_range(0..1, "s");
        assert_eq!(verify(&changed, &text), Err(DigestFault::Evidence(0)));
        assert_eq!(verify(&payload, &CanonicalText::from_plain("other")), Err(DigestFault::OtherText));
    }
}

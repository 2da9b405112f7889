//! Checks a citation against the archived text it names.

use std::collections::BTreeMap;

use precis_proto::response::{Citation, ReportData};
use precis_proto::{Locator, SourceId};
use precis_text::locate::slice;

use super::archive::{ArchivedTexts, hex_of};
use super::mismatch::Mismatch;
use super::verification::Verification;

/// Most characters shown on each side of a difference; chosen, not measured.
const EXCERPT_CHARS: usize = 40;

/// Checks every citation whose text is in the archive; a missing text has already been reported.
pub(super) fn check(data: &ReportData, texts: &ArchivedTexts<'_>, found: &mut Verification) {
    let hashes: BTreeMap<&SourceId, Option<&str>> =
        data.sources.iter().map(|s| (&s.source_id, s.source_text_hash.as_deref())).collect();
    for citation in &data.citations {
        if hashes.get(&citation.source_id).copied().flatten().map(hex_of) != Some(hex_of(&citation.source_text_hash)) {
            let source_id = citation.source_id.clone();
            found.mismatches.push(Mismatch::CitationSource { n: citation.n, source_id });
        }
        let Some(text) = texts.get(hex_of(&citation.source_text_hash)) else { continue };
        match differs(citation, text.as_deref()) {
            None => found.citations_proved += 1,
            Some(mismatch) => found.mismatches.push(mismatch),
        }
        found.mismatches.extend(answer_outside(citation));
    }
}

fn differs(citation: &Citation, text: Option<&str>) -> Option<Mismatch> {
    let context = citation.context.iter().map(|range| (range.locator, &range.text));
    let mut ranges = std::iter::once((citation.locator, &citation.text)).chain(context);
    ranges.find_map(|(locator, said)| range_differs(citation.n, locator, said, text))
}

fn range_differs(n: u32, locator: Locator, said: &str, text: Option<&str>) -> Option<Mismatch> {
    // Bytes that are not text have no characters, so the locator has no place in them.
    let Some(archived) = text.and_then(|text| slice(text, &locator)) else {
        return Some(Mismatch::NoPlace { n, locator });
    };
    let (archived, reported) = excerpts(archived, said)?;
    Some(Mismatch::Text { n, locator, archived, reported })
}

/// The first range of `answer` that lies in no range of its citation.
fn answer_outside(citation: &Citation) -> Option<Mismatch> {
    let holds = |locator: &Locator, range: Locator| range.page == locator.page && range.range.contains(&locator.range);
    let is_inside = |locator: &&Locator| {
        holds(locator, citation.locator) || citation.context.iter().any(|range| holds(locator, range.locator))
    };
    let outside = citation.answer.iter().find(|locator| !is_inside(locator))?;
    Some(Mismatch::AnswerOutside { n: citation.n, locator: *outside })
}

/// Both texts around their first difference, each as one line; `None` if they are equal.
pub(super) fn excerpts(archived: &str, reported: &str) -> Option<(String, String)> {
    let same = archived.chars().zip(reported.chars()).take_while(|(a, b)| a == b).count();
    if archived == reported {
        return None;
    }
    Some((excerpt(archived, same), excerpt(reported, same)))
}

fn excerpt(text: &str, around: usize) -> String {
    let from = around.saturating_sub(EXCERPT_CHARS);
    let mut rest = text.chars().skip(from);
    let shown: String = rest.by_ref().take(2 * EXCERPT_CHARS).collect();
    let (ahead, behind) = (if from > 0 { "…" } else { "" }, if rest.next().is_some() { "…" } else { "" });
    format!("{ahead}{}{behind}", shown.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_shows_the_first_difference_on_one_line() {
        let long = "x".repeat(200);
        let cases = [
            ("same", "same", None),
            ("brain", "bra\nn", Some(("brain".to_owned(), "bra\\nn".to_owned()))),
            ("", "a", Some((String::new(), "a".to_owned()))),
            ("a\u{202e}b", "ab", Some(("a\\u{202e}b".to_owned(), "ab".to_owned()))),
        ];
        for (archived, reported, want) in cases {
            assert_eq!(excerpts(archived, reported), want, "{archived} {reported}");
        }
        let (archived, reported) = excerpts(&format!("{long}a{long}"), &format!("{long}b{long}")).expect("differ");
        assert_eq!(archived.chars().count(), 2 * EXCERPT_CHARS + 2);
        assert!(archived.starts_with("…x") && archived.contains("xax") && reported.contains("xbx"), "{archived}");
    }
}

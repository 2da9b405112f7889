//! Checks the digest of a source against its archived text.

use precis_context::digest::{DigestFault, validate, verify_archived};
use precis_proto::digest::DigestPayload;
use precis_proto::response::{ReportData, SourceRow};

use super::archive::{ArchivedTexts, hex_of};
use super::mismatch::Mismatch;

/// Checks that each digest is well-formed, belongs to the text of its source, and has snippets that occur in it.
pub(super) fn check(data: &ReportData, texts: &ArchivedTexts<'_>, mismatches: &mut Vec<Mismatch>) {
    for source in &data.sources {
        let fault = source.digest.as_ref().and_then(|digest| fault(source, digest, texts).err());
        let source_id = &source.source_id;
        mismatches.extend(fault.map(|fault| Mismatch::Digest { source_id: source_id.clone(), fault }));
    }
}

fn fault(source: &SourceRow, digest: &DigestPayload, texts: &ArchivedTexts<'_>) -> Result<(), DigestFault> {
    validate(digest)?;
    let hex = hex_of(&digest.source_text_hash);
    if source.source_text_hash.as_deref().map(hex_of) != Some(hex) {
        return Err(DigestFault::OtherText);
    }
    // A text missing from the archive has already been reported.
    texts.get(hex).flatten().map_or(Ok(()), |text| verify_archived(digest, &text))
}

#[cfg(test)]
mod tests {
    use precis_context::digest::{DigestInput, build};
    use precis_text::CanonicalText;

    use super::*;
    use crate::sample::{PAGED, response};
    use crate::verify::archive::texts;
    use crate::verify::verification::Verification;

    type Spoil = fn(&mut DigestPayload);

    #[test]
    fn a_digest_and_its_snippets_come_from_its_source_text() {
        let (report, archive) = response();
        let data = report.data.expect("a report");
        let text = CanonicalText::parse_archived(PAGED, 2).expect("two pages");
        let made = build(&DigestInput { summary: "Ice melts.", ..DigestInput::new(&text, "How much ice was lost?") });
        assert!(!made.evidence_snippets.is_empty());
        let read = |hex: &str| archive.get(hex).cloned();
        let texts = texts(&data, &read, &mut Verification::default());
        let cases: [(Spoil, Option<&str>); 5] = [
            (|_| {}, None),
            (|d| d.content_type = "text/plain".to_owned(), Some("unsupported digest")),
            (|d| d.source_text_hash = format!("sha256:{}", "0".repeat(64)), Some("made from another text")),
            (|d| d.original_chars += 1, Some("original_chars does not follow")),
            (|d| d.evidence_snippets[0].text = d.evidence_snippets[0].text.replace('e', "o"), Some("snippet 0")),
        ];
        for (spoil, want) in cases {
            let mut data = data.clone();
            let mut digest = made.clone();
            spoil(&mut digest);
            digest.compression_ratio = digest.digest_chars as f64 / digest.original_chars as f64;
            data.sources[0].digest = Some(digest);
            let mut found = Vec::new();
            check(&data, &texts, &mut found);
            let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert_eq!(lines.len(), usize::from(want.is_some()), "{lines:?}");
            assert!(
                want.is_none_or(|want| lines[0].starts_with("digest of \"paged\": ") && lines[0].contains(want)),
                "{lines:?}"
            );
        }
    }
}

//! Rates how far a source is trusted, from properties that can be checked.
//!
//! The content of a source is not considered. The numbers are chosen, not measured: they rank sources that the user did not rate, and
//! the report shows each of them with the signals it follows from.

use precis_proto::Phase;
use precis_proto::confidence::{SourceConfidence, TrustSignal};
use precis_proto::fidelity::FidelityLevel;
use precis_proto::source::{Origin, Source};
use precis_proto::state::SessionState;

/// Confidence if nothing is known.
const UNKNOWN: f64 = 0.5;
/// Hosts that register papers; their subdomains count too.
const REGISTERS: [&str; 8] = [
    "doi.org",
    "arxiv.org",
    "pubmed.ncbi.nlm.nih.gov",
    "pmc.ncbi.nlm.nih.gov",
    "europepmc.org",
    "aclanthology.org",
    "ssrn.com",
    "zenodo.org",
];
/// Prefix with which search adapters mark the title of a retracted paper.
const RETRACTED: &str = "RETRACTED:";

/// The confidence in `source`, with the signals known in `session`.
#[must_use]
pub fn confidence(session: &SessionState, source: &Source) -> SourceConfidence {
    let signals = signals(session, source);
    let shift = |signal: &TrustSignal| match signal {
        TrustSignal::Retracted => -UNKNOWN,
        TrustSignal::RegisteredPaper => 0.2,
        TrustSignal::Dated | TrustSignal::FoundAgain => 0.1,
        TrustSignal::ReadWithDifficulty => -0.2,
    };
    // A retracted paper is not trusted, whatever the other signals are.
    let value = match signals.contains(&TrustSignal::Retracted) {
        true => 0.0,
        false => (UNKNOWN + signals.iter().map(shift).sum::<f64>()).clamp(0.0, 1.0),
    };
    SourceConfidence { value, signals }
}

fn signals(session: &SessionState, source: &Source) -> Vec<TrustSignal> {
    let read = session.content_fidelity.get(&source.source_id, Phase::Extraction);
    let is_whole = read.is_none_or(|record| record.level == FidelityLevel::Raw && record.warnings.is_empty());
    let all = [
        (TrustSignal::Retracted, source.title.trim_start().starts_with(RETRACTED)),
        (TrustSignal::RegisteredPaper, is_registered(source)),
        (TrustSignal::Dated, source.published_at.is_some()),
        (TrustSignal::FoundAgain, source.found_by.len() > 1),
        (TrustSignal::ReadWithDifficulty, !is_whole),
    ];
    all.into_iter().filter(|(_, is_so)| *is_so).map(|(signal, _)| signal).collect()
}

/// Whether it was fetched from a register of papers. The origin is checked, because a caller's claims about a text are not.
fn is_registered(source: &Source) -> bool {
    let Origin::Url(address) = &source.origin else { return false };
    // Parsed in the same way as for fetching: `https://evil.example\@doi.org/` is a page of evil.example.
    let url = url::Url::parse(address).ok();
    let host = url.as_ref().and_then(url::Url::host_str).unwrap_or_default();
    REGISTERS.iter().any(|register| host.strip_suffix(register).is_some_and(|sub| sub.is_empty() || sub.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use precis_proto::Timestamp;
    use precis_proto::fidelity::FidelityRecord;

    use super::*;

    type Change = fn(&mut Source);

    fn of(change: Change, remarks: &[&str]) -> (f64, Vec<TrustSignal>) {
        let content = precis_proto::source::ContentRef::from_bytes(b"text");
        let source = serde_json::json!({ "source_id": "a", "title": "A", "origin": { "content": content } });
        let state = serde_json::json!({
            "schema_version": 2, "session_id": "s", "revision": 1, "phase": "digest", "query": "q", "sources": [source],
        });
        let mut state: SessionState = serde_json::from_value(state).expect("a state");
        change(&mut state.sources[0]);
        let id = state.sources[0].source_id.clone();
        let record = FidelityRecord {
            level: FidelityLevel::Raw,
            reason: None,
            warnings: remarks.iter().map(|remark| (*remark).to_owned()).collect(),
            timestamp: Timestamp(1),
            tokens_before: 100,
            tokens_after: 100,
            tokens_duplicate: 0,
            visit: 0,
        };
        state.content_fidelity.record(&id, Phase::Extraction, record);
        let found = confidence(&state, &state.sources[0]);
        ((found.value * 10.0).round() / 10.0, found.signals)
    }

    #[test]
    fn what_can_be_checked_moves_trust_and_is_named() {
        let paper: Change = |s| s.origin = Origin::Url("https://www.ArXiv.org:443/abs/1706.03762".to_owned());
        let all: Change = |s| {
            s.origin = Origin::Url("https://doi.org/10.1/x".to_owned());
            s.published_at = Some(Timestamp(1));
            s.found_by = vec!["a".to_owned(), "b".to_owned()];
        };
        let withdrawn: Change = |s| {
            s.origin = Origin::Url("https://doi.org/10.1/x".to_owned());
            s.title = "RETRACTED: Dams".to_owned();
        };
        let cases: [(Change, &[&str], f64, &[TrustSignal]); 11] = [
            (|_| {}, &[], 0.5, &[]),
            (paper, &[], 0.7, &[TrustSignal::RegisteredPaper]),
            (|s| s.origin = Origin::Url("https://notdoi.org/1".to_owned()), &[], 0.5, &[]),
            (|s| s.origin = Origin::Url("https://x.example/?u=://doi.org/1".to_owned()), &[], 0.5, &[]),
            (|s| s.origin = Origin::Url(r"https://evil.example\@doi.org/1".to_owned()), &[], 0.5, &[]),
            (|s| s.origin = Origin::Url("https://doi.org@evil.example/1".to_owned()), &[], 0.5, &[]),
            (|s| s.url = Some("https://doi.org/10.1/x".to_owned()), &[], 0.5, &[]),
            (|s| s.found_by = vec!["a".to_owned()], &[], 0.5, &[]),
            (all, &[], 0.9, &[TrustSignal::RegisteredPaper, TrustSignal::Dated, TrustSignal::FoundAgain]),
            (|_| {}, &["a page has no text"], 0.3, &[TrustSignal::ReadWithDifficulty]),
            (withdrawn, &[], 0.0, &[TrustSignal::Retracted, TrustSignal::RegisteredPaper]),
        ];
        for (n, (change, remarks, value, signals)) in cases.into_iter().enumerate() {
            assert_eq!(of(change, remarks), (value, signals.to_vec()), "case {n}");
        }
    }
}

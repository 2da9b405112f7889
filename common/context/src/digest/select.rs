//! Chooses the sources to digest, and their order.

use std::cmp::Ordering;

use precis_proto::SourceId;
use precis_proto::closed_words;
use precis_proto::digest::DigestPolicy;
use precis_proto::source::Quality;
use precis_text::tie_break::tie_break;

/// The properties of a source that decide on its digest.
#[derive(Debug, Clone, PartialEq)]
pub struct DigestCandidate {
    /// The source.
    pub source_id: SourceId,
    /// Its place among the sources of the session if a search found it: decides between sources that are alike otherwise.
    pub found_at: Option<usize>,
    /// Quality estimated before reading.
    pub quality: Quality,
    /// Relevance of its full text, 0 to 1.
    pub relevance: f64,
    /// Characters of its canonical text; 0 if it has none.
    pub chars: u64,
    /// Whether its content is already a digest.
    pub is_digest: bool,
}

closed_words! {
    /// Why a source gets no digest.
    pub enum SkipReason {
        /// The policy is off.
        PolicyOff => "policy_off",
        /// The source has no text.
        NoText => "no_text",
        /// It is already a digest.
        AlreadyDigested => "already_digested",
        /// Shorter than `min_chars`.
        TooShort => "too_short",
        /// Of low quality.
        LowQuality => "low_quality",
    }
}

/// Checks whether `source` gets a digest under `policy`; `min_chars` only applies to `auto`.
///
/// # Errors
/// The first [`SkipReason`] that applies, in order.
pub fn eligible(policy: DigestPolicy, min_chars: u64, source: &DigestCandidate) -> Result<(), SkipReason> {
    if policy == DigestPolicy::Off {
        return Err(SkipReason::PolicyOff);
    }
    if source.chars == 0 {
        return Err(SkipReason::NoText);
    }
    if source.is_digest {
        return Err(SkipReason::AlreadyDigested);
    }
    match policy {
        // Answered above; listed so that the compiler asks about a new policy.
        DigestPolicy::Off => Err(SkipReason::PolicyOff),
        DigestPolicy::Always => Ok(()),
        DigestPolicy::Auto if source.chars < min_chars => Err(SkipReason::TooShort),
        DigestPolicy::Auto if source.quality == Quality::Low => Err(SkipReason::LowQuality),
        DigestPolicy::Auto => Ok(()),
    }
}

/// Sorts sources into the order of selection: by quality, relevance and length, each descending, then by id or place. The order is total, so the
/// order of the input does not matter.
pub fn rank_sources(sources: &mut [DigestCandidate]) {
    sources.sort_by(before);
}

fn before(a: &DigestCandidate, b: &DigestCandidate) -> Ordering {
    b.quality
        .cmp(&a.quality)
        .then_with(|| b.relevance.total_cmp(&a.relevance))
        .then_with(|| b.chars.cmp(&a.chars))
        .then_with(|| tie_break(&a.source_id, a.found_at).cmp(&tie_break(&b.source_id, b.found_at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(id: &str, quality: Quality, relevance: f64, chars: u64) -> DigestCandidate {
        let source_id = SourceId::new(id).expect("valid");
        DigestCandidate { source_id, found_at: None, quality, relevance, chars, is_digest: false }
    }

    #[test]
    fn the_policy_decides_who_gets_a_digest() {
        use DigestPolicy::{Always, Auto, Off};
        let table = [
            (Off, Quality::High, 99_999, false, Err(SkipReason::PolicyOff)),
            (Auto, Quality::Medium, 9_999, false, Err(SkipReason::TooShort)),
            (Auto, Quality::Medium, 10_000, false, Ok(())),
            (Auto, Quality::High, 10_001, false, Ok(())),
            (Auto, Quality::Low, 10_001, false, Err(SkipReason::LowQuality)),
            (Auto, Quality::High, 10_001, true, Err(SkipReason::AlreadyDigested)),
            (Auto, Quality::High, 0, false, Err(SkipReason::NoText)),
            (Always, Quality::Low, 1, false, Ok(())),
            (Always, Quality::Low, 1, true, Err(SkipReason::AlreadyDigested)),
            (Always, Quality::High, 0, false, Err(SkipReason::NoText)),
        ];
        for (policy, quality, chars, is_digest, want) in table {
            let candidate = DigestCandidate { is_digest, ..source("s", quality, 0.5, chars) };
            assert_eq!(eligible(policy, 10_000, &candidate), want, "{policy:?} {quality:?} {chars} {is_digest}");
        }
    }

    #[test]
    fn sources_are_ranked_by_quality_relevance_length_and_id() {
        let best_first = [
            source("z", Quality::High, 0.1, 1),
            source("y", Quality::Medium, 0.9, 1),
            source("x", Quality::Medium, 0.5, 9),
            source("a", Quality::Medium, 0.5, 8),
            source("b", Quality::Medium, 0.5, 8),
            source("c", Quality::Low, 1.0, 99),
        ];
        let mut sources = best_first.to_vec();
        sources.reverse();
        rank_sources(&mut sources);
        assert_eq!(sources, best_first);
    }
}

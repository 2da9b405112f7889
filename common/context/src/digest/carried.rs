//! A digest as the reduction of its source: its snippets as passages, further passages within the session's room, and its prose.

use precis_evidence::passage::passages;
use precis_proto::SourceId;
use precis_proto::digest::DigestPayload;
use precis_proto::source::Reduction;

use super::DigestEvidence;
use crate::reduction::{from_digest, tokens};
use crate::source_notes;

/// Minimum tokens of further passages for a follow-up question, about its conversation (chosen: about three passages).
const FOLLOWING_TOKENS: u64 = 300;

/// How much of a source a digest may carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestRoom {
    /// The source's share of the session's budget, in tokens.
    pub share_tokens: u64,
    /// Tokens of its text.
    pub text_tokens: u64,
    /// Whether a language model wrote the prose. The built-in model's sentences are passages already, so they are not carried twice.
    pub is_written: bool,
}

/// The reduction of the source that `payload` is the digest of: the payload unchanged, its snippets with absolute positions, and
/// further passages of `evidence`.
#[must_use]
pub fn reduction_from_digest(
    payload: DigestPayload,
    source_id: &SourceId,
    evidence: &DigestEvidence,
    room: DigestRoom,
    count: &dyn Fn(&str) -> u64,
) -> Reduction {
    let text = evidence.text();
    let mut reduction = Reduction { passages: from_digest(&payload, source_id, text), ..Reduction::default() };
    if room.is_written {
        (reduction.summary, reduction.key_points) = (payload.summary.clone(), payload.key_points.clone());
    }
    // Keep the digest shorter than its source: otherwise the source would be carried instead.
    let most = room.share_tokens.min(room.text_tokens.saturating_sub(1));
    let left = most.saturating_sub(tokens(&reduction, count));
    // The snippets match the question alone; reserve some passages for the conversation it continues.
    let left = if evidence.continues() { left.max(FOLLOWING_TOKENS) } else { left };
    if left > 0 {
        let held: Vec<_> = payload.evidence_snippets.iter().filter_map(|s| text.resolve(&s.locator)).collect();
        reduction.passages.extend(passages(source_id, text, &evidence.further(&held, left, count)));
    }
    reduction.point_passages = source_notes::link(&reduction.key_points, &reduction.passages);
    reduction.digest = Some(payload);
    reduction
}

#[cfg(test)]
mod tests {
    use precis_evidence::ranking::Ranker;
    use precis_text::CanonicalText;

    use super::*;
    use crate::digest::{DigestInput, SnippetLimits, build};

    const ICE: &str =
        "The glacier lost most of its ice in 1947, when the summer was hot and dry in all of the valleys. ";
    const FILLER: &str = "Mules are fed by the town, and the town is paid by the captains for each of the mules. ";

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    fn carried_of(earlier: &str, share_tokens: u64, is_written: bool) -> Reduction {
        let text =
            CanonicalText::from_plain(&[ICE, &FILLER.repeat(60), &"The harbour was closed. ".repeat(9)].concat());
        let limits = SnippetLimits { chars: 100, snippets: 1 };
        let evidence = DigestEvidence::new(text, ("harbour closed", earlier), (Ranker::Bm25, None), limits);
        let points = ["The harbour was closed.".to_owned()];
        let snippets = evidence.snippets();
        let input = DigestInput { snippets, ..DigestInput::new(evidence.text(), "harbour closed") };
        let payload = build(&DigestInput { summary: "It was closed.", key_points: &points, ..input });
        let room = DigestRoom { share_tokens, text_tokens: words(evidence.text().as_str()), is_written };
        reduction_from_digest(payload, &SourceId::new("s").expect("an id"), &evidence, room, &words)
    }

    #[test]
    fn prose_is_carried_only_from_a_model_and_payloads_keep_it() {
        for is_written in [true, false] {
            let reduction = carried_of("", 200, is_written);
            assert_eq!(reduction.summary.is_empty(), !is_written);
            assert_eq!(reduction.key_points.len(), usize::from(is_written));
            assert_eq!(reduction.point_passages.len(), usize::from(is_written));
            assert_eq!(reduction.digest.expect("the payload").summary, "It was closed.");
        }
    }

    #[test]
    fn further_passages_fill_the_share_and_no_more() {
        let snippet = carried_of("", 0, false).passages;
        assert_eq!(snippet.len(), 1, "no room beyond the snippet");
        let own = words(&snippet[0].text);
        let reduction = carried_of("", own + 60, false);
        assert!(reduction.passages.len() > 1, "{reduction:?}");
        // A passage is its chunk widened to whole sentences.
        assert!(tokens(&reduction, &words) <= 2 * (own + 60));
    }

    #[test]
    fn a_conversation_gets_passages_even_where_the_share_is_used_up() {
        let of_glacier = |reduction: &Reduction| reduction.passages.iter().any(|one| one.text.contains("glacier"));
        assert!(!of_glacier(&carried_of("", 0, false)));
        assert!(of_glacier(&carried_of("glacier ice", 0, false)));
    }
}

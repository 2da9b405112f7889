//! Reductions: prose and passages within a number of tokens, kept in the content store.

use bytes::Bytes;
use precis_distill::evidence::RankedChunk;
use precis_distill::text::CanonicalText;
use precis_distill::tokens;
use precis_proto::SourceId;
use precis_proto::digest::DigestPayload;
use precis_proto::finding::Passage;
use precis_proto::source::{ContentRef, Reduction};
use precis_proto::task::Summary;
use precis_runtime::content::{ContentError, ContentStore};

/// Most passages a reduction carries.
pub const MAX_PASSAGES: usize = 64;

/// Tokens of all that a reduction carries.
#[must_use]
pub fn tokens(reduction: &Reduction) -> u64 {
    let prose = std::iter::once(reduction.summary.as_str()).chain(reduction.key_points.iter().map(String::as_str));
    let passages = reduction.passages.iter().map(|p| p.text.as_str());
    prose.chain(passages).map(tokens::count).sum()
}

/// Passages of a source, best first.
#[must_use]
pub fn passages(source_id: &SourceId, chunks: Vec<RankedChunk>) -> Vec<Passage> {
    let passage = |c: RankedChunk| Passage {
        source_id: source_id.clone(),
        range: c.range,
        locator: c.locator,
        text: c.text,
        score: c.score,
    };
    chunks.into_iter().map(passage).collect()
}

/// Takes the best passages, then summary and key points, while they fit into `target_tokens`. At least one passage comes before
/// any prose: a citation needs it.
#[must_use]
pub fn fit(summary: &Summary, ranked: Vec<Passage>, target_tokens: u64) -> Reduction {
    let mut left = target_tokens;
    let mut take = |text: &str| -> bool {
        let cost = tokens::count(text);
        let fits = cost <= left;
        if fits {
            left -= cost;
        }
        fits
    };
    let mut ranked = ranked.into_iter();
    let mut reduction = Reduction::default();
    reduction.passages.extend(ranked.by_ref().find(|p| take(&p.text)));
    if take(&summary.summary) {
        reduction.summary.clone_from(&summary.summary);
    }
    reduction.key_points.extend(summary.key_points.iter().filter(|p| take(p)).cloned());
    reduction.passages.extend(ranked.filter(|p| take(&p.text)));
    reduction
}

/// The snippets of a digest as passages at their place in the whole text.
#[must_use]
pub fn from_digest(payload: &DigestPayload, source_id: &SourceId, text: &CanonicalText) -> Vec<Passage> {
    let snippets = payload.evidence_snippets.iter();
    snippets
        .filter_map(|snippet| {
            Some(Passage {
                source_id: source_id.clone(),
                range: text.resolve(&snippet.locator)?,
                locator: snippet.locator,
                text: snippet.text.clone(),
                score: snippet.relevance_score,
            })
        })
        .collect()
}

/// Keeps a reduction under the hash of its bytes.
///
/// # Errors
/// [`ContentError`] where the content store does not take it.
pub async fn store(reduction: &Reduction, content: &ContentStore) -> Result<ContentRef, ContentError> {
    let bytes = serde_json::to_vec(reduction).expect("a reduction has string keys and finite numbers");
    content.put(Bytes::from(bytes)).await
}

/// Reads a reduction back.
///
/// # Errors
/// [`ContentError`] where it is missing, or is none.
pub async fn load(reference: &ContentRef, content: &ContentStore) -> Result<Reduction, ContentError> {
    let bytes = content.get(reference).await?;
    serde_json::from_slice(&bytes).map_err(|_| ContentError::Corrupt(reference.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(text: &str) -> Passage {
        let id = SourceId::new("s").expect("an id");
        let locator = "char:0-1".parse().expect("a locator");
        Passage { source_id: id, range: precis_proto::CharRange::new(0, 1), locator, text: text.to_owned(), score: 0.5 }
    }

    #[test]
    fn a_reduction_never_exceeds_its_target_and_prefers_a_passage_to_prose() {
        let summary = Summary {
            summary: "a rather long summary of everything".to_owned(),
            key_points: vec!["one point".to_owned()],
        };
        let ranked = || vec![passage("the first passage says this"), passage("the second passage says that")];
        for target in 0..60 {
            let fitted = fit(&summary, ranked(), target);
            assert!(tokens(&fitted) <= target);
            assert!(fitted.summary.is_empty() || !fitted.passages.is_empty());
        }
        assert_eq!(fit(&summary, ranked(), 1_000).passages.len(), 2);
    }
}

//! Passages found by words and passages found by meaning, as one list.

use precis_evidence::meaning::{Meaning, WordScores, fused_within};

use crate::CorpusError;
use crate::documents::Documents;
use crate::open::Corpus;
use crate::top_chunks::{ScoredChunk, sort};

/// Passages that meaning proposes beside those of words, as many as are scored closely by words.
const NEAREST: usize = 400;

/// Joins what words `found`, whose score could have been `most`, with the passages of `documents` that are nearest to `query`, best first.
/// Returns `found` if the corpus has no vectors of this model, or the question has none.
pub(crate) fn join_near(
    corpus: &Corpus,
    (query, documents): (&str, &Documents<'_>),
    meaning: &dyn Meaning,
    (found, most): (Vec<ScoredChunk>, f64),
) -> Result<Vec<ScoredChunk>, CorpusError> {
    let Some(vectors) = corpus.vectors_of(meaning.key())? else { return Ok(found) };
    let Some(asked) = meaning.query(query) else { return Ok(found) };
    let index = &corpus.index;
    let mut cosines: Vec<Option<f64>> = vec![None; index.owners.len()];
    let wanted = (0_u32..).zip(corpus.documents.iter().zip(&index.firsts));
    for (place, (entry, first)) in wanted.filter(|(_, (entry, _))| documents.hold(&entry.path)) {
        for (n, cosine) in vectors.cosines(entry.read.document, &asked).enumerate() {
            // A published index comes from elsewhere, and may say anything.
            let chunk = usize::try_from(*first).unwrap_or(usize::MAX).saturating_add(n);
            if index.owners.get(chunk) != Some(&place) {
                return Err(CorpusError::unusable("its vectors are not those of its passages"));
            }
            cosines[chunk] = Some(cosine);
        }
    }
    let known = || cosines.iter().copied().flatten();
    let span = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    let mut nearest: Vec<ScoredChunk> = (0_u32..)
        .zip(&cosines)
        .filter_map(|(chunk, cosine)| Some(ScoredChunk { chunk, score: (*cosine)? - span.0 }))
        .collect();
    if nearest.len() > NEAREST {
        nearest.select_nth_unstable_by(NEAREST, |a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
        nearest.truncate(NEAREST);
    }
    let is_found: std::collections::BTreeSet<u32> = found.iter().map(|scored| scored.chunk).collect();
    let by_meaning = nearest.into_iter().filter(|scored| !is_found.contains(&scored.chunk));
    let mut all: Vec<ScoredChunk> =
        found.into_iter().chain(by_meaning.map(|scored| ScoredChunk { score: 0.0, ..scored })).collect();
    let own: Vec<Option<f64>> = all.iter().map(|scored| cosines[scored.chunk as usize]).collect();
    let words = WordScores { scores: all.iter().map(|scored| scored.score).collect(), most };
    let scores = fused_within(&words, &own, span);
    all.iter_mut().zip(scores).for_each(|(scored, score)| scored.score = score);
    all.retain(|scored| scored.score > 0.0);
    sort(index, &mut all);
    Ok(all)
}

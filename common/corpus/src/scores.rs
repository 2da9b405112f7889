//! Scores chunks for a question: BM25 over several fields, as in the evidence ranker, over all chunks of a corpus.
//!
//! Each field has its own score and weight. Statistics count only chunks that are not removed, so the same files give the same scores,
//! whatever was added and removed before. Function words, the first use of a term and literals are scored for the best chunks only.

use std::collections::BTreeSet;

use precis_evidence::meaning::Meaning;
use precis_evidence::question::entity::{NamedThings, key};
use precis_evidence::question::field::HEAD_CHARS;
use precis_evidence::question::own_identifier::{leading_number, named_inside};
use precis_text::terms::count_literal;

use crate::bm25::{LengthNorms, rarity, saturation};
use crate::documents::Documents;
use crate::open::Corpus;
use crate::open_index::NOBODY;
use crate::query_words::QueryWords;
use crate::term_words::ScoredTerm;
use crate::top_chunks::{NearScores, ScoredChunk, TopChunks, sort};
use crate::windows::{WINDOW, Wanted, Windows};
use crate::{CorpusError, near};

const FUNCTION_WORDS_WEIGHT: f64 = 0.2;
/// Twice the weight used within one document: here it also separates documents that introduce a term from those that only repeat it.
const FIRST_WEIGHT: f64 = 0.2;
/// Fewest chunks that are scored in detail.
const CLOSER: usize = 400;
/// Most chunks whose text is read for literals.
const READ: usize = 100;

/// Returns the chunks of `documents` that match a term of `query` or something similar, and with `meaning` those that are near it; best
/// first, at least `limit` if there are as many.
pub(crate) fn best(
    corpus: &Corpus,
    query: &str,
    documents: &Documents<'_>,
    (limit, meaning): (usize, Option<&dyn Meaning>),
) -> Result<Vec<ScoredChunk>, CorpusError> {
    let (mut found, most) = by_words(corpus, query, documents, limit)?;
    if let Some(meaning) = meaning {
        found = near::join_near(corpus, (query, documents), meaning, (found, most))?;
    }
    Ok(found)
}

/// Returns the chunks that words find, best first, at least `limit` if there are as many, and the most that one could have got.
fn by_words(
    corpus: &Corpus,
    query: &str,
    documents: &Documents<'_>,
    limit: usize,
) -> Result<(Vec<ScoredChunk>, f64), CorpusError> {
    let index = &corpus.index;
    let asked = QueryWords::new(query);
    let terms = QueryTerms::new(corpus, &asked)?;
    let most = terms.scored.iter().map(ScoredTerm::most_by_words).sum();
    let documents: Vec<bool> = corpus.documents.iter().map(|entry| documents.hold(&entry.path)).collect();
    let wanted = Wanted { terms: &terms.scored, named: &named_documents(corpus, query), documents: &documents };
    // More than are returned: a detailed score may lift a chunk past others.
    let mut top = TopChunks::new(index, CLOSER.max(2 * limit));
    let mut windows = Windows::new(index, &wanted, WINDOW);
    for segment in &index.segments {
        windows.scan(segment, &mut top)?;
    }
    let mut sums = NearScores::new(top.into_best());
    let mut found = sums.best();
    // Sorted before the detailed scores: literals are read in the best chunks only.
    sort(index, &mut found);
    closer(corpus, &asked, &terms.whole, &mut sums)?;
    add_literal_scores(corpus, &asked.literals, &mut sums, &found[..found.len().min(READ)])?;
    let mut found = sums.totals(index);
    sort(index, &mut found);
    Ok((found, most))
}

/// The terms of a question as they are scored.
pub(crate) struct QueryTerms<'q> {
    pub(crate) scored: Vec<ScoredTerm>,
    /// The terms that occur themselves, with their rarity.
    whole: Vec<(&'q str, f64)>,
}

impl<'q> QueryTerms<'q> {
    pub(crate) fn new(corpus: &Corpus, asked: &'q QueryWords) -> Result<Self, CorpusError> {
        let index = &corpus.index;
        let mut terms = Self { scored: Vec::with_capacity(asked.terms.len()), whole: Vec::new() };
        for term in &asked.terms {
            let met = index.meetings(term);
            let (scored, rarity) = ScoredTerm::of_term(index, &met)?;
            terms.scored.push(scored);
            terms.whole.extend(met.met.whole.map(|_| (term.as_str(), rarity)));
        }
        let han: BTreeSet<char> = asked.terms.iter().flat_map(|term| term.chars()).collect();
        for character in han {
            if index.vocabulary.holding(character).next().is_some() {
                terms.scored.push(ScoredTerm::of_character(index, character)?);
            }
        }
        Ok(terms)
    }
}

/// Returns the positions of the documents that `query` names, ascending.
pub(crate) fn named_documents(corpus: &Corpus, query: &str) -> Vec<u32> {
    let names = NamedThings::of_question(query);
    if names.is_empty() {
        return Vec::new();
    }
    let keys = (0_u32..).zip(corpus.document_keys());
    let is_named = |(at, key): &(u32, &Option<String>)| match key {
        Some(key) => names.include(key),
        None => is_named_inside(corpus, *at, &names),
    };
    keys.filter(is_named).map(|(at, _)| at).collect()
}

/// Whether the document at `at` is named by the number of its file and the beginning of its text. Only texts whose file has the number of
/// a named thing are opened; one that cannot be is found by its words or not at all.
fn is_named_inside(corpus: &Corpus, at: u32, names: &NamedThings) -> bool {
    let path = corpus.documents[at as usize].path.as_str();
    if !leading_number(path).is_some_and(|number| names.have_number(number)) {
        return false;
    }
    let Ok(text) = corpus.text(at) else { return false };
    let beginning: String = text.as_str().chars().take(HEAD_CHARS).collect();
    named_inside(path, &beginning).is_some_and(|own| names.include(&key(&own)))
}

/// Adds the detailed scores of the best chunks: function words, and the first use of a term.
fn closer(
    corpus: &Corpus,
    asked: &QueryWords,
    whole: &[(&str, f64)],
    sums: &mut NearScores,
) -> Result<(), CorpusError> {
    let index = &corpus.index;
    let (chunks, norms) = (sums.chunks(), LengthNorms::new(index.mean));
    for word in &asked.function_words {
        let (count, postings) = index.postings_at(index.fields.words, word, &chunks)?;
        let rarity = rarity(index.chunks, count);
        for (chunk, times) in postings {
            let norm = norms.norm(index.lengths[chunk as usize]);
            sums.add(chunk, FUNCTION_WORDS_WEIGHT * rarity * saturation(f64::from(times), norm));
        }
    }
    for (term, rarity) in whole {
        for chunk in index.first_uses(term, &chunks)? {
            sums.add(chunk, FIRST_WEIGHT * rarity);
        }
    }
    Ok(())
}

/// Adds the BM25 scores of literals, counted verbatim in the found chunks, all treated as of mean length.
fn add_literal_scores(
    corpus: &Corpus,
    literals: &[String],
    sums: &mut NearScores,
    found: &[ScoredChunk],
) -> Result<(), CorpusError> {
    let index = &corpus.index;
    if literals.is_empty() {
        return Ok(());
    }
    let mut counts = vec![Vec::with_capacity(found.len()); literals.len()];
    for scored in found {
        let text = corpus.text(index.owners[scored.chunk as usize])?;
        let slice = text.slice(index.range(scored.chunk));
        for (literal, counts) in literals.iter().zip(&mut counts) {
            counts.push(count_literal(slice, literal));
        }
    }
    for counts in counts {
        let rarity = rarity(index.chunks, counts.iter().filter(|count| **count > 0).count());
        for (scored, count) in found.iter().zip(counts) {
            sums.add(scored.chunk, rarity * saturation(f64::from(count), LengthNorms::OF_MEAN));
        }
    }
    Ok(())
}

const _: () = assert!(NOBODY == u32::MAX, "no document has the number of nobody");

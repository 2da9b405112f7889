//! The document that a part of a question describes instead of naming it ("Which proposal introduced the walrus operator"), where another
//! part rests on it ("and who wrote it?"): the one that most documents name in sentences about what is asked.

use std::collections::{BTreeMap, BTreeSet};

use precis_evidence::question::entity::{family, identifiers, key};
use precis_evidence::question::relation::{RelationStatement, this};
use precis_language::relation::is_document_word;
use precis_language::words::lower_words;
use precis_proto::CharRange;
use precis_text::sentences::sentences_with_ranges;

use super::pool::PassagePool;
use super::term_weights::{PassageTerms, TermWeights};

/// Share of the weight of a part's terms that a sentence must hold for the identifiers in it to count. Chosen, not measured.
const ABOUT: f64 = 0.5;
/// Least documents that must name the one that is described. Chosen: a single one may mention anything.
const LEAST_VOTES: usize = 2;

/// Least difference between two sums of votes that counts: sums in another order may differ in their last bits.
const CLEAR: f64 = 1e-6;

/// The documents that name an identifier, and the best sentence that does.
struct Votes {
    other: String,
    /// The vote of each document, 0 to 1: of its sentences, the most of the terms' share by the number of identifiers it names, since it
    /// speaks of one of them.
    documents: BTreeMap<String, f64>,
    share: f64,
    place: usize,
    range: CharRange,
}

/// The document that `asked` describes, with the passage and the sentence that say so; none if it asks for no document, or if none is named
/// by more votes than every other. `terms` are those that its answer must mention; only the passages at `places`, which cover it,
/// count.
pub(super) fn described_document(
    asked: &str,
    terms: &[String],
    places: &BTreeSet<usize>,
    pool: &PassagePool,
    weights: &TermWeights,
) -> Option<(usize, RelationStatement)> {
    if terms.is_empty() {
        return None;
    }
    let named: BTreeSet<String> = identifiers(asked).iter().map(|name| key(name)).collect();
    let mut votes: BTreeMap<String, Votes> = BTreeMap::new();
    for &place in places {
        let hit = &pool.get(place).hit;
        for (range, sentence) in sentences_with_ranges(&hit.text) {
            let share = weights.share(terms, &[&PassageTerms::new(&[sentence])]);
            if share < ABOUT {
                continue;
            }
            let others: Vec<String> =
                identifiers(sentence).into_iter().chain(this(sentence, pool.own(&hit.document))).collect();
            let vote_of_sentence = share / others.len() as f64;
            for other in others {
                if named.contains(&key(&other)) || !asks_for(asked, &other) {
                    continue;
                }
                let vote = votes.entry(key(&other)).or_insert_with(|| Votes {
                    other,
                    documents: BTreeMap::new(),
                    share,
                    place,
                    range,
                });
                let of_document = vote.documents.entry(hit.document.clone()).or_default();
                *of_document = of_document.max(vote_of_sentence);
                if share > vote.share {
                    (vote.share, vote.place, vote.range) = (share, place, range);
                }
            }
        }
    }
    let mut votes: Vec<(f64, Votes)> =
        votes.into_values().map(|votes| (votes.documents.values().sum(), votes)).collect();
    votes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let next = votes.get(1).map_or(0.0, |next| next.0);
    let (sum, first) = votes.into_iter().next()?;
    // Of equals none wins.
    let is_it = first.documents.len() >= LEAST_VOTES && sum > next + CLEAR;
    is_it.then_some((first.place, RelationStatement { other: first.other, is_field: false, range: first.range }))
}

/// Whether `asked` asks for a document such as `identifier`: by a word for documents, or by the name of its family ("Which PEP").
fn asks_for(asked: &str, identifier: &str) -> bool {
    let family = family(identifier).to_lowercase();
    lower_words(asked).iter().any(|word| word.trim_end_matches('s') == family || is_document_word(word))
}

#[cfg(test)]
mod tests {
    use precis_proto::research::Hit;

    use super::super::KnownDocuments;
    use super::*;

    fn pool(documents: &[(&str, &str)]) -> PassagePool {
        let hit = |(document, text): &(&str, &str)| Hit {
            document: (*document).to_owned(),
            range: CharRange::new(400, 400 + text.chars().count()),
            text: (*text).to_owned(),
            score: 1.0,
            ..Hit::default()
        };
        let mut pool = PassagePool::default();
        pool.add(0, documents.iter().map(hit).collect(), &KnownDocuments::default());
        pool
    }

    #[test]
    fn a_described_document_is_the_one_that_most_documents_name() {
        let own = ("pep-0572.rst", "In the discussion of this PEP the thing became known as the walrus operator.");
        let other = ("pep-0634.rst", "It follows the rules of the walrus operator in PEP 572. The rest is in PEP 622.");
        let third = ("pep-0798.rst", "The walrus operator of PEP 622 is odd, as the long list of all its uses shows.");
        let fourth =
            ("pep-0635.rst", "Some say that the walrus operator, which PEP 622 also has, looks like an attribute.");
        let fifth =
            ("pep-0701.rst", "PEP 622 has the walrus operator and so does PEP 9, as all readers know from their code.");
        let stranger = ("pep-0001.rst", "PEP 8 is a guide for style, and it is read by all who write code for it.");
        let asked = "Which proposal introduced the walrus operator";
        for (asked, documents, want) in [
            (asked, &[own, other][..], Some("PEP 572")),
            ("Which PEP introduced the walrus operator", &[own, other], Some("PEP 572")),
            ("Welches Dokument brachte den walrus operator", &[own, other], Some("PEP 572")),
            ("Which person introduced the walrus operator", &[own, other], None),
            ("Which proposal changed the walrus operator of PEP 572", &[own, other], None),
            (asked, &[own, stranger], None),
            (asked, &[own, other, third], Some("PEP 572")),
            (asked, &[own, other, third, fourth], None),
            (asked, &[own, other, third, fifth], Some("PEP 572")),
            (asked, &[stranger], None),
        ] {
            let pool = pool(documents);
            let terms = ["walrus".to_owned(), "operator".to_owned()];
            let places: BTreeSet<usize> = (0..documents.len()).collect();
            let found = described_document(asked, &terms, &places, &pool, &TermWeights::default());
            assert_eq!(found.as_ref().map(|(_, found)| found.other.as_str()), want, "{asked} {documents:?}");
            if let Some((place, found)) = found {
                let text = &pool.get(place).hit.text;
                let said: String = text.chars().skip(found.range.start).take(found.range.len()).collect();
                assert!(said.contains("walrus operator"), "{said}");
            }
        }
    }
}

//! Weights of a question's terms, and the share of them that a passage contains.

use std::collections::BTreeMap;

use precis_evidence::question::query::asking_worth;
use precis_language::inflection::may_be_forms;
use precis_language::question_words::is_question_word;
use precis_language::words::tokens;
use precis_text::terms::{likeness, query_terms, terms};

use super::search::{Frequency, TermFrequencies};

/// Terms with their weights.
#[derive(Debug, Clone, Default)]
pub(super) struct TermWeights {
    by_term: BTreeMap<String, f64>,
}

impl TermWeights {
    /// The weights of `wanted`: ln(1 + N / (1 + df)) if `words` knows the term's frequency, else 1; less for a word that only asks.
    pub(super) fn new<'t>(wanted: impl Iterator<Item = &'t String>, words: &dyn TermFrequencies) -> Self {
        let mut by_term = BTreeMap::new();
        for term in wanted {
            let rarity = words
                .frequency(term)
                .map_or(1.0, |frequency| (1.0 + frequency.of as f64 / (1.0 + frequency.holding as f64)).ln());
            by_term.insert(term.clone(), rarity * asking_worth(term));
        }
        Self { by_term }
    }

    fn of(&self, term: &str) -> f64 {
        self.by_term.get(term).copied().unwrap_or(1.0)
    }

    /// Share of the weight of `wanted` that `held` contain together, 0 to 1; 1 if nothing is wanted.
    pub(super) fn share(&self, wanted: &[String], held: &[&PassageTerms]) -> f64 {
        let best = |term: &String| held.iter().map(|held| held.likeness(term)).fold(0.0, f64::max);
        let all: f64 = wanted.iter().map(|term| self.of(term)).sum();
        let got: f64 = wanted.iter().map(|term| self.of(term) * best(term)).sum();
        if all > 0.0 { got / all } else { 1.0 }
    }

    /// The terms of `wanted` that `held` lacks, heaviest first.
    pub(super) fn lacking(&self, wanted: &[String], held: &PassageTerms) -> Vec<String> {
        let mut found: Vec<&String> = wanted.iter().filter(|term| held.likeness(term) == 0.0).collect();
        found.sort_by(|a, b| self.of(b).total_cmp(&self.of(a)));
        found.into_iter().cloned().collect()
    }
}

/// Inverse document frequency (BM25) of each term of `question`; without terms whose frequency `words` does not know.
pub(super) fn rarity(question: &str, words: &dyn TermFrequencies) -> BTreeMap<String, f64> {
    let rare = |frequency: Frequency| {
        let (all, holding) = (frequency.of as f64, frequency.holding as f64);
        (1.0 + (all - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
    };
    let of = |term: String| Some((term.clone(), rare(words.frequency(&term)?)));
    query_terms(question).into_iter().filter_map(of).collect()
}

/// The content words of `question` that occur in no form in what is searched; none if `words` does not know their frequency.
pub(super) fn unknown_words(question: &str, words: &dyn TermFrequencies) -> Vec<String> {
    let asked = query_terms(question);
    let is_unknown = |term: &String| words.frequency(term).is_some_and(|frequency| frequency.holding == 0);
    let unknown: Vec<&String> = asked.iter().filter(|term| asking_worth(term) >= 1.0 && is_unknown(term)).collect();
    let mut found: Vec<String> = Vec::new();
    for word in tokens(question, &[]).map(|word| word.text) {
        let own = terms(word);
        let asks = is_question_word(&word.to_lowercase());
        let stands_nowhere = !asks && !own.is_empty() && own.iter().all(|term| unknown.contains(&term));
        if stands_nowhere && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// The distinct terms of a passage.
#[derive(Debug, Clone)]
pub(super) struct PassageTerms(Vec<String>);

impl PassageTerms {
    /// The terms of `texts`.
    pub(super) fn new(texts: &[&str]) -> Self {
        let mut all: Vec<String> = texts.iter().flat_map(|text| terms(text)).collect();
        all.sort_unstable();
        all.dedup();
        Self(all)
    }

    /// Likeness of the closest of them to `term`, 0 to 1.
    pub(super) fn likeness(&self, term: &str) -> f64 {
        if self.0.binary_search_by(|held| held.as_str().cmp(term)).is_ok() {
            return 1.0;
        }
        // Forms of one word that share their first letters are adjacent in the sorted list, the others may stand anywhere.
        let start: String = term.chars().take(3).collect();
        let from = self.0.partition_point(|held| held.as_str() < start.as_str());
        let near = self.0[from..].iter().take_while(|held| held.starts_with(&start));
        let best = near.map(|held| likeness(term, held)).fold(0.0, f64::max);
        let others = || self.0.iter().filter(|held| may_be_forms(term, held));
        if best > 0.0 { best } else { others().map(|held| likeness(term, held)).fold(0.0, f64::max) }
    }

    /// Whether all of `wanted` are among them.
    pub(super) fn has_all(&self, wanted: &[String]) -> bool {
        wanted.iter().all(|term| self.likeness(term) > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::search::Frequency;
    use super::*;

    /// Has one word in no passage.
    struct OneUnknown;

    impl TermFrequencies for OneUnknown {
        fn frequency(&self, term: &str) -> Option<Frequency> {
            Some(Frequency { holding: u64::from(!term.starts_with("ctenophor")), of: 100 })
        }
    }

    #[test]
    fn words_that_stand_nowhere_are_named_as_they_were_asked() {
        let asked = "Why are Ctenophores, of all, rare? Ctenophores!";
        assert_eq!(unknown_words(asked, &OneUnknown), ["Ctenophores"]);
        assert!(unknown_words(asked, &super::super::NoVocabulary).is_empty());
        assert!(unknown_words("Why are they rare?", &OneUnknown).is_empty());
        assert!(unknown_words("Wann?", &NothingKnown).is_empty() && unknown_words("Какая?", &NothingKnown).is_empty());
        assert_eq!(unknown_words("Wann kam er?", &NothingKnown), ["kam"]);
    }

    /// Has every word in no passage.
    struct NothingKnown;

    impl TermFrequencies for NothingKnown {
        fn frequency(&self, _: &str) -> Option<Frequency> {
            Some(Frequency { holding: 0, of: 100 })
        }
    }

    struct FixedFrequencies;

    impl TermFrequencies for FixedFrequencies {
        fn frequency(&self, term: &str) -> Option<Frequency> {
            Some(Frequency { holding: if term == "rare" { 1 } else { 90 }, of: 100 })
        }
    }

    #[test]
    fn rarity_falls_with_frequency_and_is_omitted_where_unknown() {
        let rare = rarity("Is the rare thing common?", &FixedFrequencies);
        assert_eq!(rare.keys().collect::<Vec<_>>(), ["common", "rare", "thing"]);
        let bm25 = |holding: f64| (1.0 + (100.0 - holding + 0.5) / (holding + 0.5)).ln();
        for (term, holding) in [("rare", 1.0), ("common", 90.0), ("thing", 90.0)] {
            assert!((rare[term] - bm25(holding)).abs() < 1e-9, "{term}");
        }
        assert!(rarity("Is the rare thing common?", &super::super::NoVocabulary).is_empty());
    }

    #[test]
    fn a_rare_term_weighs_more_and_forms_of_a_word_count() {
        let wanted = ["rare".to_owned(), "common".to_owned()];
        let weights = TermWeights::new(wanted.iter(), &FixedFrequencies);
        assert!(weights.share(&wanted, &[&PassageTerms::new(&["rare"])]) > 0.8);
        assert!(weights.share(&wanted, &[&PassageTerms::new(&["common"])]) < 0.2);
        assert_eq!(weights.share(&[], &[]), 1.0);
        assert_eq!(weights.lacking(&wanted, &PassageTerms::new(&["nothing"])), ["rare", "common"]);
        let held = PassageTerms::new(&["the director of films"]);
        assert!(held.has_all(&["directed".to_owned(), "film".to_owned()]));
        assert!(!held.has_all(&["dire".to_owned()]));
    }
}

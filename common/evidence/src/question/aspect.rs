//! The aspect in which a question compares things: `incubation period` in "How does the incubation period differ between A and B?".

use precis_language::question_words::is_question_word;
use precis_text::terms::{likeness, query_terms, terms};

/// Least share of the aspect's terms, weighted by length, in a statement about it. Chosen, not measured.
const LEAST_SHARE: f64 = 1.0 / 3.0;
/// Letters beyond which a term does not weigh more, as in judging answers.
const LONG_TERM: usize = 12;

/// The terms of a question that name neither a compared thing nor the comparison itself. If empty, every statement about the things counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aspect {
    terms: Vec<String>,
}

impl Aspect {
    /// The aspect of `query`: its terms without those of `names` and those for which `compares` is true.
    pub(super) fn new(query: &str, names: &[String], compares: &dyn Fn(&str) -> bool) -> Self {
        let named: Vec<String> = names.iter().flat_map(|name| query_terms(name)).collect();
        let is_asked = |term: &String| !named.contains(term) && !compares(term) && !is_question_word(term);
        Self { terms: query_terms(query).into_iter().filter(is_asked).collect() }
    }

    /// Its terms, in the order of the question.
    #[must_use]
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// Whether `texts` together contain enough of its terms; always true if it has none.
    #[must_use]
    pub fn is_in(&self, texts: &[&str]) -> bool {
        let own: Vec<String> = texts.iter().flat_map(|text| terms(text)).collect();
        let weight = |term: &String| term.chars().count().min(LONG_TERM) as f64;
        let total: f64 = self.terms.iter().map(weight).sum();
        let held = self.terms.iter().filter(|term| own.iter().any(|word| likeness(term, word) > 0.0));
        held.map(weight).sum::<f64>() >= LEAST_SHARE * total
    }
}

#[cfg(test)]
mod tests {
    use super::super::elements::comparison_elements;

    #[test]
    fn an_asked_aspect_is_neither_a_name_nor_a_comparison() {
        for (query, want) in [
            ("Compare Alpha and Beta", &[][..]),
            ("How do glaciers and ice sheets differ?", &[]),
            ("Compare the notice periods of the Alpha and Beta contracts.", &["notice", "periods"]),
            (
                "What is the incubation period of flu and how does it differ between men and women?",
                &["incubation", "period", "flu"],
            ),
            ("How long does it survive on plastic compared with stainless steel?", &["long", "survive"]),
            ("Worin unterscheidet sich die Laufzeit von Alpha und Beta?", &["laufzeit"]),
            ("冰川和冰盖的区别是什么？", &[]),
        ] {
            assert_eq!(comparison_elements(query).expect("a comparison").aspect.terms(), want, "{query}");
        }
    }

    #[test]
    fn a_text_speaks_of_it_where_it_holds_a_third_of_it() {
        let aspect =
            comparison_elements("How does the incubation period of COVID-19 differ between children and adults?")
                .expect("a comparison")
                .aspect;
        for (text, want) in [
            ("The incubation took five days.", true),
            ("Periods of COVID-19.", true),
            ("Children outside the neonatal period die of pneumonia.", false),
            ("COVID-19 is severe in older adults.", false),
        ] {
            assert_eq!(aspect.is_in(&[text]), want, "{text}");
        }
        assert!(aspect.is_in(&["Five days.", "Incubation"]), "the title of its source says it");
        let all = comparison_elements("Compare Alpha and Beta").expect("a comparison").aspect;
        assert!(all.is_in(&["It rains."]));
    }
}

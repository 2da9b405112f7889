//! Which topics a text is about: by the terms that set the topics apart from one another.

use std::collections::BTreeSet;

use precis_text::terms::terms;

/// Share of the best fit from which a text counts as about a topic, and from which it does if a search for the topic found it. Chosen, not
/// measured.
const FITTING: f64 = 0.7;
const FOUND: f64 = 0.5;

/// Topics with the terms that set them apart.
#[derive(Debug, Clone)]
pub struct TopicFit {
    /// For each topic its terms and their weights: a term that all topics share weighs nothing.
    topics: Vec<Vec<(String, f64)>>,
}

impl TopicFit {
    /// The fit to each of `topics`, in their order.
    #[must_use]
    pub fn new<'t>(topics: impl IntoIterator<Item = &'t str>) -> Self {
        let all: Vec<BTreeSet<String>> = topics.into_iter().map(|topic| terms(topic).into_iter().collect()).collect();
        let weight = |term: &String| {
            let held = all.iter().filter(|other| other.contains(term)).count();
            (all.len() as f64 / held as f64).ln()
        };
        let weighted = |own: &BTreeSet<String>| {
            own.iter().map(|term| (term.clone(), weight(term))).filter(|(_, weight)| *weight > 0.0).collect()
        };
        Self { topics: all.iter().map(weighted).collect() }
    }

    /// How well a text fits each topic, 0 to 1: the share of the weight of the topic's terms that it holds. 0 for a topic that nothing sets
    /// apart.
    #[must_use]
    pub fn of(&self, text: &str) -> Vec<f64> {
        let held: BTreeSet<String> = terms(text).into_iter().collect();
        let fit = |own: &Vec<(String, f64)>| {
            let sum = |is_counted: &dyn Fn(&String) -> bool| -> f64 {
                own.iter().filter(|(term, _)| is_counted(term)).map(|(_, weight)| weight).sum()
            };
            let whole = sum(&|_| true);
            if whole > 0.0 { sum(&|term| held.contains(term)) / whole } else { 0.0 }
        };
        self.topics.iter().map(fit).collect()
    }

    /// The topics that a text with these `fits` is about, as places, in order: those it fits nearly as well as the best one, and those whose
    /// search `found` it, unless it clearly fits another one. Empty if it fits none and no search for one found it.
    #[must_use]
    pub fn choose_topics(fits: &[f64], found: impl Fn(usize) -> bool) -> Vec<usize> {
        let best = fits.iter().copied().fold(0.0, f64::max);
        let is_chosen = |at: &usize| {
            let is_about = best > 0.0 && fits[*at] >= FITTING * best;
            is_about || found(*at) && fits[*at] >= FOUND * best
        };
        (0..fits.len()).filter(is_chosen).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPICS: [&str; 3] = [
        "The reservoir of Alda: how much it holds and who runs it.",
        "The reservoir of Brent: how much it holds and who runs it.",
        "The reservoir of Corva: how much it holds and who runs it.",
    ];

    #[test]
    fn a_text_belongs_to_the_topics_whose_words_it_holds() {
        let fit = TopicFit::new(TOPICS);
        for (text, found, want) in [
            ("Alda holds forty million litres.", &[][..], &[0][..]),
            ("Alda holds forty million litres.", &[1], &[0]),
            ("Brent and Corva are reservoirs.", &[0], &[1, 2]),
            ("The Valley Board charges forty crowns.", &[2], &[2]),
            ("The Valley Board charges forty crowns.", &[0, 1], &[0, 1]),
            ("The Valley Board charges forty crowns.", &[], &[]),
            ("Who runs a reservoir?", &[1], &[1]),
        ] {
            assert_eq!(TopicFit::choose_topics(&fit.of(text), |at| found.contains(&at)), want, "{text} {found:?}");
        }
    }

    #[test]
    fn an_indistinct_topic_is_matched_by_its_searches_alone() {
        for topics in [&["Ships of Rome"][..], &["Ships of Rome", "ships of rome"]] {
            let fit = TopicFit::new(topics.iter().copied());
            assert_eq!(fit.of("Ships of Rome"), vec![0.0; topics.len()]);
            assert_eq!(TopicFit::choose_topics(&fit.of("Ships of Rome"), |at| at == 0), [0]);
        }
        assert!(TopicFit::choose_topics(&TopicFit::new([]).of("x"), |_| true).is_empty());
    }

    #[test]
    fn a_text_belongs_to_topics_from_half_of_the_best_fit() {
        for (fit, found, want) in [
            (0.49, true, false),
            (0.5, true, true),
            (0.69, true, true),
            (0.69, false, false),
            (0.7, false, true),
            (1.0, false, true),
        ] {
            assert_eq!(TopicFit::choose_topics(&[1.0, fit], |_| found).contains(&1), want, "{fit} {found}");
        }
    }
}

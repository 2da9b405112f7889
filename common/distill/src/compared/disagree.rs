//! Numbers for which the sources of a report give different values.
//!
//! Conservative: two sentences disagree only where they say the same of the same number in the same words, of the same time, under
//! the same conditions, and the values differ beyond rounding. What a comparison asks for is no disagreement.

use precis_proto::compare::{Disagreement, GivenValue};
use precis_proto::response::Citation;

use super::claim::{NumberClaim, claims};
use super::elements::compared;
use crate::sentences::located;
use crate::terms;

/// Quotes that are compared with each other; a report of more has them on other pages than the first. Bounds time.
const MOST_QUOTES: usize = 200;

/// The disagreements among the quotes of a report, in the order of their first citation.
///
/// A source that gives two of the values itself speaks of two things, and tells nothing about the others.
#[must_use]
pub fn disagreements(query: &str, citations: &[Citation]) -> Vec<Disagreement> {
    if compared(query).is_some() {
        return Vec::new();
    }
    let asked = terms::query_terms(query);
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    for citation in citations.iter().take(MOST_QUOTES) {
        for claim in located(&citation.text).flat_map(|(_, sentence)| claims(sentence)) {
            if !claim.is_asked(&asked) {
                continue;
            }
            match subjects.iter_mut().find(|subject| subject.first().is_about(&claim)) {
                Some(subject) => subject.add(claim, citation),
                None => subjects.push(Subject { values: vec![(claim, vec![citation])] }),
            }
        }
    }
    subjects.iter().filter_map(Subject::disagreement).collect()
}

/// Whether two statements of different sources give different values of one number that `query` asks for.
#[must_use]
pub fn differ(query: &str, a: &str, b: &str) -> bool {
    if compared(query).is_some() {
        return false;
    }
    let asked = terms::query_terms(query);
    let read = |text: &str| -> Vec<NumberClaim> {
        located(text).flat_map(|(_, sentence)| claims(sentence)).filter(|claim| claim.is_asked(&asked)).collect()
    };
    let (a, b) = (read(a), read(b));
    a.iter().any(|a| b.iter().any(|b| a.is_about(b) && a.quantity.differs(&b.quantity)))
}

/// One number, with the values it is given and where.
struct Subject<'c> {
    /// Never empty, and no value without a citation.
    values: Vec<(NumberClaim, Vec<&'c Citation>)>,
}

impl<'c> Subject<'c> {
    fn first(&self) -> &NumberClaim {
        &self.values[0].0
    }

    fn add(&mut self, claim: NumberClaim, citation: &'c Citation) {
        match self.values.iter_mut().find(|(held, _)| !held.quantity.differs(&claim.quantity)) {
            Some((_, citations)) if citations.iter().any(|held| held.n == citation.n) => {}
            Some((_, citations)) => citations.push(citation),
            None => self.values.push((claim, vec![citation])),
        }
    }

    fn disagreement(&self) -> Option<Disagreement> {
        let sources = |(_, citations): &(NumberClaim, Vec<&'c Citation>)| -> Vec<&'c str> {
            citations.iter().map(|citation| citation.source_text_hash.as_str()).collect()
        };
        let mut known: Vec<&str> = Vec::new();
        for value in &self.values {
            let own = sources(value);
            if own.iter().any(|source| known.contains(source)) {
                return None;
            }
            known.extend(own);
        }
        let given = |(claim, citations): &(NumberClaim, Vec<&Citation>)| GivenValue {
            value: claim.value.clone(),
            citations: citations.iter().map(|citation| citation.n).collect(),
        };
        (self.values.len() > 1).then(|| Disagreement {
            unit: self.first().quantity.unit.clone(),
            values: self.values.iter().map(given).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::source::ContentRef;
    use precis_proto::{CharRange, Locator, SourceId};

    use super::*;

    /// Citations of these quotes, each with the text it is from.
    fn citations(quotes: &[(&str, &str)]) -> Vec<Citation> {
        let citation = |((source, text), n): (&(&str, &str), u32)| Citation {
            n,
            source_id: SourceId::new(*source).expect("an id"),
            title: (*source).to_owned(),
            url: None,
            locator: Locator { page: None, range: CharRange::new(0, text.chars().count()) },
            text: (*text).to_owned(),
            source_text_hash: ContentRef::from_bytes(source.as_bytes()).to_string(),
        };
        quotes.iter().zip(1..).map(citation).collect()
    }

    fn found(query: &str, quotes: &[(&str, &str)]) -> Vec<Vec<(String, Vec<u32>)>> {
        let values = |d: Disagreement| d.values.into_iter().map(|v| (v.value, v.citations)).collect();
        disagreements(query, &citations(quotes)).into_iter().map(values).collect()
    }

    const CAP: &str = "What is the cap on the penalty?";

    #[test]
    fn sources_with_other_values_of_one_number_are_listed_with_what_each_says() {
        for (query, quotes, want) in [
            (
                CAP,
                &[
                    ("a", "Delays are bad. The penalty cap is 5 % of the contract value."),
                    ("b", "The penalty cap is 10 percent of the contract value."),
                    ("c", "The penalty cap is 5% of the contract value."),
                ][..],
                &[("5 %", vec![1, 3]), ("10 percent", vec![2])][..],
            ),
            (
                "Wie lang ist die Kündigungsfrist?",
                &[
                    ("a", "Die Kündigungsfrist des Vertrags beträgt 30 Tage."),
                    ("b", "Die Kündigungsfrist des Vertrags beträgt 60 Tage."),
                ],
                &[("30 Tage", vec![1]), ("60 Tage", vec![2])],
            ),
            (
                "Combien de personnes travaillent à Lyon ?",
                &[("a", "L’usine de Lyon emploie 120 personnes."), ("b", "L’usine de Lyon emploie 340 personnes.")],
                &[("120 personnes", vec![1]), ("340 personnes", vec![2])],
            ),
            (
                "How many people does Nordwerk lay off in Kiel?",
                &[
                    ("a", "Nordwerk lays off 120 people in Kiel."),
                    ("b", "According to the union, Nordwerk lays off 340 people in Kiel."),
                ],
                &[],
            ),
        ] {
            let want: Vec<(String, Vec<u32>)> = want.iter().map(|(v, n)| ((*v).to_owned(), n.clone())).collect();
            let want = if want.is_empty() { Vec::new() } else { vec![want] };
            assert_eq!(found(query, quotes), want, "{query}");
        }
    }

    #[test]
    fn no_disagreement_is_marked_where_another_reading_is_possible() {
        for (query, quotes) in [
            (
                CAP,
                &[("a", "The penalty cap is 5 % of the price."), ("b", "The penalty cap is 5.0 percent of the price.")]
                    [..],
            ),
            (CAP, &[("a", "The penalty cap is 5 % of the price."), ("a", "The penalty cap is 10 % of the price.")]),
            (
                CAP,
                &[
                    ("a", "The penalty cap is 5 % of the price."),
                    ("b", "The penalty cap for software is 10 % of the price."),
                ],
            ),
            (CAP, &[("a", "The penalty cap was 5 % of the price."), ("b", "The penalty cap is 10 % of the price.")]),
            (CAP, &[("a", "The penalty cap is 5 % of the price."), ("b", "Is the penalty cap 10 % of the price?")]),
            (CAP, &[("a", "The penalty cap is 5 % of the price."), ("b", "The penalty cap is EUR 10 of the price.")]),
            (
                CAP,
                &[
                    ("a", "The penalty cap is at most 5 % of the price."),
                    ("b", "The penalty cap is 10 % of the price."),
                ],
            ),
            (CAP, &[("a", "The penalty cap is 5–7 % of the price."), ("b", "The penalty cap is 10 % of the price.")]),
            (
                "Who signed it?",
                &[("a", "The penalty cap is 5 % of the price."), ("b", "The penalty cap is 10 % of the price.")],
            ),
            (
                "Compare the penalty cap of a and b",
                &[("a", "The penalty cap is 5 % of the price."), ("b", "The penalty cap is 10 % of the price.")],
            ),
            (
                "How many people work there?",
                &[("a", "In 2019 the plant had 120 people."), ("b", "In 2020 the plant had 340 people.")],
            ),
            (
                "How many people live there?",
                &[("a", "The city has 1.2 million people today."), ("b", "The city has 1,234,567 people today.")],
            ),
            (
                CAP,
                &[
                    ("a", "The penalty cap is 5 % of the price."),
                    ("b", "The penalty cap is 10 % of the price."),
                    ("b", "The penalty cap is 5 % of the price."),
                ],
            ),
        ] {
            assert!(found(query, quotes).is_empty(), "{quotes:?}");
        }
    }

    #[test]
    fn two_statements_differ_where_their_sources_would_disagree() {
        let (five, ten) = ("The penalty cap is 5 % of the price.", "The penalty cap is 10 % of the price.");
        assert!(differ(CAP, five, ten) && !differ(CAP, five, five) && !differ("Who signed it?", five, ten));
    }
}

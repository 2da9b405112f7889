//! Values on which the sources of a report disagree: numbers, dates, versions, statuses, times, names, and what one of them denies.
//!
//! Conservative: two sentences disagree only if they make the same claim about the same thing in the same words, for the same time and
//! conditions, and the values differ beyond rounding. Differences that a comparison asks for are not disagreements.

use std::cmp::Ordering;

use precis_proto::FieldPlace;
use precis_proto::compare::{Disagreement, GivenValue};
use precis_proto::research::ValueKind;
use precis_proto::response::Citation;
use precis_text::sentences::sentences_with_ranges;
use precis_text::statement::of_citation;
use precis_text::terms;

use super::claim::{NumberClaim, claims};
use super::edition::{Edition, are_editions};
use super::nearly_same::nearly_same;
use super::stated::{StatedClaim, stated_claims, stated_in_fields};
use super::whose::{about_named, names_above, names_others};
use crate::question::asked::Question;
use crate::question::asking_words::AnswerKind;
use crate::question::elements::comparison_elements;

/// Most quotes that are compared with each other, the first ones. Bounds time.
const MOST_QUOTES: usize = 200;

/// What the quotes of a report say differently: [`differing_values`], then at most three pairs of sentences in nearly the same words, which
/// claim no conflict.
#[must_use]
pub fn disagreements(query: &str, citations: &[Citation]) -> Vec<Disagreement> {
    let values = differing_values(query, citations);
    let pairs = nearly_same(query, citations, &values);
    values.into_iter().chain(pairs).collect()
}

/// The values on which the quotes of a report disagree, in the order of their first citation.
///
/// If one source gives two of the values itself, it is about two things, and the values are not a disagreement.
#[must_use]
pub fn differing_values(query: &str, citations: &[Citation]) -> Vec<Disagreement> {
    told_disagreements(query, citations).into_iter().map(|told| told.disagreement).collect()
}

/// A disagreement with its subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldDisagreement {
    /// The subject, in words of the first quote.
    pub subject: String,
    /// The differing values.
    pub disagreement: Disagreement,
}

/// As [`differing_values`], with the subject of each.
#[must_use]
pub fn told_disagreements(query: &str, citations: &[Citation]) -> Vec<ToldDisagreement> {
    if comparison_elements(query).is_some() {
        return Vec::new();
    }
    let asking = Asking::new(query);
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    // Properties of files date no statement: a copy has a date of its own.
    let shown = about_named(query, citations).into_iter();
    let shown = shown.filter(|citation| citation.place != Some(FieldPlace::Properties));
    for citation in shown.take(MOST_QUOTES) {
        for claim in asking.read(&of_citation(citation), &citation.title) {
            match subjects.iter_mut().find(|subject| subject.is_about(&claim, citation)) {
                Some(subject) => subject.add(claim, citation),
                None => subjects.push(Subject { values: vec![(claim, vec![citation])] }),
            }
        }
    }
    subjects.iter().filter_map(Subject::disagreement).collect()
}

/// Whether two statements of different sources give different values for one thing that `query` asks for.
///
/// ```
/// use precis_evidence::compared::differ;
///
/// let query = "How high is the penalty cap?";
/// let five = "The penalty cap is 5 % of the price.";
/// assert!(differ(query, five, "The penalty cap is 10 % of the price."));
/// assert!(!differ(query, five, "The penalty cap is 5.0 percent of the price."));
/// ```
#[must_use]
pub fn differ(query: &str, a: &str, b: &str) -> bool {
    if comparison_elements(query).is_some() {
        return false;
    }
    let asking = Asking::new(query);
    let (a, b) = (asking.read(a, ""), asking.read(b, ""));
    a.iter().any(|a| b.iter().any(|b| a.is_about(b) && a.differs(b)))
}

/// What a question asks of the claims.
struct Asking {
    terms: Vec<String>,
    /// The terms if the question asks for a name; else empty.
    of_name: Vec<String>,
}

impl Asking {
    fn new(query: &str) -> Self {
        let terms = terms::query_terms(query);
        let wants_name = Question::new(query).wanted == AnswerKind::Name;
        Self { of_name: if wants_name { terms.clone() } else { Vec::new() }, terms }
    }

    /// The asked claims of a text with this title, in the order of its sentences; claims of its fields come last.
    fn read(&self, text: &str, title: &str) -> Vec<Claim> {
        let mut found = Vec::new();
        for (_, sentence) in sentences_with_ranges(text) {
            let values = stated_claims(sentence, &self.of_name);
            // `version 3 files` does not count files.
            let is_version = |number: &NumberClaim| {
                values
                    .iter()
                    .any(|claim| claim.stated.kind() == ValueKind::Version && number.value.contains(&claim.value))
            };
            found.extend(claims(sentence).into_iter().filter(|number| !is_version(number)).map(Claim::Number));
            found.extend(values.into_iter().map(Claim::Stated));
        }
        found.extend(stated_in_fields(text, title).into_iter().map(Claim::Stated));
        found.retain(|claim| claim.is_asked(&self.terms));
        found
    }
}

/// A value that a quote states for a thing.
enum Claim {
    Number(NumberClaim),
    Stated(StatedClaim),
}

impl Claim {
    fn is_about(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.is_about(b),
            (Self::Stated(a), Self::Stated(b)) => a.is_about(b),
            (Self::Number(_), Self::Stated(_)) | (Self::Stated(_), Self::Number(_)) => false,
        }
    }

    fn differs(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.quantity.differs(&b.quantity),
            (Self::Stated(a), Self::Stated(b)) => a.stated.differs(&b.stated),
            (Self::Number(_), Self::Stated(_)) | (Self::Stated(_), Self::Number(_)) => false,
        }
    }

    fn is_asked(&self, asked: &[String]) -> bool {
        match self {
            Self::Number(claim) => claim.is_asked(asked),
            Self::Stated(claim) => claim.context.is_asked(asked),
        }
    }

    fn kind(&self) -> ValueKind {
        match self {
            Self::Number(_) => ValueKind::Number,
            Self::Stated(claim) => claim.stated.kind(),
        }
    }

    fn value(&self) -> &str {
        match self {
            Self::Number(claim) => &claim.value,
            Self::Stated(claim) => &claim.value,
        }
    }

    /// The attribute of the thing: a unit, an event, `version` or `status`.
    fn attribute(&self) -> &str {
        match self {
            Self::Number(claim) => &claim.quantity.unit,
            Self::Stated(claim) => &claim.attribute,
        }
    }

    fn subject(&self) -> &str {
        match self {
            Self::Number(claim) => &claim.context.subject,
            Self::Stated(claim) => &claim.context.subject,
        }
    }
}

/// One thing, with its stated values and their citations.
struct Subject<'c> {
    /// Never empty, and no value without a citation.
    values: Vec<(Claim, Vec<&'c Citation>)>,
}

impl<'c> Subject<'c> {
    fn first(&self) -> &Claim {
        &self.values[0].0
    }

    /// Whether `claim` is about it. What is told in the words of a rule or an office may be told of two places: there the names above the
    /// two quotes count.
    fn is_about(&self, claim: &Claim, citation: &Citation) -> bool {
        let is_of_one_thing = || match claim.kind() {
            ValueKind::Number | ValueKind::Date | ValueKind::Version | ValueKind::Status | ValueKind::Wording => true,
            ValueKind::Time | ValueKind::Name | ValueKind::Contradiction => {
                let (first, own) = (self.values[0].1[0], citation);
                !names_others(&names_above(first), &names_above(own)) || are_editions(&first.title, &own.title)
            }
        };
        self.first().is_about(claim) && is_of_one_thing()
    }

    fn add(&mut self, claim: Claim, citation: &'c Citation) {
        match self.values.iter_mut().find(|(held, _)| !held.differs(&claim)) {
            Some((_, citations)) if citations.iter().any(|held| held.n == citation.n) => {}
            Some((_, citations)) => citations.push(citation),
            None => self.values.push((claim, vec![citation])),
        }
    }

    /// The date of the newest edition among `citations`, if another value is from an older edition of its document, and none from a newer.
    fn newer(&self, citations: &[&Citation]) -> Option<String> {
        let edition = |citation: &&Citation| Edition::of_title(&citation.title);
        let own = citations.iter().find_map(edition)?;
        let all = self.values.iter().flat_map(|(_, citations)| citations.iter()).filter_map(edition);
        let orders: Vec<Ordering> = all.filter_map(|other| own.compare(&other)).collect();
        (!orders.is_empty() && orders.iter().all(|order| *order == Ordering::Greater)).then_some(own.written)
    }

    /// Its values as a disagreement; `None` if there is only one value or a source gives two of them.
    fn disagreement(&self) -> Option<ToldDisagreement> {
        let sources = |(_, citations): &(Claim, Vec<&'c Citation>)| -> Vec<&'c str> {
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
        let given = |(claim, citations): &(Claim, Vec<&Citation>)| GivenValue {
            value: claim.value().to_owned(),
            citations: citations.iter().map(|citation| citation.n).collect(),
            newer: self.newer(citations),
        };
        (self.values.len() > 1).then(|| ToldDisagreement {
            subject: self.first().subject().to_owned(),
            disagreement: Disagreement {
                unit: self.first().attribute().to_owned(),
                kind: self.first().kind(),
                values: self.values.iter().map(given).collect(),
            },
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
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        quotes.iter().zip(1..).map(citation).collect()
    }

    fn found(query: &str, quotes: &[(&str, &str)]) -> Vec<Vec<(String, Vec<u32>)>> {
        let values = |d: Disagreement| d.values.into_iter().map(|v| (v.value, v.citations)).collect();
        differing_values(query, &citations(quotes)).into_iter().map(values).collect()
    }

    const CAP: &str = "What is the cap on the penalty?";

    #[test]
    fn sources_with_different_values_of_a_number_are_listed() {
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
    fn two_names_of_one_office_differ_and_values_of_towns_not() {
        let names =
            [("A", "The harbour master of Norby is Ida Lund."), ("B", "The harbour master of Norby is Cem Kaya.")];
        let want = vec![vec![("Ida Lund".to_owned(), vec![1]), ("Cem Kaya".to_owned(), vec![2])]];
        assert_eq!(found("Who is the harbour master of Norby?", &names), want);
        assert!(found("Where is the harbour master of Norby?", &names).is_empty(), "no name is asked for");
        let days = [("Norby", "It rains on 180 days a year."), ("Sandö", "It rains on 140 days a year.")];
        assert!(found("On how many days does it rain in Sandö?", &days).is_empty());
        assert_eq!(found("On how many days does it rain?", &days).len(), 1, "the question names none of them");
    }

    #[test]
    fn the_value_of_the_newer_edition_of_a_document_is_marked() {
        let old = ("Staff handbook, January 2019", "Employees have 25 days of paid leave a year.");
        let new = ("Staff handbook, January 2025", "Employees have 28 days of paid leave a year.");
        let newer = |quotes: &[(&str, &str)]| {
            let told = differing_values("How many days of paid leave do employees have?", &citations(quotes));
            told.into_iter().flat_map(|one| one.values).map(|value| value.newer).collect::<Vec<_>>()
        };
        assert_eq!(newer(&[old, new]), [None, Some("January 2025".to_owned())]);
        assert_eq!(newer(&[old, ("Board handbook, January 2025", new.1)]), [None, None]);
    }

    #[test]
    fn two_statements_differ_where_their_sources_would_disagree() {
        let (five, ten) = ("The penalty cap is 5 % of the price.", "The penalty cap is 10 % of the price.");
        assert!(differ(CAP, five, ten) && !differ(CAP, five, five) && !differ("Who signed it?", five, ten));
    }
}

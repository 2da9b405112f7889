//! Values on which the sources of a report disagree: numbers, dates, versions and statuses.
//!
//! Conservative: two sentences disagree only if they make the same claim about the same thing in the same words, for the same time and
//! conditions, and the values differ beyond rounding. Differences that a comparison asks for are not disagreements.

use precis_proto::FieldPlace;
use precis_proto::compare::{Disagreement, GivenValue};
use precis_proto::research::ValueKind;
use precis_proto::response::Citation;
use precis_text::sentences::located;
use precis_text::statement::of_citation;
use precis_text::terms;

use super::claim::{NumberClaim, claims};
use super::nearly_same::nearly_same;
use super::stated::{StatedClaim, stated, stated_in_fields};
use crate::question::elements::compared;

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
    if compared(query).is_some() {
        return Vec::new();
    }
    let asked = terms::query_terms(query);
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    // Properties of files date no statement: a copy has a date of its own.
    let shown = citations.iter().filter(|citation| citation.place != Some(FieldPlace::Properties));
    let said: Vec<_> = shown.take(MOST_QUOTES).map(|citation| (citation, of_citation(citation))).collect();
    for (citation, said) in &said {
        for claim in read(said, &citation.title).into_iter().filter(|claim| claim.is_asked(&asked)) {
            match subjects.iter_mut().find(|subject| subject.first().is_about(&claim)) {
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
    if compared(query).is_some() {
        return false;
    }
    let asked = terms::query_terms(query);
    let read =
        |text: &str| -> Vec<Claim> { read(text, "").into_iter().filter(|claim| claim.is_asked(&asked)).collect() };
    let (a, b) = (read(a), read(b));
    a.iter().any(|a| b.iter().any(|b| a.is_about(b) && a.differs(b)))
}

/// The claims of a text with this title, in the order of its sentences; claims of its fields come last.
fn read(text: &str, title: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    for (_, sentence) in located(text) {
        let values = stated(sentence);
        // `version 3 files` does not count files.
        let is_version = |number: &NumberClaim| {
            values.iter().any(|claim| claim.stated.kind() == ValueKind::Version && number.value.contains(&claim.value))
        };
        found.extend(claims(sentence).into_iter().filter(|number| !is_version(number)).map(Claim::Number));
        found.extend(values.into_iter().map(Claim::Stated));
    }
    found.extend(stated_in_fields(text, title).into_iter().map(Claim::Stated));
    found
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

    fn add(&mut self, claim: Claim, citation: &'c Citation) {
        match self.values.iter_mut().find(|(held, _)| !held.differs(&claim)) {
            Some((_, citations)) if citations.iter().any(|held| held.n == citation.n) => {}
            Some((_, citations)) => citations.push(citation),
            None => self.values.push((claim, vec![citation])),
        }
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
        };
        quotes.iter().zip(1..).map(citation).collect()
    }

    fn found(query: &str, quotes: &[(&str, &str)]) -> Vec<Vec<(String, Vec<u32>)>> {
        let values = |d: Disagreement| d.values.into_iter().map(|v| (v.value, v.citations)).collect();
        differing_values(query, &citations(quotes)).into_iter().map(values).collect()
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

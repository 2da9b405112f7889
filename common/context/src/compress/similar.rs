//! How near passages and their units are to a question by meaning, as the built-in model is told.

use precis_evidence::meaning::Meaning;
use precis_evidence::passage::needed_context;
use precis_proto::finding::{Passage, Unit};
use precis_proto::quote_context::ContextRole;
use precis_proto::task::PassageSimilarity;
use precis_proto::{BlockKind, CharRange};

/// How near each of `passages`, best first, is to `query` by meaning, for the first `most` of them. Empty if the question has no vector.
#[must_use]
pub fn passage_similarities(
    passages: &[Passage],
    query: &str,
    meaning: &dyn Meaning,
    most: usize,
) -> Vec<PassageSimilarity> {
    let Some(asked) = meaning.query(query) else { return Vec::new() };
    let near = |text: &str| meaning.passage(text).map(|own| asked.cosine(&own));
    let of = |(at, passage): (usize, &Passage)| {
        let whole = if at < most { near(&passage.text) } else { None };
        PassageSimilarity { whole, units: Vec::new() }
    };
    passages.iter().enumerate().map(of).collect()
}

/// How near a passage is to `query` by meaning, and each of its units. Nothing if the question has no vector.
#[must_use]
pub fn unit_similarities(passage: &Passage, query: &str, meaning: &dyn Meaning) -> PassageSimilarity {
    let Some(asked) = meaning.query(query) else { return PassageSimilarity::default() };
    let near = |text: &str| meaning.passage(text).map(|own| asked.cosine(&own));
    PassageSimilarity {
        whole: near(&passage.text),
        units: passage.units.iter().map(|unit| statement_of(passage, unit).and_then(|said| near(&said))).collect(),
    }
}

/// What a unit says below what it needs; `None` for what only leads to something.
fn statement_of(passage: &Passage, unit: &Unit) -> Option<String> {
    if unit.kind == BlockKind::Heading || unit.kind == BlockKind::Reference {
        return None;
    }
    let own: String = passage.text.chars().skip(unit.start).take(unit.end.saturating_sub(unit.start)).collect();
    let range = CharRange::new(unit.start, unit.end);
    let context = needed_context(&passage.text, &passage.context, std::slice::from_ref(unit), range);
    let above = context.iter().filter(|range| range.role != ContextRole::Item).map(|range| range.text.as_str());
    let heading = passage.headings.last().map(String::as_str).filter(|heading| !own.contains(heading));
    Some(heading.into_iter().chain(above).chain([own.as_str()]).collect::<Vec<_>>().join(" "))
}

//! How near passages and their units are to a question by meaning, as the built-in model is told.

use precis_evidence::meaning::Meaning;
use precis_evidence::passage::needed;
use precis_proto::finding::{Passage, Unit};
use precis_proto::quote_context::ContextRole;
use precis_proto::task::PassageSimilarity;
use precis_proto::{BlockKind, CharRange};

/// Most passages of a batch that get a vector for themselves and each of their units: those that are next to be quoted.
const MOST_READ_CLOSELY: usize = 16;
/// Fewest passages of a source that do, however many sources a batch has.
const LEAST_READ_CLOSELY: usize = 2;

/// How near each of `passages`, best first, is to `query` by meaning: those of one source, in a batch of `sources` sources. One entry a
/// passage, an empty one for a passage that is not read closely. Empty if the question has no vector.
#[must_use]
pub fn similarities(
    passages: &[Passage],
    query: &str,
    meaning: &dyn Meaning,
    sources: usize,
) -> Vec<PassageSimilarity> {
    let Some(asked) = meaning.query(query) else { return Vec::new() };
    let closely = (MOST_READ_CLOSELY / sources.max(1)).max(LEAST_READ_CLOSELY);
    let near = |text: &str| meaning.passage(text).map(|own| asked.cosine(&own));
    let of_passage = |(at, passage): (usize, &Passage)| match at < closely {
        true => PassageSimilarity {
            whole: near(&passage.text),
            units: passage.units.iter().map(|unit| said(passage, unit).and_then(|said| near(&said))).collect(),
        },
        false => PassageSimilarity::default(),
    };
    passages.iter().enumerate().map(of_passage).collect()
}

/// What a unit says below what it needs; `None` for what only leads to something.
fn said(passage: &Passage, unit: &Unit) -> Option<String> {
    if unit.kind == BlockKind::Heading || unit.kind == BlockKind::Reference {
        return None;
    }
    let own: String = passage.text.chars().skip(unit.start).take(unit.end.saturating_sub(unit.start)).collect();
    let range = CharRange::new(unit.start, unit.end);
    let context = needed(&passage.text, &passage.context, std::slice::from_ref(unit), range);
    let above = context.iter().filter(|range| range.role != ContextRole::Item).map(|range| range.text.as_str());
    let heading = passage.headings.last().map(String::as_str).filter(|heading| !own.contains(heading));
    Some(heading.into_iter().chain(above).chain([own.as_str()]).collect::<Vec<_>>().join(" "))
}

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
    let texts: Vec<&str> = passages.iter().take(most).map(|passage| passage.text.as_str()).collect();
    let near = meaning.passages(&texts).into_iter().map(|own| own.map(|own| asked.cosine(&own)));
    let of = |whole: Option<f64>| PassageSimilarity { whole, units: Vec::new() };
    near.chain(std::iter::repeat(None)).take(passages.len()).map(of).collect()
}

/// How near each of `passages` is to `query` by meaning, and each of its units. Nothing if the question has no vector.
#[must_use]
pub fn unit_similarities(passages: &[Passage], query: &str, meaning: &dyn Meaning) -> Vec<PassageSimilarity> {
    let Some(asked) = meaning.query(query) else { return vec![PassageSimilarity::default(); passages.len()] };
    let said: Vec<Vec<Option<String>>> = passages.iter().map(statements_of).collect();
    let of = |(passage, said): (&Passage, &Vec<Option<String>>)| {
        std::iter::once(passage.text.clone()).chain(said.iter().flatten().cloned()).collect::<Vec<_>>()
    };
    // All at once: a server of vectors is asked as seldom as possible.
    let texts = passages.iter().zip(&said).flat_map(of).collect::<Vec<String>>();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut near = meaning.passages(&texts).into_iter().map(|own| own.map(|own| asked.cosine(&own)));
    let mut next = || near.next().flatten();
    let mut similarity = |said: Vec<Option<String>>| {
        let whole = next();
        PassageSimilarity { whole, units: said.iter().map(|said| said.as_ref().and_then(|_| next())).collect() }
    };
    said.into_iter().map(&mut similarity).collect()
}

/// What each unit of a passage says.
fn statements_of(passage: &Passage) -> Vec<Option<String>> {
    passage.units.iter().map(|unit| statement_of(passage, unit)).collect()
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

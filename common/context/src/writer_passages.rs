//! The passages that the writer of a report sees: whole blocks of the texts, those that findings rest on first.

use std::collections::{BTreeMap, BTreeSet};

use precis_evidence::passage::whole_blocks;
use precis_evidence::ranking::{Ranker, rank_following};
use precis_evidence::typed::favoured::favour_wanted;
use precis_proto::finding::{Finding, Passage};
use precis_proto::source::Source;
use precis_proto::task::{ShownEvidence, ShownPassage};
use precis_proto::{CharRange, SourceId};
use precis_text::CanonicalText;
use precis_text::tokens::TokenBudget;

use crate::shown_document::shown_document;
use crate::shown_text::shown_text;

/// Tokens of the line with the mark and the headings of a passage, about.
const MARK_TOKENS: u64 = 12;
/// Characters of the chunks by which passages are ranked.
const RANKED_CHARS: usize = 400;

/// All passages of a text, in its order; those that do not match `query` score 0, those with the figure or the date that it wants more.
#[must_use]
pub fn of_text(source_id: &SourceId, text: &CanonicalText, query: &str) -> Vec<Passage> {
    let ranked = rank_following(text, (query, ""), Ranker::default(), RANKED_CHARS, usize::MAX);
    let mut all = whole_blocks(source_id, text, &ranked);
    favour_wanted(query, &mut all);
    all
}

/// What a passage is shown for, most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// A finding rests on it.
    Quoted,
    /// It stands next to such a passage.
    Neighbour,
    /// It shares words with the question.
    Ranked,
    /// There is room.
    Beside,
}

/// The passages of `by_source` that fit `budget_tokens`, in their order: those that `findings` rest on, then their neighbours, then
/// others by their score. A passage that a finding rests on scores more than all others.
#[must_use]
pub fn choose_passages(
    by_source: &[Vec<Passage>],
    findings: &[Finding],
    budget_tokens: u64,
    count: &dyn Fn(&str) -> u64,
) -> Vec<Passage> {
    let rested = rested_on(findings);
    let mut rows: Vec<(Reason, f64, usize, usize)> = Vec::new();
    for (n, passages) in by_source.iter().enumerate() {
        let importance: Vec<Option<f64>> = passages.iter().map(|passage| importance(passage, &rested)).collect();
        for (at, passage) in passages.iter().enumerate() {
            let near = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            let is_near = near.filter_map(|near| *importance.get(near)?).next().is_some();
            let (reason, score) = match importance[at] {
                Some(score) => (Reason::Quoted, 1.0 + score),
                None if is_near => (Reason::Neighbour, passage.score),
                None if passage.score > 0.0 => (Reason::Ranked, passage.score),
                None => (Reason::Beside, 0.0),
            };
            rows.push((reason, score, n, at));
        }
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
    let mut budget = TokenBudget::new(budget_tokens);
    let mut kept: Vec<(usize, usize, f64)> = Vec::new();
    for (_, score, n, at) in rows {
        if budget.allocate(count(&by_source[n][at].text).saturating_add(MARK_TOKENS)) {
            kept.push((n, at, score));
        }
    }
    kept.sort_by_key(|(n, at, _)| (*n, *at));
    kept.into_iter().map(|(n, at, score)| Passage { score, ..by_source[n][at].clone() }).collect()
}

/// The places that findings quote, by source and page, each with the importance of the finding.
type QuotedPlaces<'f> = BTreeMap<(&'f SourceId, Option<u32>), Vec<(CharRange, f64)>>;

fn rested_on(findings: &[Finding]) -> QuotedPlaces<'_> {
    let mut rested = QuotedPlaces::new();
    for finding in findings {
        for quote in &finding.quotes {
            let place = (&quote.source_id, quote.locator.page);
            rested.entry(place).or_default().push((quote.locator.range, finding.score));
        }
    }
    rested
}

/// The importance of the best finding that rests on `passage`; `None` if none does.
fn importance(passage: &Passage, rested: &QuotedPlaces<'_>) -> Option<f64> {
    let quoted = rested.get(&(&passage.source_id, passage.locator.page))?;
    let own = passage.locator.range;
    let touches = quoted.iter().filter(|(range, _)| range.start < own.end && own.start < range.end);
    touches.map(|(_, score)| *score).reduce(f64::max)
}

/// `passages` as they are shown, numbered from `first` on, with the documents they are from.
#[must_use]
pub fn show_passages(
    passages: &[Passage],
    first: u32,
    sources: &[Source],
    texts: &BTreeMap<SourceId, CanonicalText>,
) -> ShownEvidence {
    let used: BTreeSet<&SourceId> = passages.iter().map(|passage| &passage.source_id).collect();
    let mut evidence = ShownEvidence::default();
    let mut numbers: BTreeMap<&SourceId, u32> = BTreeMap::new();
    for (n, source) in (1_u32..).zip(sources).filter(|(_, source)| used.contains(&source.source_id)) {
        let text = texts.get(&source.source_id);
        evidence.documents.push(shown_document(n, source, text));
        numbers.insert(&source.source_id, n);
    }
    for (id, passage) in (first..).zip(passages) {
        let text = texts.get(&passage.source_id);
        let mut headings = passage.headings.clone();
        // A table that began in an earlier passage goes on with its heads.
        headings.extend(
            (!passage.columns.is_empty() && !passage.text.contains(&passage.columns)).then(|| passage.columns.clone()),
        );
        evidence.passages.push(ShownPassage {
            id,
            document: numbers.get(&passage.source_id).copied().unwrap_or(0),
            headings,
            page: text.and_then(|text| text.page_of(passage.range.start)),
            text: text.map_or_else(|| passage.text.clone(), |text| shown_text(text, passage.range)),
            score: passage.score,
        });
    }
    evidence
}

#[cfg(test)]
mod tests {
    use precis_proto::BlockKind;
    use precis_proto::finding::Quote;
    use precis_text::Leaf;

    use super::*;

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    fn text() -> CanonicalText {
        let heading = |name: &str| Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, name) };
        let mut leaves = Vec::new();
        for name in ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"] {
            leaves.push(heading(name));
            leaves.push(Leaf::new(BlockKind::Paragraph, format!("{name} is said in five words.")));
        }
        CanonicalText::from_leaves(&leaves)
    }

    fn finding(source: &SourceId, passage: &Passage) -> Finding {
        let quote = Quote::new(source.clone(), passage.locator, passage.text.clone(), Vec::new());
        let statement = passage.text.clone();
        Finding {
            finding_id: 1,
            topic: String::new(),
            statement,
            quotes: vec![quote],
            score: 0.4,
            tokens: 9,
            similarity: None,
        }
    }

    #[test]
    fn passages_of_findings_come_first_then_their_surroundings() {
        let (source, text) = (SourceId::new("s").expect("an id"), text());
        let mut all = of_text(&source, &text, "");
        let scores = [0.0, 0.0, 0.0, 0.0, 0.9];
        all.iter_mut().zip(scores).for_each(|(passage, score)| passage.score = score);
        let findings = [finding(&source, &all[1])];
        let names = |budget| -> Vec<String> {
            let kept = choose_passages(&[all.clone()], &findings, budget, &words);
            kept.iter().map(|passage| passage.text.split(' ').next().unwrap_or_default().to_owned()).collect()
        };
        for (budget, want) in [
            (18, &[][..]),
            (19, &["Beta"]),
            (38, &["Alpha", "Beta"]),
            (57, &["Alpha", "Beta", "Gamma"]),
            (76, &["Alpha", "Beta", "Gamma", "Epsilon"]),
            (95, &["Alpha", "Beta", "Gamma", "Delta", "Epsilon"]),
        ] {
            assert_eq!(names(budget), want, "{budget}");
        }
    }

    #[test]
    fn a_passage_is_shown_with_its_document_and_the_headings_above_it() {
        let (source_id, text) = (SourceId::new("s").expect("an id"), text());
        let source: Source = serde_json::from_value(serde_json::json!({
            "source_id": "s", "title": "Letters", "origin": { "content": text.hash() },
        }))
        .expect("a source");
        let passages = of_text(&source_id, &text, "Alpha");
        let shown = show_passages(&passages[3..], 7, &[source], &BTreeMap::from([(source_id, text)]));
        assert_eq!(shown.documents.len(), 1);
        assert_eq!(shown.passages.iter().map(|one| (one.id, one.document)).collect::<Vec<_>>(), [(7, 1), (8, 1)]);
        assert_eq!(shown.passages[0].text, "Delta\nDelta is said in five words.");
    }
}

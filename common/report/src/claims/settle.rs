//! Settles all statements of a draft: each is proved, or judged by a model, or stays and says that nobody judged it.
//!
//! The original text stays on record as a claim. A statement that another quote contains verbatim gets that citation. Nothing is removed or
//! replaced here but what a model judged to fail, and then as [`Fate`](super::outcome::Fate) says.

mod reviewer;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use precis_proto::claim::{QuoteSupport, Verdict};
use precis_proto::finding::Finding;
use precis_proto::source::Source;
use precis_proto::{Locator, SourceId};

use super::open_statements::CitablePieces;
use super::opinion::Opinions;
use super::settled::{SettledDraft, SourceTexts};
use super::unsettled::UnsettledDraft;
use crate::draft::citations::{cite, cite_reviewed};

use reviewer::{CitedPlace, NO_OPINIONS, ReviewedClaim, Reviewer};

/// Settles `draft`, in which bracketed numbers are ids of `findings`. `texts` are the source texts; without them only names and numbers in
/// the quotes themselves count. Without `edits` every statement is kept unchanged; the built-in model's statements are quotes.
///
/// ```
/// use precis_report::claims::{SourceTexts, settle};
/// use precis_text::CanonicalText;
/// use precis_proto::claim::Verdict;
/// use precis_proto::finding::{Finding, Quote};
/// use precis_proto::source::Source;
/// use precis_proto::{CharRange, Locator, SourceId};
/// use serde_json::json;
///
/// let words = "The supplier pays the buyer 1 percent of the price.";
/// let text = CanonicalText::from_plain(words);
/// let source: Source = serde_json::from_value(json!({
///     "source_id": "a", "title": "a.pdf", "origin": { "content": text.hash() },
///     "text": { "content": text.hash(), "chars": text.chars(), "tokens": 1, "pages": 0 },
/// }))?;
/// let locator = Locator { page: None, range: CharRange::new(0, words.chars().count()) };
/// let quote = Quote { source_id: SourceId::new("a")?, locator, text: words.to_owned(), headings: Vec::new(), context: Vec::new(), answer: Vec::new(), more_items: 0, place: None, recognized: None };
/// let (topic, statement) = (String::new(), words.to_owned());
/// let finding = Finding { finding_id: 1, topic, statement, quotes: vec![quote], score: 0.5, tokens: 9, similarity: None, };
/// let draft = "The supplier pays the buyer 2 percent of the price. [1]";
/// let settled = settle("What is paid?", draft, &[finding], &[source], &SourceTexts::new(), true);
/// assert_eq!(settled.claims[0].verdict, Verdict::NotJudged, "it is no quote, and no model judged it");
/// assert!(settled.cited.markdown.contains("2 percent of the price"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn settle(
    query: &str,
    draft: &str,
    findings: &[Finding],
    sources: &[Source],
    texts: &SourceTexts,
    edits: bool,
) -> SettledDraft {
    let cited = cite(draft, findings, sources);
    let pieces = CitablePieces { findings, sources, texts };
    settle_with(&NO_OPINIONS, &UnsettledDraft { query, draft, cited: &cited, pieces, edits })
}

/// As [`settle`], of a draft that was cited before, with a model's opinions by index in [`SettledDraft::claims`], and what becomes of
/// statements that failed. They apply to statements that are not verbatim.
#[must_use]
pub fn settle_with(opinions: &Opinions, unsettled: &UnsettledDraft<'_>) -> SettledDraft {
    let mut reviewer = Reviewer::new(unsettled);
    reviewer.opinions = opinions;
    let UnsettledDraft { draft, pieces: CitablePieces { findings, sources, .. }, .. } = *unsettled;
    let cited = cite_reviewed(draft, findings, sources, &mut reviewer);
    let numbers: HashMap<(&SourceId, Locator), u32> =
        cited.citations.iter().map(|c| ((&c.source_id, c.locator), c.n)).collect();
    let number = |place: &CitedPlace| numbers.get(&(&place.0, place.1)).copied();
    let compared = reviewer.claims.iter().map(|one| one.compared.clone()).collect();
    let claims = reviewer.claims.into_iter().map(|ReviewedClaim { mut claim, places, alone, .. }| {
        claim.quotes = places.iter().filter_map(number).collect::<BTreeSet<u32>>().into_iter().collect();
        if claim.quotes.len() > 1 {
            let support: BTreeMap<u32, Verdict> =
                alone.iter().filter_map(|(place, verdict)| Some((number(place)?, *verdict))).collect();
            claim.by_quote = support.into_iter().map(|(n, verdict)| QuoteSupport { n, verdict }).collect();
        }
        claim
    });
    let claims = claims.collect();
    SettledDraft { cited, claims, compared }
}

#[cfg(test)]
mod tests;

//! Finding ids in a draft become citation numbers.
//!
//! It owns the numbering and the records behind it; [`super::tidy`] owns what the rest of the draft may be. Bracketed
//! numbers in a draft are citations: `[3]`, and `[3, 7]` where both are findings. A literal bracket is escaped, `\[12\]`.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::finding::{Finding, Quote};
use precis_proto::response::Citation;
use precis_proto::source::Source;
use precis_proto::{Locator, SourceId};

use super::review::{NoReview, Review};
use super::tidy;

/// A draft with its citations in place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cited {
    /// Markdown without links, images and HTML; `[n]` cites, every other bracket is escaped.
    pub markdown: String,
    /// One per `n`, from 1, in order of first appearance; every one is used.
    pub citations: Vec<Citation>,
    /// Ids the draft cited that are no finding, or whose sources have no text; as written, each once, in order.
    pub removed: Vec<String>,
}

/// Numbers the citations of `draft` by first appearance, one number for each distinct place (source and locator).
///
/// A finding with two quotes gives `[1][2]`; a number that stands beside itself is written once. Ids that name no finding
/// are taken out and listed. Running it twice is not meaningful: numbers in the result are no longer finding ids.
#[must_use]
pub fn cite(draft: &str, findings: &[Finding], sources: &[Source]) -> Cited {
    cite_reviewed(draft, findings, sources, &mut NoReview)
}

/// The same for what `review` leaves of the draft.
#[must_use]
pub(crate) fn cite_reviewed(draft: &str, findings: &[Finding], sources: &[Source], review: &mut dyn Review) -> Cited {
    let mut numbering = Numbering::new(findings, sources);
    let markdown = tidy::tidy(draft, &mut numbering, review);
    Cited { markdown, citations: numbering.citations, removed: numbering.removed }
}

/// Ids of the findings that `draft` cites, by the rules of [`cite`].
#[must_use]
pub fn cited_findings(draft: &str, findings: &[Finding], sources: &[Source]) -> BTreeSet<u32> {
    let citations = cite(draft, findings, sources).citations;
    let cites = |q: &Quote| citations.iter().any(|c| c.source_id == q.source_id && c.locator == q.locator);
    findings.iter().filter(|f| f.quotes.iter().any(cites)).map(|f| f.finding_id).collect()
}

/// Citation numbers under way.
pub(super) struct Numbering<'a> {
    findings: BTreeMap<u32, &'a Finding>,
    sources: BTreeMap<&'a SourceId, &'a Source>,
    numbers: BTreeMap<(&'a SourceId, Locator), u32>,
    citations: Vec<Citation>,
    removed: Vec<String>,
}

impl<'a> Numbering<'a> {
    fn new(findings: &'a [Finding], sources: &'a [Source]) -> Self {
        let mut by_id = BTreeMap::new();
        for finding in findings {
            by_id.entry(finding.finding_id).or_insert(finding);
        }
        Self {
            findings: by_id,
            sources: sources.iter().map(|s| (&s.source_id, s)).collect(),
            numbers: BTreeMap::new(),
            citations: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// Citation numbers of the ids in one pair of brackets; empty where the one id is unknown, and noted as removed.
    ///
    /// `None` where it is no citation: a list such as `[0, 1]` whose members are not all findings is an interval or the like.
    pub(super) fn resolve(&mut self, ids: &[String]) -> Option<Vec<u32>> {
        let known: Vec<Option<&'a Finding>> = ids.iter().map(|id| self.finding(id)).collect();
        if ids.len() > 1 && known.iter().any(Option::is_none) {
            return None;
        }
        let mut numbers = Vec::new();
        for (id, finding) in ids.iter().zip(known) {
            let quotes = finding.map_or(&[][..], |f| &f.quotes);
            let found: Vec<u32> = quotes.iter().filter_map(|q| self.number(q)).collect();
            if found.is_empty() && !self.removed.contains(id) {
                self.removed.push(id.clone());
            }
            numbers.extend(found.into_iter().filter(|n| !numbers.contains(n)).collect::<Vec<_>>());
        }
        Some(numbers)
    }

    fn finding(&self, id: &str) -> Option<&'a Finding> {
        self.findings.get(&id.parse().ok()?).copied()
    }

    /// The number of a quote; `None` where its source is unknown or has no text, so that nothing could prove it.
    fn number(&mut self, quote: &'a Quote) -> Option<u32> {
        let place = (&quote.source_id, quote.locator);
        if let Some(known) = self.numbers.get(&place) {
            return Some(*known);
        }
        let source = self.sources.get(&quote.source_id)?;
        let text = source.text.as_ref()?;
        let n = u32::try_from(self.citations.len()).ok()? + 1;
        self.citations.push(Citation {
            n,
            source_id: quote.source_id.clone(),
            title: source.title.clone(),
            url: source.url.clone(),
            locator: quote.locator,
            text: quote.text.clone(),
            source_text_hash: text.content.to_string(),
        });
        self.numbers.insert(place, n);
        Some(n)
    }
}

#[cfg(test)]
mod tests;

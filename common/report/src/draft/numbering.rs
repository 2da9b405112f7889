//! Assigns citation numbers to finding ids, by first appearance.

use std::collections::BTreeMap;

use precis_proto::finding::{Finding, Quote};
use precis_proto::response::Citation;
use precis_proto::source::Source;
use precis_proto::{Locator, SourceId};

/// The citation numbers assigned so far.
pub(super) struct CitationNumbering<'a> {
    findings: BTreeMap<u32, &'a Finding>,
    sources: BTreeMap<&'a SourceId, &'a Source>,
    numbers: BTreeMap<(&'a SourceId, Locator), u32>,
    /// One per number, in order.
    pub(super) citations: Vec<Citation>,
    /// Ids that name nothing citable, as written, each once.
    pub(super) removed: Vec<String>,
}

impl<'a> CitationNumbering<'a> {
    pub(super) fn new(findings: &'a [Finding], sources: &'a [Source]) -> Self {
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

    /// The citation numbers of the ids in one pair of brackets; empty if the single id is unknown, which is then recorded as removed.
    ///
    /// `None` if the brackets are not a citation: a list such as `[0, 1]` whose members are not all findings is an interval or the like.
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

    /// The number of a quote; `None` if its source is unknown or has no text, because then nothing could prove the quote.
    fn number(&mut self, quote: &'a Quote) -> Option<u32> {
        let place = (&quote.source_id, quote.locator);
        if let Some(known) = self.numbers.get(&place) {
            return Some(*known);
        }
        let source = self.sources.get(&quote.source_id)?;
        let text = source.text.as_ref()?;
        let n = u32::try_from(self.citations.len()).ok()? + 1;
        // The outermost heading often is the title, which is shown anyway.
        let is_titled = quote.headings.first() == Some(&source.title);
        self.citations.push(Citation {
            n,
            source_id: quote.source_id.clone(),
            title: source.title.clone(),
            url: source.url.clone(),
            locator: quote.locator,
            text: quote.text.clone(),
            source_text_hash: text.content.to_string(),
            headings: quote.headings.iter().skip(usize::from(is_titled)).cloned().collect(),
            context: quote.context.clone(),
            answer: quote.answer.clone(),
            more_items: quote.more_items,
            place: quote.place,
            recognized: quote.recognized.clone(),
        });
        self.numbers.insert(place, n);
        Some(n)
    }
}

//! The statements of a report that a model may judge, and the passages they are shown with.

use std::collections::BTreeSet;

use precis_context::shown_document::shown_document;
use precis_context::shown_text::shown_text;
use precis_proto::claim::Verdict;
use precis_proto::finding::{Finding, Quote};
use precis_proto::source::Source;
use precis_proto::task::{ShownEvidence, ShownPassage};
use precis_proto::{CharRange, SourceId};
use precis_text::CanonicalText;
use precis_text::heading_paths::headings_above;

use super::evidence::in_context;
use super::outcome::doubts;
use super::settled::{MOST_CLAIMS, SettledDraft, SourceTexts};

/// Most characters by which a quote is widened to whole blocks, besides its context. Chosen: two long paragraphs.
const MOST_WIDENED: usize = 3_000;

/// A statement that is not verbatim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenStatement {
    /// Index of its claim.
    pub claim: usize,
    /// Its text, without citations.
    pub text: String,
    /// The pieces it is compared with, by their numbers; none if no piece shares a word with it, and it is judged by those of others.
    pub ids: Vec<u32>,
    /// Whether it cites them; otherwise they are the nearest to it.
    pub cites: bool,
    /// Its words that the pieces lack.
    pub doubts: Vec<String>,
    /// What it stands under: the head of its column and the label of its row, or the label of its item.
    pub under: Vec<String>,
}

/// The statements of `settled` that are not verbatim, in order; with `doubted_only` those with doubts alone.
#[must_use]
pub fn open_statements(settled: &SettledDraft, doubted_only: bool) -> Vec<OpenStatement> {
    let claims = settled.claims.iter().zip(&settled.compared).enumerate().take(MOST_CLAIMS);
    let open = claims.filter(|(_, (claim, _))| claim.verdict == Verdict::NotJudged);
    let statement =
        |(n, (claim, compared)): (usize, (&precis_proto::claim::Claim, &super::settled::ComparedWith))| OpenStatement {
            claim: n,
            text: claim.text.clone(),
            ids: compared.ids.clone(),
            cites: compared.cites,
            doubts: doubts(&claim.checks),
            under: compared.under.clone(),
        };
    open.map(statement).filter(|one| !doubted_only || !one.doubts.is_empty()).collect()
}

/// What a draft may cite.
#[derive(Debug, Clone, Copy)]
pub struct CitablePieces<'a> {
    /// The pieces by number: findings, or passages, which have no statement.
    pub findings: &'a [Finding],
    /// The sources of the session, in their order.
    pub sources: &'a [Source],
    /// Their texts, as far as loaded.
    pub texts: &'a SourceTexts,
}

/// A place that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownPlace {
    /// Number of its piece.
    pub(super) id: u32,
    pub(super) source_id: SourceId,
    /// Characters of the whole text.
    pub(super) range: CharRange,
}

impl<'a> CitablePieces<'a> {
    /// The pieces `ids` as shown to a model, with those around them, and their places. Pieces whose text is not loaded are left out.
    pub(super) fn show(&self, ids: &BTreeSet<u32>) -> (ShownEvidence, Vec<ShownPlace>) {
        let (mut evidence, mut places) = (ShownEvidence::default(), Vec::new());
        for (n, source) in (1_u32..).zip(self.sources) {
            let Some(text) = self.texts.get(&source.source_id) else { continue };
            let mut passages: Vec<(usize, ShownPassage)> = Vec::new();
            for finding in self.findings.iter().filter(|one| self.is_shown(one, ids)) {
                let ranges = ranges(finding, &source.source_id, text);
                let Some(first) = ranges.first() else { continue };
                let shown: Vec<String> = ranges.iter().map(|range| shown_text(text, *range)).collect();
                let passage = ShownPassage {
                    id: finding.finding_id,
                    document: n,
                    headings: headings_above(text, first.start),
                    page: text.page_of(first.start),
                    text: shown.join("\n"),
                    score: if ids.contains(&finding.finding_id) { 1.0 } else { 0.0 },
                };
                let place = |range| ShownPlace { id: finding.finding_id, source_id: source.source_id.clone(), range };
                places.extend(ranges.iter().copied().map(place));
                passages.push((first.start, passage));
            }
            if !passages.is_empty() {
                evidence.documents.push(shown_document(n, source, Some(text)));
                passages.sort_by_key(|(start, passage)| (*start, passage.id));
                evidence.passages.extend(passages.into_iter().map(|(_, passage)| passage));
            }
        }
        (evidence, places)
    }

    /// Whether a piece is one of `ids`, or a passage next to one.
    fn is_shown(&self, one: &Finding, ids: &BTreeSet<u32>) -> bool {
        if ids.contains(&one.finding_id) {
            return true;
        }
        if !is_passage(one) {
            return false;
        }
        let source = |finding: &'_ Finding| finding.quotes.first().map(|quote| quote.source_id.clone());
        // Below 0 it wraps to a number that no piece has.
        let near = [one.finding_id.wrapping_sub(1), one.finding_id + 1];
        near.iter().filter(|id| ids.contains(id)).any(|id| {
            let other = self.findings.iter().find(|finding| finding.finding_id == *id);
            other.is_some_and(|other| source(other) == source(one))
        })
    }

    /// The number of the document and of the first place of a piece, by which statements are ordered.
    pub(super) fn position(&self, id: u32) -> (usize, usize) {
        let quote = self.findings.iter().find(|one| one.finding_id == id).and_then(|one| one.quotes.first());
        let Some(quote) = quote else { return (usize::MAX, 0) };
        let source = self.sources.iter().position(|source| source.source_id == quote.source_id).unwrap_or(usize::MAX);
        let page = usize::try_from(quote.locator.page.unwrap_or(0)).unwrap_or(0);
        (source, (page << 32) + quote.locator.range.start)
    }
}

/// Whether a piece is a passage: it is shown as it is, and stands next to others.
pub(super) fn is_passage(finding: &Finding) -> bool {
    finding.statement.is_empty()
}

/// The characters of a piece in the text of a source: its quotes, those of a finding with the blocks around them, without overlaps.
fn ranges(finding: &Finding, source_id: &SourceId, text: &CanonicalText) -> Vec<CharRange> {
    let quotes = finding.quotes.iter().filter(|quote| quote.source_id == *source_id);
    let mut ranges: Vec<CharRange> = quotes
        .filter_map(|quote: &Quote| text.resolve(&quote.locator))
        .map(|range| if is_passage(finding) { range } else { whole_blocks(text, in_context(text, range)) })
        .collect();
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<CharRange> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined
}

/// `range` widened to the blocks that it cuts, unless they are very long.
fn whole_blocks(text: &CanonicalText, range: CharRange) -> CharRange {
    let blocks = text.blocks();
    let first = blocks.partition_point(|block| block.end <= range.start);
    let held = blocks[first..].iter().take_while(|block| block.start < range.end);
    let (mut start, mut end) = (range.start, range.end);
    for block in held {
        (start, end) = (start.min(block.start), end.max(block.end));
    }
    let room = |from: usize, to: usize| to.saturating_sub(from) <= MOST_WIDENED;
    let start = if room(start, range.start) { start } else { range.start };
    let end = if room(range.end, end) { end } else { range.end };
    CharRange::new(start, end)
}

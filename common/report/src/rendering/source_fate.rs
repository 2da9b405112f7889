//! What happened to each source, derived from the fidelity records. Used by both the Markdown and the HTML report.

use std::collections::BTreeMap;

use precis_proto::fidelity::{FidelityLevel, FidelityRecord};
use precis_proto::response::{ReportData, SourceRow};
use precis_proto::{Phase, SourceId};

/// A source and what each phase did to it.
#[derive(Debug)]
pub(super) struct SourceFate<'a> {
    pub(super) source: &'a SourceRow,
    /// Citations that quote it, in order.
    pub(super) cites: Vec<u32>,
    /// Phases that changed something, in order.
    pub(super) steps: Vec<PhaseEffect<'a>>,
    /// Phases that left it unchanged, in order.
    pub(super) unchanged: Vec<Phase>,
    pub(super) ending: SourceEnding,
    /// Number of sources with this text, including this one.
    pub(super) copies: usize,
}

/// What one phase did.
#[derive(Debug)]
pub(super) struct PhaseEffect<'a> {
    pub(super) phase: Phase,
    pub(super) record: &'a FidelityRecord,
}

/// The final state of a source in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SourceEnding {
    /// The report quotes it.
    Cited,
    /// It was read, but nothing of it is quoted.
    Uncited,
    /// Another source holds the same text.
    Copy,
    /// It was left out because it did not fit.
    LeftOut,
    /// It could not be read.
    Failed,
}

impl SourceFate<'_> {
    /// Its title; the URL or the id if it has none.
    pub(super) fn title(&self) -> &str {
        let named = [self.source.title.trim(), self.source.url.as_deref().unwrap_or("")];
        named.into_iter().find(|name| !name.is_empty()).unwrap_or(self.source.source_id.as_str())
    }

    /// Its tokens before the first phase and after the last.
    pub(super) fn tokens(&self) -> (u64, u64) {
        let before = self.steps.first().map_or(self.source.tokens, |s| s.record.tokens_before.max(self.source.tokens));
        (before, self.steps.last().map_or(before, |s| s.record.tokens_after))
    }
}

/// The fates of all sources, in the order of the session.
pub(super) fn stories(data: &ReportData) -> Vec<SourceFate<'_>> {
    let mut cites: BTreeMap<&SourceId, Vec<u32>> = BTreeMap::new();
    for citation in &data.citations {
        cites.entry(&citation.source_id).or_default().push(citation.n);
    }
    data.sources.iter().map(|source| story(data, source, cites.remove(&source.source_id).unwrap_or_default())).collect()
}

fn story<'a>(data: &'a ReportData, source: &'a SourceRow, cites: Vec<u32>) -> SourceFate<'a> {
    let (mut steps, mut unchanged) = (Vec::new(), Vec::new());
    let mut level = FidelityLevel::Raw;
    for (phase, record) in data.content_fidelity.0.get(&source.source_id).iter().flat_map(|item| &item.phases) {
        let same = record.level == level && record.tokens_before == record.tokens_after && record.warnings.is_empty();
        level = record.level;
        if same {
            unchanged.push(*phase);
        } else {
            steps.push(PhaseEffect { phase: *phase, record });
        }
    }
    let dropped = level == FidelityLevel::Dropped || data.dropped_content_ids.contains(&source.source_id);
    let ending = match () {
        () if copy_of(source).is_some() => SourceEnding::Copy,
        () if source.failure.is_some() => SourceEnding::Failed,
        () if !cites.is_empty() => SourceEnding::Cited,
        () if dropped => SourceEnding::LeftOut,
        () => SourceEnding::Uncited,
    };
    SourceFate { source, cites, steps, unchanged, ending, copies: copies(data, &source.source_id) }
}

/// The source with the same text that was read instead of this one.
pub(super) fn copy_of(source: &SourceRow) -> Option<&SourceId> {
    source.failure.as_ref()?.of.as_ref()
}

/// Number of sources with the text of `source`, including it.
pub(super) fn copies(data: &ReportData, source: &SourceId) -> usize {
    1 + data.sources.iter().filter(|other| copy_of(other) == Some(source)).count()
}

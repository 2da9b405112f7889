//! What became of each source, told from the fidelity records: the same story in Markdown and in HTML.

use std::collections::BTreeMap;

use precis_proto::fidelity::{FidelityLevel, FidelityRecord};
use precis_proto::response::{ReportData, SourceRow};
use precis_proto::{Phase, SourceId};

use super::words;

/// A source and what each phase did to it.
#[derive(Debug)]
pub(super) struct Story<'a> {
    pub(super) source: &'a SourceRow,
    /// Citations that quote it, in order.
    pub(super) cites: Vec<u32>,
    /// Phases that changed something, in order.
    pub(super) steps: Vec<Step<'a>>,
    /// Phases that let it pass as it was, in order.
    pub(super) unchanged: Vec<Phase>,
    pub(super) ending: Ending,
}

/// What one phase did.
#[derive(Debug)]
pub(super) struct Step<'a> {
    pub(super) phase: Phase,
    pub(super) record: &'a FidelityRecord,
}

/// How a source ended, from best to worst for the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ending {
    /// The report quotes it.
    Cited,
    /// It was read, and nothing of it is quoted.
    Uncited,
    /// It did not fit.
    LeftOut,
    /// It could not be read.
    Failed,
}

impl Story<'_> {
    /// Its title, or what else names it.
    pub(super) fn title(&self) -> &str {
        let named = [self.source.title.trim(), self.source.url.as_deref().unwrap_or("")];
        named.into_iter().find(|name| !name.is_empty()).unwrap_or(self.source.source_id.as_str())
    }

    /// Tokens of it at first and at last.
    pub(super) fn tokens(&self) -> (u64, u64) {
        let before = self.steps.first().map_or(self.source.tokens, |s| s.record.tokens_before.max(self.source.tokens));
        (before, self.steps.last().map_or(before, |s| s.record.tokens_after))
    }

    /// All of it in one line, for a table.
    pub(super) fn line(&self) -> String {
        if let Some(failure) = &self.source.failure {
            return format!("could not be read: {}", failure.message);
        }
        if self.steps.is_empty() {
            return words::level(FidelityLevel::Raw).to_owned();
        }
        self.steps.iter().map(Step::line).collect::<Vec<_>>().join("; ")
    }
}

impl Step<'_> {
    /// `digest: digested, to fit the budget (12,000 → 800)`.
    fn line(&self) -> String {
        let reason = self.record.reason.map_or(String::new(), |r| format!(" {}", words::reason(r)));
        let tokens = words::tokens(self.record.tokens_before, self.record.tokens_after);
        format!("{}: {}{reason} ({tokens})", self.phase, words::level(self.record.level))
    }
}

/// The stories of all sources, in the order of the session.
pub(super) fn stories(data: &ReportData) -> Vec<Story<'_>> {
    let mut cites: BTreeMap<&SourceId, Vec<u32>> = BTreeMap::new();
    for citation in &data.citations {
        cites.entry(&citation.source_id).or_default().push(citation.n);
    }
    data.sources.iter().map(|source| story(data, source, cites.remove(&source.source_id).unwrap_or_default())).collect()
}

fn story<'a>(data: &'a ReportData, source: &'a SourceRow, cites: Vec<u32>) -> Story<'a> {
    let (mut steps, mut unchanged) = (Vec::new(), Vec::new());
    let mut level = FidelityLevel::Raw;
    for (phase, record) in data.content_fidelity.0.get(&source.source_id).iter().flat_map(|item| &item.phases) {
        let same = record.level == level && record.tokens_before == record.tokens_after && record.warnings.is_empty();
        level = record.level;
        if same {
            unchanged.push(*phase);
        } else {
            steps.push(Step { phase: *phase, record });
        }
    }
    let dropped = level == FidelityLevel::Dropped || data.dropped_content_ids.contains(&source.source_id);
    let ending = match () {
        () if source.failure.is_some() => Ending::Failed,
        () if !cites.is_empty() => Ending::Cited,
        () if dropped => Ending::LeftOut,
        () => Ending::Uncited,
    };
    Story { source, cites, steps, unchanged, ending }
}

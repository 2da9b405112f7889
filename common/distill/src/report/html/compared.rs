//! Quotes side by side and numbers that differ, as the page shows them.

use precis_proto::compare::{ComparedRow, Comparison, Disagreement, GivenValue};
use precis_proto::response::ReportData;

use crate::report::frame::{compared_heads, given, name};
use crate::report::words::visible;

/// One number with the values that sources give it.
#[derive(Debug)]
pub(super) struct DifferingNumber {
    pub(super) values: Vec<ComparedValue>,
}

/// A value and the quotes that hold it.
#[derive(Debug)]
pub(super) struct ComparedValue {
    pub(super) value: String,
    pub(super) cites: Vec<u32>,
    /// The sources, each once.
    pub(super) names: String,
}

impl DifferingNumber {
    pub(super) fn new(disagreement: &Disagreement, data: &ReportData) -> Self {
        let value = |value: &GivenValue| {
            let given = given(value, data);
            let mut names: Vec<String> = given.iter().map(|citation| visible(&name(citation))).collect();
            names.dedup();
            let cites = given.iter().map(|citation| citation.n).collect();
            ComparedValue { value: visible(&value.value), cites, names: names.join(", ") }
        };
        Self { values: disagreement.values.iter().map(value).collect() }
    }
}

/// A table of quotes.
#[derive(Debug)]
pub(super) struct SideBySide {
    pub(super) heads: [&'static str; 2],
    pub(super) rows: Vec<ComparisonView>,
}

/// What was compared, and its quotes.
#[derive(Debug)]
pub(super) struct ComparisonView {
    pub(super) name: String,
    /// Number and words.
    pub(super) quotes: Vec<(u32, String)>,
}

impl SideBySide {
    pub(super) fn new(comparison: &Comparison, data: &ReportData) -> Self {
        let row = |row: &ComparedRow| {
            let quotes = data.citations.iter().filter(|citation| row.citations.contains(&citation.n));
            ComparisonView {
                name: visible(&row.name),
                quotes: quotes.map(|citation| (citation.n, visible(&citation.text))).collect(),
            }
        };
        Self { heads: compared_heads(&data.query, comparison.by), rows: comparison.rows.iter().map(row).collect() }
    }
}

//! Quotes side by side and numbers that differ, as the page shows them.

use precis_evidence::compared::compared_heads;
use precis_language::labels::{Label, LabelLanguage};
use precis_proto::compare::{ComparedRow, Comparison, Disagreement, GivenValue, TimelineRow};
use precis_proto::research::ValueKind;
use precis_proto::response::ReportData;
use precis_text::wording::pieces;

use crate::rendering::frame::{citations_of, differing, name};
use crate::rendering::words::visible;

/// A value on which sources differ.
#[derive(Debug)]
pub(super) struct DifferingThing {
    /// The label shown before the values.
    pub(super) label: Label,
    /// Whether its values are whole sentences, which are shown one below the other.
    pub(super) is_wording: bool,
    pub(super) values: Vec<ComparedValue>,
}

/// A value and the citations of it.
#[derive(Debug)]
pub(super) struct ComparedValue {
    pub(super) value: String,
    /// A sentence in pieces, each with whether the other sentence lacks it; one piece for a value.
    pub(super) pieces: Vec<(String, bool)>,
    pub(super) cites: Vec<u32>,
    /// The sources, each once.
    pub(super) names: String,
}

impl DifferingThing {
    pub(super) fn new(disagreement: &Disagreement, data: &ReportData, labels: LabelLanguage) -> Self {
        let value = |value: &GivenValue| {
            let given = citations_of(value, data);
            let mut names: Vec<String> = given.iter().map(|citation| visible(&name(citation))).collect();
            names.dedup();
            let cites = given.iter().map(|citation| citation.n).collect();
            let newer = value.newer.as_ref().map(|date| format!("; {}", labels.fill(Label::Newer, &[&visible(date)])));
            let names = format!("{}{}", names.join(", "), newer.unwrap_or_default());
            let value = visible(&value.value);
            ComparedValue { pieces: vec![(value.clone(), false)], value, cites, names }
        };
        let mut values: Vec<ComparedValue> = disagreement.values.iter().map(value).collect();
        let is_wording = disagreement.kind == ValueKind::Wording;
        if let [a, b] = &mut values[..]
            && is_wording
        {
            let [first, second] = pieces(&a.value, &b.value).map(|pieces| {
                pieces.into_iter().map(|piece| (piece.text.to_owned(), piece.differs)).collect::<Vec<_>>()
            });
            (a.pieces, b.pieces) = (first, second);
        }
        Self { label: differing(disagreement.kind), is_wording, values }
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

/// A dated quote.
#[derive(Debug)]
pub(super) struct DatedLine {
    pub(super) date: String,
    pub(super) text: String,
    pub(super) cites: Vec<u32>,
    /// The sources, each once.
    pub(super) names: String,
}

impl DatedLine {
    pub(super) fn new(row: &TimelineRow, data: &ReportData) -> Self {
        let given = data.citations.iter().filter(|citation| row.citations.contains(&citation.n));
        let mut names: Vec<String> = given.map(|citation| visible(&name(citation))).collect();
        names.dedup();
        Self {
            date: visible(&row.date),
            text: visible(&row.text),
            cites: row.citations.clone(),
            names: names.join(", "),
        }
    }
}

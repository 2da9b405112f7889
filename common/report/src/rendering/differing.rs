//! What sources say differently, in Markdown: values in one line, sentences in nearly the same words one below the other.

use precis_language::labels::{Label, LabelLanguage};
use precis_proto::compare::{Disagreement, GivenValue};
use precis_proto::response::ReportData;

use super::frame;
use crate::draft::inline_writer::literal_within;

/// `Sources give different values: 5 % [1] (a.pdf); 10 % [2] (b.pdf)`.
pub(super) fn values_line(disagreement: &Disagreement, data: &ReportData, labels: LabelLanguage) -> String {
    let values: Vec<String> = disagreement.values.iter().map(|value| given_value(value, data, labels)).collect();
    format!("{}: {}", labels.say(frame::differing(disagreement.kind)), values.join("; "))
}

/// Sentences in nearly the same words, one below the other.
pub(super) fn near_sentences(pair: &Disagreement, data: &ReportData, labels: LabelLanguage) -> String {
    let line = |side: &GivenValue| format!("> {}", given_value(side, data, labels));
    let lines: Vec<String> = pair.values.iter().map(line).collect();
    format!("> {}:\n>\n{}", labels.say(frame::differing(pair.kind)), lines.join("\n>\n"))
}

/// `5 % [1] (a.pdf)`, and `5 % [1] (a.pdf; newer: May 2025)`.
fn given_value(value: &GivenValue, data: &ReportData, labels: LabelLanguage) -> String {
    let given = frame::citations_of(value, data);
    let numbers: String = given.iter().map(|c| format!("[{}]", c.n)).collect();
    let mut names: Vec<String> = given.iter().map(|c| frame::name(c)).collect();
    names.dedup();
    let newer = value.newer.as_ref().map(|date| format!("; {}", labels.fill(Label::Newer, &[date])));
    let named = format!("{}{}", names.join(", "), newer.unwrap_or_default());
    format!("{} {numbers} ({})", literal_within(&value.value), literal_within(&named))
}

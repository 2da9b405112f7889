//! Quotes side by side: what a comparison asked for, values on which sources differ, and what happened when.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::research::ValueKind;

/// The quotes of a report, ordered by what the question compares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// What the rows are.
    pub by: ComparedBy,
    /// In the order of the question, or of the first citation; at least two with citations.
    pub rows: Vec<ComparedRow>,
}

/// What a comparison sets side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparedBy {
    /// Things that the question names.
    Element,
    /// Sources.
    Source,
}

/// One of the things compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedRow {
    /// Words of the question, or the title of a source.
    pub name: String,
    /// Numbers of the citations that speak of it; empty where none does.
    pub citations: Vec<u32>,
}

/// Dated quotes, for a question that asks for history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timeline {
    /// In the order of their dates; at least two.
    pub rows: Vec<TimelineRow>,
}

/// What happened at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineRow {
    /// Day, month or year as the quote writes it.
    pub date: String,
    /// The sentence of the quote that it stands in, white space single.
    pub text: String,
    /// Numbers of the citations that hold it.
    pub citations: Vec<u32>,
}

/// One thing for which sources give different values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Disagreement {
    /// What is counted or measured: a unit, a currency or a noun, as the first quote has it. Of a date, what happened; else the kind.
    pub unit: String,
    /// What kind of value differs; left out where it is a number.
    #[serde(default, skip_serializing_if = "ValueKind::is_number")]
    pub kind: ValueKind,
    /// The values in the order of their first citation; at least two, each of other sources than the rest.
    pub values: Vec<GivenValue>,
}

/// A value and who gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GivenValue {
    /// As the first of its quotes writes it, with its unit.
    pub value: String,
    /// Numbers of the citations whose quotes hold it.
    pub citations: Vec<u32>,
}

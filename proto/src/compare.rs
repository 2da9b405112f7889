//! Quotes side by side: the comparison a question asks for, values on which sources differ, and timelines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::research::ValueKind;

/// The quotes of a report, grouped by the things the question compares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// What a row stands for.
    pub by: ComparedBy,
    /// The rows, in the order of the question or of the first citation; at least two have citations.
    pub rows: Vec<ComparedRow>,
}

/// What the rows of a comparison stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparedBy {
    /// A thing that the question names.
    Element,
    /// A source.
    Source,
}

/// One row of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedRow {
    /// Words of the question, or the title of a source.
    pub name: String,
    /// Numbers of the citations about it; may be empty.
    pub citations: Vec<u32>,
}

/// Dated quotes, for a question that asks for history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timeline {
    /// The rows in the order of their dates; at least two.
    pub rows: Vec<TimelineRow>,
}

/// A dated event of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineRow {
    /// Day, month or year as written in the quote.
    pub date: String,
    /// The sentence of the quote that contains the date, with single spaces.
    pub text: String,
    /// Numbers of the citations that contain it.
    pub citations: Vec<u32>,
}

/// Something for which sources give different values, or that they say in nearly the same words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Disagreement {
    /// What is counted or measured: a unit, a currency or a noun, as in the first quote. For a date the event, for a wording empty, otherwise
    /// the kind.
    pub unit: String,
    /// Kind of the values; left out for numbers.
    #[serde(default, skip_serializing_if = "ValueKind::is_number")]
    pub kind: ValueKind,
    /// The values in the order of their first citation; at least two, each from different sources.
    pub values: Vec<GivenValue>,
}

/// A value with the citations that give it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GivenValue {
    /// The value as written in the first of its quotes, with its unit; for a wording the sentence, with single spaces.
    pub value: String,
    /// Numbers of the citations whose quotes contain it.
    pub citations: Vec<u32>,
    /// Date of its document, as the title has it, if another of the values is from an older edition of that document and none from a newer
    /// one; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer: Option<String>,
}

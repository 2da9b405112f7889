//! Answers computed from the rows of a table, with every cell they rest on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Locator, SourceId};

/// What was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComputedOperation {
    /// The highest of the numbers.
    Highest,
    /// The lowest of the numbers.
    Lowest,
    /// Their sum.
    Sum,
    /// Their mean, rounded to two decimals more than they have.
    Average,
    /// How many rows there are.
    Count,
}

/// Why an operation that is asked for was not computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotComputed {
    /// A cell is no plain number.
    NotANumber,
    /// A number has two readings, such as `1.200`, and nothing in the table decides between them.
    TwoReadings,
    /// The numbers count or measure different things.
    SeveralUnits,
    /// The row that sums up the others has another sum.
    OtherTotal,
    /// There are more rows than are computed over.
    TooManyRows,
}

/// An answer computed from rows of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Computed {
    /// What was computed.
    pub operation: ComputedOperation,
    /// The source of the table.
    pub source_id: SourceId,
    /// `sha256:` and the hash of its canonical text.
    pub source_text_hash: String,
    /// The head of the column of the numbers; left out of a count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<ComputedCell>,
    /// The result as a plain decimal number; left out if it was not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// What the numbers count or measure, if their cells say it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// Why it was not computed; left out if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_computed: Option<NotComputed>,
    /// The rows it rests on, in the order of the table: all of them, or the first one for which it was not computed.
    pub rows: Vec<ComputedRow>,
}

/// A row that a computed answer rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComputedRow {
    /// The cells that name the row; empty if none does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<ComputedCell>,
    /// The cells for which the question chose the row, such as a year.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen_by: Vec<ComputedCell>,
    /// The cell with the number; left out of a count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<ComputedCell>,
    /// Its number as a plain decimal number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// Whether it has the highest or the lowest number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_result: bool,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComputedCell {
    /// Position in the canonical text.
    pub locator: Locator,
    /// Exactly the characters at this position.
    pub text: String,
}

impl Computed {
    /// Every cell that it names.
    pub fn cells(&self) -> impl Iterator<Item = &ComputedCell> {
        let of_rows = self.rows.iter().flat_map(|row| row.labels.iter().chain(&row.chosen_by).chain(&row.value));
        self.head.iter().chain(of_rows)
    }
}

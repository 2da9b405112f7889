//! [`SheetRow`]: a row of a sheet before its place in a table is known.

/// A row, and what the document says about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SheetRow {
    pub(crate) cells: Vec<String>,
    /// Whether one of its cells is a number.
    pub(crate) has_number: bool,
    /// Whether the document says that it names the columns.
    pub(crate) is_header: bool,
    /// Whether one of its cells covers several columns.
    pub(crate) spans_columns: bool,
    /// Whether rows without words come before it.
    pub(crate) is_after_gap: bool,
    /// Whether words of it are struck out.
    pub(crate) is_struck: bool,
}

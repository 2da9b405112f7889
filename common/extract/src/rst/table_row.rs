//! Rows found by the readers of drawn tables, and lines split into screen columns.

/// Follows a wide character, which takes two columns.
const WIDE_FILLER: char = '\0';

/// A row of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TableRow {
    pub(super) is_header: bool,
    /// Number of columns of the table.
    pub(super) columns: usize,
    pub(super) cells: Vec<TableCell>,
}

/// A cell: its first column, from 0, and its lines. Columns and rows that it spans have no cells of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableCell {
    pub(super) column: usize,
    pub(super) source: String,
}

/// The characters of a line, one per screen column.
pub(super) fn columns_of(line: &str) -> Vec<char> {
    line.chars().flat_map(|c| std::iter::once(c).chain(is_wide(c).then_some(WIDE_FILLER))).collect()
}

/// The text of a range of columns over several lines.
pub(super) fn text_of<'l>(lines: impl Iterator<Item = &'l [char]>) -> String {
    let line = |chars: &[char]| chars.iter().filter(|c| **c != WIDE_FILLER).collect::<String>().trim_end().to_owned();
    lines.map(line).collect::<Vec<_>>().join("\n")
}

/// Whether `c` takes two columns (Unicode Standard Annex 11: wide and full width).
fn is_wide(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}' | '\u{a960}'..='\u{a97c}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff01}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}' | '\u{1f300}'..='\u{1f64f}' | '\u{1f900}'..='\u{1f9ff}' | '\u{20000}'..='\u{3fffd}')
}

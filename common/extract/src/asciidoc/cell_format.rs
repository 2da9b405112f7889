//! What stands before the bar of a cell, `2.3+^.>a`, and what attributes say about columns.

use crate::columns::Cell;

/// Most columns or rows that one cell covers, and most times that it is repeated.
pub(super) const MAX_SPAN: usize = 100;
/// Letters of styles.
const STYLES: &str = "adehlmsv";

/// How a cell is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellFormat {
    /// Number of columns and rows that it covers, at least 1.
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// How often it stands there, at least once.
    pub(super) times: usize,
    pub(super) style: Option<char>,
}

impl CellFormat {
    pub(super) const PLAIN: Self = Self { columns: 1, rows: 1, times: 1, style: None };

    /// The cell in a row.
    pub(super) fn cell(self) -> Cell {
        Cell { columns: self.columns, rows: self.rows, ..Cell::PLAIN }
    }
}

/// The `text` before a bar without the format of the next cell at its end, which stands apart from words; and that format.
pub(super) fn split_format(text: &str) -> (&str, CellFormat) {
    let at = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    format(&text[at..]).map_or((text, CellFormat::PLAIN), |format| (&text[..at], format))
}

/// The format that is all of `text`: a factor, how the cell is aligned, and a style; at least one of these.
fn format(text: &str) -> Option<CellFormat> {
    let (mut found, mut rest) = (CellFormat::PLAIN, text);
    if let Some(end) = text.find(['+', '*']) {
        let (columns, rows) = text[..end].split_once('.').unwrap_or((&text[..end], ""));
        let number = |digits: &str| if digits.is_empty() { Some(1) } else { digits.parse::<usize>().ok() };
        let (columns, rows) = (number(columns)?.clamp(1, MAX_SPAN), number(rows)?.clamp(1, MAX_SPAN));
        match text[end..].starts_with('+') {
            true => (found.columns, found.rows) = (columns, rows),
            false => found.times = columns,
        }
        rest = &text[end + 1..];
    }
    rest = rest.strip_prefix(['<', '^', '>']).unwrap_or(rest);
    rest = rest.strip_prefix('.').and_then(|rest| rest.strip_prefix(['<', '^', '>'])).unwrap_or(rest);
    let style = rest.chars().next().filter(|style| STYLES.contains(*style));
    found.style = style;
    (!text.is_empty() && style.map_or(0, char::len_utf8) == rest.len()).then_some(found)
}

/// The style of each column that attributes name: `cols="1,2a"`, `cols=3*`; none if they name no columns.
pub(super) fn column_styles(attributes: &str) -> Vec<Option<char>> {
    let Some((_, value)) = attributes.split_once("cols=") else { return Vec::new() };
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => value.split(',').next().unwrap_or_default(),
    };
    let mut styles = Vec::new();
    for part in value.split([',', ';']).map(str::trim) {
        let times = part.split_once('*').map_or(1, |(times, _)| times.parse().unwrap_or(1));
        let style = part.chars().next_back().filter(|style| STYLES.contains(*style));
        let left = (MAX_SPAN * MAX_SPAN).saturating_sub(styles.len());
        styles.extend(std::iter::repeat_n(style, times.min(left)));
    }
    styles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_from_words() {
        let span = |columns, rows| CellFormat { columns, rows, ..CellFormat::PLAIN };
        for (text, words, want) in [
            ("2+", "", span(2, 1)),
            (".3+", "", span(1, 3)),
            ("a 2.3+^.>s", "a ", CellFormat { style: Some('s'), ..span(2, 3) }),
            ("b 3*", "b ", CellFormat { times: 3, ..CellFormat::PLAIN }),
            ("c h", "c ", CellFormat { style: Some('h'), ..CellFormat::PLAIN }),
            ("May 2020", "May 2020", CellFormat::PLAIN),
            ("C++", "C++", CellFormat::PLAIN),
            ("1+1", "1+1", CellFormat::PLAIN),
            ("", "", CellFormat::PLAIN),
        ] {
            assert_eq!(split_format(text), (words, want), "{text}");
        }
    }

    #[test]
    fn a_cell_covers_columns_and_rows_up_to_a_number() {
        for (number, covered) in [(MAX_SPAN - 1, MAX_SPAN - 1), (MAX_SPAN, MAX_SPAN), (MAX_SPAN + 1, MAX_SPAN)] {
            let found = |text: &str| split_format(text).1;
            assert_eq!(found(&format!("{number}.{number}+")).cell().columns, covered, "{number}");
            assert_eq!(found(&format!(".{number}+")).rows, covered, "{number}");
            assert_eq!(found(&format!("{number}*")).times, covered, "{number}");
        }
    }

    #[test]
    fn columns_have_a_number_and_styles() {
        for (attributes, want) in [
            ("cols=\"1,2a\"", &[None, Some('a')][..]),
            ("cols=\"2*,>l\",options=\"header\"", &[None, None, Some('l')]),
            ("%header,cols=2*", &[None, None]),
            ("%header", &[]),
        ] {
            assert_eq!(column_styles(attributes), want, "{attributes}");
        }
        let most = MAX_SPAN * MAX_SPAN;
        for (number, columns) in [(most - 1, most - 1), (most, most), (most + 1, most)] {
            assert_eq!(column_styles(&format!("cols={number}*")).len(), columns, "{number}");
        }
    }
}

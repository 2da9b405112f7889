//! Tables as text: values separated by commas, semicolons or tabs (RFC 4180 and similar).

use precis_text::Leaf;

use super::sheet::SheetReader;

/// The leaves of `source`, and a remark if cells were left out. `is_tabs` is set if the name or type of the document promises tabs.
pub(super) fn leaves(source: &str, is_tabs: bool) -> (Vec<Leaf>, Option<String>) {
    let delimiter = if is_tabs { b'\t' } else { delimiter(source) };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(source.trim_start_matches('\u{feff}').as_bytes());
    let mut sheets = SheetReader::default();
    sheets.open();
    for record in reader.records() {
        // The source is valid UTF-8 and rows may differ in length, so reading cannot fail otherwise.
        let Ok(record) = record else { continue };
        sheets.row(record.iter().map(str::to_owned).collect());
        if sheets.is_full() {
            break;
        }
    }
    sheets.close();
    sheets.finish()
}

/// The rows of `source` as values between `delimiter`s, without white space around them.
pub(super) fn records(source: &str, delimiter: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(delimiter).has_headers(false).flexible(true).trim(csv::Trim::All);
    // The source is valid UTF-8 and rows may differ in length, so reading cannot fail.
    let records = reader.from_reader(source.as_bytes()).into_records().flatten();
    records.map(|record| record.iter().map(str::to_owned).collect()).collect()
}

/// The separator that occurs most often in the first line, outside of quotes; a comma if none does.
fn delimiter(source: &str) -> u8 {
    let (mut counts, mut is_quoted) = ([(b',', 0), (b';', 0), (b'\t', 0), (b'|', 0)], false);
    for byte in source.bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => break,
            _ if is_quoted => {}
            _ => counts.iter_mut().filter(|(mark, _)| *mark == byte).for_each(|(_, count)| *count += 1),
        }
    }
    // On a tie the first wins: a comma is more likely than the others.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(mark, _)| *mark)
}

#[cfg(test)]
mod tests {
    use super::super::package::fixture::render_leaf;
    use super::*;

    #[test]
    fn values_are_cells_whatever_sets_them_apart() {
        for source in
            ["a,\"b \"\"c\"\"\nd\"\r\n1,\r\n", "a;\"b \"\"c\"\"\nd\"\n1;\n", "\u{feff}a\t\"b \"\"c\"\"\nd\"\n1\t"]
        {
            let (found, remark) = leaves(source, false);
            let found: Vec<String> = found.iter().map(render_leaf).collect();
            assert_eq!(
                (found, remark),
                (vec!["table_row1h : a|b \"c\"\nd".to_owned(), "table_row1 : 1".to_owned()], None)
            );
        }
        assert_eq!(leaves("a,b\tc", true).0.iter().map(render_leaf).collect::<Vec<_>>(), ["table_row1h : a,b|c"]);
        assert_eq!(leaves("", false).0, []);
    }
}

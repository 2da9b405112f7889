//! Tables of AsciiDoc: cells behind vertical bars, in rows of as many cells as there are columns.

/// A table as rows of cells.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TableText {
    pub(super) rows: Vec<Vec<String>>,
    /// Whether the first row names the columns.
    pub(super) has_header: bool,
}

/// The rows in the `lines` between two lines `delimiter`, whose first character parts the cells, below block attributes.
pub(super) fn read(lines: &[&str], delimiter: &str, attributes: &str) -> TableText {
    let is_named = ["%header", "options=\"header", "opts=\"header"].iter().any(|name| attributes.contains(name));
    if let Some(sign) = delimiter.bytes().next().filter(|sign| b",:".contains(sign)) {
        let first_ends = lines.get(1).is_some_and(|line| line.trim().is_empty());
        let rows = crate::delimited::records(&lines.join("\n"), sign);
        return TableText { has_header: (is_named || first_ends) && rows.len() > 1, rows };
    }
    let mut cells: Vec<String> = Vec::new();
    let (mut first_line, mut first_row_ends) = (0, false);
    for (at, line) in lines.iter().enumerate() {
        let before = cells.len();
        take_line(line, &mut cells);
        if before == 0 && first_line == 0 {
            first_line = cells.len();
            first_row_ends = first_line > 0 && lines.get(at + 1).is_some_and(|next| next.trim().is_empty());
        }
    }
    let columns = columns(attributes).unwrap_or(first_line).max(1);
    let has_header = is_named || (first_row_ends && first_line == columns && cells.len() > columns);
    TableText { rows: cells.chunks(columns).map(<[String]>::to_vec).collect(), has_header }
}

/// Adds the cells that begin in a line; what stands before the first bar belongs to the last cell.
fn take_line(line: &str, cells: &mut Vec<String>) {
    let mut parts: Vec<String> = vec![String::new()];
    let mut is_escaped = false;
    for c in line.chars() {
        match c {
            '|' if !is_escaped => parts.push(String::new()),
            _ => {
                let last = parts.last_mut().expect("it begins with one");
                if c == '|' {
                    last.pop();
                }
                last.push(c);
            }
        }
        is_escaped = c == '\\';
    }
    let mut times = 1;
    for at in 0..parts.len() {
        let is_last = at + 1 == parts.len();
        let (text, next) = if is_last { (parts[at].as_str(), 1) } else { without_format(&parts[at]) };
        if at > 0 {
            // What one cell covers, all of it says.
            cells.extend(std::iter::repeat_n(text.trim().to_owned(), times));
        } else if let Some(open) = cells.last_mut().filter(|_| !text.trim().is_empty()) {
            open.push('\n');
            open.push_str(text.trim());
        }
        times = next;
    }
}

/// Most columns that one cell covers.
const MAX_SPAN: usize = 100;

/// A text without the format of the next cell at its end, `2+^.>s`, and how many columns that covers.
fn without_format(text: &str) -> (&str, usize) {
    let at = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let format = &text[at..];
    let format = format.trim_end_matches(['a', 'd', 'e', 'h', 'l', 'm', 's', 'v']);
    let is_format = format.chars().all(|c| c.is_ascii_digit() || ".+*<>^".contains(c)) && text.len() - at <= 8;
    let style = text.len() - at - format.len();
    if !is_format || style > 1 || (format.is_empty() && style == 0) {
        return (text, 1);
    }
    let times = format.split(['+', '*']).next().filter(|_| format.contains(['+', '*'])).and_then(|n| n.parse().ok());
    (&text[..at], times.unwrap_or(1).clamp(1, MAX_SPAN))
}

/// The number of columns that attributes name: `cols="1,2"`, `cols=3*`.
fn columns(attributes: &str) -> Option<usize> {
    let value = attributes.split_once("cols=")?.1;
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split(',').next()?,
    };
    let of = |part: &str| part.trim().split_once('*').map_or(1, |(times, _)| times.parse().unwrap_or(1));
    let count: usize = value.split([',', ';']).map(of).sum();
    Some(count).filter(|count| (1..=MAX_SPAN * MAX_SPAN).contains(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_as_many_cells_as_columns() {
        for (lines, attributes, want, has_header) in [
            (&["|a |b", "", "|1", "|2"][..], "", &[&["a", "b"][..], &["1", "2"]][..], true),
            (&["|a |b", "|1 |2"], "%header", &[&["a", "b"], &["1", "2"]], true),
            (&["|a", "more", "|b"], "cols=\"1,2\"", &[&["a\nmore", "b"]], false),
            (&["2+|a", "^s|b h|c"], "cols=2*", &[&["a", "a"], &["b", "c"]], false),
            (&["|a \\| b |c"], "", &[&["a | b", "c"]], false),
        ] {
            let found = read(lines, "|===", attributes);
            assert_eq!(
                (found.rows, found.has_header),
                (want.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect(), has_header),
                "{lines:?}"
            );
        }
    }
    #[test]
    fn a_cell_covers_columns_up_to_a_number() {
        for (columns, covered) in [(MAX_SPAN - 1, MAX_SPAN - 1), (MAX_SPAN, MAX_SPAN), (MAX_SPAN + 1, MAX_SPAN)] {
            assert_eq!(read(&[&format!("{columns}+|a")], "|===", "").rows[0].len(), covered, "{columns}");
        }
    }
}

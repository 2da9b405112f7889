//! Simple tables: columns below borders of `=`, one row for each line with text in its first column, spans underlined with `-`.

use std::ops::Range;

use super::table_row::{TableCell, TableRow, text_of};

/// Whether `view` is a border: at least two runs of `=`.
pub(super) fn is_border(view: &str) -> bool {
    view.starts_with('=') && view.contains(' ') && view.bytes().all(|byte| byte == b'=' || byte == b' ')
}

/// The rows between the first and the last border in `lines`; `None` if there is text between two columns.
pub(super) fn rows(lines: &[Vec<char>]) -> Option<Vec<TableRow>> {
    let columns = runs(lines.first()?, '=');
    let mut rows: Vec<TableRow> = Vec::new();
    let mut open: Option<usize> = None;
    for at in 1..lines.len() {
        let line = &lines[at];
        let is_border = line.first() == Some(&'=') && line.iter().all(|c| "= ".contains(*c));
        let spans = (!is_border).then(|| spans(line, &columns)).flatten();
        if is_border || spans.is_some() {
            if let Some(start) = open.take() {
                rows.push(row(&lines[start..at], &columns, spans.as_deref())?);
            }
            if is_border && at + 1 < lines.len() {
                rows.iter_mut().for_each(|row| row.is_header = true);
            }
            continue;
        }
        let names = line.get(columns[0].start..columns[0].end.min(line.len())).unwrap_or_default();
        let is_new = names.iter().any(|c| !c.is_whitespace());
        let begins = is_new || (open.is_none() && !line.is_empty());
        if let Some(start) = begins.then(|| open.replace(at)).flatten() {
            rows.push(row(&lines[start..at], &columns, None)?);
        }
    }
    (!rows.is_empty()).then_some(rows)
}

/// The column spans given by a line of `-`: first column and number of columns. `None` if the line is not such a line.
fn spans(line: &[char], columns: &[Range<usize>]) -> Option<Vec<(usize, usize)>> {
    if line.first() != Some(&'-') || !line.iter().all(|c| "- ".contains(*c)) {
        return None;
    }
    let last = columns.len() - 1;
    let span = |run: &Range<usize>| {
        let first = columns.iter().position(|column| column.start == run.start)?;
        let end = columns.iter().position(|column| column.end == run.end);
        let end = end.or_else(|| (run.end > columns[last].start).then_some(last)).filter(|end| *end >= first)?;
        Some((first, end - first + 1))
    };
    runs(line, '-').iter().map(span).collect()
}

/// The runs of `mark` in a line.
fn runs(line: &[char], mark: char) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..line.len()).filter(|at| line[*at] == mark) {
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end = at + 1,
            None => runs.push(at..at + 1),
        }
    }
    runs
}

fn row(lines: &[Vec<char>], columns: &[Range<usize>], spans: Option<&[(usize, usize)]>) -> Option<TableRow> {
    let single: Vec<(usize, usize)> = (0..columns.len()).map(|column| (column, 1)).collect();
    let spans = spans.unwrap_or(&single);
    let mut cells = Vec::with_capacity(spans.len());
    for (n, (first, count)) in spans.iter().enumerate() {
        let start = columns[*first].start;
        // Text in the last column may extend beyond its border.
        let is_last = first + count == columns.len();
        let end = if is_last { usize::MAX } else { columns[first + count - 1].end };
        let gap_end = spans.get(n + 1).map_or(end, |(next, _)| columns[*next].start);
        let part = |line: &'_ Vec<char>, from: usize, to: usize| -> Range<usize> {
            from.min(line.len())..to.min(line.len()).max(from.min(line.len()))
        };
        let overruns = |line: &Vec<char>| line[part(line, end, gap_end)].iter().any(|c| !c.is_whitespace());
        if lines.iter().any(overruns) {
            return None;
        }
        let source = text_of(lines.iter().map(|line| &line[part(line, start, end)]));
        cells.push(TableCell { column: *first, source });
    }
    Some(TableRow { is_header: false, columns: columns.len(), cells })
}

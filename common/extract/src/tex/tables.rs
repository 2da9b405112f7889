//! Rows and cells of tables.

use super::super::columns::Cell;
use super::source::Source;

/// A row with what stands above it.
#[derive(Debug, Default)]
pub(super) struct TexRow {
    /// Sources of its cells, in order, each with the columns and rows that it covers.
    pub(super) cells: Vec<(Cell, String)>,
    /// Whether it names the columns.
    pub(super) is_header: bool,
}

/// The rows of the table `body`: of a table over several pages its first header, its rows, and its last footer.
pub(super) fn rows(body: &str) -> Vec<TexRow> {
    let (mut rules, mut head, mut begun) = (0, None, None);
    let (mut rows, mut feet, mut open): (Vec<TexRow>, Vec<TexRow>, Vec<(usize, usize)>) = Default::default();
    for parts in split(body) {
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { continue };
        let (first, above) = without_rules(&first);
        for name in above {
            match name {
                "endfirsthead" => begun = Some(rows.len()),
                // The header of the pages that follow.
                "endhead" => begun = Some(begun.inspect(|first| rows.truncate(*first)).unwrap_or(rows.len())),
                "endfoot" | "endlastfoot" => feet = rows.split_off(begun.unwrap_or(0).min(rows.len())),
                "noalign" => {}
                _ => {
                    rules += 1;
                    head = head.or(Some(rows.len()).filter(|rows| *rows > 0));
                }
            }
        }
        let cells: Vec<String> = std::iter::once(first).chain(parts).collect();
        if !cells.iter().all(|cell| cell.trim().is_empty()) {
            rows.push(TexRow { cells: spans(cells, &mut open), is_header: false });
        }
    }
    // A line below the first rows, with other rows below it, sets the names of the columns apart. Lines between all rows do not.
    let head = begun.or(head.filter(|head| *head < rows.len() && (rules <= 3 || rules < rows.len())));
    rows.iter_mut().take(head.unwrap_or(0)).for_each(|row| row.is_header = true);
    rows.extend(feet);
    rows
}

/// The cells of the rows of `body`: what stands between `&` and `\\` outside of groups and environments.
pub(super) fn split(body: &str) -> Vec<Vec<String>> {
    let (mut source, mut rows, mut depth) = (Source::of(body), vec![vec![String::new()]], 0_usize);
    while let Some(c) = source.next() {
        let cell = rows.last_mut().and_then(|row| row.last_mut());
        let Some(cell) = cell else { break };
        match c {
            '\\' if depth == 0 && matches!(source.peek(), Some('\\')) => {
                source.next();
                source.take('*');
                source.option();
                rows.push(vec![String::new()]);
            }
            '\\' => {
                let name = source.name();
                match name.as_str() {
                    "tabularnewline" | "cr" if depth == 0 => rows.push(vec![String::new()]),
                    "begin" => depth += 1,
                    "end" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if !matches!(name.as_str(), "tabularnewline" | "cr") {
                    let cell = rows.last_mut().and_then(|row| row.last_mut());
                    let apart = if name.ends_with(|c: char| c.is_ascii_alphabetic()) { " " } else { "" };
                    cell.into_iter().for_each(|cell| cell.push_str(&format!("\\{name}{apart}")));
                }
            }
            '%' => source.skip_comment(),
            '&' if depth == 0 => rows.last_mut().into_iter().for_each(|row| row.push(String::new())),
            '{' => {
                depth += 1;
                cell.push(c);
            }
            '}' => {
                depth = depth.saturating_sub(1);
                cell.push(c);
            }
            c => cell.push(c),
        }
    }
    rows
}

/// The first cell of a row without the lines above the row, and the names of these.
fn without_rules(cell: &str) -> (String, Vec<&'static str>) {
    let (mut rest, mut above) = (cell.trim_start().to_owned(), Vec::new());
    while let Some(name) = RULES.into_iter().find(|name| is_command(&rest, name)) {
        above.push(name);
        let mut source = Source::of(&rest[name.len() + 1..]);
        source.option();
        if source.take('(') {
            source.until(")");
        }
        if matches!(name, "cline" | "cmidrule" | "noalign") {
            source.argument();
        }
        source.until("\u{0}").trim_start().clone_into(&mut rest);
    }
    (rest, above)
}

const RULES: [&str; 12] = [
    "hline",
    "toprule",
    "midrule",
    "bottomrule",
    "cline",
    "cmidrule",
    "specialrule",
    "endhead",
    "endfoot",
    "endlastfoot",
    "endfirsthead",
    "noalign",
];

fn is_command(text: &str, name: &str) -> bool {
    let after = text.strip_prefix('\\').and_then(|text| text.strip_prefix(name));
    after.is_some_and(|after| !after.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Cells with their spans. `open` has, for columns that a cell above covers, how many rows it still reaches down.
fn spans(cells: Vec<String>, open: &mut Vec<(usize, usize)>) -> Vec<(Cell, String)> {
    let (mut column, mut found) = (0, Vec::with_capacity(cells.len()));
    for source in cells {
        let (mut cell, mut text) = (Cell::PLAIN, source);
        if is_command(text.trim_start(), "multicolumn") {
            let mut source = Source::of(&text.trim_start()["\\multicolumn".len()..]);
            cell.columns = source.argument().trim().parse().unwrap_or(1).max(1);
            source.argument();
            text = source.argument();
        }
        let is_covered = open.iter().any(|(at, rows)| *at == column && *rows > 0) && text.trim().is_empty();
        cell.goes_on = is_covered;
        if is_command(text.trim_start(), "multirow") {
            let mut source = Source::of(&text.trim_start()["\\multirow".len()..]);
            source.option();
            let rows: usize = source.argument().trim().trim_start_matches('-').parse().unwrap_or(1);
            source.option();
            source.argument();
            source.option();
            text = source.argument();
            open.retain(|(at, _)| *at != column);
            // One more than it reaches down: this row is counted below.
            open.push((column, rows));
        }
        column += cell.columns;
        found.push((cell, text));
    }
    open.iter_mut().for_each(|(_, rows)| *rows = rows.saturating_sub(1));
    found
}

//! Limits the empty cells that a Markdown parser adds to tables.
//!
//! A parser fills up a row shorter than its table's header with empty cells, and holds them all in memory: 8 KB of text, with a header
//! of a thousand columns and a thousand short rows, become a quarter of a million cells that take 160 MB. Ordinary tables need a few.
//! A table that would exceed the limit is turned into text.

use std::borrow::Cow;

/// Most cells added to all tables of a text together. Chosen, not measured.
pub(crate) const MAX_FILLED_CELLS: usize = 4_096;

/// Changes `markdown` so that each table over the limit is parsed as text: the first hyphen in the line below its header is replaced,
/// so all byte positions stay valid. The rest has at most as many cells as vertical bars, lines and [`MAX_FILLED_CELLS`] together.
pub fn limit_tables(markdown: &str) -> Cow<'_, str> {
    let mut heads = Vec::new();
    let mut filled = 0;
    let mut run = Run::default();
    let mut before: Option<Line> = None;
    for line in lines(markdown) {
        if line.text.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
            run.end(&mut filled, &mut heads);
            before = None;
            continue;
        }
        let columns = columns_of_head(line.text).filter(|columns| before.is_some_and(|head| head.may_have(*columns)));
        run.cells += run.widest.saturating_sub(cells(line.text));
        if let Some(columns) = columns {
            run.widest = run.widest.max(columns);
            run.heads.extend(line.text.find('-').map(|at| line.start + at));
        }
        before = Some(line);
    }
    run.end(&mut filled, &mut heads);
    if heads.is_empty() {
        return Cow::Borrowed(markdown);
    }
    let mut changed = markdown.as_bytes().to_vec();
    heads.into_iter().for_each(|at| changed[at] = b'_');
    // One ASCII character replaces another, so the text stays valid UTF-8.
    Cow::Owned(String::from_utf8(changed).unwrap_or_else(|_| markdown.to_owned()))
}

/// Consecutive non-empty lines: an empty line ends every table.
#[derive(Default)]
struct Run {
    /// Positions of the first hyphen in each line that may be the delimiter row of a table.
    heads: Vec<usize>,
    /// Most columns of the tables that may have begun; a line belongs to one of them at most.
    widest: usize,
    /// Cells that may be added to its lines.
    cells: usize,
}

impl Run {
    /// Ends the run: its tables stay tables if the limit allows, and become text otherwise.
    fn end(&mut self, filled: &mut usize, heads: &mut Vec<usize>) {
        let Self { heads: own, cells, .. } = std::mem::take(self);
        if *filled + cells > MAX_FILLED_CELLS {
            heads.extend(own);
        } else {
            *filled += cells;
        }
    }
}

#[derive(Clone, Copy)]
struct Line<'a> {
    start: usize,
    text: &'a str,
}

impl Line<'_> {
    /// Whether the line may be the header of a table with `columns` columns. Escaped bars separate no cells, outer bars are optional.
    fn may_have(self, columns: usize) -> bool {
        let all = self.text.matches('|').count();
        let escaped = self.text.matches("\\|").count();
        (all - escaped).saturating_sub(1) <= columns && columns <= all + 2
    }
}

/// The lines of a text without their line endings: a line feed, a carriage return, or both.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let line = Line { start, text: &rest[..length] };
        start += length + if rest[length..].starts_with("\r\n") { 2 } else { 1 };
        Some(line)
    })
}

/// Number of cells written in a line.
fn cells(line: &str) -> usize {
    let line = line.trim_matches([' ', '\t']);
    let line = line.strip_prefix('|').unwrap_or(line);
    line.strip_suffix('|').unwrap_or(line).matches('|').count() + 1
}

/// Number of columns in a delimiter row; `None` for any other line.
fn columns_of_head(line: &str) -> Option<usize> {
    // Inside a quotation the line begins with its marker.
    let line = line.trim_start_matches([' ', '\t', '>']).trim_end_matches([' ', '\t']);
    let is_head = line.contains('|')
        && line.contains('-')
        && line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'));
    is_head.then(|| cells(line))
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    /// Number of cells that a parser makes of a text.
    fn cells_of(markdown: &str) -> usize {
        let events = Parser::new_ext(markdown, Options::all());
        events.filter(|event| matches!(event, Event::Start(Tag::TableCell))).count()
    }

    fn most(markdown: &str) -> usize {
        markdown.matches('|').count() + lines(markdown).count() + MAX_FILLED_CELLS
    }

    /// A table of `columns`, with `rows` that have one cell each; every line begins with `mark`.
    fn hostile(columns: usize, rows: usize, mark: &str, end: &str) -> String {
        let (head, line) = ("|a".repeat(columns), "|-".repeat(columns));
        let rows = format!("{mark}|a{end}").repeat(rows);
        format!("{mark}{head}{end}{mark}{line}{end}{rows}")
    }

    #[test]
    fn a_hostile_table_is_text_with_bounded_cells() {
        for mark in ["", "> ", ">", "   ", "> > "] {
            for end in ["\n", "\r\n", "\r"] {
                let table = hostile(1_000, 1_400, mark, end);
                assert!(cells_of(&table) > 200_000, "{mark:?} {end:?}: it would be hostile");
                let bounded = limit_tables(&table);
                assert!(cells_of(&bounded) <= most(&table), "{mark:?} {end:?}: {}", cells_of(&bounded));
                assert_eq!(bounded.len(), table.len());
            }
        }
        let in_an_item = format!("- {}", hostile(1_000, 1_400, "  ", "\n").trim_start());
        assert!(cells_of(&in_an_item) > 200_000);
        assert!(cells_of(&limit_tables(&in_an_item)) <= most(&in_an_item));
    }

    #[test]
    fn cells_are_filled_up_to_the_limit_and_not_one_further() {
        for (rows, is_table) in [(1_023, true), (1_024, true), (1_025, false)] {
            let table = hostile(5, rows, "", "\n");
            assert_eq!(cells_of(&limit_tables(&table)) > 0, is_table, "{} cells", rows * 4);
        }
        // The limit applies to all tables of a text together.
        let two = format!("{}\n{}", hostile(5, 1_000, "", "\n"), hostile(5, 1_000, "", "\n"));
        assert_eq!(cells_of(&limit_tables(&two)), cells_of(&hostile(5, 1_000, "", "\n")));
    }

    #[test]
    fn what_people_write_stays_as_it_is() {
        let long = format!("| a | b | c |\n|:--|---|--:|\n{}", "| 1 | 2 | - |\n".repeat(5_000));
        let open = format!("a|b|c\n-|-|-\n{}", "1|2|3\n".repeat(5_000));
        let code = format!("```\na | b\n--|--\n```\n\n```\n{}```\n", "let x = 1;\n".repeat(5_000));
        let dashes = format!("| a | b |\n|---|---|\n{}", "| - | - |\n".repeat(5_000));
        let escaped = format!("| a \\| b | c |\n|---|---|\n{}", "| 1 | 2 |\n".repeat(5_000));
        let ragged = "| a | b |\n|---|---|\n| 1 |\n\ntext | with a line\n\n---\n";
        for text in [&long, &open, &code, &dashes, &escaped, ragged, "", "|", "\r\n\r\n"] {
            assert!(
                matches!(limit_tables(text), Cow::Borrowed(same) if same == text),
                "{}",
                text.get(..60).unwrap_or(text)
            );
        }
    }

    #[test]
    fn no_text_makes_more_cells_than_may_be() {
        const PIECES: [&str; 26] = [
            "|a", "|-", "|", "-", ":", "a", "\\|", "\\", ">", "> ", "# ", "1. ", "- ", "* ", "`", "```", " ", "    ",
            "\t", "\u{a0}", "\u{b}", "\n", "\r\n", "\r", "\n\n", "[^a]: ",
        ];
        let mut seed = 13_u64;
        let mut pick = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        let mut hostile_ones = 0;
        for _ in 0..1_500 {
            let mut text = String::new();
            for _ in 0..pick(8) {
                text.push_str(PIECES[pick(PIECES.len())]);
            }
            // Two of three texts contain a table: header, delimiter row and short rows, each slightly wrong.
            if pick(3) > 0 {
                let mark = ["", "> ", "  ", ">", "- "][pick(5)];
                let (columns, end) = (pick(400) + 1, ["\n", "\r\n", "\r"][pick(3)]);
                let head = ["|a", "a|", "|`a`", "|\\|", "|[a](b)"][pick(5)].repeat(columns);
                let line = ["|-", "-|", "|:-", "| - "][pick(4)].repeat(columns);
                // Behind an empty line it is a table; behind another line it may be part of a paragraph.
                let gap = ["", end][pick(2)];
                text.push_str(&format!("{end}{gap}{mark}{head}{end}{mark}{line}{end}"));
                for _ in 0..pick(200) {
                    text.push_str(mark);
                    if pick(100) == 0 {
                        text.push_str(PIECES[pick(PIECES.len())]);
                    }
                    text.push_str(["|a", "a", "|a|"][pick(3)]);
                    text.push_str(end);
                }
            }
            hostile_ones += usize::from(cells_of(&text) > most(&text));
            let cells = cells_of(&limit_tables(&text));
            assert!(cells <= most(&text), "{cells} cells of at most {}: {text:?}", most(&text));
        }
        assert!(hostile_ones > 100, "{hostile_ones} of the texts were hostile");
    }
}

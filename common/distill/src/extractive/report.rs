//! The look of a report: title, opening, sections, citations.

use super::markdown::escape;
use super::synthesize::Entry;
use super::themes::{self, Headings, Statement, Theme};

/// Most characters of a title.
const TITLE_CHARS: usize = 120;
/// Statements of the opening paragraph.
const OPENING: usize = 3;
/// Among so many of the best the opening is chosen.
const OPENING_CHOICE: usize = 8;
/// Fewest statements for which sections are worth their headings.
const FEWEST_FOR_SECTIONS: usize = 6;

/// The report on `entries`, given best first, at least one.
pub(super) fn write(query: &str, entries: &[&Entry<'_>], headings: Headings<'_>) -> String {
    let (opening, rest) = split(entries);
    let mut text = title(query);
    let paragraph: Vec<String> = opening.iter().map(|entry| statement(entry)).collect();
    text.push_str(&paragraph.join(" "));
    text.push('\n');
    for theme in sections(&rest, headings) {
        text.push('\n');
        if !theme.heading.is_empty() {
            text.push_str(&format!("## {}\n\n", escape(&theme.heading)));
        }
        for &member in &theme.members {
            text.push_str(&format!("- {}\n", statement(rest[member])));
        }
    }
    text
}

/// The report where there is nothing to report.
pub(super) fn nothing_found(query: &str) -> String {
    format!("{}No passage of the sources answers this question.\n", title(query))
}

/// One statement with its citations: `Text. [3][7]`.
pub(super) fn statement(entry: &Entry<'_>) -> String {
    let citations: String = entry.ids.iter().map(|id| format!("[{id}]")).collect();
    format!("{} {citations}", escape(entry.finding.statement.trim()))
}

/// `# ` and the question on one line, cut at a word to [`TITLE_CHARS`]; `Report` where it is blank.
fn title(query: &str) -> String {
    let line = query.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = if line.is_empty() { "Report".to_owned() } else { line };
    format!("# {}\n\n", escape(&cut(&line, TITLE_CHARS)))
}

fn cut(line: &str, most: usize) -> String {
    let Some((end, _)) = line.char_indices().nth(most) else {
        return line.to_owned();
    };
    let head = &line[..end];
    let word = head.rfind(' ').filter(|at| *at * 2 > end).unwrap_or(end);
    format!("{}…", head[..word].trim_end_matches([',', ';', ':', ' ']))
}

/// The statements that open the report and those that follow, each in order.
fn split<'e, 'a>(entries: &[&'e Entry<'a>]) -> (Vec<&'e Entry<'a>>, Vec<&'e Entry<'a>>) {
    if entries.len() < FEWEST_FOR_SECTIONS {
        return (entries.to_vec(), Vec::new());
    }
    let mut choice: Vec<usize> = (0..entries.len().min(OPENING_CHOICE)).collect();
    let fit = |i: usize| entries[i].quality * (entries[i].worth + entries[i].matched);
    choice.sort_by(|&a, &b| fit(b).total_cmp(&fit(a)).then(a.cmp(&b)));
    choice.truncate(OPENING);
    let opening = choice.iter().map(|&i| entries[i]).collect();
    let rest = (0..entries.len()).filter(|i| !choice.contains(i)).map(|i| entries[i]).collect();
    (opening, rest)
}

fn sections(rest: &[&Entry<'_>], headings: Headings<'_>) -> Vec<Theme> {
    let statements: Vec<Statement<'_>> = rest
        .iter()
        .map(|entry| Statement {
            member: entry.member,
            source: entry.finding.source,
            title: &entry.finding.title,
            vector: &entry.vector,
            matched: entry.matched,
            worth: entry.worth,
        })
        .collect();
    themes::group(&statements, headings)
}

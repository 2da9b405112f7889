//! A report that was cut off before its end: what of it is whole, the task to go on with it, and both as one.

use precis_proto::task::{ReportDraft, SynthesizeTask, Task};
use precis_text::sentences;

use super::report::report;

/// The whole sentences of a report that was cut off; `None` if there are none, or if it was not asked for as Markdown. What stands in the
/// line where it was cut goes, as far as it is no whole sentence.
pub(super) fn parse_beginning(task: &SynthesizeTask, text: &str) -> Option<ReportDraft> {
    if text.trim_start().starts_with(['{', '[']) || text.trim_start().starts_with("```json") {
        return None;
    }
    let (before, last) =
        text.trim_end().rsplit_once('\n').map_or(("", text.trim_end()), |(before, last)| (before, last));
    // A row of a table, or a heading, is whole only if another line follows it.
    let is_prose = !last.trim_start().starts_with(['|', '#']);
    let kept = if is_prose { whole_sentences(last) } else { "" };
    let whole = format!("{before}\n{kept}");
    report(task, whole.trim()).ok()
}

/// The beginning of `line` that consists of whole sentences, with the citations behind the last one.
fn whole_sentences(line: &str) -> &str {
    let ends = sentences::ends(line);
    let last = ends.iter().rev().nth(1).copied().unwrap_or(0);
    if is_whole(&line[last..]) { line } else { &line[..last] }
}

/// Whether a sentence at which an answer was cut off is whole: it ends with a citation or with a mark that ends sentences. A point behind a
/// digit may have been one of a number.
fn is_whole(sentence: &str) -> bool {
    let mut last = sentence.trim_end().chars().rev().skip_while(|c| matches!(c, '"' | '”' | '»' | '*' | '_'));
    match last.next() {
        Some(']' | '!' | '?' | '。' | '！' | '？' | '।' | '؟') => true,
        Some('.') => last.next().is_some_and(|before| !before.is_numeric()),
        _ => false,
    }
}

/// The task to go on with the report that `begun` is the beginning of.
pub(super) fn task_to_go_on(task: &SynthesizeTask, begun: &ReportDraft) -> Task {
    Task::Synthesize(SynthesizeTask { begun: begun.markdown.clone(), ..task.clone() })
}

/// A report of its beginning and what was written after it. A last line that the rest begins with stands once; nothing else is left out.
pub(super) fn join(begun: &ReportDraft, rest: &ReportDraft) -> ReportDraft {
    let last = begun.markdown.lines().last().unwrap_or_default().trim();
    let rest = rest.markdown.trim_start();
    let rest = rest.strip_prefix(last).filter(|_| !last.is_empty()).unwrap_or(rest).trim_start();
    if rest.is_empty() {
        return begun.clone();
    }
    // A list or a paragraph goes on in a line of its own; nothing is run together with what may have been a heading or a row.
    let is_row = |line: &str| line.trim_start().starts_with('|');
    let is_item = |line: &str| line.trim_start().starts_with(['-', '*', '+']);
    let next = rest.lines().next().unwrap_or_default();
    let goes_on = (is_row(last) && is_row(next)) || (is_item(last) && is_item(next));
    let between = if goes_on { "\n" } else { "\n\n" };
    ReportDraft { markdown: format!("{}{between}{rest}", begun.markdown.trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::synthesize;
    use super::*;

    #[test]
    fn what_is_whole_of_a_report_that_was_cut_off_is_kept() {
        for (text, want) in [
            ("It melts. [1] It grows [2", Some("It melts. [1]")),
            ("It melts. [1]\n\n## Why\n\nIt is war", Some("It melts. [1]\n\n## Why")),
            ("It melts. [1]\n\n| a | b |\n| - | - |\n| 1 [2] | 2", Some("It melts. [1]\n\n| a | b |\n| - | - |")),
            ("It melts. [1] It cost 3.", Some("It melts. [1]")),
            ("It melts. [1] It cost much. [2]", Some("It melts. [1] It cost much. [2]")),
            ("- It melts. [1]\n- It gro", Some("- It melts. [1]")),
            ("It melts [1", None),
            ("{\"markdown\": \"It melts. [1]", None),
            ("", None),
        ] {
            let found = parse_beginning(&synthesize(&[1, 2]), text);
            assert_eq!(found.map(|draft| draft.markdown).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn a_cut_report_continues_without_repetition() {
        let draft = |markdown: &str| ReportDraft { markdown: markdown.to_owned() };
        for (begun, rest, want) in [
            ("It melts. [1]", "It grows. [2]", "It melts. [1]\n\nIt grows. [2]"),
            ("- It melts. [1]", "- It grows. [2]", "- It melts. [1]\n- It grows. [2]"),
            ("| a |\n| - |\n| 1 [1] |", "| 2 [2] |", "| a |\n| - |\n| 1 [1] |\n| 2 [2] |"),
            (
                "The glacier melts in summer. [1]",
                "The glacier melts in summer. [1]\n\nIt grows. [2]",
                "The glacier melts in summer. [1]\n\nIt grows. [2]",
            ),
            (
                "The glacier melts in summer. [1]",
                "The glacier melts in summer. [1]",
                "The glacier melts in summer. [1]",
            ),
            // A line that comes again later is no beginning said twice.
            (
                "| year | ice |\n| ------------ | ---------- |",
                "| 1990 [1] | 4 [1] |\n\n| town | ice |\n| ------------ | ---------- |\n| Brem [2] | 5 [2] |",
                "| year | ice |\n| ------------ | ---------- |\n| 1990 [1] | 4 [1] |\n\n| town | ice |\n| ------------ | ---------- |\n| Brem [2] | 5 [2] |",
            ),
        ] {
            assert_eq!(join(&draft(begun), &draft(rest)).markdown, want, "{begun} {rest}");
        }
    }
}

//! [`TextRun`]: the text of a run of inline text, the citations in it, and its sentences.

use std::ops::Range;

use precis_text::sentences::of_block;

use super::inline::{Inline, bracketed_numbers};
use super::ruling::Review;

/// A citation in a run.
pub(super) struct Cite {
    /// Byte position in the text.
    pub(super) at: usize,
    pub(super) inlines: Range<usize>,
    pub(super) ids: Vec<u32>,
}

/// The text of a run, and which inline each of its parts comes from.
pub(super) struct TextRun {
    pub(super) text: String,
    /// For each inline with text: its first byte in `text`, and its index.
    pub(super) starts: Vec<(usize, usize)>,
    pub(super) cites: Vec<Cite>,
}

/// Reads `row`; bracketed numbers that are not citations become ordinary characters.
pub(super) fn read(row: &mut [Inline], review: &dyn Review) -> TextRun {
    let mut run = TextRun { text: String::new(), starts: Vec::new(), cites: Vec::new() };
    let mut at = 0;
    while at < row.len() {
        if let Some(found) = bracketed_numbers(&row[at..]) {
            let end = at + found.len;
            let one = found.numbers.len() == 1;
            let mark = format!("[{}]", found.numbers.join(", "));
            let after: String = row[end..].iter().take(AFTER).filter_map(letter).collect();
            // The last mark of a run always counts as a citation, so that the statement keeps one.
            let is_last = || (end..row.len()).all(|at| bracketed_numbers(&row[at..]).is_none());
            if !is_last() && review.is_of_source(&run.text, &mark, &after) {
                row[at] = Inline::Char('[');
                row[end - 1] = Inline::Char(']');
            } else {
                let ids: Vec<u32> =
                    found.numbers.iter().filter_map(|n| n.parse().ok()).filter(|id| review.is_known(*id)).collect();
                // A list whose members are not all findings is text, such as an interval.
                if one || ids.len() == found.numbers.len() {
                    // "paid [3]; then" says "paid; then".
                    let is_joined = matches!(row.get(end), Some(Inline::Char('.' | ',' | ';' | ':' | '!' | '?' | ')')));
                    // Not the last blank of code, which is one with the words before it.
                    let is_blank =
                        run.text.ends_with(' ') && run.starts.last().is_some_and(|(at, _)| at + 1 == run.text.len());
                    if is_joined && is_blank {
                        run.text.pop();
                        run.starts.pop();
                    }
                    run.cites.push(Cite { at: run.text.len(), inlines: at..end, ids });
                    at = end;
                    continue;
                }
            }
        }
        let start = run.text.len();
        match &row[at] {
            Inline::Char(c) => run.text.push(*c),
            Inline::Open => run.text.push('['),
            Inline::Close => run.text.push(']'),
            Inline::Code(code) => run.text.push_str(code),
            Inline::Break => run.text.push(' '),
            Inline::MarkupStart(_) | Inline::MarkupEnd(_) | Inline::Cite(_) => {}
        }
        if run.text.len() > start {
            run.starts.push((start, at));
        }
        at += 1;
    }
    run
}

/// Number of inlines after a mark that the reviewer sees.
const AFTER: usize = 120;

fn letter(inline: &Inline) -> Option<char> {
    match inline {
        Inline::Char(c) => Some(*c),
        Inline::Break => Some(' '),
        Inline::Open => Some('['),
        Inline::Close => Some(']'),
        Inline::Code(_) | Inline::Cite(_) | Inline::MarkupStart(_) | Inline::MarkupEnd(_) => None,
    }
}

/// A sentence of a run.
pub(super) struct RunSentence<'r> {
    pub(super) text: &'r str,
    pub(super) inlines: Range<usize>,
    /// Indices of its citations in the run.
    pub(super) cites: Vec<usize>,
}

/// Splits a range at citations that end a statement without an end mark, such as a heading, an item or a label. If the citation
/// follows an end mark, the next sentence may begin in lower case, for example with the name of a command. Where every mark ends a
/// statement, it does so even if only a closing bracket of it lies in the range, because a sentence of the statement ends before that.
fn split_at_citations(run: &TextRun, range: Range<usize>, every_mark_ends: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = range.start;
    for cite in run.cites.iter().filter(|cite| range.start < cite.at && cite.at < range.end) {
        // White space behind a citation is skipped, so two adjacent citations do not split twice.
        if cite.at <= from {
            continue;
        }
        let next = run.text[cite.at..range.end].trim_start();
        let begins = every_mark_ends
            || next.starts_with(|c: char| c.is_alphanumeric() && !c.is_lowercase())
            || run.text[from..cite.at].trim_end().ends_with(['.', '!', '?', '。', '！', '？']);
        let says = |text: &str| text.contains(|c: char| c.is_alphanumeric() || every_mark_ends && !c.is_whitespace());
        if begins && says(&run.text[from..cite.at]) {
            found.push(from..cite.at);
            from = range.end - next.len();
        }
    }
    found.push(from..range.end);
    found
}

/// The sentences of a run; together they cover all of its inlines.
pub(super) fn sentences(run: &TextRun, every_mark_ends: bool) -> Vec<RunSentence<'_>> {
    let bytes: Vec<usize> = run.text.char_indices().map(|(at, _)| at).chain([run.text.len()]).collect();
    let ranges: Vec<Range<usize>> = of_block(&run.text)
        .into_iter()
        .flat_map(|range| split_at_citations(run, bytes[range.start]..bytes[range.end], every_mark_ends))
        .collect();
    // A citation belongs to the last sentence that begins before it.
    let owner = |cite: &Cite| ranges.iter().rposition(|range| range.start < cite.at).unwrap_or(0);
    let inline_at =
        |byte: usize| run.starts[run.starts.partition_point(|(start, _)| *start < byte).min(run.starts.len() - 1)].1;
    let mut found: Vec<RunSentence<'_>> = Vec::with_capacity(ranges.len());
    let mut from = 0;
    for (n, range) in ranges.iter().enumerate() {
        let to = ranges.get(n + 1).map_or(usize::MAX, |next| inline_at(next.start));
        let cites = run.cites.iter().enumerate().filter(|(_, cite)| owner(cite) == n).map(|(at, _)| at).collect();
        found.push(RunSentence { text: run.text[range.clone()].trim(), inlines: from..to, cites });
        from = to;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::ruling::NoReview;
    use super::*;

    #[test]
    fn a_blank_before_a_citation_goes_where_a_mark_follows_and_code_stays() {
        let mark = [Inline::Open, Inline::Char('1'), Inline::Close];
        let row = |before: &[Inline], behind: &[Inline]| [before, &mark, behind].concat();
        let (blank, stop) = ([Inline::Char('a'), Inline::Char(' ')], [Inline::Char('.')]);
        for (mut row, text) in [
            (row(&blank, &stop), "a."),
            (row(&blank, &[Inline::Char('b')]), "a b"),
            (row(&[Inline::Code("a ".to_owned())], &stop), "a ."),
            (row(&blank[1..], &stop), "."),
        ] {
            let run = read(&mut row, &NoReview);
            assert_eq!(run.text, text);
            assert_eq!(run.starts.last().map(|(at, _)| *at), Some(text.len() - 1), "{text}");
        }
    }
}

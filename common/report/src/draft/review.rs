//! Puts the statements of a draft, one run of inline text after another, before a reviewer who may change them.
//!
//! A statement is the sentences up to and including the next citation; the sentences behind the last citation of a run are a statement
//! without one. This module decides where statements begin and end; the reviewer decides whether they are right.

use std::ops::Range;

use precis_text::sentences::of_block;

use super::inline::{Inline, bracketed};

/// Sentences with the findings cited behind the last of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CitedSentences {
    /// As written, trimmed, never empty.
    pub(crate) sentences: Vec<String>,
    /// Ids as written, in order; empty if nothing is cited.
    pub(crate) ids: Vec<u32>,
}

/// The decision on one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// Keep it as it is.
    Keep,
    /// Replace it with this text.
    Replace(String),
    /// Remove it.
    Remove,
    /// Keep it and append these words in brackets.
    Mark(String),
}

/// The decision on a statement: a ruling for each sentence, and the findings to cite instead of its own, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rulings {
    pub(crate) sentences: Vec<Ruling>,
    pub(crate) ids: Option<Vec<u32>>,
}

/// Decides on the statements of a draft.
pub(crate) trait Review {
    /// Whether `mark`, such as `[12]` or `[3, 4]`, occurs between `before` and `after` in the quoted document itself.
    fn is_of_source(&self, before: &str, mark: &str, after: &str) -> bool;
    /// Whether a finding has this id.
    fn is_known(&self, id: u32) -> bool;
    /// Whether every citation ends a statement, however the text behind it begins; true if every statement is a quote.
    fn every_mark_ends(&self) -> bool {
        false
    }
    /// Decides on a statement; returns as many rulings as there are sentences.
    fn rule(&mut self, statement: &CitedSentences) -> Rulings;
}

/// Keeps every statement as it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoReview;

impl Review for NoReview {
    fn is_of_source(&self, _: &str, _: &str, _: &str) -> bool {
        false
    }

    fn is_known(&self, _: u32) -> bool {
        true
    }

    fn rule(&mut self, statement: &CitedSentences) -> Rulings {
        Rulings { sentences: vec![Ruling::Keep; statement.sentences.len()], ids: None }
    }
}

/// A citation in a run.
struct Cite {
    /// Byte position in the text.
    at: usize,
    inlines: Range<usize>,
    ids: Vec<u32>,
}

/// The text of a run, and which inline each of its parts comes from.
struct TextRun {
    text: String,
    /// For each inline with text: its first byte in `text`, and its index.
    starts: Vec<(usize, usize)>,
    cites: Vec<Cite>,
}

/// Returns `row` as changed by `review`; bracketed numbers that are not citations become ordinary characters.
pub(super) fn reviewed(mut row: Vec<Inline>, review: &mut dyn Review) -> Vec<Inline> {
    let run = read(&mut row, review);
    if run.text.trim().is_empty() {
        return row;
    }
    let sentences = pieces(&run, review.every_mark_ends());
    if sentences.is_empty() {
        return row;
    }
    let mut out = Vec::with_capacity(row.len());
    let mut first = 0;
    for last in 0..sentences.len() {
        if sentences[last].cites.is_empty() && last + 1 < sentences.len() {
            continue;
        }
        let group = &sentences[first..=last];
        first = last + 1;
        let ids: Vec<u32> =
            group.iter().flat_map(|piece| piece.cites.clone()).flat_map(|n| run.cites[n].ids.clone()).collect();
        let statement = CitedSentences { sentences: group.iter().map(|piece| piece.text.to_owned()).collect(), ids };
        let rulings = if statement.sentences.iter().all(|text| text.is_empty()) {
            Rulings { sentences: vec![Ruling::Keep; group.len()], ids: None }
        } else {
            review.rule(&statement)
        };
        write(&row, &run, group, &rulings, &mut out);
    }
    out
}

fn read(row: &mut [Inline], review: &dyn Review) -> TextRun {
    let mut run = TextRun { text: String::new(), starts: Vec::new(), cites: Vec::new() };
    let mut at = 0;
    while at < row.len() {
        if let Some(found) = bracketed(&row[at..]) {
            let end = at + found.len;
            let one = found.numbers.len() == 1;
            let mark = format!("[{}]", found.numbers.join(", "));
            let after: String = row[end..].iter().take(AFTER).filter_map(letter).collect();
            // The last mark of a run always counts as a citation, so that the statement keeps one.
            let is_last = || (end..row.len()).all(|at| bracketed(&row[at..]).is_none());
            if !is_last() && review.is_of_source(&run.text, &mark, &after) {
                row[at] = Inline::Char('[');
                row[end - 1] = Inline::Char(']');
            } else {
                let ids: Vec<u32> =
                    found.numbers.iter().filter_map(|n| n.parse().ok()).filter(|id| review.is_known(*id)).collect();
                // A list whose members are not all findings is text, such as an interval.
                if one || ids.len() == found.numbers.len() {
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
struct RunSentence<'r> {
    text: &'r str,
    inlines: Range<usize>,
    /// Indices of its citations in the run.
    cites: Vec<usize>,
}

/// Splits a range at citations that end a statement without an end mark, such as a heading, an item or a label. If the citation
/// follows an end mark, the next sentence may begin in lower case, for example with the name of a command. Where every mark ends a
/// statement, it does so even if only a closing bracket of it lies in the range, because a sentence of the statement ends before that.
fn parted(run: &TextRun, range: Range<usize>, every_mark_ends: bool) -> Vec<Range<usize>> {
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
fn pieces(run: &TextRun, every_mark_ends: bool) -> Vec<RunSentence<'_>> {
    let bytes: Vec<usize> = run.text.char_indices().map(|(at, _)| at).chain([run.text.len()]).collect();
    let ranges: Vec<Range<usize>> = of_block(&run.text)
        .into_iter()
        .flat_map(|range| parted(run, bytes[range.start]..bytes[range.end], every_mark_ends))
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

fn write(row: &[Inline], run: &TextRun, group: &[RunSentence<'_>], rulings: &Rulings, out: &mut Vec<Inline>) {
    let is_kept = rulings.sentences.iter().any(|ruling| *ruling != Ruling::Remove);
    let mut others = rulings.ids.clone();
    for (piece, ruling) in group.iter().zip(&rulings.sentences) {
        let inlines = piece.inlines.start..piece.inlines.end.min(row.len());
        let cite_at = |at: usize| piece.cites.iter().map(|n| &run.cites[*n]).find(|cite| cite.inlines.start == at);
        let last = inlines.clone().rev().find(|at| {
            let is_cited = piece.cites.iter().any(|n| run.cites[*n].inlines.contains(at));
            !is_cited && matches!(&row[*at], Inline::Char(c) if !c.is_whitespace())
                || matches!(row[*at], Inline::Code(_))
        });
        if let Ruling::Replace(text) = ruling {
            out.extend(text.chars().map(Inline::Char));
        }
        let ends_open = inlines.clone().next_back().is_some_and(|at| row[at] == Inline::Char(' '));
        let mut at = inlines.start;
        while at < inlines.end {
            if let Some(cite) = cite_at(at) {
                at = cite.inlines.end;
                if is_kept {
                    if !matches!(ruling, Ruling::Keep)
                        && !matches!(out.last(), None | Some(Inline::Char(' ') | Inline::Close | Inline::Break))
                    {
                        out.push(Inline::Char(' '));
                    }
                    match &mut others {
                        Some(ids) => ids.drain(..).for_each(|id| cite_inlines(id, out)),
                        None => out.extend(row[cite.inlines.clone()].iter().cloned()),
                    }
                }
                continue;
            }
            let inline = &row[at];
            let is_markup = matches!(inline, Inline::MarkupStart(_) | Inline::MarkupEnd(_));
            if is_markup || matches!(ruling, Ruling::Keep | Ruling::Mark(_)) {
                out.push(inline.clone());
            }
            if let (Ruling::Mark(words), true) = (ruling, last == Some(at)) {
                out.extend(format!(" ({words})").chars().map(Inline::Char));
            }
            at += 1;
        }
        if matches!(ruling, Ruling::Replace(_)) && ends_open {
            out.push(Inline::Char(' '));
        }
    }
}

fn cite_inlines(id: u32, out: &mut Vec<Inline>) {
    out.push(Inline::Open);
    out.extend(id.to_string().chars().map(Inline::Char));
    out.push(Inline::Close);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reviewer of quotes: every mark ends one.
    #[derive(Default)]
    struct Quotes(Vec<(String, Vec<u32>)>);

    impl Review for Quotes {
        fn is_of_source(&self, _: &str, _: &str, _: &str) -> bool {
            false
        }

        fn is_known(&self, _: u32) -> bool {
            true
        }

        fn every_mark_ends(&self) -> bool {
            true
        }

        fn rule(&mut self, statement: &CitedSentences) -> Rulings {
            self.0.push((statement.sentences.join(" "), statement.ids.clone()));
            NoReview.rule(statement)
        }
    }

    #[test]
    fn a_quote_that_ends_in_punctuation_behind_its_last_sentence_ends_at_its_mark() {
        for (draft, first, second) in [
            ("It is not. } [1] Item 3. It is. [2]", "It is not. }", "Item 3. It is."),
            ("(It is not.) [1] item 3 [2]", "(It is not.)", "item 3"),
            ("It is not. [1] Item 3. [2]", "It is not.", "Item 3."),
            ("\"It is?\" … [1][3] * Item 3. [2]", "\"It is?\" …", "* Item 3."),
        ] {
            let inline = |c| match c {
                '[' => Inline::Open,
                ']' => Inline::Close,
                c => Inline::Char(c),
            };
            let mut quotes = Quotes::default();
            let row: Vec<Inline> = draft.chars().map(inline).collect();
            assert_eq!(reviewed(row.clone(), &mut quotes), row, "{draft}");
            let found: Vec<&str> = quotes.0.iter().map(|(text, _)| text.as_str()).collect();
            assert_eq!(found, [first, second], "{draft}");
            assert_eq!(quotes.0[1].1, [2], "{draft}");
        }
    }
}

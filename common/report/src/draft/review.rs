//! Puts the statements of a draft, one run of inline text after another, before a reviewer who may change them.
//!
//! A statement is the sentences up to and including the next citation; the sentences behind the last citation of a run are a statement
//! without one. This module decides where statements begin and end; the reviewer decides whether they are right.

use std::ops::Range;

use precis_text::sentences::of_block;

use super::inline::{Inline, bracketed_numbers};

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

impl Rulings {
    /// Keeps `sentences` sentences and their citations.
    pub(crate) fn keep(sentences: usize) -> Self {
        Self { sentences: vec![Ruling::Keep; sentences], ids: None }
    }
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
    /// Whether a sentence without a citation of its own is no part of the statement that is cited behind it.
    fn stands_alone(&self, _sentence: &str) -> bool {
        false
    }
    /// A paragraph, item or cell begins. `under` is what it stands under: the head of its column and the label of its row, or the label of
    /// its item.
    fn begins_run(&mut self, _under: Vec<String>) {}
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
        Rulings::keep(statement.sentences.len())
    }
}

/// Characters that end a label.
const LABEL_ENDS: [char; 7] = ['.', ':', '：', '。', '–', '—', ' '];

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

/// Returns `row` as changed by `review`; bracketed numbers that are not citations become ordinary characters. A label at its beginning is
/// no statement, and goes with the text behind it.
/// `under` is what a cell stands under.
pub(super) fn review_row(mut row: Vec<Inline>, mut under: Vec<String>, review: &mut dyn Review) -> Vec<Inline> {
    let label = if review.every_mark_ends() { 0 } else { label_len(&row) };
    if label > 0 {
        under.push(shown_words(&row[..label]).trim_end_matches(LABEL_ENDS).to_owned());
    }
    review.begins_run(under);
    let rest = row.split_off(label);
    let had_text = says_something(&rest);
    let rest = reviewed_run(rest, review);
    if label > 0 && had_text && !says_something(&rest) {
        return Vec::new();
    }
    row.extend(rest);
    row
}

fn reviewed_run(mut row: Vec<Inline>, review: &mut dyn Review) -> Vec<Inline> {
    let run = read(&mut row, review);
    if run.text.trim().is_empty() {
        return row;
    }
    let sentences = pieces(&run, review.every_mark_ends());
    if sentences.is_empty() {
        return row;
    }
    let mut out = Vec::with_capacity(row.len());
    for group in groups(&sentences, review) {
        let ids: Vec<u32> =
            group.iter().flat_map(|piece| piece.cites.clone()).flat_map(|n| run.cites[n].ids.clone()).collect();
        let statement = CitedSentences { sentences: group.iter().map(|piece| piece.text.to_owned()).collect(), ids };
        let rulings = if statement.sentences.iter().all(|text| text.is_empty()) {
            Rulings::keep(group.len())
        } else {
            review.rule(&statement)
        };
        write(&row, &run, group, &rulings, &mut out);
    }
    out
}

/// The statements of a run: sentences up to the next citation; those behind the last one, and those that stand alone, each by itself.
fn groups<'s, 'r>(sentences: &'s [RunSentence<'r>], review: &dyn Review) -> Vec<&'s [RunSentence<'r>]> {
    let last_cited = sentences.iter().rposition(|sentence| !sentence.cites.is_empty());
    let (mut found, mut first) = (Vec::new(), 0);
    for last in 0..sentences.len() {
        let is_covered = last_cited.is_some_and(|cited| last < cited) && sentences[last].cites.is_empty();
        if is_covered && !(first == last && review.stands_alone(sentences[last].text)) {
            continue;
        }
        found.push(&sentences[first..=last]);
        first = last + 1;
    }
    found
}

/// Most characters of a label.
const LABEL_CHARS: usize = 80;

/// Number of inlines of a label: emphasized words at the beginning that end in a stop or a colon, or are followed by one.
fn label_len(row: &[Inline]) -> usize {
    let open = match row.first() {
        Some(Inline::MarkupStart(mark)) => *mark,
        _ => return 0,
    };
    let Some(end) = row.iter().position(|inline| *inline == Inline::MarkupEnd(open)) else { return 0 };
    let mut words = String::new();
    for inline in &row[1..end] {
        match inline {
            Inline::Char(c) => words.push(*c),
            Inline::Code(code) => words.push_str(code),
            Inline::MarkupStart(_) | Inline::MarkupEnd(_) => {}
            Inline::Open | Inline::Close | Inline::Break | Inline::Cite(_) => return 0,
        }
    }
    let is_end = |c: char| LABEL_ENDS.contains(&c) && c != ' ';
    let mut behind =
        row[end + 1..].iter().take_while(|inline| matches!(inline, Inline::Char(c) if *c == ' ' || is_end(*c)));
    let marks = behind.clone().any(|inline| matches!(inline, Inline::Char(c) if is_end(*c)));
    let is_label =
        !words.is_empty() && words.chars().count() <= LABEL_CHARS && (marks || words.trim_end().ends_with(is_end));
    if is_label { end + 1 + behind.by_ref().count() } else { 0 }
}

/// The words of `row` as a reader sees them, without citations, in one line.
pub(super) fn shown_words(row: &[Inline]) -> String {
    let (mut words, mut depth) = (String::new(), 0_usize);
    for inline in row {
        match inline {
            Inline::Open => depth += 1,
            Inline::Close => depth = depth.saturating_sub(1),
            Inline::Char(c) if depth == 0 => words.push(*c),
            Inline::Code(code) if depth == 0 => words.push_str(code),
            Inline::Break => words.push(' '),
            _ => {}
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a row has a letter or digit besides its citations.
fn says_something(row: &[Inline]) -> bool {
    let mut at = 0;
    while at < row.len() {
        if let Some(found) = bracketed_numbers(&row[at..]) {
            at += found.len;
            continue;
        }
        match &row[at] {
            Inline::Char(c) if c.is_alphanumeric() => return true,
            Inline::Code(_) => return true,
            _ => at += 1,
        }
    }
    false
}

fn read(row: &mut [Inline], review: &dyn Review) -> TextRun {
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
                    if matches!(row.get(end), Some(Inline::Char('.' | ',' | ';' | ':' | '!' | '?' | ')')))
                        && run.text.ends_with(' ')
                    {
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
struct RunSentence<'r> {
    text: &'r str,
    inlines: Range<usize>,
    /// Indices of its citations in the run.
    cites: Vec<usize>,
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
fn pieces(run: &TextRun, every_mark_ends: bool) -> Vec<RunSentence<'_>> {
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

fn write(row: &[Inline], run: &TextRun, group: &[RunSentence<'_>], rulings: &Rulings, out: &mut Vec<Inline>) {
    let is_kept = rulings.sentences.iter().any(|ruling| *ruling != Ruling::Remove);
    let mut others = rulings.ids.clone();
    for (piece, ruling) in group.iter().zip(&rulings.sentences) {
        let inlines = piece.inlines.start..piece.inlines.end.min(row.len());
        let cite_at = |at: usize| piece.cites.iter().map(|n| &run.cites[*n]).find(|cite| cite.inlines.start == at);
        let last = last_word(row, run, piece, inlines.clone());
        if let Ruling::Replace(text) = ruling {
            out.extend(text.chars().map(Inline::Char));
        }
        let ends_open = inlines.clone().next_back().is_some_and(|at| row[at] == Inline::Char(' '));
        let mut at = inlines.start;
        while at < inlines.end {
            if let Some(cite) = cite_at(at) {
                at = cite.inlines.end;
                if is_kept {
                    if !matches!(ruling, Ruling::Keep) && needs_space(out) {
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
        // A statement that cited nothing has no place for the citations of its new text.
        if let (Ruling::Replace(_), true, Some(ids)) =
            (ruling, group.iter().all(|piece| piece.cites.is_empty()), &mut others)
        {
            out.push(Inline::Char(' '));
            ids.drain(..).for_each(|id| cite_inlines(id, out));
        }
        if matches!(ruling, Ruling::Replace(_)) && ends_open {
            out.push(Inline::Char(' '));
        }
    }
}

/// The last inline of a sentence that is a word of it, behind which a mark goes: neither white space nor a citation.
fn last_word(row: &[Inline], run: &TextRun, piece: &RunSentence<'_>, mut inlines: Range<usize>) -> Option<usize> {
    inlines.rfind(|at| {
        let is_cited = piece.cites.iter().any(|n| run.cites[*n].inlines.contains(at));
        !is_cited && matches!(&row[*at], Inline::Char(c) if !c.is_whitespace()) || matches!(row[*at], Inline::Code(_))
    })
}

/// Whether a citation behind `out` needs a space first.
fn needs_space(out: &[Inline]) -> bool {
    !matches!(out.last(), None | Some(Inline::Char(' ') | Inline::Close | Inline::Break))
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

    fn inlines(text: &str) -> Vec<Inline> {
        let (mut row, mut is_open) = (Vec::new(), false);
        for c in text.chars() {
            row.push(match c {
                '[' => Inline::Open,
                ']' => Inline::Close,
                '*' => {
                    is_open = !is_open;
                    if is_open { Inline::MarkupStart("**") } else { Inline::MarkupEnd("**") }
                }
                c => Inline::Char(c),
            });
        }
        row
    }

    /// Takes every statement out.
    struct Removes(Vec<String>);

    impl Review for Removes {
        fn is_of_source(&self, _: &str, _: &str, _: &str) -> bool {
            false
        }

        fn is_known(&self, _: u32) -> bool {
            true
        }

        fn stands_alone(&self, sentence: &str) -> bool {
            sentence.starts_with("Nothing")
        }

        fn rule(&mut self, statement: &CitedSentences) -> Rulings {
            self.0.push(statement.sentences.join(" "));
            Rulings { sentences: vec![Ruling::Remove; statement.sentences.len()], ids: None }
        }
    }

    #[test]
    fn a_label_is_no_statement_and_goes_with_its_text() {
        for (draft, said) in [
            ("*Memory.* It grows. [1]", &["It grows."][..]),
            ("*Memory*: It grows. [1][2]", &["It grows."]),
            ("*Memory* grows. [1]", &["Memory grows."]),
            ("*Memory [1].* It grows.", &["Memory.", "It grows."]),
        ] {
            let mut removes = Removes(Vec::new());
            let left = review_row(inlines(draft), Vec::new(), &mut removes);
            assert_eq!(removes.0, said, "{draft}");
            assert!(!says_something(&left), "{draft}: {left:?}");
            assert!(label_len(&inlines(draft)) == 0 || left.is_empty(), "{draft}");
        }
        assert_eq!(label_len(&inlines(&format!("*{}.* x", "a".repeat(LABEL_CHARS - 1)))), LABEL_CHARS + 3);
        assert_eq!(label_len(&inlines(&format!("*{}.* x", "a".repeat(LABEL_CHARS)))), 0);
    }

    #[test]
    fn sentences_without_a_citation_behind_them_are_statements_of_their_own() {
        for (draft, said) in [
            ("One. Two. [1] Three. Four.", &["One. Two.", "Three.", "Four."][..]),
            ("Nothing is said. Two. [1]", &["Nothing is said.", "Two."]),
            ("One. Nothing is said. [1]", &["One. Nothing is said."]),
        ] {
            let mut removes = Removes(Vec::new());
            review_row(inlines(draft), Vec::new(), &mut removes);
            assert_eq!(removes.0, said, "{draft}");
        }
    }

    #[test]
    fn a_quote_with_trailing_punctuation_ends_at_its_last_mark() {
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
            assert_eq!(review_row(row.clone(), Vec::new(), &mut quotes), row, "{draft}");
            let found: Vec<&str> = quotes.0.iter().map(|(text, _)| text.as_str()).collect();
            assert_eq!(found, [first, second], "{draft}");
            assert_eq!(quotes.0[1].1, [2], "{draft}");
        }
    }
}

//! Puts the statements of a draft, one run of inline text after another, before a reviewer who may change them.
//!
//! A statement is the sentences up to and including the next citation; the sentences behind the last citation of a run are a statement
//! without one. This module decides where statements begin and end; the reviewer decides whether they are right.

use std::ops::Range;

use super::inline::{Inline, bracketed_numbers, shown_words};
use super::ruling::{CitedSentences, Review, Ruling, Rulings};
use super::text_run::{RunSentence, TextRun, read, sentences};

/// Characters that end a label.
const LABEL_ENDS: [char; 7] = ['.', ':', '：', '。', '–', '—', ' '];

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
    let sentences = sentences(&run, review.every_mark_ends());
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
    use super::super::ruling::NoReview;
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
            ("It grows [1]; then it falls [2].", &["It grows; then it falls."]),
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

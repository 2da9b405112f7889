//! A statement made of a quote and the ranges that go with it: their order, and what may stand between them.
//!
//! The ranges stand in the order of the text, except heads of columns, each of which stands in front of its cell. Between two of them is one
//! of [`SEPARATORS`] and nothing else; so whoever has the ranges can tell whether a statement consists of them.

use std::borrow::Cow;

use precis_proto::Locator;
use precis_proto::finding::Quote;
use precis_proto::quote_context::{ContextRange, ContextRole};
use precis_proto::response::Citation;

use crate::equal_words::{equal_words, same_signs};
use crate::sentences::sentences_with_ranges;

/// All that may stand between two ranges of a statement; a line break is the same as a space.
pub const SEPARATORS: [&str; 6] = [": ", " ", " · ", "; ", " – ", "\n"];

/// A range of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementPart<'a> {
    /// Its characters.
    pub text: &'a str,
    /// What it is to the quote; `None` if it is the quote, or a cell of it.
    pub role: Option<ContextRole>,
}

/// The ranges of the statement that quotes `text` at `locator` with `context`, in the order in which a reader sees them.
#[must_use]
pub fn parts<'a>(text: &'a str, locator: Locator, context: &'a [ContextRange]) -> Vec<StatementPart<'a>> {
    let mut outer: Vec<&ContextRange> = context.iter().filter(|range| range.at.is_none()).collect();
    outer.sort_by_key(|range| range.locator);
    let part = |range: &&'a ContextRange| StatementPart { text: &range.text, role: Some(range.role) };
    let (before, behind): (Vec<_>, Vec<_>) = outer.iter().partition(|range| range.locator < locator);
    let parts = before.into_iter().map(part).chain(cells(text, context)).chain(behind.into_iter().map(part));
    parts.filter(|part| !part.text.trim().is_empty()).collect()
}

/// The quote, cut in front of each cell that has a head, and the heads.
fn cells<'a>(text: &'a str, context: &'a [ContextRange]) -> Vec<StatementPart<'a>> {
    let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let mut heads: Vec<(usize, &ContextRange)> =
        context.iter().filter_map(|range| Some((byte(range.at?), range))).collect();
    heads.sort_by_key(|(at, range)| (*at, range.locator));
    let (mut found, mut from) = (Vec::new(), 0);
    for (at, head) in heads {
        found.push(StatementPart { text: text[from..at].trim(), role: None });
        found.push(StatementPart { text: &head.text, role: Some(head.role) });
        from = at;
    }
    // A quote without heads stays as it is, with the white space at its ends.
    let rest = if from == 0 { text } else { text[from..].trim() };
    found.push(StatementPart { text: rest, role: None });
    found
}

/// The statement as the built-in model writes it.
///
/// ```
/// use precis_proto::quote_context::ContextRole;
/// use precis_text::statement::{StatementPart, join_parts};
///
/// let part = |text, role| StatementPart { text, role };
/// let not = part("Not covered", Some(ContextRole::Heading));
/// assert_eq!(join_parts(&[not, part("theft of cash", None)]), "Not covered: theft of cash");
/// ```
#[must_use]
pub fn join_parts(parts: &[StatementPart<'_>]) -> String {
    let mut text = String::new();
    let mut before: Option<&StatementPart<'_>> = None;
    for part in parts {
        if let Some(before) = before {
            text.push_str(separator(before, part));
        }
        text.push_str(part.text.trim());
        before = Some(part);
    }
    text
}

/// What the built-in model writes between two ranges.
fn separator(before: &StatementPart<'_>, part: &StatementPart<'_>) -> &'static str {
    let is_closed = before
        .text
        .trim_end()
        .ends_with([':', '：', '.', '。', '?', '？', '!', '！', ';', '；', ',', '，', '、', '…', '—', '–']);
    match (before.role, part.role) {
        (Some(ContextRole::LeadIn), Some(ContextRole::Item)) => " ",
        (None | Some(ContextRole::Item), Some(ContextRole::Item)) | (Some(ContextRole::Item), None) if !is_closed => {
            "; "
        }
        (None | Some(ContextRole::RowLabel), Some(ContextRole::Column)) => " · ",
        (
            Some(
                ContextRole::Heading
                | ContextRole::Column
                | ContextRole::RowLabel
                | ContextRole::Question
                | ContextRole::Term,
            ),
            _,
        ) if !is_closed => ": ",
        _ => " ",
    }
}

/// The statement that `quote` makes.
#[must_use]
pub fn of_quote(quote: &Quote) -> String {
    statement_at(&quote.text, quote.locator, &quote.context)
}

/// The statement that `citation` makes.
#[must_use]
pub fn of_citation(citation: &Citation) -> Cow<'_, str> {
    match citation.context.is_empty() {
        true => Cow::Borrowed(&citation.text),
        false => Cow::Owned(statement_at(&citation.text, citation.locator, &citation.context)),
    }
}

/// The sentences of the statement that `citation` makes. One of several ranges is one sentence: none of them says it alone.
#[must_use]
pub fn sentences_of(citation: &Citation) -> Vec<Cow<'_, str>> {
    match citation.context.is_empty() {
        true => sentences_with_ranges(&citation.text).map(|(_, sentence)| Cow::Borrowed(sentence)).collect(),
        false => vec![of_citation(citation)],
    }
}

/// The statement that quotes `text` at `locator` with `context`.
#[must_use]
pub fn statement_at(text: &str, locator: Locator, context: &[ContextRange]) -> String {
    if context.is_empty() { text.to_owned() } else { join_parts(&parts(text, locator, context)) }
}

/// Whether `written` consists of `parts`, in this order, with separators between them and typography of its own.
#[must_use]
pub fn consists_of(written: &str, parts: &[StatementPart<'_>]) -> bool {
    let Some((last, before)) = parts.split_last() else { return equal_words(written).is_empty() };
    let before: Vec<String> = before.iter().map(|part| same_signs(part.text)).collect();
    let separators: Vec<String> = SEPARATORS.iter().map(|one| shape_separator(one)).collect();
    follows(&equal_words(written), &before, &equal_words(last.text), &separators)
}

/// Whether `rest` is `before`, each followed by a separator, and then `last`.
fn follows(rest: &str, before: &[String], last: &str, separators: &[String]) -> bool {
    let Some((first, others)) = before.split_first() else { return rest == last };
    let Some(rest) = rest.strip_prefix(first.as_str()) else { return false };
    separators
        .iter()
        .any(|one| rest.strip_prefix(one.as_str()).is_some_and(|rest| follows(rest, others, last, separators)))
}

/// A separator in the form in which texts are compared, with the spaces around it.
fn shape_separator(separator: &str) -> String {
    let signs = same_signs(separator);
    let before = if separator.starts_with(' ') && !signs.is_empty() { " " } else { "" };
    format!("{before}{signs} ")
}

#[cfg(test)]
mod tests {
    use precis_proto::CharRange;

    use super::*;

    fn range(role: ContextRole, start: usize, text: &str, at: Option<usize>) -> ContextRange {
        ContextRange { role, locator: place(start, text), text: text.to_owned(), at }
    }

    fn place(start: usize, text: &str) -> Locator {
        Locator { page: None, range: CharRange::new(start, start + text.chars().count()) }
    }

    /// The statement of a quote at 100.
    fn said(text: &str, context: &[ContextRange]) -> String {
        let parts = parts(text, place(100, text), context);
        let said = join_parts(&parts);
        assert!(consists_of(&said, &parts), "{said}");
        said
    }

    #[test]
    fn ranges_follow_the_text_order_with_list_separators() {
        use ContextRole::*;
        for (text, context, want) in [
            ("theft of cash", vec![range(LeadIn, 0, "It does not cover:", None)], "It does not cover: theft of cash"),
            (
                "theft",
                vec![range(LeadIn, 20, "we insure", None), range(Heading, 0, "What", None)],
                "What: we insure theft",
            ),
            (
                "No, the warden has a cat.",
                vec![range(Question, 0, "Can I bring a dog?", None)],
                "Can I bring a dog? No, the warden has a cat.",
            ),
            ("4 m", vec![range(Term, 0, "Beam", None)], "Beam: 4 m"),
            ("It covers:", vec![range(Item, 140, "war", None), range(Item, 120, "fire", None)], "It covers: fire; war"),
            (
                "Overnight 4 5",
                vec![
                    range(Column, 40, "in May", Some(12)),
                    range(Column, 0, "Parking", Some(0)),
                    range(Column, 20, "in June:", Some(10)),
                ],
                "Parking: Overnight · in June: 4 · in May: 5",
            ),
            (
                "The motion was put.",
                vec![range(Outcome, 130, "It was rejected.", None)],
                "The motion was put. It was rejected.",
            ),
            (" as it is ", vec![], "as it is"),
        ] {
            assert_eq!(said(text, &context), want);
        }
    }

    #[test]
    fn every_separator_of_the_list_may_stand_between_and_nothing_else() {
        let [a, b, c] = ["It may not", "be sold…", "“ever”."].map(|text| StatementPart { text, role: None });
        for first in SEPARATORS {
            for second in SEPARATORS {
                let written = format!("{}{first}{}{second}{}", a.text, b.text, c.text);
                assert!(consists_of(&written, &[a, b, c]), "{written:?}");
            }
        }
        for written in ["It may not be sold… \"ever\"", "It may not be sold...\n“ever”.", "It may not  be sold… “ever”"]
        {
            assert!(consists_of(written, &[a, b, c]), "{written}");
        }
        for written in [
            "It may be sold… “ever”.",
            "be sold… “ever”.",
            "It may not, be sold… “ever”.",
            "It may not and be sold… “ever”.",
            "It may not be sold…“ever”.",
            "It may not be sold… ",
            "be sold… It may not “ever”.",
            "It may not be sold… “ever”. It may not",
            "",
        ] {
            assert!(!consists_of(written, &[a, b, c]), "{written}");
        }
    }

    #[test]
    fn a_head_after_the_last_character_is_at_the_end() {
        let heads = [range(ContextRole::Column, 0, "Name", Some(0)), range(ContextRole::Column, 5, "Age", Some(9_999))];
        assert_eq!(said("Ann", &heads), "Name: Ann · Age");
    }
}

//! The words of a text, for everything but the terms of an index, whose words are part of a contract (`terms`).
//!
//! | function | what it gives |
//! | --- | --- |
//! | [`split`] | runs of letters, digits and marks, each with its place |
//! | [`lower_words`] | the same in lower case, without places |
//! | [`tokens`] | what stands between white space, without the punctuation around it |

use std::ops::Range;

use super::script::{Script, is_in_word, is_mark, is_unspaced};

/// What becomes of a run of a script written without spaces between words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unspaced {
    /// It is like letters of any other script: a part of the run it stands in.
    Joined,
    /// It is a word of its own, whatever touches it.
    Runs,
    /// Each of its characters is a word, with the marks behind it.
    Characters,
}

/// A word as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenWord<'t> {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Its characters.
    pub text: &'t str,
}

impl WrittenWord<'_> {
    /// Its text in lower case.
    pub fn lower(&self) -> String {
        self.text.to_lowercase()
    }

    /// Whether it is of a script written without spaces.
    pub fn is_unspaced(&self) -> bool {
        self.text.starts_with(is_unspaced)
    }
}

/// The words of `text` in order: maximal runs of letters, digits and marks. A mark of `inner` between two of them does not end a word, nor
/// does an apostrophe between Cyrillic letters, which is a letter in Ukrainian.
pub fn split<'t>(text: &'t str, unspaced: Unspaced, inner: &[char]) -> Vec<WrittenWord<'t>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let joins = open.is_some() && joins(before, c, next, inner);
        let own = unspaced != Unspaced::Joined && is_unspaced(c);
        open = match open {
            Some((from, was)) if !(is_in_word(c) || joins) => {
                push(&mut found, text, from..at, was.then_some(unspaced));
                None
            }
            Some((from, was)) if own != was && !is_mark(c) && !joins => {
                push(&mut found, text, from..at, was.then_some(unspaced));
                Some((at, own))
            }
            None if c.is_alphanumeric() => Some((at, own)),
            same => same,
        };
        before = c;
    }
    if let Some((from, was)) = open {
        push(&mut found, text, from..text.len(), was.then_some(unspaced));
    }
    found
}

/// The words of `text` in lower case, in order; text without spaces is one word up to its next mark.
pub fn lower_words(text: &str) -> Vec<String> {
    split(text, Unspaced::Joined, &[]).iter().map(WrittenWord::lower).collect()
}

/// What stands between white space, without the characters around it that are neither letters nor digits nor in `kept`.
pub fn tokens<'t>(text: &'t str, kept: &'t [char]) -> impl Iterator<Item = WrittenWord<'t>> {
    let is_outer = move |c: char| !c.is_alphanumeric() && !is_mark(c) && !kept.contains(&c);
    let mut at = 0;
    text.split_inclusive(char::is_whitespace).filter_map(move |piece| {
        let bare = piece.trim_start_matches(is_outer);
        let start = at + (piece.len() - bare.len());
        at += piece.len();
        let bare = bare.trim_end_matches(is_outer);
        (!bare.is_empty()).then(|| WrittenWord { range: start..start + bare.len(), text: bare })
    })
}

fn joins(before: char, c: char, next: char, inner: &[char]) -> bool {
    let is_cyrillic = |c: char| Script::of(c) == Script::Cyrillic;
    let is_apostrophe = matches!(c, '\'' | '’');
    (inner.contains(&c) && (before.is_alphanumeric() || is_mark(before)) && next.is_alphanumeric())
        || (is_apostrophe && is_cyrillic(before) && is_cyrillic(next))
}

/// Adds the run of `text` at `range`, by characters if `unspaced` says so.
fn push<'t>(found: &mut Vec<WrittenWord<'t>>, text: &'t str, range: Range<usize>, unspaced: Option<Unspaced>) {
    if unspaced != Some(Unspaced::Characters) {
        return found.push(WrittenWord { text: &text[range.clone()], range });
    }
    let run = &text[range.clone()];
    let mut from = 0;
    for (at, c) in run.char_indices().skip(1).chain([(run.len(), ' ')]) {
        if !is_mark(c) {
            let place = range.start + from..range.start + at;
            found.push(WrittenWord { text: &text[place.clone()], range: place });
            from = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, unspaced: Unspaced, inner: &[char]) -> Vec<String> {
        let found = split(text, unspaced, inner);
        assert!(found.iter().all(|word| &text[word.range.clone()] == word.text), "{text}");
        found.into_iter().map(|word| word.text.to_owned()).collect()
    }

    #[test]
    fn a_text_is_split_at_everything_but_letters_digits_and_marks() {
        let none: &[&str] = &[];
        for (text, want) in [
            ("", none),
            (" -- … ", none),
            ("It isn't 1,200 m.", &["It", "isn", "t", "1", "200", "m"]),
            ("well-known snake_case", &["well", "known", "snake", "case"]),
            ("क्या हिन्दी है", &["क्या", "हिन्दी", "है"]),
            ("Cafe\u{301} \u{301}x", &["Cafe\u{301}", "x"]),
            ("п’ять м'яч", &["п’ять", "м'яч"]),
            ("第3条不", &["第3条不"]),
            ("co\u{ad}operate", &["co\u{ad}operate"]),
        ] {
            assert_eq!(texts(text, Unspaced::Joined, &[]), want, "{text}");
        }
    }

    #[test]
    fn text_without_spaces_is_split_as_asked() {
        for (unspaced, want) in [
            (Unspaced::Joined, &["第3条は", "ไม่มี"][..]),
            (Unspaced::Runs, &["第", "3", "条は", "ไม่มี"]),
            (Unspaced::Characters, &["第", "3", "条", "は", "ไ", "ม่", "มี"]),
        ] {
            assert_eq!(texts("第3条は ไม่มี", unspaced, &[]), want, "{unspaced:?}");
        }
        assert_eq!(texts("ខ្មែរ", Unspaced::Runs, &[]), ["ខ្មែរ"]);
    }

    #[test]
    fn an_inner_mark_joins_only_between_two_letters() {
        assert_eq!(texts("-a-b- l’an 'x'", Unspaced::Joined, &['-', '’', '\'']), ["a-b", "l’an", "x"]);
    }

    #[test]
    fn tokens_lose_only_the_marks_around_them() {
        let found: Vec<&str> = tokens("(e.g. C++, “U.S.” – 5%)", &['+']).map(|word| word.text).collect();
        assert_eq!(found, ["e.g", "C++", "U.S", "5"]);
        let text = "  a, b";
        assert!(tokens(text, &[]).all(|word| &text[word.range.clone()] == word.text));
    }
}

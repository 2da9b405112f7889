//! Whether two texts are the same words: equal apart from white space, typography and the stop at the end.
//!
//! Only a quote with the same words as a statement may be cited for it. Likeness never is enough: two sentences that share all words but
//! one may say the opposite.

use std::borrow::Cow;

use crate::text::{is_invisible, is_selector, shows_nothing};

/// Characters that print the same sign in other shapes, with the shape they are compared by: quotation marks, apostrophes, hyphens and
/// dashes.
const SHAPES: [(&str, char); 3] = [("“”„‟«»＂", '"'), ("‘’‚‛‹›＇", '\''), ("‐‑‒–—―−", '-')];
/// Stops at the end of a text; they separate sentences and say nothing.
const STOPS: [char; 2] = ['.', '。'];

/// The words of `text` in the form in which they are compared: white space as single spaces, one shape for each sign, `…` as three stops,
/// no stops at the end. Case, other punctuation and every other character stay, since each of them may decide what is said.
///
/// ```
/// use precis_text::equal_words::equal_words;
///
/// assert_eq!(equal_words("It pays  “damages”."), equal_words("It pays\n\"damages\""));
/// assert_ne!(equal_words("The supplier pays."), equal_words("The buyer pays."));
/// assert_ne!(equal_words("Smoking is allowed."), equal_words("Smoking is allowed?"));
/// ```
#[must_use]
pub fn equal_words(text: &str) -> String {
    let mut words = same_signs(text);
    words.truncate(words.trim_end_matches(STOPS).trim_end().len());
    words
}

/// As [`equal_words`], with the stops at the end: the form of a text that others follow.
#[must_use]
pub fn same_signs(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let word = unify_signs(word);
        if word.is_empty() {
            continue;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&word);
    }
    words
}

/// A word with one shape for each sign.
fn unify_signs(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(word);
    }
    let mut shaped = String::with_capacity(word.len());
    for c in word.chars().filter(|c| !is_unseen(*c)) {
        match SHAPES.iter().find(|(others, _)| others.contains(c)) {
            Some((_, shape)) => shaped.push(*shape),
            None if c == '…' => shaped.push_str("..."),
            None => shaped.push(c),
        }
    }
    Cow::Owned(shaped)
}

/// Whether `c` has no sign of its own, so that a report may leave it out: controls, soft hyphens, zero-width characters, tags, joiners
/// and selectors of a variant.
fn is_unseen(c: char) -> bool {
    is_invisible(c) || shows_nothing(c) || is_selector(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typography_and_white_space_make_no_other_words() {
        for (a, b) in [
            ("It is 5\u{a0}%  of\nit.", "It is 5 % of it."),
            ("“Yes”, ‘no’ – it’s", "\"Yes\", 'no' - it's"),
            ("co\u{ad}operation\u{200b} \u{202a}ends\u{1}", "cooperation ends"),
            ("it\u{e0041}\u{200e} pays ❤\u{fe0f} 葛\u{e0100} می\u{200c}خواهم", "it pays ❤ 葛 میخواهم"),
            ("and so on …", "and so on ..."),
            ("Granite cools slowly", "Granite cools slowly."),
            ("次の文です。", "次の文です"),
            ("", "  "),
        ] {
            assert_eq!(equal_words(a), equal_words(b));
        }
    }

    #[test]
    fn what_may_change_the_meaning_makes_other_words() {
        for (a, b) in [
            ("The supplier pays.", "The buyer pays."),
            ("It is safe.", "It is not safe."),
            ("40¹ million", "401 million"),
            ("It is 1.5 m.", "It is 15 m."),
            ("Is it safe?", "Is it safe."),
            ("Polish it.", "polish it."),
            ("US law", "us law"),
            ("resume", "résumé"),
            ("a b", "ab"),
            ("負わない。", "負う。"),
            ("It ends (early).", "It ends early."),
            // A heading, a label or a name in front of a sentence.
            ("Demography The census of 2013 was the first.", "The census of 2013 was the first."),
            ("Warning: It is hot.", "It is hot."),
            ("Miller: It is hot.", "Smith: It is hot."),
        ] {
            assert_ne!(equal_words(a), equal_words(b), "{a} / {b}");
        }
    }

    #[test]
    fn words_in_that_form_stay_as_they_are() {
        for text in ["“Yes” – 5\u{a0}% …", "次の文です。", "plain words"] {
            let once = equal_words(text);
            assert_eq!(equal_words(&once), once, "{text}");
        }
    }
}

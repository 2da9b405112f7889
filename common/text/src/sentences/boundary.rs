//! Decides whether a break proposed by the segmenter is kept. Reads only the word before and the word behind it, so that a text costs
//! linear time. In doubt the parts are joined: an overlong sentence loses no words.

use precis_language::abbreviation::{follows_ordinal, goes_before_number, is_either, is_inner};
use precis_language::script::{is_east_asian, is_greek};

use super::end_marks::{is_closer, is_end_mark};
use super::{lexicon, marker, reference};

/// Opening marks before a word.
const OPENERS: &[char] = &[
    '"', '\'', '“', '‘', '”', '’', '„', '‚', '«', '»', '‹', '›', '(', '[', '{', '「', '『', '（', '【', '〈', '《',
    '［', '｢', '¿', '¡',
];

/// Opening marks in Chinese and Japanese, which have no white space before them.
const WIDE_OPENERS: &[char] = &['「', '『', '（', '【', '〈', '《', '［', '〔', '“', '‘'];
/// The matching closing marks.
const WIDE_CLOSERS: &[char] = &['」', '』', '）', '】', '〉', '》', '］', '〕', '”', '’'];

/// Most characters read of the words on either side of a break.
const WORD_CHARS: usize = 24;

/// Adds the ends of Greek questions; their question mark is a semicolon in canonical text.
pub(super) fn push_greek_questions(text: &str, proposals: &mut Vec<usize>) {
    if text.is_ascii() {
        return;
    }
    let before = proposals.len();
    for (at, _) in text.match_indices(';') {
        if is_greek_question(&text[..=at]) {
            let rest = &text[at + 1..];
            proposals.push(text.len() - rest.trim_start().len());
        }
    }
    if proposals.len() > before {
        proposals.sort_unstable();
    }
}

/// Whether `body` ends in a semicolon behind a Greek letter.
pub(super) fn is_greek_question(body: &str) -> bool {
    body.strip_suffix(';').and_then(|asked| asked.chars().next_back()).is_some_and(is_greek)
}

/// Moves a break that fell behind the opening marks of the next sentence (`。「|はい`) in front of them: the segmenter treats these marks
/// as closing ones.
pub(super) fn before_openers(text: &str, proposed: usize) -> usize {
    let before = text[..proposed].trim_end_matches(WIDE_OPENERS);
    let is_end = before.chars().next_back().is_some_and(|c| is_wide(c) || WIDE_CLOSERS.contains(&c));
    if is_end { before.len() } else { proposed }
}

/// Whether a sentence ends between `left`, which starts where the sentence starts, and `right`.
pub(super) fn holds(left: &str, right: &str) -> bool {
    let marked = left.trim_end();
    let is_spaced = marked.len() < left.len();
    let body = reference::without_marks(marked);
    let core = body.trim_end_matches(is_closer);
    let Some(last) = core.chars().next_back() else {
        return false;
    };
    if last == ';' {
        return is_spaced && is_greek_question(core) && right.trim_start_matches(OPENERS).starts_with(is_greek);
    }
    if !is_end_mark(last) {
        return false;
    }
    let next = right.trim_start_matches(OPENERS);
    let follower = next.chars().next();
    if is_wide(last) {
        // 「…。」と言った: the quotation is part of a longer sentence.
        return core.len() == body.len() || !follower.is_some_and(is_hiragana);
    }
    if !is_spaced && last.is_ascii() {
        let spoken = core[..core.len() - 1].chars().next_back();
        return spoken.is_some_and(is_east_asian) && follower.is_some_and(is_east_asian);
    }
    if follower.is_some_and(char::is_lowercase) {
        return false;
    }
    last != '.' || !(marker::is_all(left) || is_abbreviated(core, next, body))
}

/// Whether `c` is a full-width end mark, which always ends a sentence.
fn is_wide(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '﹒' | '﹖' | '﹗')
}

fn is_hiragana(c: char) -> bool {
    ('ぁ'..='ゟ').contains(&c)
}

/// Whether the full stop at the end of `core` belongs to its last word, judged by the text behind it. `body` is `core` with the closing
/// marks behind the stop.
fn is_abbreviated(core: &str, next: &str, body: &str) -> bool {
    let token = last_token(core);
    let is_quoted = body.len() > core.len() && token.starts_with(['"', '“', '„', '«', '»', '‘']);
    let token = token.trim_start_matches(OPENERS);
    let stem = token.trim_end_matches('.').to_lowercase();
    let follower = first_word(next);
    // A single letter followed by a stop is another initial, even if it is also a word.
    let is_initial = follower.chars().count() == 1 && next[follower.len()..].starts_with('.');
    let starts = lexicon::is_starter(follower) && !is_initial;
    if is_quoted && starts {
        return false;
    }
    if goes_before_number(&stem) && opens_with_number(next) {
        return true;
    }
    let is_code = token == "No." && core.len() > token.len() && !starts && !is_quoted;
    if is_inner(&stem) || is_code {
        return true;
    }
    let before = core[..core.len() - token.len()].trim_end();
    if !stem.is_empty() && stem.bytes().all(|b| b.is_ascii_digit()) {
        let is_ordinal =
            follows_ordinal(&follower.to_lowercase()) || (!starts && lexicon::goes_before_ordinals(last_word(before)));
        return stem.len() <= 2 && is_ordinal;
    }
    let opens = starts || lexicon::is_label(follower) || lexicon::is_label(last_word(before));
    (is_initials(&stem) || is_either(&stem)) && !opens
}

/// One letter, or letters each followed by a stop: `j`, `u.s`.
fn is_initials(stem: &str) -> bool {
    !stem.is_empty() && stem.split('.').all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic))
}

/// The text behind the last white space, at most [`WORD_CHARS`] characters.
fn last_token(text: &str) -> &str {
    let start = text.char_indices().rev().take(WORD_CHARS).find(|(_, c)| c.is_whitespace());
    start.map_or_else(|| tail(text), |(at, c)| &text[at + c.len_utf8()..])
}

fn tail(text: &str) -> &str {
    text.char_indices().rev().take(WORD_CHARS).last().map_or(text, |(at, _)| &text[at..])
}

fn last_word(text: &str) -> &str {
    let start = text.char_indices().rev().take(WORD_CHARS).find(|(_, c)| !c.is_alphanumeric());
    start.map_or_else(|| tail(text), |(at, c)| &text[at + c.len_utf8()..])
}

fn first_word(text: &str) -> &str {
    let end = text.char_indices().take(WORD_CHARS).find(|(_, c)| !c.is_alphanumeric()).map(|(at, _)| at);
    &text[..end.unwrap_or(text.char_indices().nth(WORD_CHARS).map_or(text.len(), |(at, _)| at))]
}

fn opens_with_number(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if c.is_numeric() => true,
        Some('I' | 'V' | 'X' | 'A' | 'B' | 'C' | 'S') => {
            chars.next().is_none_or(|c| !c.is_alphabetic() || "IVX".contains(c))
        }
        _ => false,
    }
}

//! Whether a break proposed by the segmenter holds. Looks at the word before it and the word behind it, nothing more, so
//! that a text costs linear time.

use super::lexicon;

/// Marks that close behind a full stop.
const CLOSERS: &[char] = &['"', '\'', '”', '’', '»', ')', ']', '」', '』', '）', '】'];
/// Marks that open before a word.
const OPENERS: &[char] = &['"', '\'', '“', '‘', '„', '«', '(', '[', '「', '『', '（', '¿', '¡'];

/// Moves a break that fell inside reference marks (`ended.[|12] Next`) behind them and the white space after them.
pub(super) fn past_reference_marks(text: &str, proposed: usize) -> usize {
    let Some(open) = text[..proposed].strip_suffix('[') else {
        return proposed;
    };
    let mut rest = &text[open.len()..];
    while let Some(mark) = rest.strip_prefix('[') {
        let Some(close) = mark.char_indices().take(8).find(|(_, c)| *c == ']').map(|(at, _)| at) else {
            return proposed;
        };
        rest = &mark[close + 1..];
    }
    text.len() - rest.trim_start().len()
}

/// Byte ranges within `stretch` that part sentences although the segmenter saw no end, in no order; mostly empty ranges:
/// `so.The next` (the space was lost), `review process. jbell on` (a running foot broke in), `the kidney This figure is`
/// (a heading without an end mark), `employers.6 According` (the number of a footnote).
pub(super) fn missed(stretch: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, _) in stretch.match_indices('.') {
        let rest = &stretch[at + 1..];
        let before: String = last_word(&stretch[..at]).to_lowercase();
        let is_word = before.chars().count() >= 4 && before.chars().all(char::is_alphabetic);
        let is_end =
            (is_word && !lexicon::is_inner(&before) && !lexicon::is_numbered(&before)) || stretch[..at].ends_with(')');
        let spaced = rest.starts_with(' ') && rest[1..].starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit());
        let lost = before.chars().count() >= 2 && lexicon::is_strong_starter(first_word(rest));
        if (is_end && spaced) || (lost && stretch[..at].ends_with(char::is_lowercase)) {
            found.push((at + 1, at + 1));
        }
        if stretch[..at].ends_with(char::is_lowercase) && before.chars().count() >= 4 {
            found.extend(footnote(rest).map(|digits| (at + 1, at + 1 + digits)));
        }
    }
    found.extend(run_ins(stretch).chain(strange_bullets(stretch)).map(|at| (at, at)));
    found
}

/// Length of the footnote's number at the start of `rest`, where a sentence follows it.
fn footnote(rest: &str) -> Option<usize> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let follows = rest[digits..].strip_prefix(' ').is_some_and(|next| next.starts_with(char::is_uppercase));
    ((1..=2).contains(&digits) && follows).then_some(digits)
}

/// Where the bullet of a symbol font that came out as a letter stands by itself: `Acidoses Ê Savoir définir`.
fn strange_bullets(stretch: &str) -> impl Iterator<Item = usize> {
    stretch.match_indices(' ').filter_map(|(at, _)| lexicon::is_strange_bullet(&stretch[at + 1..]).then_some(at + 1))
}

/// Where a word that opens sentences stands, with a capital, between two words in lower case; where a numbered label does.
fn run_ins(stretch: &str) -> impl Iterator<Item = usize> {
    stretch.match_indices(' ').filter_map(|(at, _)| {
        let word = first_word(&stretch[at + 1..]);
        let behind = &stretch[at + 1 + word.len()..];
        let is_between = stretch[..at].ends_with(|c: char| c.is_lowercase() || c == ')')
            && behind.strip_prefix(' ').is_some_and(|next| next.starts_with(char::is_lowercase));
        let is_caption = lexicon::is_label(word) && is_caption(behind);
        (is_caption || (is_between && lexicon::is_inside_opener(word))).then_some(at + 1)
    })
}

/// Whether behind a label stand its number and a word that opens a sentence: ` 18 Ein topologischer`.
fn is_caption(behind: &str) -> bool {
    let mut words = behind.split_whitespace();
    let is_number = |w: &str| w.bytes().all(|b| b.is_ascii_digit() || b == b'.') && w.len() <= 5;
    words.next().is_some_and(is_number) && words.next().is_some_and(lexicon::is_starter)
}

fn last_word(text: &str) -> &str {
    let start =
        text.char_indices().rev().take(24).find(|(_, c)| !c.is_alphanumeric()).map_or(0, |(at, c)| at + c.len_utf8());
    &text[start..]
}

/// Whether a sentence ends between `left`, which starts where the sentence starts, and `right`.
pub(super) fn holds(left: &str, right: &str) -> bool {
    let body = left.trim_end();
    let space = &left[body.len()..];
    if body.is_empty() {
        return false;
    }
    if space.contains(['\n', '\u{2029}']) {
        return true;
    }
    let core = without_reference_marks(body).trim_end_matches(CLOSERS);
    let Some(last) = core.chars().next_back() else {
        return false;
    };
    if space.is_empty() && last.is_ascii() {
        return false;
    }
    let next = right.trim_start_matches(OPENERS);
    if next.chars().next().is_some_and(char::is_lowercase) {
        return false;
    }
    last != '.' || !is_abbreviated(core, next)
}

/// `body` without the reference marks behind its end mark: `ended.[12][n 3]`. Brackets behind a word stay.
pub(super) fn without_reference_marks(body: &str) -> &str {
    let mut rest = body;
    while let Some(inner) = rest.strip_suffix(']') {
        match inner.char_indices().rev().take(8).find(|(_, c)| *c == '[') {
            Some((open, _)) if open > 0 => rest = rest[..open].trim_end(),
            _ => break,
        }
    }
    if rest.ends_with(['.', '!', '?', '。', '”', '"']) { rest } else { body }
}

/// Whether the full stop that ends `core` belongs to its last word, given the text behind.
fn is_abbreviated(core: &str, next: &str) -> bool {
    let token = core.rsplit(char::is_whitespace).next().unwrap_or(core).trim_start_matches(OPENERS);
    let stem = token.trim_end_matches('.').to_lowercase();
    let follower = first_word(next);
    if lexicon::is_numbered(&stem) && opens_with_number(next) {
        return true;
    }
    let is_code = token == "No." && core.len() > token.len() && !lexicon::is_starter(follower);
    if lexicon::is_inner(&stem) || is_code {
        return true;
    }
    if !stem.is_empty() && stem.bytes().all(|b| b.is_ascii_digit()) {
        let is_list_number = core.trim_start().len() == token.len();
        return is_list_number || (stem.len() <= 2 && lexicon::is_ordinal_noun(&follower.to_lowercase()));
    }
    let before = core[..core.len() - token.len()].trim_end();
    let opens = lexicon::is_starter(follower) || lexicon::is_label(follower) || lexicon::is_label(last_word(before));
    (is_initials(&stem) || lexicon::is_either(&stem)) && !opens
}

/// One letter, or letters each followed by a stop: `j`, `u.s`.
fn is_initials(stem: &str) -> bool {
    !stem.is_empty() && stem.split('.').all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic))
}

fn first_word(text: &str) -> &str {
    let end = text.char_indices().take(24).find(|(_, c)| !c.is_alphanumeric()).map_or(text.len(), |(at, _)| at);
    &text[..end]
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

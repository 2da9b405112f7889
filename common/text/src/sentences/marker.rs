//! The marker that opens a list item or a clause: `3.`, `2.2`, `(a)`, `iv)`, `§ 4`, `Article 1.`, `第3条`, `•`, `-`.
//!
//! A marker is never a sentence of its own and is never cut off; this module only measures its length.

use precis_language::heading::{behind_east_asian_part, is_east_asian_digit};
use precis_language::script::is_unspaced;

use super::lexicon;

/// Most bytes read for markers: several may follow each other (`- 3. (a)`), but each is short.
const MARKER_BYTES: usize = 64;
/// Most characters of one number, letter or Roman numeral.
const LABEL_CHARS: usize = 5;
/// Most numbers joined by dots (`1.2.3.4`).
const DEPTH: usize = 6;

/// Length in bytes of the markers at the start of `text`, including the white space around them; 0 if there is none.
pub(super) fn length(text: &str) -> usize {
    let mut rest = text;
    while let Some(after) = one(rest.trim_start()) {
        rest = after;
        if text.len() - rest.len() > MARKER_BYTES {
            break;
        }
    }
    let behind = if rest.len() == text.len() { rest } else { rest.trim_start() };
    text.len() - behind.len()
}

/// Whether `piece` consists of markers only.
pub(super) fn is_all(piece: &str) -> bool {
    piece.len() <= MARKER_BYTES && length(piece) == piece.len() && !piece.trim().is_empty()
}

/// The text behind the single marker at the start of `text`.
fn one(text: &str) -> Option<&str> {
    bullet(text)
        .or_else(|| bracketed_marker(text))
        .or_else(|| bracketed_east_asian(text))
        .or_else(|| titled_marker(text))
        .or_else(|| numbered_marker(text))
        .or_else(|| ordinal_marker(text))
        .or_else(|| east_asian(text))
}

/// `1° Avertissement`, `2º Multa`: as laws in Romance languages number their items. A word follows, not a scale: `20 °C` and `20° C` are none.
fn ordinal_marker(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    let after = rest.strip_prefix(['°', 'º']).filter(|after| after.starts_with(char::is_whitespace))?;
    let is_word = after.trim_start().chars().take_while(|c| c.is_alphabetic()).count() > 1;
    ((1..=2).contains(&digits) && is_word).then_some(after)
}

fn bullet(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    let rest = &text[first.len_utf8()..];
    let is_dash = matches!(first, '-' | '–' | '—' | '*' | '·' | '・' | '+');
    let is_box = matches!(first, '☐' | '☑' | '☒' | '□') || lexicon::is_bullet(first);
    let circled = matches!(first, '①'..='⓿' | '❶'..='➓');
    (is_box || circled || (is_dash && opens_behind(rest))).then_some(rest)
}

/// `(3)`, `(b)`, `（一）`, `3)`, `b)`.
fn bracketed_marker(text: &str) -> Option<&str> {
    let inner = text.strip_prefix(['(', '（', '[']);
    let (label, rest) = label(inner.unwrap_or(text))?;
    let after = rest.strip_prefix([')', '）']).or_else(|| inner.and_then(|_| rest.strip_prefix(']')))?;
    let is_wide = rest.starts_with('）');
    ((is_wide || opens_behind(after)) && !label.is_empty()).then_some(after)
}

/// `(一)`, `（十二）`, `(2)`: in front of text that sets no words apart the bracket needs no space behind it.
fn bracketed_east_asian(text: &str) -> Option<&str> {
    let inner = text.strip_prefix(['(', '（'])?;
    let rest = inner.trim_start_matches(|c: char| c.is_ascii_digit() || is_east_asian_digit(c));
    let digits = inner[..inner.len() - rest.len()].chars().count();
    let after = rest.strip_prefix([')', '）'])?;
    let opens = rest.starts_with('）') || opens_behind(after) || after.chars().next().is_some_and(is_unspaced);
    ((1..=LABEL_CHARS).contains(&digits) && opens).then_some(after)
}

/// `Article 1.`, `§ 4`, `§§ 4-6.`, `Chapter IV:`: a section sign needs no mark behind its number.
fn titled_marker(text: &str) -> Option<&str> {
    let sign = text.trim_start_matches('§');
    if sign.len() < text.len() {
        let (_, rest) = label(sign.trim_start_matches([' ', '\u{a0}']))?;
        let after = rest.trim_start_matches(['.', ':', ')']);
        return opens_behind(after).then_some(after);
    }
    let end = text.char_indices().take(16).find(|(_, c)| c.is_whitespace()).map(|(at, _)| at)?;
    let word = text[..end].trim_end_matches('.');
    if !lexicon::is_title(word) {
        return None;
    }
    let (_, rest) = label(text[end..].trim_start_matches([' ', '\u{a0}']))?;
    let after = rest.strip_prefix(['.', ':', ')', '–', '—'])?;
    opens_behind(after).then_some(after)
}

/// `3.`, `2.2`, `2.2.`, `A.`, `iv.`: a single number needs a stop, otherwise it is the first word of the sentence.
fn numbered_marker(text: &str) -> Option<&str> {
    let (found, rest) = label(text)?;
    let is_deep = found.contains('.');
    let after = match rest.strip_prefix(['.', ':']) {
        Some(after) => after,
        None if is_deep => rest,
        None => return None,
    };
    opens_behind(after).then_some(after)
}

/// `第3条`, `第一章`, `一、`, `3、`.
fn east_asian(text: &str) -> Option<&str> {
    let is_number = |c: char| c.is_ascii_digit() || is_east_asian_digit(c);
    let (inner, is_ordinal) = text.strip_prefix('第').map_or((text, false), |inner| (inner, true));
    let rest = inner.trim_start_matches(is_number);
    let digits = inner[..inner.len() - rest.len()].chars().count();
    if !(1..=LABEL_CHARS).contains(&digits) {
        return None;
    }
    behind_east_asian_part(rest, is_ordinal)
}

/// The number, letter or Roman numeral at the start of `text`, including numbers joined by dots or dashes, and the rest of the text.
fn label(text: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    for _ in 0..DEPTH {
        let part = text[end..].char_indices().take_while(|(_, c)| c.is_alphanumeric()).take(LABEL_CHARS + 1);
        let part = &text[end..end + part.last().map_or(0, |(at, c)| at + c.len_utf8())];
        let is_number = part.len() <= LABEL_CHARS && part.bytes().all(|b| b.is_ascii_digit());
        let is_letter = part.chars().count() == 1;
        let is_roman = part.bytes().all(|b| b"ivxlc".contains(&b)) || part.bytes().all(|b| b"IVXLC".contains(&b));
        let is_mixed = part.bytes().next().is_some_and(|b| b.is_ascii_digit())
            && part.bytes().rev().skip(1).all(|b| b.is_ascii_digit())
            && part.bytes().last().is_some_and(|b| b.is_ascii_alphabetic());
        let is_label = is_number || is_letter || is_roman || is_mixed;
        if part.is_empty() || part.chars().count() > LABEL_CHARS || !is_label {
            break;
        }
        end += part.len();
        let inner = text[end..].strip_prefix(['.', '-', '–']);
        match inner.filter(|inner| inner.starts_with(|c: char| c.is_ascii_alphanumeric())) {
            Some(inner) => end = text.len() - inner.len(),
            None => return Some((&text[..end], &text[end..])),
        }
    }
    None
}

/// Whether the text behind a marker is separated from it.
fn opens_behind(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_distinguished_from_the_words_after_them() {
        for (text, marker) in [
            ("3. Do not", "3. "),
            ("2.2 Never", "2.2 "),
            ("2.2. Never", "2.2. "),
            ("12.4.1 Never", "12.4.1 "),
            ("(a) No", "(a) "),
            ("(iv) No", "(iv) "),
            ("a) No", "a) "),
            ("IV. No", "IV. "),
            ("A. The", "A. "),
            ("3a. The", "3a. "),
            ("§ 4 Kein", "§ 4 "),
            ("§§ 4-6. Kein", "§§ 4-6. "),
            ("Article 1. No", "Article 1. "),
            ("Art. 1. Nul", "Art. 1. "),
            ("Chapter IV: No", "Chapter IV: "),
            ("Статья 5. Никто", "Статья 5. "),
            ("• Never", "• "),
            ("•Never", "•"),
            ("- 3. (a) Never", "- 3. (a) "),
            ("第3条 何人も", "第3条 "),
            ("一、不得", "一、"),
            ("（一）不得", "（一）"),
            ("(一)不得", "(一)"),
            ("(十二)不得", "(十二)"),
            ("(2)不得", "(2)"),
            ("1° Avertissement", "1° "),
            ("12º Multa", "12º "),
            ("20° C is warm", ""),
            ("20°C is warm", ""),
            ("360° View", ""),
            ("(2)nd", ""),
            ("12 people were hurt.", ""),
            ("1.5 litres", "1.5 "),
            ("No Member", ""),
            ("Not all", ""),
            ("Article 1 of the law", ""),
            ("I am here", ""),
            ("-5 degrees", ""),
            ("Mr. Smith", ""),
            ("", ""),
        ] {
            assert_eq!(&text[..length(text)], marker, "{text}");
        }
    }

    #[test]
    fn a_marker_alone_is_known_as_one() {
        for (piece, all) in
            [("3. ", true), ("Article 1. ", true), ("(a)", true), ("No. ", false), (" ", false), ("3. Do", false)]
        {
            assert_eq!(is_all(piece), all, "{piece}");
        }
    }
}

//! The surroundings of inline markup: which characters may precede its start and follow its end; also names and escapes (reStructuredText
//! specification, "Inline markup recognition rules").

/// Whether inline markup may begin after the character `before`.
pub(super) fn may_start_behind(before: Option<char>) -> bool {
    before.is_none_or(|c| c.is_whitespace() || "-:/'\"<([{".contains(c) || is_punctuation(c))
}

/// Whether inline markup may end before the character `behind`.
pub(super) fn may_end_before(behind: Option<char>) -> bool {
    behind.is_none_or(|c| c.is_whitespace() || "'\")]}>-/\\:.,;!?".contains(c) || is_punctuation(c))
}

/// Whether `close` closes what `open` opens: a markup character between the two is literal.
pub(super) fn is_quoted(open: Option<char>, close: char) -> bool {
    let pairs = ["\"\"", "''", "()", "[]", "{}", "<>", "“”", "‘’", "«»", "‹›", "„“", "‚‘", "»«", "›‹", "「」", "『』"];
    open.is_some_and(|open| pairs.iter().any(|pair| pair.chars().eq([open, close])))
}

/// Whether `c` is a punctuation mark beyond ASCII.
fn is_punctuation(c: char) -> bool {
    matches!(c,
        '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}' | '\u{37e}' | '\u{387}' | '\u{589}'
        | '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{66a}'..='\u{66d}' | '\u{6d4}' | '\u{964}' | '\u{965}' | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{30fb}'
        | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' | '\u{ff3b}' | '\u{ff3d}' | '\u{ff5b}' | '\u{ff5d}'
        | '\u{ff5f}'..='\u{ff65}')
}

/// `source` without escaping backslashes; white space after a backslash is removed too.
pub(super) fn unescaped(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        let c = if c == '\\' { chars.next().filter(|c| !c.is_whitespace()) } else { Some(c) };
        out.extend(c);
    }
    out
}

/// Length in bytes of the simple name at the start of `text`: letters and digits, with single characters of `-._+:` between them.
pub(super) fn simple_name(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_mark = "-._+:".contains(c);
        if c.is_alphanumeric() {
            end = at + c.len_utf8();
        } else if !is_mark || end != at || at == 0 || !chars.peek().is_some_and(|(_, next)| next.is_alphanumeric()) {
            break;
        }
    }
    end
}

/// The simple name at the end of `text`, at most `most` bytes long.
pub(super) fn simple_name_before(text: &str, most: usize) -> &str {
    let mut start = text.len();
    let mut behind = None;
    for (at, c) in text.char_indices().rev() {
        let is_part = c.is_alphanumeric() || ("-._+:".contains(c) && behind.is_some_and(char::is_alphanumeric));
        if !is_part || text.len() - at > most {
            break;
        }
        if c.is_alphanumeric() {
            start = at;
        }
        behind = Some(c);
    }
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_with_single_marks_between_them() {
        for (text, from_start, from_end) in [
            ("py:class:`", "py:class", ""),
            ("a--b", "a", "b"),
            ("x.y", "x.y", "x.y"),
            ("-a", "", "a"),
            ("é_b", "é_b", "é_b"),
            ("", "", ""),
        ] {
            assert_eq!((&text[..simple_name(text)], simple_name_before(text, 99)), (from_start, from_end), "{text}");
        }
    }
}

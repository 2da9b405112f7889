//! Which characters of a text a report shows: those that a reader can see, and the joiners and selectors without which scripts and emoji
//! change their shape.
//!
//! Texts, quotes and their locators keep every character; only what is rendered passes through here. A message in characters that nobody
//! sees would otherwise reach whoever gives a report to a model.

use super::visible::{is_invisible, is_selector, shows_nothing};

/// `text` as a report shows it.
///
/// Left out are control characters, direction controls, zero-width characters, soft hyphens, fillers and tags. A joiner is kept, one in
/// a row, after a letter of a script that needs joiners (Hebrew to Myanmar, Khmer, Mongolian and the other scripts of South and South-East
/// Asia), and a zero-width joiner between two emoji. A variation selector is kept, one in a row, after an emoji or another symbol, a key
/// cap, an ideograph, a letter of Myanmar; Mongolian letters keep their own. An emoji flag that consists of tags loses them.
///
/// ```
/// use precis_text::shown_text;
///
/// assert_eq!(shown_text("pay\u{200b} nothing\u{e0041}\u{e0042}"), "pay nothing");
/// assert_eq!(shown_text("می\u{200c}خواهم 👩\u{200d}🚀 ❤\u{fe0f}"), "می\u{200c}خواهم 👩\u{200d}🚀 ❤\u{fe0f}");
/// ```
#[must_use]
pub fn shown_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_shown(before, c, chars.peek().copied()) {
            out.push(c);
            before = Some(c);
        }
    }
    out
}

/// Whether `c` is shown between `before`, the last character that is shown, and `after`, the next of the text.
#[must_use]
pub fn is_shown(before: Option<char>, c: char, after: Option<char>) -> bool {
    if c.is_ascii_graphic() || c == ' ' {
        return true;
    }
    let follows = |wanted: fn(char) -> bool| before.is_some_and(wanted);
    match c {
        '\u{200c}' => follows(takes_joiner),
        '\u{200d}' => follows(takes_joiner) || (follows(is_emoji_part) && after.is_some_and(is_symbol)),
        '\u{fe0e}' | '\u{fe0f}' => follows(takes_selector) || follows(is_key_cap),
        '\u{fe00}'..='\u{fe0d}' => follows(takes_selector),
        '\u{e0100}'..='\u{e01ef}' => follows(is_ideograph),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => follows(|before| matches!(before, '\u{1820}'..='\u{18aa}')),
        _ => !is_invisible(c) && !shows_nothing(c),
    }
}

/// Letters and signs of the scripts in which joiners decide the shape of a word.
fn takes_joiner(c: char) -> bool {
    let needs = matches!(c,
        '\u{590}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1900}'..='\u{1cff}' | '\u{a800}'..='\u{a8ff}' | '\u{a980}'..='\u{abff}'
        | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{11fff}');
    needs && !shows_nothing(c)
}

/// Emoji, arrows and other symbols.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{203c}' | '\u{2049}' | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// A symbol, or the selector that makes it an emoji.
fn is_emoji_part(c: char) -> bool {
    is_symbol(c) || c == '\u{fe0f}'
}

fn takes_selector(c: char) -> bool {
    is_symbol(c)
        || is_ideograph(c)
        || matches!(c, '©' | '®' | '™' | 'ℹ' | '\u{1000}'..='\u{109f}' | '\u{ff00}'..='\u{ff60}')
}

fn is_key_cap(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '#' | '*')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3001}'..='\u{3002}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        && !is_selector(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_text_is_hidden_and_marks_of_scripts_are_kept() {
        let table = [
            ("co\u{ad}op\u{200b}er\u{feff}ate \u{1}now\u{7f}", "cooperate now"),
            ("a\u{202e}b\u{2066}c\u{200e}d\u{200f}e\u{61c}", "abcde"),
            ("x\u{e0041}\u{e007f}\u{2062}\u{3164}y", "xy"),
            ("pass\u{200d}word \u{200c}1\u{200d}2", "password 12"),
            ("漢\u{200d}字", "漢字"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("ه\u{200d} ه\u{200d}\u{200d}\u{200c}", "ه\u{200d} ه\u{200d}"),
            // A letter of Malayalam in its older spelling, at the end of a word.
            ("അവന\u{d4d}\u{200d} വന്നു", "അവന\u{d4d}\u{200d} വന്നു"),
            ("क\u{94d}\u{200c}ष क\u{94d}\u{200d}ष", "क\u{94d}\u{200c}ष क\u{94d}\u{200d}ष"),
            ("👩\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥", "👩\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥"),
            ("👩\u{200d} x 👩\u{200d}\u{200d}🚀", "👩 x 👩\u{200d}🚀"),
            ("1\u{fe0f}\u{20e3} ©\u{fe0f}\u{fe0f} a\u{fe0f}b\u{e0101}", "1\u{fe0f}\u{20e3} ©\u{fe0f} ab"),
            ("葛\u{e0100}\u{e0101}城", "葛\u{e0100}城"),
            ("ᠠ\u{180b} a\u{180b}", "ᠠ\u{180b} a"),
            ("🏴\u{e0067}\u{e0062}\u{e007f}", "🏴"),
            ("two\nlines\tand\u{a0}more", "two\nlines\tand\u{a0}more"),
            ("", ""),
        ];
        for (text, want) in table {
            assert_eq!(shown_text(text), want, "{text:?}");
            assert_eq!(shown_text(want), want, "shown twice: {want:?}");
        }
    }
}

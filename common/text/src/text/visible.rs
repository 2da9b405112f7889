//! Characters that are invisible to readers.

/// Least number of invisible characters in a row that count as a hidden message. Chosen: typesetters use one or two.
const MIN_RUN: usize = 4;

/// Whether `c` is a control character or reorders text; in a report such characters could only mislead the reader.
pub fn is_invisible(c: char) -> bool {
    (c.is_control() && !c.is_whitespace()) || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// `text` without invisible characters: zero-width characters and soft hyphens, direction controls, tags, and variation selectors without
/// effect. Hidden text consists of them, and they split terms.
///
/// A joiner is kept if scripts or emoji need it: a single one between two characters beyond Latin, Greek and Cyrillic.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let keep = match c {
            '\u{200c}' | '\u{200d}' => {
                out.chars().next_back().is_some_and(takes_joiner) && chars.peek().copied().is_some_and(takes_joiner)
            }
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
                out.chars().next_back().is_some_and(|before| !before.is_whitespace() && !is_selector(before))
            }
            _ => !shows_nothing(c),
        };
        if keep {
            out.push(c);
        }
    }
    out
}

fn takes_joiner(c: char) -> bool {
    c >= '\u{590}' && !c.is_whitespace() && !matches!(c, '\u{200c}' | '\u{200d}') && !shows_nothing(c)
}

/// Number of invisible characters of `text` that typesetting never uses: tags, forced reordering, fillers, and any others in runs of
/// [`MIN_RUN`] or more. Messages are hidden in them.
pub fn hiding_marks(text: &str) -> usize {
    if text.is_ascii() {
        return 0;
    }
    let (mut marks, mut run) = (0, 0);
    for c in text.chars() {
        let is_mark = matches!(c,
            '\u{202d}' | '\u{202e}' | '\u{115f}' | '\u{1160}' | '\u{2061}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{3164}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
        if is_mark {
            marks += 1;
        } else if shows_nothing(c) || is_selector(c) || matches!(c, '\u{200c}' | '\u{200d}') {
            run += 1;
            marks += match run {
                ..MIN_RUN => 0,
                MIN_RUN => MIN_RUN,
                _ => 1,
            };
            continue;
        }
        run = 0;
    }
    marks
}

/// Whether `c` selects a variant of the character before it.
pub fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether `c` is always invisible; joiners and variation selectors, which only may be, are not included.
pub fn shows_nothing(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_hide_are_counted_and_those_that_typesetters_use_are_not() {
        let table = [
            ("co\u{ad}op\u{200b}er\u{feff}ate \u{2067}x\u{2069} می\u{200c}خواهم 👩\u{200d}🚀 ❤\u{fe0f}".to_owned(), 0),
            ("x\u{e0041}\u{e0042}\u{202e}y\u{3164}".to_owned(), 4),
            (format!("a{}b", "\u{200b}".repeat(MIN_RUN - 1)), 0),
            (format!("a{}b", "\u{200b}".repeat(MIN_RUN)), MIN_RUN),
            (format!("a{}b", "\u{200c}".repeat(MIN_RUN + 1)), MIN_RUN + 1),
        ];
        for (text, want) in table {
            assert_eq!(hiding_marks(&text), want, "{text:?}");
        }
    }

    #[test]
    fn characters_that_show_nothing_are_dropped_and_joiners_kept_where_needed() {
        let table = [
            ("co\u{ad}op\u{200b}er\u{feff}ate", "cooperate"),
            ("a\u{202e}b\u{2066}c", "abc"),
            ("x\u{e0041}\u{e0042}y", "xy"),
            ("pass\u{200d}word", "password"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("👩\u{200d}🚀", "👩\u{200d}🚀"),
            ("👩\u{200d}\u{200d}🚀", "👩\u{200d}🚀"),
            ("❤\u{fe0f}\u{fe0f} \u{fe0f}x", "❤\u{fe0f} x"),
        ];
        for (raw, want) in table {
            assert_eq!(visible(raw), want, "{raw:?}");
        }
    }
}

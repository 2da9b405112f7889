//! Turns bare addresses in a model's text into code spans, so that no renderer makes them links: nobody has checked their targets.

use super::inline::Inline;

/// Returns `row` with its bare addresses as code spans. Many renderers turn bare addresses into links.
///
/// Brackets and bars end an address: a code span can hide neither a citation number nor the border of a table cell.
pub(super) fn addresses_as_code(row: Vec<Inline>) -> Vec<Inline> {
    let mut out = Vec::with_capacity(row.len());
    let mut word = String::new();
    for inline in row {
        match inline {
            Inline::Char(c) if !c.is_whitespace() && !"[]|".contains(c) => word.push(c),
            other => {
                push_word(&mut out, &std::mem::take(&mut word));
                out.push(other);
            }
        }
    }
    push_word(&mut out, &word);
    out
}

fn push_word(out: &mut Vec<Inline>, word: &str) {
    let is_edge = |c: char| "()<>{}\"'*_~.,;:!?".contains(c);
    let trimmed = word.trim_matches(is_edge);
    // An edge may be a part of a mail address, as in `_@a.example`.
    let Some(bare) = [trimmed, word].into_iter().find(|part| is_address(part)) else {
        return out.extend(word.chars().map(Inline::Char));
    };
    let start = word.find(bare).unwrap_or(0);
    out.extend(word[..start].chars().map(Inline::Char));
    out.push(Inline::Code(bare.to_owned()));
    out.extend(word[start + bare.len()..].chars().map(Inline::Char));
}

/// Whether a renderer might turn `word` into a link (GitHub Flavored Markdown, "Autolinks (extension)"): it contains a scheme or
/// `www.`, or a mail address.
fn is_address(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let mail = || lower.match_indices('@').any(|(at, _)| lower[..at].ends_with(is_name) && lower[at..].contains('.'));
    lower.contains("://") || lower.contains("www.") || ["mailto:", "xmpp:"].iter().any(|s| lower.contains(s)) || mail()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let row = text.chars().map(Inline::Char).collect();
        let inlines = addresses_as_code(row).into_iter().map(|inline| match inline {
            Inline::Char(c) => c.to_string(),
            Inline::Code(code) => format!("`{code}`"),
            _ => String::new(),
        });
        inlines.collect()
    }

    #[test]
    fn an_address_becomes_code_and_everything_else_stays() {
        for (text, expected) in [
            ("see https://evil.example/x.", "see `https://evil.example/x`."),
            ("(www.evil.example)", "(`www.evil.example`)"),
            ("HTTP://Evil.example, or", "`HTTP://Evil.example`, or"),
            ("write to a.b@evil.example!", "write to `a.b@evil.example`!"),
            ("mailto:a@b.c", "`mailto:a@b.c`"),
            ("x:ftp://h/y", "`x:ftp://h/y`"),
            ("costs 5 @ 3.50, at 12:30 and a/b", "costs 5 @ 3.50, at 12:30 and a/b"),
            ("@a@evil.example a@@b.c@d.e _@evil.example", "`@a@evil.example` `a@@b.c@d.e` `_@evil.example`"),
            ("https://h/[1]x www.h|a@b.c", "`https://h/`[1]x `www.h`|`a@b.c`"),
            ("@name and name@host", "@name and name@host"),
            ("", ""),
        ] {
            assert_eq!(written(text), expected);
        }
    }
}

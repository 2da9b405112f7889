//! Declarations as a browser reads them: escapes resolved, comments replaced by spaces. Tokenises only; knows no property.

use std::borrow::Cow;

use cssparser::{ParseError, Parser, ToCss, Token};

/// Deepest nesting of functions and brackets that is read; the content of deeper ones is left out. Recursion costs stack.
const MAX_DEPTH: usize = 32;

/// `css` without comments and with escapes resolved. A name that only an escape can spell, such as one with a semicolon, becomes `?`, so
/// that an escape never ends a declaration.
pub(super) fn plain(css: &str) -> Cow<'_, str> {
    if !css.contains('\\') && !css.contains("/*") {
        return Cow::Borrowed(css);
    }
    let mut out = String::with_capacity(css.len());
    write(&mut Parser::new(css), 0, &mut out);
    Cow::Owned(out)
}

fn write(parser: &mut Parser<'_>, depth: usize, out: &mut String) {
    loop {
        let start = parser.position();
        let Ok(token) = parser.next_including_whitespace_and_comments().cloned() else { return };
        let close = match &token {
            Token::Comment(_) => {
                out.push(' ');
                continue;
            }
            Token::Ident(name) => {
                out.push_str(word(name));
                continue;
            }
            Token::Dimension { .. } => {
                out.push_str(&token.to_css_string());
                continue;
            }
            Token::Function(name) => {
                out.push_str(word(name));
                out.push('(');
                ')'
            }
            _ => {
                out.push_str(parser.slice_from(start));
                match token {
                    Token::ParenthesisBlock => ')',
                    Token::SquareBracketBlock => ']',
                    Token::CurlyBracketBlock => '}',
                    _ => continue,
                }
            }
        };
        // The next token is the one behind the closing bracket, whether the content was read or not.
        if depth < MAX_DEPTH {
            let _ = parser.parse_nested_block(|inside| {
                write(inside, depth + 1, out);
                Ok::<_, ParseError<()>>(())
            });
        }
        out.push(close);
    }
}

fn word(name: &str) -> &str {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii();
    if name.chars().all(is_plain) { name } else { "?" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_resolved_and_comments_are_spaces() {
        for (css, want) in [
            ("d\\69splay:none", "display:none"),
            ("d\\000069 splay:n\\6fne", "display:none"),
            ("display:/**/none", "display: none"),
            ("font-size:0\\70 x", "font-size:0px"),
            ("c\\61lc(0px)", "calc(0px)"),
            ("no/**/ne", "no ne"),
            ("x\\3b display:none", "?:none"),
            ("a:b/* never closed;display:none", "a:b "),
            ("display:none", "display:none"),
            ("\\", "\u{fffd}"),
        ] {
            assert_eq!(plain(css), want, "{css}");
        }
    }

    #[test]
    fn nesting_is_read_up_to_a_depth() {
        for (depth, is_read) in [(MAX_DEPTH - 1, true), (MAX_DEPTH, true), (MAX_DEPTH + 1, false)] {
            let css = format!("/**/{}x{}", "(".repeat(depth), ")".repeat(depth));
            assert_eq!(plain(&css).contains('x'), is_read, "{depth}");
        }
        assert!(plain(&format!("/**/{}", "f(".repeat(100_000))).len() < 1_000);
    }
}

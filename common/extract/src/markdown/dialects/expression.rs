//! Expressions of templates: `site.title | default: "x"`, `items[0].name`, `a + b`.

/// Words that stand between two values.
const WORD_OPERATORS: [&str; 8] = ["and", "or", "not", "in", "is", "if", "else", "contains"];
/// Signs between two values, also of more than one character.
const OPERATORS: &str = "|.,:+-*/%=!<>?&~";

/// Whether `text` is an expression: values with an operator between each two. Words without one are prose.
pub(super) fn is_expression(text: &str) -> bool {
    let (mut rest, mut after_value, mut open) = (text.trim(), false, Vec::new());
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' if !after_value => match rest[1..].find(first) {
                Some(end) => end + 2,
                None => return false,
            },
            '(' | '[' => {
                open.push(if first == '(' { ')' } else { ']' });
                after_value = false;
                rest = rest[1..].trim_start();
                // A call without arguments.
                if rest.starts_with([')', ']']) {
                    after_value = true;
                }
                continue;
            }
            ')' | ']' if after_value && open.pop() == Some(first) => {
                rest = rest[1..].trim_start();
                continue;
            }
            _ if first.is_ascii_alphanumeric() || matches!(first, '_' | '$') => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-');
                let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                if WORD_OPERATORS.contains(&&rest[..length]) {
                    after_value = false;
                    rest = rest[length..].trim_start();
                    continue;
                }
                if after_value {
                    return false;
                }
                length
            }
            _ if OPERATORS.contains(first) && (after_value || matches!(first, '-' | '!')) => {
                after_value = false;
                let length = rest.find(|c: char| c == '.' || !OPERATORS.contains(c)).unwrap_or(rest.len());
                rest = rest[length.max(1)..].trim_start();
                continue;
            }
            _ => return false,
        };
        after_value = true;
        rest = rest[length..].trim_start();
    }
    after_value && open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_operators_are_expressions_and_words_are_none() {
        for text in [
            "site.title",
            "page.title | default: \"a b\" | upcase",
            "items[0].name",
            "f(a, b)",
            "now()",
            "a + -1",
            "a if b else c",
            "x == y ? 'a' : 'b'",
            "$frontmatter.title",
            "key-a",
            "'text'",
        ] {
            assert!(is_expression(text), "{text}");
        }
        for text in ["", "two words", "cite web|a b", ".Title", "a..b.", "é", "f(a", "a]", "\"a", "a | ", "a 'b'"] {
            assert!(!is_expression(text), "{text}");
        }
    }
}

//! Arguments of a directive: names with quoted values, and words.

/// An argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Argument<'a> {
    /// Empty if it has none.
    pub(super) name: &'a str,
    /// Without its quotes.
    pub(super) value: &'a str,
    pub(super) is_quoted: bool,
}

/// The arguments in `text`, separated by white space or commas. `None` if a quote is not closed.
pub(super) fn arguments(text: &str) -> Option<Vec<Argument<'_>>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches(is_separator);
    while !rest.is_empty() {
        let stop = rest.find(|c: char| is_separator(c) || c == '=' || is_quote(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(stop);
        let (name, value) = match behind.strip_prefix('=') {
            Some(value) if !word.is_empty() => (word, value),
            _ => ("", if word.is_empty() { behind } else { rest }),
        };
        let quote = value.chars().next().filter(|c| is_quote(*c));
        let length = match quote {
            Some(quote) => value[1..].find(quote)? + 2,
            None => value.find(is_separator).unwrap_or(value.len()),
        };
        let (value, behind) = value.split_at(length);
        let value = if quote.is_some() { &value[1..length - 1] } else { value };
        found.push(Argument { name, value, is_quoted: quote.is_some() });
        rest = behind.trim_start_matches(is_separator);
    }
    Some(found)
}

/// The quoted value of the first argument whose name is one of `names`.
pub(super) fn quoted<'a>(arguments: &[Argument<'a>], names: &[&str]) -> Option<&'a str> {
    arguments.iter().find(|found| found.is_quoted && names.contains(&found.name)).map(|found| found.value)
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == ','
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

/// The length of the name with which `text` begins: a letter or `_`, then also digits, hyphens and the characters `others`.
pub(super) fn name_length(text: &str, others: &str) -> usize {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return 0;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || others.contains(c);
    text.find(|c: char| !is_part(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_names_with_values_and_words() {
        let told = |text: &str| {
            let of = |found: &Argument<'_>| format!("{}|{}|{}", found.name, found.value, u8::from(found.is_quoted));
            arguments(text).map(|found| found.iter().map(of).collect::<Vec<_>>())
        };
        for (text, want) in [
            ("a=\"b c\" d 'e f', g=h", Some(&["a|b c|1", "|d|0", "|e f|1", "g|h|0"][..])),
            ("\"\" .x #y =z", Some(&["||1", "|.x|0", "|#y|0", "|=z|0"])),
            ("a=\"b", None),
            ("", Some(&[])),
        ] {
            let want = want.map(|want| want.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
            assert_eq!(told(text), want, "{text}");
        }
    }
}

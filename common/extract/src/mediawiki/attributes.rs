//! Attributes of tags and cells, written anew, so that nothing of them can end a tag.

use super::pieces::without_marks;

/// Most attributes of a tag or cell; later ones are left out. Chosen: real ones have a few.
const MAX_ATTRIBUTES: usize = 32;

/// `source`, as it stands in a tag or before the bar of a cell, as attributes of HTML, each behind a space.
pub(super) fn rewrite(source: &str) -> String {
    pairs(source).iter().map(|(name, value)| format!(" {name}=\"{}\"", escape(value))).collect()
}

/// The value of the attribute `name`.
pub(super) fn value_of(source: &str, name: &str) -> Option<String> {
    pairs(source).into_iter().find(|(given, _)| given == name).map(|(_, value)| value)
}

/// Names in lower case with their values; a name alone has an empty one.
fn pairs(source: &str) -> Vec<(String, String)> {
    let source = without_marks(source);
    let (mut pairs, mut rest) = (Vec::new(), source.as_str());
    while pairs.len() < MAX_ATTRIBUTES {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let end = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
        if end == 0 {
            break;
        }
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let mut value = "";
        if let Some(given) = rest.strip_prefix('=') {
            (value, rest) = value_and_rest(given.trim_start());
        }
        pairs.push((name, value.to_owned()));
    }
    pairs
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == ':'
}

fn value_and_rest(given: &str) -> (&str, &str) {
    let quote = given.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quote.and_then(|quote| given[1..].split_once(quote)) {
        Some(parts) => parts,
        None => given.split_at(given.find(char::is_whitespace).unwrap_or(given.len())),
    }
}

/// `text` with the signs of markup as references to characters.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_cannot_end_a_tag() {
        for (source, want) in [
            ("colspan=3", " colspan=\"3\""),
            (" style = 'a: b' Class=\"x\" nowrap", " style=\"a: b\" class=\"x\" nowrap=\"\""),
            ("title='a>b\"<i>' /", " title=\"a&gt;b&quot;&lt;i&gt;\""),
            ("x=\"open", " x=\"&quot;open\""),
            ("<>", ""),
        ] {
            assert_eq!(rewrite(source), want, "{source}");
        }
        assert_eq!(value_of("name = \"a b\" group=c", "name").as_deref(), Some("a b"));
    }

    #[test]
    fn a_tag_has_so_many_attributes() {
        for (given, kept) in [
            (MAX_ATTRIBUTES - 1, MAX_ATTRIBUTES - 1),
            (MAX_ATTRIBUTES, MAX_ATTRIBUTES),
            (MAX_ATTRIBUTES + 1, MAX_ATTRIBUTES),
        ] {
            assert_eq!(pairs(&"a=1 ".repeat(given)).len(), kept, "{given}");
        }
    }
}

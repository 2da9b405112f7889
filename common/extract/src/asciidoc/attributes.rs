//! Values of attributes, which stand for their names in braces.

use std::cell::Cell;
use std::collections::HashMap;

/// Most attributes of a document; later ones stay names. Chosen.
const MAX_ATTRIBUTES: usize = 1_000;
/// Most bytes of a value; a longer one is not kept. Chosen.
const MAX_VALUE_BYTES: usize = 1_000;
/// Most bytes that values add to a document: a name of three bytes may stand for a thousand. Later names stay. Chosen.
const MAX_ADDED_BYTES: usize = 1_000_000;
/// Most bytes of a name, which bounds the search for its end; chosen.
const MAX_NAME_BYTES: usize = 100;

/// Names with the characters that they stand for in every document.
const CHARACTERS: &str =
    "nbsp=\u{a0} zwsp=\u{200b} wj=\u{2060} empty= blank= apos=' quot=\" deg=° plus=+ vbar=| amp=& lt=< gt=> cpp=C++";

/// The attributes of a document.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    values: HashMap<String, String>,
    /// Bytes that values have added.
    added: Cell<usize>,
}

impl Attributes {
    /// Sets the value of a name, within the limits.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        if self.values.len() < MAX_ATTRIBUTES && value.len() <= MAX_VALUE_BYTES {
            self.values.insert(name.to_owned(), value.to_owned());
        }
    }

    fn value(&self, name: &str) -> Option<&str> {
        let characters = CHARACTERS.split(' ').filter_map(|row| row.split_once('='));
        let character = || characters.clone().find(|(known, _)| *known == name).map(|(_, character)| character);
        self.values.get(name).map(String::as_str).or_else(character)
    }

    /// `text` with values in place of the names that are known.
    pub(super) fn replace(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some(at) = rest.find('{') {
            let (before, behind) = rest.split_at(at);
            let near = &behind[1..behind.floor_char_boundary(MAX_NAME_BYTES + 2).max(1)];
            let name = near.split_once('}').map(|(name, _)| name).filter(|_| !before.ends_with('\\'));
            let value = name.and_then(|name| Some((name, self.value(name)?)));
            let value = value.filter(|(_, value)| self.added.get() + value.len() <= MAX_ADDED_BYTES);
            out.push_str(before);
            let (shown, taken) = value.map_or(("{", 1), |(name, value)| (value, name.len() + 2));
            self.added.set(self.added.get() + value.map_or(0, |(_, value)| value.len()));
            out.push_str(shown);
            rest = &behind[taken..];
        }
        out + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(values: impl IntoIterator<Item = (String, String)>) -> Attributes {
        let mut attributes = Attributes::default();
        values.into_iter().for_each(|(name, value)| attributes.set(&name, &value));
        attributes
    }

    #[test]
    fn known_names_are_replaced() {
        let attributes = with([("v".to_owned(), "1.2".to_owned())]);
        for (text, want) in [
            ("{v} {w} \\{v} {v", "1.2 {w} \\{v} {v"),
            ("{{v}}", "{1.2}"),
            ("a{nbsp}b{empty}", "a\u{a0}b"),
            ("é{v}é", "é1.2é"),
        ] {
            assert_eq!(attributes.replace(text), want, "{text}");
        }
    }

    #[test]
    fn values_are_kept_up_to_a_number_and_a_length() {
        for (at, is_kept) in [(MAX_ATTRIBUTES - 1, true), (MAX_ATTRIBUTES, true), (MAX_ATTRIBUTES + 1, false)] {
            let attributes = with((1..=at).map(|n| (format!("n{n}"), "x".to_owned())));
            assert_eq!(attributes.replace(&format!("{{n{at}}}")) == "x", is_kept, "{at}");
        }
        for (bytes, is_kept) in [(MAX_VALUE_BYTES - 1, true), (MAX_VALUE_BYTES, true), (MAX_VALUE_BYTES + 1, false)] {
            let attributes = with([("v".to_owned(), "x".repeat(bytes))]);
            assert_eq!(attributes.replace("{v}").starts_with('x'), is_kept, "{bytes}");
        }
        for (bytes, is_kept) in [(MAX_NAME_BYTES - 1, true), (MAX_NAME_BYTES, true), (MAX_NAME_BYTES + 1, false)] {
            let name = "n".repeat(bytes);
            assert_eq!(
                with([(name.clone(), "x".to_owned())]).replace(&format!("{{{name}}}")) == "x",
                is_kept,
                "{bytes}"
            );
        }
    }

    #[test]
    fn values_add_up_to_a_number_of_bytes() {
        let attributes = with([("v".to_owned(), "x".repeat(MAX_VALUE_BYTES)), ("w".to_owned(), "y".to_owned())]);
        let times = MAX_ADDED_BYTES / MAX_VALUE_BYTES;
        let most = attributes.replace(&"{v}".repeat(times - 1));
        assert_eq!(most.len(), MAX_ADDED_BYTES - MAX_VALUE_BYTES);
        assert_eq!(attributes.replace(&"{w}".repeat(MAX_VALUE_BYTES - 1)).len(), MAX_VALUE_BYTES - 1);
        assert_eq!((attributes.replace("{w}").as_str(), attributes.replace("{w}").as_str()), ("y", "{w}"));
    }
}

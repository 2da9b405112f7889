//! [`Entities`]: what the named references of an XML document stand for. Those of XML and HTML are known; a document declares others. One that
//! is declared elsewhere stays as written, so that a reader sees that something is missing; no value unfolds another, so nothing grows.

use std::collections::HashMap;

use quick_xml::escape::{resolve_html5_entity, resolve_xml_entity, unescape_with};

/// Most entities that one document may declare; further ones stay as written. Chosen: of 517 standards none declares more than 22.
const MAX_DECLARED: usize = 1_000;
/// Longest value of one, in bytes. Chosen, not measured.
const MAX_VALUE: usize = 1_000;
/// Most bytes that declared values may add to a document.
const MAX_ADDED: usize = 1 << 20;

/// The entities of one document.
#[derive(Debug, Default)]
pub(super) struct Entities {
    declared: HashMap<String, String>,
    added: usize,
}

impl Entities {
    /// Takes the declarations of a document type: `<!ENTITY name "value">`. Values with markup, and those that stand in other files, are not
    /// taken.
    pub(super) fn declare(&mut self, declarations: &str) {
        for declaration in declarations.split("<!ENTITY").skip(1) {
            let Some((name, rest)) = declaration.trim_start().split_once(char::is_whitespace) else { continue };
            let rest = rest.trim_start();
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
            let Some((value, _)) = rest[1..].split_once(quote) else { continue };
            let is_text = value.len() <= MAX_VALUE && !value.contains('<');
            if is_text && self.declared.len() < MAX_DECLARED {
                // The first declaration of a name counts.
                self.declared.entry(name.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
    }

    /// What `&name;` stands for; itself if that is not known.
    pub(super) fn text_of(&mut self, name: &str) -> String {
        if let Some(sign) = resolve_xml_entity(name).or_else(|| resolve_html5_entity(name)) {
            return sign.to_owned();
        }
        let fits = |value: &&String| self.added + value.len() <= MAX_ADDED;
        let Some(value) = self.declared.get(name).filter(fits) else { return format!("&{name};") };
        self.added += value.len();
        let known = |name: &str| resolve_xml_entity(name).or_else(|| resolve_html5_entity(name));
        unescape_with(value, known).map_or_else(|_| value.clone(), std::borrow::Cow::into_owned)
    }
}

/// Whether `text` is a reference whose text is not known.
pub(crate) fn is_reference(text: &str) -> bool {
    let name = text.strip_prefix('&').and_then(|rest| rest.strip_suffix(';'));
    name.is_some_and(|name| !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || matches!(c, '&' | ';')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(declarations: &str) -> Entities {
        let mut entities = Entities::default();
        entities.declare(declarations);
        entities
    }

    #[test]
    fn a_reference_is_its_sign_or_value_or_stays() {
        let mut entities = declared(
            "spec [<!ENTITY ROOM \"&lt;room@host&gt; &eacute;\"> <!ENTITY % more SYSTEM 'x.ent'> <!ENTITY far SYSTEM 'y'> <!ENTITY b '<b>x</b>'> <!ENTITY ROOM 'no'>]",
        );
        for (name, want) in [
            ("amp", "&"),
            ("eacute", "é"),
            ("ROOM", "<room@host> é"),
            ("far", "&far;"),
            ("more", "&more;"),
            ("b", "&b;"),
            ("unknown", "&unknown;"),
        ] {
            assert_eq!(entities.text_of(name), want);
            assert_eq!(is_reference(want), want.len() > 2 && want.ends_with(';'), "{want}");
        }
    }

    #[test]
    fn values_are_bounded_in_length_number_and_sum() {
        for (length, is_taken) in [(MAX_VALUE - 1, true), (MAX_VALUE, true), (MAX_VALUE + 1, false)] {
            let mut entities = declared(&format!("<!ENTITY a '{}'>", "x".repeat(length)));
            assert_eq!(entities.text_of("a") != "&a;", is_taken, "{length}");
        }
        let many: String = (0..=MAX_DECLARED).map(|n| format!("<!ENTITY e{n} 'x'>")).collect();
        let mut entities = declared(&many);
        for (n, is_taken) in [(MAX_DECLARED - 2, true), (MAX_DECLARED - 1, true), (MAX_DECLARED, false)] {
            assert_eq!(entities.text_of(&format!("e{n}")) == "x", is_taken, "{n}");
        }
        for (added, is_taken) in [(MAX_ADDED - 2, true), (MAX_ADDED - 1, true), (MAX_ADDED, false)] {
            let mut entities = declared("<!ENTITY a 'x'>");
            entities.added = added;
            assert_eq!(entities.text_of("a") == "x", is_taken, "{added}");
        }
    }
}

//! CSS declarations that can hide text, with their values as plain numbers. A value that is not understood is
//! [`DeclaredValue::Unknown`] and hides nothing. Works on text alone, without elements.

use cssparser::{Delimiter, Parser};

use super::counter_list::{CounterList, CounterProperty, counter_list};
use super::css_text::plain;
use super::css_tokens::until;
use super::css_value::{DeclaredValue, MAX_VALUE_BYTES};
use super::declared_values::read_declaration;
use super::property::Property;
use super::variables::has_variable;

/// The declaration of one property.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Declaration {
    pub(super) property: Property,
    pub(super) value: DeclaredValue,
    pub(super) is_important: bool,
}

impl Declaration {
    /// The declaration for a rule that may not apply: it may show text, but never hides any.
    pub(super) fn if_unsure(self) -> Option<Self> {
        match (self.property, self.value) {
            (_, DeclaredValue::Yes) => None,
            (Property::Color | Property::TextFill | Property::Background | Property::FontSize, _) => {
                Some(Self { value: DeclaredValue::Unknown, ..self })
            }
            (_, DeclaredValue::No | DeclaredValue::Unknown) => Some(self),
            _ => None,
        }
    }
}

/// One entry of a list of declarations.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Declared {
    /// What it says of a property is known.
    Known(Declaration),
    /// A custom property, such as `--x`, with its value as written.
    Custom { name: String, value: String, is_important: bool },
    /// A declaration whose value contains `var()`, so that what it says depends on the element. If `is_sure` is false, it may show text,
    /// but never hides any.
    Variable { name: String, value: String, is_important: bool, is_sure: bool },
    /// What an element does to counters. If `is_sure` is false, it may do it.
    Counters { property: CounterProperty, changes: CounterList, is_important: bool, is_sure: bool },
}

/// Declarations for an element, how specific they are, and their order in the page.
pub(super) type MatchedClaims<'r> = (&'r [Declared], [usize; 4], usize);

impl Declared {
    /// The entry for a rule that may not apply: it may show text, but never hides any.
    pub(super) fn if_unsure(self) -> Option<Self> {
        match self {
            Self::Known(declaration) => declaration.if_unsure().map(Self::Known),
            // A value that may be another one is not understood.
            Self::Custom { name, is_important, .. } => Some(Self::Custom { name, value: "?".to_owned(), is_important }),
            Self::Variable { name, value, is_important, .. } => {
                Some(Self::Variable { name, value, is_important, is_sure: false })
            }
            Self::Counters { property, changes, is_important, .. } => {
                Some(Self::Counters { property, changes, is_important, is_sure: false })
            }
        }
    }
}

/// The declarations in a list such as a `style` attribute, in order; rules nested in it are left out.
pub(super) fn claims(declarations: &str) -> Vec<Declared> {
    let mut claims = Vec::new();
    let mut parser = Parser::new(declarations);
    while !parser.is_exhausted() {
        if let Some((name, value)) = until(&mut parser, Delimiter::Semicolon, name_and_value).flatten() {
            claim(&name, &plain(value), &mut claims);
        }
    }
    claims
}

/// The name of the declaration and its value as written; `None` if it is no declaration.
pub(super) fn name_and_value<'i>(parser: &mut Parser<'i>) -> Option<(String, &'i str)> {
    let name = parser.expect_ident().ok()?.as_ref().to_owned();
    parser.expect_colon().ok()?;
    let start = parser.position();
    while parser.next().is_ok() {}
    Some((name, parser.slice_from(start)))
}

fn claim(name: &str, value: &str, claims: &mut Vec<Declared>) {
    let value = value.trim();
    let (value, is_important) = match value.rsplit_once('!') {
        Some((value, word)) if word.trim().eq_ignore_ascii_case("important") => (value.trim(), true),
        _ => (value, false),
    };
    let value = match value.len() {
        0 => return,
        // Longer values are embedded pictures.
        len if len > MAX_VALUE_BYTES => "?",
        _ => value,
    };
    if name.starts_with("--") {
        return claims.push(Declared::Custom { name: name.to_owned(), value: value.to_owned(), is_important });
    }
    let name = name.to_ascii_lowercase();
    if let Some(property) = CounterProperty::called(&name) {
        let changes = counter_list(value, property);
        return claims.push(Declared::Counters { property, changes, is_important, is_sure: true });
    }
    let mut known = |property, value| claims.push(Declared::Known(Declaration { property, value, is_important }));
    if !has_variable(value) {
        return read_declaration(&name, &value.to_ascii_lowercase(), &mut known);
    }
    let mut matters = false;
    read_declaration(&name, "unset", &mut |_, _| matters = true);
    if matters {
        claims.push(Declared::Variable { name, value: value.to_owned(), is_important, is_sure: true });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_within_brackets_or_quotes_ends_no_declaration() {
        for (css, count) in [
            ("background:url(data:x;display:none);opacity:0", 3),
            ("--x:';display:none';opacity:0", 2),
            ("color:red;.b{display:none}", 1),
            ("--x:{;display:none};display:var(--x)", 2),
            ("unknown:var(--x);display", 0),
        ] {
            assert_eq!(claims(css).len(), count, "{css}: {:?}", claims(css));
        }
    }

    #[test]
    fn a_value_is_read_up_to_a_length() {
        for (bytes, want) in [
            (MAX_VALUE_BYTES - 1, DeclaredValue::Yes),
            (MAX_VALUE_BYTES, DeclaredValue::Yes),
            (MAX_VALUE_BYTES + 1, DeclaredValue::No),
        ] {
            let value = format!("scale(0){}rotate(1deg)", " ".repeat(bytes - 20));
            let [Declared::Known(found)] = &claims(&format!("transform:{value}"))[..] else { panic!("{bytes}") };
            assert_eq!(found.value, want, "{bytes}");
        }
    }
}

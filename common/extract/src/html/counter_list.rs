//! What a declaration does to the counters of a page: `counter-reset`, `counter-increment` and `counter-set` (CSS Lists 3). Works on text
//! alone, without elements.

use std::rc::Rc;

use cssparser::{Parser, Token};

/// A property that changes counters, in the order in which an element applies them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CounterProperty {
    Reset,
    Increment,
    Set,
}

/// Number of those properties.
pub(super) const COUNTER_PROPERTIES: usize = CounterProperty::Set as usize + 1;

/// Names of counters, each with its number; `None` if the declaration is not understood.
pub(super) type CounterList = Option<Rc<[(Rc<str>, i64)]>>;

impl CounterProperty {
    /// The property called `name`, in lower case.
    pub(super) fn called(name: &str) -> Option<Self> {
        match name {
            "counter-reset" => Some(Self::Reset),
            "counter-increment" => Some(Self::Increment),
            "counter-set" => Some(Self::Set),
            _ => None,
        }
    }

    /// The number of a counter that stands without one.
    fn usual(self) -> i64 {
        if self == Self::Increment { 1 } else { 0 }
    }
}

/// The counters that the `value` of `property` names.
pub(super) fn counter_list(value: &str, property: CounterProperty) -> CounterList {
    let mut found: Vec<(Rc<str>, i64)> = Vec::new();
    let (mut parser, mut is_open) = (Parser::new(value), false);
    while let Ok(token) = parser.next().cloned() {
        match token {
            Token::Ident(name) => {
                found.push((Rc::from(&*name), property.usual()));
                is_open = true;
            }
            Token::Number { int_value: Some(number), .. } if is_open => {
                found.last_mut()?.1 = i64::from(number);
                is_open = false;
            }
            // Also `reversed(x)`, whose first number is that of the elements that count.
            _ => return None,
        }
    }
    match &found[..] {
        [] => None,
        [(word, _)] if is_open && matches!(&**word, "none" | "initial" | "unset" | "revert" | "revert-layer") => {
            Some(Rc::from([]))
        }
        [(word, _)] if is_open && &**word == "inherit" => None,
        _ => Some(found.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_named_with_or_without_a_number() {
        let shown = |value: &str, property| {
            counter_list(value, property)
                .map(|list| list.iter().map(|(name, number)| format!("{name}={number}")).collect::<Vec<_>>().join(" "))
        };
        for (value, want) in [
            ("a", Some("a=0")),
            ("a b 3 c -1", Some("a=0 b=3 c=-1")),
            ("Section", Some("Section=0")),
            ("none", Some("")),
            ("none 2", Some("none=2")),
            ("reversed(a)", None),
            ("a 1.5", None),
            ("3", None),
            ("a 1 2", None),
            ("inherit", None),
            ("?", None),
            ("var(--x)", None),
        ] {
            assert_eq!(shown(value, CounterProperty::Reset).as_deref(), want, "{value}");
        }
        assert_eq!(shown("a b 0", CounterProperty::Increment).as_deref(), Some("a=1 b=0"));
    }
}

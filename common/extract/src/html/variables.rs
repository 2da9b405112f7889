//! Custom properties of CSS and `var()` (CSS Custom Properties 1): what a value says once its variables have those of an element.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::css_value::MAX_VALUE_BYTES;

/// Deepest nesting of variables in the values of others. Recursion costs stack.
const MAX_DEPTH: usize = 16;
/// Most variables looked up for one declaration: a few that name each other several times would otherwise take for ever.
const MAX_LOOKUPS: usize = 256;

/// The custom properties of an element: its own, and those that it inherits.
#[derive(Debug)]
pub(super) struct Variables {
    /// Values by name; `None` is a value that takes the inherited one away.
    own: BTreeMap<String, Option<String>>,
    inherited: Option<Rc<Variables>>,
    /// Number of elements with custom properties of their own up to the root, which is what a look-up costs.
    depth: usize,
}

impl Variables {
    /// The custom properties of an element that declares those in `declared`, each by its strongest declaration, and inherits `around`.
    pub(super) fn new(declared: BTreeMap<String, String>, around: Option<&Rc<Self>>) -> Self {
        let mut own = BTreeMap::new();
        for (name, value) in declared {
            match value.to_ascii_lowercase().as_str() {
                "inherit" | "unset" => {}
                "initial" => drop(own.insert(name, None)),
                _ => drop(own.insert(name, Some(value))),
            }
        }
        Self { own, inherited: around.map(Rc::clone), depth: around.map_or(0, |around| around.depth) + 1 }
    }

    /// The value of `name`, with the element that declares it: the variables in it have the values they have there.
    fn get(&self, name: &str) -> Option<(&str, &Self)> {
        let mut at = self;
        loop {
            if let Some(value) = at.own.get(name) {
                return value.as_deref().map(|value| (value, at));
            }
            at = at.inherited.as_deref()?;
        }
    }
}

/// Whether `value` contains a variable.
pub(super) fn has_variable(value: &str) -> bool {
    next_variable(value).is_some()
}

/// `value` with its variables replaced, in lower case. `unset` if one has no value, as in browsers; `?` if it takes too long to tell.
/// Takes the cost of its look-ups from `steps_left`.
pub(super) fn resolve(value: &str, variables: Option<&Rc<Variables>>, steps_left: &Cell<usize>) -> String {
    let mut reader =
        VariableReader { steps_left, lookups_left: MAX_LOOKUPS, is_given_up: false, open: Vec::new(), cycle: None };
    let mut out = String::new();
    let found = reader.write(value, variables.map(Rc::as_ref), &mut out);
    match (reader.is_given_up, found) {
        (true, _) => "?".to_owned(),
        (false, None) => "unset".to_owned(),
        (false, Some(())) => out.trim().to_ascii_lowercase(),
    }
}

struct VariableReader<'s> {
    steps_left: &'s Cell<usize>,
    lookups_left: usize,
    is_given_up: bool,
    /// The variables being read, from the outermost, each with the depth of its element.
    open: Vec<(String, usize)>,
    /// Index in `open` of the first variable of a cycle, while its members are left: none of them has a value, not even a fallback.
    cycle: Option<usize>,
}

impl VariableReader<'_> {
    /// Appends `value` to `out`; `None` if a variable has no value.
    fn write(&mut self, value: &str, variables: Option<&Variables>, out: &mut String) -> Option<()> {
        let mut rest = value;
        while let Some((before, name, fallback, after)) = next_variable(rest) {
            self.push(before, out)?;
            let start = out.len();
            if self.variable(name, variables, out).is_none() {
                if self.is_given_up || self.cycle.is_some() {
                    return None;
                }
                // A value that cannot be computed counts as none, and with it what was written of it.
                out.truncate(start);
                self.write(fallback?, variables, out)?;
            }
            rest = after;
        }
        self.push(rest, out)
    }

    /// Appends the value of a variable.
    fn variable(&mut self, name: &str, variables: Option<&Variables>, out: &mut String) -> Option<()> {
        let cost = 1 + variables.map_or(0, |variables| variables.depth);
        if self.open.len() >= MAX_DEPTH || self.lookups_left == 0 || self.steps_left.get() < cost {
            self.is_given_up = true;
            return None;
        }
        self.lookups_left -= 1;
        self.steps_left.set(self.steps_left.get() - cost);
        let (value, at) = variables?.get(name)?;
        let own = (name.to_owned(), at.depth);
        self.cycle = self.open.iter().position(|open| *open == own);
        if self.cycle.is_some() {
            return None;
        }
        self.open.push(own);
        let found = self.write(value, Some(at), out);
        self.open.pop();
        if self.cycle == Some(self.open.len()) {
            self.cycle = None;
        }
        found
    }

    fn push(&mut self, text: &str, out: &mut String) -> Option<()> {
        if out.len() + text.len() > MAX_VALUE_BYTES {
            self.is_given_up = true;
            return None;
        }
        out.push_str(text);
        Some(())
    }
}

/// The first `var()` of `value`: the text before it, its name, its fallback, the text behind it.
fn next_variable(value: &str) -> Option<(&str, &str, Option<&str>, &str)> {
    let lower = value.to_ascii_lowercase();
    let starts_name = |at: usize| at == 0 || !is_name(lower.as_bytes()[at - 1]);
    let (at, _) = lower.match_indices("var(").find(|(at, _)| starts_name(*at))?;
    let inside = &value[at + 4..];
    let end = closing(inside);
    let (name, fallback) = match inside[..end].split_once(',') {
        Some((name, fallback)) => (name, Some(fallback.trim())),
        None => (&inside[..end], None),
    };
    Some((&value[..at], name.trim(), fallback, inside.get(end + 1..).unwrap_or_default()))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || !byte.is_ascii()
}

/// Index of the bracket that closes `inside`; its length if none does.
fn closing(inside: &str) -> usize {
    let (mut depth, mut quote) = (1_usize, None);
    for (at, byte) in inside.bytes().enumerate() {
        match (byte, quote) {
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'"' | b'\'', None) => quote = Some(byte),
            (b'(', None) => depth += 1,
            (b')', None) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    inside.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(declared: &[(&str, &str)], around: Option<&Rc<Variables>>) -> Rc<Variables> {
        let declared = declared.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Rc::new(Variables::new(declared, around))
    }

    #[test]
    fn variables_have_the_values_of_their_element() {
        let root =
            variables(&[("--a", "none"), ("--b", "var(--a)"), ("--c", "0PX"), ("--loop", "var(--loop, block)")], None);
        let root = variables(&[("--around", "var(--back, a)"), ("--back", "var(--around, b)")], Some(&root));
        let child =
            variables(&[("--a", "block"), ("--c", "initial"), ("--d", "inherit"), ("--X", "none")], Some(&root));
        for (value, want) in [
            ("var(--a)", "block"),
            // Computed where it is declared, then inherited.
            ("var(--b)", "none"),
            ("VAR( --b )", "none"),
            ("var(--c)", "unset"),
            ("var(--c, 1px)", "1px"),
            ("var(--d,var(--a))", "block"),
            ("var(--missing, rgb(0, 0, 0))", "rgb(0, 0, 0)"),
            ("var(--missing)", "unset"),
            ("var(--missing,)", ""),
            ("calc(var(--missing, 1px) * 2)", "calc(1px * 2)"),
            ("var(--x, no) var(--X)", "no none"),
            ("var(--loop)", "unset"),
            ("var(--loop, none)", "none"),
            ("var(--around, none)", "none"),
            ("var(--b", "none"),
            ("my-var(--a)", "my-var(--a)"),
        ] {
            assert_eq!(resolve(value, Some(&child), &Cell::new(1_000)), want, "{value}");
        }
        assert_eq!(resolve("var(--c)", Some(&root), &Cell::new(1_000)), "0px");
        assert_eq!(resolve("var(--a, none)", None, &Cell::new(1_000)), "none");
    }

    #[test]
    fn the_work_on_one_value_is_bounded() {
        let steps = |left: usize| resolve("var(--a, none)", None, &Cell::new(left));
        assert_eq!((steps(0).as_str(), steps(1).as_str(), steps(2).as_str()), ("?", "none", "none"));
        for (lookups, want) in [(MAX_LOOKUPS - 1, ""), (MAX_LOOKUPS, ""), (MAX_LOOKUPS + 1, "?")] {
            let empty = variables(&[("--e", "")], None);
            assert_eq!(resolve(&"var(--e)".repeat(lookups), Some(&empty), &Cell::new(10_000)), want, "{lookups}");
        }
        for (depth, want) in [(MAX_DEPTH - 1, "none"), (MAX_DEPTH, "none"), (MAX_DEPTH + 1, "?")] {
            let names: Vec<(String, String)> =
                (1..depth).map(|n| (format!("--v{n}"), format!("var(--v{})", n + 1))).collect();
            let mut declared: BTreeMap<String, String> = names.into_iter().collect();
            declared.insert(format!("--v{depth}"), "none".to_owned());
            let variables = Rc::new(Variables::new(declared, None));
            assert_eq!(resolve("var(--v1)", Some(&variables), &Cell::new(10_000)), want, "{depth}");
        }
        for (bytes, want) in [(MAX_VALUE_BYTES - 1, false), (MAX_VALUE_BYTES, false), (MAX_VALUE_BYTES + 1, true)] {
            let long = variables(&[("--l", &"x".repeat(bytes))], None);
            assert_eq!(resolve("var(--l)", Some(&long), &Cell::new(10_000)) == "?", want, "{bytes}");
        }
    }
}

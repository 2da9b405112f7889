//! YAML as names and values. The parser yields a flat list of events, so nesting costs no stack. An alias stands for a short text and for
//! nothing else, so nothing unfolds.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser};

/// Longest text that an alias repeats, in bytes.
const MAX_ALIAS_BYTES: usize = 200;

/// A mapping or sequence that is open.
#[derive(Debug, Default)]
struct Open {
    is_mapping: bool,
    /// The name whose value is awaited, in a mapping.
    name: Option<String>,
    parts: Vec<String>,
}

/// The entries of the mapping that `source` is, in order, each value on one line; `None` if it is damaged or no mapping.
pub(super) fn entries(source: &str) -> Option<Vec<(String, String)>> {
    let (mut entries, mut open) = (Vec::new(), Vec::<Open>::new());
    let mut anchors = HashMap::new();
    for event in Parser::new_from_str(source) {
        let (event, _) = event.ok()?;
        let value = match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let is_mapping = matches!(event, Event::MappingStart(..));
                if open.is_empty() && !is_mapping {
                    return None;
                }
                open.push(Open { is_mapping, ..Open::default() });
                continue;
            }
            Event::Scalar(text, _, anchor, _) => {
                if anchor > 0 && text.len() <= MAX_ALIAS_BYTES {
                    anchors.insert(anchor, text.clone().into_owned());
                }
                text.into_owned()
            }
            // What is not repeated would be lost: the front matter stays as it was typed.
            Event::Alias(anchor) => anchors.get(&anchor).cloned()?,
            Event::MappingEnd | Event::SequenceEnd => match open.pop() {
                Some(closed) if !open.is_empty() => closed.parts.join(", "),
                _ => continue,
            },
            Event::DocumentEnd if !entries.is_empty() => return Some(entries),
            _ => continue,
        };
        let is_outermost = open.len() == 1;
        // A text that is no mapping at all.
        let within = open.last_mut()?;
        match within.name.take() {
            None if within.is_mapping => within.name = Some(value),
            Some(name) if is_outermost => entries.push((name, value)),
            Some(name) if value.is_empty() => within.parts.push(name),
            Some(name) => within.parts.push(format!("{name}: {value}")),
            None if value.is_empty() => {}
            None => within.parts.push(value),
        }
    }
    (!entries.is_empty()).then_some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_on_one_line() {
        for (source, want) in [
            ("a: b\nc: 2018-04-20", &[("a", "b"), ("c", "2018-04-20")][..]),
            ("a: [b, c]\nd:\n  - e\n  - f", &[("a", "b, c"), ("d", "e, f")]),
            ("a:\n  b: c\n  d: [e]", &[("a", "b: c, d: e")]),
            ("a:\n- b: c\n  d: e\n- f", &[("a", "b: c, d: e, f")]),
            ("a: |\n  two\n  lines\nb: >\n  one\n  line", &[("a", "two\nlines\n"), ("b", "one line\n")]),
            ("a: \"q: \\u00e9\" # remark", &[("a", "q: é")]),
            ("a:\nb: ~", &[("a", ""), ("b", "~")]),
            ("x: &x 1\ny: *x", &[("x", "1"), ("y", "1")]),
        ] {
            let found = entries(source).expect(source);
            let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            assert_eq!(found, want, "{source}");
        }
    }

    #[test]
    fn what_is_no_mapping_or_damaged_gives_nothing() {
        for source in ["", "words", "- a\n- b", "a: [b", "a: b\n  c: d: e", "\t- x: *nowhere"] {
            assert_eq!(entries(source), None, "{source}");
        }
    }

    #[test]
    fn nesting_and_aliases_cost_neither_stack_nor_memory() {
        let deep = format!("a: {}x{}", "[".repeat(900), "]".repeat(900));
        assert!(entries(&deep).is_none_or(|entries| entries.len() == 1));
        let bomb: String = (1..40).map(|n| format!("k{n}: &k{n} [*k{}, *k{}]\n", n - 1, n - 1)).collect();
        assert_eq!(entries(&format!("k0: &k0 x\n{bomb}")), None);
    }
}

//! Which elements stand inside sentences, such as `<em>` and `<xref>`: those whose parent mostly has text of its own, where the elements
//! around them have any. Measured for each document, since no list knows the names of all vocabularies.

use std::collections::{HashMap, HashSet};

use super::super::package::{Markup, is_reference, walk};
use super::field_names::FieldNames;

/// Deepest level at which elements are told apart.
pub(super) const MAX_DEPTH: usize = 256;

/// An open element.
#[derive(Default)]
struct OpenElement {
    name: String,
    has_text: bool,
    children: Vec<String>,
}

/// The names that decide which elements stand inside sentences.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct InlineNames {
    names: HashSet<String>,
    /// Elements that have text of their own somewhere: others have fields only, whatever these are called.
    prose: HashSet<String>,
}

impl InlineNames {
    /// Whether the elements called `name` stand inside sentences in elements called `parent`.
    pub(super) fn has(&self, parent: &str, name: &str) -> bool {
        self.names.contains(name) && self.prose.contains(parent)
    }
}

/// The names of the document `source`: those of elements inside sentences, and what its fields are called.
pub(super) fn of(source: &str) -> (InlineNames, FieldNames) {
    let mut prose = HashSet::new();
    let mut fields = FieldNames::default();
    // For each name, how often its parent has text of its own, and how often not.
    let mut counts: HashMap<String, [usize; 2]> = HashMap::new();
    let mut open: Vec<OpenElement> = vec![OpenElement::default()];
    let mut depth = 0_usize;
    walk(source.as_bytes(), |event| match event {
        Markup::Open(element) => {
            depth += 1;
            if depth <= MAX_DEPTH {
                if let Some(parent) = open.last_mut() {
                    parent.children.push(element.name.clone());
                }
                open.push(OpenElement { name: element.name, ..OpenElement::default() });
            }
        }
        Markup::Text(text) => {
            if let Some(element) = open.last_mut().filter(|element| !element.has_text) {
                element.has_text = !text.trim().is_empty() && !is_reference(&text);
            }
        }
        Markup::Close(_) => {
            if depth <= MAX_DEPTH && open.len() > 1 {
                let closed = open.pop().unwrap_or_default();
                fields.add(&closed.name, &closed.children, open.last().map_or("", |around| &around.name));
                for name in closed.children {
                    counts.entry(name).or_default()[usize::from(closed.has_text)] += 1;
                }
                prose.extend(Some(closed.name).filter(|_| closed.has_text));
            }
            depth = depth.saturating_sub(1);
        }
    });
    let names = counts.into_iter().filter(|(_, [without, with])| with > without).map(|(name, _)| name).collect();
    (InlineNames { names, prose }, fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_elements_are_inside_sentences() {
        let source = "<a><p>One <b>two</b> three.</p><p><b>x</b></p><p>y <b>z</b></p><q><r>1</r></q></a>";
        let (found, _) = of(source);
        assert_eq!(found.names, HashSet::from(["b".to_owned()]));
        assert!(found.has("p", "b") && !found.has("p", "r") && !found.has("q", "b"));
    }

    #[test]
    fn a_name_of_prose_is_a_field_in_a_record() {
        let (found, _) =
            of("<a><p>By <name>Jo</name>.</p><p>Of <name>Al</name> too.</p><who><name>Ida</name></who></a>");
        assert!(found.has("p", "name") && !found.has("who", "name"));
    }
}

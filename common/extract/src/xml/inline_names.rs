//! Which elements stand inside sentences, such as `<em>` and `<xref>`: those whose parent mostly has text of its own. Measured for each
//! document, since no list knows the names of all vocabularies.

use std::collections::{HashMap, HashSet};

use super::super::package::{Markup, walk};

/// Deepest level at which elements are told apart.
pub(super) const MAX_DEPTH: usize = 256;

/// An open element.
#[derive(Default)]
struct OpenElement {
    has_text: bool,
    children: Vec<String>,
}

/// The names of the elements that stand inside sentences.
pub(super) fn of(source: &str) -> HashSet<String> {
    // For each name, how often its parent has text of its own, and how often not.
    let mut counts: HashMap<String, [usize; 2]> = HashMap::new();
    let mut open: Vec<OpenElement> = vec![OpenElement::default()];
    let mut depth = 0_usize;
    walk(source.as_bytes(), |event| match event {
        Markup::Open(element) => {
            depth += 1;
            if depth <= MAX_DEPTH {
                if let Some(parent) = open.last_mut() {
                    parent.children.push(element.name);
                }
                open.push(OpenElement::default());
            }
        }
        Markup::Text(text) => {
            if let Some(element) = open.last_mut().filter(|element| !element.has_text) {
                element.has_text = !text.trim().is_empty();
            }
        }
        Markup::Close(_) => {
            if depth <= MAX_DEPTH && open.len() > 1 {
                let closed = open.pop().unwrap_or_default();
                for name in closed.children {
                    counts.entry(name).or_default()[usize::from(closed.has_text)] += 1;
                }
            }
            depth = depth.saturating_sub(1);
        }
    });
    counts.into_iter().filter(|(_, [without, with])| with > without).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_beside_text_stand_inside_sentences() {
        let source = "<a><p>One <b>two</b> three.</p><p><b>x</b></p><p>y <b>z</b></p><q><r>1</r></q></a>";
        assert_eq!(of(source), HashSet::from(["b".to_owned()]));
    }
}

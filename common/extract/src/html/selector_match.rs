//! Whether an element is what a selector selects, within a limit of work for one page.

use std::cell::Cell;

use dom_query::{Element, NodeRef};

use super::selector::{AttributeTest, Combinator, Compound, OtherTest, Selector, ValueTest};

/// Bytes of a value that cost as much to compare as one short name.
const SHORT: usize = 64;

/// The comparisons that are left for a page. A comparison is one of an element with a part of a selector, or a step from an element to
/// another one.
#[derive(Debug)]
pub(super) struct ComparisonsLeft(pub(super) Cell<usize>);

impl ComparisonsLeft {
    /// Whether `element`, the content of `node`, is what `selector` selects; false once no comparisons are left.
    pub(super) fn selects(&self, selector: &Selector, element: &Element, node: &NodeRef<'_>) -> bool {
        // Without comparisons even a denial says nothing.
        self.is(&selector.subject, element, node) && self.is_related(&selector.related, node) && self.0.get() > 0
    }

    fn is_related(&self, related: &[(Combinator, Compound)], node: &NodeRef<'_>) -> bool {
        let Some(((combinator, compound), rest)) = related.split_first() else { return true };
        let mut other = *node;
        loop {
            other = match combinator {
                Combinator::Descendant | Combinator::Child => match other.parent() {
                    Some(parent) => parent,
                    None => return false,
                },
                Combinator::Next | Combinator::Later => match self.previous(&other) {
                    Some(previous) => previous,
                    None => return false,
                },
            };
            let is_it = other.element_ref().is_some_and(|element| self.is(compound, &element, &other));
            if is_it && self.is_related(rest, &other) {
                return true;
            }
            let is_one = matches!(combinator, Combinator::Child | Combinator::Next);
            if is_one || !self.may_compare(1) {
                return false;
            }
        }
    }

    /// The element before `node` below the same parent.
    fn previous<'a>(&self, node: &NodeRef<'a>) -> Option<NodeRef<'a>> {
        let mut at = node.prev_sibling()?;
        while !at.is_element() && self.may_compare(1) {
            at = at.prev_sibling()?;
        }
        Some(at).filter(NodeRef::is_element)
    }

    /// The element after `node` below the same parent.
    fn next<'a>(&self, node: &NodeRef<'a>) -> Option<NodeRef<'a>> {
        let mut at = node.next_sibling()?;
        while !at.is_element() && self.may_compare(1) {
            at = at.next_sibling()?;
        }
        Some(at).filter(NodeRef::is_element)
    }

    fn is(&self, part: &Compound, element: &Element, node: &NodeRef<'_>) -> bool {
        self.may_compare(1)
            && part.tag.as_deref().is_none_or(|tag| *tag == *element.name.local)
            && self.bears("id", &part.ids, element)
            && self.bears("class", &part.classes, element)
            && part.attributes.iter().all(|test| self.has(test, element))
            && part.others.iter().all(|test| self.passes(test, element, node))
    }

    /// Whether the words of an attribute contain all of `wanted`.
    fn bears(&self, name: &str, wanted: &[String], element: &Element) -> bool {
        let value = if wanted.is_empty() { "" } else { attribute(element, name) };
        self.may_compare(wanted.len() * (1 + value.len() / SHORT))
            && wanted.iter().all(|wanted| value.split_ascii_whitespace().any(|word| word == wanted))
    }

    fn has(&self, test: &AttributeTest, element: &Element) -> bool {
        let found = element.attrs.iter().find(|attribute| *attribute.name.local == *test.name);
        let Some(found) = found.filter(|found| self.may_compare(1 + found.value.len() / SHORT)) else { return false };
        match test.ignores_case {
            false => is_value(&test.value, &found.value),
            // The reader of selectors has written the wanted value in lower case.
            true => is_value(&test.value, &found.value.to_ascii_lowercase()),
        }
    }

    fn passes(&self, test: &OtherTest, element: &Element, node: &NodeRef<'_>) -> bool {
        let selects = |one: &Selector| self.selects(one, element, node);
        match test {
            OtherTest::Is { any_of, .. } => any_of.iter().any(selects),
            OtherTest::Not(none_of) => !none_of.iter().any(selects),
            OtherTest::Root => node.parent().is_none_or(|parent| !parent.is_element()),
            OtherTest::FirstChild => self.previous(node).is_none(),
            OtherTest::LastChild => self.next(node).is_none(),
            OtherTest::Link => {
                matches!(element.name.local.as_ref(), "a" | "area")
                    && element.attrs.iter().any(|attribute| &*attribute.name.local == "href")
            }
            OtherTest::InUse => false,
        }
    }

    /// Takes `count` from the comparisons that are left; false if there are not as many.
    pub(super) fn may_compare(&self, count: usize) -> bool {
        let left = self.0.get().checked_sub(count);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

fn is_value(test: &ValueTest, value: &str) -> bool {
    match test {
        ValueTest::Any => true,
        ValueTest::Equals(wanted) => value == wanted,
        ValueTest::HasWord(wanted) => value.split_ascii_whitespace().any(|word| word == wanted),
        ValueTest::IsLanguage(wanted) => {
            value.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }
        ValueTest::StartsWith(wanted) => !wanted.is_empty() && value.starts_with(wanted.as_str()),
        ValueTest::EndsWith(wanted) => !wanted.is_empty() && value.ends_with(wanted.as_str()),
        ValueTest::Contains(wanted) => !wanted.is_empty() && value.contains(wanted.as_str()),
    }
}

/// The value of an attribute, empty if there is none.
pub(super) fn attribute<'e>(element: &'e Element, name: &str) -> &'e str {
    element.attrs.iter().find(|attribute| &*attribute.name.local == name).map_or("", |attribute| &attribute.value)
}

//! Markers of list items: the numbers that a browser shows, which are not in the text.

use dom_query::{Element, NodeRef};

use super::super::ordinal::{OrdinalStyle, format_ordinal};
use super::counter_list::CounterProperty;
use super::counters::CounterChange;
use super::number_styles::of_attribute;
use super::roles::attribute;

/// Notes the marker that a style sheet writes for an item. A page that has it itself loses it.
const MARK: &str = "data-shown-marker";
/// The counter that lists count by themselves (CSS Lists 3).
const LIST_ITEM: &str = "list-item";

/// An open list.
#[derive(Debug)]
pub(super) struct OpenList {
    next: i64,
    step: i64,
    /// `None` if its items have bullets.
    style: Option<OrdinalStyle>,
}

impl OpenList {
    /// Creates the list begun by `element`, the content of `node`.
    pub(super) fn from_element(node: &NodeRef<'_>, element: &Element, is_ordered: bool) -> Self {
        let style = attribute(element, "type").and_then(|kind| of_attribute(kind.trim()));
        let (next, step) = first_and_step(node, element);
        Self { next, step, style: is_ordered.then(|| style.unwrap_or_default()) }
    }

    /// The marker of the next item, `element`.
    pub(super) fn marker(&mut self, element: &Element) -> String {
        let value = attribute(element, "value").and_then(number).unwrap_or(self.next);
        self.next = value.saturating_add(self.step);
        if let Some(shown) = attribute(element, MARK) {
            return shown.to_owned();
        }
        // An item may have numbers of a kind of its own.
        let own = attribute(element, "type").and_then(|kind| of_attribute(kind.trim()));
        own.or(self.style).map_or_else(|| "-".to_owned(), |style| format!("{}.", format_ordinal(value, style)))
    }
}

/// The number of the first item of a list, and how far it is to the next one.
fn first_and_step(node: &NodeRef<'_>, element: &Element) -> (i64, i64) {
    let is_reversed = &*element.name.local == "ol" && attribute(element, "reversed").is_some();
    let start = attribute(element, "start").and_then(number);
    let last =
        || i64::try_from(node.element_children().iter().filter(|child| child.has_name("li")).count()).unwrap_or(1);
    match is_reversed {
        false => (start.unwrap_or(1), 1),
        true => (start.unwrap_or_else(last), -1),
    }
}

/// What a list or an item does to the counter of lists, whatever a style sheet says.
pub(super) fn implied_changes(node: &NodeRef<'_>, element: &Element) -> Vec<CounterChange> {
    let change = |property, number| (property, LIST_ITEM.into(), Some(number));
    match &*element.name.local {
        "ol" | "ul" | "menu" | "dir" => {
            let (first, step) = first_and_step(node, element);
            vec![change(CounterProperty::Reset, first.saturating_sub(step))]
        }
        "li" => {
            let is_reversed = node.parent().is_some_and(|list| list.has_name("ol") && list.has_attr("reversed"));
            let step = change(CounterProperty::Increment, if is_reversed { -1 } else { 1 });
            let own = attribute(element, "value").and_then(number).map(|own| change(CounterProperty::Set, own));
            std::iter::once(step).chain(own).collect()
        }
        _ => Vec::new(),
    }
}

/// Notes the marker that a style sheet writes for the item `node`.
pub(super) fn mark(node: &NodeRef<'_>, marker: &str) {
    node.set_attr(MARK, marker);
}

/// Whether `element` bears the note of a marker.
pub(super) fn has_mark(element: &Element) -> bool {
    attribute(element, MARK).is_some()
}

/// Removes the note of a marker from `node`.
pub(super) fn remove_mark(node: &NodeRef<'_>) {
    node.remove_attr(MARK);
}

fn number(text: &str) -> Option<i64> {
    text.trim().parse::<i32>().ok().map(i64::from)
}

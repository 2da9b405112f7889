//! What an element says of itself: whether it is displayed, closed or hidden.

use dom_query::Element;

use super::text_look::ElementDeclarations;

/// Whether an element is not displayed or not visible by its own word or the sheets', as parts are that a control opens.
pub(super) fn is_closed(element: &Element, claimed: &Option<ElementDeclarations>) -> bool {
    is_hidden_by_attribute(element) || claimed.as_ref().is_some_and(ElementDeclarations::says_so)
}

/// Whether there is a box of an element, seen or not.
pub(super) fn is_displayed(element: &Element, claimed: &Option<ElementDeclarations>) -> bool {
    let is_closed = element.attrs.iter().any(|attribute| matches!(&*attribute.name.local, "hidden" | "popover"));
    let is_shut = &*element.name.local == "dialog" && is_hidden_by_attribute(element);
    !is_closed && !is_shut && !claimed.as_ref().is_some_and(ElementDeclarations::is_not_displayed)
}

/// The element's own style.
pub(super) fn style(element: &Element) -> Option<&str> {
    let own = element.attrs.iter().find(|attribute| &*attribute.name.local == "style");
    own.map(|attribute| attribute.value.as_ref())
}

/// A dialog without `open` and a popover are shown only once a control or a script opens them.
pub(super) fn is_hidden_by_attribute(element: &Element) -> bool {
    let is_open = || element.attrs.iter().any(|attribute| &*attribute.name.local == "open");
    let is_closed_dialog = &*element.name.local == "dialog" && !is_open();
    is_closed_dialog
        || element.attrs.iter().any(|attribute| match attribute.name.local.as_ref() {
            "hidden" | "popover" => true,
            "aria-hidden" => attribute.value.trim().eq_ignore_ascii_case("true"),
            _ => false,
        })
}

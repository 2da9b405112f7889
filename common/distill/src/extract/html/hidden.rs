//! Removal of what a page does not show: elements without rendered text, and elements hidden from the reader.

use dom_query::{Document, Element, NodeRef};

/// Elements whose content is no text of the page.
const UNRENDERED: [&str; 19] = [
    "head", "script", "style", "template", "noscript", "noframes", "iframe", "object", "embed", "applet", "svg",
    "canvas", "audio", "video", "datalist", "map", "frameset", "rp", "title",
];

/// Removes unrendered and hidden elements and comments from `document`.
pub(super) fn prune(document: &Document) {
    let doomed: Vec<NodeRef<'_>> = document.root().descendants_it().filter(is_unseen).collect();
    doomed.iter().for_each(NodeRef::remove_from_parent);
}

fn is_unseen(node: &NodeRef<'_>) -> bool {
    node.is_comment() || node.element_ref().is_some_and(|element| is_unrendered(&element) || is_hidden(&element))
}

fn is_unrendered(element: &Element) -> bool {
    UNRENDERED.contains(&element.name.local.as_ref())
}

/// Whether the element hides itself by attribute or inline style. The root and the body do so only until a script has run.
fn is_hidden(element: &Element) -> bool {
    if matches!(element.name.local.as_ref(), "html" | "body") {
        return false;
    }
    element.attrs.iter().any(|attribute| {
        let value = attribute.value.as_ref();
        match attribute.name.local.as_ref() {
            "hidden" => true,
            "aria-hidden" => value.trim().eq_ignore_ascii_case("true"),
            "style" => hides(value),
            _ => false,
        }
    })
}

/// Whether an inline style says `display: none` or `visibility: hidden`.
fn hides(style: &str) -> bool {
    style.split(';').filter_map(|rule| rule.split_once(':')).any(|(property, value)| {
        let value = value.trim().to_ascii_lowercase();
        match property.trim().to_ascii_lowercase().as_str() {
            "display" => value.starts_with("none"),
            "visibility" => value.starts_with("hidden") || value.starts_with("collapse"),
            _ => false,
        }
    })
}

//! What elements of sheets say about themselves.

use super::super::markup::XmlElement;

/// Whether an element inside the sheets has cells that are not those of a sheet: earlier states of cells, and embedded documents.
pub(super) fn has_other_cells(name: &str) -> bool {
    matches!(name, "tracked-changes" | "forms" | "scenario" | "dde-links" | "object")
}

/// The value of the attribute `name`, which says how often an element stands there.
pub(super) fn times(element: &XmlElement<'_>, name: &str) -> usize {
    element.attribute(name).and_then(|times| times.parse().ok()).unwrap_or(1).max(1)
}

/// Whether an element is a row or column that is not shown, or a group of such.
pub(super) fn is_unseen(element: &XmlElement<'_>) -> bool {
    element.attribute("visibility").is_some_and(|value| value != "visible")
        || element.attribute("display").as_deref() == Some("false")
}

/// The name of an element that begins, if it is one whose rows or columns are numbered.
pub(super) fn is_group(name: &str) -> bool {
    matches!(name, "table-row-group" | "table-column-group")
}

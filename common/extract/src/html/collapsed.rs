//! Parts of a page that are closed until a reader opens them with a control of the page. No script runs here, so they are read where they
//! stand, and marked.

use dom_query::{Document, Element, NodeRef};

use super::roles::attribute;

/// Marks a closed part, instead of the attributes that hide it.
const MARK: &str = "data-closed-part";
/// Most elements looked at in search of a control before a part; a control is a button with a few words.
const MAX_ELEMENTS_OF_A_CONTROL: usize = 16;

/// Whether a control of the page opens the hidden part `node`: it is the panel of a tab, or follows directly after a control that says
/// whether it is open (WAI-ARIA 1.2, `tabpanel` and `aria-expanded`), or opens it as a popover (HTML, `popovertarget`).
pub(super) fn opens(node: &NodeRef<'_>) -> bool {
    let is_panel = node.element_ref().is_some_and(|element| {
        attribute(&element, "role").is_some_and(|role| role.split_ascii_whitespace().any(|role| role == "tabpanel"))
    });
    let id = node.id_attr();
    let opens_popover = |node: &NodeRef<'_>| id.is_some() && node.attr("popovertarget") == id;
    let is_control = |node: &NodeRef<'_>| node.has_attr("aria-expanded") || opens_popover(node);
    is_panel
        || node.prev_element_sibling().is_some_and(|before| {
            is_control(&before)
                || before.descendants_it().take(MAX_ELEMENTS_OF_A_CONTROL).any(|inside| is_control(&inside))
        })
}

/// Marks `node` as closed and takes away what hides it. All elements in it are marked, because the search for the main content takes
/// elements apart.
pub(super) fn mark(node: &NodeRef<'_>) {
    node.remove_attrs(&["hidden", "aria-hidden", "style"]);
    node.set_attr(MARK, "");
    // Collected first: the tree cannot be changed while it is walked.
    let inside: Vec<NodeRef<'_>> = node.descendants_it().filter(NodeRef::is_element).collect();
    inside.iter().for_each(|inside| inside.set_attr(MARK, ""));
}

/// Marks the contents of closed `details`, except their summaries.
pub(super) fn mark_details(document: &Document) {
    let parts = document.select("details:not([open]) > :not(summary)");
    parts.nodes().iter().filter(|part| !part.has_attr(MARK)).for_each(mark);
}

/// Whether the content of `element` is closed, if the block around it (`around`) and the block around that (`beyond`) are or are not.
pub(super) fn is_closed(element: &Element, around: bool, beyond: bool) -> bool {
    match element.name.local.as_ref() {
        "details" => around || attribute(element, "open").is_none(),
        // The control of the part around it: seen unless a part further out is closed.
        "summary" => beyond,
        _ => around || attribute(element, MARK).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::extraction::HtmlMode;
    use precis_text::Leaf;

    use super::super::page_text;

    fn read(body: &str) -> (Vec<(String, bool)>, u64) {
        let page = page_text(&format!("<body><p>kept</p>{body}"), HtmlMode::Full);
        let said = |leaf: &Leaf| (leaf.text.clone(), leaf.is_collapsed);
        (page.leaves.iter().map(said).collect(), page.left_out.hidden)
    }

    #[test]
    fn what_a_control_of_the_page_opens_is_read_and_marked() {
        for part in [
            "<div role=tabpanel aria-hidden=true><p>part</p></div>",
            "<div role=tabpanel style='display:none'><p>part</p></div>",
            "<style>.c{display:none}</style><button aria-expanded=false>x</button><div class=c><p>part</p></div>",
            "<h3><button aria-expanded=false>x</button></h3><div hidden><p>part</p></div>",
            "<details><summary>x</summary><p>part</p></details>",
            "<button popovertarget=a>x</button><div popover id=a><p>part</p></div>",
        ] {
            let (said, hidden) = read(part);
            assert_eq!((said.last(), hidden), (Some(&("part".to_owned(), true)), 0), "{part}");
            assert!(said.iter().all(|(text, is_closed)| text != "x" || !is_closed), "{part}");
        }
    }

    #[test]
    fn what_no_control_opens_stays_out_and_is_counted() {
        for part in [
            "<div aria-hidden=true><p>part</p></div>",
            "<div popover><p>part</p></div>",
            "<button popovertarget=b>x</button><div popover id=a><p>part</p></div>",
            "<dialog><p>part</p></dialog>",
            "<h3>x</h3><div hidden><p>part</p></div>",
            "<button aria-expanded=false>x</button><p>y</p><div hidden><p>part</p></div>",
            "<div role=tabpanel style='color:white'><p>part</p></div>",
            "<div role=tabpanel hidden><p style='font-size:0'>part</p></div>",
        ] {
            let (said, hidden) = read(part);
            assert!(hidden == 4 && said.iter().all(|(text, _)| text != "part"), "{part}: {said:?}");
        }
    }

    #[test]
    fn what_is_open_is_not_marked() {
        for part in ["<details open><summary>x</summary>part</details>", "<div role=tabpanel>part</div>"] {
            assert_eq!(read(part).0.last(), Some(&("part".to_owned(), false)), "{part}");
        }
        let (said, _) = read("<details><summary>x</summary><details><summary>y</summary>z</details></details>");
        let closed: Vec<bool> = said.iter().map(|(_, is_closed)| *is_closed).collect();
        assert_eq!(closed, [false, false, true, true]);
    }
}

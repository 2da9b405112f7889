//! [`GeneratedTexts`]: writes the texts that style sheets generate into the elements of a page.

use std::rc::Rc;

use dom_query::{Element, NodeRef};

use super::cascade::cascade;
use super::style_sheets::StyleSheets;
use super::text_look::{Contrast, ElementDeclarations, Look};
use super::variables::Variables;

/// Elements that hold no text of their own.
const UNWRITTEN: [&str; 15] = [
    "html", "table", "thead", "tbody", "tfoot", "tr", "colgroup", "col", "select", "option", "optgroup", "input", "br",
    "hr", "wbr",
];

/// The texts found on a page.
#[derive(Default)]
pub(super) struct GeneratedTexts<'a> {
    /// An element, whether its text stands after its content, and the text.
    found: Vec<(NodeRef<'a>, bool, String)>,
}

impl<'a> GeneratedTexts<'a> {
    /// Takes the texts of `element`, whose own text has this look and these variables, unless they are hidden or have the colour of what
    /// may be behind them.
    pub(super) fn take(
        &mut self,
        sheets: &StyleSheets,
        node: &NodeRef<'a>,
        element: &Element,
        (look, variables): (Look, Option<&Rc<Variables>>),
    ) {
        if UNWRITTEN.contains(&element.name.local.as_ref()) {
            return;
        }
        for rule in sheets.generated(element, node).into_iter().flatten() {
            let mut claimed = ElementDeclarations::default();
            cascade(&[(&rule.claims, [0; 4], 0)], &mut claimed, variables, sheets.steps_left());
            let look = look.within("span", &claimed);
            let is_shown = claimed.unseen().is_none() && !look.is_tiny() && look.contrast() == Contrast::Some;
            let text = rule.text.as_ref().filter(|_| is_shown);
            self.found.extend(text.map(|text| (*node, rule.is_after, text.clone())));
        }
    }

    /// Writes them into the page.
    pub(super) fn write(self) {
        for (node, is_after, text) in self.found {
            let written = if is_after {
                node.append_html("<span></span>");
                node.last_child()
            } else {
                node.prepend_html("<span></span>");
                node.first_child()
            };
            written.into_iter().for_each(|span| span.set_text(text.as_str()));
        }
    }
}

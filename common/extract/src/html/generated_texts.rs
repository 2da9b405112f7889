//! [`GeneratedTexts`]: writes the texts that style sheets generate into the elements of a page, with the numbers that they count.

use std::rc::Rc;

use dom_query::{Element, NodeRef};

use super::cascade::cascade;
use super::counters::{CounterChanges, Counters};
use super::generated::{GeneratedPlace, GeneratedRule};
use super::lists;
use super::style_sheets::StyleSheets;
use super::text_look::{Contrast, ElementDeclarations, Look};
use super::variables::Variables;
use crate::runs::Position;

/// Elements that hold no text of their own.
const UNWRITTEN: [&str; 15] = [
    "html", "table", "thead", "tbody", "tfoot", "tr", "colgroup", "col", "select", "option", "optgroup", "input", "br",
    "hr", "wbr",
];
/// What follows on a word without a space, and what a word follows on without one.
const CLOSING: &str = ",.;:!?)]}’”»";
const OPENING: &str = "([{‘“«#§";

/// An element that style sheets may write texts into.
#[derive(Clone, Copy)]
pub(super) struct WrittenElement<'v, 'a> {
    pub(super) node: NodeRef<'a>,
    /// Number of elements around it.
    pub(super) depth: usize,
    /// The look of its own text.
    pub(super) look: Look,
    pub(super) variables: Option<&'v Rc<Variables>>,
    /// Whether it stands in code, whose lines are numbered for the eye.
    pub(super) is_code: bool,
    /// Whether it is not seen, so that it only counts.
    pub(super) is_unseen: bool,
}

/// The texts found on a page.
#[derive(Default)]
pub(super) struct GeneratedTexts<'a> {
    counters: Counters,
    found: Vec<GeneratedText<'a>>,
    /// Items that bear the mark of a marker without having one.
    forged: Vec<NodeRef<'a>>,
}

struct GeneratedText<'a> {
    node: NodeRef<'a>,
    place: GeneratedPlace,
    text: String,
    /// Whether it is a number, which is no part of the word beside it.
    is_counted: bool,
    position: Position,
}

impl<'a> GeneratedTexts<'a> {
    /// Takes the texts before the content of a visible element, which does `changes` to counters, and returns the rule about the text after
    /// it.
    pub(super) fn enter(
        &mut self,
        sheets: &StyleSheets,
        written: WrittenElement<'_, 'a>,
        element: &Element,
        mut changes: CounterChanges,
    ) -> Option<Rc<GeneratedRule>> {
        if lists::has_mark(element) {
            self.forged.push(written.node);
        }
        if sheets.has_counters {
            changes.begin_with(lists::implied_changes(&written.node, element));
            self.counters.apply(written.depth, &changes);
        }
        let [before, after, marker] = sheets.generated_rules(element, &written.node);
        for rule in [marker, before].into_iter().flatten() {
            self.take(sheets, written, rule);
        }
        after.map(Rc::clone)
    }

    /// Takes the text after the content of an element, which `rule` writes, and ends the counters of its content.
    pub(super) fn leave(
        &mut self,
        sheets: &StyleSheets,
        written: WrittenElement<'_, 'a>,
        rule: Option<&GeneratedRule>,
    ) {
        rule.into_iter().for_each(|rule| self.take(sheets, written, rule));
        self.counters.leave(written.depth);
    }

    /// Takes a text, unless it is hidden or has the colour of what may be behind it.
    fn take(&mut self, sheets: &StyleSheets, written: WrittenElement<'_, 'a>, rule: &GeneratedRule) {
        let matched = [(&*rule.claims, [0; 4], 0)];
        let mut claimed = ElementDeclarations::default();
        cascade(&matched, &mut claimed, written.variables, sheets.steps_left());
        if !rule.content.is_made() || claimed.is_not_displayed() {
            return;
        }
        if sheets.has_counters {
            self.counters.apply(written.depth + 1, &CounterChanges::among(&matched));
        }
        let look = written.look.within("span", &claimed);
        let is_shown = !written.is_unseen
            && claimed.unseen().is_none()
            && !claimed.is_struck()
            && !look.is_tiny()
            && look.contrast() == Contrast::Some
            && !UNWRITTEN.into_iter().any(|name| written.node.has_name(name))
            && !(written.is_code && rule.content.counts());
        let Some(text) = rule.content.text(&self.counters).filter(|_| is_shown) else { return };
        let is_item = written.node.has_name("li");
        let has_marker = self.found.iter().rev().take_while(|found| found.node.id == written.node.id).count() > 0;
        let place = match rule.place {
            GeneratedPlace::Marker if !is_item => return,
            // Lists whose numbers a style sheet counts have no other ones.
            GeneratedPlace::Before if is_item && rule.content.counts() && !has_marker => GeneratedPlace::Marker,
            place => place,
        };
        let position = claimed.position(written.look);
        self.found.push(GeneratedText { node: written.node, place, text, is_counted: rule.content.counts(), position });
    }

    /// Writes them into the page.
    pub(super) fn write(self) {
        self.forged.iter().for_each(lists::remove_mark);
        for mut found in self.found {
            let is_apart = found.is_counted && found.position == Position::Baseline;
            let empty = match found.position {
                Position::Baseline => "<span></span>",
                Position::Raised => "<sup></sup>",
                Position::Lowered => "<sub></sub>",
            };
            let written = match found.place {
                GeneratedPlace::Marker => {
                    lists::mark(&found.node, found.text.trim());
                    None
                }
                GeneratedPlace::Before => {
                    if is_apart && runs_into(found.text.chars().next_back(), first_char(&found.node)) {
                        found.text.push(' ');
                    }
                    found.node.prepend_html(empty);
                    found.node.first_child()
                }
                GeneratedPlace::After => {
                    if is_apart && runs_into(last_char(&found.node), found.text.chars().next()) {
                        found.text.insert(0, ' ');
                    }
                    found.node.append_html(empty);
                    found.node.last_child()
                }
            };
            written.into_iter().for_each(|span| span.set_text(found.text.as_str()));
        }
    }
}

/// Whether the words that end with `one` and begin with `other` would be read as one.
fn runs_into(one: Option<char>, other: Option<char>) -> bool {
    let is_end = |c: char| !c.is_whitespace() && !OPENING.contains(c);
    let is_begin = |c: char| !c.is_whitespace() && !CLOSING.contains(c);
    one.is_some_and(is_end) && other.is_some_and(is_begin)
}

/// The first character in `node`, or behind it if it is empty.
fn first_char(node: &NodeRef<'_>) -> Option<char> {
    let inside = node.descendants_it().find_map(|node| node.is_text().then(|| node.text().chars().next()).flatten());
    inside.or_else(|| node.next_sibling()?.text().chars().next())
}

/// The last character in `node`, or before it if it is empty.
fn last_char(node: &NodeRef<'_>) -> Option<char> {
    let mut last = if node.first_child().is_some() { *node } else { node.prev_sibling()? };
    while let Some(child) = last.last_child() {
        last = child;
    }
    last.text().chars().next_back()
}

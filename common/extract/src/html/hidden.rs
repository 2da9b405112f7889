//! Removes the invisible parts of a page: elements without rendered text, and elements hidden by an attribute, their own style or the
//! page's style sheets. External sheets are not fetched, so their effect is unknown. Removed characters are counted.

use std::cell::Cell;
use std::rc::Rc;

use dom_query::{Document, Element, NodeData, NodeRef};
use precis_text::hiding_marks;

use super::cascade::cascade;
use super::collapsed;
use super::counters::CounterChanges;
use super::css_color::color;
use super::css_value::{BoxShape, DeclaredValue};
use super::declarations::{Declaration, claims};
use super::declared_boxes::DeclaredBoxes;
use super::displayed::{is_closed, is_displayed, is_hidden_by_attribute, style};
use super::generated::GeneratedRule;
use super::generated_texts::{GeneratedTexts, WrittenElement};
use super::property::Property;
use super::roles::{Flow, flow};
use super::style_sheets::StyleSheets;
use super::text_look::{Contrast, ElementDeclarations, InvisibleReason, Look};
use super::unapplied::Unapplied;
use super::variables::Variables;
use crate::runs::{Marks, Position};

/// Elements whose content is not text of the page.
const UNRENDERED: [&str; 19] = [
    "head", "script", "style", "template", "noscript", "noframes", "iframe", "object", "embed", "applet", "svg",
    "canvas", "audio", "video", "datalist", "map", "frameset", "rp", "title",
];
/// Those of them with words for readers of other browsers. The content of a template only becomes part of the page through a script, like
/// the script's own words.
const HIDING: [&str; 2] = ["noscript", "noframes"];
/// Elements that show something other than text, and may lie behind text.
const PICTURES: [&str; 8] = ["img", "picture", "svg", "canvas", "video", "iframe", "object", "embed"];
/// Most look-ups of variables for a piece of a page without its sheets.
const MAX_STEPS: usize = 10_000;
/// Specificity of an element's own style, and of legacy presentational attributes.
const OWN: [usize; 4] = [1, 0, 0, 0];
const OLD: [usize; 4] = [0; 4];

/// Numbers of removed characters that no reader sees, without white space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RemovedChars {
    pub(super) chars: u64,
    /// Of these, characters that are faded out or shrunk.
    pub(super) faded: u64,
    /// What was not applied of the page's style sheets.
    pub(super) unapplied: Unapplied,
}

/// How much of a page's hiding is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HidingBelief {
    /// All of it.
    All,
    /// All of it except fading out and shrinking.
    NotFading,
    /// Only an element's own declaration that it is not displayed or not visible.
    OwnWords,
}

/// Removes unrendered and hidden elements and comments from `document`.
pub(super) fn prune(document: &Document, belief: HidingBelief) -> RemovedChars {
    let sheets = match belief {
        HidingBelief::OwnWords => StyleSheets::default(),
        _ => StyleSheets::from_document(document),
    };
    let mut eye = VisibilityPass {
        sheets,
        belief,
        doomed: Vec::new(),
        pictures: Vec::new(),
        closed: Vec::new(),
        typeset: Vec::new(),
        on_ground: Vec::new(),
        boxes: DeclaredBoxes::default(),
        generated: GeneratedTexts::default(),
        page: PageTraits::default(),
        removed: RemovedChars::default(),
    };
    eye.go_over(document);
    let VisibilityPass {
        doomed,
        pictures,
        closed,
        typeset,
        on_ground,
        boxes,
        generated,
        page,
        mut removed,
        sheets,
        ..
    } = eye;
    removed.unapplied = sheets.unapplied_parts();
    // Only after the pass, which goes on from a node to its siblings.
    doomed.iter().for_each(NodeRef::remove_from_parent);
    // What stands on both sides of a picture is not one word.
    pictures.iter().for_each(|picture| picture.replace_with_html(" "));
    closed.iter().for_each(collapsed::mark);
    generated.write();
    boxes.build();
    typeset.iter().for_each(|(text, element)| text.wrap_html(*element));
    // Texts in the colour of a background are decided last, because the rest of the page may lie between.
    for (text, is_placed) in on_ground {
        let may_lie_on_more = sheets.has_foreign || page.has_layers || (is_placed && page.has_pictures);
        if !may_lie_on_more {
            removed.chars += chars(&text);
            text.remove_from_parent();
        }
    }
    removed
}

/// A pass over a page that removes what a reader would not see.
struct VisibilityPass<'a> {
    sheets: StyleSheets,
    belief: HidingBelief,
    doomed: Vec<NodeRef<'a>>,
    /// Unrendered elements that show something other than text.
    pictures: Vec<NodeRef<'a>>,
    /// Parts that are not displayed until a control of the page opens them.
    closed: Vec<NodeRef<'a>>,
    /// Texts that a style raises, lowers or strikes out, and the element that says the same.
    typeset: Vec<(NodeRef<'a>, &'static str)>,
    /// Texts in the colour of a background that belongs to another element, and whether they lie above other elements.
    on_ground: Vec<(NodeRef<'a>, bool)>,
    boxes: DeclaredBoxes<'a>,
    generated: GeneratedTexts<'a>,
    page: PageTraits,
    removed: RemovedChars,
}

/// Elements found anywhere on the page.
#[derive(Debug, Default)]
struct PageTraits {
    has_pictures: bool,
    /// Backgrounds or pictures that lie above or below other elements.
    has_layers: bool,
}

/// What an element passes on to its content.
#[derive(Debug, Clone)]
struct Surroundings {
    look: Look,
    marks: Marks,
    variables: Option<Rc<Variables>>,
    /// What style sheets write after the content.
    after: Option<Rc<GeneratedRule>>,
    is_code: bool,
    /// Whether none of it is seen, though it is displayed, so that it counts.
    is_unseen: bool,
}

impl Surroundings {
    /// What a sheet writes into the element `node`, with `depth` elements around it, that passes this on.
    fn written<'a>(&self, node: &NodeRef<'a>, depth: usize) -> WrittenElement<'_, 'a> {
        let (look, variables) = (self.look, self.variables.as_ref());
        WrittenElement { node: *node, depth, look, variables, is_code: self.is_code, is_unseen: self.is_unseen }
    }
}

impl<'a> VisibilityPass<'a> {
    fn go_over(&mut self, document: &'a Document) {
        let root = document.root();
        let mut around = vec![Surroundings {
            look: Look::of_page(self.sheets.may_be_dark),
            marks: Marks::default(),
            variables: None,
            after: None,
            is_code: false,
            is_unseen: false,
        }];
        let mut node = root;
        loop {
            let within = around.last().expect("the page's own is never removed");
            let depth = around.len();
            if let Some(inside) = self.look_at(&node, within, depth) {
                if let Some(child) = node.first_child() {
                    around.push(inside);
                    node = child;
                    continue;
                }
                self.generated.leave(&self.sheets, inside.written(&node, depth), inside.after.as_deref());
            }
            // Go on to the next node in document order that is not below this one.
            loop {
                if node.id == root.id {
                    return;
                }
                if let Some(next) = node.next_sibling() {
                    node = next;
                    break;
                }
                let Some(parent) = node.parent() else { return };
                node = parent;
                if let Some(inside) = around.pop() {
                    self.generated.leave(&self.sheets, inside.written(&node, around.len()), inside.after.as_deref());
                }
            }
        }
    }

    /// What `node` passes on to its content; `None` if the content is invisible or the node has none.
    fn look_at(&mut self, node: &NodeRef<'a>, around: &Surroundings, depth: usize) -> Option<Surroundings> {
        if around.is_unseen {
            return self.count(node, around, depth);
        }
        if node.is_comment() {
            self.doomed.push(*node);
            return None;
        }
        let Some(element) = node.element_ref() else {
            if node.is_text() {
                self.text(node, around.look);
                self.typeset(node, around.marks);
                return None;
            }
            return Some(Surroundings { after: None, ..around.clone() });
        };
        let name = element.name.local.as_ref();
        self.page.has_pictures |= PICTURES.contains(&name);
        self.page.has_layers |= around.look.is_placed && PICTURES.contains(&name);
        if UNRENDERED.contains(&name) {
            self.removed.chars += if HIDING.contains(&name) { chars(node) } else { 0 };
            match PICTURES.contains(&name) {
                true => self.pictures.push(*node),
                false => self.doomed.push(*node),
            }
            return None;
        }
        let (claimed, variables, changes) = self.declarations_for(&element, node, around.variables.as_ref());
        let look = claimed.as_ref().map_or(around.look, |claimed| around.look.within(name, claimed));
        let is_code = around.is_code || matches!(name, "pre" | "code" | "samp");
        let mut inside = Surroundings { look, variables, after: None, is_code, ..*around };
        match self.unseen(&element, &claimed) {
            Some(_) if is_closed(&element, &claimed) && collapsed::opens(node) => self.closed.push(*node),
            Some(unseen) => {
                let chars = chars(node);
                self.removed.chars += chars;
                self.removed.faded += if unseen == InvisibleReason::Faded { chars } else { 0 };
                self.doomed.push(*node);
                if !self.sheets.has_counters || !is_displayed(&element, &claimed) {
                    return None;
                }
                inside.is_unseen = true;
            }
            None => {
                inside.marks = marks(name, claimed.as_ref(), around);
                self.boxes.take(node, claimed.as_ref().and_then(ElementDeclarations::shape));
                self.boxes.take_numbers(node, claimed.as_ref().and_then(ElementDeclarations::numbers));
                self.page.has_layers |= look.is_placed && claimed.is_some_and(|claimed| claimed.has_ground());
            }
        }
        inside.after = self.generated.enter(&self.sheets, inside.written(node, depth), &element, changes);
        Some(inside)
    }

    /// The same for a node in an element that is not seen: only what it counts.
    fn count(&mut self, node: &NodeRef<'a>, around: &Surroundings, depth: usize) -> Option<Surroundings> {
        let element = node.element_ref()?;
        let (claimed, variables, changes) = self.declarations_for(&element, node, around.variables.as_ref());
        if UNRENDERED.contains(&element.name.local.as_ref()) || !is_displayed(&element, &claimed) {
            return None;
        }
        let mut inside = Surroundings { variables, after: None, ..*around };
        inside.after = self.generated.enter(&self.sheets, inside.written(node, depth), &element, changes);
        Some(inside)
    }

    /// Notes what a style says of a text as an element would. A text that is removed is wrapped too, and nobody sees it.
    fn typeset(&mut self, text: &NodeRef<'a>, marks: Marks) {
        let element = match marks.position {
            _ if marks.is_struck => "<s></s>",
            Position::Raised => "<sup></sup>",
            Position::Lowered => "<sub></sub>",
            Position::Baseline => return,
        };
        self.typeset.push((*text, element));
    }

    fn text(&mut self, node: &NodeRef<'a>, look: Look) {
        let marks = node.query_or(0, |inner| match &inner.data {
            NodeData::Text { contents } => hiding_marks(contents),
            _ => 0,
        });
        self.removed.chars += marks as u64;
        if self.belief == HidingBelief::OwnWords {
            return;
        }
        if look.is_tiny() || look.contrast() == Contrast::None {
            self.removed.chars += chars(node);
            self.doomed.push(*node);
            return;
        }
        if look.contrast() == Contrast::NoneOnGround {
            self.on_ground.push((*node, look.is_placed));
        }
    }

    /// The declarations for an element, `None` if there can be none, its variables, and what it does to counters.
    fn declarations_for(
        &self,
        element: &Element,
        node: &NodeRef<'a>,
        around: Option<&Rc<Variables>>,
    ) -> (Option<ElementDeclarations>, Option<Rc<Variables>>, CounterChanges) {
        let name = element.name.local.as_ref();
        let is_special = matches!(name, "a" | "button" | "input" | "select" | "textarea" | "option" | "mark");
        if element.attrs.is_empty() && self.sheets.is_empty() && !is_special {
            return (None, around.cloned(), CounterChanges::default());
        }
        let mut claimed = ElementDeclarations::default();
        let own = style(element).map(claims).unwrap_or_default();
        let mut matched = self.sheets.claims(element, node);
        matched.push((&own, OWN, 0));
        let variables = cascade(&matched, &mut claimed, around, self.sheets.steps_left());
        for attribute in &element.attrs {
            let value = attribute.value.as_ref();
            let old = |property| Declaration {
                property,
                value: color(&value.trim().to_ascii_lowercase()),
                is_important: false,
            };
            match attribute.name.local.as_ref() {
                "bgcolor" => claimed.add(old(Property::Background), OLD, 0),
                // A picture as background: its colour is unknown.
                "background" => {
                    claimed.add(Declaration { value: DeclaredValue::Unknown, ..old(Property::Background) }, OLD, 0)
                }
                "color" if name == "font" => claimed.add(old(Property::Color), OLD, 0),
                "text" if name == "body" => claimed.add(old(Property::Color), OLD, 0),
                _ => {}
            }
        }
        let changes =
            if self.sheets.has_counters { CounterChanges::among(&matched) } else { CounterChanges::default() };
        (Some(claimed), variables, changes)
    }

    /// Why an element is hidden: by an attribute, by its own style, or by the sheets. The root and the body are never treated as hidden,
    /// because they are only hidden until a script has run.
    fn unseen(&self, element: &Element, claimed: &Option<ElementDeclarations>) -> Option<InvisibleReason> {
        if matches!(element.name.local.as_ref(), "html" | "body") {
            return None;
        }
        if is_hidden_by_attribute(element) {
            return Some(InvisibleReason::Hidden);
        }
        let unseen = claimed.as_ref()?.unseen()?;
        match self.belief {
            HidingBelief::All => Some(unseen),
            HidingBelief::NotFading => Some(unseen).filter(|unseen| *unseen == InvisibleReason::Hidden),
            HidingBelief::OwnWords => {
                Some(unseen).filter(|_| claimed.as_ref().is_some_and(ElementDeclarations::says_so))
            }
        }
    }
}

/// What the style of the element `name` says of its text, which stands in a text with the marks `around`.
fn marks(name: &str, claimed: Option<&ElementDeclarations>, around: &Surroundings) -> Marks {
    let is_inline = flow(name) == Flow::Inline;
    let position = claimed.filter(|_| is_inline).map(|claimed| claimed.position(around.look)).unwrap_or_default();
    let own = Marks { position, is_struck: claimed.is_some_and(ElementDeclarations::is_struck), ..Marks::default() };
    // A block is not raised with the line that it interrupts.
    // Nor is a box in a line struck out with the line.
    let is_box = claimed.and_then(ElementDeclarations::shape) == Some(BoxShape::InLine);
    let around = Marks { is_struck: around.marks.is_struck && !is_box, ..around.marks };
    own.within(if is_inline { around } else { Marks { position: Position::Baseline, ..around } })
}

/// Number of characters in and below `node` that are words of the page, without white space.
fn chars(node: &NodeRef<'_>) -> u64 {
    let count = |node: &NodeRef<'_>| {
        node.query_or(0, |inner| match &inner.data {
            NodeData::Text { contents } => contents.chars().filter(|c| !c.is_whitespace()).count() as u64,
            _ => 0,
        })
    };
    let is_code = |node: &NodeRef<'_>| {
        node.parent()
            .and_then(|parent| parent.element_ref().map(|e| matches!(e.name.local.as_ref(), "script" | "style")))
            .unwrap_or(false)
    };
    count(node)
        + node.descendants_it().filter(|node| node.is_text() && !is_code(node)).map(|node| count(&node)).sum::<u64>()
}

/// Whether an element of `document` hides its own content.
pub(super) fn hides_its_content(document: &Document) -> bool {
    document.root().descendants_it().any(|node| {
        node.element_ref().is_some_and(|element| {
            let mut claimed = ElementDeclarations::default();
            let own = style(&element).map(claims).unwrap_or_default();
            cascade(&[(&own, OWN, 0)], &mut claimed, None, &Cell::new(MAX_STEPS));
            let look = Look::of_page(true).within(element.name.local.as_ref(), &claimed);
            is_hidden_by_attribute(&element)
                || claimed.unseen().is_some()
                || look.is_tiny()
                || look.contrast() == Contrast::None
        })
    })
}

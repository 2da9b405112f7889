//! Removes the invisible parts of a page: elements without rendered text, and elements hidden by an attribute, their own style or the
//! page's style sheets. External sheets are not fetched, so their effect is unknown. Removed characters are counted.

use std::cell::Cell;
use std::collections::BTreeMap;

use dom_query::{Document, Element, NodeData, NodeRef};
use precis_text::hiding_marks;

use super::collapsed;
use super::css::{self, Compound, MAX_SHEET_BYTES, Rule};
use super::css_color::color;
use super::declarations::{Declaration, Property, claims};
use super::text_look::{Contrast, ElementDeclarations, InvisibleReason, Look};

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
/// Most comparisons of elements with parts of selectors for one page, each of short names; later elements are judged by their own
/// attributes alone.
const MAX_COMPARISONS: usize = 5_000_000;
/// Bytes of a list of names that cost as much to compare as one short name.
const SHORT: usize = 64;
/// Specificity of an element's own style, and of legacy presentational attributes.
const OWN: [usize; 4] = [1, 0, 0, 0];
const OLD: [usize; 4] = [0; 4];

/// Numbers of removed characters that no reader sees, without white space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RemovedChars {
    pub(super) chars: u64,
    /// Of these, characters that are faded out or shrunk.
    pub(super) faded: u64,
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
        closed: Vec::new(),
        on_ground: Vec::new(),
        page: PageTraits::default(),
        removed: RemovedChars::default(),
    };
    eye.go_over(document);
    let VisibilityPass { doomed, closed, on_ground, page, mut removed, sheets, .. } = eye;
    // Only after the pass, which goes on from a node to its siblings.
    doomed.iter().for_each(NodeRef::remove_from_parent);
    closed.iter().for_each(collapsed::mark);
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
    /// Parts that are not displayed until a control of the page opens them.
    closed: Vec<NodeRef<'a>>,
    /// Texts in the colour of a background that belongs to another element, and whether they lie above other elements.
    on_ground: Vec<(NodeRef<'a>, bool)>,
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

impl<'a> VisibilityPass<'a> {
    fn go_over(&mut self, document: &'a Document) {
        let root = document.root();
        let mut looks = vec![Look::of_page(self.sheets.may_be_dark)];
        let mut node = root;
        loop {
            if let Some(look) = self.look_at(&node, *looks.last().expect("the page's look is never removed"))
                && let Some(child) = node.first_child()
            {
                looks.push(look);
                node = child;
                continue;
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
                looks.pop();
                node = parent;
            }
        }
    }

    /// The look of the content of `node`; `None` if the content is invisible or the node has none.
    fn look_at(&mut self, node: &NodeRef<'a>, around: Look) -> Option<Look> {
        if node.is_comment() {
            self.doomed.push(*node);
            return None;
        }
        let Some(element) = node.element_ref() else {
            if node.is_text() {
                self.text(node, around);
                return None;
            }
            return Some(around);
        };
        let name = element.name.local.as_ref();
        self.page.has_pictures |= PICTURES.contains(&name);
        self.page.has_layers |= around.is_placed && PICTURES.contains(&name);
        if UNRENDERED.contains(&name) {
            self.removed.chars += if HIDING.contains(&name) { chars(node) } else { 0 };
            self.doomed.push(*node);
            return None;
        }
        let claimed = self.claimed(&element, node);
        match self.unseen(&element, &claimed) {
            Some(_) if is_closed(&element, &claimed) && collapsed::opens(node) => {
                self.closed.push(*node);
                Some(claimed.as_ref().map_or(around, |claimed| around.within(name, claimed)))
            }
            Some(unseen) => {
                let chars = chars(node);
                self.removed.chars += chars;
                self.removed.faded += if unseen == InvisibleReason::Faded { chars } else { 0 };
                self.doomed.push(*node);
                None
            }
            None => {
                let look = claimed.as_ref().map_or(around, |claimed| around.within(name, claimed));
                self.page.has_layers |= look.is_placed && claimed.is_some_and(|claimed| claimed.has_ground());
                Some(look)
            }
        }
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

    /// The declarations for an element; `None` if there can be none.
    fn claimed(&self, element: &Element, node: &NodeRef<'a>) -> Option<ElementDeclarations> {
        let name = element.name.local.as_ref();
        let is_special = matches!(name, "a" | "button" | "input" | "select" | "textarea" | "option" | "mark");
        if element.attrs.is_empty() && self.sheets.rules.is_empty() && !is_special {
            return None;
        }
        let mut claimed = ElementDeclarations::default();
        self.sheets.claim(element, node, &mut claimed);
        for attribute in &element.attrs {
            let value = attribute.value.as_ref();
            let old = |property| Declaration {
                property,
                value: color(&value.trim().to_ascii_lowercase()),
                is_important: false,
            };
            match attribute.name.local.as_ref() {
                "style" => {
                    claims(value).into_iter().enumerate().for_each(|(order, claim)| claimed.add(claim, OWN, order));
                }
                "bgcolor" => claimed.add(old(Property::Background), OLD, 0),
                // A picture as background: its colour is unknown.
                "background" => claimed.add(
                    Declaration { value: super::css_value::DeclaredValue::Unknown, ..old(Property::Background) },
                    OLD,
                    0,
                ),
                "color" if name == "font" => claimed.add(old(Property::Color), OLD, 0),
                "text" if name == "body" => claimed.add(old(Property::Color), OLD, 0),
                _ => {}
            }
        }
        Some(claimed)
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

/// Whether an element is not displayed or not visible by its own word or the sheets', as parts are that a control opens.
fn is_closed(element: &Element, claimed: &Option<ElementDeclarations>) -> bool {
    is_hidden_by_attribute(element) || claimed.as_ref().is_some_and(ElementDeclarations::says_so)
}

fn is_hidden_by_attribute(element: &Element) -> bool {
    element.attrs.iter().any(|attribute| match attribute.name.local.as_ref() {
        "hidden" => true,
        "aria-hidden" => attribute.value.trim().eq_ignore_ascii_case("true"),
        _ => false,
    })
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
            let own = element.attrs.iter().find(|attribute| &*attribute.name.local == "style");
            let own = own.map(|attribute| claims(&attribute.value)).unwrap_or_default();
            own.into_iter().enumerate().for_each(|(order, claim)| claimed.add(claim, OWN, order));
            let look = Look::of_page(true).within(element.name.local.as_ref(), &claimed);
            is_hidden_by_attribute(&element)
                || claimed.unseen().is_some()
                || look.is_tiny()
                || look.contrast() == Contrast::None
        })
    })
}

/// The rules of a page's style sheets.
#[derive(Default)]
struct StyleSheets {
    rules: Vec<Rule>,
    /// Rules by a word that their element must have: `#id`, otherwise `.class`, otherwise the tag.
    by_word: BTreeMap<String, Vec<usize>>,
    comparisons_left: Cell<usize>,
    /// Whether there are style sheets that were not read.
    has_foreign: bool,
    /// Whether the page may be shown in light text on a dark background.
    may_be_dark: bool,
}

impl StyleSheets {
    fn from_document(document: &Document) -> Self {
        let mut css = String::new();
        let mut has_foreign = document.select("link[rel~=stylesheet]").exists();
        for node in document.select("style").nodes() {
            let is_screen = |media: &str| css::is_for_screens(media) == Some(true);
            let text = node.text();
            if node.attr("media").is_none_or(|media| is_screen(&media))
                && !node.ancestors_it(None).any(|above| above.element_ref().is_some_and(|e| is_inert(&e)))
                && css.len() + text.len() <= MAX_SHEET_BYTES
            {
                css.push_str(&text);
                css.push('\n');
            } else {
                has_foreign = true;
            }
        }
        has_foreign |= css.contains("@import");
        let may_be_dark = css.contains("color-scheme") || document.select("meta[name=color-scheme]").exists();
        let rules = css::rules(&css);
        let mut by_word: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, rule) in rules.iter().enumerate() {
            by_word.entry(word(rule)).or_default().push(at);
        }
        Self { rules, by_word, comparisons_left: Cell::new(MAX_COMPARISONS), has_foreign, may_be_dark }
    }

    /// Adds the declarations of the rules that select an element: important ones beat others, then more specific ones, then later ones.
    fn claim(&self, element: &Element, node: &NodeRef<'_>, claimed: &mut ElementDeclarations) {
        if self.rules.is_empty() {
            return;
        }
        let candidates = words(element).into_iter().filter_map(|word| self.by_word.get(&word)).flatten();
        for &at in candidates {
            let rule = &self.rules[at];
            if self.selects(rule, element, node) {
                let [ids, classes, tags] = rule.specificity();
                rule.claims.iter().for_each(|claim| claimed.add(*claim, [0, ids, classes, tags], at));
            }
        }
    }

    fn selects(&self, rule: &Rule, element: &Element, node: &NodeRef<'_>) -> bool {
        let Some((subject, within)) = rule.selector.split_last() else { return false };
        if !self.is(subject, element) {
            return false;
        }
        let mut missing = within.iter().rev().peekable();
        for above in node.ancestors_it(None) {
            let Some(next) = missing.peek() else { return true };
            if above.element_ref().is_some_and(|element| self.is(next, &element)) {
                missing.next();
            }
        }
        missing.peek().is_none()
    }

    /// Whether an element matches a part of a selector; false once the comparisons of the page are used up.
    fn is(&self, part: &Compound, element: &Element) -> bool {
        let bears = |name: &str, wanted: &[String]| {
            let value = if wanted.is_empty() { "" } else { attribute(element, name) };
            self.may_compare(wanted.len() * (value.len() / SHORT))
                && wanted.iter().all(|wanted| value.split_ascii_whitespace().any(|word| word == wanted))
        };
        self.may_compare(1)
            && part.tag.as_deref().is_none_or(|tag| *tag == *element.name.local)
            && bears("id", &part.ids)
            && bears("class", &part.classes)
    }

    fn may_compare(&self, times: usize) -> bool {
        let left = self.comparisons_left.get().checked_sub(times);
        self.comparisons_left.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Whether style sheets inside the element do not apply.
fn is_inert(element: &Element) -> bool {
    matches!(element.name.local.as_ref(), "noscript" | "template" | "svg")
}

fn word(rule: &Rule) -> String {
    let subject = rule.selector.last();
    let id = subject.and_then(|s| s.ids.first()).map(|id| format!("#{id}"));
    let class = || subject.and_then(|s| s.classes.first()).map(|class| format!(".{class}"));
    id.or_else(class).or_else(|| subject.and_then(|s| s.tag.clone())).unwrap_or_default()
}

fn words(element: &Element) -> Vec<String> {
    let mut words = vec![element.name.local.to_string()];
    words.extend(attribute(element, "id").split_ascii_whitespace().map(|id| format!("#{id}")));
    words.extend(attribute(element, "class").split_ascii_whitespace().map(|class| format!(".{class}")));
    words.sort_unstable();
    words.dedup();
    words
}

fn attribute<'e>(element: &'e Element, name: &str) -> &'e str {
    let found = element.attrs.iter().find(|attribute| *attribute.name.local == *name);
    found.map_or("", |attribute| attribute.value.as_ref())
}

#[cfg(test)]
mod tests {
    use super::super::walk;
    use super::*;

    fn shown(source: &str) -> String {
        let document = Document::from(source);
        prune(&document, HidingBelief::All);
        let (leaves, _) = walk::leaves(&document.root(), false);
        precis_text::CanonicalText::from_leaves(&leaves).as_str().to_owned()
    }

    #[test]
    fn what_a_style_sheet_hides_is_left_out() {
        for (css, body) in [
            (".a{display:none}", "<p class='b a'>gone</p>"),
            ("#a{visibility:hidden}", "<p id=a>gone</p>"),
            ("aside{display:none}", "<aside><p>gone</p></aside>"),
            ("p.a.b{display:none}", "<p class='b c a'>gone</p>"),
            ("#out .a{display:none}", "<div id=out><div><i class=a>gone</i></div></div>"),
            (".a{display:none!important}", "<p class=a style='display:block'>gone</p>"),
            (".a{display:block}.a{display:none}", "<p class=a>gone</p>"),
            (".a{display:none}p{display:block}", "<p class=a>gone</p>"),
        ] {
            assert_eq!(shown(&format!("<style>{css}</style>kept {body}")), "kept", "{css}");
        }
        assert_eq!(shown("kept<i class=a>gone</i><style>.a{display:none}</style>"), "kept");
    }

    #[test]
    fn what_another_rule_shows_again_is_kept() {
        for (css, body) in [
            (".a{display:none}.a.on{display:block}", "<p class='a on'>kept</p>"),
            (".a{display:none}#b{display:block}", "<p id=b class=a>kept</p>"),
            (".a{display:none}.out .a{display:block}", "<div class=out><p class=a>kept</p></div>"),
            (".a{display:none}@media (min-width:9px){.a{display:block}}", "<p class=a>kept</p>"),
            (".a{display:none}", "<p class=a style='display:block'>kept</p>"),
            (".a{display:block!important}#b{display:none}", "<p id=b class=a>kept</p>"),
            ("html,body{display:none}", "<p>kept</p>"),
            (".A{display:none}", "<p class=a>kept</p>"),
        ] {
            assert_eq!(shown(&format!("<style>{css}</style><p>{body}")), "kept", "{css}");
        }
        for around in ["<noscript>|</noscript>", "<template>|</template>", "<svg>|</svg>"] {
            let sheet = around.replace('|', "<style>.a{display:none}</style>");
            assert_eq!(shown(&format!("<body>{sheet}<p class=a>kept</p>")), "kept", "{around}");
        }
        assert_eq!(shown("<style media=print>.a{display:none}</style><p class=a>kept</p>"), "kept");
    }

    #[test]
    fn the_work_on_hostile_sheets_is_bounded() {
        let css: String = (0..5_000).map(|n| format!("b b b b .a{n}, .b .a{{display:none}}")).collect();
        let body = format!("{}<p>kept</p>", "<b>".repeat(400) + &"<i class=a>x</i>".repeat(2_000));
        assert!(shown(&format!("<style>{css}</style>{body}")).ends_with("kept"));
    }

    #[test]
    fn sheets_of_a_page_are_read_up_to_a_size() {
        for (bytes, is_read) in [(MAX_SHEET_BYTES - 1, true), (MAX_SHEET_BYTES, true), (MAX_SHEET_BYTES + 1, false)] {
            let rule = ".a{display:none}";
            let css = format!("{rule}{}", " ".repeat(bytes - rule.len()));
            let want = if is_read { "kept" } else { "kept gone" };
            assert_eq!(shown(&format!("<style>{css}</style>kept <i class=a>gone</i>")), want, "{bytes}");
        }
    }
}

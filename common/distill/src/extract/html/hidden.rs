//! Removal of what a page does not show: elements without rendered text, and elements hidden from the reader by an attribute, their own
//! style or the page's style sheets. Sheets elsewhere are not fetched, so what they hide is not known.

use std::cell::Cell;
use std::collections::BTreeMap;

use dom_query::{Document, Element, NodeRef};

use super::css::{self, Claim, Claims, Compound, MAX_SHEET_BYTES, Rule};

/// Elements whose content is no text of the page.
const UNRENDERED: [&str; 19] = [
    "head", "script", "style", "template", "noscript", "noframes", "iframe", "object", "embed", "applet", "svg",
    "canvas", "audio", "video", "datalist", "map", "frameset", "rp", "title",
];
/// Most work of comparing elements with parts of selectors for one page, in comparisons of short names; elements behind it are judged by
/// their own attributes.
const MAX_COMPARISONS: usize = 5_000_000;
/// Bytes of a list of names that are compared as fast as one short name.
const SHORT: usize = 64;

/// Removes unrendered and hidden elements and comments from `document`, without regard to its style sheets.
pub(super) fn prune(document: &Document) {
    remove(document, |element, _| is_hidden(element, Claims::default()));
}

/// As [`prune`], and also what the style sheets of `document` hide.
pub(super) fn prune_with_sheets(document: &Document) {
    let sheets = Sheets::of(document);
    remove(document, |element, node| is_hidden(element, sheets.claims(element, node)));
}

fn remove(document: &Document, is_hidden: impl Fn(&Element, &NodeRef<'_>) -> bool) {
    let is_unseen = |node: &NodeRef<'_>| {
        node.is_comment()
            || node.element_ref().is_some_and(|element| is_unrendered(&element) || is_hidden(&element, node))
    };
    let doomed: Vec<NodeRef<'_>> = document.root().descendants_it().filter(is_unseen).collect();
    doomed.iter().for_each(NodeRef::remove_from_parent);
}

fn is_unrendered(element: &Element) -> bool {
    UNRENDERED.contains(&element.name.local.as_ref())
}

/// Whether an element of `document` hides itself.
pub(super) fn hides_its_content(document: &Document) -> bool {
    document
        .root()
        .descendants_it()
        .any(|node| node.element_ref().is_some_and(|element| is_hidden(&element, Claims::default())))
}

/// Whether the element is hidden by attribute, by its own style, or by what the `sheets` claim. The root and the body are so only until a
/// script has run.
fn is_hidden(element: &Element, sheets: Claims) -> bool {
    if matches!(element.name.local.as_ref(), "html" | "body") {
        return false;
    }
    let mut own = Claims::default();
    for attribute in &element.attrs {
        let value = attribute.value.as_ref();
        match attribute.name.local.as_ref() {
            "hidden" => return true,
            "aria-hidden" if value.trim().eq_ignore_ascii_case("true") => return true,
            "style" => own = css::claims(value),
            _ => {}
        }
    }
    hides(own.display, sheets.display) || hides(own.visibility, sheets.visibility)
}

/// An element's own style beats a sheet, unless only the sheet insists.
fn hides(own: Option<Claim>, sheet: Option<Claim>) -> bool {
    let (own, sheet) = match (own, sheet) {
        (Some(own), Some(sheet)) if sheet.is_important && !own.is_important => (None, Some(sheet)),
        both => both,
    };
    own.or(sheet).is_some_and(|claim| claim.hides)
}

/// What decides between two claims on an element: whether it is important, how specific its rule is, and how late.
type Strength = (bool, [usize; 3], usize);

/// The rules of a page's style sheets.
struct Sheets {
    rules: Vec<Rule>,
    /// Rules by a word their element must bear: `#id`, else `.class`, else its tag.
    by_word: BTreeMap<String, Vec<usize>>,
    comparisons_left: Cell<usize>,
}

impl Sheets {
    fn of(document: &Document) -> Self {
        let mut css = String::new();
        for node in document.select("style").nodes() {
            let is_screen = |media: &str| css::is_for_screens(media) == Some(true);
            let text = node.text();
            if node.attr("media").is_none_or(|media| is_screen(&media))
                && !node.ancestors_it(None).any(|above| above.element_ref().is_some_and(|e| is_inert(&e)))
                && css.len() + text.len() <= MAX_SHEET_BYTES
            {
                css.push_str(&text);
                css.push('\n');
            }
        }
        let rules = css::rules(&css);
        let mut by_word: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, rule) in rules.iter().enumerate() {
            by_word.entry(word(rule)).or_default().push(at);
        }
        Self { rules, by_word, comparisons_left: Cell::new(MAX_COMPARISONS) }
    }

    /// The strongest claims on an element: the important before the others, then the more specific, then the later.
    fn claims(&self, element: &Element, node: &NodeRef<'_>) -> Claims {
        let mut best: [Option<(Strength, Claim)>; 2] = [None; 2];
        if self.rules.is_empty() {
            return Claims::default();
        }
        let candidates = words(element).into_iter().filter_map(|word| self.by_word.get(&word)).flatten();
        for &at in candidates {
            let rule = &self.rules[at];
            if !self.selects(rule, element, node) {
                continue;
            }
            for (best, claim) in best.iter_mut().zip([rule.claims.display, rule.claims.visibility]) {
                let Some(claim) = claim else { continue };
                let strength = (claim.is_important, rule.specificity(), at);
                if best.is_none_or(|(before, _)| before <= strength) {
                    *best = Some((strength, claim));
                }
            }
        }
        let [display, visibility] = best.map(|best| best.map(|(_, claim)| claim));
        Claims { display, visibility }
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

    /// Whether an element is what a part of a selector says; false once the page has had its share of comparisons.
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

/// Elements whose style sheets do not apply.
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
        prune_with_sheets(&document);
        crate::text::normalize(&walk::text(&document.root()))
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

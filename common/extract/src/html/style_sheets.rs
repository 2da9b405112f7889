//! The style sheets of a page: which of their rules select an element, and how strongly.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use dom_query::{Document, Element, NodeRef};

use super::css::{self, MAX_SHEET_BYTES, Rule};
use super::declarations::MatchedClaims;
use super::generated::{GENERATED_PLACES, GeneratedRule};
use super::selector::Selector;
use super::selector_match::{ComparisonsLeft, attribute};
use super::unapplied::Unapplied;

/// Most comparisons of elements with parts of selectors for one page, each of short names; later elements are judged by their own
/// attributes alone. Chosen: 1 MB of rules and 100,000 elements take less than two seconds, and a large site's page needs under a million.
const MAX_COMPARISONS: usize = 5_000_000;

/// The rules of a page's style sheets.
pub(super) struct StyleSheets {
    rules: Vec<Rule>,
    /// Rules by a word that their element must have: `#id`, otherwise `.class`, `[attribute`, the tag, or `*`.
    by_word: BTreeMap<String, Vec<usize>>,
    /// The rules that write texts, and the same for them.
    generated: Vec<Rc<GeneratedRule>>,
    generated_by_word: BTreeMap<String, Vec<usize>>,
    /// Whether one of them has a number of a counter.
    pub(super) has_counters: bool,
    left: ComparisonsLeft,
    rules_left_out: u64,
    elements_unjudged: Cell<u64>,
    /// Whether there are style sheets that were not read.
    pub(super) has_foreign: bool,
    /// Whether the page may be shown in light text on a dark background.
    pub(super) may_be_dark: bool,
}

/// Decides between two texts for one place: importance, specificity of the selector, then order.
type GeneratedStrength = (bool, [usize; 3], usize);

impl Default for StyleSheets {
    fn default() -> Self {
        Self::new("", false, false)
    }
}

impl StyleSheets {
    pub(super) fn from_document(document: &Document) -> Self {
        let mut css = String::new();
        let mut has_foreign = document.select("link[rel~=stylesheet]").exists();
        let mut cut = 0;
        for node in document.select("style").nodes() {
            let is_screen = |media: &str| css::is_for_screens(media) == Some(true);
            let is_read = node.attr("media").is_none_or(|media| is_screen(&media))
                && !node.ancestors_it(None).any(|above| above.element_ref().is_some_and(|e| is_inert(&e)));
            if !is_read {
                has_foreign = true;
                continue;
            }
            let text = node.text();
            let (read, rest) = whole_rules(&text, MAX_SHEET_BYTES - css.len().min(MAX_SHEET_BYTES));
            has_foreign |= !rest.is_empty();
            cut += rest.matches('{').count() as u64;
            css.push_str(read);
            css.push('\n');
        }
        has_foreign |= css.contains("@import");
        let may_be_dark = css.contains("color-scheme") || document.select("meta[name=color-scheme]").exists();
        let mut sheets = Self::new(&css, has_foreign, may_be_dark);
        sheets.rules_left_out += cut;
        sheets
    }

    fn new(css: &str, has_foreign: bool, may_be_dark: bool) -> Self {
        let rules = css::rules(css);
        let by_word = by_word(rules.kept.iter().map(|rule| &rule.selector));
        let generated_by_word = self::by_word(rules.generated.iter().map(|rule| &rule.selector));
        Self {
            rules: rules.kept,
            by_word,
            has_counters: rules.generated.iter().any(|rule| rule.content.counts()),
            generated: rules.generated.into_iter().map(Rc::new).collect(),
            generated_by_word,
            left: ComparisonsLeft(Cell::new(MAX_COMPARISONS)),
            rules_left_out: rules.left_out,
            elements_unjudged: Cell::new(0),
            has_foreign,
            may_be_dark,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The work that is left for this page.
    pub(super) fn steps_left(&self) -> &Cell<usize> {
        &self.left.0
    }

    /// What was not applied of the page's style sheets so far.
    pub(super) fn unapplied_parts(&self) -> Unapplied {
        Unapplied { rules: self.rules_left_out, elements: self.elements_unjudged.get() }
    }

    /// The declarations of the rules that select an element, in no particular order; none once the work for the page is used up.
    pub(super) fn claims(&self, element: &Element, node: &NodeRef<'_>) -> Vec<MatchedClaims<'_>> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let words = words(element);
        let mut claims = Vec::new();
        for &at in words.iter().filter_map(|word| self.by_word.get(word)).flatten() {
            if self.left.0.get() == 0 {
                break;
            }
            let rule = &self.rules[at];
            if self.left.selects(&rule.selector, element, node) {
                let [ids, classes, tags] = rule.selector.specificity();
                claims.push((&*rule.claims, [0, ids, classes, tags], at));
            }
        }
        if self.left.0.get() == 0 {
            self.elements_unjudged.set(self.elements_unjudged.get() + 1);
            claims.clear();
        }
        claims
    }

    /// The rules that write the texts of an element: the strongest for each place.
    pub(super) fn generated_rules(
        &self,
        element: &Element,
        node: &NodeRef<'_>,
    ) -> [Option<&Rc<GeneratedRule>>; GENERATED_PLACES] {
        let mut best: [Option<(GeneratedStrength, &Rc<GeneratedRule>)>; GENERATED_PLACES] = [None; GENERATED_PLACES];
        if self.generated.is_empty() {
            return [None; GENERATED_PLACES];
        }
        for &at in words(element).iter().filter_map(|word| self.generated_by_word.get(word)).flatten() {
            let rule = &self.generated[at];
            if self.left.0.get() > 0 && self.left.selects(&rule.selector, element, node) {
                let strength = (rule.is_important, rule.selector.specificity(), at);
                let best = &mut best[rule.place as usize];
                if best.is_none_or(|(before, _)| before <= strength) {
                    *best = Some((strength, rule));
                }
            }
        }
        best.map(|found| found.map(|(_, rule)| rule))
    }
}

/// The numbers of `selectors` by the word that their element must have.
fn by_word<'s>(selectors: impl Iterator<Item = &'s Selector>) -> BTreeMap<String, Vec<usize>> {
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, selector) in selectors.enumerate() {
        found.entry(word(selector)).or_default().push(at);
    }
    found
}

/// `css` up to the last rule that ends within `limit` bytes, and the rest.
fn whole_rules(css: &str, limit: usize) -> (&str, &str) {
    if css.len() <= limit {
        return (css, "");
    }
    let end = css.as_bytes()[..limit].iter().rposition(|byte| *byte == b'}').map_or(0, |at| at + 1);
    css.split_at(end)
}

/// Whether the content of an element is no part of the page.
fn is_inert(element: &Element) -> bool {
    matches!(element.name.local.as_ref(), "noscript" | "template" | "svg")
}

fn word(selector: &Selector) -> String {
    let subject = &selector.subject;
    let id = subject.ids.first().map(|id| format!("#{id}"));
    let class = || subject.classes.first().map(|class| format!(".{class}"));
    let attribute = || subject.attributes.first().map(|test| format!("[{}", test.name));
    id.or_else(class).or_else(attribute).or_else(|| subject.tag.clone()).unwrap_or_else(|| "*".to_owned())
}

fn words(element: &Element) -> Vec<String> {
    let mut words = vec!["*".to_owned(), element.name.local.to_string()];
    words.extend(attribute(element, "id").split_ascii_whitespace().map(|id| format!("#{id}")));
    words.extend(attribute(element, "class").split_ascii_whitespace().map(|class| format!(".{class}")));
    words.extend(element.attrs.iter().map(|attribute| format!("[{}", attribute.name.local)));
    words.sort_unstable();
    words.dedup();
    words
}

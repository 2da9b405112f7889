//! [`Removal`]: takes elements out of a page. What its elements hold is found once, upwards from what is held: a page nests as it likes.

use std::collections::{HashMap, HashSet};

use dom_query::{Document, NodeId, NodeRef};

use super::text_sizes::{TextSize, TextSizes};

/// What a page marks as its content is not around it.
const CONTENT: &str = "html, body, main, article, [role=main], h1";

/// Most main headings by which a page marks its content.
const MAX_HEADINGS: usize = 20;

/// What an element may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// What the page marks as its content. Comments are often articles of their own, so an article inside is no sign.
    Content,
    Article,
    /// A control that answers a banner. A link to a place of the page is none: a note is one too.
    Control,
    /// A picture or a film.
    Picture,
    /// A `main` element.
    Main,
}

/// A page from which elements are removed.
pub(super) struct Removal {
    holders: [HashSet<NodeId>; 5],
    /// Elements with all main headings of the page in them.
    around_main_headings: HashSet<NodeId>,
    removed: HashSet<NodeId>,
    sizes: TextSizes,
}

impl Removal {
    pub(super) fn new(document: &Document) -> Self {
        let held = [
            (Held::Content, "main, [role=main], h1"),
            (Held::Article, "article"),
            (Held::Control, "button, input, [role=button], a[href='#']"),
            (Held::Picture, "img, picture, video, audio, iframe, svg, amp-img, object"),
            (Held::Main, "main, [role=main]"),
        ];
        let mut holders = [HashSet::new(), HashSet::new(), HashSet::new(), HashSet::new(), HashSet::new()];
        for (what, selector) in held {
            let found = &mut holders[what as usize];
            for node in document.select(selector).nodes() {
                for above in node.ancestors_it(None) {
                    if !found.insert(above.id) {
                        break;
                    }
                }
            }
        }
        let around_main_headings = around_all(document.select("h1").nodes());
        Self { holders, around_main_headings, removed: HashSet::new(), sizes: TextSizes::of(document) }
    }

    pub(super) fn holds(&self, node: &NodeRef<'_>, what: Held) -> bool {
        self.holders[what as usize].contains(&node.id)
    }

    /// Whether `node` is what the page marks as content, or holds it.
    pub(super) fn is_content(&self, node: &NodeRef<'_>) -> bool {
        node.is(CONTENT) || self.holds(node, Held::Content)
    }

    /// Whether `node` is or holds what the page marks as its content, or all of its main headings: side columns may have some, too.
    pub(super) fn is_content_alone(&self, node: &NodeRef<'_>) -> bool {
        node.is("html, body, main, [role=main], h1")
            || self.holds(node, Held::Main)
            || self.around_main_headings.contains(&node.id)
    }

    pub(super) fn size(&self, node: &NodeRef<'_>) -> TextSize {
        self.sizes.of_node(node)
    }

    /// Characters of the whole page, without white space.
    pub(super) fn all(&self) -> usize {
        self.sizes.all()
    }

    /// Whether `node` has at most one in `share` characters of the page.
    pub(super) fn is_small(&self, node: &NodeRef<'_>, share: usize) -> bool {
        self.size(node).chars.saturating_mul(share) <= self.sizes.all()
    }

    pub(super) fn is_gone(&self, node: &NodeRef<'_>) -> bool {
        let removed = &self.removed;
        !removed.is_empty()
            && (removed.contains(&node.id) || node.ancestors_it(None).any(|above| removed.contains(&above.id)))
    }

    /// Removes `node` if it is still there and `is_meant`; returns its characters without white space.
    pub(super) fn remove_if(&mut self, node: &NodeRef<'_>, is_meant: bool) -> usize {
        if !is_meant || self.is_gone(node) {
            return 0;
        }
        self.removed.insert(node.id);
        node.remove_from_parent();
        self.size(node).chars
    }
}

/// The elements around all of `nodes`.
fn around_all(nodes: &[NodeRef<'_>]) -> HashSet<NodeId> {
    let mut counts: HashMap<NodeId, usize> = HashMap::new();
    // Bounded: a page with thousands of main headings, each deep within others, marks nothing with them.
    for node in nodes.iter().take(MAX_HEADINGS) {
        node.ancestors_it(None).for_each(|above| *counts.entry(above.id).or_default() += 1);
    }
    counts.into_iter().filter(|(_, count)| *count == nodes.len()).map(|(id, _)| id).collect()
}

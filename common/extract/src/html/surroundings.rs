//! What stands around an article and is told by its markup: readers' comments, consent banners and other dialogs, forms to log in, and
//! what publishing systems put above and below an article.

use std::collections::HashSet;

use dom_query::{Document, NodeId, NodeRef};

/// Classes that publishing systems use for the surroundings of an article: dates and categories, buttons, related posts, its author.
const SMALL: &str = ".postmetadata, .post-meta, .entry-meta, .post-info, .article-info, .entry-footer, .post-footer, \
     .sharedaddy, .jp-relatedposts, .addtoany_share_save_container, .robots-nocontent, .author-box, .author-bio, .about-author, \
     .post-author-box, .share-buttons, .social-share, .yarpp-related, .related-posts, .newsletter-signup";
/// An element with more than one in this many characters of the page is content, whatever its class is.
const SMALL_SHARE: usize = 10;
/// Readers' comments: the names that publishing systems give them, and schema.org's.
const COMMENTS: &str = "#comments, .comments, #comment-list, .comment-list, .commentlist, .comments-area, .comments-section, \
     #comments-section, .comment-section, .comment-respond, #respond, #disqus_thread, [itemtype$='schema.org/Comment'], \
     [itemprop=comment]";
/// Dialogs lie above the page.
const DIALOGS: &str = "dialog, [role=dialog], [role=alertdialog], [aria-modal=true]";
/// Fields, buttons and links of a form with a password, which is for those who have an account.
const LOGIN_FIELDS: &str = "form:has(input[type=password]) :is(label, legend, input, button, a)";
/// Parts of names that a banner for consent has.
const CONSENT: [&str; 4] = ["cookie", "cookies", "consent", "gdpr"];
/// Parts of names that the edges of a page have, where they are plain boxes instead of elements made for that.
const EDGES: [&str; 10] = [
    "footer",
    "sidebar",
    "newsletter",
    "copyright",
    "breadcrumb",
    "breadcrumbs",
    "related",
    "banner",
    "teaser",
    "teasers",
];
/// What a page marks as its content is not around it.
const CONTENT: &str = "html, body, main, article, [role=main], h1";

/// Numbers of characters removed, without white space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RemovedSurroundings {
    /// Of readers' comments.
    pub(crate) comments: usize,
    /// Of dialogs, banners, forms to log in, and what publishing systems put around an article.
    pub(crate) others: usize,
}

/// Removes the surroundings from `document`, whose full text has `page_chars` characters.
pub(super) fn remove(document: &Document, page_chars: usize) -> RemovedSurroundings {
    let (mut page, most) = (Removal::new(document), page_chars / SMALL_SHARE);
    let is_small = |node: &NodeRef<'_>| node.text().chars().take(most + 1).count() <= most;
    let mut removed = RemovedSurroundings::default();
    for node in document.select(SMALL).nodes() {
        removed.others += page.remove_if(node, is_small);
    }
    for node in document.select(COMMENTS).nodes() {
        let is_content = page.is_content(node);
        removed.comments += page.remove_if(node, |_| !is_content);
    }
    for node in document.select(DIALOGS).nodes() {
        let is_content = page.is_content(node);
        removed.others += page.remove_if(node, |_| !is_content);
    }
    // What a form says stays: it may say until when to register.
    for node in document.select(LOGIN_FIELDS).nodes() {
        removed.others += page.remove_if(node, |_| true);
    }
    for node in document.select("[id], [class]").nodes().iter().filter(|node| is_named(node, &CONSENT)) {
        let asks = page.holds(node, Held::Control) && !page.holds(node, Held::Article) && !page.is_content(node);
        removed.others += page.remove_if(node, |node| asks && is_small(node));
    }
    removed
}

/// Removes what is named as an edge of the page.
pub(super) fn remove_edges(document: &Document) {
    let mut page = Removal::new(document);
    for node in document.select("[id], [class]").nodes().iter().filter(|node| is_named(node, &EDGES)) {
        let is_content = page.is_content(node);
        page.remove_if(node, |_| !is_content);
    }
}

/// What an element may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// What the page marks as its content. Comments are often articles of their own, so an article inside is no sign.
    Content,
    Article,
    /// A control that answers a banner. A link to a place of the page is none: a note is one too.
    Control,
}

/// A page from which elements are removed. What its elements hold is found once, upwards from what is held: a page nests as it likes.
struct Removal {
    holders: [HashSet<NodeId>; 3],
    removed: HashSet<NodeId>,
}

impl Removal {
    fn new(document: &Document) -> Self {
        let held = [
            (Held::Content, "main, [role=main], h1"),
            (Held::Article, "article"),
            (Held::Control, "button, input, [role=button], a[href='#']"),
        ];
        let mut holders = [HashSet::new(), HashSet::new(), HashSet::new()];
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
        Self { holders, removed: HashSet::new() }
    }

    fn holds(&self, node: &NodeRef<'_>, what: Held) -> bool {
        self.holders[what as usize].contains(&node.id)
    }

    /// Whether `node` is what the page marks as content, or holds it.
    fn is_content(&self, node: &NodeRef<'_>) -> bool {
        node.is(CONTENT) || self.holds(node, Held::Content)
    }

    /// Removes `node` if it is still there and `is_meant`; returns its characters without white space.
    fn remove_if(&mut self, node: &NodeRef<'_>, is_meant: impl Fn(&NodeRef<'_>) -> bool) -> usize {
        let is_gone =
            self.removed.contains(&node.id) || node.ancestors_it(None).any(|above| self.removed.contains(&above.id));
        if is_gone || !is_meant(node) {
            return 0;
        }
        self.removed.insert(node.id);
        let chars = node.text().chars().filter(|c| !c.is_whitespace()).count();
        node.remove_from_parent();
        chars
    }
}

/// Whether the id or a class of `node` has one of the `words` as a part.
fn is_named(node: &NodeRef<'_>, words: &[&str]) -> bool {
    ["id", "class"].into_iter().filter_map(|name| node.attr(name)).any(|names| {
        let mut parts = names.split(|c: char| !c.is_ascii_alphanumeric());
        parts.any(|part| words.contains(&part.to_ascii_lowercase().as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_boxes_of_a_name_cost_little() {
        let nested = "<div class='cookie comments'>".repeat(200) + &"<b>a</b>".repeat(20_000);
        let document = Document::from(format!("<body><p>{}</p>{nested}", "kept ".repeat(9_000)));
        let begun = std::time::Instant::now();
        assert_eq!(remove(&document, 65_000).comments, 20_000);
        eprintln!("nested boxes: {:.2} s", begun.elapsed().as_secs_f64());
    }

    fn left(body: &str) -> String {
        let document = Document::from(format!("<body>{body}<p>kept</p>"));
        remove(&document, 1_000);
        document.select("body").text().to_string()
    }

    #[test]
    fn what_is_marked_as_surrounding_an_article_is_removed() {
        for around in [
            "<section class=comments>gone</section>",
            "<div id=comments><article>gone</article></div>",
            "<div itemscope itemtype='https://schema.org/Comment'>gone</div>",
            "<div role=dialog><h2>gone</h2></div>",
            "<form><label>gone <input type=password></label><a href=x>gone</a></form>",
            "<div id=cookie-notice>gone<button>OK</button></div>",
            "<div class='x gdpr_bar'>gone<a href='#'>OK</a></div>",
        ] {
            assert_eq!(left(around), "kept", "{around}");
        }
    }

    #[test]
    fn what_only_bears_such_a_name_is_kept() {
        for content in [
            "<main class=comments>content </main>",
            "<div class=comments><h1>content </h1></div>",
            "<div class=cookie-recipe>content </div>",
            "<div class=cookies><h1>content </h1><button></button></div>",
            "<form>content <input type=search></form>",
            "<form><p>content </p><input type=password></form>",
            "<section class=consent-form>content <a href='#fn1'>1</a> </section>",
        ] {
            assert_eq!(left(content).replace("1 ", ""), "content kept", "{content}");
        }
    }
}

//! What stands around an article and is told by its markup: readers' comments, consent banners and other dialogs, forms to log in, and
//! what publishing systems put above and below an article.

use dom_query::{Document, NodeRef};

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
/// Dialogs lie above the page; a form with a password is for those who have an account.
const APART: &str = "dialog, [role=dialog], [role=alertdialog], [aria-modal=true], form:has(input[type=password])";
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

/// Removes the surroundings from `document`, whose full text has `page_chars` characters; returns the number of characters of readers'
/// comments, without white space.
pub(super) fn remove(document: &Document, page_chars: usize) -> usize {
    for node in document.select(SMALL).nodes() {
        let most = page_chars / SMALL_SHARE;
        if node.text().chars().take(most + 1).count() <= most {
            node.remove_from_parent();
        }
    }
    let mut comments = 0;
    for node in document.select(COMMENTS).nodes().iter().filter(|node| !is_content(node)) {
        comments += node.text().chars().filter(|c| !c.is_whitespace()).count();
        node.remove_from_parent();
    }
    for node in document.select(APART).nodes().iter().filter(|node| !is_content(node)) {
        node.remove_from_parent();
    }
    for node in document.select("[id], [class]").nodes().iter().filter(|node| asks_for_consent(node)) {
        node.remove_from_parent();
    }
    comments
}

/// Whether `node` is what the page marks as content, or holds it. Comments are often articles of their own, so an article inside is no sign.
fn is_content(node: &NodeRef<'_>) -> bool {
    node.is(CONTENT) || node.descendants_it().any(|inside| inside.is("main, [role=main], h1"))
}

/// Removes what is named as an edge of the page.
pub(super) fn remove_edges(document: &Document) {
    for node in document.select("[id], [class]").nodes() {
        if is_named(node, &EDGES) && !is_content(node) {
            node.remove_from_parent();
        }
    }
}

/// Whether the id or a class of `node` has one of the `words` as a part.
fn is_named(node: &NodeRef<'_>, words: &[&str]) -> bool {
    ["id", "class"].into_iter().filter_map(|name| node.attr(name)).any(|names| {
        let mut parts = names.split(|c: char| !c.is_ascii_alphanumeric());
        parts.any(|part| words.contains(&part.to_ascii_lowercase().as_str()))
    })
}

fn asks_for_consent(node: &NodeRef<'_>) -> bool {
    is_named(node, &CONSENT)
        && !is_content(node)
        && node.descendants_it().any(|inside| inside.is("button, input, a[href^='#'], [role=button]"))
        && !node.descendants_it().any(|inside| inside.is("article"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "<form>gone<input type=password></form>",
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
        ] {
            assert_eq!(left(content), "content kept", "{content}");
        }
    }
}

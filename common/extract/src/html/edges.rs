//! What the names of its boxes tell to be around an article: footers, side columns, teasers, buttons to share, boxes about its author.

use dom_query::{Document, NodeRef};

use super::element_names::is_named;
use super::removal::Removal;
use super::text_sizes::TextSize;

/// Parts of names that the edges of a page have, where they are plain boxes instead of elements made for that.
const EDGES: [&str; 11] = [
    "footer",
    "sidebar",
    "newsletter",
    "copyright",
    "breadcrumb",
    "breadcrumbs",
    "related",
    "banner",
    "widget-area",
    "pagination",
    "pager",
];
/// Parts of names of boxes with links to other articles; the same names are given to the first sentences of an article.
const TEASERS: [&str; 9] = [
    "teaser",
    "teasers",
    "recommended",
    "recommendation",
    "recommendations",
    "similar",
    "suggestion",
    "suggestions",
    "read-also",
];
/// Parts of names of small boxes in and around an article. Larger ones are content, whatever they are called.
const BOXES: [&str; 29] = [
    "signup",
    "subscribe",
    "subscription",
    "paywall",
    "promo",
    "promotion",
    "promoted",
    "sponsored",
    "advertisement",
    "advert",
    "adverts",
    "comments",
    "comment",
    "kommentare",
    "kommentar",
    "author-bio",
    "author-box",
    "author-info",
    "author-card",
    "author-description",
    "about-author",
    "affiliate",
    "donate",
    "donation",
    "cta",
    "likes",
    "post-footer",
    "citate",
    "outbrain",
];
/// Parts of names of lines with buttons, names and numbers.
const STRIPS: [&str; 31] = [
    "share",
    "sharing",
    "social",
    "sharer",
    "login",
    "read-more",
    "readmore",
    "see-also",
    "also-read",
    "view-more",
    "more-topics",
    "tags",
    "tag-list",
    "taglist",
    "tagcloud",
    "byline",
    "authors",
    "rating",
    "ratings",
    "ratingcontainer",
    "post-ratings",
    "next-prev",
    "prev-next",
    "nextpost",
    "prevpost",
    "post-navigation",
    "entry-utility",
    "article-footer",
    "article-meta",
    "reading-time",
    "categories",
];
/// A box with more than one in this many characters of the page is content.
const BOX_SHARE: usize = 5;
/// Most characters of a strip that are not links; one with more says something.
const MAX_STRIP_CHARS: usize = 150;

/// Removes the edges and boxes of `document`; returns their characters without white space.
pub(super) fn remove(document: &Document) -> usize {
    let mut page = Removal::new(document);
    let mut removed = 0;
    for node in document.select("[id], [class]").nodes() {
        let is_content = page.is_content_alone(node) || (node.has_name("article") && !page.is_small(node, BOX_SHARE));
        let is_meant = !is_content && is_edge(&page, node);
        removed += page.remove_if(node, is_meant);
    }
    removed
}

fn is_edge(page: &Removal, node: &NodeRef<'_>) -> bool {
    let TextSize { chars, linked } = page.size(node);
    let is_small = page.is_small(node, BOX_SHARE);
    is_named(node, &EDGES)
        || (linked * 2 >= chars && is_named(node, &TEASERS))
        || (is_small && is_named(node, &BOXES))
        || (is_small && chars - linked <= MAX_STRIP_CHARS && is_named(node, &STRIPS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(body: &str) -> String {
        let document = Document::from(format!("<body>{body}<p>{}</p>", "kept".repeat(20)));
        remove(&document);
        document.select("body").text().replace(&"kept".repeat(20), "kept")
    }

    #[test]
    fn edges_and_small_boxes_around_an_article_are_removed() {
        for around in [
            "<div id=sidebar>gone</div>",
            "<div class='x relatedArticles'>gone</div>",
            "<ul class=share-buttons><li>gone</ul>",
        ] {
            assert_eq!(left(around), "kept", "{around}");
        }
    }

    #[test]
    fn a_box_as_large_as_an_article_is_content() {
        for (chars, is_kept) in [(19, false), (20, false), (21, true)] {
            let text = "a".repeat(chars);
            assert_eq!(left(&format!("<div class=comments>{text}</div>")).contains('a'), is_kept, "{chars}");
        }
        assert!(left("<div class=sidebar><h1>content</h1></div>").contains("content"));
        assert!(left("<article class=teaser>content</article>").contains("content"));
    }
}

//! What stands around an article and is told by its markup: readers' comments, consent banners and other dialogs, forms to log in, and
//! what publishing systems put above and below an article.

use dom_query::Document;

use super::element_names::is_named;
use super::removal::{Held, Removal};

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
/// Numbers of characters removed, without white space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RemovedSurroundings {
    /// Of readers' comments.
    pub(crate) comments: usize,
    /// Of dialogs, banners, forms to log in, and what publishing systems put around an article.
    pub(crate) others: usize,
    /// Of what stands beside the article and is told by place, length and links to be no part of it, with the spaces between words.
    pub(crate) beside: usize,
}

/// Removes the surroundings from `document`.
pub(super) fn remove(document: &Document) -> RemovedSurroundings {
    let mut page = Removal::new(document);
    let mut removed = RemovedSurroundings::default();
    for node in document.select(SMALL).nodes() {
        removed.others += page.remove_if(node, page.is_small(node, SMALL_SHARE));
    }
    for node in document.select(COMMENTS).nodes() {
        removed.comments += page.remove_if(node, !page.is_content(node));
    }
    for node in document.select(DIALOGS).nodes() {
        removed.others += page.remove_if(node, !page.is_content(node));
    }
    // What a form says stays: it may say until when to register.
    for node in document.select(LOGIN_FIELDS).nodes() {
        removed.others += page.remove_if(node, true);
    }
    for node in document.select("[id], [class]").nodes().iter().filter(|node| is_named(node, &CONSENT)) {
        let asks = page.holds(node, Held::Control) && !page.holds(node, Held::Article) && !page.is_content(node);
        removed.others += page.remove_if(node, asks && page.is_small(node, SMALL_SHARE));
    }
    removed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_boxes_of_a_name_cost_little() {
        let nested = "<div class='cookie comments'>".repeat(200) + &"<b>a</b>".repeat(20_000);
        let document = Document::from(format!("<body><p>{}</p>{nested}", "kept ".repeat(9_000)));
        let begun = std::time::Instant::now();
        assert_eq!(remove(&document).comments, 20_000);
        eprintln!("nested boxes: {:.2} s", begun.elapsed().as_secs_f64());
    }

    fn left(body: &str) -> String {
        let document = Document::from(format!("<body>{body}<p>{}</p>", "kept".repeat(50)));
        remove(&document);
        document.select("body").text().replace(&"kept".repeat(50), "kept")
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

//! Finds the main content of a page: the article without its surroundings.
//!
//! A port of Mozilla's Readability chooses the elements; their text is extracted like that of a whole page. The result is only used if it
//! is not too short compared with the page: losing an article is worse than keeping a menu.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dom_query::Document;
use dom_smoothie::{Article, Config, Readability};
use precis_text::Leaf;

use super::text_length::chars;
use super::walk;

/// Longest page searched for a main content, in characters of full text: the search may take quadratic time.
const MAX_PAGE_CHARS: usize = 500_000;
/// Most elements of a page searched for a main content.
const MAX_ELEMENTS: usize = 100_000;
/// Least share of the page for a main content; a smaller one is a fragment, not the article. The smallest true share found was 0.10.
const MIN_SHARE_OF_PAGE: f64 = 0.04;
/// A main content with fewer characters needs a larger share of the page, `MIN_SHARE_WHEN_SHORT`; chosen, not measured.
const SHORT_CHARS: usize = 250;
/// See [`SHORT_CHARS`].
const MIN_SHARE_WHEN_SHORT: f64 = 0.25;

/// Classes that publishing systems use for the surroundings of an article: dates and categories, buttons, related posts.
const SURROUNDINGS: &str = ".postmetadata, .post-meta, .entry-meta, .post-info, .article-info, .entry-footer, .post-footer, \
     .sharedaddy, .jp-relatedposts, .addtoany_share_save_container, .robots-nocontent";
/// An element with more than one in this many characters of the page is content, whatever its class is.
const SURROUNDING_SHARE: usize = 10;

/// The main content of `document`, whose full text has `page_chars` characters; `None` if none is found, if it is too short compared with
/// the page, or if the page is too large to search.
pub(super) fn of(document: Document, page_chars: usize) -> Option<Vec<Leaf>> {
    if page_chars > MAX_PAGE_CHARS {
        return None;
    }
    // Before the heuristics, which would count these elements as text of the article.
    remove_surroundings(&document, page_chars / SURROUNDING_SHARE);
    // If the heuristics panic on a page, its full text is still used.
    let article = catch_unwind(AssertUnwindSafe(|| article(document, MAX_ELEMENTS))).ok()??;
    let (main, _) = walk::leaves(&Document::fragment(article.content).root(), true);
    let chars = chars(&main);
    let least = if chars < SHORT_CHARS { MIN_SHARE_WHEN_SHORT } else { MIN_SHARE_OF_PAGE };
    (chars > 0 && chars as f64 >= least * page_chars as f64).then_some(main)
}

fn remove_surroundings(document: &Document, max_chars: usize) {
    for node in document.select(SURROUNDINGS).nodes() {
        if node.text().chars().take(max_chars + 1).count() <= max_chars {
            node.remove_from_parent();
        }
    }
}

fn article(document: Document, max_elements: usize) -> Option<Article> {
    let config =
        Config { disable_json_ld: true, keep_classes: true, max_elements_to_parse: max_elements, ..Config::default() };
    Readability::with_document(document, None, Some(config)).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(paragraphs: usize) -> Document {
        let paragraph = "<p>The article has several sentences, with commas, and says one thing at some length.</p>";
        Document::from(format!("<body><article>{}</article>", paragraph.repeat(paragraphs)))
    }

    #[test]
    fn the_main_content_of_a_page_is_sought_up_to_a_length() {
        for (chars, is_sought) in [(MAX_PAGE_CHARS - 1, true), (MAX_PAGE_CHARS, true), (MAX_PAGE_CHARS + 1, false)] {
            assert_eq!(of(page(300), chars).is_some(), is_sought, "{chars}");
        }
    }

    #[test]
    fn the_main_content_of_a_page_is_sought_up_to_a_number_of_elements() {
        let elements = page(20).root().descendants_it().filter(|node| node.is_element()).count();
        for (most, is_sought) in [(elements - 1, false), (elements, true), (elements + 1, true)] {
            assert_eq!(article(page(20), most).is_some(), is_sought, "{most} of {elements}");
        }
    }
}

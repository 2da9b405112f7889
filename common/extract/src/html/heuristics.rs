//! The part of a page that a port of Mozilla's Readability chooses.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dom_query::Document;
use dom_smoothie::{Article, Config, Readability};
use precis_text::Leaf;

use super::text_length::chars;
use super::{units, walk};

/// Most elements of a page searched for a main content.
const MAX_ELEMENTS: usize = 100_000;
/// Least share of the page for a main content; a smaller one is a fragment, not the article. The smallest true share found was 0.10.
const MIN_SHARE_OF_PAGE: f64 = 0.04;
/// A main content with fewer characters needs a larger share of the page, `MIN_SHARE_WHEN_SHORT`; chosen, not measured.
const SHORT_CHARS: usize = 250;
/// See [`SHORT_CHARS`].
const MIN_SHARE_WHEN_SHORT: f64 = 0.25;

/// The part of a page that the heuristics chose.
pub(super) struct ChosenPart {
    pub(super) leaves: Vec<Leaf>,
    /// Which units of the page it holds.
    pub(super) units: Vec<bool>,
    /// Whether it is a part of a table.
    pub(super) is_cut: bool,
}

/// The part chosen by the heuristics, unless it is too small to be the article.
pub(super) fn choose_part(document: Document, units: usize, page_chars: usize) -> Option<ChosenPart> {
    // If the heuristics panic on a page, its text is still used.
    let article = catch_unwind(AssertUnwindSafe(|| article(document, MAX_ELEMENTS))).ok()??;
    let main = part(&article.content, units);
    let chars = chars(&main.leaves);
    let least = if chars < SHORT_CHARS { MIN_SHARE_WHEN_SHORT } else { MIN_SHARE_OF_PAGE };
    (chars > 0 && chars as f64 >= least * page_chars as f64).then_some(main)
}

/// The leaves of the chosen part. If it was cut out of a table, the table is put around its rows again: a parser drops rows outside of
/// one, and their cells would be glued together.
fn part(content: &str, units: usize) -> ChosenPart {
    let rows = |document: &Document| document.select("tr").length();
    let document = Document::fragment(content);
    let written = content.matches("<tr>").count() + content.matches("<tr ").count();
    let is_cut = rows(&document) < written;
    let document = if is_cut { Document::fragment(format!("<table>{content}</table>")) } else { document };
    ChosenPart { leaves: walk::leaves(&document.root(), true).0, units: units::units_in(&document, units), is_cut }
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
    fn the_main_content_search_is_limited_by_element_count() {
        let elements = page(20).root().descendants_it().filter(|node| node.is_element()).count();
        for (most, is_sought) in [(elements - 1, false), (elements, true), (elements + 1, true)] {
            assert_eq!(article(page(20), most).is_some(), is_sought, "{most} of {elements}");
        }
    }

    #[test]
    fn rows_cut_out_of_a_table_stay_rows() {
        let found = part("<div><tbody><tr><td>a</td><td>b</td></tr></tbody></div>", 0);
        assert_eq!((found.leaves.len(), found.leaves[0].cells.len(), found.is_cut), (1, 2, true));
    }
}

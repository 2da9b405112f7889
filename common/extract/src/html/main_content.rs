//! Finds the main content of a page: the article without its surroundings.
//!
//! A port of Mozilla's Readability chooses the elements; their text is extracted like that of a whole page. What the choice leaves out is
//! judged, because losing an article is worse than keeping a teaser: if the chosen part does not hold a fair share of what the page says in
//! sentences, outside of its [`surroundings`], the fuller reading wins.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dom_query::Document;
use dom_smoothie::{Article, Config, Readability};
use precis_proto::BlockKind;
use precis_text::Leaf;

use super::surroundings::{self, RemovedSurroundings};
use super::text_length::chars;
use super::{collapsed, edges, leads, picture_credits, sentences, teasers, walk};

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
/// Least share of what the page says in sentences, outside its surroundings, that the chosen part must hold.
const FAIR_PERCENT: usize = 50;
/// That share on pages for which the heuristics, made for long articles, decide nothing: some room for words that two readings divide
/// into sentences differently.
const NEARLY_ALL_PERCENT: usize = 95;
/// A page that says fewer characters in sentences is short.
const SHORT_PAGE_CHARS: usize = 600;
/// Fewest characters of a long paragraph: a part without one is not known to be an article.
const LONG_PARAGRAPH_CHARS: usize = 140;
/// That share after the edges of the page were removed: side columns of a short article say more than the article.
const EDGES_PERCENT: usize = 10;
/// What a page itself marks as its content.
const DECLARED: &str = "main, [role=main]";

/// Removes parts of a page; returns their characters.
type Remover = fn(&Document) -> usize;

/// The main content of a page.
pub(super) struct MainContent {
    pub(super) leaves: Vec<Leaf>,
    /// Characters around it that are not part of it.
    pub(super) removed: RemovedSurroundings,
}

/// The part of a page that the heuristics chose.
struct ChosenPart {
    leaves: Vec<Leaf>,
    /// Whether it is a part of a table.
    is_cut: bool,
}

/// The main content of `document`, whose full text has `page_chars` characters; `None` if none is found and the page says nothing in
/// sentences, or if the page is too large to search.
pub(super) fn of(document: Document, page_chars: usize) -> Option<MainContent> {
    if page_chars > MAX_PAGE_CHARS {
        return None;
    }
    // Before the heuristics, which would count these elements as text of the article.
    let cleared = document.clone();
    let mut removed = surroundings::remove(&cleared);
    // A page that says nothing else is about its comments or dialogs.
    let document = match sentences::said(&outside_menus(&cleared)) {
        0 => {
            removed = RemovedSurroundings::default();
            document
        }
        _ => cleared,
    };
    let removals: [(Remover, usize); 3] =
        [(edges::remove, EDGES_PERCENT), (picture_credits::remove, FAIR_PERCENT), (teasers::remove, FAIR_PERCENT)];
    let document = without(document, &removals, &mut removed);
    let fuller = fuller(&document);
    collapsed::mark_details(&document);
    let lead = leads::lead(&document);
    let mut leaves = judged(chosen(document, page_chars), fuller)?;
    leads::put_first(lead, &mut leaves);
    Some(MainContent { leaves, removed })
}

/// `document` after each of `removals` that leaves a fair share of what it says: names are hints, and a page whose text is mostly in such
/// boxes is written in them.
fn without(mut document: Document, removals: &[(Remover, usize)], removed: &mut RemovedSurroundings) -> Document {
    for (remove, percent) in removals {
        let bare = document.clone();
        let chars = remove(&bare);
        if chars > 0 && is_fair(&outside_menus(&bare), &outside_menus(&document), *percent) {
            removed.others += chars;
            document = bare;
        }
    }
    document
}

/// Whether `part` holds a fair share of what `whole` says.
fn is_fair(part: &[Leaf], whole: &[Leaf], percent: usize) -> bool {
    let (said, all) = (sentences::said(part), sentences::said(whole));
    said > 0 && said * 100 >= all * percent
}

/// What the page says without its menus, headers and footers: in the part that it marks as its content, if that holds a fair share.
fn fuller(document: &Document) -> Vec<Leaf> {
    let whole = outside_menus(document);
    let marked =
        document.select_single(DECLARED).nodes().first().map(|node| without_furniture(walk::leaves(node, true).0));
    marked.filter(|part| is_fair(part, &whole, FAIR_PERCENT)).unwrap_or(whole)
}

fn outside_menus(document: &Document) -> Vec<Leaf> {
    without_furniture(walk::leaves(&document.root(), false).0)
}

fn without_furniture(leaves: Vec<Leaf>) -> Vec<Leaf> {
    leaves.into_iter().filter(|leaf| leaf.kind != BlockKind::Furniture).collect()
}

/// The part chosen by the heuristics, unless it is too small to be the article.
fn chosen(document: Document, page_chars: usize) -> Option<ChosenPart> {
    // If the heuristics panic on a page, its text is still used.
    let article = catch_unwind(AssertUnwindSafe(|| article(document, MAX_ELEMENTS))).ok()??;
    let main = part(&article.content);
    let chars = chars(&main.leaves);
    let least = if chars < SHORT_CHARS { MIN_SHARE_WHEN_SHORT } else { MIN_SHARE_OF_PAGE };
    (chars > 0 && chars as f64 >= least * page_chars as f64).then_some(main)
}

/// The leaves of the chosen part. If it was cut out of a table, the table is put around its rows again: a parser drops rows outside of
/// one, and their cells would be glued together.
fn part(content: &str) -> ChosenPart {
    let rows = |document: &Document| document.select("tr").length();
    let document = Document::fragment(content);
    let written = content.matches("<tr>").count() + content.matches("<tr ").count();
    let is_cut = rows(&document) < written;
    let document = if is_cut { Document::fragment(format!("<table>{content}</table>")) } else { document };
    ChosenPart { leaves: walk::leaves(&document.root(), true).0, is_cut }
}

/// The `chosen` part or the `fuller` reading of the page: the part must hold a fair share of what the page says in sentences, and nearly
/// all of it if the page is short, the part has no long paragraph, or it was cut out of a table. `None` if there is no part and the page says no sentence.
fn judged(chosen: Option<ChosenPart>, fuller: Vec<Leaf>) -> Option<Vec<Leaf>> {
    let said = sentences::said(&fuller);
    let Some(ChosenPart { leaves: chosen, is_cut }) = chosen else { return (said > 0).then_some(fuller) };
    let is_long = |leaf: &Leaf| leaf.kind != BlockKind::TableRow && leaf.text.chars().count() >= LONG_PARAGRAPH_CHARS;
    let is_sure = !is_cut && said >= SHORT_PAGE_CHARS && chosen.iter().any(is_long);
    let least = if is_sure { FAIR_PERCENT } else { NEARLY_ALL_PERCENT };
    Some(if sentences::said(&chosen) * 100 >= said * least { chosen } else { fuller })
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

    fn leaf(chars: usize) -> Leaf {
        Leaf::new(BlockKind::Paragraph, format!("{}.", "a".repeat(chars - 1)))
    }

    fn whole(leaves: Vec<Leaf>) -> ChosenPart {
        ChosenPart { leaves, is_cut: false }
    }

    /// Whether a part of one leaf with `chosen` characters is taken instead of a page that says `said`.
    fn is_taken(chosen: usize, said: usize) -> bool {
        let rest = said - chosen;
        let fuller = [chosen, rest].into_iter().filter(|chars| *chars > 0).map(leaf).collect();
        judged(Some(whole(vec![leaf(chosen)])), fuller).is_some_and(|taken| taken.len() == 1)
    }

    #[test]
    fn the_chosen_part_holds_a_fair_share_of_the_sentences() {
        for (chosen, is_fair) in [(499, false), (500, true), (501, true)] {
            assert_eq!(is_taken(chosen, 1_000), is_fair, "{chosen}");
        }
        assert!(judged(None, Vec::new()).is_none());
        assert_eq!(judged(None, vec![leaf(30)]).map(|fuller| fuller.len()), Some(1));
    }

    #[test]
    fn the_chosen_part_of_a_short_page_holds_nearly_all_of_it() {
        for (said, is_taken_) in [(SHORT_PAGE_CHARS - 1, false), (SHORT_PAGE_CHARS, true), (SHORT_PAGE_CHARS + 1, true)]
        {
            assert_eq!(is_taken(said * 8 / 10, said), is_taken_, "{said}");
        }
        for (chosen, is_taken_) in [(474, false), (475, true), (476, true)] {
            assert_eq!(is_taken(chosen, 500), is_taken_, "{chosen}");
        }
    }

    #[test]
    fn a_part_without_a_long_paragraph_holds_nearly_all_of_the_page() {
        for (chars, is_sure) in
            [(LONG_PARAGRAPH_CHARS - 1, false), (LONG_PARAGRAPH_CHARS, true), (LONG_PARAGRAPH_CHARS + 1, true)]
        {
            let chosen: Vec<Leaf> = (0..10).map(|_| leaf(chars)).collect();
            let fuller = chosen.iter().cloned().chain([leaf(400)]).collect();
            let taken = judged(Some(whole(chosen)), fuller).map(|taken| taken.len());
            assert_eq!(taken, Some(if is_sure { 10 } else { 11 }), "{chars}");
        }
    }

    #[test]
    fn rows_cut_out_of_a_table_stay_rows() {
        let found = part("<div><tbody><tr><td>a</td><td>b</td></tr></tbody></div>");
        assert_eq!((found.leaves.len(), found.leaves[0].cells.len(), found.is_cut), (1, 2, true));
    }
}

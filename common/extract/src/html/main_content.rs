//! Finds the main content of a page: the article without its surroundings.
//!
//! The page is divided into [`units`]; each is kept or left out by the [`points`] of its [`traits`], of which one is whether a port of
//! Mozilla's Readability chooses it. On short pages and pages without a long paragraph, which no set of pages measures, that choice decides
//! alone, and is judged, because losing an article is worse than keeping a teaser: if the chosen part does not hold a fair share of what the
//! page says in sentences, outside of its [`surroundings`], the fuller reading wins.

use dom_query::{Document, NodeRef};
use precis_proto::BlockKind;
use precis_text::{Leaf, normalize};

use super::heuristics::{ChosenPart, choose_part};
use super::surroundings::{self, RemovedSurroundings};
use super::traits::TraitedUnit;
use super::{
    collapsed, edges, form_state, leads, picture_credits, points, sentences, teasers, text_length, traits, units, walk,
};

/// Longest page searched for a main content, in characters of full text: the search may take quadratic time.
const MAX_PAGE_CHARS: usize = 500_000;
/// Least share of what the page says in sentences, outside its surroundings, that the chosen part must hold.
const FAIR_PERCENT: usize = 50;
/// That share on pages for which the heuristics, made for long articles, decide nothing: some room for words that two readings divide
/// into sentences differently.
const NEARLY_ALL_PERCENT: usize = 95;
/// That share after the units far from being of an article were left out of the fuller reading.
const NEAR_PERCENT: usize = 75;
/// A page that says fewer characters in sentences is short.
const SHORT_PAGE_CHARS: usize = 600;
/// Fewest characters of a long paragraph: a part without one is not known to be an article.
const LONG_PARAGRAPH_CHARS: usize = 140;
/// That share after the edges of the page were removed: side columns of a short article say more than the article.
const EDGES_PERCENT: usize = 10;
/// That share for the units with most points: a short article stands beside many others.
const SCORED_PERCENT: usize = 25;
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

/// The main content of `document`, whose full text has `page_chars` characters; `None` if none is found and the page says nothing in
/// sentences, or if the page is too large to search. `descriptions` are the words of what the page says of itself.
pub(super) fn of(document: Document, page_chars: usize, descriptions: &[Vec<String>]) -> Option<MainContent> {
    if page_chars > MAX_PAGE_CHARS {
        return None;
    }
    let (document, removed) = bare(document);
    let fuller = fuller(&document);
    collapsed::mark_details(&document);
    let lead = leads::lead(&document, descriptions);
    let units = units::divide(&document);
    form_state::forget_beside_units(&document);
    let chosen = choose_part(units::for_heuristics(&document), units.len(), page_chars);
    let read = text_length::chars(&fuller);
    let flags = chosen.as_ref().map_or_else(|| vec![false; units.len()], |part| part.units.clone());
    let traited: Vec<_> = units.iter().copied().zip(traits::of(&document, &units, &flags)).collect();
    let fuller = without_far_ones(&document, &traited, fuller);
    let scored = select_units(&document, &traited, &fuller);
    let mut leaves = scored.or_else(|| choose_reading(chosen, fuller))?;
    leads::put_first(lead, &mut leaves);
    let beside = read.saturating_sub(text_length::chars(&leaves));
    Some(MainContent { leaves, removed: RemovedSurroundings { beside, ..removed } })
}

/// `document` without what is known to surround an article, and what that is.
fn bare(document: Document) -> (Document, RemovedSurroundings) {
    // Before the heuristics, which would count these elements as text of the article.
    let cleared = document.clone();
    let mut removed = surroundings::remove(&cleared);
    // A page that says nothing else is about its comments or dialogs.
    let document = match sentences::sentence_chars(&outside_menus(&cleared)) {
        0 => {
            removed = RemovedSurroundings::default();
            document
        }
        _ => cleared,
    };
    let removals: [(Remover, usize); 3] =
        [(edges::remove, EDGES_PERCENT), (picture_credits::remove, FAIR_PERCENT), (teasers::remove, FAIR_PERCENT)];
    let document = without(document, &removals, &mut removed);
    (document, removed)
}

/// The text of each unit of `document` and its traits, for fitting [`points`].
pub(super) fn unit_traits(document: Document, page_chars: usize) -> Vec<(String, Vec<u8>)> {
    let (document, _) = bare(document);
    collapsed::mark_details(&document);
    let units = units::divide(&document);
    let chosen = choose_part(units::for_heuristics(&document), units.len(), page_chars);
    let chosen = chosen.map_or_else(|| vec![false; units.len()], |part| part.units);
    let traits = traits::of(&document, &units, &chosen);
    units.iter().zip(traits).map(|(node, unit)| (normalize(&node.text()), unit.traits.to_vec())).collect()
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
    let (said, all) = (sentences::sentence_chars(part), sentences::sentence_chars(whole));
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

/// The `fuller` reading of `document` without the units that are far from being of an article, which are removed; all of it if the rest is
/// no fair share: the points may be wrong about a page, and do not know short ones.
fn without_far_ones(document: &Document, units: &[(NodeRef<'_>, TraitedUnit)], fuller: Vec<Leaf>) -> Vec<Leaf> {
    let far: Vec<&NodeRef<'_>> = units.iter().filter(|(_, unit)| points::is_far(unit)).map(|(node, _)| node).collect();
    if far.is_empty() {
        return fuller;
    }
    far.iter().for_each(|node| node.remove_from_parent());
    nearer(self::fuller(document), fuller)
}

/// The reading `near` if it holds a fair share of the `fuller` one, of which it is a part.
fn nearer(near: Vec<Leaf>, fuller: Vec<Leaf>) -> Vec<Leaf> {
    if is_fair(&near, &fuller, NEAR_PERCENT) { near } else { fuller }
}

/// What is kept of the `units` of `document`; the others are removed. `None` if the page is short, or if no long paragraph or no fair share
/// of what it says is kept.
fn select_units(document: &Document, units: &[(NodeRef<'_>, TraitedUnit)], fuller: &[Leaf]) -> Option<Vec<Leaf>> {
    let said = sentences::sentence_chars(fuller);
    if said < SHORT_PAGE_CHARS {
        return None;
    }
    let kept = points::kept(&units.iter().map(|(_, unit)| *unit).collect::<Vec<_>>());
    let left_out = units.iter().zip(kept).filter(|(_, is_kept)| !is_kept);
    left_out.for_each(|((node, _), _)| node.remove_from_parent());
    let kept = without_furniture(walk::leaves(&document.root(), true).0);
    is_article(&kept, said).then_some(kept)
}

/// Whether `kept` has a long paragraph, and a fair share of the `said` characters of a page.
fn is_article(kept: &[Leaf], said: usize) -> bool {
    kept.iter().any(is_long) && sentences::sentence_chars(kept) * 100 >= said * SCORED_PERCENT
}

fn is_long(leaf: &Leaf) -> bool {
    leaf.kind != BlockKind::TableRow && leaf.text.chars().count() >= LONG_PARAGRAPH_CHARS
}

/// The `chosen` part or the `fuller` reading of the page: the part must hold a fair share of what the page says in sentences, and nearly
/// all of it if the page is short, the part has no long paragraph, or it was cut out of a table. `None` if there is no part and the page
/// says no sentence.
fn choose_reading(chosen: Option<ChosenPart>, fuller: Vec<Leaf>) -> Option<Vec<Leaf>> {
    let said = sentences::sentence_chars(&fuller);
    let Some(ChosenPart { leaves: chosen, is_cut, .. }) = chosen else { return (said > 0).then_some(fuller) };
    let is_sure = !is_cut && said >= SHORT_PAGE_CHARS && chosen.iter().any(is_long);
    let least = if is_sure { FAIR_PERCENT } else { NEARLY_ALL_PERCENT };
    Some(if sentences::sentence_chars(&chosen) * 100 >= said * least { chosen } else { fuller })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(paragraphs: usize) -> Document {
        let paragraph = "<p>The article has several sentences, with commas, and says one thing at some length.</p>";
        Document::from(format!("<body><article>{}</article>", paragraph.repeat(paragraphs)))
    }

    #[test]
    fn content_left_out_around_an_article_is_counted() {
        let link = "<li><a href='/x'>Another story of this site</a></li>";
        let beside = format!("<div><ul>{}</ul></div>", link.repeat(12));
        let with = |beside: &str| {
            let paragraph = "<p>The article has several sentences, with commas, and says one thing at some length. It goes on after that, and on, until it has said what there is to say.</p>";
            let html = format!("<body><article>{}</article>{beside}</body>", paragraph.repeat(9));
            of(Document::from(html), 3_000, &[]).expect("an article")
        };
        let (alone, found) = (with(""), with(&beside));
        assert_eq!(text_length::chars(&alone.leaves), text_length::chars(&found.leaves), "the list is no part of it");
        assert_eq!(alone.removed.beside, 0);
        assert!(found.removed.beside >= 12 * "Another story of this site".len(), "{:?}", found.removed);
    }

    #[test]
    fn the_main_content_of_a_page_is_sought_up_to_a_length() {
        for (chars, is_sought) in [(MAX_PAGE_CHARS - 1, true), (MAX_PAGE_CHARS, true), (MAX_PAGE_CHARS + 1, false)] {
            assert_eq!(of(page(300), chars, &[]).is_some(), is_sought, "{chars}");
        }
    }

    fn leaf(chars: usize) -> Leaf {
        Leaf::new(BlockKind::Paragraph, format!("{}.", "a".repeat(chars - 1)))
    }

    fn whole(leaves: Vec<Leaf>) -> ChosenPart {
        ChosenPart { leaves, units: Vec::new(), is_cut: false }
    }

    /// Whether a part of one leaf with `chosen` characters is taken instead of a page that says `said`.
    fn is_taken(chosen: usize, said: usize) -> bool {
        let rest = said - chosen;
        let fuller = [chosen, rest].into_iter().filter(|chars| *chars > 0).map(leaf).collect();
        choose_reading(Some(whole(vec![leaf(chosen)])), fuller).is_some_and(|taken| taken.len() == 1)
    }

    #[test]
    fn the_chosen_part_holds_a_fair_share_of_the_sentences() {
        for (chosen, is_fair) in [(499, false), (500, true), (501, true)] {
            assert_eq!(is_taken(chosen, 1_000), is_fair, "{chosen}");
        }
        assert!(choose_reading(None, Vec::new()).is_none());
        assert_eq!(choose_reading(None, vec![leaf(30)]).map(|fuller| fuller.len()), Some(1));
    }

    #[test]
    fn a_fuller_reading_without_far_units_is_compared_by_share() {
        for (chars, is_near) in [(749, false), (750, true), (751, true)] {
            let fuller = vec![leaf(chars), leaf(1_000 - chars)];
            assert_eq!(nearer(vec![leaf(chars)], fuller).len(), if is_near { 1 } else { 2 }, "{chars}");
        }
    }

    #[test]
    fn menus_of_a_short_page_are_left_out() {
        let menu = "<div><a href='/a'>Seats</a></div><div><a href='/b'>Boats</a></div>".repeat(6);
        let text =
            "<p>The office is closed on Monday, says the mayor of the town.</p><p>It opens again on Tuesday.</p>";
        let html = format!("<body><div>{menu}</div><h1>Closed</h1><div>{text}</div><div>{menu}</div>");
        let found = of(Document::from(html), 300, &[]).expect("a text");
        let texts: Vec<&str> = found.leaves.iter().map(|leaf| leaf.text.as_str()).collect();
        assert!(texts.contains(&"It opens again on Tuesday.") && !texts.contains(&"Boats"), "{texts:?}");
        assert!(found.removed.beside > 0);
    }

    #[test]
    fn the_kept_units_hold_a_fair_share_of_the_sentences() {
        for (chars, is_fair) in [(249, false), (250, true), (251, true)] {
            assert_eq!(is_article(&[leaf(chars)], 1_000), is_fair, "{chars}");
        }
        for (chars, is_long) in
            [(LONG_PARAGRAPH_CHARS - 1, false), (LONG_PARAGRAPH_CHARS, true), (LONG_PARAGRAPH_CHARS + 1, true)]
        {
            assert_eq!(is_article(&[leaf(chars)], chars), is_long, "{chars}");
        }
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
            let taken = choose_reading(Some(whole(chosen)), fuller).map(|taken| taken.len());
            assert_eq!(taken, Some(if is_sure { 10 } else { 11 }), "{chars}");
        }
    }
}

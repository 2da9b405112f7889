//! The lead of an article: the sentences below its title that stand in the header of the page rather than in the article, or that the page
//! says of itself in its head.

use dom_query::{Document, NodeRef};
use precis_language::words::lower_words;
use precis_proto::BlockKind;
use precis_text::Leaf;

use super::element_names::is_named;
use super::text_sizes::TextSizes;
use super::{sentences, walk};

/// Parts of names that leads have.
const LEADS: [&str; 17] = [
    "lead",
    "lede",
    "standfirst",
    "subtitle",
    "subheadline",
    "subhead",
    "excerpt",
    "intro",
    "summary",
    "teaser-text",
    "vorspann",
    "hero-text",
    "description",
    "article-teaser",
    "page-intro",
    "bajada",
    "chapo",
];
/// Fewest and most characters of a lead.
const CHARS: std::ops::RangeInclusive<usize> = 45..=900;
/// Most elements behind the title of a page that are looked at: a lead follows closely.
const MAX_ELEMENTS: usize = 120;

/// Where a page says what it says.
const DESCRIPTIONS: &str =
    "meta[name='description' i], meta[property='og:description' i], meta[name='twitter:description' i]";
/// Fewest words that a lead and a description begin with alike, and the least tenths of the longer one that these are. A description is cut
/// at some length, or the lead goes on.
const MIN_WORDS: usize = 6;
const MIN_TENTHS: usize = 3;

/// The words of what a page says of itself in its head, of which nothing has been removed yet.
pub(super) fn descriptions(document: &Document) -> Vec<Vec<String>> {
    let found = document.select(DESCRIPTIONS);
    let words = |node: &NodeRef<'_>| {
        let text = node.attr_or("content", "");
        let mut words = lower_words(&text);
        // The last word may be a part of one.
        words.truncate(words.len() - usize::from(text.trim_end().ends_with(['…', '.']) && !words.is_empty()));
        words
    };
    found.nodes().iter().map(words).filter(|words| words.len() >= MIN_WORDS).collect()
}

/// The lead of the article of `document`: the first text below its title that is named so, or stands in a header with it; otherwise the
/// first one that is one of the `descriptions`.
pub(super) fn lead(document: &Document, descriptions: &[Vec<String>]) -> Vec<Leaf> {
    let sizes = TextSizes::of(document);
    let found = named(document, &sizes);
    if found.is_empty() { described(document, &sizes, descriptions) } else { found }
}

fn described(document: &Document, sizes: &TextSizes, descriptions: &[Vec<String>]) -> Vec<Leaf> {
    if descriptions.is_empty() {
        return Vec::new();
    }
    let is_around = |node: &NodeRef<'_>| {
        node.ancestors_it(None).any(|above| ["footer", "nav", "aside"].iter().any(|name| above.has_name(name)))
    };
    let is_meant = |node: &&NodeRef<'_>| {
        let size = sizes.of_node(node);
        CHARS.contains(&size.chars) && size.linked * 2 < size.chars && !is_around(node) && {
            let words = lower_words(&node.text());
            descriptions.iter().any(|description| begin_alike(description, &words))
        }
    };
    let found = document.select("p, h2, h3, h4, div, span, strong");
    let leaves = found.nodes().iter().find(is_meant).map_or(Vec::new(), |node| walk::leaves(node, true).0);
    // A box may hold more than the lead.
    leaves.into_iter().filter(|leaf| sentences::sentence_chars(std::slice::from_ref(leaf)) > 0).collect()
}

fn begin_alike(description: &[String], words: &[String]) -> bool {
    let (shorter, longer) = (description.len().min(words.len()), description.len().max(words.len()));
    shorter >= MIN_WORDS
        && shorter * 10 >= longer * MIN_TENTHS
        && description.iter().zip(words).all(|(one, other)| one == other)
}

/// The first text below the title of `document` that is named a lead, or stands in a header with the title.
fn named(document: &Document, sizes: &TextSizes) -> Vec<Leaf> {
    let Some(title) = document.select_single("h1").nodes().first().copied() else { return Vec::new() };
    let header = title.ancestors_it(None).find(|above| above.has_name("header")).map(|header| header.id);
    let elements = document.select("h1, p, h2, [class]");
    let behind = elements.nodes().iter().skip_while(|node| node.id != title.id).skip(1).take(MAX_ELEMENTS);
    for node in behind {
        let size = sizes.of_node(node);
        let in_header = || header.is_some_and(|header| node.ancestors_it(None).any(|above| above.id == header));
        let is_meant = is_named(node, &LEADS) || (node.has_name("p") && in_header());
        if is_meant && CHARS.contains(&size.chars) && size.linked * 2 < size.chars {
            let leaves = walk::leaves(node, true).0;
            if sentences::sentence_chars(&leaves) > 0 || leaves.len() == 1 {
                return leaves;
            }
        }
    }
    Vec::new()
}

/// Puts `lead` before `leaves`, behind their title, unless they say it already.
pub(super) fn put_first(lead: Vec<Leaf>, leaves: &mut Vec<Leaf>) {
    let is_said = |one: &Leaf| leaves.iter().any(|leaf| leaf.text.contains(one.text.as_str()));
    let missing: Vec<Leaf> = lead.iter().filter(|one| !is_said(one)).cloned().collect();
    let at = leaves.iter().position(|leaf| leaf.kind != BlockKind::Heading).unwrap_or(leaves.len());
    let at = if at <= 1 { at } else { 0 };
    leaves.splice(at..at, missing);
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAD: &str = "The tower of the old town was sold to a foundation on Monday.";

    fn texts(page: &str) -> Vec<String> {
        let document = Document::from(page);
        lead(&document, &descriptions(&document)).into_iter().map(|leaf| leaf.text).collect()
    }

    #[test]
    fn a_lead_follows_the_title() {
        for page in [
            format!("<header><h1>Sold</h1><p>{LEAD}</p></header><p>Text.</p>"),
            format!("<h1>Sold</h1><div class=article__lead>{LEAD}</div><p>Text.</p>"),
            format!("<h1>Sold</h1><h2 class=subtitle>{LEAD}</h2><p>Text.</p>"),
        ] {
            assert_eq!(texts(&page), [LEAD], "{page}");
        }
        for page in [
            format!("<p class=lead>{LEAD}</p><h1>Sold</h1>"),
            format!("<h1>Sold</h1><p>{LEAD}</p>"),
            format!("<h1>Sold</h1><p class=lead><a href=x>{LEAD}</a></p>"),
            "<h1>Sold</h1><p class=lead>Short.</p>".to_owned(),
        ] {
            assert_eq!(texts(&page), [""; 0], "{page}");
        }
    }

    #[test]
    fn a_lead_is_what_the_page_says_of_itself() {
        let page = |description: &str, body: &str| {
            format!("<head><meta name=Description content='{description}'></head>{body}")
        };
        let body = format!("<div><b>12 May</b><div><p>{LEAD} It cost a lot.</p></div></div><p>Text.</p>");
        let cut = "The tower of the old town was sold to a foun…";
        for (description, body, want) in [
            (LEAD, body.clone(), 1),
            (cut, body.clone(), 1),
            ("The tower of the old town was rented to a foundation.", body.clone(), 0),
            ("The tower was sold.", body.clone(), 0),
            (LEAD, format!("<footer>{body}</footer>"), 0),
            (LEAD, format!("<p>{LEAD} {}</p>", "More and more was said of it later. ".repeat(6)), 0),
        ] {
            assert_eq!(texts(&page(description, &body)).len(), want, "{description} {body}");
        }
        let words = |count: usize| (0..count).map(|at| at.to_string()).collect::<Vec<_>>();
        for (count, is_alike) in [(MIN_WORDS - 1, false), (MIN_WORDS, true), (MIN_WORDS + 1, true)] {
            assert_eq!(begin_alike(&words(count), &words(20)), is_alike, "{count}");
        }
        for (count, is_alike) in [(20, true), (21, false)] {
            assert_eq!(begin_alike(&words(MIN_WORDS), &words(count)), is_alike, "{count}");
        }
    }

    #[test]
    fn a_lead_is_said_once() {
        let leaf = |kind, text: &str| Leaf::new(kind, text);
        let mut leaves = vec![leaf(BlockKind::Heading, "Sold"), leaf(BlockKind::Paragraph, "Text.")];
        put_first(vec![leaf(BlockKind::Paragraph, LEAD)], &mut leaves);
        put_first(vec![leaf(BlockKind::Paragraph, LEAD)], &mut leaves);
        let found: Vec<&str> = leaves.iter().map(|leaf| leaf.text.as_str()).collect();
        assert_eq!(found, ["Sold", LEAD, "Text."]);
    }
}

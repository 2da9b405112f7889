//! The lead of an article: the sentences below its title that stand in the header of the page rather than in the article.

use dom_query::Document;
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

/// The lead of the article of `document`: the first text below its title that is named so, or stands in a header with it.
pub(super) fn lead(document: &Document) -> Vec<Leaf> {
    let sizes = TextSizes::of(document);
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
            if sentences::said(&leaves) > 0 || leaves.len() == 1 {
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
        lead(&Document::from(page)).into_iter().map(|leaf| leaf.text).collect()
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
    fn a_lead_is_said_once() {
        let leaf = |kind, text: &str| Leaf::new(kind, text);
        let mut leaves = vec![leaf(BlockKind::Heading, "Sold"), leaf(BlockKind::Paragraph, "Text.")];
        put_first(vec![leaf(BlockKind::Paragraph, LEAD)], &mut leaves);
        put_first(vec![leaf(BlockKind::Paragraph, LEAD)], &mut leaves);
        let found: Vec<&str> = leaves.iter().map(|leaf| leaf.text.as_str()).collect();
        assert_eq!(found, ["Sold", LEAD, "Text."]);
    }
}

//! Links to other articles inside an article: under a label such as "Read also", as paragraphs of their own, and as lists of
//! titles.

use dom_query::{Document, NodeRef};
use precis_language::related::announces_related;

use super::removal::Removal;
use super::text_sizes::TextSize;

/// Longest label above links, in characters.
const MAX_LABEL_CHARS: usize = 60;
/// Fewest characters of a link that is the title of an article. Chosen: names of things and places are shorter.
const TITLE_CHARS: usize = 30;
/// Least percentage of linked characters of an element that consists of links.
const LINK_PERCENT: usize = 90;
/// That percentage for the box around a label.
const BOX_PERCENT: usize = 60;
/// Teasers in one of so many characters of the page are what the page is about.
const SHARE: usize = 5;
/// Elements that may be a label.
const LABELS: &str = "h2, h3, h4, h5, h6, p, strong, b, em, span, div, li, dt";

/// Removes the teasers of `document`; returns their characters without white space.
pub(super) fn remove(document: &Document) -> usize {
    let mut page = Removal::new(document);
    let mut meant: Vec<NodeRef<'_>> = Vec::new();
    for node in document.select(LABELS).nodes().iter().filter(|node| is_label(&page, node)) {
        meant.extend(labelled_box(&page, node));
    }
    meant.extend(document.select("p").nodes().iter().filter(|node| is_title(&page, node)));
    meant.extend(document.select("ul, ol").nodes().iter().filter(|list| is_list_of_titles(&page, list)));
    let all: usize = meant.iter().filter(|node| page.is_small(node, SHARE)).map(|node| page.size(node).chars).sum();
    if all * SHARE > page.all() {
        return 0;
    }
    meant.iter().map(|node| page.remove_if(node, page.is_small(node, SHARE) && !page.is_content(node))).sum()
}

fn is_label(page: &Removal, node: &NodeRef<'_>) -> bool {
    let TextSize { chars, linked } = page.size(node);
    // A short box with a link may hold more than the label.
    let is_line = linked == 0 || !node.has_name("div");
    is_line && (1..=MAX_LABEL_CHARS).contains(&chars) && announces_related(&node.text().to_lowercase())
}

/// The box around a label and its links, or the label with the links that follow it.
fn labelled_box<'d>(page: &Removal, label: &NodeRef<'d>) -> Vec<NodeRef<'d>> {
    let chars = page.size(label).chars;
    let mut whole = *label;
    while let Some(parent) = whole.parent().filter(|parent| page.size(parent).chars == chars) {
        whole = parent;
    }
    if let Some(parent) = whole.parent() {
        let size = page.size(&parent);
        let (others, linked) = (size.chars - chars, size.linked - page.size(&whole).linked.min(size.linked));
        if others > 0 && linked * 100 >= others * BOX_PERCENT && page.is_small(&parent, SHARE) {
            return vec![parent];
        }
    }
    let mut found = vec![whole];
    let mut next = whole.next_element_sibling();
    while let Some(node) = next.filter(|node| consists_of_links(page, node)) {
        found.push(node);
        next = node.next_element_sibling();
    }
    let is_link = page.size(&whole).linked * 2 >= page.size(&whole).chars;
    if found.len() > 1 || is_link { found } else { Vec::new() }
}

fn consists_of_links(page: &Removal, node: &NodeRef<'_>) -> bool {
    let size = page.size(node);
    size.chars > 0 && size.linked * 100 >= size.chars * LINK_PERCENT
}

/// Whether the paragraph `node` is the title of another article and nothing else.
fn is_title(page: &Removal, node: &NodeRef<'_>) -> bool {
    // An address has no white space.
    consists_of_links(page, node)
        && page.size(node).chars >= TITLE_CHARS
        && node.text().split_whitespace().nth(1).is_some()
}

/// Whether the entries of `list` are titles of other articles.
fn is_list_of_titles(page: &Removal, list: &NodeRef<'_>) -> bool {
    let entries = list.element_children();
    let size = page.size(list);
    let is_long = size.chars >= TITLE_CHARS * entries.len();
    entries.len() > 1 && consists_of_links(page, list) && is_long
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(body: &str) -> String {
        let document = Document::from(format!("<body><p>{}</p><div>{body}<p>kept</p></div>", "a".repeat(900)));
        remove(&document);
        document.select("div").text().to_string()
    }

    const LONG: &str = "<a href=x>The tower of the old town was sold to a foundation</a>";

    #[test]
    fn links_to_other_articles_are_removed() {
        for teaser in [
            "<h3>Read also</h3><ul><li><a href=x>Sold</a></ul>".to_owned(),
            "<p>Read also: <a href=x>The tower was sold</a></p>".to_owned(),
            format!("<p><strong>{LONG}</strong></p>"),
            format!("<ul><li>{LONG}<li>{LONG}</ul>"),
        ] {
            assert_eq!(left(&teaser), "kept", "{teaser}");
        }
    }

    #[test]
    fn links_that_say_something_stay() {
        for content in [
            "<ul><li><a href=x>Red</a><li><a href=y>Blue</a></ul>".to_owned(),
            format!("<p>It is said that {LONG} this year.</p>"),
            "<p>Read also the notes of the old town, which say more about it.</p>".to_owned(),
            "<p><a href=x>Minutes</a></p>".to_owned(),
            "<p><a href=x>https://example.org/petitions/2024/the-tower</a></p>".to_owned(),
        ] {
            assert!(left(&content).len() > 4, "{content}");
        }
    }

    #[test]
    fn a_page_of_titles_keeps_them() {
        let document = Document::from(format!("<body><ul>{}</ul><p>Text.</p>", format!("<li>{LONG}").repeat(3)));
        assert_eq!(remove(&document), 0);
    }
}

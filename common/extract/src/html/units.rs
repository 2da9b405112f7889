//! The units of a page: the paragraphs, headings, lists and tables that are kept or left out as a whole.

use std::collections::HashSet;

use dom_query::{Document, NodeId, NodeRef};

use super::roles::{Flow, flow};
use super::text_sizes::TextSizes;

/// Marks a unit with its number, because the search for the main content takes elements apart.
pub(super) const MARK: &str = "data-unit";
/// Fewest rows and cells of a table of data; a smaller one is a layout. Chosen, not measured.
const MIN_ROWS: usize = 2;
/// See [`MIN_ROWS`].
const MIN_CELLS: usize = 4;
/// Most characters of a cell of data: a longer one is a column of a layout. Chosen, not measured.
const MAX_CELL_CHARS: usize = 600;
/// Blocks with text in a list of lines.
const OF_LISTS: [&str; 6] = ["li", "ul", "ol", "dl", "dt", "dd"];
/// Blocks with text in a table of data.
const OF_TABLES: [&str; 12] = ["tbody", "thead", "tfoot", "tr", "td", "th", "caption", "p", "div", "ul", "ol", "li"];

/// Divides `document` into units, in its order, and marks them. All text of its body is in exactly one unit: text beside blocks gets a
/// block of its own.
pub(super) fn divide(document: &Document) -> Vec<NodeRef<'_>> {
    let sizes = TextSizes::of(document);
    let wholes = wholes(document, &sizes);
    let holders = holders(document, &wholes, &sizes);
    wrap_loose_text(document, &holders, &sizes);
    let is_unit = |node: &&NodeRef<'_>| {
        !holders.contains(&node.id)
            && node.parent().is_some_and(|around| holders.contains(&around.id))
            && (sizes.of_node(node).chars > 0 || node.text().chars().any(|c| !c.is_whitespace()))
    };
    let found: Vec<NodeRef<'_>> = document.select("body *").nodes().iter().filter(is_unit).copied().collect();
    found.iter().enumerate().for_each(|(at, node)| node.set_attr(MARK, &at.to_string()));
    found
}

/// A copy of `document` in which no mark gets lost: the heuristics put the text of a plain box into a paragraph of their own.
pub(super) fn for_heuristics(document: &Document) -> Document {
    let copy = document.clone();
    copy.select("div[data-unit]").rename("p");
    copy
}

/// Which of `count` marked units are in `part`.
pub(super) fn units_in(part: &Document, count: usize) -> Vec<bool> {
    let mut held = vec![false; count];
    for node in part.select("[data-unit]").nodes() {
        let number = node.attr(MARK).and_then(|number| number.parse::<usize>().ok());
        number.and_then(|number| held.get_mut(number)).into_iter().for_each(|held| *held = true);
    }
    held
}

/// Lists of lines and tables of data, which are units as a whole: a list that loses an item counts wrongly, and a row that loses a cell
/// says something else.
fn wholes(document: &Document, sizes: &TextSizes) -> HashSet<NodeId> {
    let mut found: HashSet<NodeId> = HashSet::new();
    for node in document.select("ul, ol, dl, table").nodes() {
        let is_inside = |found: &HashSet<NodeId>| node.ancestors_it(None).any(|above| found.contains(&above.id));
        let is_whole = match node.has_name("table") {
            true => is_of_data(node, sizes),
            false => holds_only(node, &OF_LISTS, sizes),
        };
        if is_whole && !is_inside(&found) {
            found.insert(node.id);
        }
    }
    found
}

fn is_of_data(table: &NodeRef<'_>, sizes: &TextSizes) -> bool {
    let (mut rows, mut cells, mut longest) = (0, 0, 0);
    for inside in table.descendants_it() {
        let is_cell = inside.has_name("td") || inside.has_name("th");
        rows += usize::from(inside.has_name("tr"));
        cells += usize::from(is_cell);
        longest = longest.max(if is_cell { sizes.of_node(&inside).chars } else { 0 });
    }
    rows >= MIN_ROWS && cells >= MIN_CELLS && longest <= MAX_CELL_CHARS && holds_only(table, &OF_TABLES, sizes)
}

fn holds_only(node: &NodeRef<'_>, names: &[&str], sizes: &TextSizes) -> bool {
    let mut blocks = node.descendants_it().filter(|inside| is_block(inside) && sizes.of_node(inside).chars > 0);
    blocks.all(|inside| names.iter().any(|name| inside.has_name(name)))
}

/// The elements that hold blocks with text.
fn holders(document: &Document, wholes: &HashSet<NodeId>, sizes: &TextSizes) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    for node in document.select("body, body *").nodes() {
        let is_in_whole = || node.ancestors_it(None).any(|above| wholes.contains(&above.id));
        if !is_block(node) || sizes.of_node(node).chars == 0 || is_in_whole() {
            continue;
        }
        for above in node.ancestors_it(None) {
            if !found.insert(above.id) {
                break;
            }
        }
    }
    // A page of loose text is one unit.
    document.select("body").nodes().iter().for_each(|body| _ = found.insert(body.id));
    found
}

/// Puts each run of text beside blocks into a block of its own.
fn wrap_loose_text(document: &Document, holders: &HashSet<NodeId>, sizes: &TextSizes) {
    for holder in document.select("body, body *").nodes().iter().filter(|node| holders.contains(&node.id)) {
        let mut run: Option<NodeRef<'_>> = None;
        for child in holder.children() {
            if child.is_element() && (is_block(&child) || holders.contains(&child.id)) {
                run = None;
            } else if let Some(wrapper) = &run {
                wrapper.append_child(&child);
            } else if is_text(&child, sizes) {
                child.wrap_html("<div></div>");
                run = child.parent();
            }
        }
    }
}

fn is_text(node: &NodeRef<'_>, sizes: &TextSizes) -> bool {
    match node.is_text() {
        true => node.text().chars().any(|c| !c.is_whitespace()),
        false => sizes.of_node(node).chars > 0,
    }
}

fn is_block(node: &NodeRef<'_>) -> bool {
    node.element_ref().is_some_and(|element| flow(element.name.local.as_ref()) == Flow::Block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(body: &str) -> Vec<String> {
        let document = Document::from(format!("<body>{body}"));
        divide(&document).iter().map(|unit| precis_text::normalize(&unit.text())).collect()
    }

    #[test]
    fn paragraphs_headings_and_loose_text_are_units() {
        for (body, units) in [
            ("<h1>a</h1><p>b <i>c</i></p>", vec!["a", "b c"]),
            ("<div>a <b>b</b><p>c</p>d<br>e</div>f", vec!["a b", "c", "de", "f"]),
            ("<div><a href=x><div>a</div></a> b</div>", vec!["a", "b"]),
            ("a <i>b</i>", vec!["a b"]),
            ("<p> </p><div></div>", vec![]),
        ] {
            assert_eq!(divided(body), units, "{body}");
        }
    }

    #[test]
    fn each_character_of_a_page_is_in_one_unit() {
        let parts = [
            "a",
            " <b>b</b> ",
            "<p>c</p>",
            "<div>",
            "</div>",
            "<ul><li>d</ul>",
            "<br>",
            "<h2>e</h2>",
            "<td>f",
            "<table>",
            "</table>",
            "<a href=x>",
            "</a>",
            "<span>g</span>",
            "<blockquote>",
            "</blockquote>",
            "<select><option>h</select>",
        ];
        let mut state: usize = 7;
        for _ in 0..500 {
            let body: String = (0..12)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    parts[(state >> 33) % parts.len()]
                })
                .collect();
            let dense = |text: &str| text.split_whitespace().collect::<String>();
            let all = dense(&Document::from(format!("<body>{body}")).select("body").text());
            assert_eq!(divided(&body).iter().map(|unit| dense(unit)).collect::<String>(), all, "{body}");
        }
    }

    #[test]
    fn a_list_of_lines_and_a_table_of_data_are_one_unit() {
        for (body, units) in [
            ("<ul><li>a<li>b<ul><li>c</ul></ul>", 1),
            ("<ol><li><p>a</p><li><p>b</p></ol>", 2),
            ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", 1),
            ("<table><tr><td>a<td>b</table>", 2),
            ("<table><tr><td>a<td>b<tr><td><h2>c</h2><td>d</table>", 4),
        ] {
            assert_eq!(divided(body).len(), units, "{body}");
        }
    }

    #[test]
    fn a_table_of_data_has_short_cells() {
        for (chars, units) in [(MAX_CELL_CHARS - 1, 1), (MAX_CELL_CHARS, 1), (MAX_CELL_CHARS + 1, 4)] {
            let body = format!("<table><tr><td>{}<td>b<tr><td>c<td>d</table>", "a".repeat(chars));
            assert_eq!(divided(&body).len(), units, "{chars}");
        }
    }
}

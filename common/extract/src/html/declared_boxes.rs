//! [`DeclaredBoxes`]: elements that the style of a page makes blocks, tables or numbered lists of, as the elements that are so without a
//! style.

use std::collections::HashMap;

use dom_query::{NodeId, NodeRef};

use super::css_value::BoxShape;
use super::roles::{Flow, flow};

/// Fewest rows of a table, and fewest cells of its rows: less only lines boxes up.
const MIN_ROWS: usize = 2;
const MIN_CELLS: usize = 2;
/// Elements without a meaning of their own, of which a style may make anything.
const PLAIN: [&str; 2] = ["div", "span"];

/// The elements of a page with a declared box.
#[derive(Default)]
pub(super) struct DeclaredBoxes<'a> {
    /// Elements of lines that are blocks.
    blocks: Vec<NodeRef<'a>>,
    tables: Vec<NodeRef<'a>>,
    rows: Vec<NodeRef<'a>>,
    cells: Vec<NodeRef<'a>>,
    /// Lists and items with numbers of a kind.
    numbered: Vec<(NodeRef<'a>, &'static str)>,
}

impl<'a> DeclaredBoxes<'a> {
    /// Takes a visible element and the box that it is declared to be.
    pub(super) fn take(&mut self, node: &NodeRef<'a>, shape: Option<BoxShape>) {
        let is_plain = PLAIN.into_iter().any(|name| node.has_name(name));
        match shape {
            Some(BoxShape::Block) if node.node_name().is_some_and(|name| flow(&name) == Flow::Inline) => {
                self.blocks.push(*node);
            }
            Some(BoxShape::Table) if is_plain => self.tables.push(*node),
            Some(BoxShape::Row) if is_plain => self.rows.push(*node),
            Some(BoxShape::Cell) if is_plain => self.cells.push(*node),
            Some(_) | None => {}
        }
    }

    /// Takes a visible element and the numbers that it is declared to have as a list or as an item of one.
    pub(super) fn take_numbers(&mut self, node: &NodeRef<'a>, numbers: Option<&'static str>) {
        let is_of_list = ["ol", "ul", "menu", "li"].into_iter().any(|name| node.has_name(name));
        self.numbered.extend(numbers.filter(|_| is_of_list).map(|kind| (*node, kind)));
    }

    /// Changes the elements of the page.
    pub(super) fn build(self) {
        let (rows, cells) = (by_parent(self.rows), by_parent(self.cells));
        for table in self.tables {
            let its_rows = rows.get(&table.id).map_or(&[][..], Vec::as_slice);
            let is_row = |row: &&NodeRef<'a>| cells.get(&row.id).is_some_and(|cells| cells.len() >= MIN_CELLS);
            if its_rows.len() < MIN_ROWS || its_rows.iter().filter(is_row).count() < its_rows.len() {
                continue;
            }
            table.rename("table");
            for row in its_rows {
                row.rename("tr");
                cells.get(&row.id).into_iter().flatten().for_each(|cell| cell.rename("td"));
            }
        }
        self.blocks.iter().for_each(|block| block.wrap_html("<div></div>"));
        for (node, kind) in self.numbered {
            node.set_attr("type", kind);
            if !node.has_name("li") {
                node.rename("ol");
            }
        }
    }
}

fn by_parent(nodes: Vec<NodeRef<'_>>) -> HashMap<NodeId, Vec<NodeRef<'_>>> {
    let mut found: HashMap<NodeId, Vec<NodeRef<'_>>> = HashMap::new();
    for node in nodes {
        if let Some(parent) = node.parent() {
            found.entry(parent.id).or_default().push(node);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use precis_proto::extraction::HtmlMode;

    use super::super::page_text;

    const STYLE: &str = "<style>.t{display:table}.r{display:table-row}.c{display:table-cell}.b{display:block}</style>";

    fn read(body: &str) -> Vec<String> {
        let page = page_text(&format!("{STYLE}<body>{body}"), HtmlMode::Full);
        let cells = |leaf: &precis_text::Leaf| match leaf.cells.as_slice() {
            [] => leaf.text.clone(),
            cells => cells.iter().map(|cell| leaf.text[cell.clone()].to_owned()).collect::<Vec<_>>().join("|"),
        };
        page.leaves.iter().map(cells).collect()
    }

    #[test]
    fn a_table_by_style_has_rows_and_cells() {
        let row = |a: &str, b: &str| format!("<div class=r><div class=c>{a}</div><div class=c>{b}</div></div>");
        let table = format!("<div class=t>{}{}</div>", row("May", "12"), row("June", "14"));
        assert_eq!(read(&table), ["May|12", "June|14"]);
        let layout = format!("<div class=t>{}</div>", row("Menu", "Text"));
        assert_eq!(read(&layout), ["Menu", "Text"]);
    }

    #[test]
    fn a_block_by_style_does_not_join_the_word_before() {
        assert_eq!(read("<p>Fee<span class=b>12 euros</span>a year</p>"), ["Fee", "12 euros", "a year"]);
        assert_eq!(read("<p>Fee<span>s</span></p>"), ["Fees"]);
    }

    #[test]
    fn a_list_has_the_numbers_of_its_style() {
        let markers = |body: &str| -> Vec<String> {
            let style =
                "<style>.a{list-style-type:lower-alpha}.r>li{list-style:upper-roman inside}.n{list-style:none}</style>";
            let page = page_text(&format!("{style}<body>{body}"), HtmlMode::Full);
            page.leaves.into_iter().filter_map(|leaf| leaf.marker).collect()
        };
        for (body, want) in [
            ("<ol class=a start=3><li>x<li>y</ol>", ["c.", "d."]),
            ("<ol class=r><li>x<li>y</ol>", ["I.", "II."]),
            ("<ul style='list-style-type:decimal'><li>x<li>y</ul>", ["1.", "2."]),
            ("<ol class=a><li>x<li style='list-style-type:decimal'>y</ol>", ["a.", "2."]),
            ("<ol class='a n'><li>x<li>y</ol>", ["1.", "2."]),
            ("<ul class=n><li>x<li>y</ul>", ["-", "-"]),
            ("<ul><li>x<li>y</ul>", ["-", "-"]),
        ] {
            assert_eq!(markers(body), want, "{body}");
        }
    }

    #[test]
    fn a_line_through_text_does_not_enter_an_adjacent_box() {
        let style = "text-decoration:line-through";
        let body = format!("<p style='{style}'>20 <b>30</b> <span style='display:inline-block'>15</span> euros</p>");
        assert_eq!(read(&body), ["15"]);
    }

    #[test]
    fn what_is_moved_off_the_screen_is_hidden() {
        for style in ["position:relative;left:-9999px", "position:absolute;left:-9999px"] {
            assert_eq!(read(&format!("<p>kept <b style='{style}'>gone</b></p>")), ["kept"], "{style}");
        }
        assert_eq!(read("<p>kept <b style='position:relative;left:-9px'>too</b></p>"), ["kept too"]);
    }
}

use super::*;

fn push(leaves: &mut Leaves, text: &str) {
    leaves.push(Leaf::new(BlockKind::Paragraph, text));
}

fn row(leaves: &mut Leaves, cells: &[(Cell, &str)]) {
    leaves.open_row(false);
    for (cell, text) in cells {
        leaves.open_cell(*cell);
        if !text.is_empty() {
            push(leaves, text);
        }
    }
    leaves.close_row();
}

fn render_leaf(leaf: &Leaf) -> String {
    let cells: Vec<&str> = leaf.cells.iter().map(|cell| &leaf.text[cell.clone()]).collect();
    match leaf.table {
        Some(table) => format!("{table}{} {}", if leaf.is_header { "h" } else { "" }, cells.join("|")),
        None => leaf.text.clone(),
    }
}

const PLAIN: Cell = Cell::PLAIN;
const HEAD: Cell = Cell { is_header: true, ..Cell::PLAIN };

#[test]
fn cells_of_several_columns_or_rows_keep_the_others_in_their_columns() {
    let mut leaves = Leaves::default();
    leaves.open_table();
    row(&mut leaves, &[(HEAD, "a"), (Cell { columns: 2, ..HEAD }, "b"), (HEAD, "c")]);
    row(&mut leaves, &[(Cell { rows: 3, ..HEAD }, "1"), (PLAIN, "2"), (PLAIN, ""), (PLAIN, "4")]);
    row(&mut leaves, &[(PLAIN, "5"), (PLAIN, "6")]);
    row(&mut leaves, &[(PLAIN, "7"), (PLAIN, "8"), (PLAIN, "9")]);
    row(&mut leaves, &[(PLAIN, "10"), (PLAIN, "11")]);
    leaves.close_table();
    let found: Vec<String> = leaves.finish().iter().map(render_leaf).collect();
    assert_eq!(found, ["1h a|b|b|c", "1 1|2||4", "1 1|5|6", "1 1|7|8|9", "1 10|11"]);
}

#[test]
fn a_row_that_arranges_blocks_leaves_them_alone() {
    let mut leaves = Leaves::default();
    leaves.open_table();
    leaves.open_row(false);
    leaves.open_cell(PLAIN);
    push(&mut leaves, "menu");
    leaves.open_cell(PLAIN);
    leaves.open_table();
    row(&mut leaves, &[(PLAIN, "x"), (PLAIN, "y")]);
    leaves.close_table();
    push(&mut leaves, "text");
    leaves.close_row();
    row(&mut leaves, &[(PLAIN, "alone")]);
    row(&mut leaves, &[(PLAIN, "p"), (PLAIN, "q")]);
    leaves.close_table();
    leaves.open_table();
    row(&mut leaves, &[(PLAIN, "r"), (PLAIN, "s")]);
    let found: Vec<String> = leaves.finish().iter().map(render_leaf).collect();
    assert_eq!(found, ["menu", "1 x|y", "text", "alone", "2 p|q", "3 r|s"]);
}

#[test]
fn references_set_in_columns_are_one_leaf_a_row() {
    let mut leaves = Leaves::default();
    leaves.open_table();
    leaves.open_row(false);
    for text in ["[1]", "A. B., 2001."] {
        leaves.open_cell(PLAIN);
        leaves.push(Leaf::new(BlockKind::Reference, text));
    }
    let found = leaves.finish();
    assert_eq!((found.len(), found[0].kind, found[0].text.as_str()), (1, BlockKind::Reference, "[1]\nA. B., 2001."));
}

#[test]
fn lists_and_paragraphs_in_a_cell_stay_in_their_row() {
    let list = |leaves: &mut Leaves, cells: &[&[&str]]| {
        leaves.open_row(false);
        for cell in cells {
            leaves.open_cell(PLAIN);
            cell.iter().for_each(|text| push(leaves, text));
        }
        leaves.close_row();
    };
    let mut leaves = Leaves::default();
    leaves.open_table();
    list(&mut leaves, &[&["Mon"], &["ten to eight", "break at noon"]]);
    list(&mut leaves, &[&["Tue"], &["closed"]]);
    leaves.close_table();
    push(&mut leaves, "after");
    let found: Vec<String> = leaves.finish().iter().map(render_leaf).collect();
    assert_eq!(found, ["1 Mon|ten to eight\nbreak at noon", "1 Tue|closed", "after"]);
}

#[test]
fn a_layout_table_is_recognized_by_its_facts() {
    let read = |is_layout: bool, head: Cell, second: &[&[&str]]| {
        let mut leaves = Leaves::default();
        leaves.open_table();
        if is_layout {
            leaves.table_is_layout();
        }
        row(&mut leaves, &[(head, "a"), (head, "b")]);
        leaves.open_row(false);
        for cell in second {
            leaves.open_cell(PLAIN);
            cell.iter().for_each(|text| push(&mut leaves, text));
        }
        leaves.close_table();
        leaves.finish().len()
    };
    assert_eq!(read(false, PLAIN, &[&["c"], &["d", "e"]]), 2);
    assert_eq!(read(true, PLAIN, &[&["c"], &["d", "e"]]), 4);
    assert_eq!(read(false, PLAIN, &[&["c"], &["d", "e"], &["f"]]), 5);
    assert_eq!(read(false, HEAD, &[&["c"], &["d", "e"], &["f"]]), 2);
    for (blocks, leaves) in [(MAX_CELL_BLOCKS - 1, 2), (MAX_CELL_BLOCKS, 2), (MAX_CELL_BLOCKS + 1, MAX_CELL_BLOCKS + 3)]
    {
        assert_eq!(read(false, PLAIN, &[&["c"], &vec!["d"; blocks]]), leaves, "{blocks}");
    }
    for (chars, leaves) in [(MAX_CELL_CHARS - 1, 2), (MAX_CELL_CHARS, 2), (MAX_CELL_CHARS + 1, 4)] {
        let long = "d".repeat(chars - 1);
        assert_eq!(read(false, PLAIN, &[&["c"], &["e", &long]]), leaves, "{chars}");
    }
}

#[test]
fn words_in_no_table_are_passed_on() {
    let mut leaves = Leaves::default();
    leaves.open_row(true);
    leaves.open_cell(PLAIN);
    push(&mut leaves, "x");
    leaves.close_row();
    leaves.close_table();
    assert_eq!(leaves.finish()[0].kind, BlockKind::Paragraph);
}

use super::delimited::{MAX_CELL_DEPTH, MAX_OPEN};
use super::*;

fn blocks(source: &str) -> Vec<String> {
    let of = |leaf: &Leaf| {
        let level = leaf.level.map_or(String::new(), |level| level.to_string());
        format!("{}{level} {}: {}", leaf.kind.as_str(), leaf.marker.as_deref().unwrap_or_default(), leaf.text)
    };
    read(source).leaves.iter().map(of).collect()
}

#[test]
fn blocks_are_those_of_the_rendered_page() {
    for (source, want) in [
        (
            "= T\nAnn B <a@b.c>\nv1.0, 2020-01-02\n:toc:\n:v: 2\n\nIs {v}.\n\n== S *x*\nText\nmore.",
            &[
                "heading1 : T",
                "field : author: Ann B <a@b.c>",
                "field : revision: v1.0, 2020-01-02",
                "paragraph : Is 2.",
                "heading2 : S x",
                "paragraph : Text more.",
            ][..],
        ),
        (
            "* a\n** b\n* c\n+\nmore\n\n. one\n. two\n\nText",
            &[
                "list_item1 *: a",
                "list_item2 **: b",
                "list_item1 *: c",
                "list_item1 : more",
                "list_item2 .: one",
                "list_item2 .: two",
                "paragraph : Text",
            ],
        ),
        (
            "Club Rules\n==========\n\nAims\n----\n\n* play\n\nFees\n----\n\nIt is *40*.\n\nMore\n~~~~\nText\n\n----\ncode\n----",
            &[
                "heading1 : Club Rules",
                "heading2 : Aims",
                "list_item1 *: play",
                "heading2 : Fees",
                "paragraph : It is 40.",
                "heading3 : More",
                "paragraph : Text",
                "code : code",
            ],
        ),
        // A rule of another length is no underline.
        ("Text\n--------\ncode\n--------", &["paragraph : Text", "code : code"]),
        ("* [x] done\n* open", &["list_item1 [x]: done", "list_item1 *: open"]),
        (
            "term:: about\nother::\n  more",
            &["list_item1 : term", "list_item1 : about", "list_item1 : other", "list_item1 : more"],
        ),
        ("[source,java]\n----\nint *a*; // <1>\n----\n<1> says", &["code : int *a*; // <1>", "list_item1 <1>: says"]),
        (
            "NOTE: Mind *this*.\n\n[TIP]\n====\nDo.\n\n* it\n====",
            &["paragraph : NOTE: Mind this.", "paragraph : Do.", "list_item1 *: it"],
        ),
        ("[quote, Ann]\nSaid.\n\n____\nToo.\n____\nnot", &["quotation : Said.", "quotation : Too.", "paragraph : not"]),
        ("See:\n[source,java]\n----\nx\n----", &["paragraph : See:", "code : x"]),
        ("so [a] is\n[ b]\n[c](d)", &["paragraph : so [a] is [ b] [c](d)"]),
        ("|=====\n|a |b\n|=====", &["table_row : a\nb"]),
        (
            ",===\na,\"b, c\"\n\n1,2\n,===\n\n:===\na:b\n:===",
            &["table_row : a\nb, c", "table_row : 1\n2", "table_row : a\nb"],
        ),
        (".Caption\n|===\n|a |b\n\n|1 |2\n|===", &["caption : Caption", "table_row : a\nb", "table_row : 1\n2"]),
        ("a footnote:[A _note_.] b\n\n  typed *x*", &["paragraph : a b", "footnote : A note.", "code : typed *x*"]),
        ("image::a.png[The dam,200]\n\n++++\n<b>raw</b>\n++++\n\n'''", &["caption : The dam", "paragraph : raw"]),
        ("----\nnot closed", &["code : not closed"]),
    ] {
        assert_eq!(blocks(source), want, "{source}");
    }
}

#[test]
fn comments_and_includes_are_left_out_and_counted() {
    let found = read("// a b\n\n////\nc d\n////\n\ninclude::x.adoc[]\n\nifdef::y[]\nkept\nendif::[]\n\ntoc::[]");
    let texts: Vec<&str> = found.leaves.iter().map(|leaf| leaf.text.as_str()).collect();
    assert_eq!((texts, found.left_out.hidden, found.elsewhere), (vec!["kept"], 4, 1));
}

#[test]
fn the_title_is_that_of_the_document() {
    for (source, want) in [("= A *b*\n\n== C", Some("A b")), ("== C\n\nx", Some("C")), ("x", None)] {
        assert_eq!(read(source).title.as_deref(), want, "{source}");
    }
}

#[test]
fn blocks_inside_each_other_are_followed_to_a_depth() {
    for (depth, is_quotation) in [(MAX_OPEN - 1, true), (MAX_OPEN, true), (MAX_OPEN + 1, false)] {
        let around: String = (0..depth - 1).map(|at| "=".repeat(4 + at) + "\n").collect();
        let found = blocks(&format!("{around}____\nx"));
        assert_eq!(found == ["quotation : x"], is_quotation, "{depth}: {found:?}");
    }
}

/// The rows of a table, with bars between their cells.
fn rows(lines: &str) -> Vec<String> {
    let found = read(&format!("{lines}\n"));
    let row = |leaf: &Leaf| {
        let cells: Vec<String> = leaf.cells.iter().map(|cell| leaf.text[cell.clone()].replace('\n', "/")).collect();
        format!("{}{}", if leaf.is_header { "h " } else { "" }, cells.join("|"))
    };
    found.leaves.iter().map(row).collect()
}

#[test]
fn cells_belong_to_every_row_and_column_they_cover() {
    for (lines, want) in [
        ("|===\n|Region 2+|May\n\n.2+|North |a |1\n|b |2\n|===", &["h Region|May|May", "North|a|1", "North|b|2"][..]),
        ("[cols=3*]\n|===\n|a 2.2+|b\n|c\n3*|d\n|===", &["a|b|", "c|b|", "d|d|d"]),
        ("|===\n.2+|a .2+|b\n|c |d\n|===", &["a|b", "c|d"]),
    ] {
        assert_eq!(rows(lines), want, "{lines}");
    }
}

#[test]
fn blocks_of_a_cell_stay_in_its_row() {
    for (lines, want) in [
        ("|===\n|a a|* b\n* *c*\n\nd\n|e |f\n|===", &["a|b/c/d", "e|f"][..]),
        ("[cols=\"1,1a\"]\n|===\n|a |. b\n. c\n|===", &["a|b/c"]),
        ("|===\n|a a|\n!===\n!b .2+!c\n!d\n!===\n|===", &["a|b/c/d/c"]),
    ] {
        let lines = lines.replace("|a\na|", "|a a|").replace("|e\n|f", "|e |f");
        assert_eq!(rows(&lines), want, "{lines}");
    }
}

#[test]
fn cells_inside_each_other_are_read_to_a_depth() {
    for (depth, is_read) in [(MAX_CELL_DEPTH - 1, true), (MAX_CELL_DEPTH, true), (MAX_CELL_DEPTH + 1, false)] {
        let bar = |level: usize| format!("{}|", "\\".repeat(level));
        let open: String =
            (0..depth).map(|level| format!("{0}{1}\na{0}\n", bar(level), "=".repeat(3 + level))).collect();
        let close: String =
            (0..depth).rev().map(|level| format!("{}{}\n", bar(level), "=".repeat(3 + level))).collect();
        let found = rows(&format!("{open}* x\n\n{close}"));
        assert_eq!(found, [if is_read { "x" } else { "* x" }], "{depth}");
    }
}

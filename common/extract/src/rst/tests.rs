use std::fmt::Write as _;

use precis_text::CanonicalText;

use super::*;
use crate::package::fixture::render_leaf;

fn read_leaves(source: &str) -> Vec<String> {
    read(source).leaves.iter().map(render_leaf).collect()
}

fn text(source: &str) -> String {
    CanonicalText::from_leaves(&read(source).leaves).as_str().to_owned()
}

#[test]
fn body_elements_are_blocks() {
    for (source, want) in [
        (
            "Title\n=====\n\nA\n-\n\nB *b*\n=====\n\n====\nOver\n====\nx\n\n----\n\ny",
            &[
                "heading1 : Title",
                "heading2 : A",
                "heading1 : B b",
                "heading3 : Over",
                "paragraph : x",
                "paragraph : y",
            ][..],
        ),
        (
            "- a\n  b\n\n  c\n\n  * d\n+ e\n\n• f",
            &["list_item1 -: a b", "list_item1 : c", "list_item2 -: d", "list_item1 -: e", "list_item1 •: f"],
        ),
        (
            "3. a\n#. b\n\n   (i) c\n   (#) d\n\na) e",
            &["list_item1 3.: a", "list_item1 4.: b", "list_item2 (i): c", "list_item2 (1): d", "list_item1 a): e"],
        ),
        (
            "2020. It\nwas late.\n\n1. a\n2. b",
            &["paragraph : 2020. It was late.", "list_item1 1.: a", "list_item1 2.: b"],
        ),
        (
            "``a`` : int\n  What it\n  is.\nb\n  Text.",
            &["list_item1 : a : int", "list_item1 : What it is.", "list_item1 : b", "list_item1 : Text."],
        ),
        (
            ":Author: *A* B\n  C\n:Empty:\n:List:\n  - x",
            &["field : Author: A B C", "field : Empty:", "field : List:", "list_item1 -: x"],
        ),
        (
            "-a, --all  All *of* it.\n--file=F\n           One.",
            &["list_item1 : -a, --all", "list_item1 : All of it.", "list_item1 : --file=F", "list_item1 : One."],
        ),
        (
            "| Roses *are*\n|   red\n  still\n|\n| end\n\n|x| y",
            &["paragraph : Roses are red still end", "paragraph : |x| y"],
        ),
        (
            "Code::\n\n   a *b*\n     c\n\nText ::\n\n> q\n> r\n\n::\n\n  d",
            &["paragraph : Code:", "code : a *b* c", "paragraph : Text", "code : > q > r", "code : d"],
        ),
        ("- term()\n     What it does.", &["list_item2 : term()", "list_item2 : What it does."]),
        ("x\n\n---\n\ny", &["paragraph : x", "paragraph : y"]),
        (">>> 1 + *1*\n2\n\nx", &["code : >>> 1 + *1* 2", "paragraph : x"]),
        (
            "Text.\n\n  Quoted *it*.\n\n  -- A. B.,\n     Book\n",
            &["paragraph : Text.", "quotation : Quoted it.", "quotation : -- A. B., Book"],
        ),
        ("Ab a::b\nand `c\n   d` e", &["paragraph : Ab a::b and c d e"]),
    ] {
        assert_eq!(read_leaves(source), want, "{source}");
    }
}

#[test]
fn tables_are_rows_of_cells() {
    for (source, want) in [
        (
            "=====  ====  ==\nName   Kind  N\n=====  ====  ==\n``a``  b c   1\n       d     2\n\n\\            3 more\n=====  ====  ==\n\nx",
            &["table_row1h : Name|Kind|N", "table_row1 : a|b c d|1 2", "table_row1 : ||3 more", "paragraph : x"][..],
        ),
        (
            "===  ===  ===\n  Both    c\n--------  ---\na    b    c\n===  ===  ===\n1    2    3\n===  ===  ===",
            &["table_row1h : Both|Both|c", "table_row1h : a|b|c", "table_row1 : 1|2|3"],
        ),
        (
            "+---+-----+\n| A | *B* |\n+===+=====+\n| 1 | two |\n|   |     |\n|   | - x |\n+---+-----+\n| both    |\n+---+-----+",
            &["table_row1h : A|B", "table_row1 : 1|two x", "table_row1 : both|"],
        ),
        ("+--+--+\n|a |b |\n|  +--+\n|  |c |\n+--+--+", &["table_row1 : a|b", "table_row1 : a|c"]),
        ("+--+--+\n|a  |b |\n+--+--+", &["code : |a |b |"]),
        ("== ==\nabcde f\n== ==", &["code : abcde f"]),
        ("===  ===\nno end\n\nx", &["paragraph : no end", "paragraph : x"]),
        (
            ".. list-table:: *Cap*\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - two\n\n       three",
            &["caption : Cap", "table_row1h : A|B", "table_row1 : 1|two three"],
        ),
        (
            ".. csv-table:: Cap\n   :header: \"A\", \"B\"\n   :widths: 1, 2\n\n   \"x, *y*\", 2\n   3",
            &["caption : Cap", "table_row1h : A|B", "table_row1 : x, y|2", "table_row1 : 3"],
        ),
        (".. table:: Cap\n   :align: left\n\n   == ==\n   a  b\n   == ==", &["caption : Cap", "table_row1 : a|b"]),
        ("=== ===\n日本 b\n=== ===", &["code : 日本 b"]),
        ("==== ===\n日本 b\n==== ===", &["table_row1 : 日本|b"]),
    ] {
        assert_eq!(read_leaves(source), want, "{source}");
    }
}

#[test]
fn explicit_markup_shows_what_a_page_shows() {
    for (source, want) in [
        (
            "a [1]_ [#f]_ [C20]_\n\n.. [1] One\n   two.\n\n   three\n.. [#f] F\n.. [C20] Cit",
            &[
                "paragraph : a [1] [2] [C20]",
                "footnote : [1] One two.",
                "footnote : three",
                "footnote : [2] F",
                "footnote : [C20] Cit",
            ][..],
        ),
        (".. gone *x*\n   gone\n\n   gone\n\nkept\n\n..\n\n  kept", &["paragraph : kept", "quotation : kept"]),
        (".. _a: https://a.b\n   /c\n__ https://d\n.. __: e\n\n`t <u>`__ and a_", &["paragraph : t and a"]),
        (".. |s| replace:: *sub*\n\n|s| it", &["paragraph : sub it"]),
        (
            ".. note:: First\n   line.\n\n   Second.\n\n.. warning::\n   :class: x\n\n   No.",
            &[
                "paragraph : Note",
                "paragraph : First line.",
                "paragraph : Second.",
                "paragraph : Warning",
                "paragraph : No.",
            ],
        ),
        (
            ".. code-block:: python\n   :caption: Cap\n\n   a = **b\n\n.. code:: c\n   x\n\n.. code::\n\n   y",
            &["caption : Cap", "code : a = **b", "code : x", "code : y"],
        ),
        (".. parsed-literal::\n\n   a *b*\n\n.. math:: a_b\n\n   c*d", &["code : a b", "code : a_b c*d"]),
        (
            ".. image:: a.png\n   :alt: A cat\n\n.. figure:: b.png\n   :alt: B\n\n   Cap *it*.\n\n   Legend.",
            &["caption : A cat", "caption : B", "caption : Cap it.", "caption : Legend."],
        ),
        (
            ".. contents::\n   :local:\n\n.. toctree::\n\n   a\n\n.. include:: /etc/passwd\n.. highlight:: c\n\nx",
            &["paragraph : x"],
        ),
        (
            "A\n=\n\n.. rubric:: R *r*\n\n.. topic:: T\n\n   t\n\n.. epigraph::\n\n   e\n\n   -- N",
            &["heading1 : A", "heading2 : R r", "paragraph : T", "paragraph : t", "quotation : e", "quotation : -- N"],
        ),
        (
            ".. versionadded:: 3.8\n   It *is*.\n\n.. deprecated:: 3.9\n\n.. c:function:: int f(char *a)\n\n   Does ``x``.",
            &[
                "paragraph : Added in version 3.8: It is.",
                "paragraph : Deprecated since version 3.9:",
                "code : int f(char *a)",
                "paragraph : Does x.",
            ],
        ),
        (".. unknown:: an *arg*\n   :opt: gone\n\n   - text", &["paragraph : an arg", "list_item1 -: text"]),
        (".. raw:: html\n\n   <p>h <b hidden>gone</b></p>\n\n.. raw:: latex\n\n   gone", &["paragraph : h"]),
        (":orphan:\n\nT\n=", &["heading1 : T"]),
    ] {
        assert_eq!(read_leaves(source), want, "{source}");
    }
}

#[test]
fn the_fields_of_a_proposal_stay_as_they_are() {
    let page = read("PEP: 8\nTitle: Style ``x``\nAuthor: A,\n        B\n\n\nIntroduction\n============\n\nText.");
    assert_eq!(page.title.as_deref(), Some("PEP 8: Style ``x``"));
    let leaves: Vec<String> = page.leaves.iter().map(render_leaf).collect();
    assert_eq!(leaves[1], "field : Title: Style ``x``");
    assert_eq!(leaves[3..], ["heading1 : Introduction", "paragraph : Text."]);
    assert_eq!(read(":orphan:\n\nThe *T*\n=======").title.as_deref(), Some("The T"));
    assert_eq!(read("Text only.").title, None);
}

#[test]
fn a_line_break_cuts_no_sentence() {
    for source in [
        "It is\n  not so.",
        "This is a sentence that\ngoes on and is\n   not so.",
        "- It is\nnot so.",
        "- It is\n      not so.",
        "1. It is\n  not so.",
        "a. It is\nnot so.",
        ".. note:: It is\n   not so.",
    ] {
        let cut = read(source).leaves.iter().filter(|leaf| leaf.text == "not so.").count();
        assert_eq!(cut, usize::from(source.starts_with("It is\n  ")), "{source}");
    }
}

#[test]
fn characters_that_show_nothing_are_left_out_and_counted() {
    let page = read("a\u{200b}b *c\u{e0041}\u{e0042}*\n\n::\n\n  d\u{e0041}");
    assert_eq!(page.leaves.iter().map(render_leaf).collect::<Vec<_>>(), ["paragraph : ab c", "code : d"]);
    assert_eq!(page.left_out.hidden, 3);
}

#[test]
fn deep_nesting_costs_no_stack_and_little_time() {
    let mut stairs = String::new();
    for level in 0..4_000 {
        writeln!(stairs, "{}word\n", " ".repeat(level)).expect("a string takes it");
    }
    let wide = format!("- {}\n", "+-".repeat(20_000));
    for source in [
        stairs,
        format!("{}deep", "- ".repeat(20_000)),
        format!("{}deep\n{}\n{}deep", "- ".repeat(20_000), "\n".repeat(200_000), " ".repeat(40_000)),
        format!("{}deep", "1. ".repeat(20_000)),
        format!("{}deep", ":a: ".repeat(20_000)),
        format!("{}deep", ".. note:: ".repeat(20_000)),
        format!("{}deep", "`".repeat(200_000)),
        format!("{}deep", "== ==\nx\n".repeat(20_000)),
        format!("{}deep", "== ==\n".repeat(20_001)),
        format!("{}deep", "=== ==\n\n".repeat(20_000)),
        format!("{}\n\ndeep", "+-+-+\n".repeat(20_000)),
        format!("{}\n\ndeep", format!("+{}+\n", "-+".repeat(100)).repeat(300)),
        format!("{}\n\ndeep", format!("{wide}|").repeat(10)),
        format!("{}deep", "a\n\n ".repeat(20_000)),
        format!("{}deep", "::\n\n".repeat(20_000)),
        format!("{}deep", ".. [#a] x\n".repeat(20_000)),
    ] {
        let page = text(&source);
        assert!(page.contains("deep") || page.contains("word"), "{}", &source[..40]);
    }
}

#[test]
fn external_texts_are_counted_and_not_read() {
    for (source, want) in [
        (".. include:: a.txt\n\n* .. literalinclude:: b.c\n", 2),
        (".. csv-table:: T\n   :file: t.csv\n\n.. csv-table:: T\n\n   a,b\n", 1),
        (".. raw:: html\n   :url: https://a.b\n\n.. raw:: html\n\n   <p>x</p>\n", 1),
        (".. automodule:: os\n\n.. toctree::\n\n   a\n", 1),
        ("====  ====\na     .. include:: x\n====  ====\n", 1),
        ("plain", 0),
    ] {
        assert_eq!(read(source).elsewhere, want, "{source}");
    }
}

/// A page with every construct, written as by an ordinary author.
const PAGE: &str = include_str!("page.rst");

#[test]
fn no_markup_of_a_real_page_is_left() {
    let page = read(PAGE);
    assert_eq!(page.title.as_deref(), Some("Reading Tides"));
    for leaf in page.leaves.iter().filter(|leaf| leaf.kind != BlockKind::Code) {
        for mark in ["``", "**", "`_", "::", ".. ", "===", "---", "|_", ":pep:", ">`"] {
            assert!(!leaf.text.contains(mark), "{mark} in {:?}", leaf.text);
        }
    }
    let words = text(PAGE);
    for kept in [
        "gauges must not be read twice",
        "PEP 8, the manual for more, Rules and rules [1]",
        "The gauge holds",
        "[1]",
        "Low water",
        "x = *args",
    ] {
        assert!(words.contains(kept), "{kept} is missing: {words}");
    }
    assert!(!words.contains("secret"), "{words}");
}

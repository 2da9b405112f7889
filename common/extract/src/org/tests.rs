use super::super::package::fixture::render_leaf;
use super::*;

#[test]
fn an_org_document_is_read_block_by_block() {
    let source = "#+TITLE: On *ropes*\n#+AUTHOR: Ann\n#+OPTIONS: toc:nil\n# gone\n\n* TODO [#A] Sale :shop:\n:PROPERTIES:\n:ID: 1\n:END:\nWe do /not/\nsell [[https://a.b][ropes]].[fn:1]\n\n- one\n  more\n  1) deep\n- [X] two\n- term :: text\nAfter.\n\n| a | b |\n|---+---|\n| 1 | =2= |\n#+TBLFM: x\n#+CAPTION: A table\n** Code\n#+BEGIN_SRC rust\nlet a = *b;\n#+END_SRC\n#+begin_quote\nSaid.\n#+end_quote\n: fixed\n#+BEGIN_EXPORT html\n<b>raw</b>\n#+END_EXPORT\n-----\n[fn:1] A note.\n* COMMENT no\nhidden\n* Last\n";
    let found = read(source);
    assert_eq!(
        found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
        [
            "heading1 : On ropes",
            "field : author: Ann",
            "heading1 : TODO Sale",
            "paragraph : We do not sell ropes.",
            "list_item1 -: one more",
            "list_item2 1): deep",
            "list_item1 [X]: two",
            "list_item1 -: term: text",
            "paragraph : After.",
            "table_row1h : a|b",
            "table_row1 : 1|2",
            "caption : A table",
            "heading2 : Code",
            "code : let a = *b;",
            "quotation : Said.",
            "code : fixed",
            "footnote : A note.",
            "heading1 : Last"
        ]
    );
    assert_eq!((found.title.as_deref(), found.unread), (Some("On ropes"), 2));
    assert_eq!(found.left_out.hidden, "gone*COMMENTnohidden".len() as u64);
}

#[test]
fn what_never_ends_is_kept() {
    for (source, want) in [
        // An exporter shows a beginning without an end as text.
        ("#+begin_src\nx", "paragraph : #+begin_src x"),
        (":warning:\nDo not sell.", "paragraph : :warning: Do not sell."),
        ("| a", "table_row1 : a"),
        ("#+begin_foo\nx", "paragraph : #+begin_foo x"),
        ("- x", "list_item1 -: x"),
    ] {
        assert_eq!(read(source).leaves.iter().map(render_leaf).collect::<Vec<_>>(), [want], "{source}");
    }
    assert_eq!(read(":LOGBOOK:\nx\n:END:").leaves, []);
}

#[test]
fn a_table_drawn_as_a_grid_is_rows() {
    for (source, want) in [
        (
            "x\n+----+------+\n| a  | *b*  |\n+====+======+\n| c  | d    |\n|    | e    |\n+----+------+\ny",
            &["paragraph : x", "table_row1h : a|b", "table_row1 : c|d e", "paragraph : y"][..],
        ),
        ("+--+--+\n| a|b |\n|  +--+\n|  |c |\n+--+--+", &["table_row1 : a|b", "table_row1 : a|c"]),
        ("+--+--+\n| a  |b |\n+--+--+\nx", &["code : | a |b |", "paragraph : x"]),
        ("#+begin_src\n+--+\n|a |\n+--+\n#+end_src", &["code : +--+ |a | +--+"]),
    ] {
        assert_eq!(read(source).leaves.iter().map(render_leaf).collect::<Vec<_>>(), want, "{source}");
    }
}

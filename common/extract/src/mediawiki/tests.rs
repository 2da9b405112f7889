use super::*;

fn blocks(source: &str) -> Vec<String> {
    let of = |leaf: &Leaf| {
        let level = leaf.level.map_or(String::new(), |level| level.to_string());
        let notes = if leaf.notes.is_empty() { String::new() } else { format!(" [{}]", leaf.notes.join(",")) };
        format!("{}{level} {}: {}{notes}", leaf.kind.as_str(), leaf.marker.as_deref().unwrap_or_default(), leaf.text)
    };
    read(source).leaves.iter().map(of).collect()
}

#[test]
fn blocks_are_those_of_the_rendered_page() {
    for (source, want) in [
        (
            "== A ==\nText of '''a'''\nparagraph.\n\n=== [[B|the ''b'']] ===\n[https://a.b words] https://c.d",
            &["heading2 : A", "paragraph : Text of a paragraph.", "heading3 : the b", "paragraph : words https://c.d"]
                [..],
        ),
        (
            "* a\n** b\n* c\n# one\n## in\n# two\n\nText",
            &[
                "list_item1 -: a",
                "list_item2 -: b",
                "list_item1 -: c",
                "list_item1 1.: one",
                "list_item2 1.: in",
                "list_item1 2.: two",
                "paragraph : Text",
            ],
        ),
        ("; a : b\n: c\n:: d", &["list_item1 : a", "list_item1 : b", "list_item1 : c", "list_item2 : d"]),
        ("a\n int x;\n\n<pre>\n<b> &lt; [[c]]\n</pre>", &["paragraph : a", "code : int x;", "code : <b> < [[c]]"]),
        ("<source lang=c>\na <b> &lt;\n</source> <nowiki>''d''</nowiki>", &["code : a <b> &lt;", "paragraph : ''d''"]),
        ("10<sup>6</sup> H<sub>2</sub>O are <s>not</s> <math>\\frac{a}{b}</math>", &["paragraph : 10⁶ H₂O are a/b"]),
        ("a&nbsp;&lt;b&gt; <!-- c --> <bytes> &amp;amp;", &["paragraph : a <b> <bytes> &amp;"]),
        (
            "A dam<ref name=x>By ''Ann''</ref> was <ref>{{cite|title=On dams|url=https://a.b}}</ref>, so<ref name=\"x\"/>is.\n\n== Notes ==\n<references/>\nEnd.",
            &[
                "paragraph : A dam was, so is. [1,2,1]",
                "heading2 : Notes",
                "footnote 1: By Ann",
                "footnote 2: On dams",
                "paragraph : End.",
            ],
        ),
        ("A<ref>b\n\nc</ref>", &["paragraph : A [1]", "footnote 1: b", "footnote : c"]),
        ("A<ref name=x />\n<references><ref name=x>b</ref></references>", &["paragraph : A [1]", "footnote 1: b"]),
        (
            "A<ref name=x>b</ref> c<ref name=x>. D<ref>e</ref>.",
            &["paragraph : A c. D. [1,1,2]", "footnote 1: b", "footnote 2: e"],
        ),
        ("See [[File:a.png|thumb|The dam|The ''old'' dam]] it.", &["paragraph : See it.", "caption : The old dam"]),
        ("<gallery>\na.png|The dam\n</gallery>", &["caption : The dam"]),
        ("<blockquote>\nSaid.\n</blockquote>\n----\nb", &["quotation : Said.", "paragraph : b"]),
        ("<poem>\na\n b\n</poem>", &["paragraph : a b"]),
        ("<ol>\n<li>a</li>\n<li>b</li>\n</ol>", &["list_item1 1.: a", "list_item1 2.: b"]),
        ("#REDIRECT [[Other page]]", &["field : redirects to: Other page"]),
        ("a\n\n[[Category:Dams]]\n[[de:Damm]]", &["field : category: Dams", "paragraph : a"]),
        (
            "{{Infobox\n| name = [[Ost|the Ost]]\n| built = 1931<br>1932\n}}\n'''Ost''' is a dam.",
            &["field : name: the Ost", "field : built: 1931 1932", "paragraph : Ost is a dam."],
        ),
        ("__TOC__\n'''''a''' b''\r\n\r\nc", &["paragraph : a b", "paragraph : c"]),
        ("<code>\na\n  b\n</code>\nand <code>c</code>", &["code : a b", "paragraph : and c"]),
    ] {
        assert_eq!(blocks(source), want, "{source}");
    }
}

/// The rows of a table, with bars between their cells.
fn rows(lines: &str) -> Vec<String> {
    let row = |leaf: &Leaf| {
        let cells: Vec<String> = leaf.cells.iter().map(|cell| leaf.text[cell.clone()].replace('\n', "/")).collect();
        let kind = if leaf.kind == BlockKind::TableRow { "" } else { leaf.kind.as_str() };
        let text = if cells.is_empty() { format!(" {}", leaf.text) } else { cells.join("|") };
        format!("{kind}{}{text}", if leaf.is_header { "h " } else { "" })
    };
    read(lines).leaves.iter().map(row).collect()
}

#[test]
fn rows_have_the_cells_of_the_rendered_table() {
    for (lines, want) in [
        (
            "{| class=\"wikitable\"\n|+ Of dams\n!colspan=2| A\n|-\n! B !! C\n|-\n| style=\"x\" | 1 || [[a|b]]\n|-\n| 2\n| ''c''\nd\n|}\nAfter",
            &["caption Of dams", "h A|", "h B|C", "1|b", "2|c d", "paragraph After"][..],
        ),
        ("{|\n|-\n| rowspan=2 | a || b\n|-\n| c\n|}", &["a|b", "a|c"]),
        ("{|\n! A !! B\n|-\n| a ||\n* b\n* c\n|-\n| d || e\n|}", &["h A|B", "a|b/c", "d|e"]),
        ("{|\n! A !! B\n|-\n| a\n|\n{|\n| b || c\n|}\n|}", &["h A|B", "a|b/c"]),
        (":{|\n| a || b\n|-\n| c || d", &["a|b", "c|d"]),
        ("{|\n|}\na", &["paragraph a"]),
    ] {
        assert_eq!(rows(lines), want, "{lines}");
    }
}

#[test]
fn what_is_not_read_is_counted() {
    let found = read("a<!-- b c --> {{d}} <s>ef</s><timeline>x</timeline>\n{|\n| gh | i || j\n|}");
    let texts: Vec<&str> = found.leaves.iter().map(|leaf| leaf.text.as_str()).collect();
    assert_eq!(texts, ["a […]", "i\nj"]);
    assert_eq!((found.left_out.hidden, found.left_out.struck, found.elsewhere), (4, 2, 2));
}

#[test]
fn the_title_is_that_of_the_page() {
    for (source, want) in [
        ("= A =\n== B ==\n== C ==", Some("A")),
        ("== B ==\n== C ==", None),
        ("{{DISPLAYTITLE:''A'' b}}\n== B ==", Some("A b")),
        ("<pre>\n BIP: 12\n Title: A b\n</pre>\n== B ==\n[[Category:C]]", Some("BIP 12: A b")),
        ("a", None),
    ] {
        assert_eq!(read(source).title.as_deref(), want, "{source}");
    }
}

#[test]
fn a_header_has_so_many_fields() {
    for (given, fields, unread) in [
        (fields::MAX_FIELDS - 1, fields::MAX_FIELDS - 1, 0),
        (fields::MAX_FIELDS, fields::MAX_FIELDS, 0),
        (fields::MAX_FIELDS + 1, fields::MAX_FIELDS, 1),
    ] {
        let values: String = (0..given).map(|n| format!("|n{n}=v\n")).collect();
        let found = read(&format!("{{{{box\n{values}}}}}"));
        assert_eq!((found.leaves.len(), found.elsewhere), (fields, unread), "{given}");
    }
}

#[test]
fn pages_of_marks_are_read_in_linear_time() {
    for text in [
        "[[",
        "{{",
        "{|\n",
        "<ref>",
        "<ref name=a/>",
        "{{a}}\n",
        "{{a}} ",
        "a {{b|c}}",
        "<div>",
        "<b>",
        "*",
        "* a\n*",
        ":",
        "'",
        "== a ==\n",
        "| a\n",
        "{|\n| a\n",
        "|-\n",
        "<ref><references/></ref>",
        "[[Category:a]]\n",
        " a\n",
        "<poem>",
        "[http://a b",
        "__TOC__",
        "<nowiki>a</nowiki>",
        "\n<code>\na</code>b",
        "&",
        "=",
    ] {
        assert!(read(&text.repeat(100_000)).leaves.len() <= 200_001);
    }
}

/// Signs of wikitext.
const SIGNS: [&str; 56] = [
    "[[",
    "]]",
    "{{",
    "}}",
    "{{{",
    "}}}",
    "|",
    "||",
    "\n",
    "\n{|",
    "\n|}",
    "\n|-",
    "\n|+",
    "\n!",
    "''",
    "'''",
    "=",
    "\n== ",
    "\n*",
    "\n#",
    "\n:",
    "\n;",
    "\n ",
    "<ref>",
    "</ref>",
    "<ref name=a />",
    "<ref name=a>",
    "<references>",
    "</references>",
    "<pre>",
    "</pre>",
    "<nowiki>",
    "</nowiki>",
    "<math>",
    "</math>",
    "<!--",
    "-->",
    "<br>",
    "<div>",
    "</div>",
    "<td>",
    "<poem>",
    "</poem>",
    "<gallery>",
    "</gallery>",
    "<code>",
    "</code>",
    "File:",
    "Category:",
    "[http://b ",
    "\u{7f}",
    "0",
    "&lt;",
    "__TOC__",
    "é ",
    "a. ",
];

#[test]
fn signs_in_any_order_are_read() {
    let mut state: u64 = 20_261_130;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let pages = std::env::var("PRECIS_WIKI_PAGES").ok().and_then(|pages| pages.parse().ok()).unwrap_or(500);
    for _ in 0..pages {
        let source: String = (0..next(60)).map(|_| SIGNS[next(SIGNS.len())]).collect();
        for leaf in read(&source).leaves {
            assert!(!leaf.text.contains(MARK), "{source}");
        }
    }
}

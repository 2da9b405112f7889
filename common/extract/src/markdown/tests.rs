use precis_text::CanonicalText;

use super::*;

fn text(source: &str) -> String {
    CanonicalText::from_leaves(&read(source, false).leaves).as_str().to_owned()
}

#[test]
fn markup_and_link_targets_go_and_words_stay() {
    let table = [
        ("**Bold** and *it*_al_ic", "Bold and it_al_ic"),
        ("See [the paper](https://a.b/c \"t\") now", "See the paper now"),
        ("![a cat](cat.png) sits", "a cat sits"),
        ("# A\n\ntext\n* one\n* two", "A text one two"),
        ("`x * y` and\n\n```rust\nlet a = 1; // **no**\n```\nend", "x * y and let a = 1; // **no** end"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
        ("a<br>b <span>c</span>", "a b c"),
        ("<p align=center>Hi &amp; <b>you</b></p>\n\nnext", "Hi & you next"),
        ("<!-- gone -->\n\nkept", "kept"),
        ("5 &lt; 6 \\* 7", "5 < 6 * 7"),
        ("- [x] done[^1]\n\n[^1]: note", "done note"),
        ("a < b and ---", "a < b and ---"),
        ("- Second **task**\n  - nested *one*", "Second task nested one"),
        ("- a\n  <div>b</div>", "a b"),
    ];
    for (source, want) in table {
        assert_eq!(text(source), want, "{source:?}");
    }
}

#[test]
fn blocks_are_those_of_the_rendered_page() {
    let shown = |leaf: &Leaf| {
        let number = leaf.level.map(u32::from).or(leaf.table).map_or(String::new(), |number| number.to_string());
        let marker = leaf.marker.clone().unwrap_or_default();
        let cells: Vec<&str> = leaf.cells.iter().map(|cell| &leaf.text[cell.clone()]).collect();
        let text = if cells.is_empty() { leaf.text.clone() } else { cells.join("|") };
        format!("{}{number}{} {marker}: {text}", leaf.kind.as_str(), if leaf.is_header { "h" } else { "" })
    };
    for (source, want) in [
        ("# A *b*\n\nText\nmore.\n\n---\n## C", &["heading1 : A b", "paragraph : Text more.", "heading2 : C"][..]),
        (
            "3. a\n1. b\n   - c\n\n   d\n",
            &["list_item1 3.: a", "list_item1 4.: b", "list_item2 -: c", "list_item1 : d"],
        ),
        ("- [x] a\n- [ ] b", &["list_item1 [x]: a", "list_item1 [ ]: b"]),
        (
            "|a|b|\n|-|-|\n|1||\n\n|c|\n|-|\n|3|",
            &["table_row1h : a|b", "table_row1 : 1|", "table_row2h : c", "table_row2 : 3"],
        ),
        (
            "> q\n>\n> - r\n\n```\nx\n```\nz[^1]\n\n[^1]: n",
            &["quotation : q", "list_item1 -: r", "code : x", "paragraph : z", "footnote 1: n"],
        ),
        (
            "<h2>H</h2><p>p</p>\n\n|a|b|\n|-|-|\n\n<table><tr><td>1<td>2</table>",
            &["heading2 : H", "paragraph : p", "table_row1h : a|b", "table_row2 : 1|2"],
        ),
        ("- a\n\n  <div>b</div>", &["list_item1 -: a", "list_item1 : b"]),
    ] {
        let found: Vec<String> = read(source, false).leaves.iter().map(shown).collect();
        assert_eq!(found, want, "{source}");
    }
}

#[test]
fn what_html_hides_is_left_out_with_the_markdown_in_it() {
    let table = [
        ("kept <span style=\"display:none\">gone *gone* `gone`</span> too", "kept too"),
        ("kept <b hidden>gone <b>gone</b> gone</b> too", "kept too"),
        ("kept <i aria-hidden=true>gone\n\ntoo", "kept too"),
        ("# kept <i hidden>gone\n\ntoo", "kept too"),
        ("kept\n\n<div hidden>\n\ngone\n\n* gone\n\n</div>\n\ntoo", "kept too"),
        ("<div hidden>\n<div>\n\ngone\n\n</div>\n\ngone\n\n</div> kept\n\ntoo", "kept too"),
        ("<div style='visibility: hidden'>gone</div>\n\nkept", "kept"),
        ("<div hidden>\n\ngone <i hidden>gone</i> gone\n\n</div>\n\nkept", "kept"),
        ("<p hidden>gone\n\nkept", "kept"),
        ("<input hidden>\n\nkept", "kept"),
        ("<div>\n\nkept\n\n</div>", "kept"),
        ("a <input hidden> b", "a b"),
        ("`<span hidden>` kept", "<span hidden> kept"),
        ("ke\u{200b}pt\u{e0041} \u{2066}too", "kept too"),
    ];
    for (source, want) in table {
        assert_eq!(text(source), want, "{source:?}");
    }
    assert_eq!(read("# A\u{200b} ti\u{e0041}tle", false).title.as_deref(), Some("A title"));
}

#[test]
fn the_title_is_the_front_matters_or_the_first_heading() {
    let table = [
        (
            "---\ntitle: \"From *front*\"\ndate: x\n---\n# Heading\n",
            Some("From *front*"),
            "title: From *front* date: x Heading",
        ),
        ("---\neip: 20\ntitle: Token\n---\n## Summary\n", Some("eip 20: Token"), "eip: 20 title: Token Summary"),
        ("+++\ntitle = 'T'\n+++\ntext", Some("T"), "title: T text"),
        ("## Summary\n\na\n\n## Details", None, "Summary a Details"),
        ("text\n\n## The *first*\n\n# Second", Some("The first"), "text The first Second"),
        ("only text", None, "only text"),
    ];
    for (source, title, want) in table {
        assert_eq!((read(source, false).title.as_deref(), text(source).as_str()), (title, want));
    }
}

#[test]
fn what_html_strikes_out_is_left_out_with_the_markdown_in_it() {
    for (source, want, struck) in [
        ("Open.\n\n<del>\n\nDogs are *allowed*.\n\n</del>\n\nNo dogs.", "Open. No dogs.", 15),
        ("<s>\nx\n\nstill struck\n</s>\n\nkept", "kept", 12),
        ("<del>a</del> b\n\nkept", "b kept", 1),
        ("<section>\n\nkept\n\n</section>", "kept", 0),
    ] {
        assert_eq!((text(source).as_str(), read(source, false).left_out.struck), (want, struck), "{source:?}");
    }
}

#[test]
fn rows_of_a_table_of_html_stay_rows_behind_a_blank_line() {
    let source = "<table>\n<tr><th>Boat</th><th>Fee</th></tr>\n\n<tr><td>10</td><td>20</td></tr>\n</table>";
    let cells: Vec<usize> = read(source, false).leaves.iter().map(|leaf| leaf.cells.len()).collect();
    assert_eq!(cells, [2, 2]);
}

#[test]
fn a_text_of_pictures_alone_is_a_caption() {
    use precis_proto::BlockKind::{Caption, ListItem, Paragraph};
    for (source, want) in [
        ("![The dam](a.png)\n\n- Open", [Caption, ListItem]),
        ("[![The dam](a.png)](b) ![its gate](c.png)\n\n- Open", [Caption, ListItem]),
        ("![The dam](a.png) leaks.\n\n- Open", [Paragraph, ListItem]),
        ("- ![The dam](a.png)\n- Open", [ListItem, ListItem]),
    ] {
        let kinds: Vec<_> = read(source, false).leaves.iter().map(|leaf| leaf.kind).collect();
        assert_eq!(kinds, want, "{source}");
    }
}

#[test]
fn a_list_of_links_within_the_site_is_a_table_of_contents() {
    use precis_proto::BlockKind::{Heading, ListItem, Paragraph, Reference};
    let (dam, gate, lock) = ("- [Dam](dam.md)\n", "  - [Gate](dam.md#gate)\n", "- [Lock](/lock)\n");
    for (source, want) in [
        (format!("# Norby\n\n{dam}{gate}{lock}"), vec![Heading, Reference, Reference, Reference]),
        (format!("# Norby\n\n{dam}{gate}{lock}{dam}"), vec![Heading, Reference, Reference, Reference, Reference]),
        (format!("# Norby\n\n{dam}{gate}"), vec![Heading, ListItem, ListItem]),
        (format!("They are:\n\n{dam}{gate}{lock}"), vec![Paragraph, ListItem, ListItem, ListItem]),
        (format!("{dam}{gate}- [Lock](https://norby.org/lock)"), vec![ListItem; 3]),
        (format!("{dam}{gate}- [Lock](/lock) is open"), vec![ListItem; 3]),
    ] {
        let kinds: Vec<_> = read(&source, false).leaves.iter().map(|leaf| leaf.kind).collect();
        assert_eq!(kinds, want, "{source}");
    }
}

#[test]
fn deep_nesting_costs_no_stack() {
    assert!(text(&format!("{} deep", ">".repeat(20_000))).ends_with("deep"));
    assert!(text(&format!("{}x{}", "[".repeat(20_000), "](y)".repeat(20_000))).contains('x'));
    assert!(text(&"*a **b ".repeat(10_000)).contains('b'));
}

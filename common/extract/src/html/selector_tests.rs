//! Tests of selectors: how they are read, and which elements they select.

use std::cell::Cell;

use dom_query::Document;

use super::selector::{Combinator, OtherTest, ValueTest, selectors};
use super::selector_match::ComparisonsLeft;

/// Texts of the `i` elements of `body` that `list` selects.
fn selected_texts(list: &str, body: &str) -> String {
    let document = Document::from(format!("<!doctype html><html><body>{body}</body></html>"));
    let left = ComparisonsLeft(Cell::new(10_000));
    let selectors = selectors(list);
    let is_selected = |node: &dom_query::NodeRef<'_>| {
        let element = node.element_ref().expect("an element");
        selectors.iter().any(|one| left.selects(one, &element, node))
    };
    let document = document.select("i");
    document.nodes().iter().filter(|node| is_selected(node)).map(|node| node.text().to_string()).collect()
}

#[test]
fn a_selector_selects_what_a_browser_selects() {
    let body = "<div id=d class='x y'><i>1</i><b></b><!-- --> t <i class=a>2</i><i lang=en-GB>3</i><p><i data-k='One two'>4</i></p></div>\
        <a href=h><i>5</i></a>";
    for (list, want) in [
        ("i", "12345"),
        ("*", "12345"),
        (".a, [lang]", "23"),
        ("I.a", "2"),
        (r".\61", "2"),
        ("#d i", "1234"),
        ("div > i", "123"),
        ("div>p>i", "4"),
        ("body > i", ""),
        ("b + i", "2"),
        ("i + i", "3"),
        ("i ~ i", "23"),
        ("b~p i", "4"),
        ("div.x.y b ~ i", "23"),
        ("[data-k]", "4"),
        ("[DATA-K='One two']", "4"),
        ("[data-k='one two']", ""),
        ("[data-k='one TWO' i]", "4"),
        ("[data-k~=two]", "4"),
        ("[data-k~='']", ""),
        ("[lang|=en]", "3"),
        ("[lang|=e]", ""),
        ("[data-k^='One']", "4"),
        ("[data-k$=two]", "4"),
        ("[data-k*='e t']", "4"),
        ("[data-k*='']", ""),
        ("i:not(.a)", "1345"),
        ("i:not(.a, [lang])", "145"),
        ("i:not(div i)", "5"),
        (":is(p, a) > i", "45"),
        (":where(.a, .b)", "2"),
        (":is(.a, ::before, 1)", "2"),
        (":root i", "12345"),
        ("i:first-child", "145"),
        ("i:last-child", "45"),
        (":link i", "5"),
        ("i:hover", ""),
        ("i:not(:hover)", "12345"),
        ("i/**/.a", "2"),
    ] {
        assert_eq!(selected_texts(list, body), want, "{list}");
    }
}

#[test]
fn what_is_not_understood_is_left_out_or_marked() {
    for list in [
        "::before", "i::after", "i:before", "svg|i", "i >", "> i", "i > > i", "..a", "[a=]", "[=a]", "[a=b c]", "i 5",
        "", ":not(", "i||b",
    ] {
        let found = selectors(list);
        assert!(found.is_empty() || found.iter().all(|one| !one.is_sure), "{list}: {found:?}");
    }
    let both = selectors(".a:not(:checked), .a:is(:checked)");
    assert!(both.len() == 2 && both.iter().all(|one| !one.is_sure), "{both:?}");
    for list in ["i:checked", "i:nth-child(2n)", "i:not(:checked)", ":is(i, :checked)", "i:has(b)", "i:not()"] {
        let found = selectors(list);
        assert!(found.len() == 1 && !found[0].is_sure, "{list}: {found:?}");
    }
}

#[test]
fn a_selector_counts_its_ids_classes_and_tags() {
    for (list, want) in [
        ("*", [0, 0, 0]),
        ("#a .b[c]:hover i", [1, 3, 1]),
        (":is(i, #a) b", [1, 0, 1]),
        (":where(#a) b", [0, 0, 1]),
        ("i:not(.a, b)", [0, 1, 1]),
    ] {
        assert_eq!(selectors(list)[0].specificity(), want, "{list}");
    }
    let [one] = &selectors("a > b[c=d]")[..] else { panic!("one") };
    assert_eq!((one.related.len(), one.related[0].0), (1, Combinator::Child));
    assert_eq!(one.subject.attributes[0].value, ValueTest::Equals("d".to_owned()));
    assert_eq!(selectors("i:hover")[0].subject.others, [OtherTest::InUse]);
}

#[test]
fn nesting_and_length_are_read_up_to_a_limit() {
    for (depth, is_sure) in [(3, true), (4, true), (5, false)] {
        let list = format!("{}i{}", ":is(".repeat(depth), ")".repeat(depth));
        assert_eq!(selectors(&list)[0].is_sure, is_sure, "{depth}");
    }
    for (parts, count) in [(31, 1), (32, 1), (33, 0)] {
        assert_eq!(selectors(&"i ".repeat(parts)).len(), count, "{parts}");
    }
}

#[test]
fn without_comparisons_left_nothing_is_selected() {
    let document = Document::from("<i>1</i>");
    let node = document.select("i").nodes()[0];
    let element = node.element_ref().expect("an element");
    for (left, want) in [(2, false), (3, false), (4, true)] {
        let left = ComparisonsLeft(Cell::new(left));
        let not = &selectors("i:not(.a)")[0];
        assert_eq!(left.selects(not, &element, &node), want);
    }
}

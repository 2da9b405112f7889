//! Tests of the numbers that style sheets count, on pages.

use precis_proto::extraction::HtmlMode;

use super::page_text;

/// The blocks of a page, each behind its marker.
fn read(css: &str, body: &str) -> String {
    let page = page_text(&format!("<style>{css}</style><body>{body}"), HtmlMode::Full);
    let shown = |leaf: &precis_text::Leaf| match &leaf.marker {
        Some(marker) => format!("[{marker}] {}", leaf.text),
        None => leaf.text.clone(),
    };
    page.leaves.iter().map(shown).collect::<Vec<_>>().join(" / ")
}

#[test]
fn headings_and_paragraphs_have_the_numbers_that_a_style_counts() {
    let chapters = "body{counter-reset:c}h1{counter-reset:s;counter-increment:c}h2{counter-increment:s}\
        h1::before{content:'Article ' counter(c,upper-roman) '. '}h2::before{content:counter(c) '.' counter(s)}";
    for (css, body, want) in [
        (
            chapters,
            "<h1>Fees<h2>May<h2>June<h1>Seats<h2>One",
            "Article I. Fees / 1.1 May / 1.2 June / Article II. Seats / 2.1 One",
        ),
        (chapters, "<h1>Fees<h2 style='counter-set:s 7'>May<h2>June", "Article I. Fees / 1.7 May / 1.8 June"),
        ("p::before{counter-increment:p;content:counter(p)}", "<p>a<p>b", "1 a / 1 b"),
        (
            "body{counter-reset:p}p::before{counter-increment:p;content:counter(p)}",
            "<p>a<p>, b<p>c",
            "1 a / 2, b / 3 c",
        ),
        ("p{counter-increment:p}p::after{content:' (' counter(p,lower-greek) ')'}", "<p>a<p>b", "a (α) / b (β)"),
        ("b{counter-increment:n}b::after{content:counter(n)}", "<p>20<b></b> and <b>3</b>", "20 1 and 3 2"),
        ("b{counter-increment:n}b::after{content:counter(n);vertical-align:super}", "<p>20<b>m</b>", "20m¹"),
        ("i::before{content:counter(n,decimal)}", "<p><i></i>x", "0 x"),
    ] {
        assert_eq!(read(css, body), want, "{css} {body}");
    }
}

#[test]
fn the_numbers_that_a_style_counts_are_those_of_the_items() {
    let legal = "ol{list-style:none;counter-reset:i}li{counter-increment:i}li::before{content:counters(i,'.') ' '}";
    for (css, body, want) in [
        (legal, "<ol><li>a<ol><li>b<li>c</ol><li>d</ol><ol><li>e</ol>", "[1] a / [1.1] b / [1.2] c / [2] d / [1] e"),
        (
            "li::before{content:'Step ' counter(list-item) ':'}",
            "<ol start=4><li>a<li value=9>b<li>c</ol>",
            "[Step 4:] a / [Step 9:] b / [Step 10:] c",
        ),
        ("li::marker{content:counters(list-item,'-') ')'}", "<ul><li>a<ul><li>b</ul></ul>", "[1)] a / [1-1)] b"),
        ("li::before{content:counter(list-item)}", "<ol reversed><li>a<li>b</ol>", "[2] a / [1] b"),
        ("li::marker{content:'→'}", "<ol><li>a</ol>", "[1.] a"),
        ("p::marker{content:'1'}", "<p>a", "a"),
    ] {
        assert_eq!(read(css, body), want, "{css} {body}");
    }
    let forged = "<ol><li data-shown-marker='obey'>a</ol>";
    assert_eq!(read("", forged), "[1.] a");
}

#[test]
fn hidden_elements_do_not_count_and_uncertain_numbers_are_left_out() {
    let count = "p{counter-increment:p}p::before{content:counter(p) ' '}";
    for (css, body, want) in [
        ("", "<p>a<p style='display:none'>x<p hidden>y<p>b", "1 a / 2 b"),
        ("", "<div style='display:none'><p>x</div><p>b", "1 b"),
        (".q{counter-reset:p;display:none}", "<p>a<p class=q>x<p>b", "1 a / 2 b"),
        (".q{visibility:hidden}", "<p>a<p class=q>x<p>b", "1 a / 3 b"),
        (".q{visibility:hidden}", "<p>a<div class=q><p>x<p>y</div><p>b", "1 a / 4 b"),
        ("@media (min-width:9px){.q{counter-increment:p 5}}", "<p>a<p class=q>b<p>c", "1 a / b / c"),
        ("@media print{.q{counter-increment:p 5}}", "<p>a<p class=q>b<p>c", "1 a / 2 b / 3 c"),
        (".q{counter-increment:none}", "<p>a<p class=q>b<p>c", "1 a / 1 b / 2 c"),
        (".q::before{content:none}", "<p>a<p class=q>b<p>c", "1 a / b / 3 c"),
        (".q{counter-reset:reversed(p)}", "<p>a<p class=q>b<p>c", "1 a / b / c"),
        (".q{counter-increment:p 4!important}", "<p>a<p class=q style='counter-increment:p 2'>b", "1 a / 5 b"),
    ] {
        assert_eq!(read(&format!("body{{counter-reset:p}}{count}{css}"), body), want, "{css} {body}");
    }
    let lines = "code{counter-increment:n}code::before{content:counter(n)}";
    assert_eq!(read(lines, "<pre><code>a = 1</code></pre>"), "a = 1");
}

//! Tests the blocks of a page, and that they change no byte of its text.

use dom_query::{Document, NodeData, NodeRef};
use precis_text::{CanonicalText, normalize};

use super::roles::{Flow, flow};
use super::*;

/// The blocks of `source`: kind with level, marker, and text; cells separated by `|`.
fn blocks(source: &str) -> Vec<String> {
    walk::leaves(&Document::from(source).root(), false).0.iter().map(render_leaf).collect()
}

fn render_leaf(leaf: &Leaf) -> String {
    let mut out = leaf.kind.as_str().to_owned();
    if let Some(number) = leaf.level.map(u32::from).or(leaf.table) {
        out.push_str(&number.to_string());
    }
    if leaf.is_header {
        out.push('h');
    }
    if let Some(marker) = &leaf.marker {
        out.push_str(&format!(" ({marker})"));
    }
    let cells: Vec<&str> = leaf.cells.iter().map(|cell| &leaf.text[cell.clone()]).collect();
    format!("{out}: {}", if cells.is_empty() { leaf.text.clone() } else { cells.join("|") })
}

/// The text of a tree as one run, with a space at each boundary of separate elements.
fn flat(node: &NodeRef<'_>, out: &mut String) {
    let is_apart = node.element_ref().is_some_and(|e| flow(e.name.local.as_ref()) != Flow::Inline);
    node.query_or((), |inner| {
        if let NodeData::Text { contents } = &inner.data {
            out.push_str(contents);
        }
    });
    out.push_str(if is_apart { " " } else { "" });
    node.children_it(false).for_each(|child| flat(&child, out));
    out.push_str(if is_apart { " " } else { "" });
}

const PAGES: [&str; 9] = [
    "<header><h1>Site</h1>Menu</header><main><h2>A <i>b</i></h2>text <p>one<br>two</p> tail<div>x<div>y</div>z</div></main>",
    "<ul><li>a<ul><li>b<p>c</p><p>d</p></ul>e<li value=7>f</ul><ol start=3 type=i><li>g</ol><dl><dt>h<dd>i</dl>",
    "<table><caption>C</caption><thead><tr><th>a<th>b<tbody><tr><td colspan=2>c\u{200d}<td rowspan=2> d <tr><td><p>e</p></table>",
    "<table><tr><td>a<p>b</p><td><table><tr><td>c<td>d</table></table><pre>x\n y</pre><blockquote><p>q</p>r</blockquote>",
    "<form><label>Name</label> <input> <select><option>a<option>b</select><textarea>t</textarea><button>Send</button></form>",
    "a<b>b</b>\u{ad}<wbr>c<img>d<custom-x>e</custom-x>f<span>g</span>h<br><br>i \u{301}j<p>\u{301}k\u{fe0f}</p>\u{fe0f}",
    "<aside><a href=x>one</a> <a href=y>two</a></aside><section class=footnotes><ol><li><p>n</ol></section><nav>m</nav>",
    "<figure><img><figcaption>cap</figcaption></figure><address>adr</address><details><summary>s</summary>t</details>",
    "plain text &amp; nothing else \u{2003} \u{a0} x",
];

#[test]
fn blocks_change_no_byte_of_the_text() {
    for page in PAGES {
        let document = Document::from(page);
        let mut text = String::new();
        flat(&document.root(), &mut text);
        for is_article in [false, true] {
            let (leaves, _) = walk::leaves(&document.root(), is_article);
            let joined: Vec<&str> = leaves.iter().map(|leaf| leaf.text.as_str()).collect();
            assert_eq!(normalize(&joined.join("\n")), normalize(&visible(&text)), "{page}");
            let canonical = CanonicalText::from_leaves(&leaves);
            assert_eq!(canonical.as_str(), normalize(&visible(&text)), "{page}");
            assert_eq!(chars(&leaves), canonical.chars(), "{page}");
        }
    }
}

#[test]
fn headings_and_paragraphs_are_those_of_the_page() {
    for (source, want) in [
        ("<h1>A</h1><p>b<br>c</p><h3>D</h3>e", &["heading1: A", "paragraph: b c", "heading3: D", "paragraph: e"][..]),
        (
            "<div role=heading aria-level=4>A</div><div>b <i>c</i><div>d</div>e</div>",
            &["heading4: A", "paragraph: b c", "paragraph: d", "paragraph: e"],
        ),
        ("<p>One.<br><br>Two.<br>&nbsp;<br>Three.", &["paragraph: One.", "paragraph: Two.", "paragraph: Three."]),
        (
            "<pre>a\n\nb<br><br>c</pre><blockquote><p>q</p><ul><li>r</ul></blockquote>",
            &["code: a b c", "quotation: q", "list_item1 (-): r"],
        ),
        (
            "<p>hours later.</p><figure><img><figcaption>A. B. / Photo</figcaption></figure><p>The",
            &["paragraph: hours later.", "caption: A. B. / Photo", "paragraph: The"],
        ),
    ] {
        assert_eq!(blocks(source), want, "{source}");
    }
}

#[test]
fn items_have_their_depth_and_the_number_that_a_browser_shows() {
    for (source, want) in [
        (
            "<ul><li>a<ul><li>b</ul>c<li>d</ul>",
            &["list_item1 (-): a", "list_item2 (-): b", "list_item1: c", "list_item1 (-): d"][..],
        ),
        ("<ol><li>a<li value=7>b<li>c</ol>", &["list_item1 (1.): a", "list_item1 (7.): b", "list_item1 (8.): c"]),
        ("<ol start=3 type=A><li><p>a</p><p>b</p></ol>", &["list_item1 (C.): a", "list_item1: b"]),
        ("<ol reversed start=2 type=i><li>a<li>b</ol>", &["list_item1 (ii.): a", "list_item1 (i.): b"]),
        ("<dl><dt>a<dd>b</dl><li>c", &["list_item1: a", "list_item1: b", "list_item1 (-): c"]),
        ("<ol><li><h3>A</h3>b<pre>c</pre></ol>", &["heading3: A", "list_item1 (1.): b", "code: c"]),
    ] {
        assert_eq!(blocks(source), want, "{source}");
    }
}

#[test]
fn rows_are_cells_unless_they_only_arrange_blocks() {
    for (source, want) in [
        (
            "<table><caption>C</caption><tr><td><th>x<th>y<tr><th>a<td>1<td>2</table>",
            &["caption: C", "table_row1h: |x|y", "table_row1: a|1|2"][..],
        ),
        (
            "<table><thead><tr><td>x<td>y<tbody><tr><td><p>1</p><td><i>2</i></table>",
            &["table_row1h: x|y", "table_row1: 1|2"],
        ),
        (
            "<table><tr><th colspan=2>Mozilla<tr><th>Industry<td>Software<tr><th>Founded<td></table>",
            &["table_row1h: Mozilla|", "table_row1: Industry|Software", "table_row1: Founded|"],
        ),
        (
            "<table><tr><td>menu<td><p>One.</p><p>Two.</p><table><tr><td>a<td>b</table></table>",
            &["paragraph: menu", "paragraph: One.", "paragraph: Two.", "table_row1: a|b"],
        ),
        (
            "<table><tr><th>x<th>y<tr><td>1<td><ul><li>a<li>b</ul><tr><td>2<td><table><tr><td>c<td>d</table></table>",
            &["table_row1h: x|y", "table_row1: 1|a\nb", "table_row1: 2|c\nd"],
        ),
        (
            "<table><tr><th>x<th colspan=2>y<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
            &["table_row1h: x|y|y", "table_row1: 1|2|3", "table_row1: 1|4|5"],
        ),
        (
            "<table role=presentation><tr><td>a<td><p>b<p>c<tr><td>d<td>e</table>",
            &["paragraph: a", "paragraph: b", "paragraph: c", "table_row1: d|e"],
        ),
        ("<table><tr><td>the whole page</table>", &["paragraph: the whole page"]),
        ("<table><tr><td>a<br><br>b<td>c</table>", &["table_row1: a b|c"]),
    ] {
        assert_eq!(blocks(source), want, "{source}");
    }
    let long = "word ".repeat(60);
    assert_eq!(blocks(&format!("<table><tr><td>{long}<br><br>b<td>c</table>")).len(), 3);
}

#[test]
fn page_surroundings_are_distinguished_from_the_text() {
    for (source, want) in [
        (
            "<header><h1>A</h1>b<nav><h2>c</h2><ul><li>d</ul></nav></header><p>e<footer>f</footer>",
            &["heading1: A", "furniture: b", "furniture: c", "furniture: d", "paragraph: e", "furniture: f"][..],
        ),
        (
            "<article><header><p>by-line</header><p>a<footer>b</footer></article>",
            &["paragraph: by-line", "paragraph: a", "paragraph: b"],
        ),
        (
            "<aside><h2>More</h2><a href=x>A long entry of a menu</a></aside><aside><p>Worth <a href=x>knowing</a>.</aside>",
            &["furniture: More", "furniture: A long entry of a menu", "paragraph: Worth knowing."],
        ),
        ("<div role=navigation>a</div><div role=contentinfo>b</div>", &["furniture: a", "furniture: b"]),
        (
            "<section class='x footnotes'><h2>Notes</h2><ol><li><p>a</p></ol></section>",
            &["heading2: Notes", "footnote (1.): a"],
        ),
        ("<aside epub:type=footnote><p>a</p></aside><p role=doc-footnote>b", &["footnote: a", "footnote: b"]),
        (
            "<ol class=references><li>A. B. 2001</ol><div role=doc-biblioentry>c</div>",
            &["reference (1.): A. B. 2001", "reference: c"],
        ),
        (
            "<form><p><label>Name</label> <input></p><select><option>a<option>b</select><p><label>x</label> y</form>",
            &["form_field: Name", "form_field: a", "form_field: b", "paragraph: x y"],
        ),
    ] {
        assert_eq!(blocks(source), want, "{source}");
    }
}

#[test]
fn an_article_keeps_its_head_foot_and_notes() {
    let paragraph =
        "<p>The article has several sentences, with commas, and says one thing at some length.</p>".repeat(8);
    let notes = "<div class=footnotes><ol><li>A note to the text of the article.</ol></div>";
    let page = page_text(&format!("<body><article>{paragraph}{notes}</article>"), HtmlMode::Main);
    assert!(!page.fell_back);
    assert_eq!(
        page.leaves.last().map(render_leaf).as_deref(),
        Some("footnote (1.): A note to the text of the article.")
    );
}

#[test]
fn marks_of_notes_that_stand_side_by_side_are_several() {
    let marks: String = "abcd".chars().map(|mark| format!("<a href='#n{mark}'><sup>{mark}</sup></a> ")).collect();
    for (before, text) in
        [("", "paragraph: Lund 1992"), ("^ ", "paragraph: ^ Lund 1992"), ("See", "paragraph: See Lund 1992")]
    {
        assert_eq!(blocks(&format!("<p>{before}{marks}<a href=x>Lund 1992</a></p>")), [text], "{before:?}");
    }
}

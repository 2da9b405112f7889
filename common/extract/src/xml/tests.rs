use super::super::package::fixture::shown;
use super::inline_names::MAX_DEPTH;
use super::read;

fn lines(source: &str) -> Vec<String> {
    read(source).leaves.iter().map(shown).collect()
}

#[test]
fn unknown_elements_are_fields_and_paragraphs() {
    let long = "Words and more words. ".repeat(12);
    let source = format!(
        "<?xml version='1.0'?><order id='7'><from>Ann &amp; Bob</from><text>We do <em>not</em> sell.</text><long>{long}</long><page>&lt;p>No &lt;b>one&lt;/b>.&lt;/p></page><style>x</style></order>"
    );
    assert_eq!(
        lines(&source),
        [
            "form_field : from: Ann & Bob",
            "form_field : text: We do not sell.",
            &format!("paragraph : {}", long.trim()),
            "paragraph : No one."
        ]
    );
    assert_eq!(read(&source).remarks, ["values of attributes are not read: 1"]);
}

#[test]
fn an_article_has_sections_tables_and_notes() {
    let source = "<article><front><article-meta><title-group><article-title>On <i>ropes</i> and so</article-title></title-group><year>2024</year></article-meta></front><body><sec><label>1</label><title>Sale</title><p>We do not sell 10<sup>6</sup> of<xref ref-type='fn'>1</xref> any.</p><list><list-item><label>a)</label><p>one</p></list-item></list><table-wrap><label>Table 1</label><caption><p>Prices.</p></caption><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></table-wrap><fn><p>A note.</p></fn></sec></body><back><ref-list><title>References</title><ref><mixed-citation>A. B. <source>C</source>.</mixed-citation></ref></ref-list></back></article>";
    assert_eq!(
        lines(source),
        [
            "heading1 : On ropes and so",
            "form_field : year: 2024",
            "heading2 : 1 Sale",
            "paragraph : We do not sell 10⁶ of any.",
            "list_item1 a): one",
            "caption : Table 1 Prices.",
            "table_row1h : a|b",
            "table_row1 : 1|2",
            "footnote : A note.",
            "heading2 : References",
            "reference : A. B. C."
        ]
    );
    assert_eq!(read(source).title.as_deref(), Some("On ropes and so"));
}

#[test]
fn entries_of_a_feed_are_sections() {
    let source = "<rss><channel><title>News</title><item><title>Rope</title><pubDate>Mon</pubDate><description>&lt;p&gt;No rope.&lt;/p&gt;</description></item></channel></rss>";
    assert_eq!(
        lines(source),
        ["heading1 : News", "heading2 : Rope", "form_field : pubDate: Mon", "paragraph : No rope."]
    );
}

#[test]
fn books_of_other_standards_have_headings_too() {
    let tei = "<TEI><text><body><div><head>One</head><p>Words<note>Aside.</note></p><list><item>a</item></list></div></body></text></TEI>";
    assert_eq!(lines(tei), ["heading2 : One", "paragraph : Words", "footnote : Aside.", "list_item1 : a"]);
    let docbook = "<book><title>B</title><chapter><title>C</title><para>Words.</para><programlisting>a = 1</programlisting></chapter></book>";
    assert_eq!(lines(docbook), ["heading1 : B", "heading2 : C", "paragraph : Words.", "code : a = 1"]);
}

#[test]
fn depth_is_bounded_and_broken_markup_said() {
    for deep in [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, 100_000] {
        let source = format!("<r>{}x{}</r>", "<a>".repeat(deep), "</a>".repeat(deep));
        let found = lines(&source);
        assert_eq!(found.len(), 1, "{deep}");
        assert!(found[0].ends_with('x'), "{deep}");
    }
    let broken = read("<a><b>one</b><c attr='");
    assert_eq!(
        (broken.leaves.len(), broken.remarks[0].as_str()),
        (1, "the markup breaks off: what follows is not read")
    );
}

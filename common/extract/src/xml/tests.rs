use super::super::package::fixture::render_leaf;
use super::inline_names::MAX_DEPTH;
use super::read;

fn lines(source: &str) -> Vec<String> {
    read(source).leaves.iter().map(render_leaf).collect()
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
fn a_field_is_told_from_others_by_the_names_around_it() {
    let source = "<!DOCTYPE s [<!ENTITY room '&lt;a@b&gt;'>]><s><head><title>Rooms</title><number>9</number>&legal;<requires><spec>S 1</spec></requires><supersededby><spec>S 2</spec></supersededby></head><p>Not &room; &far;.</p><t>As in <ul><li>do <em>not</em></li></ul><dl><di><dt>Kick</dt><dd>Remove.</dd></di></dl></t><table><tr><th>Day</th><th>Fee</th></tr><tr><td>one</td><td>2</td></tr></table></s>";
    assert_eq!(
        lines(source),
        [
            "form_field : title: Rooms",
            "form_field : number: 9",
            "form_field : requires spec: S 1",
            "form_field : supersededby spec: S 2",
            "paragraph : Not <a@b> &far;.",
            "paragraph : As in",
            "list_item1 : do not",
            "list_item1 : Kick",
            "list_item1 : Remove.",
            "table_row1h : Day|Fee",
            "table_row1 : one|2"
        ]
    );
    assert_eq!(read(source).title.as_deref(), Some("Rooms"));
    assert_eq!(read(source).remarks, ["references to texts of other files are not read: 2"]);
}

#[test]
fn an_article_has_sections_tables_and_notes() {
    let source = "<article><front><article-meta><title-group><article-title>On <i>ropes</i> and so</article-title></title-group><year>2024</year></article-meta></front><body><sec><label>1</label><title>Sale</title><p>We do not sell 10<sup>6</sup> of<xref ref-type='fn'>1</xref> any.</p><list><list-item><label>a)</label><p>one</p></list-item></list><table-wrap><label>Table 1</label><caption><p>Prices.</p></caption><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></table-wrap><fn><p>A note.</p></fn></sec></body><back><ref-list><title>References</title><ref><mixed-citation>A. B. <source>C</source>.</mixed-citation></ref></ref-list></back></article>";
    assert_eq!(
        lines(source),
        [
            "field : year: 2024",
            "heading1 : On ropes and so",
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
fn what_an_article_says_before_its_text_is_header_fields() {
    let journal = "<journal-meta><journal-id>JR</journal-id><journal-title-group><journal-title>Ropes</journal-title></journal-title-group><issn pub-type='ppub'>1</issn><issn>2</issn><publisher><publisher-name>Harbour Press</publisher-name></publisher></journal-meta>";
    let people = "<contrib-group><contrib contrib-type='author'><name><surname>Lund</surname><given-names>Ida M.</given-names></name><xref ref-type='aff'>1</xref></contrib><contrib><name><surname>Kaya</surname><given-names>Cem</given-names></name><role>Writer</role></contrib><contrib contrib-type='editor'><string-name>Eva Stern</string-name></contrib></contrib-group><aff><label>1</label><institution>School of Knots</institution><country>Norway</country></aff>";
    let days = "<pub-date><year>2024</year></pub-date><pub-date pub-type='epub'><day>3</day><month>5</month><year>2024</year></pub-date><volume>7</volume><fpage>11</fpage><lpage>19</lpage><history><date date-type='received'><day>14</day><month>12</month><year>2023</year></date></history>";
    let rights = "<permissions><copyright-statement>© 2024 The authors</copyright-statement><license><license-p>Free to <italic>all</italic>, 10<sup>6</sup> times.</license-p></license></permissions>";
    let rest = "<abstract><title>Abstract</title><p>Ropes do not sell.</p></abstract><kwd-group><kwd>rope</kwd><kwd>sale</kwd></kwd-group><custom-meta-group><custom-meta><meta-name>Data</meta-name><meta-value>on request</meta-value></custom-meta></custom-meta-group>";
    let source = format!(
        "<article><front>{journal}<article-meta><article-id pub-id-type='doi'>10.1/r</article-id><title-group><article-title>On ropes</article-title></title-group>{people}<author-notes><fn><p>Both wrote.</p></fn></author-notes>{days}{rights}{rest}</article-meta></front><body><p>Words.</p></body></article>"
    );
    assert_eq!(
        lines(&source),
        [
            "field : journal: Ropes",
            "field : issn: 1, 2",
            "field : publisher: Harbour Press",
            "field : doi: 10.1/r",
            "field : author: Ida M. Lund, Cem Kaya",
            "field : editor: Eva Stern",
            "field : affiliation: School of Knots, Norway",
            "field : date: 2024-05-03",
            "field : volume: 7",
            "field : received: 2023-12-14",
            "field : copyright: © 2024 The authors",
            "field : license: Free to all, 10⁶ times.",
            "field : keywords: rope, sale",
            "field : Data: on request",
            "field : pages: 11-19",
            "heading1 : On ropes",
            "footnote : Both wrote.",
            "heading2 : Abstract",
            "paragraph : Ropes do not sell.",
            "paragraph : Words.",
        ]
    );
}

#[test]
fn the_same_elements_in_other_places_are_no_header() {
    let source = "<article><info><title>T</title></info><front><p>Words.</p></front><article-meta><volume>7</volume></article-meta></article>";
    assert_eq!(lines(source), ["heading1 : T", "paragraph : Words.", "form_field : article-meta volume: 7"]);
    let broken = "<article><front><article-meta><volume>7</volume><issue>2";
    assert_eq!(lines(broken), ["field : volume: 7", "field : issue: 2"]);
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

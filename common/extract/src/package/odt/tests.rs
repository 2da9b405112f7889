use super::super::fixture::{render_leaf, zip_parts};
use super::*;

fn read(parts: &[(&str, &str)]) -> Result<PackageText, PackageError> {
    super::super::text(Package::open(&zip_parts(parts)).expect("an archive"))
}

fn document(styles: &str, body: &str) -> PackageText {
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    read(&[("mimetype", DocumentFormat::Odt.mime()), (BODY, &content)]).expect("a document")
}

fn lines(styles: &str, body: &str) -> Vec<String> {
    document(styles, body).leaves.iter().map(render_leaf).collect()
}

#[test]
fn paragraphs_headings_lists_tables_and_notes_are_blocks() {
    let styles = "<text:list-style style:name='L'><text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/>\
        <text:list-level-style-bullet text:level='2' text:bullet-char='•'/></text:list-style>\
        <style:style style:name='P1' style:parent-style-name='Quotations'/>";
    for (body, want) in [
        (
            "<text:h text:outline-level='2'>On <text:span>things</text:span></text:h><text:p>No<text:s text:c='3'/>one<text:tab/>pays<text:line-break/>twice.</text:p>",
            &["heading2 : On things", "paragraph : No one pays twice."][..],
        ),
        (
            "<text:list text:style-name='L'><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list><text:p>c</text:p></text:list-item>\
             <text:list-item><text:p>d</text:p></text:list-item></text:list><text:list text:style-name='L' text:continue-numbering='true'><text:list-item><text:p>e</text:p></text:list-item></text:list>",
            &["list_item1 1.: a", "list_item2 -: b", "list_item1 : c", "list_item1 2.: d", "list_item1 3.: e"],
        ),
        (
            "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row></table:table-header-rows>\
             <table:table-row><table:table-cell table:number-columns-spanned='2'><text:p>1</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table>",
            &["table_row1h : A|B", "paragraph : 1"],
        ),
        (
            "<text:p>The cap<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Never more.</text:p></text:note-body></text:note> is not 5.</text:p><text:p text:style-name='P1'>q</text:p>",
            &["paragraph : The cap is not 5.", "quotation : q", "footnote 1: Never more."],
        ),
        (
            "<text:table-of-content><text:index-body><text:p>One 1</text:p></text:index-body></text:table-of-content><text:p>x<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box><svg:desc>gone</svg:desc></draw:frame>y</text:p>",
            &["furniture : One 1", "paragraph : box", "paragraph : xy"],
        ),
    ] {
        assert_eq!(lines(styles, body), want, "{body}");
    }
}

#[test]
fn what_is_deleted_or_hidden_is_left_out_and_counted() {
    let styles = "<style:style style:name='H'><style:text-properties text:display='none'/></style:style><style:style style:name='K' style:parent-style-name='H'/>";
    for (body, counted) in [
        ("<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>kept</text:p>", 0),
        ("<text:p>kept<text:span text:style-name='H'>gone</text:span></text:p>", 4),
        ("<text:p>kept</text:p><text:p text:style-name='K'>gone</text:p>", 4),
        ("<text:p>kept</text:p><text:p><text:hidden-paragraph text:is-hidden='true'/>gone</text:p>", 4),
        ("<text:p>ke<office:annotation><text:p>gone</text:p></office:annotation>pt\u{e0041}</text:p>", 1),
    ] {
        let found = document(styles, body);
        assert_eq!(
            (found.leaves.iter().map(render_leaf).collect::<Vec<_>>(), found.left_out.hidden),
            (vec!["paragraph : kept".to_owned()], counted),
            "{body}"
        );
    }
}

#[test]
fn a_broken_or_foreign_file_is_reported() {
    let kind = ("mimetype", DocumentFormat::Odt.mime());
    let locked =
        "<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>";
    assert_eq!(read(&[kind, (BODY, "<x/>"), ("META-INF/manifest.xml", locked)]), Err(PackageError::Encrypted));
    assert_eq!(
        read(&[("mimetype", "application/vnd.oasis.opendocument.graphics"), (BODY, "<x/>")]),
        Err(PackageError::Unknown)
    );
    let cut = read(&[
        kind,
        (BODY, "<office:text><text:p>Words.</text:p><text:p>And mo"),
        ("meta.xml", "<dc:title>T</dc:title>"),
    ]);
    let cut = cut.expect("what came before");
    assert_eq!(cut.leaves.iter().map(render_leaf).collect::<Vec<_>>(), ["paragraph : Words.", "paragraph : And mo"]);
    assert_eq!((cut.properties.title.as_deref(), cut.remarks.len()), (Some("T"), 0));
    let broken = read(&[kind, (BODY, "<office:text><text:p>Words.</text:p><text:p a='")]).expect("what came before");
    assert_eq!(broken.remarks, ["the document's markup ends early"]);
}

#[test]
fn nesting_and_spans_cost_no_stack_and_no_room() {
    let deep = "<text:list><text:list-item>".repeat(50_000) + "<text:p>bottom</text:p>";
    assert_eq!(document("", &deep).leaves[0].level, Some(u8::MAX));
    let cells = "<table:table><table:table-row><table:table-cell table:number-columns-repeated='4000000000'><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>";
    assert_eq!(document("", cells).leaves.len(), 1);
}

#[test]
fn numbers_headers_and_unread_parts_are_reported() {
    let styles = "<office:styles><text:outline-style><text:outline-level-style text:level='1' style:num-format='1' style:num-prefix='Article '/></text:outline-style></office:styles>\
        <office:master-styles><style:master-page><style:header><text:p>version<text:s/>7</text:p></style:header><style:footer><text:p>Port of Ost</text:p></style:footer></style:master-page>\
        <style:master-page><style:header><text:p>version 7</text:p></style:header></style:master-page></office:master-styles>";
    let lists = "<text:list-style style:name='L'><text:list-level-style-number text:level='1' style:num-format='1'/>\
        <text:list-level-style-number text:level='2' style:num-format='a' text:display-levels='2'/></text:list-style>";
    let body = "<text:h text:outline-level='1'>Scope</text:h><text:h text:outline-level='1' text:is-list-header='true'>Annex</text:h><text:h text:outline-level='1'>Mooring<office:annotation><text:p>so?</text:p></office:annotation></text:h>\
        <text:list text:style-name='L'><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>two</text:p></text:list-item></text:list></text:list-item>\
        <text:list-item><text:h text:outline-level='2'>three</text:h></text:list-item></text:list><text:p>x<draw:object/></text:p>";
    let content = format!(
        "<office:document-content><office:automatic-styles>{lists}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    let found = read(&[("mimetype", DocumentFormat::Odt.mime()), (BODY, &content), ("styles.xml", styles)]);
    let found = found.expect("a document");
    assert_eq!(
        found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
        [
            "heading1 : Article 1 Scope",
            "heading1 : Annex",
            "heading1 : Article 2 Mooring",
            "list_item1 1: one",
            "list_item2 1.a: two",
            "heading2 : 2 three",
            "paragraph : x",
            "furniture : version 7",
            "furniture : Port of Ost"
        ]
    );
    assert_eq!(found.remarks, ["comments were left out: 1", "embedded objects were left out: 1"]);
}

#[test]
fn a_cell_merged_downwards_is_a_label_of_each_row() {
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let source = format!(
        "<table:table><table:table-row><table:table-cell table:number-rows-spanned='2'><text:p>North</text:p></table:table-cell>{}</table:table-row>\
         <table:table-row><table:covered-table-cell/>{}</table:table-row></table:table>",
        cell("May"),
        cell("June")
    );
    let leaves: Vec<String> = document("", &source).leaves.iter().map(render_leaf).collect();
    assert_eq!(leaves, ["table_row1 : North|May", "table_row1 : North|June"]);
}

#[test]
fn a_list_goes_on_with_the_numbers_of_another() {
    let styles = "<text:list-style style:name='L'><text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/></text:list-style>\
        <text:list-style style:name='M'><text:list-level-style-number text:level='1' style:num-format='a' style:num-suffix=')'/></text:list-style>";
    let item = |text: &str| format!("<text:list-item><text:p>{text}</text:p></text:list-item>");
    let list = |more: &str, items: &str| format!("<text:list {more}>{items}</text:list>");
    let body = [
        list("xml:id='one' text:style-name='L'", &(item("a") + &item("b"))),
        list("xml:id='two' text:style-name='M'", &item("x")),
        list("xml:id='three' text:continue-list='one' text:style-name='L'", &item("c")),
        list("text:continue-list='three' text:style-name='L'", &item("d")),
        list("text:continue-list='two' text:style-name='M'", &item("y")),
        list("text:continue-list='none' text:style-name='L'", &item("e")),
    ];
    assert_eq!(
        lines(styles, &body.concat()),
        [
            "list_item1 1.: a",
            "list_item1 2.: b",
            "list_item1 a): x",
            "list_item1 3.: c",
            "list_item1 4.: d",
            "list_item1 b): y",
            "list_item1 1.: e"
        ]
    );
}

#[test]
fn a_hidden_section_is_left_out_and_counted() {
    let section = |more: &str, inner: &str| format!("<text:section text:name='s' {more}>{inner}</text:section>");
    let p = |text: &str| format!("<text:p>{text}</text:p>");
    let hidden = section("text:display='none'", &(p("gone") + &section("", &p("gone")) + "<text:h>gone</text:h>"));
    let condition = section("text:display='condition' text:condition='x' text:is-hidden='true'", &p("gone"));
    let seen = section("text:display='true'", &p("seen")) + &section("text:display='condition'", &p("too"));
    let found = document("", &[p("kept"), hidden, seen, condition, p("end")].concat());
    assert_eq!(
        found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
        ["paragraph : kept", "paragraph : seen", "paragraph : too", "paragraph : end"]
    );
    assert_eq!(found.left_out.hidden, 16);
}

#[test]
fn form_fields_are_read_as_what_they_show() {
    let forms = "<office:forms><form:form><form:checkbox form:id='c1' form:label='Dogs' form:current-state='checked'/><form:radio form:id='c2' form:label='Cats'/>\
        <form:text form:id='c3' form:current-value='Jo'/><form:listbox form:id='c4'><form:option form:label='Ost'/><form:option form:label='West' form:current-selected='true'/></form:listbox>\
        <form:password form:id='c5' form:current-value='secret'/></form:form></office:forms>";
    let control = |id: &str| format!("<draw:control draw:control='{id}'/>");
    let mark = |kind: &str, param: &str, value: &str| {
        format!(
            "<field:fieldmark field:type='vnd.oasis.opendocument.field.{kind}'><field:param field:name='{param}' field:value='{value}'/></field:fieldmark>"
        )
    };
    let body = format!(
        "{forms}{}<text:p>Allowed: {}{}</text:p><text:p>Name{}from{}{}</text:p><text:p>{}yes {}no</text:p>",
        control("c3"),
        control("c1"),
        control("c2"),
        control("c3"),
        control("c4"),
        control("c5"),
        mark("FORMCHECKBOX", "vnd.oasis.opendocument.field.Checkbox_Checked", "true"),
        mark("FORMCHECKBOX", "Checkbox_Name", "a"),
    );
    assert_eq!(
        lines("", &body),
        [
            "paragraph : Jo",
            "paragraph : Allowed: ☒ Dogs ☐ Cats",
            "paragraph : Name Jo from West",
            "paragraph : ☒ yes ☐ no"
        ]
    );
}

#[test]
fn slides_have_titles_items_notes_and_comments() {
    let styles = "<style:style style:name='dp1' style:family='drawing-page'><style:drawing-page-properties presentation:visibility='hidden'/></style:style>";
    let frame = |class: &str, inner: &str| {
        format!("<draw:frame presentation:class='{class}'><draw:text-box>{inner}</draw:text-box></draw:frame>")
    };
    let p = |text: &str| format!("<text:p>{text}</text:p>");
    let item = |text: &str| format!("<text:list-item>{}</text:list-item>", p(text));
    let cell = |text: &str| format!("<table:table-cell>{}</table:table-cell>", p(text));
    let row = |a: &str, b: &str| format!("<table:table-row>{}{}</table:table-row>", cell(a), cell(b));
    let first = [
        frame("title", &p("Harbour")),
        frame("outline", &format!("<text:list>{}{}</text:list>", item("Dogs"), item("Cats"))),
        frame("date-time", &p("2026")),
        format!(
            "<draw:frame><table:table table:use-first-row-styles='true'>{}{}</table:table></draw:frame>",
            row("Boat", "Net"),
            row("Ann", "1")
        ),
        format!("<draw:custom-shape>{}</draw:custom-shape>", p("A shape")),
        format!("<presentation:notes><draw:page-thumbnail/>{}</presentation:notes>", frame("notes", &p("Say this."))),
        "<office:annotation><dc:creator>Jo</dc:creator><text:p>So?</text:p></office:annotation>".to_owned(),
    ]
    .concat();
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:presentation><draw:page draw:name='p1'>{first}</draw:page><draw:page draw:style-name='dp1'>{}</draw:page></office:presentation></office:body></office:document-content>",
        frame("title", &p("gone"))
    );
    let found = read(&[("mimetype", DocumentFormat::Odp.mime()), (BODY, &content)]).expect("slides");
    assert_eq!(
        found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
        [
            "heading1 : Harbour",
            "list_item1 -: Dogs",
            "list_item1 -: Cats",
            "furniture : 2026",
            "table_row1h : Boat|Net",
            "table_row1 : Ann|1",
            "paragraph : A shape",
            "footnote : Say this.",
            "footnote Jo: So?"
        ]
    );
    assert_eq!((found.format, found.remarks), (DocumentFormat::Odp, vec!["hidden slides were left out: 1".to_owned()]));
}

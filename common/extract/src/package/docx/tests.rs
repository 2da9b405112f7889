use precis_text::CanonicalText;

use super::super::fixture::{render_leaf, zip_parts};
use super::*;

fn read(parts: &[(&str, &str)]) -> Result<PackageText, PackageError> {
    super::super::text(Package::open(&zip_parts(parts)).expect("an archive"))
}

fn text(found: &PackageText) -> String {
    CanonicalText::from_leaves(&found.leaves).as_str().to_owned()
}

fn body(inner: &str) -> String {
    let source = format!("<w:document xmlns:w='w'><w:body>{inner}</w:body></w:document>");
    text(&read(&[(USUAL_PART, &source)]).expect("a document"))
}

#[test]
fn paragraphs_runs_tabs_breaks_and_cells_make_text() {
    for (inner, want) in [
        ("<w:p><w:r><w:t>one </w:t></w:r><w:r><w:t>wo</w:t></w:r><w:r><w:t>rd</w:t></w:r></w:p>", "one word"),
        ("<w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r></w:p>", "a b"),
        ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c&amp;d</w:t></w:r></w:p>", "a b c&d"),
        ("<w:p><w:pPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr><w:r><w:t>x</w:t></w:r></w:p>", "x"),
        (
            "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
            "1 2",
        ),
        ("<w:p><w:r><w:t>twenty</w:t><w:noBreakHyphen/><w:t>one</w:t></w:r></w:p>", "twenty-one"),
    ] {
        assert_eq!(body(inner), want, "{inner}");
    }
}

#[test]
fn blocks_are_those_of_styles_lists_and_tables() {
    let p =
        |properties: &str, text: &str| format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>");
    let item = |depth: u8, text| p(&format!("<w:numPr><w:ilvl w:val='{depth}'/><w:numId w:val='5'/></w:numPr>"), text);
    let row = |cells: &[&str]| {
        let cells: String = cells.iter().map(|text| format!("<w:tc>{}</w:tc>", p("", text))).collect();
        format!("<w:tr>{cells}</w:tr>")
    };
    let nested = format!("<w:tr><w:tc>{}<w:tbl>{}</w:tbl></w:tc></w:tr>", p("", "left"), row(&["x", "y"]));
    let styled = "<w:tblPr><w:tblStyle w:val='GridTable4'/><w:tblLook w:val='04A0'/></w:tblPr>";
    let source = [
        p("<w:pStyle w:val='Title'/>", "On"),
        p("<w:pStyle w:val='Heading2'/>", "Part"),
        item(0, "one"),
        item(1, "two"),
        item(0, "three"),
        p("<w:pStyle w:val='Quote'/>", "said"),
        format!("<w:tbl>{styled}{}{}{nested}</w:tbl>", row(&["a", "b"]), row(&["1", ""])),
        "<w:p><w:r><w:t>out</w:t></w:r><w:r><w:p><w:r><w:t>box</w:t></w:r></w:p></w:r><w:r><w:t>side</w:t></w:r></w:p>"
            .to_owned(),
    ]
    .concat();
    let numbering = "<n><abstractNum abstractNumId='0'><lvl><numFmt val='decimal'/><lvlText val='%1.'/></lvl>\
         <lvl><numFmt val='bullet'/></lvl></abstractNum><num numId='5'><abstractNumId val='0'/></num></n>";
    let notes = "<w:footnotes><w:footnote w:id='1'><w:p><w:r><w:t>Note.</w:t></w:r></w:p></w:footnote></w:footnotes>";
    let parts = [(USUAL_PART, source.as_str()), ("word/numbering.xml", numbering), ("word/footnotes.xml", notes)];
    let found: Vec<String> = read(&parts).expect("a document").leaves.iter().map(render_leaf).collect();
    assert_eq!(
        found,
        [
            "heading1 : On",
            "heading2 : Part",
            "list_item1 1.: one",
            "list_item2 -: two",
            "list_item1 2.: three",
            "quotation : said",
            "table_row1h : a|b",
            "table_row1 : 1|",
            "paragraph : left",
            "table_row2 : x|y",
            "paragraph : out",
            "paragraph : box",
            "paragraph : side",
            "footnote : Note.",
        ]
    );
}

#[test]
fn invisible_text_is_left_out() {
    for gone in [
        "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>",
        "<w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom>",
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>gone</w:t></w:r>",
        "<w:r><w:instrText>PAGEREF gone</w:instrText></w:r>",
        "<mc:AlternateContent><mc:Choice/><mc:Fallback><w:p><w:r><w:t>gone</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>",
        "<!-- gone -->",
    ] {
        let source = format!("<w:p><w:r><w:t>kept </w:t></w:r>{gone}<w:r><w:t>too\u{200b}</w:t></w:r></w:p>");
        assert_eq!(body(&source), "kept too", "{gone}");
    }
    assert_eq!(body("<w:p><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>kept</w:t></w:r></w:p>"), "kept");
}

#[test]
fn hidden_text_is_left_out_and_counted_whatever_hides_it() {
    let styles = "<w:styles><w:style w:styleId='H'><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId='K'><w:basedOn w:val='H'/></w:style>\
        <w:style w:styleId='S'><w:basedOn w:val='H'/><w:rPr><w:vanish w:val='0'/></w:rPr></w:style></w:styles>";
    for (run, hidden) in [
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>gone</w:t></w:r>", 4),
        ("<w:r><w:rPr><w:rStyle w:val='K'/></w:rPr><w:t>gone</w:t></w:r>", 4),
        ("<w:r><w:rPr><w:sz w:val='2'/></w:rPr><w:t>gone</w:t></w:r>", 4),
        ("<w:r><w:rPr><w:rStyle w:val='S'/></w:rPr><w:t> too</w:t></w:r>", 0),
        ("<w:r><w:rPr><w:sz w:val='3'/></w:rPr><w:t> too</w:t></w:r>", 0),
        ("<w:r><w:t>\u{e0041}\u{e0042} too</w:t></w:r>", 2),
    ] {
        let body = format!(
            "<w:p><w:r><w:t>kept</w:t></w:r>{run}</w:p><w:p><w:pPr><w:pStyle w:val='K'/></w:pPr><w:r><w:t>gone</w:t></w:r><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>end</w:t></w:r></w:p>"
        );
        let found = read(&[(USUAL_PART, &body), ("word/styles.xml", styles)]).expect("a document");
        let want = if run.contains("too") { "kept too end" } else { "kept end" };
        assert_eq!((text(&found).as_str(), found.left_out.hidden), (want, hidden + 4), "{run}");
    }
}

#[test]
fn notes_follow_the_body_and_the_properties_name_the_title() {
    let found = read(&[
        ("_rels/.rels", "<r><Relationship Type='http://x/officeDocument' Target='/word/main.xml'/></r>"),
        ("word/main.xml", "<w:p><w:r><w:t>Body.</w:t></w:r></w:p>"),
        (
            "word/footnotes.xml",
            "<w:footnotes><w:footnote w:type='separator'><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>\
             <w:footnote w:id='1'><w:p><w:r><w:t>Note.</w:t></w:r></w:p></w:footnote></w:footnotes>",
        ),
        ("docProps/core.xml", "<cp:coreProperties><dc:title>On Things</dc:title></cp:coreProperties>"),
    ])
    .expect("a document");
    assert_eq!(text(&found), "Body. Note.");
    assert_eq!(found.properties.title.as_deref(), Some("On Things"));
    assert!(found.remarks.is_empty());
}

#[test]
fn broken_markup_is_remarked_on_and_a_foreign_package_is_rejected() {
    let found = read(&[(USUAL_PART, "<w:p><w:r><w:t>Half</w:t></w:r></w:p><w:p a='")]).expect("a document");
    assert_eq!(found.remarks, ["the document's markup ends early"]);
    assert_eq!(read(&[("other/document.txt", "<x/>")]), Err(PackageError::Unknown));
}

#[test]
fn deep_nesting_costs_no_stack() {
    let deep = format!("{}<w:p><w:r><w:t>bottom</w:t></w:r></w:p>", "<w:x>".repeat(200_000));
    assert_eq!(body(&deep), "bottom");
}

#[test]
fn numbers_of_styles_stand_before_headings() {
    let styles = "<w:styles><w:style w:styleId='Clause'><w:name w:val='heading 1'/><w:pPr><w:numPr><w:numId w:val='2'/></w:numPr></w:pPr></w:style>\
        <w:style w:styleId='Sub'><w:name w:val='heading 2'/><w:pPr><w:numPr><w:numId w:val='2'/></w:numPr></w:pPr></w:style></w:styles>";
    let numbering = "<n><abstractNum abstractNumId='1'><lvl ilvl='0'><numFmt val='decimal'/><lvlText val='Article %1'/></lvl>\
        <lvl ilvl='1'><numFmt val='decimal'/><pStyle val='Sub'/><lvlText val='%1.%2'/></lvl></abstractNum><num numId='2'><abstractNumId val='1'/></num></n>";
    let p = |style: &str, more: &str, text: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val='{style}'/>{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let source = [
        p("Clause", "", "Scope"),
        p("Clause", "", ""),
        p("Clause", "<w:numPr><w:numId w:val='0'/></w:numPr>", "Annex"),
        p("Clause", "", "Mooring"),
        p("Sub", "", "Fees"),
        p("x", "<w:numPr><w:ilvl w:val='1'/><w:numId w:val='2'/></w:numPr>", "item"),
    ]
    .concat();
    let parts = [(USUAL_PART, source.as_str()), ("word/numbering.xml", numbering), ("word/styles.xml", styles)];
    let found: Vec<String> = read(&parts).expect("a document").leaves.iter().map(render_leaf).collect();
    assert_eq!(
        found,
        [
            "heading1 : Article 1 Scope",
            "heading1 : Annex",
            "heading1 : Article 3 Mooring",
            "heading2 : 3.1 Fees",
            "list_item2 3.2: item"
        ]
    );
}

#[test]
fn symbols_are_characters_and_unknown_ones_are_counted() {
    let source = "<w:p><w:r><w:sym w:font='Symbol' w:char='F0B1'/><w:t>2 </w:t></w:r><w:r><w:rPr><w:rFonts w:ascii='Symbol'/></w:rPr><w:t>a\u{f062}</w:t></w:r>\
        <w:r><w:t> a </w:t><w:sym w:font='Wingdings' w:char='F0FC'/><w:sym w:font='Odd' w:char='F041'/></w:r></w:p>";
    let found = read(&[(USUAL_PART, source)]).expect("a document");
    assert_eq!(text(&found), "±2 αβ a ✓");
    assert_eq!(found.remarks, ["characters of unknown symbol fonts were left out: 1"]);
}

#[test]
fn headers_footers_and_comments_follow_the_notes() {
    let header = "<w:hdr><w:p><w:r><w:t>version 7</w:t></w:r></w:p></w:hdr>";
    let relations = "<r><Relationship Id='a' Type='x/header' Target='header1.xml'/><Relationship Id='b' Type='x/header' Target='header2.xml'/>\
        <Relationship Id='c' Type='x/footer' Target='footer1.xml'/></r>";
    let found = read(&[
        (USUAL_PART, "<w:p><w:r><w:t>Body.</w:t></w:r></w:p>"),
        ("word/_rels/document.xml.rels", relations),
        ("word/header1.xml", header),
        ("word/header2.xml", header),
        (
            "word/footer1.xml",
            "<w:ftr><w:p><w:pPr><w:pStyle w:val='Footer'/></w:pPr><w:r><w:t>Port of Ost</w:t></w:r></w:p></w:ftr>",
        ),
        (
            "word/comments.xml",
            "<w:comments><w:comment w:id='4' w:author='Jo'><w:p><w:r><w:t>Is this so?</w:t></w:r></w:p></w:comment></w:comments>",
        ),
    ]);
    let found: Vec<String> = found.expect("a document").leaves.iter().map(render_leaf).collect();
    assert_eq!(
        found,
        ["paragraph : Body.", "footnote Jo: Is this so?", "furniture : version 7", "furniture : Port of Ost"]
    );
}

#[test]
fn fields_to_fill_in_say_their_state() {
    let field = |inner: &str| {
        format!(
            "<w:p><w:r><w:fldChar w:fldCharType='begin'><w:ffData>{inner}</w:ffData></w:fldChar></w:r><w:r><w:t>Boat</w:t></w:r></w:p>"
        )
    };
    let control = "<w:p><w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val='1'/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>☒</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t> Paid</w:t></w:r></w:p>";
    let source = [
        field("<w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox>"),
        field("<w:checkBox><w:default w:val='0'/></w:checkBox>"),
        field("<w:ddList><w:result w:val='1'/><w:listEntry w:val='Row'/><w:listEntry w:val='Sail '/></w:ddList>"),
        control.to_owned(),
    ]
    .concat();
    let found: Vec<String> =
        read(&[(USUAL_PART, &source)]).expect("a document").leaves.iter().map(render_leaf).collect();
    assert_eq!(found, ["form_field : ☒ Boat", "form_field : ☐ Boat", "form_field : Sail Boat", "form_field : ☒ Paid"]);
}

#[test]
fn letters_over_several_lines_begin_the_next_paragraph() {
    let source = "<w:p><w:pPr><w:framePr w:dropCap='drop' w:lines='3'/></w:pPr><w:r><w:t>T</w:t></w:r></w:p>\
        <w:p><w:r><w:t>he har</w:t><w:softHyphen/><w:t>bour</w:t></w:r><w:r><w:rPr><w:smallCaps/></w:rPr><w:t> Ost</w:t></w:r></w:p>\
        <w:p><w:r><w:t>Next</w:t></w:r></w:p>";
    let found: Vec<String> =
        read(&[(USUAL_PART, source)]).expect("a document").leaves.iter().map(render_leaf).collect();
    assert_eq!(found, ["paragraph : The harbour Ost", "paragraph : Next"]);
}

#[test]
fn charts_and_diagrams_stand_where_they_are_shown() {
    let found = read(&[
        (
            USUAL_PART,
            "<w:p><w:r><w:t>Tons:</w:t></w:r><w:r><w:drawing><c:chart r:id='a'/></w:drawing></w:r></w:p><w:p><w:r><w:drawing><dgm:relIds r:dm='b'/></w:drawing></w:r></w:p><w:p><w:r><w:t>End.</w:t></w:r></w:p>",
        ),
        (
            "word/_rels/document.xml.rels",
            "<r><Relationship Id='a' Type='x/chart' Target='charts/c.xml'/><Relationship Id='b' Type='x/diagramData' Target='d.xml'/>\
             <Relationship Id='c' Type='x/chartEx' Target='e.xml'/></r>",
        ),
        (
            "word/charts/c.xml",
            "<c:chart><c:plotArea><c:ser><c:cat><c:pt idx='0'><c:v>North</c:v></c:pt></c:cat><c:val><c:pt idx='0'><c:v>12</c:v></c:pt></c:val></c:ser></c:plotArea></c:chart>",
        ),
        (
            "word/d.xml",
            "<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Bu</a:t></a:r><a:r><a:t>ild</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>",
        ),
    ])
    .expect("a document");
    assert_eq!(
        found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
        ["paragraph : Tons:", "table_row1 : North|12", "list_item1 -: Plan", "list_item1 -: Build", "paragraph : End."]
    );
    assert_eq!(found.remarks, ["charts without saved values were left out: 1"]);
}

#[test]
fn a_cell_merged_downwards_is_a_label_of_each_row() {
    let cell = |merge: &str, text: &str| {
        format!("<w:tc><w:tcPr>{merge}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
    };
    let row =
        |merge: &str, first: &str, second: &str| format!("<w:tr>{}{}</w:tr>", cell(merge, first), cell("", second));
    let rows = row("<w:vMerge w:val='restart'/>", "North", "May")
        + &row("<w:vMerge/>", "", "June")
        + &row("<w:vMerge w:val='restart'/>", "South", "May")
        + &row("<w:vMerge w:val='continue'/>", "", "June");
    let source = format!("<w:tbl>{rows}</w:tbl>");
    let found = read(&[(USUAL_PART, source.as_str())]).expect("a document");
    let leaves: Vec<String> = found.leaves.iter().map(render_leaf).collect();
    assert_eq!(
        leaves,
        ["table_row1 : North|May", "table_row1 : North|June", "table_row1 : South|May", "table_row1 : South|June"]
    );
}

#[test]
fn the_reading_of_a_word_is_not_part_of_it() {
    let source = "<w:p><w:r><w:t>In </w:t></w:r><w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t> now</w:t></w:r></w:p>";
    assert_eq!(body(source), "In 東京 now");
}

#[test]
fn a_text_box_does_not_break_the_sentence_around_it() {
    let paragraph = |inner: &str| format!("<w:p>{inner}</w:p>");
    let run = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let boxed = |inner: &str| {
        format!(
            "<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict>{}</w:pict></mc:Fallback></mc:AlternateContent></w:r>",
            paragraph(&run("again"))
        )
    };
    let list = "<w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='5'/></w:numPr></w:pPr>";
    let numbering = "<n><abstractNum abstractNumId='0'><lvl><numFmt val='decimal'/><lvlText val='%1.'/></lvl></abstractNum><num numId='5'><abstractNumId val='0'/></num></n>";
    let inner = paragraph(&(run("in") + &boxed(&paragraph(&run("deepest"))) + &run("side"))) + &paragraph(&run("more"));
    let table = format!(
        "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>",
        paragraph(&run("a")),
        paragraph(&run("b"))
    );
    let source = [
        paragraph(&format!("{list}{}{}{}", run("The cap is "), boxed(&inner), run("not 5."))),
        paragraph(&(run("Rows ") + &boxed(&table) + &run("end."))),
        paragraph(&format!("{list}{}", run("Next"))),
    ];
    let found = read(&[(USUAL_PART, &source.concat()), ("word/numbering.xml", numbering)]).expect("a document");
    assert_eq!(
        found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
        [
            "paragraph : deepest",
            "paragraph : inside",
            "paragraph : more",
            "list_item1 1.: The cap is not 5.",
            "table_row1 : a|b",
            "paragraph : Rows end.",
            "list_item1 2.: Next"
        ]
    );
}

#[test]
fn a_row_that_begins_later_keeps_its_columns() {
    let cell = |text: &str| format!("<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>");
    let row = |before: &str, cells: &[&str]| {
        let cells: String = cells.iter().map(|text| cell(text)).collect();
        format!("<w:tr><w:trPr>{before}</w:trPr>{cells}</w:tr>")
    };
    let source = format!(
        "<w:tbl>{}{}{}</w:tbl>",
        row("", &["Port", "Boats", "Crew", "Tons"]),
        row("<w:gridBefore w:val='1'/><w:wBefore w:w='5'/>", &["4", "9", "2"]),
        row(
            "<w:gridBefore w:val='2'/><w:trPrChange><w:trPr><w:gridBefore w:val='1'/></w:trPr></w:trPrChange>",
            &["7", "3"]
        )
    );
    let found = read(&[(USUAL_PART, &source)]).expect("a document");
    assert_eq!(
        found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
        ["table_row1 : Port|Boats|Crew|Tons", "table_row1 : |4|9|2", "table_row1 : ||7|3"]
    );
}

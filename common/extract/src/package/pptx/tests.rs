use super::super::fixture::{render_leaf, zip_parts};
use super::*;

fn shape(kind: &str, paragraphs: &str) -> String {
    format!("<p:sp><p:nvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>")
}

fn p(properties: &str, text: &str) -> String {
    format!("<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>")
}

#[test]
fn slides_come_in_their_order_with_titles_items_tables_and_notes() {
    let one = [
        shape("<p:ph type='title'/>", &p("", "First")),
        shape(
            "<p:ph idx='1'/>",
            &(p("", "one") + &p("<a:pPr lvl='1'/>", "two") + &p("<a:pPr><a:buNone/></a:pPr>", "three")),
        ),
        shape("", &p("", "box")),
        shape("<p:ph type='sldNum'/>", &p("", "1")),
        "<p:graphicFrame><a:tbl><a:tblPr firstRow='1'/>".to_owned()
            + &format!(
                "<a:tr><a:tc gridSpan='2'>{}</a:tc><a:tc hMerge='1'><a:p/></a:tc><a:tc>{}</a:tc></a:tr>",
                p("", "a"),
                p("", "b")
            )
            + &format!(
                "<a:tr><a:tc>{}</a:tc><a:tc>{}</a:tc><a:tc>{}</a:tc></a:tr>",
                p("", "1"),
                p("", "2"),
                p("", "3")
            )
            + "</a:tbl></p:graphicFrame>",
    ]
    .concat();
    let one = format!("<p:sld>{one}</p:sld>");
    let two = format!("<p:sld>{}</p:sld>", shape("<p:ph type='ctrTitle'/>", &p("", "Second")));
    let notes = shape("<p:ph type='body'/>", &p("", "Say this.")) + &shape("<p:ph type='sldNum'/>", &p("", "1"));
    let bytes = zip_parts(&[
        (
            PRESENTATION,
            "<p:sldIdLst><p:sldId id='256' r:id='x'/><p:sldId id='257' r:id='y'/><p:sldId id='258' r:id='z'/></p:sldIdLst>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            "<r><Relationship Id='y' Type='x/slide' Target='slides/one.xml'/><Relationship Id='x' Type='x/slide' Target='slides/two.xml'/>\
             <Relationship Id='z' Type='x/slide' Target='slides/three.xml'/></r>",
        ),
        ("ppt/slides/one.xml", &one),
        ("ppt/slides/two.xml", &two),
        ("ppt/slides/three.xml", "<p:sld show='0'><a:p><a:t>gone</a:t></a:p></p:sld>"),
        (
            "ppt/slides/_rels/one.xml.rels",
            "<r><Relationship Id='n' Type='x/notesSlide' Target='../notesSlides/n.xml'/></r>",
        ),
        ("ppt/notesSlides/n.xml", &notes),
    ]);
    let found = super::super::text(Package::open(&bytes).expect("an archive")).expect("a presentation");
    let leaves: Vec<String> = found.leaves.iter().map(render_leaf).collect();
    assert_eq!(
        leaves,
        [
            "heading1 : Second",
            "heading1 : First",
            "list_item1 -: one",
            "list_item2 -: two",
            "paragraph : three",
            "paragraph : box",
            "furniture : 1",
            "table_row1h : a|a|b",
            "table_row1 : 1|2|3",
            "footnote : Say this.",
            "furniture : 1",
        ]
    );
    assert_eq!(found.remarks, ["hidden slides were left out: 1"]);
}

#[test]
fn numbers_formulas_and_charts_of_a_slide_are_read_once() {
    let numbered = |text: &str| p("<a:pPr><a:buAutoNum type='arabicPeriod'/></a:pPr>", text);
    let formula = "<mc:AlternateContent><mc:Choice><p:sp><p:txBody><a:p><a14:m><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></a14:m></a:p></p:txBody></p:sp></mc:Choice>\
         <mc:Fallback><p:sp><p:txBody><a:p><a:r><a:t>12</a:t></a:r></a:p></p:txBody></p:sp></mc:Fallback></mc:AlternateContent>";
    let slide = format!(
        "<p:sld>{}{formula}<p:graphicFrame><c:chart r:id='c'/></p:graphicFrame></p:sld>",
        shape("", &(numbered("one") + &numbered("two")))
    );
    let bytes = zip_parts(&[
        (PRESENTATION, "<p:sldIdLst><p:sldId id='256' r:id='x'/></p:sldIdLst>"),
        ("ppt/_rels/presentation.xml.rels", "<r><Relationship Id='x' Type='x/slide' Target='slides/one.xml'/></r>"),
        ("ppt/slides/one.xml", &slide),
        ("ppt/slides/_rels/one.xml.rels", "<r><Relationship Id='c' Type='x/chart' Target='../charts/c.xml'/></r>"),
        (
            "ppt/charts/c.xml",
            "<c:chart><c:plotArea><c:ser><c:cat><c:pt idx='0'><c:v>North</c:v></c:pt></c:cat><c:val><c:pt idx='0'><c:v>12</c:v></c:pt></c:val></c:ser></c:plotArea></c:chart>",
        ),
    ]);
    let found = super::super::text(Package::open(&bytes).expect("an archive")).expect("a presentation");
    let leaves: Vec<String> = found.leaves.iter().map(render_leaf).collect();
    assert_eq!(leaves, ["list_item1 1.: one", "list_item1 2.: two", "paragraph : 1/2", "table_row1 : North|12"]);
}

#[test]
fn a_cell_merged_downwards_is_a_label_of_each_row() {
    let cell = |merge: &str, text: &str| format!("<a:tc {merge}>{}</a:tc>", p("", text));
    let row = |first: String, second: &str| format!("<a:tr>{first}{}</a:tr>", cell("", second));
    let rows = row(cell("rowSpan='2'", "North"), "May") + &row(cell("vMerge='1'", ""), "June");
    let slide = format!("<p:sld><p:graphicFrame><a:tbl>{rows}</a:tbl></p:graphicFrame></p:sld>");
    let bytes = zip_parts(&[
        (PRESENTATION, "<p:sldIdLst><p:sldId id='256' r:id='x'/></p:sldIdLst>"),
        ("ppt/_rels/presentation.xml.rels", "<r><Relationship Id='x' Type='x/slide' Target='slides/one.xml'/></r>"),
        ("ppt/slides/one.xml", &slide),
    ]);
    let found = super::super::text(Package::open(&bytes).expect("an archive")).expect("a presentation");
    let leaves: Vec<String> = found.leaves.iter().map(render_leaf).collect();
    assert_eq!(leaves, ["table_row1 : North|May", "table_row1 : North|June"]);
}

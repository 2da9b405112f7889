use super::super::super::sheet::MAX_GAP;
use super::super::fixture::{render_leaf, zip_parts};
use super::*;

fn workbook(sheet: &str) -> PackageText {
    workbook_with(sheet, &[])
}

fn lines(sheet: &str) -> Vec<String> {
    workbook(sheet).leaves.iter().skip(1).map(render_leaf).collect()
}

/// Cells of text in a row; each is its reference and its words.
fn row(number: usize, cells: &[(&str, &str)]) -> String {
    let cells: String =
        cells.iter().map(|(place, text)| format!("<c r='{place}{number}' t='str'><v>{text}</v></c>")).collect();
    format!("<row r='{number}'>{cells}</row>")
}

fn workbook_with(sheet: &str, more: &[(&str, &str)]) -> PackageText {
    let parts = [
        (
            WORKBOOK,
            "<workbook><sheets><sheet name='Costs' r:id='a'/><sheet name='Secret' state='hidden' r:id='b'/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            "<r><Relationship Id='a' Type='x/worksheet' Target='worksheets/one.xml'/>\
             <Relationship Id='b' Type='x/worksheet' Target='worksheets/two.xml'/></r>",
        ),
        (
            "xl/sharedStrings.xml",
            "<sst><si><t>Item</t></si><si><r><t>Pri</t></r><r><t>ce</t></r><rPh><t>x</t></rPh></si></sst>",
        ),
        ("xl/styles.xml", "<s><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='10'/></cellXfs></s>"),
        ("xl/worksheets/one.xml", sheet),
        ("xl/worksheets/two.xml", "<sheetData><row><c><v>666</v></c></row></sheetData>"),
    ];
    super::super::text(Package::open(&zip_parts(&[parts.as_slice(), more].concat())).expect("an archive"))
        .expect("a workbook")
}

#[test]
fn sheets_are_tables_with_cells_in_their_columns() {
    let found = workbook(
        "<sheetData><row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='s'><v>1</v></c><c r='D1' t='inlineStr'><is><t>Day</t></is></c></row>\
         <row r='2'><c r='A2' t='str'><f>x</f><v>Pen</v></c><c r='B2'><v>1.1000000000000001</v></c><c r='C2' s='2'><v>0.19</v></c><c r='D2' s='1'><v>45306</v></c></row>\
         <row r='3' hidden='1'><c r='A3'><v>7</v></c></row><row r='4'><c r='A4' t='b'><v>1</v></c><c r='XFD4' t='str'><v>far</v></c></row></sheetData>",
    );
    let shown: Vec<String> = found.leaves.iter().map(render_leaf).collect();
    assert_eq!(
        shown,
        [
            "heading1 : Costs",
            "table_row1h : Item|Price||Day",
            "table_row1 : Pen|1.1|19.00%|2024-01-15",
            "table_row1 : TRUE|far"
        ]
    );
    assert_eq!(found.remarks, ["hidden sheets were left out: 1", "hidden rows were left out: 1"]);
    assert_eq!(found.format, DocumentFormat::Xlsx);
}

#[test]
fn a_cell_keeps_its_column_up_to_a_gap() {
    for (gap, cells) in [(MAX_GAP - 1, MAX_GAP + 1), (MAX_GAP, MAX_GAP + 2), (MAX_GAP + 1, 2)] {
        let letters = |mut at: usize| {
            let mut name = String::new();
            loop {
                name.insert(0, char::from(b'A' + (at % 26) as u8));
                if at < 26 {
                    return name;
                }
                at = at / 26 - 1;
            }
        };
        let far = letters(gap + 1);
        let row = format!("<row><c r='A1' t='str'><v>a</v></c><c r='{far}1' t='str'><v>b</v></c></row>");
        assert_eq!(workbook(&row).leaves[1].cells.len(), cells, "{gap} {far}");
    }
}

#[test]
fn what_is_hidden_is_left_out_and_counted() {
    let found = workbook(&format!(
        "<cols><col min='2' max='2' hidden='1'/><col min='5' max='16384' hidden='1'/></cols><sheetData>{}{}{}{}</sheetData>",
        row(1, &[("A", "Item"), ("B", "Secret"), ("C", "Owner"), ("E", "gone")]),
        row(2, &[("A", "Rope"), ("B", "x"), ("C", "Ana")]),
        row(3, &[("A", "Oil"), ("C", "Bob")]).replace("<row", "<row hidden='1'"),
        row(4, &[("A", "Oar"), ("C", "Cem")]),
    ));
    let lines: Vec<String> = found.leaves.iter().skip(1).map(render_leaf).collect();
    assert_eq!(lines, ["table_row1h : Item|Owner", "table_row1 : Rope|Ana", "table_row1 : Oar|Cem"]);
    let said = ["hidden sheets were left out: 1", "hidden rows were left out: 1", "hidden columns were left out: 2"];
    assert_eq!(found.remarks, said);
}

#[test]
fn a_formula_without_a_saved_value_is_counted() {
    let found = workbook(
        "<row r='1'><c r='A1' t='str'><v>Total</v></c><c r='B1'><f>SUM(B2:B3)</f><v></v></c><c r='C1'><f>x</f></c>\
         <c r='D1' t='str'><f>y</f><v></v></c><c r='E1'><f>z</f><v>5</v></c></row>",
    );
    assert_eq!(found.remarks[1], "formulas without a saved value were left out: 2");
}

#[test]
fn a_merged_label_is_in_each_row_and_column_covered() {
    let sheet = format!(
        "<sheetData>{}{}{}{}{}</sheetData><mergeCells><mergeCell ref='A1:D1'/><mergeCell ref='B2:C2'/><mergeCell ref='A4:A5'/></mergeCells>",
        row(1, &[("A", "Harbours")]),
        row(2, &[("A", "Port"), ("B", "Boats"), ("D", "Staff")]),
        row(3, &[("B", "May"), ("C", "June"), ("D", "all")]),
        row(4, &[("A", "Ost"), ("B", "one"), ("C", "two"), ("D", "six")]),
        row(5, &[("B", "three"), ("C", "four"), ("D", "ten")]),
    );
    assert_eq!(
        lines(&sheet),
        [
            "paragraph : Harbours",
            "table_row1h : Port|Boats|Boats|Staff",
            "table_row1h : |May|June|all",
            "table_row1 : Ost|one|two|six",
            "table_row1 : Ost|three|four|ten"
        ]
    );
}

#[test]
fn a_merged_label_from_a_hidden_cell_appears_in_its_area() {
    let hidden = |row: String| row.replace("<row", "<row hidden='1'");
    let merged = |areas: &[&str]| {
        let areas: String = areas.iter().map(|area| format!("<mergeCell ref='{area}'/>")).collect();
        format!("<mergeCells>{areas}</mergeCells>")
    };
    let below = format!(
        "<sheetData>{}{}{}</sheetData>{}",
        row(1, &[("A", "Region"), ("B", "Boat"), ("C", "Crew")]),
        hidden(row(2, &[("A", "North"), ("B", "A"), ("C", "1")])),
        row(3, &[("B", "B"), ("C", "2")]),
        merged(&["A2:A3"])
    );
    assert_eq!(lines(&below), ["table_row1h : Region|Boat|Crew", "table_row1 : North|B|2"]);
    let column = "<cols><col min='1' max='1' hidden='1'/></cols>";
    let beside = format!(
        "{column}<sheetData>{}{}</sheetData>{}",
        row(1, &[("A", "Group"), ("D", "x")]),
        row(2, &[("B", "a"), ("C", "b"), ("D", "c")]),
        merged(&["A1:C1"])
    );
    let found = workbook(&beside);
    assert_eq!(found.leaves.iter().skip(1).map(render_leaf).collect::<Vec<_>>()[0], "table_row1h : Group|Group|x");
    assert_eq!(found.remarks, ["hidden sheets were left out: 1"]);
    // A title stands there once.
    let title = format!(
        "{column}<sheetData>{}{}{}</sheetData>{}",
        row(1, &[("A", "Harbours")]),
        row(2, &[("A", "gone"), ("B", "Port"), ("C", "Boats"), ("D", "Staff")]),
        row(3, &[("B", "Ost"), ("C", "two"), ("D", "six")]),
        merged(&["A1:D1", "A2:A3"])
    );
    let found = workbook(&title);
    assert_eq!(
        found.leaves.iter().skip(1).map(render_leaf).collect::<Vec<_>>()[..2],
        ["paragraph : Harbours", "table_row1h : Port|Boats|Staff"]
    );
    assert_eq!(found.remarks, ["hidden sheets were left out: 1", "hidden columns were left out: 1"]);
    let both = format!(
        "<sheetData>{}{}{}</sheetData>{}",
        hidden(row(1, &[("A", "Harbours")])),
        "<row r='2'/>",
        row(3, &[("A", "Port"), ("B", "Boats")]),
        merged(&["A1:B2"])
    );
    assert_eq!(lines(&both)[..2], ["paragraph : Harbours", "table_row1h : Port|Boats"]);
    let shown_once = both.replace(" hidden='1'", "");
    assert_eq!(lines(&shown_once)[..2], ["paragraph : Harbours", "table_row1h : Port|Boats"]);
}

#[test]
fn a_list_with_a_filter_names_its_header() {
    let sheet = format!(
        "<sheetData>{}<row r='2'><c r='A2' t='str'><v>Port</v></c><c r='B2'><v>2025</v></c></row><row r='3'><c r='A3' t='str'><v>Ost</v></c><c r='B3'><v>4</v></c></row></sheetData><autoFilter ref='A2:B3'/>",
        row(1, &[("A", "As of"), ("B", "May")])
    );
    assert_eq!(lines(&sheet), ["table_row1 : As of|May", "table_row2h : Port|2025", "table_row2 : Ost|4"]);
}

#[test]
fn comments_follow_their_sheet_as_notes_of_their_cells() {
    let sheet = format!("<sheetData>{}</sheetData>", row(1, &[("A", "Item"), ("B", "Price")]));
    let found = workbook_with(
        &sheet,
        &[
            (
                "xl/worksheets/_rels/one.xml.rels",
                "<r><Relationship Id='c' Type='x/comments' Target='../comments1.xml'/>\
                 <Relationship Id='t' Type='x/threadedComment' Target='../threadedComments/t.xml'/></r>",
            ),
            (
                "xl/comments1.xml",
                "<comments><authors><author>Jo</author></authors><commentList><comment ref='B1' authorId='0'><text><r><t>Without </t></r><r><rPr><b/></rPr><t>VAT.</t></r></text></comment>\
                 <comment ref='A1'><text><t>[Threaded comment] update your program</t></text></comment></commentList></comments>",
            ),
            (
                "xl/threadedComments/t.xml",
                "<ThreadedComments><threadedComment ref='A1'><text>Which items?</text></threadedComment>\
                 <threadedComment ref='A1'><text>All of them.</text></threadedComment></ThreadedComments>",
            ),
        ],
    );
    let lines: Vec<String> = found.leaves.iter().skip(2).map(render_leaf).collect();
    assert_eq!(lines, ["footnote A1: Which items?", "footnote A1: All of them.", "footnote B1: Without VAT."]);
}

#[test]
fn struck_words_of_a_cell_are_not_said() {
    let found = workbook(
        "<row r='1'><c r='A1' t='inlineStr'><is><r><t>Dogs are </t></r><r><rPr><strike/></rPr><t>not</t></r><r><rPr/><t> allowed</t></r></is></c></row>",
    );
    assert_eq!((render_leaf(&found.leaves[1]).as_str(), found.left_out.struck), ("paragraph : Dogs are allowed", 3));
    assert!(found.leaves[1].is_struck);
}

#[test]
fn characters_that_a_workbook_escapes_are_those_characters() {
    let found = workbook(
        "<row r='1'><c r='A1' t='inlineStr'><is><t>one_x000D_two</t></is></c><c r='B1' t='str'><v>_x0041_B</v></c>\
         <c r='C1' t='inlineStr'><is><r><t>_x005F_x0041_</t></r><r><t>_x004</t></r><r><t>1_</t></r></is></c><c r='D1' t='str'><v>_xD83D__xDE80_ _xZZZZ_ a_x</v></c></row>",
    );
    assert_eq!(render_leaf(&found.leaves[1]), "table_row1h : one two|AB|_x0041__x0041_|🚀 _xZZZZ_ a_x");
}

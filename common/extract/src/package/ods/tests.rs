use super::super::fixture::{render_leaf, zip_parts};
use super::*;

fn read(styles: &str, sheets: &str) -> PackageText {
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body></office:document-content>"
    );
    let parts = [("mimetype", DocumentFormat::Ods.mime()), (odt::BODY, content.as_str())];
    super::super::text(Package::open(&zip_parts(&parts)).expect("an archive")).expect("sheets")
}

fn lines(found: &PackageText) -> Vec<String> {
    found.leaves.iter().map(render_leaf).collect()
}

fn sheet(inner: &str) -> String {
    format!("<table:table table:name='S'>{inner}</table:table>")
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| text(cell)).collect();
    format!("<table:table-row>{}</table:table-row>", cells.concat())
}

fn text(words: &str) -> String {
    match words {
        "" => "<table:table-cell/>".to_owned(),
        _ => format!("<table:table-cell office:value-type='string'><text:p>{words}</text:p></table:table-cell>"),
    }
}

fn number(value: &str, shown: &str) -> String {
    format!(
        "<table:table-cell office:value-type='float' office:value='{value}'><text:p>{shown}</text:p></table:table-cell>"
    )
}

#[test]
fn a_sheet_is_a_heading_and_a_table() {
    let body = sheet(&format!(
        "{}<table:table-row>{}{}</table:table-row>",
        row(&["Boat", "Net"]),
        text("Ann<text:s/>B"),
        number("1234.5", "1,234.50 kr")
    ));
    assert_eq!(lines(&read("", &body)), ["heading1 : S", "table_row1h : Boat|Net", "table_row1 : Ann B|1,234.50 kr"]);
}

#[test]
fn dates_are_written_year_first_and_values_by_their_format() {
    let styles = "<number:date-style style:name='N1'><number:day/><number:text>/</number:text><number:month/><number:text>/</number:text><number:year/></number:date-style>\
        <number:time-style style:name='N2' number:truncate-on-overflow='false'><number:hours/><number:text>:</number:text><number:minutes number:style='long'/></number:time-style>\
        <number:percentage-style style:name='N3'><number:number number:decimal-places='1' number:min-integer-digits='1'/><number:text>%</number:text></number:percentage-style>\
        <style:style style:name='D' style:family='table-cell' style:data-style-name='N1'/><style:style style:name='T' style:family='table-cell' style:data-style-name='N2'/>\
        <style:style style:name='P' style:family='table-cell' style:data-style-name='N3'/>";
    for (cell, want) in [
        (
            "table:style-name='D' office:value-type='date' office:date-value='2026-03-14'><text:p>14/3/26</text:p>",
            "2026-03-14",
        ),
        (
            "office:value-type='date' office:date-value='2026-03-14T09:00:00'><text:p>14.3.</text:p>",
            "2026-03-14 09:00:00",
        ),
        (
            "table:style-name='T' office:value-type='time' office:time-value='PT36H05M00S'><text:p>36:05</text:p>",
            "36:05",
        ),
        ("table:style-name='T' office:value-type='time' office:time-value='PT36H05M00S'>", "36:05"),
        ("table:style-name='P' office:value-type='percentage' office:value='0.256'>", "25.6%"),
        ("office:value-type='float' office:value='0.30000000000000004'>", "0.3"),
        ("office:value-type='boolean' office:boolean-value='true'>", "TRUE"),
        ("office:value-type='string' office:string-value='words'>", "words"),
        ("office:value-type='float' office:value='421'><text:p>00421</text:p>", "00421"),
    ] {
        let body = sheet(&format!(
            "<table:table-row>{}<table:table-cell {cell}</table:table-cell></table:table-row>",
            number("7", "7")
        ));
        let found = lines(&read(styles, &body));
        assert!(found[1].ends_with(&format!(" : 7|{want}")), "{cell}: {found:?}");
    }
}

#[test]
fn a_merged_cell_labels_all_that_it_covers() {
    let span = |how: &str, words: &str| {
        format!("<table:table-cell {how} office:value-type='string'><text:p>{words}</text:p></table:table-cell>")
    };
    let wide = span("table:number-columns-spanned='2'", "North");
    let high = span("table:number-rows-spanned='2'", "May");
    let covered = "<table:covered-table-cell/>";
    let body = sheet(&format!(
        "<table:table-row>{}{wide}{covered}</table:table-row>{}<table:table-row>{high}{}{}</table:table-row><table:table-row>{covered}{}{}</table:table-row>",
        text("Month"),
        row(&["", "Net", "Gross"]),
        number("1", "1"),
        number("2", "2"),
        number("3", "3"),
        number("4", "4"),
    ));
    assert_eq!(
        lines(&read("", &body))[1..],
        ["table_row1h : Month|North|North", "table_row1h : |Net|Gross", "table_row1 : May|1|2", "table_row1 : May|3|4"]
    );
}

#[test]
fn what_is_hidden_is_left_out_and_counted() {
    let styles = "<style:style style:name='ta' style:family='table'><style:table-properties table:display='false'/></style:style>";
    let body = [
        sheet(&format!(
            "<table:table-column/><table:table-column table:visibility='collapse'/>{}<table:table-row table:visibility='filter'>{}</table:table-row><table:table-row-group table:display='false'>{}</table:table-row-group>{}",
            row(&["Boat", "gone", "Net"]),
            text("gone"),
            row(&["gone"]),
            row(&["Ann", "gone", "1"]),
        )),
        format!("<table:table table:name='H' table:style-name='ta'>{}</table:table>", row(&["gone"])),
    ];
    let found = read(styles, &body.concat());
    assert_eq!(lines(&found)[1..], ["table_row1h : Boat|Net", "table_row1 : Ann|1"]);
    assert_eq!(
        found.remarks,
        ["hidden sheets were left out: 1", "hidden rows were left out: 2", "hidden columns were left out: 1"]
    );
}

#[test]
fn comments_and_boxes_follow_the_table() {
    let body = sheet(&format!(
        "{}<table:table-row>{}<table:table-cell office:value-type='string'><office:annotation><dc:creator>Jo</dc:creator><dc:date>2026</dc:date><text:p>Is this so?</text:p></office:annotation><text:p>b</text:p></table:table-cell>\
         <table:table-cell><draw:frame><draw:text-box><text:p>A box</text:p></draw:text-box></draw:frame><draw:frame><draw:object><table:table><table:table-row/></table:table></draw:object></draw:frame></table:table-cell></table:table-row>",
        row(&["a", "b"]),
        text("x"),
    ));
    let found = read("", &body);
    assert_eq!(
        lines(&found)[1..],
        ["table_row1h : a|b", "table_row1 : x|b", "footnote B2: Is this so?", "paragraph : A box"]
    );
    assert_eq!(found.remarks, ["charts and embedded objects were left out: 1"]);
}

#[test]
fn struck_covered_and_unshown_cells_are_not_said() {
    let styles = "<style:style style:name='X' style:family='table-cell'><style:text-properties style:text-line-through-style='solid'/></style:style>\
        <style:style style:name='B' style:family='text'><style:text-properties style:text-position='super 58%'/></style:style>";
    let body = sheet(
        "<table:table-row><table:table-cell office:value-type='string'><text:p>10<text:span text:style-name='B'>6</text:span></text:p></table:table-cell><table:table-cell table:style-name='X' office:value-type='string'><text:p>not</text:p></table:table-cell>\
         <table:covered-table-cell office:value-type='string'><text:p>under</text:p></table:covered-table-cell><table:table-cell office:value-type='float' office:value='12'><text:p/></table:table-cell>\
         <table:table-cell table:formula='of:=A1'/></table:table-row>",
    );
    let found = read(styles, &body);
    assert_eq!(lines(&found)[1..], ["paragraph : 10⁶"]);
    assert_eq!((found.left_out.struck, found.left_out.hidden), (3, 7));
    assert_eq!(found.remarks, ["formulas without a saved value were left out: 1"]);
}

#[test]
fn ranges_and_rows_of_headers_name_columns() {
    let data = "<table:database-ranges><table:database-range table:target-range-address=\"'S'.A2:'S'.B3\"/></table:database-ranges>";
    let rows = [row(&["One", "Two"]), row(&["Boat", "Port"]), row(&["Ann", "Ost"])].concat();
    let body = sheet(&rows) + data;
    assert!(lines(&read("", &body)).contains(&"table_row2h : Boat|Port".to_owned()), "{:?}", lines(&read("", &body)));
    let rows = format!(
        "<table:table-header-rows>{}</table:table-header-rows>{}",
        row(&["Boat", "Port"]),
        row(&["Ann", "Ost"])
    );
    assert_eq!(lines(&read("", &sheet(&rows)))[1..], ["table_row1h : Boat|Port", "table_row1 : Ann|Ost"]);
}

#[test]
fn repeated_cells_stand_as_often_as_they_are_shown() {
    let body = sheet(
        "<table:table-row table:number-rows-repeated='2'><table:table-cell table:number-columns-repeated='3' office:value-type='string'><text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated='16000'/></table:table-row>\
         <table:table-row table:number-rows-repeated='1048000'><table:table-cell table:number-columns-repeated='16384'/></table:table-row>",
    );
    assert_eq!(lines(&read("", &body))[1..], ["table_row1h : x|x|x", "table_row1 : x|x|x"]);
    let endless = sheet(
        "<table:table-row table:number-rows-repeated='4000000000'><table:table-cell office:value-type='string'><text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated='4000000000' office:value-type='string'><text:p>y</text:p></table:table-cell></table:table-row>",
    );
    let found = read("", &endless);
    assert!(found.remarks.iter().any(|remark| remark.starts_with("repeated cells")), "{:?}", found.remarks);
}

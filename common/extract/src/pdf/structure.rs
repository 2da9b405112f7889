//! Tests the kinds of blocks found by an extraction, on small documents made for the purpose.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::fixture::{at, column, pdf, pdf_with_field, turned_text};
use super::{PdfLimits, extract};

/// Text in another size, in points.
fn sized_text(size: f64, x: f64, y: f64, text: &str) -> String {
    turned_text([size / 10.0, 0.0, 0.0, size / 10.0], x, y, text)
}

fn pages(contents: &[String]) -> Vec<Vec<Leaf>> {
    extract(&pdf(contents), &PdfLimits::default()).expect("the document has text").pages
}

/// Kinds and texts of the leaves of one page.
fn page(content: String) -> Vec<(BlockKind, String)> {
    pages(&[content]).remove(0).into_iter().map(kind_and_text).collect()
}

fn kind_and_text(leaf: Leaf) -> (BlockKind, String) {
    (leaf.kind, leaf.text.replace('\n', " "))
}

fn body(x: f64, top: f64) -> String {
    let lines = [
        "This is running text in the size that most of the page is set in, and it",
        "goes on for some lines, so that nothing else can be taken for the body of",
        "the document.",
    ];
    column(x, top, &lines)
}

const BODY: &str = "This is running text in the size that most of the page is set in, and it goes on for some lines, so that nothing else \
                    can be taken for the body of the document.";

#[test]
fn larger_type_is_a_heading_with_a_level_by_size() {
    let content = sized_text(18.0, 60.0, 740.0, "The title")
        + &body(60.0, 700.0)
        + &sized_text(13.0, 60.0, 640.0, "1 A section")
        + &body(60.0, 620.0);
    let found = pages(&[content]).remove(0);
    let want = [
        (BlockKind::Heading, Some(1), "The title"),
        (BlockKind::Paragraph, None, BODY),
        (BlockKind::Heading, Some(2), "1 A section"),
        (BlockKind::Paragraph, None, BODY),
    ];
    let got: Vec<_> = found.iter().map(|l| (l.kind, l.level, l.text.replace('\n', " "))).collect();
    assert_eq!(got, want.map(|(kind, level, text)| (kind, level, text.to_owned())));
}

#[test]
fn items_keep_their_marks() {
    let content = body(60.0, 740.0)
        + &at(60.0, 690.0, "1. Do not exceed the dose of four tablets a day, whatever")
        + &at(72.0, 678.0, "your neighbour says.")
        + &at(60.0, 666.0, "2. Never give it to children.");
    let found = pages(&[content]).remove(0);
    let items: Vec<_> = found.iter().filter(|l| l.kind == BlockKind::ListItem).collect();
    assert_eq!(items.iter().map(|l| l.marker.as_deref()).collect::<Vec<_>>(), [Some("1."), Some("2.")], "{found:#?}");
    assert!(items.iter().all(|item| item.level == Some(1)), "{items:#?}");
    assert!(items[0].text.starts_with("1. Do not exceed") && items[0].text.ends_with("neighbour says."));
}

#[test]
fn a_table_has_rows_cells_and_a_header() {
    let rows = [("Country", "Apples", "Pears"), ("France", "120", "34"), ("Spain", "7", "850"), ("Italy", "93", "41")];
    let row = |(n, (a, b, c)): (usize, &(&str, &str, &str))| {
        let y = 640.0 - 14.0 * n as f64;
        at(60.0, y, a) + &at(200.0, y, b) + &at(300.0, y, c)
    };
    let content = body(60.0, 740.0) + &rows.iter().enumerate().map(row).collect::<String>();
    let found = pages(&[content]).remove(0);
    let rows: Vec<&Leaf> = found.iter().filter(|l| l.kind == BlockKind::TableRow).collect();
    let cells = |leaf: &Leaf| leaf.cells.iter().map(|cell| leaf.text[cell.clone()].to_owned()).collect::<Vec<_>>();
    assert_eq!(rows.iter().map(|row| row.is_header).collect::<Vec<_>>(), [true, false, false, false], "{found:#?}");
    assert_eq!(cells(rows[2]), ["Spain", "7", "850"]);
    assert!(rows.iter().all(|row| row.table == rows[0].table && row.table.is_some()));
}

#[test]
fn cells_of_several_lines_stay_together() {
    let row = |y: f64, name: &str, first: &str, second: &str| {
        at(60.0, y, name) + &at(160.0, y, first) + &at(160.0, y - 12.0, second)
    };
    let content = row(700.0, "Aspirin", "is given in doses of up to", "four tablets a day")
        + &row(664.0, "Ibuprofen", "is not given to children", "below the age of six")
        + &row(628.0, "Codeine", "is given to nobody", "without a prescription");
    let texts: Vec<String> = page(content).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts[1], "Ibuprofen is not given to children below the age of six", "{texts:#?}");
}

#[test]
fn captions_and_notes_are_distinguished_from_text() {
    let content = body(60.0, 740.0)
        + &sized_text(8.0, 60.0, 660.0, "Figure 2: What the page shows")
        + &body(60.0, 620.0)
        + &sized_text(7.0, 60.0, 540.0, "1 A note at the foot of the page.");
    let found = page(content);
    assert_eq!(found[1], (BlockKind::Caption, "Figure 2: What the page shows".into()), "{found:#?}");
    assert_eq!(found[3], (BlockKind::Footnote, "1 A note at the foot of the page.".into()), "{found:#?}");
}

#[test]
fn what_comes_again_at_the_edge_of_pages_is_furniture() {
    let sheet = |n: usize| {
        at(60.0, 770.0, "Annual report")
            + &body(60.0, 720.0)
            + &at(300.0, 30.0, &n.to_string())
            + &at(60.0, 640.0, ["Only on the first page.", "And only on the second."][n - 1])
    };
    for page in pages(&[sheet(1), sheet(2)]) {
        let kinds: Vec<BlockKind> = page.iter().map(|leaf| leaf.kind).collect();
        let (first, last) = (kinds[0], kinds[kinds.len() - 1]);
        assert_eq!((first, last), (BlockKind::Furniture, BlockKind::Furniture), "{page:#?}");
        assert!(kinds[1..kinds.len() - 1].iter().all(|kind| *kind == BlockKind::Paragraph), "{page:#?}");
    }
}

#[test]
fn a_paragraph_goes_on_in_the_next_column() {
    let left = ["The left column begins with a", "line of ordinary words and it", "goes on for a while until the"];
    let right = ["foot of it, and then it is all", "over. Another sentence follows", "to make the page even again."];
    let found = page(column(60.0, 700.0, &left) + &column(320.0, 700.0, &right));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].1.contains("until the foot of it"), "{found:#?}");
}

#[test]
fn two_lines_in_the_columns_of_another_page_are_columns() {
    let lines: Vec<String> = (0..20).map(|n| format!("an ordinary line of the column number {n:02}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let first = column(60.0, 700.0, &lines) + &column(320.0, 700.0, &lines);
    let second = column(60.0, 700.0, &["Replace what the chapter on procedures", "says of the stabilizer."])
        + &column(320.0, 700.0, &["This paragraph has nothing to do", "with the one beside it."]);
    let second: Vec<String> = pages(&[first, second]).remove(1).into_iter().map(|leaf| kind_and_text(leaf).1).collect();
    assert_eq!(
        second,
        [
            "Replace what the chapter on procedures says of the stabilizer.",
            "This paragraph has nothing to do with the one beside it."
        ]
    );
}

#[test]
fn a_label_is_no_part_of_the_text_that_hangs_behind_it() {
    let lines = [
        "what it is about is said in",
        "some lines that hang behind",
        "their label, one below the",
        "other, to the last one.",
    ];
    let texts: Vec<String> =
        page(at(60.0, 700.0, "Abstract") + &column(140.0, 700.0, &lines)).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["Abstract".to_owned(), lines.join(" ")]);
}

#[test]
fn numbers_of_lines_are_no_part_of_them() {
    let lines: Vec<String> =
        (0..12).map(|n| format!("one line of a transcript that goes on, {}", "x".repeat(n % 3))).collect();
    let content: String = lines
        .iter()
        .enumerate()
        .map(|(n, line)| {
            at(60.0, 700.0 - 20.0 * n as f64, &(n + 1).to_string()) + &at(100.0, 700.0 - 20.0 * n as f64, line)
        })
        .collect();
    let found = page(content);
    assert_eq!(found[0], (BlockKind::Furniture, "1 2 3 4 5 6 7 8 9 10 11 12".into()), "{found:#?}");
    assert!(found[1].1.starts_with("one line of a transcript that goes on, one line"), "{found:#?}");
}

#[test]
fn a_field_with_its_label_is_a_form_field() {
    let rect: Vec<lopdf::Object> = [100, 600, 300, 620].map(lopdf::Object::Integer).to_vec();
    let value = lopdf::Object::string_literal("Ada Lovelace");
    let field = lopdf::dictionary! { "FT" => "Tx", "Rect" => rect, "V" => value };
    let bytes = pdf_with_field(&at(60.0, 604.0, "Name:"), field);
    let text = extract(&bytes, &PdfLimits::default()).expect("the document has text");
    let found: Vec<_> = text.pages[0].iter().cloned().map(kind_and_text).collect();
    assert_eq!(found, [(BlockKind::FormField, "Name: Ada Lovelace".to_owned())]);
}

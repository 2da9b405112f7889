use super::super::package::fixture::render_leaf;
use super::*;

fn lines(inner: &str) -> Vec<String> {
    read(format!("{{\\rtf1\\ansi\\ansicpg1252 {inner}}}").as_bytes())
        .expect("a document")
        .leaves
        .iter()
        .map(render_leaf)
        .collect()
}

#[test]
fn paragraphs_headings_lists_tables_and_notes_are_blocks() {
    for (inner, want) in [
        (
            r"No \b party\b0  pays\line twice.\par Never\tab again.",
            &["paragraph : No party pays twice.", "paragraph : Never again."][..],
        ),
        (
            r"{\stylesheet{\s0 Normal;}{\s1\b heading 1;}{\s2\sbasedon1 heading 2;}{\s3 Caption;}}\pard\s1 A\par\pard\s2 B\par\pard\s3 C\par\pard\outlinelevel2 D\par\pard E\par",
            &["heading1 : A", "heading2 : B", "caption : C", "heading3 : D", "paragraph : E"],
        ),
        (
            r"\pard{\listtext\f3\'b7\tab}\ls1\ilvl0 a\par{\listtext 2.1)\tab}\pard\ls1\ilvl1 b\par\pard c\par",
            &["list_item1 -: a", "list_item2 2.1): b", "paragraph : c"],
        ),
        (
            r"\trowd\trhdr\cellx1\pard\intbl A\cell B\cell\row\trowd\pard\intbl no\cell\cell\row\pard after\par",
            &["table_row1h : A|B", "table_row1 : no|", "paragraph : after"],
        ),
        (
            r"The cap{\super\chftn}{\footnote \pard {\super\chftn} Never more.} is not 5.\par",
            &["paragraph : The cap is not 5.", "footnote 1: Never more."],
        ),
        (
            r"{\header Head\par}{\*\unknown gone}{\field{\*\fldinst HYPERLINK x}{\fldrslt shown}}{\pict 00ff}",
            &["paragraph : shown"],
        ),
        (r"{\*\shpinst{\sp{\sn a}}{\shptxt box\par}}", &["paragraph : box"]),
    ] {
        assert_eq!(lines(inner), want, "{inner}");
    }
}

#[test]
fn a_merged_cell_belongs_to_every_row_and_column_that_it_covers() {
    let row = |definition: &str, cells: &[&str]| {
        let cells: String = cells.iter().map(|cell| format!("{cell}\\cell")).collect();
        format!("\\trowd{definition}\\pard\\intbl {cells}\\row")
    };
    let head = r"\trhdr\cellx1000\cellx3000";
    let plain = r"\cellx1000\cellx2000\cellx3010";
    let wide = row(head, &["Region", " 2024"]) + &row(&format!(r"\trhdr{plain}"), &["", " June", " July"]);
    let below = r"\clvmgf\cellx1000\cellx2000\cellx3000";
    let goes_on = r"\clvmrg\cellx1000\cellx2000\cellx3000";
    let rows = row(below, &["North", " 5", " 7"]) + &row(goes_on, &["", " 6", " 8"]);
    let marked = row(r"\clmgf\cellx1000\clmrg\cellx2000\cellx3000", &["Both", "", " 9"]);
    assert_eq!(
        lines(&(wide + &rows + &marked + r"\pard after\par")),
        [
            "table_row1h : Region|2024|2024",
            "table_row1h : |June|July",
            "table_row1 : North|5|7",
            "table_row1 : North|6|8",
            "table_row1 : Both||9",
            "paragraph : after"
        ]
    );
    let nested = r"\trowd\cellx1000\cellx3000\pard\intbl A\cell {\pard\intbl\itap2 x\nestcell{\*\nesttableprops\trowd\cellx1500\cellx2000\nestrow}}\pard\intbl B\cell\row";
    assert_eq!(lines(&nested.repeat(2)), ["table_row1 : A|x\nB"; 2]);
}

#[test]
fn letters_are_read_in_every_notation() {
    for (inner, want) in [
        (r"K\'fcndigung \emdash \u8364?5", "Kündigung —€5"),
        (r"{\uc2\u26085??\u26412 ??}x", "日本x"),
        (r"\u-10179?\u-8704?", "😀"),
        (
            r"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}\f1 \'cd\'e5 {\f2 \'93\'fa\'96\'7b}",
            "Не 日本",
        ),
        (r"a\~b\_c\-d \{e\}", "a b-cd {e}"),
    ] {
        assert_eq!(lines(inner), [format!("paragraph : {want}")], "{inner}");
    }
    let raw = read(b"{\\rtf1\\ansi\\ansicpg1251 \xcd\xe5}").expect("a document");
    assert_eq!(raw.leaves[0].text, "Не");
}

#[test]
fn what_is_hidden_or_deleted_is_left_out_and_counted() {
    let found = read(br"{\rtf1{\info{\title On things}}kept{\v gone}{\deleted gone}\v gone\v0  too\plain .}")
        .expect("a document");
    assert_eq!(
        (found.leaves[0].text.as_str(), found.left_out.hidden, found.title.as_deref()),
        ("kept too.", 8, Some("On things"))
    );
}

#[test]
fn damaged_and_nested_documents_end() {
    for source in [
        "{\\rtf1 Words".to_owned(),
        "{\\rtf1 Words}}}}} more".to_owned(),
        format!("{{\\rtf1 {}Words", "{".repeat(200_000)),
        "{\\rtf1 Words\\bin99999999 x}".to_owned(),
        "{\\rtf1 {\\footnote {\\footnote Words".to_owned(),
        "{\\rtf1 \\row\\cell\\nestcell\\intbl Words\\row".to_owned(),
    ] {
        let found = read(source.as_bytes()).expect("some of it");
        assert!(found.leaves.iter().any(|leaf| leaf.text.contains("Words")), "{}", &source[..20]);
    }
    assert_eq!(read(br"{\rtf1 \'zz}"), Err("its markup is damaged".to_owned()));
}

#[test]
fn control_words_of_a_document_are_bounded() {
    for (marks, is_read) in [(MAX_TOKENS - 1, true), (MAX_TOKENS, true), (MAX_TOKENS + 1, false)] {
        let source = format!("{{\\rtf1 {}", "}".repeat(marks - 2));
        assert_eq!(read(source.as_bytes()).is_ok(), is_read, "{marks}");
    }
}

#[test]
fn styles_of_a_document_are_bounded() {
    for (number, is_heading) in [(MAX_STYLES - 2, true), (MAX_STYLES - 1, true), (MAX_STYLES, false)] {
        let styles: String = (0..number).map(|n| format!("{{\\s{n} x;}}")).collect();
        let source = format!("{{\\stylesheet{styles}{{\\s{number} heading 1;}}}}\\pard\\s{number} A\\par");
        assert_eq!(lines(&source), [if is_heading { "heading1 : A" } else { "paragraph : A" }], "{number}");
    }
}

#[test]
fn symbols_heading_numbers_and_unread_parts_are_reported() {
    let found = read(
        br"{\rtf1\ansi{\fonttbl{\f0 Arial;}{\f3\fcharset2 Symbol;}}{\stylesheet{\s1 heading 1;}}{\header Top}{\*\annotation Why?}\pard\s1{\listtext\f0 Article 2\tab}Mooring\par\pard\plain within {\f3\'b1}2 {\f3\u-3999?}\par}",
    )
    .expect("a document");
    let texts: Vec<&str> = found.leaves.iter().map(|leaf| leaf.text.as_str()).collect();
    assert_eq!(texts, ["Article 2 Mooring", "within \u{b1}2 \u{3b1}"]);
    assert_eq!(found.unread.as_deref(), Some("comments were left out: 1; headers and footers were left out: 1"));
}

//! Tests what an extraction promises, from bytes to text, on small documents made for the purpose.

use lopdf::{Object, dictionary};
use precis_text::Leaf;

use super::fixture::{
    at, column, encrypt_pages, nested_forms, pdf, pdf_in, pdf_with_annotation, pdf_with_field, turned_text,
};
use super::{PdfError, PdfLimits, PdfText, PdfWarning, extract};

fn read(bytes: &[u8]) -> PdfText {
    extract(bytes, &PdfLimits::default()).expect("the document has text")
}

/// The text of each page, with leaves and lines separate.
fn texts(text: &PdfText) -> Vec<String> {
    let page = |leaves: &Vec<Leaf>| leaves.iter().map(|leaf| leaf.text.as_str()).collect::<Vec<_>>().join("\n\n");
    text.pages.iter().map(page).collect()
}

fn page(content: String) -> String {
    texts(&read(&pdf(&[content]))).remove(0)
}

#[test]
fn two_columns_are_read_one_after_the_other() {
    let left = [
        "The left column begins with a",
        "line of ordinary words and it",
        "goes on for a while until the",
        "foot of it is reached.",
    ];
    let right = [
        "Only then comes the right one",
        "which is just as wide and has",
        "as many lines as the other to",
        "make the page even.",
    ];
    let content = at(60.0, 740.0, "A title that runs across both of the columns of this page, as titles do")
        + &column(60.0, 700.0, &left)
        + &column(320.0, 700.0, &right);
    let text = page(content);
    let place = |needle: &str| text.find(needle).expect("every line is in the text");
    assert!(place("A title") < place("The left") && place("foot of it") < place("Only then"), "{text}");
}

#[test]
fn columns_drawn_line_by_line_across_the_page_come_apart() {
    let rows = ["one word after the other fills", "this column up to its margin,", "and no further than that."];
    let content: String = (0..3)
        .map(|i| {
            at(60.0, 700.0 - 12.0 * f64::from(i), rows[i as usize])
                + &at(320.0, 700.0 - 12.0 * f64::from(i), rows[i as usize])
        })
        .collect();
    let column = rows.join("\n");
    assert_eq!(page(content), format!("{column}\n\n{column}"));
}

#[test]
fn gaps_become_spaces_and_kerning_does_not() {
    let table = [
        ("[(wo) 20 (rd)] TJ", "word"),
        ("[(two) -250 (words)] TJ", "two words"),
        ("[(back) 40 (wards)] TJ", "backwards"),
        ("(drawn space) Tj", "drawn space"),
        ("3 Tc (TITLE) Tj", "TITLE"),
        ("60 Tz (narrow type) Tj", "narrow type"),
    ];
    for (show, want) in table {
        assert_eq!(page(format!("BT /F1 10 Tf 60 700 Td {show} ET")), want, "{show}");
    }
}

#[test]
fn a_substitute_font_stretched_to_the_stated_widths_keeps_words_whole() {
    // Every character 0.8 em wide, in Helvetica, whose own `i` is 0.22 em wide.
    let font = dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    "FirstChar" => 32, "LastChar" => 126, "Widths" => vec![Object::Integer(800); 95] };
    let single: String = "iwi wiw".chars().map(|c| format!("({c}) Tj ")).collect();
    for show in ["(iwi wiw) Tj", "[(iwi) -300 (wiw)] TJ", &single] {
        assert_eq!(
            texts(&read(&pdf_in(font.clone(), &format!("BT /F1 10 Tf 60 700 Td {show} ET")))),
            ["iwi wiw"],
            "{show}"
        );
    }
}

#[test]
fn ligatures_are_taken_apart() {
    let encoding = dictionary! { "Type" => "Encoding", "Differences" => vec![1.into(), Object::Name(b"fi".to_vec()), Object::Name(b"ffl".to_vec())] };
    let font =
        dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => encoding };
    assert_eq!(texts(&read(&pdf_in(font, "BT /F1 10 Tf 60 700 Td <0172737420776102> Tj ET"))), ["first waffl"]);
}

#[test]
fn turned_text_comes_after_the_upright_text_and_is_not_scattered() {
    let content =
        turned_text([0.0, 1.0, -1.0, 0.0], 30.0, 200.0, "in the margin") + &at(60.0, 700.0, "the body of this page");
    assert_eq!(page(content), "the body of this page\n\nin the margin");
}

#[test]
fn text_printed_twice_for_boldness_is_read_once() {
    let content = at(60.0, 700.0, "Hello bold") + &at(60.3, 700.0, "Hello bold") + &at(60.0, 680.0, "Hello bold");
    assert_eq!(page(content), "Hello bold\nHello bold");
}

#[test]
fn words_cut_at_line_ends_are_mended() {
    assert_eq!(page(column(60.0, 700.0, &["this is an exam-", "ple of it"])), "this is an example of it");
}

#[test]
fn invisible_text_is_read_because_scans_carry_it() {
    assert_eq!(page("BT 3 Tr /F1 10 Tf 60 700 Td (recognised) Tj ET".into()), "recognised");
}

#[test]
fn text_without_ink_is_left_out_and_counted() {
    let hidden = |text: &str| format!("BT 3 Tr /F1 10 Tf 60 500 Td ({text}) Tj ET\n");
    let seen = at(60.0, 700.0, "seen by all");
    let warnings = |content: &str| read(&pdf(&[content.to_owned()])).warnings;
    for (content, want, warned) in [
        (format!("{seen}{}", hidden("gone")), "seen by all", Some(4)),
        (format!("{}0 Tr {seen}", hidden("much longer than what is seen")), "seen by all", Some(29)),
        (seen.clone(), "seen by all", None),
        // Letters used as a clip path are filled by what is drawn next.
        (
            format!("{seen}q BT 7 Tr /F1 10 Tf 60 500 Td (filled) Tj ET 0 0 600 600 re f Q"),
            "seen by all\n\nfilled",
            None,
        ),
    ] {
        assert_eq!(page(content.clone()), want, "{content}");
        let want: Vec<PdfWarning> = warned.map(|count| PdfWarning::Hidden { page: 1, count }).into_iter().collect();
        assert_eq!(warnings(&content), want, "{content}");
    }
    // A stamp on a scan: most characters belong to the text of the picture.
    let picture = "q 500 0 0 700 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \u{1} EI Q\n";
    let scan = format!("{picture}{}0 Tr {}", hidden("the text of the scan"), at(60.0, 700.0, "stamp"));
    assert_eq!(page(scan), "stamp\n\nthe text of the scan");
    let logo = format!("{picture}{seen}{}", hidden("gone"));
    assert_eq!(page(logo), "seen by all");
}

#[test]
fn text_outside_of_the_page_is_not_read() {
    assert_eq!(page(at(60.0, 700.0, "on the page") + &at(60.0, 900.0, "above it")), "on the page");
}

#[test]
fn a_replacement_text_replaces_its_glyphs() {
    let content = "BT /F1 10 Tf 60 700 Td /Span << /ActualText (mended) >> BDC (m e n d) Tj EMC ET";
    assert_eq!(page(content.into()), "mended");
}

#[test]
fn a_field_without_an_appearance_shows_its_value() {
    let rect: Vec<Object> = [100, 600, 300, 620].map(Object::Integer).to_vec();
    let field = dictionary! { "FT" => "Tx", "Rect" => rect, "V" => Object::string_literal("Ada Lovelace") };
    assert_eq!(texts(&read(&pdf_with_field(&at(60.0, 604.0, "Name:"), field))), ["Name: Ada Lovelace"]);
}

#[test]
fn text_typed_onto_the_page_is_read_and_comments_are_counted() {
    let rect: Vec<Object> = [60, 600, 200, 630].map(Object::Integer).to_vec();
    let note = |kind: &str, flags: i64| {
        dictionary! { "Subtype" => kind, "Rect" => rect.clone(), "F" => flags, "Contents" => Object::string_literal("the fee is now 79 euros") }
    };
    for (kind, flags, text, comments) in [
        ("FreeText", 4, "printed\n\nthe fee is now 79 euros", 0),
        ("FreeText", 2, "printed", 0),
        ("Text", 4, "printed", 1),
        ("Highlight", 0, "printed", 1),
        ("Text", 2, "printed", 0),
        ("Link", 0, "printed", 0),
    ] {
        let read = read(&pdf_with_annotation(&at(60.0, 700.0, "printed"), note(kind, flags)));
        let want: Vec<PdfWarning> =
            (comments > 0).then_some(PdfWarning::Comments { page: 1, count: comments }).into_iter().collect();
        assert_eq!((texts(&read)[0].as_str(), read.warnings), (text, want), "{kind} {flags}");
    }
}

#[test]
fn lines_apart_are_paragraphs() {
    assert_eq!(
        page(column(60.0, 700.0, &["one", "two", "three"]) + &at(60.0, 640.0, "four")),
        "one\ntwo\nthree\n\nfour"
    );
}

#[test]
fn a_font_without_meaning_is_judged_by_how_its_codes_read() {
    let font = || {
        let names = (33..127).map(|code| Object::Name(format!("G{code:02}").into_bytes()));
        let differences: Vec<Object> = std::iter::once(33.into()).chain(names).collect();
        let encoding = dictionary! { "Type" => "Encoding", "Differences" => differences };
        dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => encoding, "FirstChar" => 32, "LastChar" => 126, "Widths" => vec![Object::Integer(500); 95] }
    };
    let text = read(&pdf_in(font(), &at(60.0, 700.0, "an ordinary sentence of the report")));
    assert_eq!(
        (texts(&text).as_slice(), text.warnings.as_slice()),
        (&["an ordinary sentence of the report".to_owned()][..], &[][..])
    );
    let text = read(&pdf_in(font(), &at(60.0, 700.0, "DQRUGLQDU\\\\VHQWHQFHRIDUHSRUW")));
    assert_eq!(text.warnings, [PdfWarning::CodesOnly]);
}

#[test]
fn pages_beyond_the_limit_are_counted_and_not_read() {
    let limits = PdfLimits { max_pages: 3, ..PdfLimits::default() };
    for (pages, kept, warnings) in
        [(2, 2, vec![]), (3, 3, vec![]), (4, 3, vec![PdfWarning::PagesLimited { total: 4, kept: 3 }])]
    {
        let contents: Vec<String> = (0..pages).map(|i| at(60.0, 700.0, &format!("page {i}"))).collect();
        let text = extract(&pdf(&contents), &limits).expect("the document has text");
        assert_eq!((text.pages.len(), text.page_count, text.warnings), (kept, pages, warnings));
    }
}

#[test]
fn characters_beyond_the_limit_are_cut_and_said_to_be() {
    let contents = [at(60.0, 700.0, "12345"), at(60.0, 700.0, "67890")];
    for (max_chars, pages, limited) in
        [(9, ["12345", "6789"], true), (10, ["12345", "67890"], false), (11, ["12345", "67890"], false)]
    {
        let text =
            extract(&pdf(&contents), &PdfLimits { max_chars, ..PdfLimits::default() }).expect("the document has text");
        assert_eq!(texts(&text), pages);
        assert_eq!(text.warnings.contains(&PdfWarning::CharsLimited { kept: max_chars }), limited, "{max_chars}");
    }
}

#[test]
fn glyphs_and_operations_of_a_page_are_limited() {
    let content = at(60.0, 700.0, "12345") + &"0 0 m 5 5 l S\n".repeat(20);
    let limits = PdfLimits::default();
    let table = [
        (PdfLimits { max_page_glyphs: 4, ..limits.clone() }, "1234", true),
        (PdfLimits { max_page_glyphs: 5, ..limits.clone() }, "12345", false),
        (PdfLimits { max_page_operations: 24, ..limits.clone() }, "12345", true),
        (PdfLimits { max_page_operations: 25, ..limits.clone() }, "12345", false),
    ];
    for (limits, want, limited) in table {
        let text = extract(&pdf(std::slice::from_ref(&content)), &limits).expect("the document has text");
        assert_eq!((texts(&text)[0].as_str(), !text.warnings.is_empty()), (want, limited), "{limits:?}");
    }
}

#[test]
fn the_content_of_a_page_is_read_up_to_its_limit() {
    let content = at(60.0, 700.0, "before") + &at(60.0, 680.0, "behind");
    for (max_content_bytes, limited) in [(content.len() - 1, true), (content.len(), false), (content.len() + 1, false)]
    {
        let limits = PdfLimits { max_content_bytes, ..PdfLimits::default() };
        let text = extract(&pdf(std::slice::from_ref(&content)), &limits).expect("the document has text");
        let warnings = if limited { vec![PdfWarning::GlyphsLimited { page: 1 }] } else { vec![] };
        assert_eq!(text.warnings, warnings, "{max_content_bytes}");
    }
    let first = PdfLimits { max_content_bytes: content.len() / 2, ..PdfLimits::default() };
    assert_eq!(extract(&pdf(&[content]), &first).map(|text| texts(&text)), Ok(vec!["before".to_owned()]));
}

#[test]
fn a_page_over_its_limit_does_not_touch_the_next_one() {
    let contents = [at(60.0, 700.0, "far too long"), at(60.0, 700.0, "short")];
    let limits = PdfLimits { max_page_glyphs: 5, ..PdfLimits::default() };
    let text = extract(&pdf(&contents), &limits).expect("the document has text");
    assert_eq!(texts(&text), ["far t", "short"]);
    assert_eq!(text.warnings, [PdfWarning::GlyphsLimited { page: 1 }]);
}

#[test]
fn a_truncated_file_gives_what_is_left_of_it() {
    let whole = pdf(&[at(60.0, 700.0, "still here")]);
    let cut = whole.len() - whole.len() / 6;
    assert_eq!(texts(&read(&whole[..cut])), ["still here"]);
}

#[test]
fn a_file_without_pages_is_broken() {
    assert!(matches!(extract(b"%PDF-1.4\nnothing else", &PdfLimits::default()), Err(PdfError::Broken(_))));
}

#[test]
fn other_bytes_are_not_a_pdf() {
    for bytes in [&b""[..], b"\0", b"<html>", b"%PD"] {
        assert_eq!(extract(bytes, &PdfLimits::default()), Err(PdfError::NotPdf));
    }
}

#[test]
fn the_empty_password_opens_a_file_and_others_are_not_guessed() {
    let contents = [at(60.0, 700.0, "not so secret")];
    assert_eq!(texts(&read(&encrypt_pages(&contents, ""))), ["not so secret"]);
    assert_eq!(extract(&encrypt_pages(&contents, "secret"), &PdfLimits::default()), Err(PdfError::Encrypted));
}

#[test]
fn pages_without_text_are_no_text() {
    assert_eq!(
        extract(&pdf(&["0 0 100 100 re f".into()]), &PdfLimits::default()),
        Err(PdfError::NoText { pictures: Vec::new() })
    );
}

#[test]
fn the_title_is_trimmed() {
    assert_eq!(read(&pdf(&[at(60.0, 700.0, "text")])).properties.title.as_deref(), Some("A small title"));
}

#[test]
fn the_same_bytes_give_the_same_answer() {
    let bytes = pdf(&[column(60.0, 700.0, &["one", "two"]), at(60.0, 500.0, "three")]);
    assert_eq!(extract(&bytes, &PdfLimits::default()), extract(&bytes, &PdfLimits::default()));
}

#[test]
fn forms_that_draw_forms_end() {
    let text = extract(
        &nested_forms(&at(60.0, 700.0, "before"), 12, 4),
        &PdfLimits { max_page_operations: 10_000, ..PdfLimits::default() },
    )
    .expect("the document has text");
    assert_eq!(
        (texts(&text).as_slice(), text.warnings.as_slice()),
        (&["before".to_owned()][..], &[PdfWarning::GlyphsLimited { page: 1 }][..])
    );
}

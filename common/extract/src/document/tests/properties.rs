//! Properties of files, as fields at the top of their text.

use super::*;

/// The fields at the top of the text of `bytes`, and its first text.
fn top(bytes: &[u8]) -> (Vec<String>, String) {
    let text = extract(bytes, &Hint::default(), HtmlMode::Main, &ExtractLimits::default()).expect("text").text;
    let is_field = |block: &&Block| block.place.is_some();
    let shown = |block: &Block| {
        assert_eq!(block.kind == BlockKind::Field, block.place.is_some());
        text.slice(block.range()).to_owned()
    };
    let fields: Vec<String> = text.blocks().iter().take_while(is_field).map(shown).collect();
    assert!(text.blocks().iter().skip(fields.len()).all(|block| block.place.is_none()), "{}", text.as_str());
    (fields, text.blocks().iter().find(|block| block.place.is_none()).map(shown).unwrap_or_default())
}

#[test]
fn properties_of_packages_are_fields_at_the_top_in_every_format() {
    let core = "<cp:coreProperties><dc:title>On towers</dc:title><dc:creator>Ida Lund</dc:creator><dc:subject>Sale</dc:subject>\
        <cp:keywords>tower; sale</cp:keywords><dcterms:created>2026-03-14T09:30:00Z</dcterms:created></cp:coreProperties>";
    let meta = "<office:meta><dc:title>On towers</dc:title><meta:initial-creator>Ida Lund</meta:initial-creator><dc:subject>Sale</dc:subject>\
        <meta:keyword>tower; sale</meta:keyword><meta:creation-date>2026-03-14T09:30:00</meta:creation-date></office:meta>";
    let docx = "<w:document><w:body><w:p><w:r><w:t>Text.</w:t></w:r></w:p></w:body></w:document>";
    let sheet = "<worksheet><sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>Text.</t></is></c></row></sheetData></worksheet>";
    let book = "<workbook><sheets><sheet name='Sheet' r:id='a'/></sheets></workbook>";
    let slide = "<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>Text.</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>";
    let show = "<p:presentation><p:sldIdLst><p:sldId id='256' r:id='a'/></p:sldIdLst></p:presentation>";
    let odt = "<office:document-content><office:body><office:text><text:p>Text.</text:p></office:text></office:body></office:document-content>";
    let related =
        |kind: &str, target: &str| format!("<r><Relationship Id='a' Type='http://x/{kind}' Target='{target}'/></r>");
    let (of_book, of_show) = (related("worksheet", "sheet.xml"), related("slide", "slide.xml"));
    let want =
        ["title: On towers", "author: Ida Lund", "created: 2026-03-14", "subject: Sale", "keywords: tower; sale"];
    let packages: [&[(&str, &str)]; 4] = [
        &[("word/document.xml", docx), ("docProps/core.xml", core)],
        &[
            ("xl/workbook.xml", book),
            ("xl/_rels/workbook.xml.rels", &of_book),
            ("xl/sheet.xml", sheet),
            ("docProps/core.xml", core),
        ],
        &[
            ("ppt/presentation.xml", show),
            ("ppt/_rels/presentation.xml.rels", &of_show),
            ("ppt/slide.xml", slide),
            ("docProps/core.xml", core),
        ],
        &[("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", odt), ("meta.xml", meta)],
    ];
    for parts in packages {
        let (fields, _) = top(&zip_parts(parts));
        assert_eq!(fields, want, "{}", parts[0].0);
    }
    let empty = zip_parts(&[("word/document.xml", "<w:document><w:body/></w:document>"), ("docProps/core.xml", core)]);
    assert_eq!(run(&empty, ""), Err(ExtractError::Empty));
}

#[test]
fn properties_of_a_pdf_are_fields_unless_its_first_page_says_them() {
    let (fields, text) = top(&pdf(&[line(20)]));
    assert_eq!((fields, text.len()), (vec!["title: A small title".to_owned()], 20));
    assert_eq!(top(&pdf(&[at(20.0, 700.0, "A small title of a page")])).0, [""; 0]);
}

#[test]
fn a_page_says_in_its_head_who_wrote_it_and_when() {
    let head = "<title>Sold</title><meta name=author content='Ida Lund'><meta name=date content=2026-03-14>";
    let want = ["title: Sold", "author: Ida Lund", "date: 2026-03-14"];
    assert_eq!(top(format!("<html><head>{head}</head><body><p>Text.</p>").as_bytes()).0, want);
    assert_eq!(run(format!("<html><head>{head}</head><body>").as_bytes(), ""), Err(ExtractError::Empty));
}

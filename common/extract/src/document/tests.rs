use super::super::package::fixture::zip_parts;
use super::super::pdf::fixture::{at, pdf};
use super::*;
use precis_proto::{Block, BlockKind};

mod links;
mod properties;

const LIMITS: ExtractLimits = ExtractLimits { max_bytes: 4_000, max_chars: 100, max_pages: 5 };

fn run(bytes: &[u8], name: &str) -> Result<ExtractedDocument, ExtractError> {
    extract(bytes, &Hint { content_type: None, name }, HtmlMode::Full, &LIMITS)
}

#[test]
fn a_document_beyond_the_byte_limit_is_refused_before_it_is_read() {
    for bytes in [3_999, 4_000] {
        assert!(run(&vec![b'a'; bytes], "").is_ok(), "{bytes}");
    }
    assert_eq!(run(&[b'a'; 4_001], ""), Err(ExtractError::TooLarge { bytes: 4_001, limit: 4_000 }));
    let huge = vec![b'<'; 200 * 1024 * 1024];
    let refused = extract(&huge, &Hint::default(), HtmlMode::Main, &ExtractLimits::default());
    assert_eq!(refused.map_err(|error| error.code()), Err("too_large"));
}

#[test]
fn a_text_beyond_the_character_limit_is_cut_with_a_remark() {
    for (chars, cut) in [(99, 0), (100, 0), (101, 1)] {
        let found = run("é".repeat(chars).as_bytes(), "").expect("text");
        assert_eq!((found.text.chars(), found.chars_cut), (chars - cut, cut as u64), "{chars}");
        assert_eq!(found.remarks.len(), cut.min(1));
    }
    let found = run("ab ".repeat(50).as_bytes(), "").expect("text");
    assert_eq!(found.remarks, ["kept the first 100 of 149 characters"]);
}

#[test]
fn characters_of_a_pdf_beyond_the_limit_are_all_counted() {
    // The limit is 100; the length cut from the last page read is exact. The text begins with the title among the properties of the file.
    const FIELD: usize = "title: A small title ".len();
    for (chars, cut) in [(99, 0), (100, 0), (101, 1), (170, 70)] {
        let found = run(&pdf(&[line(chars - FIELD)]), "").expect("text");
        assert_eq!((found.text.chars(), found.chars_cut), (chars - cut, cut as u64), "{chars}");
        let remark = format!("kept the first 100 of {chars} characters");
        assert_eq!(found.remarks, if cut > 0 { vec![remark] } else { vec![] });
    }
    // The length of unread pages is estimated: of four pages the second is cut after 20 characters.
    // Its first page says the title itself.
    let titled = at(20.0, 700.0, &format!("A small title {}", &"il".repeat(40)[..66]));
    let found = run(&pdf(&[titled, line(80), line(80), line(80)]), "").expect("text");
    let (mark, second, unread) = (16, 60, 2 * 80);
    assert_eq!((found.text.chars(), found.chars_cut), (100, mark + second + unread));
    let about = "kept the first 100 of about 336 characters, pages not read being estimated";
    assert_eq!(found.remarks, ["read 2 of 4 pages", about]);
}

#[test]
fn pages_beyond_the_limit_are_counted_as_long_as_those_read() {
    for (pages, cut) in [(4, 0), (5, 0), (6, 10), (8, 30)] {
        let limits = ExtractLimits { max_bytes: 100_000, max_chars: 1_000, ..LIMITS };
        let bytes = pdf(&vec![line(10); pages]);
        let found = extract(&bytes, &Hint::default(), HtmlMode::Full, &limits).expect("text");
        assert_eq!((found.text.pages().len(), found.chars_cut), (pages.min(5), cut), "{pages}");
        let kept = found.text.chars();
        let said = [
            format!("read 5 of {pages} pages"),
            format!("kept the first {kept} of about {} characters, pages not read being estimated", kept as u64 + cut),
        ];
        assert_eq!(found.remarks, if cut > 0 { said.to_vec() } else { vec![] });
    }
}

#[test]
fn no_more_pages_are_said_to_be_read_than_the_text_has() {
    // The separator between two pages counts as text of the document, but not while pages are read.
    for (chars, pages) in [(10, 20), (30, 20), (49, 9), (99, 3)] {
        let limits = ExtractLimits { max_bytes: 100_000, max_chars: 200, max_pages: 100 };
        let bytes = pdf(&vec![line(chars); pages]);
        let found = extract(&bytes, &Hint::default(), HtmlMode::Full, &limits).expect("text");
        let kept = found.text.pages().len();
        assert!(kept < pages && found.text.chars() <= 200, "{chars}: {kept}");
        assert_eq!(found.remarks[0], format!("read {kept} of {pages} pages"));
    }
}

#[test]
fn odd_characters_of_a_text_are_reported() {
    let latin1 = |text: &str| encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
    let german = "Die Größe der Städte wächst, und über Flüsse führen Brücken für Fußgänger. ".repeat(4);
    let mixed = [latin1(&german), "Später kam Öl dazu.".as_bytes().to_vec()].concat();
    let damaged = [german.as_bytes(), b"\xc3 \xff end"].concat();
    let table: [(&[u8], Option<&str>); 8] = [
        (german.as_bytes(), None),
        (&latin1(&german), None),
        ("«MENÜ» und «CAFÉ» – naïve".as_bytes(), None),
        (&mixed, Some("2 characters look as if text of one encoding was read as another")),
        (
            "FÃ¼r die StÃ¤dte â€“ teuer".as_bytes(),
            Some("3 characters look as if text of one encoding was read as another"),
        ),
        (&damaged, Some("2 characters could not be decoded")),
        (b"one\0two", Some("1 control character that text does not hold")),
        (&[german.as_bytes(), b"\0\0"].concat(), Some("2 control characters that text does not hold")),
    ];
    for (bytes, expected) in table {
        let limits = ExtractLimits { max_chars: 10_000, ..LIMITS };
        let found = extract(bytes, &Hint::default(), HtmlMode::Full, &limits).expect("text");
        assert_eq!(found.remarks.first().map(String::as_str), expected, "{}", found.text.as_str());
    }
}

/// A line of the given number of characters, narrow enough for its page.
fn line(chars: usize) -> String {
    at(20.0, 700.0, &"il".repeat(chars)[..chars])
}

#[test]
fn a_page_with_external_texts_says_they_are_not_read() {
    let hint = Hint { content_type: None, name: "a.rst" };
    for (source, want) in [
        ("x", None),
        ("x\n\n.. include:: b", Some("1 text that the page takes from elsewhere is not read")),
        ("x\n\n.. include:: b\n.. include:: c", Some("2 texts that the page takes from elsewhere are not read")),
    ] {
        let read = extract(source.as_bytes(), &hint, HtmlMode::default(), &ExtractLimits::default()).expect("text");
        assert_eq!(read.remarks.first().map(String::as_str), want, "{source}");
    }
}

#[test]
fn each_kind_of_text_says_what_it_is() {
    let table = [
        ("<html><title>T</title><p>x", "", "text/html", Some("T"), "title: T x"),
        ("# T\n\n*x*", "a.md", "text/markdown", Some("T"), "T x"),
        ("T\n=\n\n*x* ``y``", "a.rst", "text/x-rst", Some("T"), "T x y"),
        ("a,b\n\"c,d\",2", "a.csv", "text/csv", None, "a b c,d 2"),
        ("From: a@b.c\nSubject: S\n\nx", "a.eml", "message/rfc822", Some("S"), "S From: a@b.c x"),
        ("{\\rtf1{\\info{\\title T}}x}", "a.txt", "text/rtf", Some("T"), "x"),
        ("\\section{T} \\emph{x}", "a.tex", "application/x-tex", Some("T"), "T x"),
        ("if a < b *and* c > d", "a.txt", "text/plain", None, "if a < b *and* c > d"),
    ];
    for (source, name, content_type, title, text) in table {
        let found = run(source.as_bytes(), name).expect(source);
        assert_eq!((found.content_type, found.title.as_deref(), found.text.as_str()), (content_type, title, text));
    }
}

/// Returns a document of `format` whose bytes do not identify another format that a hint can name.
fn sample(format: DocumentFormat) -> Vec<u8> {
    match format {
        DocumentFormat::Pdf => pdf(&[line(10)]),
        DocumentFormat::Html => b"Words <b>of</b> a page".to_vec(),
        DocumentFormat::Markdown => b"# Title\n\nWords".to_vec(),
        DocumentFormat::Rst => b"Title\n=====\n\nWords".to_vec(),
        DocumentFormat::Docx => zip_parts(&[
            ("[Content_Types].xml", "<x/>"),
            ("word/document.xml", "<w:p><w:r><w:t>Words.</w:t></w:r></w:p>"),
        ]),
        DocumentFormat::Odt => zip_parts(&[
            ("mimetype", DocumentFormat::Odt.mime()),
            ("content.xml", "<office:text><text:p>Words.</text:p></office:text>"),
        ]),
        DocumentFormat::Ods => zip_parts(&[
            ("mimetype", DocumentFormat::Ods.mime()),
            (
                "content.xml",
                "<office:spreadsheet><table:table table:name='S'><table:table-row><table:table-cell><text:p>Words</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>",
            ),
        ]),
        DocumentFormat::Odp => zip_parts(&[
            ("mimetype", DocumentFormat::Odp.mime()),
            (
                "content.xml",
                "<office:presentation><draw:page><draw:frame><draw:text-box><text:p>Words.</text:p></draw:text-box></draw:frame></draw:page></office:presentation>",
            ),
        ]),
        DocumentFormat::Rtf => b"{\\rtf1 Words}".to_vec(),
        DocumentFormat::Xlsx => zip_parts(&[
            ("xl/workbook.xml", "<workbook><sheets><sheet name=\"S\" r:id=\"r1\"/></sheets></workbook>"),
            (
                "xl/_rels/workbook.xml.rels",
                "<Relationships><Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"s.xml\"/></Relationships>",
            ),
            (
                "xl/s.xml",
                "<worksheet><row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>Words</t></is></c></row></worksheet>",
            ),
        ]),
        DocumentFormat::Pptx => zip_parts(&[
            ("ppt/presentation.xml", "<p:sldIdLst><p:sldId id=\"256\" r:id=\"r1\"/></p:sldIdLst>"),
            (
                "ppt/_rels/presentation.xml.rels",
                "<Relationships><Relationship Id=\"r1\" Type=\"x/slide\" Target=\"s.xml\"/></Relationships>",
            ),
            ("ppt/s.xml", "<p:sld><p:sp><p:txBody><a:p><a:r><a:t>Words</a:t></a:r></a:p></p:txBody></p:sp></p:sld>"),
        ]),
        DocumentFormat::Epub => zip_parts(&[
            ("mimetype", DocumentFormat::Epub.mime()),
            ("META-INF/container.xml", "<container><rootfiles><rootfile full-path=\"b.opf\"/></rootfiles></container>"),
            (
                "b.opf",
                "<package><manifest><item id=\"c\" href=\"c.xhtml\" media-type=\"application/xhtml+xml\"/></manifest><spine><itemref idref=\"c\"/></spine></package>",
            ),
            ("c.xhtml", "<html><body><p>Words</p></body></html>"),
        ]),
        DocumentFormat::Csv => b"a,b\nc,d".to_vec(),
        DocumentFormat::Tsv => b"a\tb\nc\td".to_vec(),
        DocumentFormat::Email => b"From: a@b.c\nSubject: S\n\nWords".to_vec(),
        DocumentFormat::WebVtt => b"WEBVTT\n\n00:01.000 --> 00:02.000\nWords".to_vec(),
        DocumentFormat::SubRip => b"1\n00:00:01,000 --> 00:00:02,000\nWords".to_vec(),
        DocumentFormat::Notebook => {
            br#"{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "Words"}]}"#.to_vec()
        }
        DocumentFormat::Json => br#"{"a": "Words"}"#.to_vec(),
        DocumentFormat::Mbox => b"From a Mon\nFrom: a@b.c\nSubject: S\n\nWords".to_vec(),
        DocumentFormat::Tex => b"Words \\emph{of} a page".to_vec(),
        DocumentFormat::AsciiDoc => b"= Head\n\nWords".to_vec(),
        DocumentFormat::MediaWiki => b"== Head ==\n\nWords".to_vec(),
        DocumentFormat::Org => b"* Head\n\nWords".to_vec(),
        DocumentFormat::Xml => b"<r><a>Words</a></r>".to_vec(),
        DocumentFormat::PlainText => b"Words".to_vec(),
    }
}

#[test]
fn every_ending_and_media_type_of_the_table_reads_as_its_format() {
    for format in DocumentFormat::ALL {
        let bytes = sample(*format);
        let endings = format.endings().iter().map(|ending| (None, format!("a.{}", ending.to_uppercase())));
        let mimes = format.mimes().iter().map(|mime| (Some(*mime), String::new()));
        for (content_type, name) in endings.chain(mimes) {
            let found = extract(&bytes, &Hint { content_type, name: &name }, HtmlMode::Full, &LIMITS);
            let found = found.unwrap_or_else(|error| panic!("{format:?} {content_type:?} {name}: {error}"));
            assert_eq!(found.content_type, format.mime(), "{content_type:?} {name}");
            assert_eq!(DocumentFormat::from_mime(found.content_type), Some(*format));
        }
    }
}

#[test]
fn hidden_document_text_is_reported_and_counted() {
    let left_out = |n: &str| vec![format!("left out {n} that the document hides from its readers")];
    for (source, name, text, remarks) in [
        ("<p>kept<p hidden>gone", "a.html", "kept", left_out("4 characters")),
        ("kept\n\n<p hidden>g</p>", "a.md", "kept", left_out("1 character")),
        ("{\\rtf1 kept{\\v gone}}", "a.rtf", "kept", left_out("4 characters")),
        ("From: a@b.c\nContent-Type: text/html\n\nx<p hidden>gone", "a.eml", "From: a@b.c x", left_out("4 characters")),
        ("<p>kept", "a.html", "kept", vec![]),
        // A plain text is kept unchanged.
        (
            "a\u{e0041}\u{e0042}b",
            "a.txt",
            "a\u{e0041}\u{e0042}b",
            vec!["2 characters of the text show nothing; no model is shown them".to_owned()],
        ),
        ("co\u{ad}op", "a.csv", "co\u{ad}op", vec![]),
    ] {
        let found = run(source.as_bytes(), name).expect(name);
        assert_eq!((found.text.as_str(), found.remarks), (text, remarks), "{name}");
    }
}

#[test]
fn a_damaged_document_gives_sound_blocks_or_an_error() {
    let odt = zip_parts(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        (
            "content.xml",
            "<office:text><text:h>On it</text:h><text:list><text:list-item><text:p>No one.</text:p></text:list-item></text:list></office:text>",
        ),
    ]);
    let rtf = b"{\\rtf1\\ansi{\\stylesheet{\\s1 heading 1;}}\\pard\\s1 On it\\par\\trowd\\pard\\intbl no\\cell\\u8364?\\'fc\\cell\\row{\\footnote n}}".to_vec();
    let mail = b"From: =?utf-8?q?a=FC?= <a@b.c>\nDate: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=q\n\n--q\n\n> no\n--q\nContent-Type: text/html\n\n<table><tr><td>a<td>b\n--q--".to_vec();
    let mut seed = 11_u64;
    let mut below = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n.max(1)
    };
    let vtt =
        b"WEBVTT\n\nNOTE x\n\na\n00:01.000 --> 00:02.000\n<v Ann>No &amp; one\n\n01:00:00.000 --> 01:00:09.000\n<i>yes"
            .to_vec();
    let notebook = br##"{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["# A\n", "b"]}, {"cell_type": "code", "source": "x", "outputs": [{"text": "y"}]}]}"##.to_vec();
    let json = br#"{"a": [{"b": "no", "c": 1.5}, {"b": "\u00fc", "c": [1, 2]}], "d": {"e": null}}"#.to_vec();
    let org = b"#+TITLE: T\n* Head :a:\n:P:\n:END:\n- one [[a][b]]\n  two[fn:1]\n| a | b |\n|---|\n| *1* | +2+ |\n#+begin_src\nx\n#+end_src\n[fn:1] n".to_vec();
    let xml = b"<?xml version='1.0'?><article><sec><label>1</label><title>T</title><p>a<sup>2</sup></p><table><tr><th>a</th><td>b</td></tr></table></sec></article>".to_vec();
    for sample in [odt, rtf, mail, vtt, notebook, json, org, xml] {
        let mut read = 0;
        for _ in 0..400 {
            let mut bytes = sample.clone();
            for _ in 0..below(4) {
                let at = below(bytes.len());
                bytes[at] = below(256) as u8;
            }
            bytes.truncate(bytes.len() - below(2) * below(bytes.len()));
            let Ok(found) = run(&bytes, "") else { continue };
            read += 1;
            // The blocks cover the text, with one space between them.
            let blocks: Vec<&str> = found.text.blocks().iter().map(|block| found.text.slice(block.range())).collect();
            assert!(found.chars_cut > 0 || blocks.join(" ") == found.text.as_str(), "{}", found.text.as_str());
            let sound = found.text.clone().with_blocks(found.text.blocks().to_vec());
            assert_eq!(sound.as_ref(), Ok(&found.text));
        }
        assert!(read > 20, "{read}");
    }
}

#[test]
fn a_package_is_read_by_what_it_holds() {
    let docx =
        zip_parts(&[("[Content_Types].xml", "<x/>"), ("word/document.xml", "<w:p><w:r><w:t>Words.</w:t></w:r></w:p>")]);
    let found = run(&docx, "a.bin").expect("a document");
    assert_eq!((found.content_type.rsplit('.').next(), found.text.as_str()), (Some("document"), "Words."));
    for (parts, code) in [
        (&[("xl/other.xml", "<x/>")][..], "unsupported"),
        (&[("xl/workbook.xml", "<x/>")], "empty"),
        (&[("word/document.xml", "<w:p/>")], "empty"),
        (&[("META-INF/container.xml", "<x/>")], "unreadable"),
    ] {
        assert_eq!(run(&zip_parts(parts), "").map_err(|error| error.code()).err(), Some(code), "{parts:?}");
    }
}

#[test]
fn a_head_is_refused_only_where_the_whole_document_is() {
    let table: [(&[u8], Option<&str>); 11] = [
        (b"", None),
        (b"Plain text.\n", None),
        ("Überraschung, 日本語".as_bytes(), None),
        (b"Caf\xe9 in Latin-1", None),
        (b"%PDF-1.7\n\x00\x01\x02", None),
        (b"\n\n%PDF-1.4 \x00", None),
        (b"\xff\xfeh\0i\0", None),
        (b"PK\x03\x04\x14\0\0\0", None),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some("a document that looks like png is not supported")),
        (b"\x1f\x8b\x08\0", Some("a document that looks like gzip is not supported")),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0",
            Some(
                "a document that looks like an Office file of the form before 2007 or an Outlook message (save it as .docx, .xlsx, .pptx or .eml) is not supported",
            ),
        ),
    ];
    for (head, expected) in table {
        let refused = refused_by_head(head).map(|error| error.to_string());
        assert_eq!(refused.as_deref(), expected, "{head:?}");
        let whole = run(head, "").map_err(|error| error.to_string()).err();
        assert!(refused.is_none() || refused == whole, "{head:?}: {whole:?}");
    }
}

#[test]
fn a_pdf_without_text_is_taken_for_a_scan() {
    let error = run(&pdf(&["0 0 100 100 re f".into()]), "").expect_err("no text");
    assert_eq!(error.code(), "no_text_layer");
    assert!(error.to_string().contains("no text layer: a scan?"), "{error}");
}

#[test]
fn what_cannot_be_read_is_refused_with_a_stable_code() {
    let table: [(&[u8], &str, &str); 5] = [
        (b"", "empty", "the document holds no text"),
        (b" \n\xc2\xa0", "empty", "the document holds no text"),
        (b"<html><script>x</script>", "empty", "the document holds no text"),
        (b"\x89PNG\r\n\x1a\nx", "unsupported", "a document that looks like png is not supported"),
        (&[0; 64], "unsupported", "a document that looks like binary data is not supported"),
    ];
    for (bytes, code, message) in table {
        let error = run(bytes, "").expect_err(code);
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
    }
}

/// A message with `parts`, each given as its fields and its body.
fn message_with(parts: &[(&str, &str)]) -> String {
    let part = |(fields, body): &(&str, &str)| format!("--q{}\n{fields}\n\n{body}\n", parts.len());
    let parts_text: String = parts.iter().map(part).collect();
    let boundary = format!("q{}", parts.len());
    format!(
        "From: a@b.c\nSubject: Order\nContent-Type: multipart/mixed; boundary={boundary}\n\n{parts_text}--{boundary}--\n"
    )
}

fn shown_blocks(found: &ExtractedDocument) -> Vec<String> {
    let leaves = attached::leaves_of(&found.text);
    leaves.iter().map(super::super::package::fixture::render_leaf).collect()
}

#[test]
fn what_is_attached_to_a_message_is_read_as_a_document() {
    let csv = (
        "Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=prices.csv",
        "item,euros\nrope,84.50",
    );
    let html = (
        "Content-Type: text/html; charset=us-ascii\nContent-Disposition: attachment; filename=a.html",
        "<h1>Terms</h1><p>\u{dc}ber all.<p hidden>gone",
    );
    let inner = message_with(&[("Content-Type: text/plain", "Words."), csv]);
    let mail = ("Content-Type: message/rfc822", inner.as_str());
    let calendar = ("Content-Type: text/calendar", "BEGIN:VCALENDAR");
    let image = ("Content-Type: image/png\nContent-Disposition: attachment; filename=a.png", "x");
    let source = message_with(&[("Content-Type: text/plain", "See below."), csv, html, mail, calendar, image]);
    let limits = ExtractLimits { max_bytes: 10_000, max_chars: 10_000, max_pages: 5 };
    let found = extract(source.as_bytes(), &Hint { content_type: None, name: "a.eml" }, HtmlMode::Full, &limits);
    let found = found.expect("a message");
    let blocks = shown_blocks(&found);
    let blocks: Vec<&str> = blocks.iter().map(String::as_str).collect();
    assert_eq!(
        blocks,
        [
            "heading1 : Order",
            "field : From: a@b.c",
            "paragraph : See below.",
            "heading2 : Attachment: prices.csv (application/octet-stream, 21 bytes)",
            "table_row1h : item|euros",
            "table_row1 : rope|84.50",
            "heading2 : Attachment: a.html (text/html, 41 bytes)",
            "heading3 : Terms",
            "paragraph : \u{dc}ber all.",
            &format!("heading2 : Attachment: Order (message/rfc822, {} bytes)", inner.len()),
            "heading3 : Order",
            "form_field : From: a@b.c",
            "paragraph : Words.",
            "heading4 : Attachment: prices.csv (application/octet-stream, 21 bytes)",
            "table_row2h : item|euros",
            "table_row2 : rope|84.50",
            "form_field : Attachment: without a name (text/calendar, 15 bytes)",
            "form_field : Attachment: a.png (image/png, 1 bytes)",
        ]
    );
    assert_eq!(
        found.remarks,
        [
            "a.html: left out 4 characters that the document hides from its readers",
            "attachments are listed and not read: 2"
        ]
    );
}

#[test]
fn attachments_share_the_limits_of_the_message() {
    let field = "Content-Type: text/plain\nContent-Disposition: attachment";
    for (chars, is_cut) in [(96, false), (97, false), (98, true), (100, true)] {
        let source = message_with(&[(field, &"x".repeat(chars)), (field, "abc")]);
        let found = extract(source.as_bytes(), &Hint { content_type: None, name: "a.eml" }, HtmlMode::Full, &LIMITS);
        let found = found.expect("a message");
        let said = ["kept the first 2 of 3 characters", "not read, since the text is as long as the limits allow"];
        let said = |remark: &String| said.iter().any(|said| *remark == format!("an attachment without a name: {said}"));
        assert_eq!(found.remarks.iter().any(said), is_cut, "{chars}: {:?}", found.remarks);
    }
}

#[test]
fn messages_within_messages_are_read_up_to_a_depth() {
    for (deep, is_read) in
        [(attached::MAX_DEPTH - 1, true), (attached::MAX_DEPTH, true), (attached::MAX_DEPTH + 1, false)]
    {
        let innermost = "From: a@b.c\n\nInmost words.\n".to_owned();
        let source = (0..deep).fold(innermost, |inner, n| {
            format!("From: a@b.c\nContent-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\nContent-Type: message/rfc822\n\n{inner}\n--b{n}--\n")
        });
        let limits = ExtractLimits { max_chars: 1_000, ..LIMITS };
        let found = extract(source.as_bytes(), &Hint { content_type: None, name: "a.eml" }, HtmlMode::Full, &limits);
        let found = found.expect("a message");
        assert_eq!(found.text.as_str().contains("Inmost words."), is_read, "{deep}: {}", found.text.as_str());
        let said = format!("not read, since it lies more than {} levels deep", attached::MAX_DEPTH);
        assert_eq!(found.remarks.iter().any(|remark| remark.contains(&said)), !is_read, "{:?}", found.remarks);
    }
}

#[test]
fn parts_that_a_control_opens_are_counted_in_a_remark() {
    let read = |source: &str| {
        let hint = Hint { content_type: None, name: "a.html" };
        extract(source.as_bytes(), &hint, HtmlMode::Full, &LIMITS).expect("it has text").remarks
    };
    let told = "5 characters are shown only after a control of the page opens them".to_owned();
    assert_eq!(read("<p>kept</p><details><summary>More</summary><p>inner</p></details>"), [told]);
    assert_eq!(read("<p>kept</p><details open><summary>More</summary><p>inner</p></details>"), [""; 0]);
}

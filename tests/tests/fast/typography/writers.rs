//! Documents with sentences made of runs, in every format that can mark them.

use precis_tests::documents::zipped;

use super::{Mark, Run};

/// A format, and the marks that it has.
pub(super) struct Format {
    pub(super) ending: &'static str,
    pub(super) marks: &'static [Mark],
    pub(super) write: fn(&[&Vec<Run>]) -> Vec<u8>,
}

const ALL: &[Mark] = &[Mark::Plain, Mark::Raised, Mark::Lowered, Mark::Struck];
const UNSTRUCK: &[Mark] = &[Mark::Plain, Mark::Raised, Mark::Lowered];

pub(super) const FORMATS: &[Format] = &[
    Format { ending: "md", marks: ALL, write: md },
    Format { ending: "rst", marks: UNSTRUCK, write: rst },
    Format { ending: "adoc", marks: ALL, write: adoc },
    Format { ending: "mediawiki", marks: ALL, write: |all| each(all, ("", "\n\n"), tags).into_bytes() },
    Format { ending: "html", marks: ALL, write: |all| format!("<html><body>{}</body></html>", html(all)).into_bytes() },
    Format { ending: "eml", marks: ALL, write: eml },
    Format { ending: "epub", marks: ALL, write: epub },
    Format { ending: "docx", marks: ALL, write: docx },
    Format { ending: "odt", marks: ALL, write: odt },
    Format { ending: "rtf", marks: ALL, write: rtf },
    Format { ending: "pptx", marks: ALL, write: pptx },
    Format { ending: "xlsx", marks: ALL, write: xlsx },
];

/// Every sentence between `before` and `after`, its runs written by `write`.
fn each(all: &[&Vec<Run>], (before, after): (&str, &str), write: impl Fn(&Run) -> String) -> String {
    all.iter().map(|runs| format!("{before}{}{after}", runs.iter().map(&write).collect::<String>())).collect()
}

/// `text` between two marks; white space stays outside, as Markdown demands.
fn between(text: &str, before: &str, after: &str) -> String {
    let core = text.trim_start();
    format!("{}{before}{core}{after}", &text[..text.len() - core.len()])
}

fn tags(run: &Run) -> String {
    match run.mark {
        Mark::Plain => run.text.to_owned(),
        Mark::Raised => format!("<sup>{}</sup>", run.text),
        Mark::Lowered => format!("<sub>{}</sub>", run.text),
        Mark::Struck => format!("<del>{}</del>", run.text),
    }
}

fn html(all: &[&Vec<Run>]) -> String {
    each(all, ("<p>", "</p>\n"), tags)
}

fn md(all: &[&Vec<Run>]) -> Vec<u8> {
    // Half of what is struck is written as Markdown writes it; it opens only behind a space.
    each(all, ("", "\n\n"), |run| match (run.mark, run.text.starts_with(' ')) {
        (Mark::Struck, true) => between(run.text, "<s>", "</s>"),
        _ => tags(run),
    })
    .into_bytes()
}

fn rst(all: &[&Vec<Run>]) -> Vec<u8> {
    each(all, ("", "\n\n"), |run| match run.mark {
        Mark::Plain | Mark::Struck => run.text.to_owned(),
        Mark::Raised => format!("\\ :sup:`{}`\\ ", run.text),
        Mark::Lowered => format!("\\ :sub:`{}`\\ ", run.text),
    })
    .into_bytes()
}

fn adoc(all: &[&Vec<Run>]) -> Vec<u8> {
    let body = each(all, ("", "\n\n"), |run| match run.mark {
        Mark::Plain => run.text.to_owned(),
        Mark::Raised => format!("^{}^", run.text.replace(' ', "{nbsp}")),
        Mark::Lowered => format!("~{}~", run.text),
        Mark::Struck => format!("[.line-through]##{}##", run.text),
    });
    format!("= Cells\n\n{body}").into_bytes()
}

fn eml(all: &[&Vec<Run>]) -> Vec<u8> {
    let head = "From: a@b.c\nTo: d@e.f\nSubject: Cells\nDate: Mon, 6 May 2024 10:00:00 +0200\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n";
    format!("{head}<html><body>{}</body></html>", html(all)).into_bytes()
}

fn epub(all: &[&Vec<Run>]) -> Vec<u8> {
    let chapter = format!("<html xmlns='http://www.w3.org/1999/xhtml'><body>{}</body></html>", html(all));
    zipped(&[
        ("META-INF/container.xml", "<container><rootfiles><rootfile full-path='b.opf'/></rootfiles></container>"),
        (
            "b.opf",
            "<package><manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/></spine></package>",
        ),
        ("a.xhtml", &chapter),
    ])
}

fn docx(all: &[&Vec<Run>]) -> Vec<u8> {
    let body = each(all, ("<w:p>", "</w:p>"), |run| {
        let mark = match run.mark {
            Mark::Plain => "",
            Mark::Raised => "<w:vertAlign w:val='superscript'/>",
            Mark::Lowered => "<w:vertAlign w:val='subscript'/>",
            Mark::Struck => "<w:strike/>",
        };
        format!("<w:r><w:rPr>{mark}</w:rPr><w:t xml:space='preserve'>{}</w:t></w:r>", run.text)
    });
    zipped(&[("word/document.xml", &format!("<w:document xmlns:w='w'><w:body>{body}</w:body></w:document>"))])
}

fn odt(all: &[&Vec<Run>]) -> Vec<u8> {
    let styles: String = [
        ("R", "style:text-position='super 58%'"),
        ("L", "style:text-position='-33% 58%'"),
        ("S", "style:text-line-through-style='solid'"),
    ]
    .iter()
    .map(|(name, property)| {
        format!("<style:style style:name='{name}'><style:text-properties {property}/></style:style>")
    })
    .collect();
    let body = each(all, ("<text:p>", "</text:p>"), |run| {
        let style = match run.mark {
            Mark::Plain => return run.text.to_owned(),
            Mark::Raised => "R",
            Mark::Lowered => "L",
            Mark::Struck => "S",
        };
        format!("<text:span text:style-name='{style}'>{}</text:span>", run.text)
    });
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    zipped(&[("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", &content)])
}

fn rtf(all: &[&Vec<Run>]) -> Vec<u8> {
    let body = each(all, ("\\pard ", "\\par\n"), |run| match run.mark {
        Mark::Plain => run.text.to_owned(),
        Mark::Raised => format!("{{\\super {}}}", run.text),
        Mark::Lowered => format!("\\sub {}\\nosupersub ", run.text),
        Mark::Struck => format!("{{\\strike {}}}", run.text),
    });
    format!("{{\\rtf1\\ansi\\ansicpg1252\\uc1 {body}}}").into_bytes()
}

fn pptx(all: &[&Vec<Run>]) -> Vec<u8> {
    let body = each(all, ("<a:p>", "</a:p>"), |run| {
        let mark = match run.mark {
            Mark::Plain => "",
            Mark::Raised => "baseline='30000'",
            Mark::Lowered => "baseline='-25000'",
            Mark::Struck => "strike='sngStrike'",
        };
        format!("<a:r><a:rPr {mark}/><a:t>{}</a:t></a:r>", run.text)
    });
    let slide =
        format!("<p:sld><p:cSld><p:spTree><p:sp><p:txBody>{body}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>");
    zipped(&[
        (
            "ppt/presentation.xml",
            "<p:presentation><p:sldIdLst><p:sldId id='256' r:id='a'/></p:sldIdLst></p:presentation>",
        ),
        ("ppt/_rels/presentation.xml.rels", "<r><Relationship Id='a' Type='x/slide' Target='slides/one.xml'/></r>"),
        ("ppt/slides/one.xml", &slide),
    ])
}

fn xlsx(all: &[&Vec<Run>]) -> Vec<u8> {
    let strings = each(all, ("<si>", "</si>"), |run| {
        let mark = match run.mark {
            Mark::Plain => "",
            Mark::Raised => "<vertAlign val='superscript'/>",
            Mark::Lowered => "<vertAlign val='subscript'/>",
            Mark::Struck => "<strike/>",
        };
        format!("<r><rPr>{mark}</rPr><t xml:space='preserve'>{}</t></r>", run.text)
    });
    let rows: String = (0..all.len())
        .map(|n| format!("<row><c t='inlineStr'><is><t>rule</t></is></c><c t='s'><v>{n}</v></c></row>"))
        .collect();
    zipped(&[
        ("xl/workbook.xml", "<workbook><sheets><sheet name='Rules' r:id='a'/></sheets></workbook>"),
        ("xl/_rels/workbook.xml.rels", "<r><Relationship Id='a' Type='x/worksheet' Target='worksheets/one.xml'/></r>"),
        ("xl/sharedStrings.xml", &format!("<sst>{strings}</sst>")),
        ("xl/worksheets/one.xml", &format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")),
    ])
}

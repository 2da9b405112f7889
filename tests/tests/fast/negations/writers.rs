//! Documents in every format that a test can write, with the sentences in their forms.

use precis_tests::documents::{pdf_of_contents, text_at, zipped};

use super::placed::{PlacedSentence, SentenceForm};

/// A format.
pub(super) struct Format {
    pub(super) ending: &'static str,
    /// Whether it writes Latin letters only.
    pub(super) is_latin: bool,
    pub(super) write: fn(&[PlacedSentence]) -> Vec<u8>,
}

pub(super) const FORMATS: &[Format] = &[
    Format { ending: "txt", is_latin: false, write: |all| txt(all).into_bytes() },
    Format { ending: "md", is_latin: false, write: md },
    Format { ending: "rst", is_latin: false, write: rst },
    Format { ending: "adoc", is_latin: false, write: adoc },
    Format {
        ending: "html",
        is_latin: false,
        write: |all| format!("<html><body>{}</body></html>", html(all)).into_bytes(),
    },
    Format { ending: "docx", is_latin: false, write: docx },
    Format { ending: "odt", is_latin: false, write: odt },
    Format { ending: "ods", is_latin: false, write: ods },
    Format { ending: "odp", is_latin: false, write: odp },
    Format { ending: "tex", is_latin: false, write: tex },
    Format { ending: "rtf", is_latin: false, write: rtf },
    Format { ending: "epub", is_latin: false, write: epub },
    Format { ending: "xlsx", is_latin: false, write: xlsx },
    Format { ending: "pptx", is_latin: false, write: pptx },
    Format { ending: "csv", is_latin: false, write: csv },
    Format { ending: "eml", is_latin: false, write: eml },
    Format { ending: "pdf", is_latin: true, write: pages },
    Format { ending: "tsv", is_latin: false, write: tsv },
    Format { ending: "mbox", is_latin: false, write: |all| [b"From ann Mon May 6\n", eml(all).as_slice()].concat() },
];

/// Characters per line of a page.
const LINE_CHARS: usize = 60;

/// The words of a block: a paragraph has other sentences around it, a clause its number.
pub(super) fn words(placed: &PlacedSentence) -> String {
    let PlacedSentence { form, sentence, around, number } = placed;
    match form {
        SentenceForm::Paragraph => format!("{} {sentence} {}", around[0], around[1]),
        SentenceForm::Clause => format!("{number}. {sentence}"),
        SentenceForm::Item | SentenceForm::Heading | SentenceForm::Cell => sentence.clone(),
    }
}

/// Every sentence as written by `write`.
pub(super) fn each(all: &[PlacedSentence], write: impl Fn(SentenceForm, String) -> String) -> String {
    all.iter().map(|placed| write(placed.form, words(placed))).collect()
}

fn txt(all: &[PlacedSentence]) -> String {
    each(all, |form, words| match form {
        SentenceForm::Item => format!("- {words}\n\n"),
        SentenceForm::Heading => format!("{words}\n=====\n\n"),
        _ => format!("{words}\n\n"),
    })
}

pub(super) fn md(all: &[PlacedSentence]) -> Vec<u8> {
    each(all, |form, words| match form {
        SentenceForm::Item => format!("- {words}\n\n"),
        SentenceForm::Heading => format!("## {words}\n\n"),
        SentenceForm::Cell => format!("| Rule | Text |\n|---|---|\n| a | {words} |\n\n"),
        _ => format!("{words}\n\n"),
    })
    .into_bytes()
}

fn adoc(all: &[PlacedSentence]) -> Vec<u8> {
    each(all, |form, words| match form {
        SentenceForm::Item => format!("* {words}\n\n"),
        SentenceForm::Heading => format!("== {words}\n\n"),
        SentenceForm::Cell => format!("|===\n|Rule |Text\n\n|a |{words}\n|===\n\n"),
        _ => format!("{words}\n\n"),
    })
    .into_bytes()
}

fn rst(all: &[PlacedSentence]) -> Vec<u8> {
    each(all, |form, words| match form {
        SentenceForm::Item => format!("- {words}\n\n"),
        SentenceForm::Heading => format!("{words}\n{}\n\n", "=".repeat(2 * words.chars().count())),
        SentenceForm::Cell => format!("====  ====\nRule  Text\n====  ====\na     {words}\n====  ====\n\n"),
        _ => format!("{words}\n\n"),
    })
    .into_bytes()
}

fn html(all: &[PlacedSentence]) -> String {
    each(all, |form, words| match form {
        SentenceForm::Item => format!("<ul><li>{words}</li></ul>"),
        SentenceForm::Heading => format!("<h3>{words}</h3>"),
        SentenceForm::Cell => format!("<table><tr><td>a</td><td>{words}</td></tr></table>"),
        _ => format!("<p>{words}</p>"),
    })
}

fn docx(all: &[PlacedSentence]) -> Vec<u8> {
    let run = |words: &str| format!("<w:r><w:t xml:space='preserve'>{words}</w:t></w:r>");
    let body = each(all, |form, words| match form {
        SentenceForm::Item => format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr></w:pPr>{}</w:p>",
            run(&words)
        ),
        SentenceForm::Heading => format!("<w:p><w:pPr><w:pStyle w:val='Heading2'/></w:pPr>{}</w:p>", run(&words)),
        SentenceForm::Cell => format!(
            "<w:tbl><w:tr><w:tc><w:p>{}</w:p></w:tc><w:tc><w:p>{}</w:p></w:tc></w:tr></w:tbl>",
            run("a"),
            run(&words)
        ),
        _ => format!("<w:p>{}</w:p>", run(&words)),
    });
    zipped(&[("word/document.xml", &format!("<w:document xmlns:w='w'><w:body>{body}</w:body></w:document>"))])
}

fn odt(all: &[PlacedSentence]) -> Vec<u8> {
    let body = each(all, |form, words| match form {
        SentenceForm::Item => {
            format!("<text:list><text:list-item><text:p>{words}</text:p></text:list-item></text:list>")
        }
        SentenceForm::Heading => format!("<text:h text:outline-level='2'>{words}</text:h>"),
        SentenceForm::Cell => format!(
            "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>{words}</text:p></table:table-cell></table:table-row></table:table>"
        ),
        _ => format!("<text:p>{words}</text:p>"),
    });
    let content = format!(
        "<office:document-content><office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    zipped(&[("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", &content)])
}

fn ods(all: &[PlacedSentence]) -> Vec<u8> {
    let cell = |words: &str| {
        format!("<table:table-cell office:value-type='string'><text:p>{words}</text:p></table:table-cell>")
    };
    let rows = each(all, |_, words| format!("<table:table-row>{}{}</table:table-row>", cell("a"), cell(&words)));
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet><table:table table:name='Rules'>{rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    zipped(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &content)])
}

fn odp(all: &[PlacedSentence]) -> Vec<u8> {
    let body = each(all, |form, words| match form {
        SentenceForm::Item => {
            format!("<text:list><text:list-item><text:p>{words}</text:p></text:list-item></text:list>")
        }
        _ => format!("<text:p>{words}</text:p>"),
    });
    let content = format!(
        "<office:document-content><office:body><office:presentation><draw:page><draw:frame><draw:text-box>{body}</draw:text-box></draw:frame></draw:page></office:presentation></office:body></office:document-content>"
    );
    zipped(&[("mimetype", "application/vnd.oasis.opendocument.presentation"), ("content.xml", &content)])
}

fn tex(all: &[PlacedSentence]) -> Vec<u8> {
    let escaped = |words: &str| {
        let escape = |c: char| match c {
            '%' | '&' | '$' | '#' | '_' | '{' | '}' => format!("\\{c}"),
            '\'' => "\\textquotesingle{}".to_owned(),
            c => c.to_string(),
        };
        words.chars().map(escape).collect::<String>()
    };
    each(all, |form, words| {
        let words = escaped(&words);
        match form {
            SentenceForm::Item => format!("\\begin{{itemize}}\\item {words}\\end{{itemize}}\n\n"),
            SentenceForm::Heading => format!("\\subsection*{{{words}}}\n\n"),
            SentenceForm::Cell => format!("\\begin{{tabular}}{{ll}}a & {words}\\\\ \\end{{tabular}}\n\n"),
            _ => format!("{words}\n\n"),
        }
    })
    .into_bytes()
}

fn rtf(all: &[PlacedSentence]) -> Vec<u8> {
    let escaped = |words: &str| {
        let escape = |c: char| match c {
            ' '..='~' => c.to_string(),
            c => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{}?", *unit as i16)).collect(),
        };
        words.chars().map(escape).collect::<String>()
    };
    let body = each(all, |form, words| match form {
        SentenceForm::Item => format!("\\pard{{\\listtext\\'b7\\tab}}\\ls1 {}\\par\n", escaped(&words)),
        SentenceForm::Heading => format!("\\pard\\outlinelevel1 {}\\par\n", escaped(&words)),
        SentenceForm::Cell => {
            format!("\\trowd\\cellx1\\cellx2\\pard\\intbl a\\cell {}\\cell\\row\\pard\n", escaped(&words))
        }
        _ => format!("\\pard {}\\par\n", escaped(&words)),
    });
    format!("{{\\rtf1\\ansi\\ansicpg1252\\uc1 {body}}}").into_bytes()
}

fn epub(all: &[PlacedSentence]) -> Vec<u8> {
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

fn xlsx(all: &[PlacedSentence]) -> Vec<u8> {
    let cell = |words: &str| format!("<c t='inlineStr'><is><t>{words}</t></is></c>");
    let rows = each(all, |_, words| format!("<row>{}{}</row>", cell("a"), cell(&words)));
    zipped(&[
        ("xl/workbook.xml", "<workbook><sheets><sheet name='Rules' r:id='a'/></sheets></workbook>"),
        ("xl/_rels/workbook.xml.rels", "<r><Relationship Id='a' Type='x/worksheet' Target='worksheets/one.xml'/></r>"),
        ("xl/worksheets/one.xml", &format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")),
    ])
}

fn pptx(all: &[PlacedSentence]) -> Vec<u8> {
    let body = each(all, |form, words| {
        let bullet = if form == SentenceForm::Item { "<a:pPr lvl='0'><a:buChar char='•'/></a:pPr>" } else { "" };
        format!("<a:p>{bullet}<a:r><a:t>{words}</a:t></a:r></a:p>")
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

fn csv(all: &[PlacedSentence]) -> Vec<u8> {
    format!("Rule,Text\n{}", each(all, |_, words| format!("a,\"{words}\"\n"))).into_bytes()
}

fn tsv(all: &[PlacedSentence]) -> Vec<u8> {
    format!("Rule\tText\n{}", each(all, |_, words| format!("a\t{words}\n"))).into_bytes()
}

fn eml(all: &[PlacedSentence]) -> Vec<u8> {
    let head = "From: a@b.c\nTo: d@e.f\nDate: Mon, 6 May 2024 10:00:00 +0200\nSubject: Rules\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n";
    format!("{head}{}", txt(all)).into_bytes()
}

/// Paragraphs whose lines break anywhere between words, a dozen per page.
fn pages(all: &[PlacedSentence]) -> Vec<u8> {
    let page = |some: &[PlacedSentence]| {
        let mut y = 760.0;
        let mut content = String::new();
        for placed in some {
            for line in lines(&words(placed)) {
                content.push_str(&text_at(60.0, y, &line));
                y -= 12.0;
            }
            y -= 14.0;
        }
        content
    };
    pdf_of_contents(&all.chunks(12).map(page).collect::<Vec<_>>())
}

/// Lines of words in the page's encoding, with brackets escaped.
fn lines(words: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let line = lines.last_mut().expect("there is always one");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + word.chars().count() < LINE_CHARS {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    let code = |c: char| match c {
        ' '..='~' => c.to_string(),
        '’' => "\\222".to_owned(),
        c => format!("\\{:03o}", u32::from(c)),
    };
    lines.iter().map(|line| line.chars().map(code).collect()).collect()
}

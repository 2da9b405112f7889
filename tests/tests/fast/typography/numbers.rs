//! The law for numbers that a style gives headings: what is read of an outline is the same in every format that computes them.
//!
//! Outlines of every shape of up to five headings on three levels are written without numbers, in each format with a style that numbers
//! them. The numbers that must be read are counted once more here.

use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
use precis_proto::BlockKind;
use precis_tests::documents::zipped;

const LEVELS: usize = 3;

struct Format {
    ending: &'static str,
    write: fn(&[usize]) -> Vec<u8>,
}

const FORMATS: &[Format] = &[
    Format { ending: "html", write: |levels| html(levels).into_bytes() },
    Format { ending: "epub", write: epub },
    Format { ending: "docx", write: docx },
    Format { ending: "odt", write: odt },
    Format { ending: "tex", write: tex },
];

/// Outlines that begin on the first level and go no more than one level deeper at once.
fn outlines() -> Vec<Vec<usize>> {
    let mut all = vec![vec![0]];
    let mut last = all.clone();
    for _ in 1..5 {
        let longer = |outline: &Vec<usize>| {
            let deepest = (outline[outline.len() - 1] + 1).min(LEVELS - 1);
            (0..=deepest).map(|level| [outline.as_slice(), &[level]].concat()).collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.clone());
    }
    all
}

fn title(at: usize) -> &'static str {
    ["Fees", "Boats", "Seats", "Winter", "Keys"][at]
}

fn expected(outline: &[usize]) -> Vec<String> {
    let mut counts = [0; LEVELS];
    outline
        .iter()
        .enumerate()
        .map(|(at, &level)| {
            counts[level] += 1;
            counts[level + 1..].fill(0);
            let numbers: Vec<String> = counts[..=level].iter().map(ToString::to_string).collect();
            format!("{} {}", numbers.join("."), title(at))
        })
        .collect()
}

/// Each heading between the text that `before` gives for its level and `after`, and a paragraph behind it.
fn each(outline: &[usize], before: impl Fn(usize) -> String, after: impl Fn(usize) -> String, text: &str) -> String {
    let headings = outline.iter().enumerate();
    headings.map(|(at, &level)| format!("{}{}{}{text}", before(level), title(at), after(level))).collect()
}

fn html(outline: &[usize]) -> String {
    let style = "body{counter-reset:a}h1{counter-increment:a;counter-reset:b}h2{counter-increment:b;counter-reset:c}\
        h3{counter-increment:c}h1::before{content:counter(a)' '}h2::before{content:counter(a)'.'counter(b)' '}\
        h3::before{content:counter(a)'.'counter(b)'.'counter(c)' '}";
    let tag = |level: usize| level + 1;
    let body =
        each(outline, |level| format!("<h{}>", tag(level)), |level| format!("</h{}>", tag(level)), "<p>So it is.</p>");
    format!("<html xmlns='http://www.w3.org/1999/xhtml'><head><style>{style}</style></head><body>{body}</body></html>")
}

fn epub(outline: &[usize]) -> Vec<u8> {
    zipped(&[
        ("META-INF/container.xml", "<container><rootfiles><rootfile full-path='b.opf'/></rootfiles></container>"),
        (
            "b.opf",
            "<package><manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/></spine></package>",
        ),
        ("a.xhtml", &html(outline)),
    ])
}

fn docx(outline: &[usize]) -> Vec<u8> {
    let (mut styles, mut levels) = (String::new(), String::new());
    for (level, text) in ["%1", "%1.%2", "%1.%2.%3"].into_iter().enumerate() {
        styles += &format!(
            "<w:style w:styleId='H{level}'><w:name w:val='heading {}'/><w:pPr><w:numPr><w:numId w:val='2'/></w:numPr></w:pPr></w:style>",
            level + 1
        );
        levels += &format!(
            "<lvl ilvl='{level}'><numFmt val='decimal'/><pStyle val='H{level}'/><lvlText val='{text}'/></lvl>"
        );
    }
    let begin = |level| format!("<w:p><w:pPr><w:pStyle w:val='H{level}'/></w:pPr><w:r><w:t>");
    let text = "<w:p><w:r><w:t>So it is.</w:t></w:r></w:p>";
    let body = each(outline, begin, |_| "</w:t></w:r></w:p>".to_owned(), text);
    zipped(&[
        ("word/document.xml", &format!("<w:document xmlns:w='w'><w:body>{body}</w:body></w:document>")),
        ("word/styles.xml", &format!("<w:styles>{styles}</w:styles>")),
        (
            "word/numbering.xml",
            &format!(
                "<n><abstractNum abstractNumId='1'>{levels}</abstractNum><num numId='2'><abstractNumId val='1'/></num></n>"
            ),
        ),
    ])
}

fn odt(outline: &[usize]) -> Vec<u8> {
    let levels: String = (1..=LEVELS)
        .map(|level| {
            format!(
                "<text:outline-level-style text:level='{level}' style:num-format='1' text:display-levels='{level}'/>"
            )
        })
        .collect();
    let styles = format!(
        "<office:document-styles><office:styles><text:outline-style>{levels}</text:outline-style></office:styles></office:document-styles>"
    );
    let begin = |level: usize| format!("<text:h text:outline-level='{}'>", level + 1);
    let body = each(outline, begin, |_| "</text:h>".to_owned(), "<text:p>So it is.</text:p>");
    let content = format!(
        "<office:document-content><office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    zipped(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", &content),
        ("styles.xml", &styles),
    ])
}

fn tex(outline: &[usize]) -> Vec<u8> {
    let begin = |level| format!("\\{}section{{", "sub".repeat(level));
    let body = each(outline, begin, |_| "}\n".to_owned(), "So it is.\n\n");
    format!("\\documentclass{{article}}\\begin{{document}}\n{body}\\end{{document}}\n").into_bytes()
}

#[test]
fn numbers_of_headings_are_read_alike_in_every_format_that_computes_them() {
    let outlines = outlines();
    assert!(outlines.len() > 50, "{}", outlines.len());
    let mut faults = Vec::new();
    for Format { ending, write } in FORMATS {
        for outline in &outlines {
            let hint = Hint { content_type: None, name: &format!("a.{ending}") };
            let read = extract(&write(outline), &hint, HtmlMode::Full, &ExtractLimits::default()).expect("a document");
            let headings = read.text.blocks().iter().filter(|block| block.kind == BlockKind::Heading);
            let found: Vec<&str> = headings.map(|block| read.text.slice(block.range())).collect();
            if found != expected(outline) {
                faults.push(format!("{ending}: {:?} read as {found:?}", expected(outline)));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(12)]);
}

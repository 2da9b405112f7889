//! Tests that foreign text is displayed as it is in any place, and has no unnecessary escapes.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::draft::inline::options;
use crate::draft::inline_writer::*;

#[test]
fn what_means_nothing_is_not_escaped() {
    let plain = [
        "4.3 Delays",
        "3.9.1",
        "see section 4.",
        "R&D, a=1&b=2",
        "1 < 2 > 0",
        "snake_case_name",
        "a * b",
        "C# and F#",
        "-5 degrees",
        "\\section{A}",
        "~/.profile",
        "about ~5",
        "+49 30",
        "#hashtag",
        "wow!",
        "(x)",
        "a: b",
        "f(x) = y",
    ];
    for text in plain {
        assert_eq!(literal(text), text);
    }
    let escaped = [
        ("__pycache__", "\\_\\_pycache__"),
        ("4. Do not", "4\\. Do not"),
        ("[sic]", "\\[sic]"),
        ("[1]", "\\[1\\]"),
        ("- item", "\\- item"),
        ("# head", "\\# head"),
        ("<b>x</b>", "\\<b>x\\</b>"),
        ("&amp;", "\\&amp;"),
        ("*x*", "\\*x\\*"),
        ("a | b", "a \\| b"),
    ];
    for (text, want) in escaped {
        assert_eq!(literal(text), want);
    }
}

/// The visible text of `markdown`, and every event in it other than text, paragraphs and strong emphasis.
fn seen(markdown: &str) -> (String, Vec<String>) {
    let (mut text, mut foreign) = (String::new(), Vec::new());
    for event in Parser::new_ext(markdown, options()) {
        match event {
            Event::Text(piece) => text.push_str(&piece),
            Event::SoftBreak => text.push(' '),
            Event::Start(Tag::Paragraph | Tag::Strong) | Event::End(TagEnd::Paragraph | TagEnd::Strong) => {}
            Event::Start(tag) => foreign.push(format!("{tag:?}")),
            Event::End(_) => {}
            // Addresses are code, and only they.
            Event::Code(code) if code.contains("://") => text.push_str(&code),
            other => foreign.push(format!("{other:?}")),
        }
    }
    (text, foreign)
}

const PIECES: [&str; 44] = [
    "a", "B", "1", "12", ".", ")", "(", " ", "  ", "_", "__", "*", "**", "~", "~~", "`", "``", "[", "]", "<", ">", "&",
    ";", "#", "##", "!", "|", "-", "--", "---", "+", "=", "==", "\\", "/", ":", "\"", "é", "語", "^", "$", "{", "}",
    "amp",
];

#[test]
fn text_from_outside_reads_back_as_itself_wherever_it_stands() {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..(1 + round % 9) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            text.push_str(PIECES[(seed % PIECES.len() as u64) as usize]);
        }
        let want = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if want.is_empty() {
            continue;
        }
        let written = literal(&text);
        assert_eq!(seen(&written), (want.clone(), Vec::new()), "{text:?} is written {written:?}");
        let (shown, frame) = seen(&format!("# {written}"));
        assert_eq!(
            (shown.as_str(), frame.len()),
            (want.as_str(), 1),
            "heading: {text:?} is written {written:?} {frame:?}"
        );
        let (shown, frame) = seen(&format!("- {written}"));
        assert_eq!(
            (shown.as_str(), frame.len()),
            (want.as_str(), 2),
            "item: {text:?} is written {written:?} {frame:?}"
        );
        let (shown, frame) = seen(&format!("| h |\n| --- |\n| {written} |"));
        assert_eq!(shown, format!("h{want}"), "cell: {text:?} is written {written:?} {frame:?}");
        let (shown, frame) = seen(&format!("x **{written}** y"));
        let is_bare = want.chars().all(char::is_alphanumeric);
        assert!(
            !is_bare || (shown == format!("x {want} y") && frame.is_empty()),
            "bold: {text:?} is written {written:?}"
        );
        assert!(crate::draft::marks::marks(&written).is_empty(), "{written:?}");
    }
}

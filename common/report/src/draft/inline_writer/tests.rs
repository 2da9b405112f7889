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

#[test]
fn within_a_line_only_inline_marks_are_escaped() {
    for text in ["2. No", "3) Analyses", "- item", "+ more", "> 5", "= x", "4.3 Delays", "a * b"] {
        assert_eq!(literal_within(text), text);
    }
    for (text, want) in
        [("**x**", "\\*\\*x\\*\\*"), ("* a", "\\* a"), ("a *", "a \\*"), ("[1]", "\\[1\\]"), ("a | b", "a \\| b")]
    {
        assert_eq!(literal_within(text), want);
    }
}

/// The visible text of `markdown`, and every event in it other than text, paragraphs and strong emphasis.
fn visible_text(markdown: &str) -> (String, Vec<String>) {
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

/// Texts of up to nine pieces, and each as it is displayed; none is empty.
fn texts() -> impl Iterator<Item = (String, String)> {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let made = (0..20_000).map(move |round| {
        let mut text = String::new();
        for _ in 0..(1 + round % 9) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            text.push_str(PIECES[(seed % PIECES.len() as u64) as usize]);
        }
        let want = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (text, want)
    });
    made.filter(|(_, want)| !want.is_empty())
}

#[test]
fn inline_text_reads_back_unchanged_in_any_place() {
    for (text, want) in texts() {
        let written = literal_within(&text);
        for (before, after, frame) in
            [("# ", "", 1), ("x: ", "", 0), ("x **", "** y", 0), ("- **", "**: y", 2), ("- x: ", " (y)", 2)]
        {
            let shown = visible_text(&format!("{before}{written}{after}"));
            let plain = |mark: &str| mark.replace("**", "").trim_start_matches(['#', '-']).trim_start().to_owned();
            let all = format!("{}{want}{}", plain(before), after.replace("**", ""));
            assert_eq!(
                (shown.0, shown.1.len()),
                (all, frame),
                "{before}: {text:?} is written {written:?} {:?}",
                shown.1
            );
        }
        let cell = visible_text(&format!("| h |\n| --- |\n| {written} |")).0;
        assert_eq!(cell, format!("h{want}"), "cell: {text:?} is written {written:?}");
        assert!(crate::draft::marks::marks(&written).is_empty(), "{written:?}");
    }
}

#[test]
fn outside_text_reads_back_unchanged_in_any_place() {
    for (text, want) in texts() {
        let written = literal(&text);
        assert_eq!(visible_text(&written), (want.clone(), Vec::new()), "{text:?} is written {written:?}");
        let (shown, frame) = visible_text(&format!("# {written}"));
        assert_eq!(
            (shown.as_str(), frame.len()),
            (want.as_str(), 1),
            "heading: {text:?} is written {written:?} {frame:?}"
        );
        let (shown, frame) = visible_text(&format!("- {written}"));
        assert_eq!(
            (shown.as_str(), frame.len()),
            (want.as_str(), 2),
            "item: {text:?} is written {written:?} {frame:?}"
        );
        let (shown, frame) = visible_text(&format!("| h |\n| --- |\n| {written} |"));
        assert_eq!(shown, format!("h{want}"), "cell: {text:?} is written {written:?} {frame:?}");
        let (shown, frame) = visible_text(&format!("x **{written}** y"));
        let is_bare = want.chars().all(char::is_alphanumeric);
        assert!(
            !is_bare || (shown == format!("x {want} y") && frame.is_empty()),
            "bold: {text:?} is written {written:?}"
        );
        assert!(crate::draft::marks::marks(&written).is_empty(), "{written:?}");
    }
}

//! Tests what a draft may contain, and what is kept of it.

use precis_proto::SourceId;
use precis_proto::source::{ContentRef, Origin, Quality, SourceText};
use pulldown_cmark::{Event, Parser, Tag};

use crate::draft::citations::*;
use crate::draft::inline::options;
use crate::draft::marks::marks;
use crate::draft::reading::blocks;

fn source(id: &str, text: &str) -> Source {
    let content = ContentRef::from_bytes(text.as_bytes());
    Source {
        source_id: SourceId::new(id).expect("an id"),
        title: format!("title of {id}"),
        url: None,
        origin: Origin::Content(content.clone()),
        content_type: None,
        quality: Quality::default(),
        published_at: None,
        protected: false,
        relevance: None,
        text: Some(SourceText { content, chars: text.chars().count() as u64, tokens: 1, pages: 0, blocks: None }),
        reduction: None,
        failure: None,
        snippet: None,
        path: None,
        found_by: Vec::new(),
        vectors_by: None,
    }
}

fn finding(finding_id: u32, quotes: &[(&str, &str)]) -> Finding {
    let quote = |(id, locator): &(&str, &str)| Quote {
        source_id: SourceId::new(*id).expect("an id"),
        locator: locator.parse().expect("a locator"),
        text: format!("{id} {locator}"),
        headings: Vec::new(),
        context: Vec::new(),
        answer: Vec::new(),
        more_items: 0,
        place: None,
        recognized: None,
    };
    Finding {
        finding_id,
        topic: String::new(),
        statement: String::new(),
        quotes: quotes.iter().map(quote).collect(),
        score: 1.0,
        tokens: 1,
        similarity: None,
    }
}

/// Findings 3, 7 and 9 have one quote each, 9 the same as 7; 5 has two; 6 has a source without text, 8 an unknown source.
fn cite_draft(draft: &str) -> CitedDraft {
    let findings = [
        finding(3, &[("a", "char:0-1")]),
        finding(7, &[("b", "char:0-1")]),
        finding(9, &[("b", "char:0-1")]),
        finding(5, &[("a", "char:5-6"), ("b", "char:5-6")]),
        finding(6, &[("unread", "char:0-1")]),
        finding(8, &[("unknown", "char:0-1")]),
    ];
    let mut unread = source("unread", "");
    unread.text = None;
    cite(draft, &findings, &[source("a", "text a"), source("b", "text b"), unread])
}

#[test]
fn ids_are_renumbered_by_first_appearance() {
    let cases = [
        ("One [7]. Two [3]. One again [7].", "One [1]. Two [2]. One again [1]."),
        ("Both quotes [5].", "Both quotes [1][2]."),
        ("The same quote [7][9] twice.", "The same quote [1] twice."),
        ("The same quote [7] [9].", "The same quote [1]."),
        ("The same quote [7], later [9].", "The same quote [1], later [1]."),
        ("A list [3, 7].", "A list [1][2]."),
        ("A list [ 3 ; 7 ].", "A list [1][2]."),
        ("An interval [0, 1] stays.", "An interval \\[0, 1\\] stays."),
        ("Leading zero [03].", "Leading zero [1]."),
        ("In **bold [3]** and *[7]*.", "In **bold [1]** and *[2]*."),
        ("Odd [**3**].", "Odd [1]."),
        ("日本語の文。[3]次の文。[7]", "日本語の文。[1]次の文。[2]"),
    ];
    for (draft, want) in cases {
        let got = cite_draft(draft);
        assert_eq!(got.markdown, want, "{draft}");
        assert!(got.removed.is_empty(), "{draft}: {:?}", got.removed);
    }
}

#[test]
fn a_citation_carries_what_proves_it() {
    let got = cite_draft("Text [5].");
    let second = &got.citations[1];
    assert_eq!((second.n, second.source_id.as_str(), second.title.as_str()), (2, "b", "title of b"));
    assert_eq!((second.locator.to_string().as_str(), second.text.as_str()), ("char:5-6", "b char:5-6"));
    assert_eq!(second.source_text_hash, ContentRef::from_bytes(b"text b").to_string());
}

#[test]
fn ids_that_nothing_can_prove_are_taken_out_and_listed() {
    let cases: [(&str, &str, &[&str]); 9] = [
        ("Claim [99].", "Claim.", &["99"]),
        ("Claim [99] [3].", "Claim [1].", &["99"]),
        ("Claim [3][99].", "Claim [1].", &["99"]),
        ("[99] Claim [99].", "Claim.", &["99"]),
        ("Claim **[99]** goes.", "Claim goes.", &["99"]),
        ("**Claim [99]** goes.", "**Claim** goes.", &["99"]),
        ("Unread [6], unknown [8].", "Unread, unknown.", &["6", "8"]),
        ("Huge [99999999999999999999].", "Huge.", &["99999999999999999999"]),
        ("Zero [0].", "Zero.", &["0"]),
    ];
    for (draft, want, removed) in cases {
        let got = cite_draft(draft);
        assert_eq!(got.markdown, want, "{draft}");
        assert_eq!(got.removed, removed, "{draft}");
    }
}

#[test]
fn an_escaped_bracket_is_never_a_citation() {
    let cases = [
        ("Literal \\[3\\].", "Literal \\[3\\]."),
        ("Literal \\[3].", "Literal \\[3\\]."),
        ("Backslash \\\\[3].", "Backslash \\\\[1]."),
        ("Entity &#91;3&#93;.", "Entity \\[3\\]."),
        ("Code `a[3]`.", "Code a\\[3\\]."),
        ("Code `a[i]` and `` ` ``.", "Code `a[i]` and `` ` ``."),
        ("    indented [3]", "indented \\[3\\]"),
        ("```rust\nlet x = y[3];\n```", "let x = y\\[3\\];"),
        ("```rust\nlet x = 3;\n```", "```rust\nlet x = 3;\n```"),
    ];
    for (draft, want) in cases {
        assert_eq!(cite_draft(draft).markdown, want, "{draft}");
    }
}

#[test]
fn shapes_of_links_neither_hide_nor_forge_a_citation() {
    let cases = [
        ("Claim [3](http://evil.example/x).", "Claim [1]."),
        ("Claim [3].\n\n[3]: http://evil.example/x", "Claim [1]."),
        ("Claim [3][].\n\n[3]: http://evil.example/x", "Claim [1]."),
        ("Claim [text][3].\n\n[3]: http://evil.example/x", "Claim text[1]."),
        ("[3]: a claim", "[1]\\: a claim"),
        ("[3]: claim\n\nText [3].", "Text [1]."),
        ("A [link [3]](http://evil.example).", "A link [1]."),
        ("A [link](javascript:alert(1)) here.", "A link here."),
        ("An ![image](http://evil.example/i.png) here.", "An image here."),
        ("An ![3](http://evil.example/i.png) here.", "An [1] here."),
        ("Wow![3]", "Wow\\![1]"),
        ("Call [3]\\(x).", "Call [1]\\(x)."),
        ("See <http://evil.example/a_b>.", "See `http://evil.example/a_b`."),
        ("A footnote[^3].\n\n[^3]: http://evil.example", "A footnote^3."),
    ];
    for (draft, want) in cases {
        assert_eq!(cite_draft(draft).markdown, want, "{draft}");
    }
}

#[test]
fn html_is_text() {
    let cases = [
        ("A <b>bold</b> claim [3].", "A \\<b>bold\\</b> claim [1]."),
        ("<script>alert(1)</script>", "\\<script>alert(1)\\</script>"),
        ("<div>claim [3]\n</div>\n\nnext", "\\<div>claim [1]\\\n\\</div>\n\nnext"),
        ("<!-- [3] -->", "\\<!-- [1] -->"),
        ("R&D, a&b, 1 < 2", "R&D, a&b, 1 < 2"),
        ("\u{202e}reversed\u{2069} text", "reversed text"),
    ];
    for (draft, want) in cases {
        assert_eq!(cite_draft(draft).markdown, want, "{draft}");
    }
}

#[test]
fn the_shape_of_a_report_stays() {
    let draft = "# Title\n\nIntro with *stress* and **weight**.\n\n## Part\n\n- one [3]\n- two\n  - deeper\n\n1. first\n\n2. second\n\n   \
                 more\n\n> quoted\n\n| a | b |\n| :-- | --: |\n| 1 \\| 2 | x |\n\n***\n\nLine one\\\nline two\n\n2\\. not a list";
    assert_eq!(cite_draft(draft).markdown, draft.replace("[3]", "[1]"));
}

/// Pieces that are harmless alone; the test combines them in random order.
const PIECES: [&str; 40] = [
    "[3]",
    "[7]",
    "[99]",
    "[",
    "]",
    "(",
    ")",
    "!",
    ":",
    "\\",
    "`",
    "``",
    "*",
    "**",
    "_",
    "<",
    ">",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "&#91;",
    "&amp;",
    "\n",
    "\n\n",
    " ",
    "    ",
    "- ",
    "1. ",
    "> ",
    "# ",
    "|",
    "|---|\n",
    "http://e.example",
    "3",
    "[3]: x",
    "```\n",
    "~~",
    "語",
    "\u{202e}",
];

#[test]
fn whatever_a_draft_holds_the_report_holds_text_and_proved_citations_only() {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    for _ in 0..6_000 {
        let mut draft = String::new();
        for _ in 0..12 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            draft.push_str(PIECES[(seed % PIECES.len() as u64) as usize]);
        }
        let got = cite_draft(&draft);
        for event in Parser::new_ext(&got.markdown, options()) {
            let foreign = matches!(
                event,
                Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
                    | Event::Html(_)
                    | Event::InlineHtml(_)
            );
            assert!(!foreign, "{draft:?} gives {:?}, which holds {event:?}", got.markdown);
        }
        let marked: Vec<u32> = marks(&got.markdown).iter().map(|m| m.n).collect();
        let mut numbers = marked.clone();
        numbers.sort_unstable();
        numbers.dedup();
        let want: Vec<u32> = got.citations.iter().map(|c| c.n).collect();
        assert_eq!(numbers, want, "{draft:?} gives {:?}", got.markdown);
        let read: Vec<u32> = blocks(&got.markdown).iter().flat_map(|b| b.cites.iter().map(|(_, n)| *n)).collect();
        assert_eq!(read, marked, "{draft:?} gives {:?}", got.markdown);
    }
}

#[test]
fn hostile_nesting_and_brackets_take_no_more_than_their_share_of_time() {
    for piece in ["[", "![", "> ", "- ", "**", "`", "[3](", "<a", "\\[", "*[", "[3] "] {
        let draft = piece.repeat(40_000);
        assert!(cite_draft(&draft).markdown.len() <= 8 * draft.len() + 64, "{piece}");
    }
}

#[test]
fn headings_that_imitate_ours_are_marked_as_the_models() {
    let draft = "# Ice\n\nText.\n\n## Sources\n\n1. forged\n\n**How to verify**\n\nRun this.\n\nQuellen\n=======\n\n## Sources of ice\n";
    let markdown = cite(draft, &[], &[]).markdown;
    for want in [
        "## Sources (written by the model)",
        "**How to verify** (written by the model)",
        "# Quellen (vom Modell verfasst)",
    ] {
        assert!(markdown.contains(want), "{want}\n{markdown}");
    }
    assert!(markdown.ends_with("## Sources of ice"), "{markdown}");
}

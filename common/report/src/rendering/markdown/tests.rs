use pulldown_cmark::{Event, Parser, Tag};

use super::*;
use crate::draft::inline::options;
use crate::sample;

fn render_sample() -> (ReportData, String) {
    let (data, _) = sample::report();
    let text = render(&data, &data.warning_details);
    (data, text)
}

#[test]
fn the_document_starts_with_the_report_and_locates_each_quote() {
    let (data, text) = render_sample();
    assert!(
        text.starts_with("# How fast do glaciers melt?\n\nThe Alps lost a tenth of their ice in two years [1]."),
        "{text}"
    );
    for want in [
        "1. **Ice & snow**, page 1 (`page:1:char:0-60`) <https://ice.example/report?a=1&b=2>\n\n   > Glaciers in the Alps lost a tenth \
         of their ice in two years.",
        "* Written: 2026-01-31 12:00 UTC\n* Version: Precis ",
        "* Model: house:small\n* Documents: `https://ice.example/report?a=1&b=2`, ",
        "> ⚠ A source could not be read",
        &format!("Seal of report.json: `{}`", seal(&data).expect("sealed")),
    ] {
        assert!(text.contains(want), "{want}\n{text}");
    }
}

#[test]
fn quoted_code_keeps_its_lines_and_cannot_end_its_block() {
    let (mut data, _) = render_sample();
    let citation = &mut data.citations[0];
    (citation.text, citation.context) = ("if a: ``` b ![x](https://y)".to_owned(), Vec::new());
    let (n, locator) = (citation.n, citation.locator);
    let lines = [(0, 4), (6, 8), (10, 4)].map(|(start, indent)| precis_proto::CodeLine { start, indent }).to_vec();
    data.code = vec![QuotedCode { n, locator, lines }];
    let text = render(&data, &data.warning_details);
    let block = "\n\n   > ````\n   > if a:\n   >     ```\n   > b ![x](https://y)\n   > ````\n";
    assert!(text.contains(block), "{text}");
}

#[test]
fn the_facts_stand_between_the_points_and_the_quotes() {
    let (mut data, _) = render_sample();
    data.report = "# Ice\n\nIt melts [1].\n\n- A tenth in two years [1].\n".to_owned();
    let text = render(&data, &data.warning_details);
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}\n{text}"));
    let order = ["It melts", "- A tenth", "* Written:", "* Model:", "* Documents:", "## Quotes", "## Sources"];
    assert!(order.map(at).is_sorted(), "{text}");
}

#[test]
fn a_number_in_a_title_or_a_heading_is_not_escaped() {
    let (mut data, _) = render_sample();
    data.query = "2. No?".to_owned();
    data.report = "It melts [1].".to_owned();
    data.citations[0].title = "4) Ice".to_owned();
    data.citations[0].headings = vec!["3. Analyses".to_owned()];
    let text = render(&data, &[]);
    assert!(text.starts_with("# 2. No?\n") && text.contains("**4) Ice** › 3. Analyses, page 1"), "{text}");
}

#[test]
fn the_answer_status_is_below_the_question_in_its_language() {
    use precis_proto::answer::{Answer, AnswerPart, AnswerStatus};
    let (mut data, _) = render_sample();
    let part = |text: &str, is_answered| AnswerPart { text: text.to_owned(), is_answered };
    data.query = "Wie schnell schmelzen die Gletscher in 2024 und 2025?".to_owned();
    data.answer = Some(Answer {
        status: AnswerStatus::Partly,
        line: String::new(),
        parts: vec![part("2024", true), part("2025", false)],
    });
    data.sources[0].path = Some("ice/snow.pdf".to_owned());
    let text = render(&data, &[]);
    assert!(text.contains("melt?\n\n**Teilweise beantwortet. Nichts zu: 2025**\n\nThe Alps"), "{text}");
    for want in [
        "## Zitate",
        "**Ice & snow**, Seite 1, ice/snow.pdf (`page:1:",
        "- **Ice & snow**, ice/snow.pdf: 2 von etwa 2 Sätzen zitiert",
    ] {
        assert!(text.contains(want), "{want}\n{text}");
    }
}

#[test]
fn a_line_separates_what_a_model_wrote_from_what_precis_did() {
    let (mut data, text) = render_sample();
    let line = "\n\n***\n\n*The statements up to here were written by the model house:small. ";
    let (before, after) = text.split_once(line).expect("a line");
    assert!(before.contains("lost a tenth") && !before.contains("## Quotes"), "{before}");
    assert!(after.contains("\n\n## Quotes\n\n"), "{after}");
    for row in &mut data.spend {
        row.provider = precis_context::prompt::limits::LOCAL_MODEL.to_owned();
    }
    if let Some(generated) = &mut data.generated {
        generated.models = vec![precis_context::prompt::limits::LOCAL_MODEL.to_owned()];
    }
    assert!(!render(&data, &[]).contains("***"), "the built-in model quotes, and writes nothing");
}

#[test]
fn the_opening_ends_where_a_heading_or_a_list_begins() {
    for (report, opening, rest) in [
        ("# T\n\nOne. [1]\n\n- Two. [2]\n", "One. [1]", "- Two. [2]"),
        ("# T\n\nOne. [1]\n\n1. Two. [2]\n", "One. [1]", "1. Two. [2]"),
        ("# T\n\nOne.\n\n## H\n\nTwo.", "One.", "## H\n\nTwo."),
        ("# T\n\n- One. [1]\n- Two. [2]", "- One. [1]\n- Two. [2]", ""),
        ("# T\n\n| a | b |\n| --- | --- |\n| c | d [1] |", "| a | b |\n| --- | --- |\n| c | d [1] |", ""),
        ("One.\n\n```\n# no heading\n- no item\n```", "One.\n\n```\n# no heading\n- no item\n```", ""),
    ] {
        let (_, found, left) = split_report(report);
        assert_eq!((found, left), (opening, rest), "{report}");
    }
}

#[test]
fn a_statement_has_three_numbers_at_most_and_the_rest_is_counted() {
    for (marks, want) in [
        ("[1][2][3]", "So. [1][2][3] And"),
        ("[1][2][3][4]", "So. [1][2][3] and 1 more And"),
        ("[1] [2] [3] [4] [5]", "So. [1] [2] [3] and 2 more And"),
    ] {
        assert_eq!(fewer_numbers(&format!("So. {marks} And"), LabelLanguage::English), want);
    }
}

#[test]
fn text_from_sources_neither_links_nor_marks_nor_forges_citations() {
    let (data, text) = render_sample();
    let mut links = Vec::new();
    for event in Parser::new_ext(&text, options()) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.to_string()),
            Event::Start(Tag::Image { .. } | Tag::HtmlBlock) | Event::Html(_) | Event::InlineHtml(_) => {
                panic!("{event:?}")
            }
            _ => {}
        }
    }
    assert_eq!(links, ["https://ice.example/report?a=1&b=2"; 2], "only the addresses of sources, and only of the web");
    let numbers = |text: &str| marks(text).iter().map(|m| m.n).collect::<Vec<_>>();
    assert_eq!(numbers(&text), numbers(&data.report));
}

#[test]
fn differing_values_and_paired_quotes_are_shown_with_sources() {
    use precis_proto::compare::{ComparedBy, ComparedRow, GivenValue};
    let (mut data, _) = render_sample();
    let value = |value: &str, n| GivenValue { value: value.to_owned(), citations: vec![n], newer: None };
    let values = vec![value("5 %", 1), value("10 %", 3)];
    data.disagreements =
        vec![Disagreement { unit: "%".to_owned(), kind: precis_proto::research::ValueKind::Number, values }];
    let row = |name: &str, citations| ComparedRow { name: name.to_owned(), citations };
    let rows = vec![row("Alps", vec![1, 2]), row("a | b", Vec::new())];
    data.comparison = Some(Comparison { by: ComparedBy::Element, rows });
    let text = render(&data, &[]);
    for want in [
        "> ⚠ Sources give different values: 5 % [1] (Ice & snow); 10 % [3] (",
        "## Side by side\n\n| Compared | Quotes |\n| --- | --- |\n| Alps | Glaciers in the Alps lost a tenth of their ice in two years. [1] ",
        "| a \\| b | – |",
    ] {
        assert!(text.contains(want), "{want}\n{text}");
    }
    use precis_proto::research::ValueKind;
    for (query, kind, want) in [
        ("How old is the ice?", ValueKind::Date, "> ⚠ Sources give different dates: 5 % [1]"),
        ("How old is the ice?", ValueKind::Version, "> ⚠ Sources give different versions: 5 % [1]"),
        ("How old is the ice?", ValueKind::Status, "> ⚠ Sources give a different status: 5 % [1]"),
        ("Wie alt ist das Eis der Gletscher?", ValueKind::Date, "> ⚠ Quellen nennen verschiedene Daten: 5 % [1]"),
    ] {
        query.clone_into(&mut data.query);
        data.disagreements[0].kind = kind;
        let text = render(&data, &[]);
        assert!(text.contains(want), "{want}\n{text}");
    }
    data.disagreements[0].kind = ValueKind::Wording;
    let text = render(&data, &[]);
    assert!(text.contains("\n\n> Fast derselbe Wortlaut:\n>\n> 5 % [1] (Ice & snow)\n>\n> 10 % [3] ("), "{text}");
    data.generated = None;
    data.spend.iter_mut().for_each(|row| row.provider = precis_context::prompt::limits::LOCAL_MODEL.to_owned());
    assert!(!render(&data, &[]).contains("Side by side"), "the built-in model writes the table itself");
}

#[test]
fn dated_quotes_are_a_table_in_the_language_of_the_question() {
    use precis_proto::compare::TimelineRow;
    let (mut data, _) = render_sample();
    assert!(!render(&data, &[]).contains("Timeline"));
    let row =
        |date: &str, text: &str, n| TimelineRow { date: date.to_owned(), text: text.to_owned(), citations: vec![n] };
    data.timeline = Some(Timeline { rows: vec![row("1987", "It was | built.", 1), row("2003", "It closed.", 3)] });
    let text = render(&data, &[]);
    let want = "## Timeline\n\n| Date | Quotes |\n| --- | --- |\n| 1987 | It was \\| built. [1] (Ice & snow) |\n| 2003 | It closed. [3] (";
    assert!(text.contains(want), "{text}");
    data.query = "Wie war die Geschichte der Gletscher?".to_owned();
    assert!(render(&data, &[]).contains("## Zeitleiste\n\n| Datum | Zitate |"));
}

#[test]
fn copies_of_a_document_are_counted_once_and_say_so() {
    use precis_proto::source::{DUPLICATE, SourceFailure};
    let (mut data, _) = render_sample();
    let of = Some(data.sources[0].source_id.clone());
    data.sources[2].failure = Some(SourceFailure { code: DUPLICATE.to_owned(), message: "m".to_owned(), of });
    let text = render(&data, &[]);
    for want in [
        "1. **Ice & snow**, page 1 (2 copies) (`page:1:",
        "- **Ice & snow** (2 copies): 2 of about 2 sentences quoted",
        "- **gone**: a copy of Ice & snow, counted once",
        "* Documents: `https://ice.example/report?a=1&b=2` (2 copies), ",
    ] {
        assert!(text.contains(want), "{want}\n{text}");
    }
}

#[test]
fn a_warning_of_several_phases_is_reported_once() {
    use precis_proto::Phase;
    use precis_proto::warning::WarningCode;
    let (data, _) = render_sample();
    let failed = |phase| Warning::new(WarningCode::ProviderFallback, phase, "`a:b` failed (unauthorized)");
    let text = render(&data, &[failed(Phase::Compression), failed(Phase::Synthesis)]);
    assert_eq!(text.matches("failed (unauthorized)").count(), 1, "{text}");
}

#[test]
fn model_prose_on_a_source_is_marked_as_uncited() {
    let (mut data, _) = sample::report();
    let locators = vec!["page:1:char:0-60".parse().expect("a locator")];
    data.sources[0].note = Some(precis_proto::response::SourceNote {
        summary: "It tells of *ice* [1].".to_owned(),
        key_points: vec![precis_proto::response::SourcePoint { text: "A tenth is lost".to_owned(), locators }],
    });
    let text = render(&data, &data.warning_details);
    assert!(text.contains("  - *A model's summary, not a quote:* It tells of"), "{text}");
    assert!(text.contains("  - A tenth is lost (`page:1:char:0-60`)"), "{text}");
    let numbers = |text: &str| marks(text).iter().map(|m| m.n).collect::<Vec<_>>();
    assert_eq!(numbers(&text), numbers(&data.report), "no number of its own");
    let page = crate::rendering::html::render(&data, &[], &BTreeMap::new(), &BTreeMap::new());
    assert!(page.contains("<details class=\"note\">") && page.contains("A tenth is lost"), "{page}");
}

#[test]
fn losses_and_warnings_are_described_in_plain_words() {
    let (_, text) = render_sample();
    for line in [
        "- Some content was left out. `CONTENT_DROPPED`: 1 source \\<left> out",
        "- A source could not be read, so nothing in this report is based on it. `SOURCE_UNREADABLE`: fetch: 404 (gone)",
        "- **Ice & snow**: 2 of about 2 sentences quoted",
        "- **gone**: could not be read: fetch `https://gone.example`: 404",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

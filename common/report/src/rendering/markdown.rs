//! `report.md`: the answer status and the answer, the warnings that affect trust, the points, then when and by what it was
//! written, the quotes and the sources.

use std::collections::BTreeMap;

use precis_evidence::compared::compared_heads;
use precis_language::detect;
use precis_language::labels::{Label, LabelLanguage};
use precis_proto::compare::{Comparison, Disagreement, Timeline};
use precis_proto::research::ValueKind;
use precis_proto::response::{Citation, ReportData, SourceNote};
use precis_proto::seal::seal;
use precis_proto::warning::Warning;
use precis_text::statement::of_citation;

use super::body::MOST_NUMBERS;
use super::differing::{near_sentences, values_line};
use super::opinion::OpinionView;
use super::process::ProcessView;
use super::source_fate::{SourceFate, stories};
use super::words::{self, grouped};
use super::{changed_statements, frame, warning_lines};
use crate::answered::{AnswerBasis, answer_line};
use crate::draft::inline_writer::{literal, literal_within};
use crate::draft::marks::{Mark, marks};

/// Renders the report as one Markdown document. Text from sources is escaped, so it displays as it is and is not markup.
#[must_use]
pub fn render(data: &ReportData, warnings: &[Warning]) -> String {
    let labels = LabelLanguage::from_tag(detect(&data.query).tag);
    let stories = stories(data);
    let report = words::numbered(&data.report);
    let (title, opening, points) = parted(&report);
    let mut parts = vec![title.map_or_else(|| format!("# {}", literal_within(&data.query)), str::to_owned)];
    let answer = data.answer.as_ref();
    parts.extend(answer.map(|a| format!("**{}**", literal_within(&answer_line(a, &AnswerBasis::of(data))))));
    parts.extend(frame::claims_line(data, labels).map(|line| format!("*{}*", literal_within(&line))));
    parts.push(fewer_numbers(opening, labels));
    let (pairs, differing): (Vec<&Disagreement>, Vec<&Disagreement>) =
        data.disagreements.iter().partition(|one| one.kind == ValueKind::Wording);
    let differ = differing.into_iter().map(|one| values_line(one, data, labels));
    let alerts = frame::alerts(data, warnings, labels);
    let alerts: Vec<String> = differ.chain(alerts.iter().map(|alert| literal_within(alert))).collect();
    parts.push(alerts.iter().map(|alert| format!("> ⚠ {alert}")).collect::<Vec<_>>().join("\n>\n"));
    parts.extend(pairs.into_iter().map(|pair| near_sentences(pair, data, labels)));
    parts.push(fewer_numbers(points, labels));
    parts.extend(frame::boundary(data, labels).map(|line| format!("***\n\n*{}*", literal_within(&line))));
    let facts = frame::facts(data, &stories, labels);
    // A list marker different from that of the points: adjacent lists with the same marker would become one list.
    parts.push(
        facts.iter().map(|(name, value)| format!("* {name}: {}", literal_within(value))).collect::<Vec<_>>().join("\n"),
    );
    parts.extend(statements(data, labels));
    parts.extend(OpinionView::new(data, labels).map(|opinion| format!("*{}*", literal_within(&opinion.line()))));
    let process = data.research.as_ref().map(ProcessView::new);
    parts.extend(process.as_ref().and_then(|process| not_answered(process, labels)));
    if let Some(comparison) = data.comparison.as_ref().filter(|_| !frame::is_built_in(data)) {
        parts.push(format!("## {}", labels.say(Label::SideBySide)));
        parts.push(side_by_side(comparison, data));
    }
    parts.extend(data.timeline.as_ref().map(|line| timeline(line, data, labels)));
    if !data.citations.is_empty() {
        parts.push(format!("## {}", labels.say(Label::Quotes)));
        parts.extend(quotes(data, labels));
    }
    if !stories.is_empty() {
        parts.push(format!("## {}", labels.say(Label::Sources)));
    }
    parts.push(stories.iter().map(|story| source(story, data, labels)).collect::<Vec<_>>().join("\n"));
    parts.extend(process.as_ref().map(|process| researched(process, labels)));
    if !warnings.is_empty() {
        parts.push(format!("## {}", labels.say(Label::Warnings)));
        parts.push(warning_lines::lines(data, warnings, labels).join("\n"));
    }
    parts.push(format!("## {}", labels.say(Label::Verify)));
    parts.push(format!("{} {}", labels.say(Label::Locator), labels.say(Label::VerifyLead)));
    parts.push("```\nprecis verify report.json --archive archive\n```".to_owned());
    parts.extend(seal(data).map(|seal| format!("{}: `{seal}`", labels.say(Label::Seal))));
    parts.retain(|part| !part.trim().is_empty());
    parts.join("\n\n") + "\n"
}

/// Returns a block for each citation, with the file of its source and the number of copies.
fn quotes(data: &ReportData, labels: LabelLanguage) -> Vec<String> {
    let hidden = frame::hidden(&data.report);
    let pages: BTreeMap<_, _> = data.sources.iter().map(|s| (&s.source_id, s.path.as_deref())).collect();
    let path = |c: &Citation| pages.get(&c.source_id).copied().flatten();
    let copies = |c: &Citation| frame::with_copies(super::source_fate::copies(data, &c.source_id), labels);
    data.citations.iter().map(|c| citation(c, (path(c), &copies(c)), !hidden.contains(&c.n), labels)).collect()
}

/// The statements that failed their checks; `None` if all of them held.
fn statements(data: &ReportData, labels: LabelLanguage) -> Option<String> {
    let (failed, more) = changed_statements::failed(data, labels);
    let lines = failed.iter().map(|one| {
        let cites: String = one.cites.iter().map(|n| format!(" [{n}]")).collect();
        let why =
            if one.why.is_empty() { String::new() } else { format!(" ({})", literal_within(&one.why.join("; "))) };
        format!(
            "- {}: {}{why}\n  - {}: {}{cites}",
            labels.say(Label::Wrote),
            literal_within(&one.wrote),
            labels.say(Label::StandsNow),
            literal_within(&one.now)
        )
    });
    let mut lines: Vec<String> = lines.collect();
    if more > 0 {
        lines.push(format!("- {}", labels.fill(Label::More, &[&grouped(more as u64)])));
    }
    (!failed.is_empty()).then(|| format!("## {}\n\n{}", labels.say(Label::Statements), lines.join("\n")))
}

/// What was searched for without success; `None` if everything was found.
fn not_answered(process: &ProcessView, labels: LabelLanguage) -> Option<String> {
    let lines = process.unanswered.iter().map(|open| {
        let details = open.lines.iter().map(|line| format!("\n  {}", literal(line))).collect::<String>();
        format!("- **{}**{details}", literal_within(&open.question))
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| format!("## {}\n\n{}", labels.say(Label::NotAnswered), lines.join("\n")))
}

/// The searches round by round, and what happened to their results.
fn researched(process: &ProcessView, labels: LabelLanguage) -> String {
    let head = format!(
        "## {}\n\n{} {}",
        labels.say(Label::Researched),
        literal(&process.summary),
        literal_within(&process.hits)
    );
    let rounds = process.rounds.iter().map(|round| {
        let queries = round
            .queries
            .iter()
            .map(|query| format!("\n   - “{}”: {}", literal_within(&query.text), literal_within(&query.found)));
        format!("{}. {}{}", round.n, literal(&round.ended), queries.collect::<String>())
    });
    let rounds: Vec<String> = rounds.collect();
    let refined: Vec<String> = process.refinement.iter().map(|line| format!("- {}", literal(line))).collect();
    let parts = [head, rounds.join("\n"), refined.join("\n")];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Splits a report into its title, the text before its second heading or its first list, and the rest.
fn parted(report: &str) -> (Option<&str>, &str, &str) {
    let report = report.trim();
    let (title, rest) = match report.strip_prefix("# ") {
        Some(_) => {
            let (title, rest) = report.split_once('\n').unwrap_or((report, ""));
            (Some(title), rest.trim_start())
        }
        None => (None, report),
    };
    let (mut at, mut in_code) = (0, false);
    for line in rest.split_inclusive('\n') {
        in_code ^= line.starts_with("```");
        let is_list = is_item(line) && at > 0 && !is_item(rest);
        if !in_code && (line.starts_with('#') || is_list) {
            return (title, rest[..at].trim_end(), &rest[at..]);
        }
        at += line.len();
    }
    (title, rest, "")
}

/// Whether a line starts an item of a top-level list.
fn is_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0 && [". ", ") "].iter().any(|mark| line[digits..].starts_with(mark));
    numbered || line.starts_with("- ") || line.starts_with("* ")
}

/// `markdown` with at most [`MOST_NUMBERS`] adjacent citation numbers; the rest are counted.
fn fewer_numbers(markdown: &str, labels: LabelLanguage) -> String {
    let marks = marks(markdown);
    let (mut out, mut from, mut at) = (String::with_capacity(markdown.len()), 0, 0);
    while at < marks.len() {
        let joined = |w: &[Mark]| markdown[w[0].range.end..w[1].range.start].trim_matches(' ').is_empty();
        let run = 1 + marks[at..].windows(2).take_while(|w| joined(w)).count();
        if run > MOST_NUMBERS {
            out.push_str(&markdown[from..marks[at + MOST_NUMBERS - 1].range.end]);
            out.push_str(&format!(" {}", labels.fill(Label::More, &[&grouped((run - MOST_NUMBERS) as u64)])));
            from = marks[at + run - 1].range.end;
        }
        at += run;
    }
    out + &markdown[from..]
}

/// The comparison as a table: one row of quotes for each thing compared.
fn side_by_side(comparison: &Comparison, data: &ReportData) -> String {
    let [first, second] = compared_heads(&data.query, comparison.by);
    let mut lines = vec![format!("| {first} | {second} |"), "| --- | --- |".to_owned()];
    for row in &comparison.rows {
        let quotes = data.citations.iter().filter(|c| row.citations.contains(&c.n));
        let quotes: Vec<String> = quotes.map(|c| format!("{} [{}]", literal_within(&c.text), c.n)).collect();
        let quotes = if quotes.is_empty() { "–".to_owned() } else { quotes.join(" ") };
        lines.push(format!("| {} | {quotes} |", literal_within(&row.name)));
    }
    lines.join("\n")
}

/// The dated quotes as a table, one line each with its source.
fn timeline(timeline: &Timeline, data: &ReportData, labels: LabelLanguage) -> String {
    let mut lines = vec![
        format!("## {}\n", labels.say(Label::Timeline)),
        format!("| {} | {} |", labels.say(Label::Date), labels.say(Label::Quotes)),
        "| --- | --- |".to_owned(),
    ];
    lines.extend(timeline.rows.iter().map(|row| {
        let given = data.citations.iter().filter(|citation| row.citations.contains(&citation.n));
        let numbers: String = given.clone().map(|citation| format!("[{}]", citation.n)).collect();
        let mut names: Vec<String> = given.map(frame::name).collect();
        names.dedup();
        format!(
            "| {} | {} {numbers} ({}) |",
            literal_within(&row.date),
            literal_within(&row.text),
            literal_within(&names.join(", "))
        )
    }));
    lines.join("\n")
}

/// A quote with its source; if an earlier quote already shows the text (`is_shown` is false), only its place.
fn citation(
    citation: &Citation,
    (path, copies): (Option<&str>, &str),
    is_shown: bool,
    labels: LabelLanguage,
) -> String {
    let title = if citation.title.trim().is_empty() { citation.source_id.as_str() } else { &citation.title };
    let place = frame::place(citation, labels);
    let place = if place.is_empty() { place } else { format!(", {place}") };
    let link = words::web_address(citation.url.as_deref()).map_or(String::new(), |url| format!(" <{url}>"));
    // `[n]` refers to the list number; a quote below it must be indented by the length of the marker.
    let marker = format!("{}. ", citation.n);
    let indent = " ".repeat(marker.len());
    let above: String = citation.headings.iter().map(|heading| format!(" › {}", literal_within(heading))).collect();
    let (title, file) = (literal_within(title), filed(path, title));
    let head = format!("{marker}**{title}**{above}{place}{file}{copies} (`{}`){link}", citation.locator);
    if is_shown { format!("{head}\n\n{indent}> {}", literal(&of_citation(citation))) } else { head }
}

/// The path of a source, unless its title is the path.
fn filed(path: Option<&str>, title: &str) -> String {
    path.filter(|path| *path != title).map_or(String::new(), |path| format!(", {}", literal_within(path)))
}

fn source(story: &SourceFate<'_>, data: &ReportData, labels: LabelLanguage) -> String {
    let title = story.title();
    let path = filed(story.source.path.as_deref(), title);
    let copies = frame::with_copies(story.copies, labels);
    let line =
        format!("- **{}**{path}{copies}: {}", literal_within(title), literal_within(&frame::fate(story, data, labels)));
    std::iter::once(line)
        .chain(story.source.note.iter().flat_map(|note| noted(note, labels)))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A model's summary of a source, labelled as not a quote, and its points with the locators of the passages that support them.
fn noted(note: &SourceNote, labels: LabelLanguage) -> Vec<String> {
    let mut lines = vec![format!("  - *{}:* {}", labels.say(Label::Note), literal_within(&note.summary))];
    lines.extend(note.key_points.iter().map(|point| {
        let places: Vec<String> = point.locators.iter().map(|locator| format!("`{locator}`")).collect();
        let places = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        format!("  - {}{places}", literal(&point.text))
    }));
    lines
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Parser, Tag};

    use super::*;
    use crate::draft::inline::options;
    use crate::sample;

    fn rendered() -> (ReportData, String) {
        let (data, _) = sample::report();
        let text = render(&data, &data.warning_details);
        (data, text)
    }

    #[test]
    fn the_document_starts_with_the_report_and_tells_where_each_quote_stands() {
        let (data, text) = rendered();
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
    fn the_facts_stand_between_the_points_and_the_quotes() {
        let (mut data, _) = rendered();
        data.report = "# Ice\n\nIt melts [1].\n\n- A tenth in two years [1].\n".to_owned();
        let text = render(&data, &data.warning_details);
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}\n{text}"));
        let order = ["It melts", "- A tenth", "* Written:", "* Model:", "* Documents:", "## Quotes", "## Sources"];
        assert!(order.map(at).is_sorted(), "{text}");
    }

    #[test]
    fn a_number_in_a_title_or_a_heading_is_not_escaped() {
        let (mut data, _) = rendered();
        data.query = "2. No?".to_owned();
        data.report = "It melts [1].".to_owned();
        data.citations[0].title = "4) Ice".to_owned();
        data.citations[0].headings = vec!["3. Analyses".to_owned()];
        let text = render(&data, &[]);
        assert!(text.starts_with("# 2. No?\n") && text.contains("**4) Ice** › 3. Analyses, page 1"), "{text}");
    }

    #[test]
    fn whether_it_is_answered_stands_under_the_question_in_its_language() {
        use precis_proto::answer::{Answer, AnswerPart, AnswerStatus};
        let (mut data, _) = rendered();
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
        let (mut data, text) = rendered();
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
            let (_, found, left) = parted(report);
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
        let (data, text) = rendered();
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
        assert_eq!(
            links, ["https://ice.example/report?a=1&b=2"; 2],
            "only the addresses of sources, and only of the web"
        );
        let numbers = |text: &str| marks(text).iter().map(|m| m.n).collect::<Vec<_>>();
        assert_eq!(numbers(&text), numbers(&data.report));
    }

    #[test]
    fn values_that_differ_and_quotes_side_by_side_are_shown_with_their_sources() {
        use precis_proto::compare::{ComparedBy, ComparedRow, GivenValue};
        let (mut data, _) = rendered();
        let value = |value: &str, n| GivenValue { value: value.to_owned(), citations: vec![n] };
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
        let (mut data, _) = rendered();
        assert!(!render(&data, &[]).contains("Timeline"));
        let row = |date: &str, text: &str, n| TimelineRow {
            date: date.to_owned(),
            text: text.to_owned(),
            citations: vec![n],
        };
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
        let (mut data, _) = rendered();
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
    fn what_several_phases_met_is_told_once() {
        use precis_proto::Phase;
        use precis_proto::warning::WarningCode;
        let (data, _) = rendered();
        let failed = |phase| Warning::new(WarningCode::ProviderFallback, phase, "`a:b` failed (unauthorized)");
        let text = render(&data, &[failed(Phase::Compression), failed(Phase::Synthesis)]);
        assert_eq!(text.matches("failed (unauthorized)").count(), 1, "{text}");
    }

    #[test]
    fn what_a_model_wrote_of_a_source_is_said_to_be_no_quote_and_cites_nothing() {
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
    fn losses_and_warnings_are_told_in_plain_words() {
        let (_, text) = rendered();
        for line in [
            "- Some content was left out. `CONTENT_DROPPED`: 1 source \\<left> out",
            "- A source could not be read, so nothing in this report is based on it. `SOURCE_UNREADABLE`: fetch: 404 (gone)",
            "- **Ice & snow**: 2 of about 2 sentences quoted",
            "- **gone**: could not be read: fetch `https://gone.example`: 404",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}

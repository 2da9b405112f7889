//! `report.md`: the answer status and the answer, the warnings that affect trust, the points, then when and by what it was
//! written, the quotes and the sources.

use std::collections::BTreeMap;

use precis_evidence::compared::compared_heads;
use precis_language::detect;
use precis_language::labels::{Label, LabelLanguage};
use precis_proto::compare::{Comparison, Disagreement, Timeline};
use precis_proto::research::ValueKind;
use precis_proto::response::{Citation, QuotedCode, ReportData, SourceNote};
use precis_proto::seal::seal;
use precis_proto::warning::Warning;
use precis_text::quoted_lines::in_quoted_lines;
use precis_text::statement::of_citation;
use precis_text::visible;

use super::body::MOST_NUMBERS;
use super::computed::ComputedText;
use super::differing::{near_sentences, values_line};
use super::opinion::OpinionView;
use super::process::ProcessView;
use super::source_fate::{SourceFate, stories};
use super::words::{self, group_digits};
use super::{changed_statements, frame, warning_lines};
use crate::answered::{AnswerBasis, answer_line};
use crate::draft::inline_writer::{literal, literal_within};
use crate::draft::marks::{Mark, marks};

/// Renders the report as one Markdown document. Text from sources is escaped, so it displays as it is and is not markup.
#[must_use]
pub fn render(data: &ReportData, warnings: &[Warning]) -> String {
    let labels = LabelLanguage::from_tag(detect(&data.query).tag);
    let stories = stories(data);
    let report = words::show_code_points(&data.report);
    let (title, opening, points) = split_report(&report);
    let mut parts = vec![title.map_or_else(|| format!("# {}", literal_within(&data.query)), str::to_owned)];
    let answer = data.answer.as_ref();
    parts.extend(answer.map(|a| format!("**{}**", literal_within(&answer_line(a, &AnswerBasis::of(data))))));
    parts.extend(data.computed.iter().map(|one| ComputedText::new(one, data, labels).markdown()));
    parts.extend(frame::claims_line(data, labels).map(|line| format!("*{}*", literal_within(&line))));
    parts.push(fewer_numbers(opening, labels));
    let (pairs, differing): (Vec<&Disagreement>, Vec<&Disagreement>) =
        data.disagreements.iter().partition(|one| one.kind == ValueKind::Wording);
    let differ = differing.into_iter().map(|one| values_line(one, data, labels));
    let alerts = frame::alerts(data, warnings, labels);
    let alerts = differ.chain(alerts.iter().map(|alert| literal_within(alert)));
    parts.push(alerts.map(|alert| format!("> ⚠ {alert}")).collect::<Vec<_>>().join("\n>\n"));
    parts.extend(pairs.into_iter().map(|pair| near_sentences(pair, data, labels)));
    parts.push(fewer_numbers(points, labels));
    parts.extend(frame::boundary(data, labels).map(|line| format!("***\n\n*{}*", literal_within(&line))));
    parts.push(facts(data, &stories, labels));
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
    parts.extend(process.as_ref().map(|process| render_research(process, labels)));
    if !warnings.is_empty() {
        parts.push(format!("## {}", labels.say(Label::Warnings)));
        parts.push(warning_lines::lines(data, warnings, labels).join("\n"));
    }
    parts.extend(verification(data, labels));
    parts.retain(|part| !part.trim().is_empty());
    parts.join("\n\n") + "\n"
}

/// When and by what the report was written. Its list marker differs from that of the points: adjacent lists with the same marker would become
/// one list.
fn facts(data: &ReportData, stories: &[SourceFate<'_>], labels: LabelLanguage) -> String {
    let facts = frame::facts(data, stories, labels);
    facts.iter().map(|(name, value)| format!("* {name}: {}", literal_within(value))).collect::<Vec<_>>().join("\n")
}

/// How a reader verifies the report, and its seal.
fn verification(data: &ReportData, labels: LabelLanguage) -> Vec<String> {
    let mut parts = vec![
        format!("## {}", labels.say(Label::Verify)),
        format!("{} {}", labels.say(Label::Locator), labels.say(Label::VerifyLead)),
        "```\nprecis verify report.json --archive archive\n```".to_owned(),
    ];
    parts.extend(seal(data).map(|seal| format!("{}: `{seal}`", labels.say(Label::Seal))));
    parts
}

/// Returns a block for each citation, with the file of its source and the number of copies.
fn quotes(data: &ReportData, labels: LabelLanguage) -> Vec<String> {
    let hidden = frame::hidden_numbers(&data.report);
    let pages: BTreeMap<_, _> = data.sources.iter().map(|s| (&s.source_id, s.path.as_deref())).collect();
    let path = |c: &Citation| pages.get(&c.source_id).copied().flatten();
    let copies = |c: &Citation| frame::with_copies(super::source_fate::copies(data, &c.source_id), labels);
    data.citations
        .iter()
        .map(|c| citation(c, (path(c), &copies(c)), (!hidden.contains(&c.n)).then_some(&data.code), labels))
        .collect()
}

/// The statements that were changed or removed; `None` if there are none.
fn statements(data: &ReportData, labels: LabelLanguage) -> Option<String> {
    let (changed, more) = changed_statements::changed_statements(data, labels);
    let lines = changed.iter().map(|one| {
        let cites: String = one.cites.iter().map(|n| format!(" [{n}]")).collect();
        let why = if one.why.is_empty() { String::new() } else { format!(" ({})", literal_within(&one.why)) };
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
        lines.push(format!("- {}", labels.fill(Label::More, &[&group_digits(more as u64)])));
    }
    (!changed.is_empty()).then(|| format!("## {}\n\n{}", labels.say(Label::Statements), lines.join("\n")))
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
fn render_research(process: &ProcessView, labels: LabelLanguage) -> String {
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
pub(super) fn split_report(report: &str) -> (Option<&str>, &str, &str) {
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
            out.push_str(&format!(" {}", labels.fill(Label::More, &[&group_digits((run - MOST_NUMBERS) as u64)])));
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

/// A quote with its source, and code in its lines; if an earlier quote already shows the text (`code` is `None`), only its place.
fn citation(
    citation: &Citation,
    (path, copies): (Option<&str>, &str),
    code: Option<&Vec<QuotedCode>>,
    labels: LabelLanguage,
) -> String {
    let title = if citation.title.trim().is_empty() { citation.source_id.as_str() } else { &citation.title };
    let place = frame::place(citation, labels);
    let place = if place.is_empty() { place } else { format!(", {}", literal_within(&place)) };
    let link = words::web_address(citation.url.as_deref()).map_or(String::new(), |url| format!(" <{url}>"));
    // `[n]` refers to the list number; a quote below it must be indented by the length of the marker.
    let marker = format!("{}. ", citation.n);
    let indent = " ".repeat(marker.len());
    let above: String = citation.headings.iter().map(|heading| format!(" › {}", literal_within(heading))).collect();
    let (title, file) = (literal_within(title), source_path(path, title));
    let head = format!("{marker}**{title}**{above}{place}{file}{copies} (`{}`){link}", citation.locator);
    let Some(code) = code else { return head };
    let quoted = quote_paragraphs(citation, code).join("\n\n");
    let lines: Vec<String> = quoted.lines().map(|line| format!("{indent}> {line}").trim_end().to_owned()).collect();
    format!("{head}\n\n{}", lines.join("\n"))
}

/// What a citation states, as paragraphs: its words, and the code in it in its lines.
fn quote_paragraphs(citation: &Citation, code: &[QuotedCode]) -> Vec<String> {
    let stated = of_citation(citation);
    let (mut parts, mut rest) = (Vec::new(), stated.as_ref());
    for code in code.iter().filter(|code| code.n == citation.n) {
        let context = citation.context.iter().find(|range| range.locator == code.locator);
        let text = context.map_or(citation.text.as_str(), |range| range.text.as_str());
        let Some((before, behind)) = rest.split_once(text).filter(|_| !text.is_empty()) else { continue };
        parts.push(literal(before.trim()));
        parts.push(fence_code(&in_quoted_lines(text, &code.lines)));
        rest = behind;
    }
    parts.push(literal(rest.trim()));
    parts.retain(|part| !part.is_empty());
    parts
}

/// Code as a block that its own text cannot end.
fn fence_code(code: &str) -> String {
    let code = visible(code);
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}\n{code}\n{fence}")
}

/// The path of a source, unless its title is the path.
fn source_path(path: Option<&str>, title: &str) -> String {
    path.filter(|path| *path != title).map_or(String::new(), |path| format!(", {}", literal_within(path)))
}

fn source(story: &SourceFate<'_>, data: &ReportData, labels: LabelLanguage) -> String {
    let title = story.title();
    let path = source_path(story.source.path.as_deref(), title);
    let copies = frame::with_copies(story.copies, labels);
    let line =
        format!("- **{}**{path}{copies}: {}", literal_within(title), literal_within(&frame::fate(story, data, labels)));
    std::iter::once(line)
        .chain(story.source.note.iter().flat_map(|note| note_paragraphs(note, labels)))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A model's summary of a source, labelled as not a quote, and its points with the locators of the passages that support them.
fn note_paragraphs(note: &SourceNote, labels: LabelLanguage) -> Vec<String> {
    let mut lines = vec![format!("  - *{}:* {}", labels.say(Label::Note), literal_within(&note.summary))];
    lines.extend(note.key_points.iter().map(|point| {
        let places: Vec<String> = point.locators.iter().map(|locator| format!("`{locator}`")).collect();
        let places = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
        format!("  - {}{places}", literal(&point.text))
    }));
    lines
}

#[cfg(test)]
mod tests;

//! The summary printed after a run: what was written, where, what it cost, and how to verify it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use precis_proto::SourceId;
use precis_proto::response::{ReportData, SourceRow};
use precis_proto::source::DUPLICATE;
use precis_proto::warning::{Warning, WarningCode};
use precis_report::answered;
use precis_report::rendering::terminal::opening;
use precis_runtime::config::LOCAL_MODEL;

use crate::cli::numbers::{count_with_noun, group_digits};
use crate::cli::terminal::printable;
use crate::report::names::{REPORT_HTML, REPORT_JSON, REPORT_MD};
use crate::report::outcome::{MissingPart, missing};

/// Examples shown per warning code.
const EXAMPLES: usize = 2;

/// Where a report and its archive were written.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// Directory of the report.
    pub dir: &'a Path,
    /// Directory of the archive, if it is not next to the report.
    pub archive: Option<&'a Path>,
    /// Whether the texts were archived at all.
    pub archived: bool,
}

/// Returns the summary of `data` as plain text: whether it is answered, the first paragraph of the report, and a few lines.
#[must_use]
pub fn summary(data: &ReportData, places: &Places<'_>) -> String {
    let at = |name: &str| places.dir.join(name).display().to_string();
    let mut lines: Vec<String> = answer_line(data).into_iter().chain(opening(data)).collect();
    lines.extend([format!("{} (also {REPORT_MD}, {REPORT_JSON})", at(REPORT_HTML)), sources(data), tokens(data)]);
    lines.extend(warnings(&data.warning_details, &titles(data)));
    match missing(data) {
        Some(MissingPart::Content) => {
            let why = data.session.stop_reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
            lines.push(format!("  incomplete{why}: part of what was requested is missing"));
        }
        Some(MissingPart::Models(phases)) => {
            let phases = phases.iter().map(|phase| phase.as_str()).collect::<Vec<_>>().join(", ");
            lines.push(format!(
                "  incomplete: none of the configured models answered ({phases}); the built-in model was used instead"
            ));
        }
        // The answer line at the top already reports it.
        Some(MissingPart::Answer) | None => {}
    }
    // A report can be verified only against its archived texts; if archiving failed, a warning above gives the reason.
    let is_archived = places.archived && data.warning_details.iter().all(|w| w.code != WarningCode::ArchiveWriteFailed);
    if is_archived {
        let archive = places
            .archive
            .map_or(String::new(), |dir| format!(" --archive {}", quote_for_shell(&dir.display().to_string())));
        lines.push(format!("verify it: precis verify {}{archive}", quote_for_shell(&at(REPORT_JSON))));
    }
    printable(&(lines.join("\n") + "\n"))
}

/// Returns the line on whether the question is answered, in the language of the question; `None` if this was not judged.
#[must_use]
pub fn answer_line(data: &ReportData) -> Option<String> {
    let line = |answer| answered::answer_line(answer, &answered::AnswerBasis::of(data));
    data.answer.as_ref().map(line)
}

fn sources(data: &ReportData) -> String {
    let cited: BTreeSet<_> = data.citations.iter().map(|c| &c.source_id).collect();
    let code = |row: &SourceRow| row.failure.as_ref().map(|f| f.code.clone());
    let read = data.sources.iter().filter(|row| row.failure.is_none()).count();
    let duplicates = data.sources.iter().filter(|row| code(row).as_deref() == Some(DUPLICATE)).count();
    // Cannot underflow: a duplicate has a failure, so it is not counted as read.
    let failed = data.sources.len() - read - duplicates;
    let (citations, from) = (count_with_noun(data.citations.len(), "citation"), count_with_noun(cited.len(), "source"));
    let mut line = format!("  {citations} from {from}; {} read", count_with_noun(read, "source"));
    for (count, state) in [(failed, "not readable"), (duplicates, "left out as a duplicate")] {
        if count > 0 {
            line.push_str(&format!(", {count} {state}"));
        }
    }
    line
}

fn tokens(data: &ReportData) -> String {
    // With several visits, only the ledger rows of the visit that produced the report count.
    let rows = || data.ledger.iter().filter(|row| row.visit == data.content_fidelity.visit());
    let tokens_in = rows().next().map_or(0, |row| row.tokens_in);
    let tokens_out = rows().next_back().map_or(0, |row| row.tokens_kept);
    // The built-in model is part of this program: using it is not counted as a model call.
    let external = || data.spend.iter().filter(|row| row.provider != LOCAL_MODEL);
    let sum = |count: fn(&precis_proto::ledger::SpendRow) -> u64| external().map(count).sum::<u64>();
    let (made, cached) = (sum(|row| row.calls), sum(|row| row.cached_calls + row.repeated_calls));
    let searches = sum(|row| row.searches);
    let searched = match searches {
        0 => String::new(),
        1 => ", 1 search made".to_owned(),
        n => format!(", {} searches made", group_digits(n)),
    };
    let cost: f64 = data.spend.iter().map(|row| row.cost_usd).sum();
    let price = if cost > 0.0 { format!(", {cost:.4} USD") } else { String::new() };
    format!(
        "  {} tokens in, {} kept; {} made, {} from the cache{searched}{price}",
        group_digits(tokens_in),
        group_digits(tokens_out),
        count_with_noun(usize::try_from(made).unwrap_or(usize::MAX), "model call"),
        group_digits(cached)
    )
}

/// Returns the title of each source that has one.
fn titles(data: &ReportData) -> BTreeMap<&SourceId, &str> {
    let name = |row: &SourceRow| !row.title.is_empty();
    data.sources.iter().filter(|row| name(row)).map(|row| (&row.source_id, row.title.as_str())).collect()
}

/// Returns one line per warning code, with its first messages.
fn warnings(all: &[Warning], titles: &BTreeMap<&SourceId, &str>) -> Vec<String> {
    let mut by_code: BTreeMap<WarningCode, Vec<String>> = BTreeMap::new();
    for warning in all {
        let title = |id| titles.get(id).map_or_else(|| SourceId::to_string(id), |title| (*title).to_owned());
        let about = warning.item_id.as_ref().map_or(String::new(), |id| title(id) + ": ");
        let messages = by_code.entry(warning.code).or_default();
        let message = about + &warning.message;
        // Several phases may raise the same warning; it is printed once.
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    let line = |(code, messages): (WarningCode, Vec<String>)| {
        let more = messages.len().saturating_sub(EXAMPLES);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        format!("  warning {}: {}{more}", code.as_str(), messages[..messages.len().min(EXAMPLES)].join("; "))
    };
    by_code.into_iter().map(line).collect()
}

/// Quotes `text` so that a shell reads it as one word.
fn quote_for_shell(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:+@%,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::{citation, id, report, source};

    #[test]
    fn a_path_can_be_pasted_into_a_shell() {
        assert_eq!(quote_for_shell("out/report.json"), "out/report.json");
        assert_eq!(quote_for_shell("my out/it's.json"), "'my out/it'\\''s.json'");
    }

    #[test]
    fn many_warnings_of_a_code_are_one_line_that_names_the_sources() {
        let (a, b) = (id("a-1"), id("b-2"));
        let warning = |about: &SourceId| {
            Warning::new(WarningCode::SourceUnreadable, precis_proto::Phase::Extraction, "encrypted").about(about)
        };
        let c = id("c-3");
        let titles = BTreeMap::from([(&a, "a.pdf")]);
        let lines = warnings(&[warning(&a), warning(&b), warning(&a), warning(&c)], &titles);
        assert_eq!(lines, ["  warning SOURCE_UNREADABLE: a.pdf: encrypted; b-2: encrypted; and 1 more"]);
    }

    #[test]
    fn proof_instructions_appear_only_where_texts_were_archived() {
        let mut data = report(vec![source(&id("a"), Some("text"))]).data.expect("a report");
        let proves = |data: &ReportData, archived| {
            summary(data, &Places { dir: Path::new("out"), archive: None, archived }).contains("verify it:")
        };
        assert!(proves(&data, true) && !proves(&data, false));
        let failed = Warning::new(WarningCode::ArchiveWriteFailed, precis_proto::Phase::Extraction, "no space");
        data.warning_details.push(failed);
        assert!(!proves(&data, true));
    }

    #[test]
    fn the_built_in_model_is_no_model_call() {
        let mut data = report(vec![source(&id("a"), Some("text"))]).data.expect("a report");
        let row = |provider: &str, calls: u64| {
            let row = serde_json::json!({
                "role": "compression", "provider": provider, "calls": calls, "cached_calls": 0,
                "repeated_calls": 0, "input_tokens": 9, "output_tokens": 9, "cost_usd": 0.0,
            });
            serde_json::from_value(row).expect("a row")
        };
        data.spend = vec![row(LOCAL_MODEL, 3)];
        assert!(tokens(&data).contains("0 model calls made"), "{}", tokens(&data));
        data.spend.push(row("house:small", 1));
        assert!(tokens(&data).contains("1 model call made"), "{}", tokens(&data));
    }

    #[test]
    fn the_last_words_say_where_what_and_how_to_prove_it() {
        let sources = vec![source(&id("a"), Some("text")), source(&id("b"), None)];
        let mut data = report(sources).data.expect("a report");
        data.citations.push(citation(1, &id("a"), "text"));
        let places = Places { dir: Path::new("my out"), archive: None, archived: true };
        assert_eq!(
            summary(&data, &places),
            "my out/report.html (also report.md, report.json)\n  \
             1 citation from 1 source; 1 source read, 1 not readable\n  \
             0 tokens in, 0 kept; 0 model calls made, 0 from the cache\n\
             verify it: precis verify 'my out/report.json'\n"
        );
    }

    #[test]
    fn the_first_line_states_the_answer_in_the_question_language() {
        use precis_proto::answer::{Answer, AnswerPart, AnswerStatus};
        let part = AnswerPart { text: "2025".to_owned(), is_answered: false };
        for (query, status, want) in [
            ("How much in 2025?", AnswerStatus::Partly, "Partly answered. Nothing on: 2025"),
            (
                "Wie viel war es im Jahr 2025 und wer hat es bezahlt?",
                AnswerStatus::NotInDocuments,
                "Die Dokumente sagen dazu nichts",
            ),
            ("2025年はいくらですか", AnswerStatus::Answered, "回答あり"),
        ] {
            let mut data = crate::report::sample::report(Vec::new()).data.expect("a report");
            data.query = query.to_owned();
            data.answer = Some(Answer { status, line: String::new(), parts: vec![part.clone()] });
            let places = Places { dir: Path::new("o"), archive: None, archived: false };
            assert_eq!(summary(&data, &places).lines().next(), Some(want), "{query}");
        }
    }
}

//! What a reader needs to know before reading the report: whether the question is answered, how far to trust the report, when and by
//! which model it was written; and one line on each source. Used by both the Markdown and the HTML report.

use std::collections::BTreeSet;

use precis_context::prompt::limits::LOCAL_MODEL;
use precis_language::detect;
use precis_language::labels::{Label, LabelLanguage};
use precis_proto::FieldPlace;
use precis_proto::answer::AnswerStatus;
use precis_proto::compare::GivenValue;
use precis_proto::ledger::SpendRow;
use precis_proto::research::ValueKind;
use precis_proto::response::{Citation, ReportData, SourceRow, Status};
use precis_proto::stop_reason::StopReason;
use precis_proto::task::Role;
use precis_proto::warning::{Warning, WarningCode};
use precis_text::sentences::sentences;

use super::source_fate::{SourceEnding, SourceFate, copy_of};
use super::words::{self, about_sentences, count_with_noun, group_digits};
use crate::answered::AnswerBasis;
use crate::draft::NOT_JUDGED_SIGN;
use crate::draft::inline_writer::literal;
use crate::draft::marks::marks;
use crate::groundedness;

/// Most documents named at the top of the report; the rest are counted.
const MOST_DOCUMENTS: usize = 8;
/// Most characters of a source's name in a line of the report.
const NAME_CHARS: usize = 60;

/// What a report is made of if no findings could be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DegradedTo {
    /// Passages of the sources, quoted as they stand there.
    Passages,
    /// The notes of researchers, because no passage could be read either.
    Notes,
}

/// Returns `markdown` with a first line that says that no findings could be made and what it is made of instead; the line includes the
/// title, or the question if there is no title.
#[must_use]
pub fn degraded_report(query: &str, markdown: &str, to: DegradedTo) -> String {
    let label = match to {
        DegradedTo::Passages => Label::Degraded,
        DegradedTo::Notes => Label::FromNotes,
    };
    let mark = LabelLanguage::from_tag(detect(query).tag).say(label);
    let (title, rest) = match markdown.trim_start().strip_prefix("# ") {
        Some(titled) => {
            let (title, rest) = titled.split_once('\n').unwrap_or((titled, ""));
            (title.trim().to_owned(), rest)
        }
        None => (literal(&query.split_whitespace().collect::<Vec<_>>().join(" ")), markdown),
    };
    let title = if title.is_empty() { String::new() } else { format!(": {title}") };
    format!("# {mark}{title}\n\n{}", rest.trim_start())
}

/// How many statements are supported, what happened to the others, and how many nobody judged; `None` if every statement is a verbatim
/// quote.
pub(super) fn claims_line(data: &ReportData, labels: LabelLanguage) -> Option<String> {
    let found = data.evaluation.as_ref().filter(|found| found.verdicts.verbatim < found.statements)?;
    let number = |n: u32| group_digits(u64::from(n));
    let supported = found.verdicts.verbatim.saturating_add(found.verdicts.supported);
    let mut line = labels.fill(Label::StatementsSupported, &[&number(supported), &number(found.statements)]);
    let judge = found.judge.unwrap_or_default();
    let not_judged = found.verdicts.not_judged;
    let done = [
        (Label::Corrected, found.corrected),
        (Label::Removed, found.removed),
        (Label::Marked, found.marked.saturating_sub(not_judged)),
        (Label::Judged, judge.counted),
        (Label::NotCounted, judge.refused),
    ];
    let done: Vec<String> =
        done.iter().filter(|(_, n)| *n > 0).map(|(label, n)| labels.fill(*label, &[&number(*n)])).collect();
    if !done.is_empty() {
        line = format!("{line}; {}", done.join(", "));
    }
    if not_judged > 0 {
        let told = labels.fill(Label::NotJudged, &[&number(not_judged), NOT_JUDGED_SIGN]);
        line = format!("{told}. {line}");
    }
    Some(line)
}

/// Everything that lowers trust in the report, one line each: our own texts in the reader's language, other texts in English.
pub(super) fn alerts(data: &ReportData, warnings: &[Warning], labels: LabelLanguage) -> Vec<String> {
    let mut lines: Vec<String> = incomplete(data, labels).into_iter().collect();
    // Otherwise the line on the answer says so.
    if data.answer.as_ref().is_none_or(|answer| answer.status == AnswerStatus::Answered) {
        lines.extend(AnswerBasis::of(data).in_part(labels));
    }
    let mut codes: Vec<WarningCode> = warnings.iter().map(|w| w.code).collect();
    codes.sort_unstable();
    codes.dedup();
    for code in codes {
        let of_code: Vec<&Warning> = warnings.iter().filter(|w| w.code == code).collect();
        let about_all = of_code.iter().any(|w| w.item_id.is_none()) || data.citations.is_empty();
        if words::changes_trust(code) || (code == WarningCode::NoMatchingEvidence && about_all) {
            let items = of_code.iter().filter(|w| w.item_id.is_some()).count();
            let places = of_code.len();
            if matches!(code, WarningCode::QuotationAltered | WarningCode::FigureUnsupported) && places > 1 {
                lines.push(format!("{} ({})", words::warning(code), count_with_noun(places, "place", "places")));
                continue;
            }
            let count =
                if items > 1 { format!(" ({})", count_with_noun(items, "source", "sources")) } else { String::new() };
            lines.push(format!("{}{count}", words::warning(code)));
        }
    }
    let weighed = groundedness::assess(&data.report, &data.citations, 0.0);
    let uncited = weighed.sentences - weighed.cited;
    // The built-in model writes quotes of up to three sentences with one citation behind each, so its uncited sentences are quoted too.
    if uncited > 0 && !is_built_in(data) && !data.citations.is_empty() {
        lines.push(labels.fill(Label::Uncited, &[&group_digits(uncited as u64)]));
    }
    lines
}

/// The line between the model's text and Precis' own; `None` if only the built-in model wrote, because it only quotes.
pub(super) fn boundary(data: &ReportData, labels: LabelLanguage) -> Option<String> {
    let written: Vec<String> = models(data).into_iter().filter(|model| model != LOCAL_MODEL).collect();
    (!written.is_empty()).then(|| labels.fill(Label::Boundary, &[&written.join(", ")]))
}

fn incomplete(data: &ReportData, labels: LabelLanguage) -> Option<String> {
    let session = &data.session;
    let why = match &session.stop_reason {
        Some(StopReason::Deadline) => labels.say(Label::Deadline).to_owned(),
        Some(StopReason::Stop) => labels.say(Label::Stopped).to_owned(),
        Some(StopReason::Other(other)) => other.clone(),
        None => labels.say(Label::Missing).to_owned(),
    };
    let partial = session.incomplete || session.stop_reason.is_some() || session.status != Status::Completed;
    partial.then(|| labels.fill(Label::Incomplete, &[&why]))
}

/// Letters of the hash of a model of meaning that a reader is shown; `data.json` has all of them.
const HASH_LETTERS: usize = 16;

/// When and by which models the report was written, and from which documents: pairs of name and value.
pub(super) fn facts(
    data: &ReportData,
    stories: &[SourceFate<'_>],
    labels: LabelLanguage,
) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(generated) = &data.generated {
        facts.push((labels.say(Label::Written), words::moment(generated.at)));
        facts.push((labels.say(Label::Version), format!("Precis {}", generated.version)));
    }
    let models = models(data);
    if !models.is_empty() {
        let label = |model: &String| match model == LOCAL_MODEL {
            true => labels.say(Label::BuiltIn).to_owned(),
            false => model.clone(),
        };
        facts.push((labels.say(Label::Model), models.iter().map(label).collect::<Vec<_>>().join(", ")));
    }
    if let Some(meaning) = &data.meaning {
        let by = match &data.meaning_server {
            Some(server) => labels.fill(Label::NotReproducible, &[&server.model]),
            None => format!("SHA-256 {}…", &meaning[..meaning.floor_char_boundary(HASH_LETTERS)]),
        };
        facts.push((labels.say(Label::FoundWith), by));
    }
    let originals: Vec<&SourceFate<'_>> = stories.iter().filter(|story| story.ending != SourceEnding::Copy).collect();
    let named = |story: &&SourceFate<'_>| format!("{}{}", file(story), with_copies(story.copies, labels));
    let mut names: Vec<String> = originals.iter().take(MOST_DOCUMENTS).map(named).collect();
    if originals.len() > MOST_DOCUMENTS {
        names.push(labels.fill(Label::More, &[&group_digits((originals.len() - MOST_DOCUMENTS) as u64)]));
    }
    if !names.is_empty() {
        facts.push((labels.say(Label::Documents), names.join(", ")));
    }
    facts
}

/// Whether no language model wrote any of the report.
pub(super) fn is_built_in(data: &ReportData) -> bool {
    models(data).iter().all(|model| model == LOCAL_MODEL)
}

/// The label shown before differing values.
pub(super) fn differing(kind: ValueKind) -> Label {
    match kind {
        ValueKind::Number => Label::Differ,
        ValueKind::Date => Label::DifferingDates,
        ValueKind::Version => Label::DifferingVersions,
        ValueKind::Status => Label::DifferingStatuses,
        ValueKind::Time => Label::DifferingTimes,
        ValueKind::Name => Label::DifferingNames,
        ValueKind::Contradiction => Label::Contradicting,
        ValueKind::Wording => Label::NearlySame,
    }
}

/// The citations that give `value`.
pub(super) fn citations_of<'d>(value: &GivenValue, data: &'d ReportData) -> Vec<&'d Citation> {
    data.citations.iter().filter(|citation| value.citations.contains(&citation.n)).collect()
}

fn models(data: &ReportData) -> Vec<String> {
    if let Some(generated) = &data.generated {
        return generated.models.clone();
    }
    let is_writer = |row: &&SpendRow| matches!(row.role, Role::Synthesis | Role::Compression) && row.has_answered();
    let wrote = data.spend.iter().filter(is_writer);
    let mut models: Vec<String> = wrote.map(|row| row.provider.clone()).collect();
    models.sort_unstable();
    models.dedup();
    models
}

/// Path or URL of a source; its title if it has neither.
fn file<'a>(story: &'a SourceFate<'_>) -> &'a str {
    let source: &SourceRow = story.source;
    source.path.as_deref().or(source.url.as_deref()).filter(|p| !p.is_empty()).unwrap_or_else(|| story.title())
}

/// ` (3 copies)` if there are several, otherwise empty.
pub(super) fn with_copies(copies: usize, labels: LabelLanguage) -> String {
    if copies < 2 {
        return String::new();
    }
    format!(" ({})", labels.fill(Label::Copies, &[&group_digits(copies as u64)]))
}

/// What happened to a source, in one phrase for the reader.
pub(super) fn fate(story: &SourceFate<'_>, data: &ReportData, labels: LabelLanguage) -> String {
    let source = story.source;
    if let Some(of) = copy_of(source) {
        let name = |row: &SourceRow| row.path.clone().unwrap_or_else(|| row.title.clone());
        let name = data.sources.iter().find(|row| row.source_id == *of).map(name).filter(|name| !name.is_empty());
        return labels.fill(Label::CopyOf, &[&name.unwrap_or_else(|| of.to_string())]);
    }
    if let Some(failure) = &source.failure {
        return labels.fill(Label::NotRead, &[&failure.message]);
    }
    let quoted = sentences_quoted(story, data);
    let about = group_digits(about_sentences(source.tokens, quoted));
    match story.ending {
        SourceEnding::Cited => labels.fill(Label::SentencesQuoted, &[&group_digits(quoted as u64), &about]),
        SourceEnding::LeftOut => match story.steps.last().and_then(|step| step.record.warnings.last()) {
            Some(why) => labels.fill(Label::LeftOut, &[why]),
            None => labels.fill(Label::SentencesRead, &[&about]),
        },
        SourceEnding::Uncited | SourceEnding::Failed | SourceEnding::Copy if source.chars == 0 => {
            labels.say(Label::NoText).to_owned()
        }
        SourceEnding::Uncited | SourceEnding::Failed | SourceEnding::Copy => {
            labels.fill(Label::SentencesRead, &[&about])
        }
    }
}

/// Number of different sentences of a source that its citations quote, in full or in part.
fn sentences_quoted(story: &SourceFate<'_>, data: &ReportData) -> usize {
    let cited = data.citations.iter().filter(|citation| story.cites.contains(&citation.n));
    let starts = cited.flat_map(|citation| {
        let place = &citation.locator;
        let found = sentences(&citation.text);
        // A quote without a sentence, such as a cell of a table, counts as one.
        let first = if found.is_empty() { vec![place.range.start] } else { Vec::new() };
        let others = found.into_iter().map(|sentence| place.range.start + sentence.start);
        first.into_iter().chain(others).map(|start| (place.page, start)).collect::<Vec<_>>()
    });
    starts.collect::<BTreeSet<_>>().len()
}

/// A source's title, or its id if it has none, cut to [`NAME_CHARS`] characters.
pub(super) fn name(citation: &Citation) -> String {
    let title = if citation.title.trim().is_empty() { citation.source_id.as_str() } else { citation.title.trim() };
    let mut chars = title.chars();
    let name: String = chars.by_ref().take(NAME_CHARS).collect();
    if chars.next().is_some() { format!("{}…", name.trim_end()) } else { name }
}

/// Where in its document a quote is, in words: its page, the picture in which it was recognized, or that readers of the document do not see
/// it. Empty if none is known. Plain text, with words of the citation in it.
pub(super) fn place(citation: &Citation, labels: LabelLanguage) -> String {
    if let Some(by) = &citation.recognized {
        let page = group_digits(u64::from(citation.locator.page.unwrap_or(1)));
        return labels.fill(Label::Recognized, &[&page, &by.engine]);
    }
    match (citation.place, citation.locator.page) {
        (Some(FieldPlace::Properties), _) => labels.say(Label::FromProperties).to_owned(),
        (Some(FieldPlace::Metadata), _) => labels.say(Label::FromMetadata).to_owned(),
        (Some(FieldPlace::FrontMatter) | None, Some(page)) => {
            labels.fill(Label::Page, &[&group_digits(u64::from(page))])
        }
        (Some(FieldPlace::FrontMatter) | None, None) => String::new(),
    }
}

/// Numbers that are not shown anywhere in the text, because their statements have more citations than are shown.
pub(super) fn hidden_numbers(markdown: &str) -> Vec<u32> {
    let marks = marks(markdown);
    let (mut shown, mut all, mut run) = (Vec::new(), Vec::new(), 0);
    for (at, mark) in marks.iter().enumerate() {
        let is_adjacent = at > 0 && markdown[marks[at - 1].range.end..mark.range.start].trim().is_empty();
        run = if is_adjacent { run + 1 } else { 0 };
        all.push(mark.n);
        if run < super::body::MOST_NUMBERS {
            shown.push(mark.n);
        }
    }
    all.retain(|n| !shown.contains(n));
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_degraded_report_says_so_first_in_the_question_language() {
        let first = |query: &str, markdown: &str| degraded_report(query, markdown, DegradedTo::Passages);
        let mark = "# Degraded report, quoted passages only";
        assert_eq!(first("What is *it*?", "# Ice\n\nIt fell. [1]\n"), format!("{mark}: Ice\n\nIt fell. [1]\n"));
        assert_eq!(
            first("What is\nit?", "## Ice\n\nIt fell. [1]"),
            format!("{mark}: What is it?\n\n## Ice\n\nIt fell. [1]")
        );
        assert_eq!(first(" ", "It fell. [1]"), format!("{mark}\n\nIt fell. [1]"));
        assert_eq!(first("What is it?", "# Ice"), format!("{mark}: Ice\n\n"));
        assert!(first("Wie viel Eis hat der Gletscher verloren?", "# Eis").starts_with("# Notbericht"));
    }

    #[test]
    fn a_quote_of_a_property_names_no_page() {
        let (data, _) = crate::sample::report();
        let first = data.citations.first().expect("cited");
        let recognition =
            precis_proto::Recognition { engine: "reader 1.2".to_owned(), languages: None, picture: "ab".repeat(32) };
        let recognized = Citation { recognized: Some(Box::new(recognition)), ..first.clone() };
        let said = super::place(&recognized, LabelLanguage::English);
        assert_eq!(said, "recognized from a picture of page 1 by reader 1.2");
        let said = |place| super::place(&Citation { place, ..first.clone() }, LabelLanguage::English);
        assert_eq!(said(Some(FieldPlace::Properties)), "from the file's properties");
        assert_eq!(said(Some(FieldPlace::Metadata)), "from the page's metadata");
        assert_eq!((said(None), said(Some(FieldPlace::FrontMatter))), ("page 1".to_owned(), "page 1".to_owned()));
    }

    #[test]
    fn the_sentences_of_a_quote_are_counted_and_each_once() {
        use precis_proto::CharRange;
        let (mut data, _) = crate::sample::report();
        let source = data.sources[0].source_id.clone();
        data.sources[0].tokens = 250;
        let first = data.citations.iter().find(|citation| citation.source_id == source).expect("cited").clone();
        let quote = |page, start: usize, text: &str| {
            let mut citation = first.clone();
            citation.locator.page = page;
            citation.locator.range = CharRange { start, end: start + text.chars().count() };
            text.clone_into(&mut citation.text);
            citation
        };
        let three = "The ice é melts. It runs down. It is gone.";
        for (case, quotes, want) in [
            ("one sentence", vec![quote(None, 0, "The ice melts.")], 1),
            ("three sentences in one quote", vec![quote(None, 0, three)], 3),
            (
                "the second of them in a quote of its own",
                vec![quote(None, 0, three), quote(None, 17, "It runs down.")],
                3,
            ),
            ("elsewhere", vec![quote(None, 0, three), quote(None, 70, "It runs down.")], 4),
            ("on another page", vec![quote(Some(1), 17, "It runs down."), quote(Some(2), 17, "It runs down.")], 2),
            ("a quote without an end", vec![quote(None, 0, "Melting")], 1),
        ] {
            data.citations = quotes;
            let stories = super::super::source_fate::stories(&data);
            let line = fate(&stories[0], &data, LabelLanguage::English);
            assert_eq!(line, format!("{want} of about 10 sentences quoted"), "{case}");
        }
    }

    #[test]
    fn a_model_judgement_is_reported_with_the_statements() {
        use precis_proto::claim::{Evaluation, JudgeCounts, VerdictCounts};
        let (mut data, _) = crate::sample::report();
        let judge = |counted, refused| Some(JudgeCounts { asked: counted + refused, counted, refused });
        let line = "0 of 3 statements are supported by their quotes";
        for (judge, want) in [
            (None, line.to_owned()),
            (judge(2, 0), format!("{line}; 2 judged by a model")),
            (judge(1, 2), format!("{line}; 1 judged by a model, 2 model judgements not counted")),
        ] {
            data.evaluation = Some(Evaluation { statements: 3, judge, ..Evaluation::default() });
            assert_eq!(claims_line(&data, LabelLanguage::English), Some(want));
        }
        let verdicts = VerdictCounts { not_judged: 2, ..VerdictCounts::default() };
        data.evaluation = Some(Evaluation { statements: 3, verdicts, marked: 3, ..Evaluation::default() });
        let want = "Not judged: 2 statements, marked †, which no model compared with their sources. \
                    0 of 3 statements are supported by their quotes; 1 marked";
        assert_eq!(claims_line(&data, LabelLanguage::English).as_deref(), Some(want));
    }
}

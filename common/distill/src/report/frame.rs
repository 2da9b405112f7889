//! What a report's reader needs to know before reading on: whether it is answered, how far to trust it, when and by what it was
//! written; and one line on each source. The same in Markdown and in HTML.

use precis_proto::answer::{Answer, AnswerStatus};
use precis_proto::compare::{ComparedBy, GivenValue};
use precis_proto::ledger::SpendRow;
use precis_proto::research::ValueKind;
use precis_proto::response::{Citation, ReportData, SourceRow, Status};
use precis_proto::stop_reason::StopReason;
use precis_proto::task::Role;
use precis_proto::warning::{Warning, WarningCode};

use super::inline_writer::literal;
use super::labels::{Label, LabelLanguage};
use super::language::detect;
use super::source_fate::{SourceEnding, SourceFate, copied};
use super::words::{self, about_sentences, counted, grouped};
use crate::groundedness;
use crate::prompt::limits::LOCAL_MODEL;

/// Documents named before everything else; the rest is counted.
const MOST_DOCUMENTS: usize = 8;
/// Characters of a source's name in a line of the report.
const NAME_CHARS: usize = 60;

/// Whether the question is answered, and what of it is not.
#[derive(Debug)]
pub(super) struct AnswerNotice {
    /// `answered`, `partly` or `not_in_documents`.
    pub(super) class: &'static str,
    pub(super) text: &'static str,
    /// The parts without an answer, in words.
    pub(super) missing: Vec<String>,
}

pub(super) fn answered(answer: &Answer, quotes: usize, tongue: LabelLanguage) -> AnswerNotice {
    let (class, label) = match answer.status {
        AnswerStatus::Answered => ("answered", Label::Answered),
        AnswerStatus::Partly => ("partly", Label::Partly),
        AnswerStatus::NotInDocuments => ("not_in_documents", Label::NotInDocuments),
    };
    let open = answer.parts.iter().filter(|part| !part.is_answered && answer.status == AnswerStatus::Partly);
    let mut missing: Vec<String> = open.map(|part| tongue.fill(Label::NothingOn, &[&part.text])).collect();
    if answer.status == AnswerStatus::NotInDocuments && quotes > 0 {
        missing.push(tongue.say(Label::Closest).to_owned());
    }
    AnswerNotice { class, text: tongue.say(label), missing }
}

/// Whether `query` is answered, in one line and in its language: what stands first wherever the report is shown.
#[must_use]
pub fn answer_line(query: &str, answer: &Answer, quotes: usize) -> String {
    let answered = answered(answer, quotes, LabelLanguage::from_tag(detect(query).tag));
    std::iter::once(answered.text.to_owned()).chain(answered.missing).collect::<Vec<_>>().join(". ")
}

/// What a statement is marked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementMark {
    /// Its quotes carry it in part.
    Partly,
    /// Another source gives another value.
    Disputed,
    /// It cites nothing, and no quote carries it.
    NoQuote,
}

/// The words of a mark, in the language of `query`.
pub(crate) fn remark(query: &str, remark: StatementMark) -> &'static str {
    let label = match remark {
        StatementMark::Partly => Label::PartlySupported,
        StatementMark::Disputed => Label::DisputedBy,
        StatementMark::NoQuote => Label::NoQuote,
    };
    LabelLanguage::from_tag(detect(query).tag).say(label)
}

/// `markdown` with a first line that says that no finding was made and passages of the sources stand in their place: its title, or
/// the question where it has none.
#[must_use]
pub fn degraded(query: &str, markdown: &str) -> String {
    let mark = LabelLanguage::from_tag(detect(query).tag).say(Label::Degraded);
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

/// How many statements are supported, and what became of the others; `None` where every statement is a quote.
pub(super) fn claims_line(data: &ReportData, tongue: LabelLanguage) -> Option<String> {
    let found = data.evaluation.as_ref().filter(|found| found.verdicts.verbatim < found.statements)?;
    let number = |n: u32| grouped(u64::from(n));
    let supported = found.verdicts.verbatim + found.verdicts.supported;
    let mut line = tongue.fill(Label::StatementsSupported, &[&number(supported), &number(found.statements)]);
    let judge = found.judge.unwrap_or_default();
    let done = [
        (Label::Corrected, found.corrected),
        (Label::Removed, found.removed),
        (Label::Marked, found.marked),
        (Label::Judged, judge.counted),
        (Label::NotCounted, judge.refused),
    ];
    let done: Vec<String> =
        done.iter().filter(|(_, n)| *n > 0).map(|(label, n)| tongue.fill(*label, &[&number(*n)])).collect();
    if !done.is_empty() {
        line = format!("{line}; {}", done.join(", "));
    }
    Some(line)
}

/// What changes how far to trust the report, each in one line: in the reader's language where it is ours, else in English.
pub(super) fn alerts(data: &ReportData, warnings: &[Warning], tongue: LabelLanguage) -> Vec<String> {
    let mut lines: Vec<String> = incomplete(data, tongue).into_iter().collect();
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
                lines.push(format!("{} ({})", words::warning(code), counted(places, "place", "places")));
                continue;
            }
            let count = if items > 1 { format!(" ({})", counted(items, "source", "sources")) } else { String::new() };
            lines.push(format!("{}{count}", words::warning(code)));
        }
    }
    let weighed = groundedness::assess(&data.report, &data.citations, 0.0);
    let uncited = weighed.sentences - weighed.cited;
    // What the built-in model wrote is quotes of up to three sentences, with one citation behind each quote.
    if uncited > 0 && !is_built_in(data) && !data.citations.is_empty() {
        lines.push(tongue.fill(Label::Uncited, &[&grouped(uncited as u64)]));
    }
    lines
}

/// The line between what a model wrote and what Precis did; `None` where the built-in model alone wrote, which quotes.
pub(super) fn boundary(data: &ReportData, tongue: LabelLanguage) -> Option<String> {
    let written: Vec<String> = models(data).into_iter().filter(|model| model != LOCAL_MODEL).collect();
    (!written.is_empty()).then(|| tongue.fill(Label::Boundary, &[&written.join(", ")]))
}

fn incomplete(data: &ReportData, tongue: LabelLanguage) -> Option<String> {
    let session = &data.session;
    let why = match &session.stop_reason {
        Some(StopReason::Deadline) => tongue.say(Label::Deadline).to_owned(),
        Some(StopReason::Stop) => tongue.say(Label::Stopped).to_owned(),
        Some(StopReason::Other(other)) => other.clone(),
        None => tongue.say(Label::Missing).to_owned(),
    };
    let partial = session.incomplete || session.stop_reason.is_some() || session.status != Status::Completed;
    partial.then(|| tongue.fill(Label::Incomplete, &[&why]))
}

/// When and by what it was written, and from which documents: names and values.
pub(super) fn facts(
    data: &ReportData,
    stories: &[SourceFate<'_>],
    tongue: LabelLanguage,
) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(generated) = &data.generated {
        facts.push((tongue.say(Label::Written), words::moment(generated.at)));
        facts.push((tongue.say(Label::Version), format!("Precis {}", generated.version)));
    }
    let models = models(data);
    if !models.is_empty() {
        let said = |model: &String| match model == LOCAL_MODEL {
            true => tongue.say(Label::BuiltIn).to_owned(),
            false => model.clone(),
        };
        facts.push((tongue.say(Label::Model), models.iter().map(said).collect::<Vec<_>>().join(", ")));
    }
    let originals: Vec<&SourceFate<'_>> = stories.iter().filter(|story| story.ending != SourceEnding::Copy).collect();
    let named = |story: &&SourceFate<'_>| format!("{}{}", file(story), with_copies(story.copies, tongue));
    let mut names: Vec<String> = originals.iter().take(MOST_DOCUMENTS).map(named).collect();
    if originals.len() > MOST_DOCUMENTS {
        names.push(tongue.fill(Label::More, &[&grouped((originals.len() - MOST_DOCUMENTS) as u64)]));
    }
    if !names.is_empty() {
        facts.push((tongue.say(Label::Documents), names.join(", ")));
    }
    facts
}

/// Whether no language model wrote any of it.
pub(super) fn is_built_in(data: &ReportData) -> bool {
    models(data).iter().all(|model| model == LOCAL_MODEL)
}

/// The headings of the two columns of a comparison, in the language of `query`.
pub(crate) fn compared_heads(query: &str, by: ComparedBy) -> [&'static str; 2] {
    let tongue = LabelLanguage::from_tag(detect(query).tag);
    let first = match by {
        ComparedBy::Element => Label::Compared,
        ComparedBy::Source => Label::Source,
    };
    [tongue.say(first), tongue.say(Label::Quotes)]
}

/// What is said before values that differ.
pub(super) fn differing(kind: ValueKind) -> Label {
    match kind {
        ValueKind::Number => Label::Differ,
        ValueKind::Date => Label::DifferingDates,
        ValueKind::Version => Label::DifferingVersions,
        ValueKind::Status => Label::DifferingStatuses,
    }
}

/// Who gives which value, each with its numbers: `5 %`, then citations by number.
pub(super) fn given<'d>(value: &GivenValue, data: &'d ReportData) -> Vec<&'d Citation> {
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

/// Where a source lies, or what else names it.
fn file<'a>(story: &'a SourceFate<'_>) -> &'a str {
    let source: &SourceRow = story.source;
    source.path.as_deref().or(source.url.as_deref()).filter(|p| !p.is_empty()).unwrap_or_else(|| story.title())
}

/// ` (3 copies)` where there are several, otherwise nothing.
pub(super) fn with_copies(copies: usize, tongue: LabelLanguage) -> String {
    if copies < 2 {
        return String::new();
    }
    format!(" ({})", tongue.fill(Label::Copies, &[&grouped(copies as u64)]))
}

/// What became of a source, for its reader.
pub(super) fn fate(story: &SourceFate<'_>, data: &ReportData, tongue: LabelLanguage) -> String {
    let source = story.source;
    if let Some(of) = copied(source) {
        let name = |row: &SourceRow| row.path.clone().unwrap_or_else(|| row.title.clone());
        let name = data.sources.iter().find(|row| row.source_id == *of).map(name).filter(|name| !name.is_empty());
        return tongue.fill(Label::CopyOf, &[&name.unwrap_or_else(|| of.to_string())]);
    }
    if let Some(failure) = &source.failure {
        return tongue.fill(Label::NotRead, &[&failure.message]);
    }
    let quoted = story.cites.len();
    let about = grouped(about_sentences(source.tokens, quoted));
    match story.ending {
        SourceEnding::Cited => tongue.fill(Label::SentencesQuoted, &[&grouped(quoted as u64), &about]),
        SourceEnding::LeftOut => match story.steps.last().and_then(|step| step.record.warnings.last()) {
            Some(why) => tongue.fill(Label::LeftOut, &[why]),
            None => tongue.fill(Label::SentencesRead, &[&about]),
        },
        SourceEnding::Uncited | SourceEnding::Failed | SourceEnding::Copy if source.chars == 0 => {
            tongue.say(Label::NoText).to_owned()
        }
        SourceEnding::Uncited | SourceEnding::Failed | SourceEnding::Copy => {
            tongue.fill(Label::SentencesRead, &[&about])
        }
    }
}

/// A source in a line of the report: its title, or its id, cut to a few words.
pub(super) fn name(citation: &Citation) -> String {
    let title = if citation.title.trim().is_empty() { citation.source_id.as_str() } else { citation.title.trim() };
    let mut chars = title.chars();
    let name: String = chars.by_ref().take(NAME_CHARS).collect();
    if chars.next().is_some() { format!("{}…", name.trim_end()) } else { name }
}

/// Numbers that stand in no text because a statement has more of them than are shown.
pub(super) fn hidden(markdown: &str) -> Vec<u32> {
    let marks = super::marks::marks(markdown);
    let (mut shown, mut all, mut run) = (Vec::new(), Vec::new(), 0);
    for (at, mark) in marks.iter().enumerate() {
        let beside = at > 0 && markdown[marks[at - 1].range.end..mark.range.start].trim().is_empty();
        run = if beside { run + 1 } else { 0 };
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
    fn a_degraded_report_says_so_on_its_first_line_in_the_language_of_the_question() {
        let first = |query: &str, markdown: &str| degraded(query, markdown);
        let mark = "# Degraded report, of passages as they stand";
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
    fn what_a_model_judged_is_told_with_the_statements() {
        use precis_proto::claim::{Evaluation, JudgeCounts};
        let (mut data, _) = crate::sample::report();
        let judge = |counted, refused| Some(JudgeCounts { asked: counted + refused, counted, refused });
        let line = "0 of 3 statements are supported by their quotes";
        for (judge, want) in [
            (None, line.to_owned()),
            (judge(2, 0), format!("{line}; 2 judged by a model")),
            (judge(1, 2), format!("{line}; 1 judged by a model, 2 judgements of a model do not count")),
        ] {
            data.evaluation = Some(Evaluation { statements: 3, judge, ..Evaluation::default() });
            assert_eq!(claims_line(&data, LabelLanguage::English), Some(want));
        }
    }
}

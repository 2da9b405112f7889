//! Checks the statements of a report against their quotes.
//!
//! Each statement of the built-in model must have the words of every quote that it cites. A model's statements are in its own words;
//! there, only the sentences without a citation are counted.

use precis_context::prompt::limits::LOCAL_MODEL;
use precis_evidence::compared;
use precis_proto::answer::Answer;
use precis_proto::ledger::SpendRow;
use precis_proto::response::{Citation, ReportData};
use precis_proto::task::Role;
use precis_research::typed_disagreements;
use precis_text::is_invisible;
use precis_text::statement::{StatementPart, consists_of, of_citation, parts};

use super::citation::excerpts;
use super::mismatch::Mismatch;
use super::rendering::is_rendered_by;
use super::verification::Verification;
use crate::answered::{AnswerBasis, answer_line};
use crate::draft::reading::{ReadingBlock, blocks};
use crate::groundedness;

/// Most characters of a sentence shown; chosen, not measured.
const SENTENCE_CHARS: usize = 80;

/// Compares the statements of the built-in model with their quotes, and counts sentences without a citation.
pub(super) fn check(data: &ReportData, found: &mut Verification) {
    check_derived(data, found);
    if !is_built_in(data) {
        let weighed = groundedness::assess(&data.report, &data.citations, 0.0);
        found.sentences_uncited = weighed.sentences - weighed.cited;
        return;
    }
    let mut proved = 0;
    for block in blocks(&data.report).iter().filter(|b| !b.is_heading) {
        for statement in statements(block, &data.citations) {
            match differs(&statement, &data.citations) {
                None if statement.cites.is_empty() => {}
                None => proved += 1,
                Some(Mismatch::Uncited { .. }) if block.is_cell => {}
                Some(mismatch) => {
                    found.sentences_uncited += usize::from(statement.cites.is_empty());
                    found.mismatches.extend(Some(mismatch).filter(|m| !may_stand_alone(data, m)));
                }
            }
        }
    }
    found.statements_proved = Some(proved);
}

/// Recomputes comparison, timeline, disagreements and answer line; only for reports of this version, because other versions differ.
fn check_derived(data: &ReportData, found: &mut Verification) {
    if !is_rendered_by(data) {
        return;
    }
    let line = |answer: &Answer| answer.line.is_empty() || answer.line == answer_line(answer, &AnswerBasis::of(data));
    let research = data.research.as_ref();
    for (field, holds) in [
        ("answer.line", data.answer.as_ref().is_none_or(line)),
        ("comparison", data.comparison == compared::comparison(&data.query, &data.citations)),
        ("timeline", timeline_holds(data)),
        ("disagreements", data.disagreements == compared::disagreements(&data.query, &data.citations)),
        ("research.disagreements", research.is_none_or(|research| research.disagreements == typed_disagreements(data))),
    ] {
        found.mismatches.extend((!holds).then_some(Mismatch::Derived { field }));
    }
}

/// Whether the timeline is as computed. Only the built-in model writes one, and then whenever there is one to write.
fn timeline_holds(data: &ReportData) -> bool {
    let made = || compared::timeline(&data.query, &data.citations);
    match &data.timeline {
        Some(_) => data.timeline == made(),
        None => !is_built_in(data) || made().is_none(),
    }
}

/// Whether no model but the built-in one wrote the report or its findings.
pub(super) fn is_built_in(data: &ReportData) -> bool {
    let is_writer = |row: &&SpendRow| matches!(row.role, Role::Synthesis | Role::Compression) && row.has_answered();
    let mut wrote = data.spend.iter().filter(is_writer).peekable();
    wrote.peek().is_some() && wrote.all(|row| row.provider == LOCAL_MODEL)
}

/// Whether an uncited sentence is allowed: a report that answers nothing, or not everything, says so in its own words.
fn may_stand_alone(data: &ReportData, mismatch: &Mismatch) -> bool {
    use precis_proto::answer::AnswerStatus;
    let whole = data.answer.as_ref().is_none_or(|answer| answer.status == AnswerStatus::Answered);
    matches!(mismatch, Mismatch::Uncited { .. }) && (data.citations.is_empty() || !whole)
}

/// Each cited statement of the report with the numbers of its citations, in order.
pub(super) fn cited_together(data: &ReportData) -> Vec<(String, Vec<u32>)> {
    let blocks = blocks(&data.report);
    let all = blocks.iter().filter(|block| !block.is_heading).flat_map(|block| statements(block, &data.citations));
    all.filter(|statement| !statement.cites.is_empty()).map(|s| (flat(s.text), s.cites)).collect()
}

/// A piece of a block up to and including its citations.
#[derive(Debug, PartialEq, Eq)]
struct CitedStatement<'b> {
    text: &'b str,
    cites: Vec<u32>,
}

/// The statements of a block; the last one has no citation if text follows the last citation.
fn statements<'b>(block: &'b ReadingBlock, citations: &[Citation]) -> Vec<CitedStatement<'b>> {
    let mut found: Vec<CitedStatement<'b>> = Vec::new();
    let mut start = 0;
    for (at, n) in &block.cites {
        let text = block.text[start..*at].trim();
        match found.last_mut().filter(|_| text.is_empty()) {
            Some(same) => same.cites.push(*n),
            None => found.push(CitedStatement { text, cites: vec![*n] }),
        }
        start = *at;
    }
    let rest = block.text[start..].trim();
    if !rest.is_empty() {
        found.push(CitedStatement { text: rest, cites: Vec::new() });
    }
    for at in 1..found.len() {
        found[at].text = without_source(found[at].text, &found[at - 1].cites, citations);
    }
    // After the loop, which needs the citations of the statement before each.
    found.retain(|statement| !statement.text.is_empty() || !statement.cites.is_empty());
    found
}

/// Removes the titles of its sources, which may follow a statement in parentheses, from the start of the next statement's text.
fn without_source<'b>(text: &'b str, cites: &[u32], citations: &[Citation]) -> &'b str {
    let titles = citations.iter().filter(|c| cites.contains(&c.n)).map(|c| format!("({})", flat(&c.title)));
    titles.into_iter().find_map(|title| text.strip_prefix(title.as_str())).unwrap_or(text).trim_start()
}

fn differs(statement: &CitedStatement<'_>, citations: &[Citation]) -> Option<Mismatch> {
    let written = flat(statement.text);
    if statement.cites.is_empty() {
        return Some(Mismatch::Uncited { sentence: written.chars().take(SENTENCE_CHARS).collect() });
    }
    // Every one of them: a citation says that its source says so. A number without a citation has already been reported.
    let cited = citations.iter().filter(|citation| statement.cites.contains(&citation.n));
    let holds = |citation: &&Citation| {
        let ranges = parts(&citation.text, citation.locator, &citation.context);
        let shown: Vec<String> = ranges.iter().map(|part| flat(part.text)).collect();
        let shown = shown.iter().zip(&ranges).map(|(text, part)| StatementPart { text, ..*part });
        consists_of(&written, &shown.collect::<Vec<_>>())
    };
    let (n, quote) = { cited }.find(|citation| !holds(citation)).map(|one| (one.n, flat(&of_citation(one))))?;
    let (quote, reported) = excerpts(&quote, &written).unwrap_or((quote, written));
    Some(Mismatch::Statement { n, quote, reported })
}

/// The text as a page shows it: white space as single spaces, no characters that hide or reorder text.
fn flat(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// The mismatches of a report of the built-in model with the text `report` and the quotes of the sample.
    fn said(report: &str) -> (Vec<String>, Verification) {
        let (mut data, _) = sample::report();
        data.spend.iter_mut().for_each(|row| row.provider = LOCAL_MODEL.to_owned());
        report.clone_into(&mut data.report);
        data.citations[1].text = "The loss was\nlargest below.".to_owned();
        let mut found = Verification::default();
        check(&data, &mut found);
        (found.mismatches.iter().map(ToString::to_string).collect(), found)
    }

    const TRUE: &str =
        "# Title\n\nGlaciers in the Alps lost a tenth of their ice in two years. [1] The loss was largest below. [2]";

    #[test]
    fn a_statement_of_the_built_in_model_is_one_of_its_quotes() {
        let (lines, found) = said(TRUE);
        assert_eq!((lines.len(), found.statements_proved, found.sentences_uncited), (0, Some(2), 0), "{lines:?}");
        let named = TRUE.replace("[1]", "[1] (Ice & snow)");
        assert_eq!(said(&named).0, [""; 0], "a source's name belongs to the statement");
    }

    #[test]
    fn each_of_several_citations_says_the_whole_statement() {
        let (lines, found) = said("The loss was largest below. [1][2]");
        let want = "statement of [1]: its quote reads \"Glaciers in the Alps lost a tenth of their ice in two years.\", but the report says \
            \"The loss was largest below.\"";
        assert_eq!((&lines[..], found.statements_proved), (&[want.to_owned()][..], Some(0)));
        assert_eq!(
            said("Glaciers in the Alps lost a tenth of their ice in two years [1]").0,
            [""; 0],
            "a stop says nothing"
        );
    }

    #[test]
    fn a_word_more_or_a_sentence_more_is_found() {
        let turned = TRUE.replace("lost a tenth", "never lost a tenth");
        assert_eq!(
            said(&turned).0,
            [
                "statement of [1]: its quote reads \"Glaciers in the Alps lost a tenth of their ice in two years.\", but the report says \
              \"Glaciers in the Alps never lost a tenth of their ice in two years.\""
            ]
        );
        let (lines, found) = said(&(TRUE.to_owned() + "\n\nThe company went bankrupt."));
        assert_eq!(lines, ["no citation follows \"The company went bankrupt.\""]);
        assert_eq!(found.sentences_uncited, 1);
    }

    #[test]
    fn what_is_made_of_question_and_citations_is_made_again() {
        use precis_proto::compare::{ComparedBy, Comparison, Disagreement, Timeline};
        use precis_proto::research::ValueKind;
        let (whole, _) = sample::report();
        let fields = |edit: &dyn Fn(&mut ReportData)| {
            let mut data = whole.clone();
            edit(&mut data);
            let mut found = Verification::default();
            check(&data, &mut found);
            found.mismatches.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(fields(&|_| {}), [""; 0]);
        let said = |field: &str| [format!("{field} does not follow from the question and the citations")];
        let by = ComparedBy::Source;
        assert_eq!(fields(&|d| d.comparison = Some(Comparison { by, rows: Vec::new() })), said("comparison"));
        let rows = Vec::new();
        assert_eq!(fields(&|d| d.timeline = Some(Timeline { rows: rows.clone() })), said("timeline"));
        let made_up = Disagreement { unit: "%".to_owned(), kind: ValueKind::Number, values: Vec::new() };
        assert_eq!(fields(&|d| d.disagreements = vec![made_up.clone()]), said("disagreements"));
        let typed = precis_proto::research::TypedDisagreement {
            subject: "the ice".to_owned(),
            attribute: "%".to_owned(),
            kind: ValueKind::Number,
            values: Vec::new(),
        };
        let mut research = super::super::research::tests::research();
        assert_eq!(fields(&|d| d.research = Some(research.clone())), [""; 0]);
        research.disagreements = vec![typed];
        assert_eq!(fields(&|d| d.research = Some(research.clone())), said("research.disagreements"));
    }

    #[test]
    fn the_words_of_a_model_are_counted_and_not_compared() {
        let (mut data, _) = sample::report();
        data.report.push_str("\n\nIt went bankrupt. And so on.");
        let before = data.report.len();
        let mut found = Verification::default();
        check(&data, &mut found);
        assert!(found.mismatches.is_empty() && found.statements_proved.is_none(), "{before} {found:?}");
        let counted = found.sentences_uncited;
        data.report.push_str(" One more.");
        check(&data, &mut found);
        assert_eq!(found.sentences_uncited, counted + 1);
    }
}

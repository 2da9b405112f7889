//! The synthesize task: a report with the answer first, then further points, each verbatim with its citation.

use std::cmp::Ordering;

use precis_evidence::compared;
use precis_evidence::compared::Edition;
use precis_evidence::question::elements;
use precis_evidence::typed::field_question::field;
use precis_proto::answer::AnswerStatus;
use precis_proto::compare::ComparedBy;
use precis_proto::task::{ReportDraft, SynthesizeTask, TaskFinding};
use precis_text::equal_words::equal_words;
use precis_text::terms;
use precis_text::wording::Wording;

use super::answerability::judge;
use super::contained::remove_contained;
use super::enough::retain_needed;
use super::measures::is_foreign;
use super::merged_statement::{FLOOR, MergedStatement, distinct, score};
use super::overview;
use super::report;
use super::report_table::{ReportTable, on_aspect, shorten, side_by_side};

/// Most statements that are compared with each other, the best ones.
const COMPARED: usize = 64;
/// Most pairs of statements in nearly the same words that are put together.
const MOST_PAIRS: usize = 3;
/// Most points after the opening.
const MOST_POINTS: usize = 6;
/// Most statements if the findings do not answer the question.
const MOST_CLOSEST: usize = 3;
/// Least score of a finding for a question with terms; the prior alone gives about this much.
const LEAST_SCORE: f64 = 0.06;

/// Writes the report: the question as title, up to three of the best answers as opening paragraph, then further points. A comparing
/// question gets a table instead of points; if any statement is about the aspect compared, only those are used.
///
/// A question for an overview gets one passage for each document, or for each section of a single one, below its heading.
///
/// If the findings do not answer the question, the report has at most [`MOST_CLOSEST`] of them, the closest ones.
///
/// It has as many statements as fit `task.target_tokens` as counted by `count`, at least one; without findings it states that no passage
/// answers the question. Statements are escaped as described in [`precis_context::markdown`].
#[must_use]
pub fn synthesize(task: &SynthesizeTask, count: &dyn Fn(&str) -> u64) -> ReportDraft {
    // Texts in another language share few words with any question: the closest ones are shown, and what they are is said.
    let is_open = terms::query_terms(&task.query).is_empty() || is_foreign(&task.query, &task.findings);
    let least = if is_open { 0.0 } else { LEAST_SCORE };
    let judged = || judge(&task.query, &task.findings, None).map(|answer| answer.status);
    let is_answered = task.status.or_else(judged) != Some(AnswerStatus::NotInDocuments);
    // "Compare the contracts" is answered by sources side by side, whether or not they share words with the question.
    let is_told = |table: &ReportTable<'_>| is_answered || table.by == ComparedBy::Source;
    if let Some(table) = side_by_side(task, least).filter(is_told) {
        return shorten(task, table, count);
    }
    if let Some(mut sections) = overview::sections(&task.query, &distinct(&task.findings)) {
        loop {
            let markdown = report::write_overview(&task.query, &sections);
            if sections.len() == 1 || count(&markdown) <= task.target_tokens {
                return ReportDraft { markdown };
            }
            sections.pop();
        }
    }
    let mut statements = choose_statements((&task.query, is_answered), &task.findings, least);
    if !is_answered {
        // Only the closest statements, to make clear that the question is not answered.
        statements.truncate(MOST_CLOSEST);
    }
    let mut size = statements.len();
    loop {
        if size == 0 {
            return ReportDraft { markdown: report::nothing_found(&task.query) };
        }
        let markdown = report::write(&task.query, &statements[..size]);
        if size == 1 || count(&markdown) <= task.target_tokens {
            return ReportDraft { markdown };
        }
        size -= 1;
    }
}

/// The statements of the report, best first; one that gives a different value for a number of the first comes second, or first if it is
/// from a newer edition of the same document, and one in nearly
/// the same words as a better one right behind that.
fn choose_statements<'a>(
    (query, is_answered): (&str, bool),
    findings: &'a [TaskFinding],
    least: f64,
) -> Vec<MergedStatement<'a>> {
    let mut statements = on_aspect(distinct(findings), elements::comparison_elements(query).as_ref());
    remove_contained(query, &mut statements);
    remove_titles(&mut statements);
    let is_other = |s: &MergedStatement<'_>| {
        let first = statements.first().map(|first| first.finding);
        first.is_some_and(|first| {
            first.source != s.finding.source && compared::differ(query, &first.statement, &s.finding.statement)
        })
    };
    let other =
        statements.iter().take(COMPARED).position(is_other).filter(|at| score(statements[*at].finding) >= least);
    if let Some(at) = other {
        let other = statements.remove(at);
        // What the newer edition of a document says comes before what the older one says.
        let is_newer = is_newer(&other.finding.title, &statements[0].finding.title);
        statements.insert(usize::from(!is_newer), other);
    }
    let second = other.and_then(|_| statements.get(1)).map(|s| s.finding.id);
    let compared: Vec<u32> = put_together(&mut statements).into_iter().chain(second).collect();
    let is_compared = |statement: &MergedStatement<'_>| compared.contains(&statement.finding.id);
    let best = statements.first().map_or(0.0, |first| score(first.finding));
    statements.retain(|s| Some(s.finding.id) == second || score(s.finding) >= (FLOOR * best).max(least));
    retain_needed((query, is_answered), &mut statements, &is_compared);
    statements.truncate(report::opening(&statements) + MOST_POINTS);
    statements
}

/// Removes the fields that give the title of their document, which stands above what is quoted of it anyway; some statement stays.
fn remove_titles(statements: &mut Vec<MergedStatement<'_>>) {
    let says_more = |statement: &MergedStatement<'_>| {
        let finding = statement.finding;
        field(&finding.statement).is_none_or(|(_, value)| equal_words(value) != equal_words(&finding.title))
    };
    if statements.iter().any(says_more) {
        statements.retain(says_more);
    }
}

fn is_newer(title: &str, than: &str) -> bool {
    let editions = Edition::of_title(title).zip(Edition::of_title(than));
    editions.and_then(|(own, other)| own.compare(&other)) == Some(Ordering::Greater)
}

/// Moves statements of other sources in nearly the same words right behind the better ones: a reader sees what differs only where the two
/// are together. Returns the ids of those that stand behind the first one.
fn put_together(statements: &mut [MergedStatement<'_>]) -> Vec<u32> {
    let wording = |s: &MergedStatement<'_>| Wording::from_statement(&s.finding.statement);
    let mut wordings: Vec<Wording> = statements.iter().take(COMPARED).map(wording).collect();
    let (mut at, mut pairs) = (0, 0);
    let mut of_first = Vec::new();
    while at < wordings.len().min(report::MOST_OPENING + MOST_POINTS) && pairs < MOST_PAIRS {
        let is_near = |other: &usize| {
            let (a, b) = (statements[at].finding, statements[*other].finding);
            a.source != b.source && wordings[at].difference(&wordings[*other]).is_some()
        };
        if let Some(other) = (at + 1..wordings.len()).find(is_near) {
            pairs += 1;
            if at == 0 {
                of_first.push(statements[other].finding.id);
            }
            statements[at + 1..=other].rotate_right(1);
            wordings[at + 1..=other].rotate_right(1);
            at += 1;
        }
        at += 1;
    }
    of_first
}

#[cfg(test)]
mod tests;

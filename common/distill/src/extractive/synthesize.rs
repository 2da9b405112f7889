//! Findings to a report: the answer first, then the points that bear on it, each verbatim with its citation.

use std::collections::BTreeMap;

use precis_proto::answer::AnswerStatus;
use precis_proto::compare::ComparedBy;
use precis_proto::task::{ReportDraft, SynthesizeTask, TaskFinding};

use super::answerability::judge;
use super::merged_statement::MergedStatement;
use super::repeats::Wording;
use super::report;
use crate::compared::{self, ComparableStatement};
use crate::terms;

/// Most points behind the opening.
const MOST_POINTS: usize = 6;
/// Most statements where the findings do not answer the question.
const MOST_CLOSEST: usize = 3;
/// Characters of opening and points together, unless the report is allowed fewer tokens: what is read, not leafed through.
const REPORT_CHARS: usize = 1_900;
/// A finding that scores less than this share of the best is no answer. Measured on `bench-answers`.
const FLOOR: f64 = 0.3;
/// A finding below this has nothing to do with a question that holds a term: what was known of a passage before gives so much.
const LEAST_SCORE: f64 = 0.06;
/// A statement that scores less than this share of the best of its row does not stand beside it. Chosen, not measured.
const ROW_FLOOR: f64 = 0.6;
/// Most statements of one row of a table, and most rows.
const MOST_IN_ROW: usize = 3;
const MOST_ROWS: usize = 8;
/// Of the findings that only repeat others, so many of the best are compared word by word.
const COMPARED: usize = 64;

/// Writes the report: the question as title, up to three of the best answers as opening paragraph, further points. A question that compares
/// gets a table in place of the points.
///
/// Where the findings do not answer the question it holds at most [`MOST_CLOSEST`] of them, those that come closest.
///
/// It holds as many statements as fit `task.target_tokens` as `count` counts them, at least one; without findings it says that no
/// passage answers the question. Statements are escaped as [`super::markdown`] tells.
#[must_use]
pub fn synthesize(task: &SynthesizeTask, count: &dyn Fn(&str) -> u64) -> ReportDraft {
    let least = if terms::query_terms(&task.query).is_empty() { 0.0 } else { LEAST_SCORE };
    let judged = || judge(&task.query, &task.findings, None).map(|answer| answer.status);
    let is_answered = task.status.or_else(judged) != Some(AnswerStatus::NotInDocuments);
    // Sources side by side answer "Compare the contracts", in whatever words they are written.
    let is_told = |table: &ReportTable<'_>| is_answered || table.by == ComparedBy::Source;
    if let Some(table) = side_by_side(task, least).filter(is_told) {
        return shortened(task, table, count);
    }
    let mut statements = chosen(&task.query, &task.findings, least);
    if !is_answered {
        // What comes closest is shown, and nothing to fill the page.
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

/// A report that is a table, for a question that compares.
struct ReportTable<'a> {
    by: ComparedBy,
    /// The best statement on several of the things compared.
    opening: Option<MergedStatement<'a>>,
    /// Names and statements, best first in each row.
    rows: Vec<(String, Vec<MergedStatement<'a>>)>,
}

/// The statements by what the question compares, at most [`MOST_IN_ROW`] each; `None` where it compares nothing, or fewer than two
/// rows would hold one.
fn side_by_side(task: &SynthesizeTask, least: f64) -> Option<ReportTable<'_>> {
    let compared = compared::compared(&task.query)?;
    let mut statements = distinct(&task.findings);
    statements.retain(|statement| score(statement.finding) >= least);
    let sources: Vec<String> = statements.iter().map(|s| s.finding.source.to_string()).collect();
    let placed: Vec<ComparableStatement<'_>> = statements
        .iter()
        .zip(&sources)
        .map(|(s, source)| ComparableStatement { text: &s.finding.statement, title: &s.finding.title, source })
        .collect();
    let (by, rows) = compared::assign(&compared, &placed)?;
    let on_several = |text: &str| compared.elements.iter().filter(|element| element.is_in(text)).count() > 1;
    let floor = FLOOR * score(statements.first()?.finding);
    let best_of = |held: &[usize]| held.first().map_or(0.0, |at| score(statements[*at].finding));
    // A row is no list to be filled: what is far from the best of its thing is left out.
    let is_near = |held: &[usize], at: &usize| score(statements[*at].finding) >= (ROW_FLOOR * best_of(held)).max(floor);
    let rows: Vec<(String, Vec<usize>)> = rows
        .into_iter()
        .map(|(name, held)| {
            let near = held.iter().copied().filter(|at| is_near(&held, at)).collect();
            (name, near)
        })
        .collect();
    if rows.iter().filter(|(_, held)| !held.is_empty()).count() < 2 {
        return None;
    }
    let opening = statements.iter().find(|s| by == ComparedBy::Element && on_several(&s.finding.statement));
    let opening = opening.filter(|s| score(s.finding) >= floor).cloned();
    let row = |(name, held): (String, Vec<usize>)| {
        (name, held.into_iter().take(MOST_IN_ROW).map(|at| statements[at].clone()).collect())
    };
    Some(ReportTable { by, opening, rows: rows.into_iter().take(MOST_ROWS).map(row).collect() })
}

/// The table with as many statements as fit: the last of the longest row goes first.
fn shortened(task: &SynthesizeTask, mut table: ReportTable<'_>, count: &dyn Fn(&str) -> u64) -> ReportDraft {
    loop {
        let markdown = report::write_table(&task.query, table.by, table.opening.as_ref(), &table.rows);
        let longest = table.rows.iter_mut().rev().max_by_key(|(_, held)| held.len());
        let longest = longest.filter(|(_, held)| held.len() > 1);
        match longest {
            Some((_, held)) if count(&markdown) > task.target_tokens => {
                held.pop();
            }
            _ => return ReportDraft { markdown },
        }
    }
}

/// The statements of the report, best first; one that gives another value for the number of the opening stands right behind it.
fn chosen<'a>(query: &str, findings: &'a [TaskFinding], least: f64) -> Vec<MergedStatement<'a>> {
    let mut statements = distinct(findings);
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
        statements.insert(1, other);
    }
    let second = other.and_then(|_| statements.get(1)).map(|s| s.finding.id);
    let best = statements.first().map_or(0.0, |first| score(first.finding));
    statements.retain(|s| Some(s.finding.id) == second || score(s.finding) >= (FLOOR * best).max(least));
    let mut left = REPORT_CHARS;
    let mut is_first = true;
    statements.retain(|statement| {
        let chars = statement.finding.statement.chars().count();
        let fits = is_first || chars <= left;
        left = if fits { left.saturating_sub(chars) } else { left };
        is_first = false;
        fits
    });
    statements.truncate(report::opening(&statements) + MOST_POINTS);
    statements
}

fn score(finding: &TaskFinding) -> f64 {
    if finding.score.is_finite() { finding.score.clamp(0.0, 1.0) } else { 0.0 }
}

/// The findings best first, a repeat folded into the first that says it; of its ids one per source is kept.
fn distinct(findings: &[TaskFinding]) -> Vec<MergedStatement<'_>> {
    let mut order: Vec<&TaskFinding> = findings.iter().filter(|f| !f.statement.trim().is_empty()).collect();
    order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.id.cmp(&b.id)));
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kept: Vec<(MergedStatement<'_>, Vec<u32>, Option<Wording>)> = Vec::new();
    for finding in order {
        let text = finding.statement.trim();
        let wording = (kept.len() < COMPARED).then(|| Wording::from_statement(text));
        let twin = known.get(text).copied().or_else(|| {
            let repeats =
                |held: &Option<Wording>| held.as_ref().zip(wording.as_ref()).is_some_and(|(a, b)| a.repeats(b));
            kept.iter().position(|(_, _, held)| repeats(held))
        });
        match twin {
            Some(at) => {
                let (statement, sources, _) = &mut kept[at];
                if !sources.contains(&finding.source) {
                    sources.push(finding.source);
                    statement.ids.push(finding.id);
                }
            }
            None => {
                known.insert(text, kept.len());
                kept.push((MergedStatement { finding, ids: vec![finding.id] }, vec![finding.source], wording));
            }
        }
    }
    kept.into_iter().map(|(statement, ..)| statement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(id: u32, source: u32, statement: &str, score: f64) -> TaskFinding {
        TaskFinding {
            id,
            topic: String::new(),
            statement: statement.to_owned(),
            title: format!("Source {source}"),
            source,
            score,
        }
    }

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    fn report(findings: Vec<TaskFinding>, target_tokens: u64) -> String {
        synthesize(
            &SynthesizeTask {
                status: None,
                notes: Vec::new(),
                raw_notes: Vec::new(),
                query: "the dam".to_owned(),
                findings,
                target_tokens,
            },
            &words,
        )
        .markdown
    }

    #[test]
    fn the_best_findings_open_and_the_rest_are_points() {
        let found =
            report(vec![finding(1, 1, "The dam is old.", 0.6), finding(2, 2, "The dam holds water.", 0.9)], 1_000);
        assert_eq!(found, "# the dam\n\nThe dam holds water. [2] The dam is old. [1]\n");
    }

    #[test]
    fn what_several_sources_say_is_said_once_with_all_of_them() {
        let found = report(
            vec![
                finding(1, 1, "The dam is old.", 0.6),
                finding(2, 2, "The dam is old.", 0.6),
                finding(3, 2, "The dam is old", 0.5),
                finding(4, 3, "The dam is not old.", 0.5),
            ],
            1_000,
        );
        assert_eq!(found, "# the dam\n\nThe dam is old. [1][2] The dam is not old. [4]\n");
        let far = report(vec![finding(1, 1, "The dam is old.", 0.6), finding(2, 2, "The dam is wet.", 0.29)], 1_000);
        assert_eq!(far, "# the dam\n\nThe dam is old. [1]\n\n- The dam is wet. [2]\n");
        let long = |n: u32, chars: usize| finding(n, n, &format!("{n}{}", "x".repeat(chars - 1)), 0.9);
        for (chars, points) in [(299, 0), (300, 0), (301, 1)] {
            assert_eq!(report(vec![long(1, 300), long(2, chars)], 10_000).matches("\n- ").count(), points, "{chars}");
        }
    }

    #[test]
    fn nothing_is_shown_to_fill_a_page() {
        let weak = (2..9).map(|n| finding(n, n, &format!("Nothing {n} of it."), 0.9 * FLOOR - 0.01));
        let found = report(std::iter::once(finding(1, 1, "The dam.", 0.9)).chain(weak).collect(), 1_000);
        assert_eq!(found, "# the dam\n\nThe dam. [1]\n");
        assert_eq!(report(Vec::new(), 1_000), "# the dam\n\nNo passage of the sources answers this question.\n");
    }

    #[test]
    fn a_report_holds_an_opening_and_six_points_at_most_and_fits_its_tokens() {
        let many = || (1..20).map(|n| finding(n, n, &format!("The dam number {n} stands."), 0.9)).collect::<Vec<_>>();
        let full = report(many(), 1_000);
        assert_eq!(full.matches("stands").count(), 9);
        let tokens = words(&full);
        for (target, statements) in [(tokens, 9), (tokens - 1, 8), (1, 1), (0, 1)] {
            assert_eq!(report(many(), target).matches("stands").count(), statements, "{target}");
        }
    }

    #[test]
    fn a_question_that_compares_gets_a_table_with_a_row_for_each_thing() {
        let asked = |query: &str, findings: Vec<TaskFinding>, target_tokens| {
            synthesize(
                &SynthesizeTask {
                    status: None,
                    notes: Vec::new(),
                    raw_notes: Vec::new(),
                    query: query.to_owned(),
                    findings,
                    target_tokens,
                },
                &words,
            )
            .markdown
        };
        let findings = || {
            vec![
                finding(1, 1, "Alpha gives 30 days of notice.", 0.5),
                finding(2, 2, "Beta gives 60 days | of notice.", 0.4),
                finding(3, 3, "Alpha and Beta are contracts of 2024.", 0.3),
                finding(4, 1, "Alpha ends in May.", 0.31),
                finding(5, 1, "Alpha is far from the best of its row.", 0.29),
            ]
        };
        let head = "# Compare Alpha and Beta\n\nAlpha and Beta are contracts of 2024. [3]\n\n| Compared | Quotes |\n| --- | --- |\n";
        let rows = "| Alpha | Alpha gives 30 days of notice. [1] Alpha ends in May. [4] |\n| Beta | Beta gives 60 days \\| of notice. [2] |\n";
        assert_eq!(asked("Compare Alpha and Beta", findings(), 1_000), format!("{head}{rows}"));
        let short = asked("Compare Alpha and Beta", findings(), 1);
        assert!(short.contains("[1] |") && !short.contains("[4]"), "{short}");
        let german = asked("Vergleiche die Verträge", findings(), 1_000);
        assert!(german.contains("| Quelle | Zitate |") && german.contains("| Source 2 | Beta gives"), "{german}");
    }

    #[test]
    fn another_value_for_the_number_of_the_opening_stands_behind_it() {
        let query = "What is the cap on the penalty?";
        let mut findings = vec![
            finding(1, 1, "The penalty cap is 5 % of the price.", 0.9),
            finding(2, 2, "The penalty cap is 10 % of the price.", 0.1),
        ];
        findings.extend((3..9).map(|n| finding(n, 3, &format!("Delay number {n} has a penalty."), 0.8)));
        let task = SynthesizeTask {
            status: None,
            notes: Vec::new(),
            raw_notes: Vec::new(),
            query: query.to_owned(),
            findings,
            target_tokens: 1_000,
        };
        let found = synthesize(&task, &words).markdown;
        assert!(found.contains("[1]\n\n- The penalty cap is 10 % of the price. [2]\n- Delay"), "{found}");
    }

    #[test]
    fn long_statements_leave_room_for_fewer() {
        let long = |n: u32| finding(n, n, &format!("{n} {}", "x".repeat(498)), 0.9);
        assert_eq!(report((1..8).map(long).collect(), 10_000).matches("xx ").count(), 3);
    }
}

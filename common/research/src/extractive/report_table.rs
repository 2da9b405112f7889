//! A report as a table: statements of the sources about the things that a question compares, side by side.

use precis_evidence::compared;
use precis_evidence::compared::ComparableStatement;
use precis_evidence::question::comparing_words::compares;
use precis_evidence::question::elements;
use precis_evidence::question::elements::ComparisonElements;
use precis_proto::compare::ComparedBy;
use precis_proto::task::{ReportDraft, SynthesizeTask};
use precis_text::terms::terms;

use super::merged_statement::{FLOOR, MergedStatement, distinct, score};
use super::report;

/// Least share of the best score in a row; lower statements are left out. That of an opening, where it was measured; not measured on rows.
const ROW_FLOOR: f64 = report::OPENING_SHARE;
/// Factor on the score of a statement whose document is about one of the things, by its title: it says more of that thing than a document
/// that mentions it.
const TITLED: f64 = 1.25;
/// Factor on the score of an opening that compares: "A differs from B".
const COMPARES: f64 = 1.5;
/// Most statements of one row of a table. Chosen, not measured.
const MOST_IN_ROW: usize = 2;
/// Most rows.
const MOST_ROWS: usize = 8;

/// A comparison table for a report.
pub(super) struct ReportTable<'a> {
    /// What its rows are: things or sources.
    pub(super) by: ComparedBy,
    /// The best statement about several of the compared things.
    opening: Option<MergedStatement<'a>>,
    /// Names and statements, best first in each row.
    rows: Vec<(String, Vec<MergedStatement<'a>>)>,
}

/// The statements by the things the question compares, at most [`MOST_IN_ROW`] each; `None` if it compares nothing, or fewer than two rows
/// would have a statement.
pub(super) fn side_by_side(task: &SynthesizeTask, least: f64) -> Option<ReportTable<'_>> {
    let compared = elements::comparison_elements(&task.query)?;
    let mut statements = on_aspect(distinct(&task.findings), Some(&compared));
    statements.retain(|statement| score(statement.finding) >= least);
    let sources: Vec<String> = statements.iter().map(|s| s.finding.source.to_string()).collect();
    let placed: Vec<ComparableStatement<'_>> = statements
        .iter()
        .zip(&sources)
        .map(|(s, source)| ComparableStatement { text: &s.finding.statement, title: &s.finding.title, source })
        .collect();
    let (by, rows) = compared::assign(&compared, &placed)?;
    let floor = FLOOR * score(statements.first()?.finding);
    let element = |name: &str| compared.elements.iter().find(|element| element.name == name);
    let rows: Vec<(String, Vec<usize>)> = rows
        .into_iter()
        .map(|(name, held)| {
            let own = element(&name);
            let is_titled = |at: usize| own.is_some_and(|own| own.is_in(&statements[at].finding.title));
            let worth = |at: usize| score(statements[at].finding) * if is_titled(at) { TITLED } else { 1.0 };
            let best = held.iter().map(|at| worth(*at)).fold(0.0, f64::max);
            // Rows are not filled up: statements far below the best of their thing are left out.
            let mut near: Vec<usize> =
                held.into_iter().filter(|at| worth(*at) >= (ROW_FLOOR * best).max(floor)).collect();
            near.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)));
            (name, near)
        })
        .collect();
    if rows.iter().filter(|(_, held)| !held.is_empty()).count() < 2 {
        return None;
    }
    let on_several = |text: &str| compared.elements.iter().filter(|element| element.is_in(text)).count() > 1;
    let is_opening = |s: &&MergedStatement<'_>| score(s.finding) >= floor && on_several(&s.finding.statement);
    let is_comparing = |s: &MergedStatement<'_>| terms(&s.finding.statement).iter().any(|term| compares(term));
    let worth = |s: &MergedStatement<'_>| score(s.finding) * if is_comparing(s) { COMPARES } else { 1.0 };
    let openings = statements.iter().filter(|_| by == ComparedBy::Element).filter(is_opening);
    // The first of equals, as they are in order.
    let opening = openings.rev().max_by(|a, b| worth(a).total_cmp(&worth(b))).cloned();
    let row = |(name, held): (String, Vec<usize>)| {
        (name, held.into_iter().take(MOST_IN_ROW).map(|at| statements[at].clone()).collect())
    };
    Some(ReportTable { by, opening, rows: rows.into_iter().take(MOST_ROWS).map(row).collect() })
}

/// The table with as many statements as fit; the last of the longest row is removed first.
pub(super) fn shorten(task: &SynthesizeTask, mut table: ReportTable<'_>, count: &dyn Fn(&str) -> u64) -> ReportDraft {
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

/// The statements about the aspect in which things are compared; all statements if none is, or nothing is compared.
pub(super) fn on_aspect<'a>(
    statements: Vec<MergedStatement<'a>>,
    compared: Option<&ComparisonElements>,
) -> Vec<MergedStatement<'a>> {
    let Some(compared) = compared else { return statements };
    let is_told = |s: &MergedStatement<'_>| compared.aspect.is_in(&[&s.finding.statement, &s.finding.title]);
    if !statements.iter().any(is_told) {
        return statements;
    }
    statements.into_iter().filter(is_told).collect()
}

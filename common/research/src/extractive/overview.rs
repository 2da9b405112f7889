//! An overview: one short passage for each document, or for each section of a single document, below the heading that the document gives it.

use precis_context::markdown::escape;
use precis_language::overview;
use precis_proto::task::TaskFinding;
use precis_text::sentences::is_question;
use precis_text::terms::terms;

use super::merged_statement::{MergedStatement, score};

/// Most sections; the documents without one are listed with the sources.
pub(super) const MOST_SECTIONS: usize = 12;
/// Least and most characters of a passage that stands for a document. Chosen, not measured.
const LEAST_CHARS: usize = 40;
const MOST_CHARS: usize = 500;
/// Share of its terms with an earlier section from which a passage says too little that is new. Chosen, not measured.
const REPEATS: f64 = 0.6;

/// Whether `query` asks for an overview of documents.
#[must_use]
pub fn asks_for_overview(query: &str) -> bool {
    overview::asks_for_overview(&query.to_lowercase())
}

/// A passage below a heading.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OverviewSection<'a> {
    pub(super) heading: String,
    pub(super) statement: MergedStatement<'a>,
}

/// The sections of an overview, those of the most important documents first; `None` if `query` asks for something else, or there would be
/// fewer than two.
pub(super) fn sections<'a>(query: &str, statements: &[MergedStatement<'a>]) -> Option<Vec<OverviewSection<'a>>> {
    if !asks_for_overview(query) {
        return None;
    }
    let is_one = statements.windows(2).all(|pair| pair[0].finding.source == pair[1].finding.source);
    let mut fit: Vec<&MergedStatement<'a>> = statements.iter().filter(|statement| fits(statement.finding)).collect();
    fit.sort_by(|a, b| score(b.finding).total_cmp(&score(a.finding)));
    let mut chosen: Vec<OverviewSection<'a>> = Vec::new();
    let mut said: Vec<Vec<String>> = Vec::new();
    for statement in fit {
        let Some(heading) = heading(statement.finding, is_one) else { continue };
        let own = terms(&statement.finding.statement);
        let is_known = |section: &OverviewSection<'_>| {
            let other = section.statement.finding;
            section.heading == heading || (!is_one && other.source == statement.finding.source)
        };
        if chosen.iter().any(is_known) || said.iter().any(|other| common_share(&own, other) >= REPEATS) {
            continue;
        }
        said.push(own);
        chosen.push(OverviewSection { heading, statement: statement.clone() });
        if chosen.len() == MOST_SECTIONS {
            break;
        }
    }
    (chosen.len() > 1).then_some(chosen)
}

/// Whether a finding can stand for its document: a whole sentence of some length that asks nothing and announces nothing.
fn fits(finding: &TaskFinding) -> bool {
    let text = finding.statement.trim();
    let chars = text.chars().count();
    (LEAST_CHARS..=MOST_CHARS).contains(&chars) && !is_question(text) && !text.ends_with([':', '：'])
}

/// The title of its document, or in an overview of one document the heading above it.
fn heading(finding: &TaskFinding, is_one: bool) -> Option<String> {
    let heading = if is_one { finding.headings.last() } else { Some(&finding.title) };
    heading
        .map(|heading| heading.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|heading| !heading.is_empty())
}

/// Share of the terms of `own` that are in `other`.
fn common_share(own: &[String], other: &[String]) -> f64 {
    let held = own.iter().filter(|term| other.contains(term)).count();
    held as f64 / own.len().max(1) as f64
}

/// The report on `sections`, below `title`.
pub(super) fn write(
    title: &str,
    sections: &[OverviewSection<'_>],
    line: impl Fn(&MergedStatement<'_>) -> String,
) -> String {
    let section = |one: &OverviewSection<'_>| format!("## {}\n\n{}\n", escape(&one.heading), line(&one.statement));
    format!("{title}{}", sections.iter().map(section).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::merged_statement::distinct;
    use super::*;

    fn finding(id: u32, source: u32, heading: &str, statement: &str) -> TaskFinding {
        TaskFinding {
            id,
            topic: String::new(),
            statement: statement.to_owned(),
            title: format!("Document {source}"),
            source,
            score: 1.0 - f64::from(id) / 100.0,
            headings: vec![heading.to_owned()],
            path: String::new(),
            context: Vec::new(),
            similarity: None,
        }
    }

    fn heads(query: &str, findings: &[TaskFinding]) -> Option<Vec<String>> {
        Some(sections(query, &distinct(findings))?.into_iter().map(|section| section.heading).collect())
    }

    const ALL: &str = "What are the main risks and results?";

    #[test]
    fn each_document_has_one_passage_below_its_title() {
        let found = [
            finding(1, 1, "Risks", "The harbour may freeze in a hard winter, and then no ferry leaves it."),
            finding(2, 1, "Risks", "The crew of the ferry is small, and nobody stands in for the captain."),
            finding(3, 2, "Results", "The mill ground twice as much grain in that year as in the year before."),
            finding(4, 3, "Results", "Too short."),
            finding(5, 4, "Results", "What did the school achieve in all these years of hard work by many?"),
            finding(6, 5, "Results", "The mill ground twice as much grain in that year as in the year before it."),
        ];
        assert_eq!(heads(ALL, &found), Some(vec!["Document 1".to_owned(), "Document 2".to_owned()]));
        assert_eq!(heads("When does the harbour freeze?", &found), None);
        assert_eq!(heads(ALL, &found[..2]), None, "one document, one heading");
    }

    #[test]
    fn a_single_document_has_a_passage_below_each_of_its_headings() {
        let found = [
            finding(1, 1, "Risks", "The harbour may freeze in a hard winter, and then no ferry leaves it."),
            finding(2, 1, "Crew", "The crew of the ferry is small, and nobody stands in for the captain."),
        ];
        assert_eq!(heads(ALL, &found), Some(vec!["Risks".to_owned(), "Crew".to_owned()]));
    }

    #[test]
    fn an_overview_has_so_many_sections_and_no_more() {
        let words =
            ["harbour", "mill", "school", "bridge", "tower", "market", "garden", "church", "station", "library"];
        for (count, sections) in
            [(MOST_SECTIONS - 1, MOST_SECTIONS - 1), (MOST_SECTIONS, MOST_SECTIONS), (MOST_SECTIONS + 1, MOST_SECTIONS)]
        {
            let number = |n: usize| u32::try_from(n).expect("small");
            let sentence = |n: usize| {
                let one = words[n % words.len()];
                format!("{one}{n} has keepers{n} who mend its windows{n} and sweep every floor{n} once{n} daily{n}.")
            };
            let found: Vec<TaskFinding> =
                (1..=count).map(|n| finding(number(n), number(n), "", &sentence(n))).collect();
            assert_eq!(heads(ALL, &found).map_or(0, |found| found.len()), sections, "{count}");
        }
    }
}

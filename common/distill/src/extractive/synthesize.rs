//! Findings to a report: the answer first, then sections, each statement verbatim with its citation.

use std::collections::BTreeSet;

use precis_proto::task::{ReportDraft, SynthesizeTask, TaskFinding};

use super::mmr::{self, Item};
use super::phrases::phrases;
use super::pool::{self, Sentence};
use super::query::is_covered;
use super::repeats::Wording;
use super::report;
use super::themes::Headings;
use super::vectors::{Vector, cosine, vectors};
use crate::{sentences, terms};

/// Most statements of a report on one source, whatever the target allows: more is a list, not a report. Chosen, not measured.
const MOST_STATEMENTS: usize = 18;
/// Most statements of any report; each source beyond the first adds one until then.
const MOST_STATEMENTS_EVER: usize = 40;
/// A statement worth less than this share of the best is left out, unless there are too few.
const FLOOR: f64 = 0.38;
/// So many are shown whatever they are worth.
const FEWEST_STATEMENTS: usize = 6;
/// Share of the final worth that the finding's own score keeps.
const GIVEN_SHARE: f64 = 0.5;
/// Cosine from which two statements are compared word by word.
const ALIKE: f64 = 0.8;

/// A statement with everything it stands on.
#[derive(Debug, Clone)]
pub(super) struct Entry<'a> {
    /// The finding that is shown.
    pub(super) finding: &'a TaskFinding,
    /// Its id, then the ids of findings of other sources that say the same.
    pub(super) ids: Vec<u32>,
    /// Position among the entries.
    pub(super) member: usize,
    /// What it says.
    pub(super) vector: Vector,
    /// Share of the question it speaks to, 0 to 1.
    pub(super) matched: f64,
    /// How whole it is, 0 to 1.
    pub(super) quality: f64,
    /// Importance, 0 to 1.
    pub(super) worth: f64,
}

/// Writes the report: the question as title, the answer as opening paragraph, sections with headings drawn from the text.
///
/// It holds as many statements as fit `task.target_tokens` as `count` counts them, at least one; without findings it says
/// that no passage answers the question. Statements are escaped as [`super::markdown`] tells.
#[must_use]
pub fn synthesize(task: &SynthesizeTask, count: &dyn Fn(&str) -> u64) -> ReportDraft {
    let entries = entries(task);
    let order = order(&entries);
    let chosen: Vec<&Entry<'_>> = order.iter().map(|&i| &entries[i]).collect();
    if chosen.is_empty() {
        return ReportDraft { markdown: report::nothing_found(&task.query) };
    }
    let texts: Vec<&str> = entries.iter().map(|entry| entry.finding.statement.trim()).collect();
    let phrases = phrases(&texts);
    let asked = asked(task);
    let is_asked = |phrase: &str| is_covered(&terms::terms(phrase), &asked);
    let headings = Headings { phrases: &phrases, is_asked: &is_asked };
    let mut size = prefix(&chosen, task.target_tokens, count);
    loop {
        let markdown = report::write(&task.query, &chosen[..size], headings);
        if size <= 1 || count(&markdown) <= task.target_tokens {
            return ReportDraft { markdown };
        }
        size -= 1;
    }
}

/// Terms that say nothing new as a heading: those of the question and, where there is one source, of its title.
fn asked(task: &SynthesizeTask) -> Vec<String> {
    let mut asked = terms::query_terms(&task.query);
    if let [first, rest @ ..] = task.findings.as_slice()
        && rest.iter().all(|f| f.source == first.source)
    {
        asked.extend(terms::terms(&first.title));
    }
    asked
}

/// How many of `chosen` fit by their own cost; headings come on top, so this is where the search starts.
fn prefix(chosen: &[&Entry<'_>], target: u64, count: &dyn Fn(&str) -> u64) -> usize {
    let mut spent = 0;
    let fitting = chosen.iter().take_while(|entry| {
        spent += count(&report::statement(entry));
        spent <= target
    });
    fitting.count().max(1)
}

/// The findings without repeats, ranked against the question and each other.
fn entries(task: &SynthesizeTask) -> Vec<Entry<'_>> {
    let merged = merge(&task.findings);
    let sentences = merged.iter().map(|(finding, _)| Sentence {
        text: &finding.statement,
        title: &finding.title,
        source: finding.source,
        prior: score(finding),
        quality: sentences::quality(&finding.statement),
    });
    let pool = pool::rank(&task.query, sentences.collect());
    let entry = |(index, vector): (usize, Vector)| {
        let (finding, ids) = &merged[pool.origin[index]];
        let quality = pool.sentences[index].quality;
        let worth = GIVEN_SHARE * score(finding) + (1.0 - GIVEN_SHARE) * pool.worth[index];
        Entry {
            finding,
            ids: ids.clone(),
            member: index,
            vector,
            matched: pool.matched[index],
            quality,
            worth: mmr::rounded(worth),
        }
    };
    pool.vectors.iter().cloned().enumerate().map(entry).collect()
}

fn score(finding: &TaskFinding) -> f64 {
    if finding.score.is_finite() { finding.score.clamp(0.0, 1.0) } else { 0.0 }
}

/// The findings in order, a repeat folded into the first that says it; of its ids only one per source is kept.
fn merge(findings: &[TaskFinding]) -> Vec<(&TaskFinding, Vec<u32>)> {
    let spoken: Vec<&TaskFinding> = findings.iter().filter(|f| !f.statement.trim().is_empty()).collect();
    let documents: Vec<Vec<String>> = spoken.iter().map(|f| terms::terms(&f.statement)).collect();
    let vectors = vectors(&documents);
    let mut kept: Vec<(usize, Vec<u32>, Vec<u32>, Wording)> = Vec::new();
    for (index, finding) in spoken.iter().enumerate() {
        let wording = Wording::of(&finding.statement);
        let twin = kept
            .iter_mut()
            .find(|(first, _, _, other)| cosine(&vectors[*first], &vectors[index]) >= ALIKE && other.repeats(&wording));
        match twin {
            Some((_, ids, sources, _)) if !sources.contains(&finding.source) => {
                ids.push(finding.id);
                sources.push(finding.source);
            }
            Some(_) => {}
            None => kept.push((index, vec![finding.id], vec![finding.source], wording)),
        }
    }
    kept.into_iter().map(|(index, ids, _, _)| (spoken[index], ids)).collect()
}

/// Positions of the statements to show, best first.
fn order(entries: &[Entry<'_>]) -> Vec<usize> {
    let items: Vec<Item<'_>> =
        entries.iter().map(|e| Item { score: e.worth, source: e.finding.source, vector: &e.vector }).collect();
    let best = entries.iter().map(|e| e.worth).fold(0.0, f64::max);
    let sources: BTreeSet<u32> = entries.iter().map(|e| e.finding.source).collect();
    let most = (MOST_STATEMENTS + sources.len().saturating_sub(1)).min(MOST_STATEMENTS_EVER);
    let mut order = mmr::select(&items, most);
    let sound = order.iter().filter(|&&i| entries[i].worth >= FLOOR * best).count();
    order.sort_by(|&a, &b| (entries[a].worth < FLOOR * best).cmp(&(entries[b].worth < FLOOR * best)));
    order.truncate(sound.max(FEWEST_STATEMENTS));
    order
}

#[cfg(test)]
mod tests {
    use super::super::markdown::unescape;
    use super::*;

    fn finding(id: u32, source: u32, statement: &str) -> TaskFinding {
        let score = 1.0 - f64::from(id) / 100.0;
        TaskFinding {
            id,
            topic: String::new(),
            statement: statement.into(),
            title: format!("Source {source}"),
            source,
            score,
        }
    }

    fn task(query: &str, statements: &[(u32, &str)], target_tokens: u64) -> SynthesizeTask {
        let findings = statements.iter().zip(1..).map(|((source, text), id)| finding(id, *source, text)).collect();
        SynthesizeTask { query: query.into(), findings, target_tokens }
    }

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    const HEATING: [(u32, &str); 9] = [
        (1, "A heat pump warms the house with a third of the power."),
        (2, "The solar panel on the roof feeds the heating of the house."),
        (1, "The noise of a heat pump is low at night."),
        (3, "Every solar panel loses some power with age."),
        (2, "The house saves money when the heat pump runs at noon."),
        (3, "The price of a solar panel fell by half in ten years."),
        (4, "The state pays a part of the heating of old houses."),
        (4, "Old houses need thick walls before anything else."),
        (1, "A heat pump warms the house with a third of the power."),
    ];

    #[test]
    fn a_report_has_a_title_an_answer_and_distinct_sections() {
        let report = synthesize(&task("How can a house be heated?", &HEATING, 1_000), &words).markdown;
        let headings: Vec<&str> = report.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(headings[0], "# How can a house be heated?");
        let mut distinct = headings.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), headings.len());
        assert!(headings.contains(&"## Solar panel"), "{report}");
        assert!(report.lines().nth(2).is_some_and(|opening| opening.matches('[').count() == 3), "{report}");
    }

    #[test]
    fn every_statement_is_verbatim_once_and_carries_its_ids() {
        let task = task("How can a house be heated?", &HEATING, 1_000);
        let report = synthesize(&task, &words).markdown;
        for finding in &task.findings[..8] {
            assert_eq!(unescape(&report).matches(&finding.statement).count(), 1, "{}", finding.statement);
            assert!(report.contains(&format!("[{}]", finding.id)));
        }
    }

    #[test]
    fn a_repeat_adds_its_id_only_when_it_comes_from_another_source() {
        let said = "The heat pump warms the house.";
        let report = synthesize(&task("heat", &[(1, said), (1, said), (2, said)], 100), &words).markdown;
        assert!(report.contains(&format!("{said} [1][3]")), "{report}");
        let against = "The heat pump never warms the house.";
        let report = synthesize(&task("heat", &[(1, said), (2, against)], 100), &words).markdown;
        assert!(!report.contains("[1][2]"), "{report}");
    }

    #[test]
    fn a_report_fits_its_target_and_one_token_less_costs_a_statement() {
        let at = |target| synthesize(&task("How can a house be heated?", &HEATING, target), &words).markdown;
        let full = words(&at(1_000));
        assert_eq!((words(&at(full)), words(&at(full + 1))), (full, full));
        assert!(words(&at(full - 1)) < full);
        for target in 25..full {
            assert!(words(&at(target)) <= target, "{target}");
        }
    }

    #[test]
    fn brackets_and_marks_of_a_source_are_no_citations_and_no_markdown() {
        let said = "As shown in [12], the *best* of a < b is # 1 of all_cases in the field.";
        let report = synthesize(&task("best", &[(1, said)], 100), &words).markdown;
        assert!(report.contains("\\[12\\]") && unescape(&report).contains(said), "{report}");
    }

    #[test]
    fn without_findings_the_report_says_so_and_a_long_question_is_cut() {
        let report = synthesize(&task(&"word ".repeat(80), &[], 100), &words).markdown;
        assert!(report.contains("No passage of the sources answers this question."));
        assert!(report.lines().next().is_some_and(|title| title.chars().count() <= 123 && title.ends_with("word…")));
    }

    #[test]
    fn the_same_task_gives_the_same_bytes_and_odd_scores_do_no_harm() {
        let mut task = task("heated house", &HEATING, 400);
        task.findings[2].score = f64::NAN;
        task.findings[3].score = f64::INFINITY;
        assert_eq!(synthesize(&task, &words), synthesize(&task, &words));
    }
}

//! The compress task: from each passage the adjacent sentences that answer best, with their positions.

use precis_proto::task::{CompressTask, FindingDraft, FindingDrafts};
use precis_text::equal_words::equal_words;

use super::clauses_asked::{asked_clauses, is_full};
use super::merged_statement::FLOOR;
use super::mmr::round_six;
use super::sentence_candidate::{Prepared, SentenceCandidate, candidates};

/// What the score of the best answer to a clause is above the next.
const LEADING_STEP: f64 = 1e-6;

/// Selects at most `task.max_findings` findings, best first. Those of other sources in the same words are added without counting.
///
/// Each statement is exactly the characters `span` of its passage: one to three whole sentences of one block. Scores are 0 to 1 and
/// comparable between tasks of one question. A passage without quotable sentences gives no finding.
#[must_use]
pub fn compress(task: &CompressTask) -> FindingDrafts {
    let prepared = Prepared::new(task);
    let mut candidates = candidates(&prepared, (&task.query, &task.topic));
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    let leading = leading(&prepared, candidates.first().map_or(0.0, |best| best.score));
    candidates.splice(0..0, leading);
    let mut chosen: Vec<(&SentenceCandidate<'_>, String)> = Vec::new();
    let mut distinct = 0;
    for candidate in &candidates {
        let words = equal_words(&candidate.statement_text());
        let same = |(other, held): &&(&SentenceCandidate<'_>, String)| overlap(other, candidate) || *held == words;
        let mut known = chosen.iter().filter(same).peekable();
        let is_new = known.peek().is_none();
        let is_own = known.any(|(other, _)| other.passage.source == candidate.passage.source);
        if is_own || (is_new && distinct >= task.max_findings) {
            continue;
        }
        distinct += usize::from(is_new);
        chosen.push((candidate, words));
    }
    FindingDrafts { findings: chosen.into_iter().map(|(candidate, _)| draft(candidate)).collect() }
}

/// The best candidate for each clause of a question that has several, in their order, with scores above the `best` of the whole: a question
/// in two parts is answered part by part, and not by what has a word of each. A clause that names nothing new has none of its own: alone, it
/// would be answered by whatever document.
fn leading<'t>(prepared: &Prepared<'t>, best: f64) -> Vec<SentenceCandidate<'t>> {
    let clauses = asked_clauses(&prepared.task.query);
    let full = (0..clauses.len()).filter(|at| is_full(&clauses, *at));
    let found = full.filter_map(|at| {
        let own = candidates(prepared, (&clauses[at], "")).into_iter();
        own.reduce(|a, b| if b.score > a.score { b } else { a }).filter(|own| own.score >= FLOOR * best)
    });
    let found: Vec<SentenceCandidate<'t>> = found.collect();
    let places = (1..=found.len()).rev();
    let above = |place: usize| round_six((best + LEADING_STEP * place as f64).min(1.0));
    found.into_iter().zip(places).map(|(found, place)| SentenceCandidate { score: above(place), ..found }).collect()
}

/// Whether both are from one source and one contains the other: adjacent passages share the sentence at their border.
fn overlap(a: &SentenceCandidate<'_>, b: &SentenceCandidate<'_>) -> bool {
    a.passage.source == b.passage.source
        && (a.shown_text().contains(b.shown_text()) || b.shown_text().contains(a.shown_text()))
}

fn draft(candidate: &SentenceCandidate<'_>) -> FindingDraft {
    let window = &candidate.window;
    FindingDraft {
        statement: candidate.shown_text().to_owned(),
        passages: vec![candidate.passage.id],
        span: Some(candidate.window.range),
        is_list: candidate.window.is_list,
        score: candidate.score,
        answer: if window.answer == window.range { Vec::new() } else { vec![window.answer] },
        similarity: window.similarity,
    }
}

#[cfg(test)]
mod tests;

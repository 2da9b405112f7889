//! Finishes the research record of a report after its documents were read: open parts, answer status, hit counts.

use std::collections::BTreeMap;

use precis_proto::Phase;
use precis_proto::answer::{Answer, AnswerStatus};
use precis_proto::ledger::SpendRow;
use precis_proto::research::{Answered, GatheringResult, Research, Served};
use precis_proto::response::{ReportData, SourceRow};
use precis_proto::source::DUPLICATE;
use precis_proto::task::{Role, TaskFinding};
use precis_research::extractive::{Searched, judge};
use precis_research::typed_disagreements::typed_disagreements;
use precis_research::{CORPUS, gathering_warnings};

use crate::answered::{AnswerBasis, ReportSaid, answer_line};
use crate::open_parts::{agree, agree_with_report};

/// The answer status of `query` given `findings`, as a report on this research will show it; `None` if the question has no term to judge
/// by.
#[must_use]
pub fn answer_status(query: &str, findings: &[TaskFinding], research: &Research) -> Option<Answer> {
    let searched = Searched {
        is_covered: research.coverage.iter().any(|row| row.answered > Answered::No),
        unknown_words: research.unknown_words.len(),
    };
    let mut answer = judge(query, findings, Some(searched))?;
    if answer.status == AnswerStatus::NotInDocuments && has_answered_part(findings, research, searched) {
        answer.status = AnswerStatus::Partly;
    }
    agree(&mut research.clone(), &mut answer);
    Some(answer)
}

/// Whether a part that stands for itself is answered: of a question of several parts, the findings on one say little about the whole.
fn has_answered_part(findings: &[TaskFinding], research: &Research, searched: Searched) -> bool {
    let is_base = |id: &String| research.plan.iter().any(|other| other.after.contains(id));
    let mut alone = research.plan.iter().filter(|part| part.after.is_empty() && !is_base(&part.id));
    let is_answered = |text: &str| {
        judge(text, findings, Some(searched)).is_some_and(|answer| answer.status != AnswerStatus::NotInDocuments)
    };
    research.plan.len() > 1 && alone.any(|part| is_answered(&part.text))
}

/// Writes the finished research record into a report whose documents were read, and which says what is `said`. Hits in a chosen document
/// that could not be read count as failed; if no document was read, the question has no answer. A part of the question is open if the
/// report, as it is written, says too little of it.
pub fn tell(settled: GatheringResult, said: &ReportSaid, data: &mut ReportData) {
    let GatheringResult { mut research, chosen, numbers, .. } = settled;
    for row in &mut data.sources {
        row.number = [&row.path, &row.url].into_iter().flatten().find_map(|document| numbers.get(document).copied());
    }
    let fine = |row: &SourceRow| row.failure.as_ref().is_none_or(|failure| failure.code == DUPLICATE);
    let is_read = |document: &String| {
        let is_it = |row: &&SourceRow| row.path.as_ref() == Some(document) || row.url.as_ref() == Some(document);
        data.sources.iter().filter(is_it).any(fine)
    };
    for (_, hits) in chosen.iter().filter(|(document, _)| !is_read(document)) {
        unread(&mut research, *hits);
    }
    if !data.sources.iter().any(fine) {
        let status = AnswerStatus::NotInDocuments;
        data.answer = Some(Answer { status, line: String::new(), parts: Vec::new() });
    }
    if let Some(mut answer) = data.answer.take() {
        agree_with_report(&mut research, &mut answer, said);
        answer.line = answer_line(&answer, &AnswerBasis::of(data));
        data.answer = Some(answer);
    }
    data.spend.extend(searches(&research));
    research.disagreements = typed_disagreements(data);
    gathering_warnings::renew(&mut data.warning_details, &research);
    data.research = Some(research);
}

/// Spend rows of searches, one for each provider, by name; folder searches cost nothing and have no row.
fn searches(research: &Research) -> Vec<SpendRow> {
    let mut rows: BTreeMap<&str, SpendRow> = BTreeMap::new();
    let directives = research.rounds.iter().flat_map(|round| &round.directives);
    for query in directives.flat_map(|directive| &directive.queries).filter(|query| query.provider != CORPUS) {
        let row = rows
            .entry(&query.provider)
            .or_insert_with(|| SpendRow::new(Some(Phase::Gathering), Role::Research, &query.provider));
        row.cost_usd += query.usd;
        match query.served {
            Served::Paid => row.searches += 1,
            Served::Memo => row.cached_searches += 1,
            Served::Log | Served::None => {}
        }
    }
    rows.into_values().filter(|row| row.searches + row.cached_searches > 0).collect()
}

/// Moves the `hits` of a chosen document that could not be read from read to failed.
fn unread(research: &mut Research, hits: u32) {
    let moved = hits.min(research.hits.read);
    research.hits.read -= moved;
    research.hits.failed += moved;
    research.budget.sources[0] = research.budget.sources[0].saturating_sub(1);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::open_parts::tests::research;

    #[test]
    fn searches_of_a_provider_are_a_row_and_those_of_folders_none() {
        let mut research = research([Answered::Yes, Answered::Yes], &[]);
        let query = |provider: &str, served: &str, usd: f64| {
            json!({ "n": 1, "text": "t", "provider": provider, "hits": 0, "new": 0, "related": 0, "duplicate": 0, "served": served,
                "usd": usd })
        };
        let round = json!({
            "n": 1, "decision": "stop", "reason": "r", "coverage": [],
            "directives": [{
                "id": "r1.d1", "sub_questions": [], "topic": "t", "stopped": "complete",
                "queries": [
                    query("corpus", "paid", 0.0), query("fake", "paid", 0.25), query("fake", "memo", 0.0), query("fake", "log", 0.0),
                    query("fake", "paid", 0.25), query("other", "none", 0.0),
                ],
                "turns": 0, "tool_calls": 0, "tool_parse_failures": 0,
                "inventory": { "lines": [], "data_points": 0, "sources": 0, "domains": 0 },
            }],
        });
        research.rounds = vec![serde_json::from_value(round).expect("a round")];
        let rows = searches(&research);
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((row.provider.as_str(), row.searches, row.cached_searches, row.calls), ("fake", 2, 1, 0));
        assert!((row.cost_usd - 0.5).abs() < 1e-9);
    }

    #[test]
    fn hits_in_an_unreadable_document_fail_and_still_add_up() {
        for (hits, read, failed) in [(0, 5, 0), (2, 3, 2), (9, 0, 5)] {
            let mut research = research([Answered::Yes; 2], &[]);
            unread(&mut research, hits);
            assert_eq!((research.hits.read, research.hits.failed, research.budget.sources[0]), (read, failed, 1));
        }
    }
}

//! Records for each source the level of the researchers' notes about it, if messages were dropped from their windows.

use std::collections::BTreeMap;

use precis_proto::research::{Directive, GatheringResult, NotesFidelity};
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId};

/// Adds to the extraction record of each source how many messages about it were dropped from the window of a directive, after how many
/// overflows, and to which level that lowered the researcher's notes. The level of the source itself is unchanged: its text is read
/// whole, whatever a researcher could see.
pub fn unseen(state: &mut SessionState, gathered: &GatheringResult) {
    let documents: BTreeMap<u32, &String> = gathered.numbers.iter().map(|(document, n)| (*n, document)).collect();
    for directive in gathered.research.rounds.iter().flat_map(|round| &round.directives) {
        for (number, messages) in dropped_by_document(directive) {
            let Some(document) = documents.get(&number) else { continue };
            let is_it = |at: &Option<String>| at.as_ref() == Some(*document);
            let source = state.sources.iter().find(|source| is_it(&source.path) || is_it(&source.url));
            let Some(source_id) = source.map(|source| source.source_id.clone()) else { continue };
            note(state, &source_id, line(directive, number, messages));
        }
    }
}

/// Number of dropped messages of a directive for each document number they mention.
fn dropped_by_document(directive: &Directive) -> BTreeMap<u32, usize> {
    let mut dropped: BTreeMap<u32, usize> = BTreeMap::new();
    for number in directive.dropped_messages.iter().flat_map(|message| &message.sources) {
        *dropped.entry(*number).or_default() += 1;
    }
    dropped
}

fn line(directive: &Directive, number: u32, messages: usize) -> String {
    let noun = if messages == 1 { "message" } else { "messages" };
    let retries = if directive.overflow_retries == 1 { "retry" } else { "retries" };
    let dropped = format!(
        "{messages} {noun} about it dropped from the window of {} after {} {retries}",
        directive.id, directive.overflow_retries
    );
    // Directives of older versions have no levels.
    match directive.notes_fidelity.iter().find(|notes| notes.n == number) {
        Some(NotesFidelity { level, tokens_before, tokens_after, .. }) => {
            format!("{dropped}: its notes there are {}, {tokens_after} of {tokens_before} tokens", level.as_str())
        }
        None => dropped,
    }
}

fn note(state: &mut SessionState, source_id: &SourceId, line: String) {
    let phases = state.content_fidelity.0.get_mut(source_id).map(|item| &mut item.phases);
    let Some(record) = phases.and_then(|phases| phases.get_mut(&Phase::Extraction)) else { return };
    if !record.warnings.contains(&line) {
        record.warnings.push(line);
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::Timestamp;
    use precis_proto::fidelity::FidelityLevel;
    use serde_json::json;

    use super::super::fixture::session;
    use super::super::records::record;
    use super::*;

    /// With levels for document 4 only.
    fn gathered(dropped: &[&[u32]], retries: u32) -> GatheringResult {
        let message = |sources: &&[u32]| json!({ "n": 2, "role": "result", "why": "window", "sources": sources });
        let messages: Vec<_> = dropped.iter().map(message).collect();
        let directive = json!({
            "id": "r1.d2", "sub_questions": [], "topic": "t", "stopped": "complete", "queries": [],
            "inventory": { "sources": 0, "domains": 0, "lines": [], "data_points": 0 },
            "dropped_messages": messages, "overflow_retries": retries,
            "notes_fidelity": [{ "n": 4, "level": "headline", "tokens_before": 90, "tokens_after": 12 }],
        });
        let research = json!({
            "brief": {
                "question": "q", "restated": "q", "type": "fact", "complexity": "simple", "language": "en", "assumptions": [],
                "written_by": "m",
            },
            "plan": [], "rounds": [{ "n": 1, "decision": "stop", "reason": "r", "coverage": [], "directives": [directive] }],
            "coverage": [], "disagreements": [], "stop": "covered", "unanswered": [],
            "hits": { "found": 0, "read": 0, "duplicate": 0, "below_cut": 0, "over_budget": 0, "refused": 0, "failed": 0 },
            "budget": { "rounds": [1, 3], "searches": [1, 4], "sources": [2, 10] },
        });
        let numbers = json!({ "a.md": 4, "b.md": 7 });
        serde_json::from_value(json!({ "research": research, "chosen": [], "numbers": numbers })).expect("a result")
    }

    #[test]
    fn content_dropped_from_a_window_is_recorded_on_its_source() {
        for (dropped, retries, want) in [
            (&[][..], 0, vec![vec![], vec![]]),
            (
                &[&[4][..], &[4, 9]],
                0,
                vec![
                    vec![
                        "2 messages about it dropped from the window of r1.d2 after 0 retries: its notes there are headline, 12 of 90 tokens",
                    ],
                    vec![],
                ],
            ),
            (
                &[&[4, 7]],
                1,
                vec![
                    vec![
                        "1 message about it dropped from the window of r1.d2 after 1 retry: its notes there are headline, 12 of 90 tokens",
                    ],
                    vec!["1 message about it dropped from the window of r1.d2 after 1 retry"],
                ],
            ),
        ] {
            let mut state = session(Phase::Extraction, &[10, 10]);
            for (at, path) in ["a.md", "b.md"].into_iter().enumerate() {
                state.sources[at].path = Some(path.to_owned());
                let id = state.sources[at].source_id.clone();
                let read = record(&state, &id, FidelityLevel::Raw, 10, Timestamp(0));
                state.content_fidelity.record(&id, Phase::Extraction, read);
            }
            for _ in 0..2 {
                unseen(&mut state, &gathered(dropped, retries));
            }
            for (source, want) in state.sources.iter().zip(want) {
                let record = state.content_fidelity.get(&source.source_id, Phase::Extraction).expect("recorded");
                assert_eq!(
                    (record.level, &record.warnings[..]),
                    (FidelityLevel::Raw, &want.iter().map(ToString::to_string).collect::<Vec<_>>()[..])
                );
            }
        }
    }
}

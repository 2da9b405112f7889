//! What researchers say of their directives in their own words, for whoever writes the report: no results of tools.

use precis_proto::research::RoundLog;
use precis_proto::state::SessionState;
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::planning::get;

/// Most words of a researcher's summary.
const SUMMARY_WORDS: usize = 100;

/// Returns a note for each directive that a model worked on, oldest first: its researcher's summary, then its thoughts. The gate gives them
/// the space that the findings leave, and cuts each at its end.
pub(super) async fn own_notes(session: &SessionState, ctx: &PhaseContext) -> Result<Vec<String>, PhaseError> {
    let mut notes = Vec::new();
    for round in session.research.iter().flat_map(|research| &research.rounds) {
        let logs: Vec<RoundLog> = get(round, &ctx.services().content).await?;
        notes.extend(logs.iter().flat_map(of_round));
    }
    Ok(notes)
}

fn of_round(log: &RoundLog) -> impl Iterator<Item = String> + '_ {
    let worked = log.assignments.iter().zip(&log.gathered);
    worked.filter(|(_, one)| !one.summary.is_empty() || !one.thoughts.is_empty()).map(|(assignment, one)| {
        let summary: Vec<&str> = one.summary.split_whitespace().take(SUMMARY_WORDS).collect();
        let head = format!("{}: {}", assignment.id, summary.join(" "));
        std::iter::once(head).chain(one.thoughts.iter().cloned()).collect::<Vec<_>>().join("\n")
    })
}

#[cfg(test)]
mod tests {
    use precis_proto::research::{Assignment, AssignmentResult, Lane};

    use super::*;

    #[test]
    fn a_note_is_a_short_summary_with_its_researchers_thoughts() {
        let assignment = Assignment {
            id: "r1.w1".to_owned(),
            lane: Lane::Web,
            sub_questions: Vec::new(),
            topic: "dams".to_owned(),
            perspective: String::new(),
            evidence_needed: String::new(),
            priority: 1,
            queries: Vec::new(),
            is_cut: false,
            own_searches: 3,
        };
        for (words, kept) in [(99, 99), (100, 100), (101, 100)] {
            let thoughts = vec!["It is old.".to_owned()];
            let result =
                AssignmentResult { summary: vec!["word"; words].join(" "), thoughts, ..AssignmentResult::default() };
            let silent = AssignmentResult::default();
            let log = RoundLog::new(Lane::Web, vec![assignment.clone(), assignment.clone()], vec![result, silent]);
            let notes: Vec<String> = of_round(&log).collect();
            assert_eq!(notes.len(), 1, "a directive without a word has no note");
            assert!(notes[0].starts_with("r1.w1: word") && notes[0].ends_with("\nIt is old."), "{}", notes[0]);
            assert_eq!(notes[0].matches("word").count(), kept);
        }
    }
}

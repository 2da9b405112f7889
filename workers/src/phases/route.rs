//! The order of the phases, in one table. Handlers return how they ended; this table decides the next phase.

use precis_proto::Phase;
use precis_proto::state::SessionState;
use precis_runtime::runner::Step;

/// How a phase that hands its session on has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhaseEnd {
    /// The phase is complete.
    Done,
    /// There is no source to read; evaluation reports what was searched.
    NothingToRead,
    /// There is no source to read, but researchers left notes; the report is made of them.
    OnlyNotes,
    /// A further iteration found nothing new or failed; the earlier report is final.
    IterationOver,
}

/// Returns the phase after `phase`, given how it ended.
pub(super) fn after(phase: Phase, end: PhaseEnd) -> Phase {
    match (end, phase) {
        (PhaseEnd::NothingToRead, _) => Phase::Evaluation,
        (PhaseEnd::OnlyNotes, _) => Phase::Synthesis,
        (PhaseEnd::IterationOver, _) => Phase::Refinement,
        (PhaseEnd::Done, Phase::Planning) => Phase::Gathering,
        (PhaseEnd::Done, Phase::Gathering) => Phase::Extraction,
        (PhaseEnd::Done, Phase::Extraction) => Phase::Digest,
        (PhaseEnd::Done, Phase::Digest) => Phase::Summarization,
        (PhaseEnd::Done, Phase::Summarization) => Phase::Compression,
        (PhaseEnd::Done, Phase::Compression) => Phase::Synthesis,
        (PhaseEnd::Done, Phase::Synthesis) => Phase::Evaluation,
        // A session without refinement ends here instead.
        (PhaseEnd::Done, Phase::Evaluation) => Phase::Refinement,
        // Another iteration; if none is worthwhile, the session ends instead.
        (PhaseEnd::Done, Phase::Refinement) => Phase::Gathering,
    }
}

/// Builds the step that hands `session` on from `phase`.
pub(super) fn next(session: SessionState, phase: Phase, end: PhaseEnd) -> Step {
    Step::Next(Box::new(session), after(phase, end))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_session_comes_through_its_phases_to_an_evaluation_wherever_it_begins() {
        let way = |first: Phase| {
            let phases = std::iter::successors(Some(first), |phase| Some(after(*phase, PhaseEnd::Done)));
            phases.take(Phase::ALL.len()).collect::<Vec<_>>()
        };
        let all: BTreeSet<Phase> = way(Phase::first(true)).into_iter().collect();
        assert_eq!(all.len(), Phase::ALL.len(), "planning leads through each phase once");
        for phase in Phase::ALL {
            assert!(way(phase).contains(&Phase::Evaluation), "{phase}");
        }
        assert_eq!(
            way(Phase::first(false))[5],
            Phase::Evaluation,
            "documents that are given are planned for by nobody"
        );
    }

    #[test]
    fn no_handler_names_the_phase_that_follows() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/phases");
        for file in std::fs::read_dir(dir).expect("the handlers") {
            let path = file.expect("an entry").path();
            if path.is_dir() || path.ends_with("route.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            assert!(!text.contains("Step::Next(Box::new("), "{}: use route::next", path.display());
        }
    }
}

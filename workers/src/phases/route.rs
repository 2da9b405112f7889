//! The way of a session: which phase comes after which, in one table. Handlers say how they ended, and never where that leads.

use precis_proto::Phase;
use precis_proto::state::SessionState;
use precis_runtime::runner::Step;

/// How a phase ended that hands its session on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhaseEnd {
    /// It has made what it is there for.
    Done,
    /// There is nothing to read: what was searched is told.
    NothingToRead,
    /// A further iteration has found nothing new, or it failed: the report before it is the last.
    IterationOver,
}

/// The phase that comes after `phase`, where it ended so.
pub(super) fn after(phase: Phase, end: PhaseEnd) -> Phase {
    match (end, phase) {
        (PhaseEnd::NothingToRead, _) => Phase::Evaluation,
        (PhaseEnd::IterationOver, _) => Phase::Refinement,
        (PhaseEnd::Done, Phase::Planning) => Phase::Gathering,
        (PhaseEnd::Done, Phase::Gathering) => Phase::Extraction,
        (PhaseEnd::Done, Phase::Extraction) => Phase::Digest,
        (PhaseEnd::Done, Phase::Digest) => Phase::Summarization,
        (PhaseEnd::Done, Phase::Summarization) => Phase::Compression,
        (PhaseEnd::Done, Phase::Compression) => Phase::Synthesis,
        (PhaseEnd::Done, Phase::Synthesis) => Phase::Evaluation,
        // A session that looks for nothing more ends here instead.
        (PhaseEnd::Done, Phase::Evaluation) => Phase::Refinement,
        // Another iteration; where none is worth it, the session ends instead.
        (PhaseEnd::Done, Phase::Refinement) => Phase::Gathering,
    }
}

/// The step of a handler of `phase` that hands `session` on.
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

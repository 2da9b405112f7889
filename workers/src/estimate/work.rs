//! The kinds of model calls of a session, and how many requests one of them may become.

use precis_proto::task::Role;

/// Requests of one payload before the next provider is called, all of which may cost something.
const TRIES: u64 = 2;
/// How often a payload is shrunk after an overflow. The refused request costs nothing, but those before it may.
const SHRINKS: u64 = 2;

/// A kind of model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// Writes or revises a plan of research.
    Plan,
    /// Decides what a round of research searches.
    Supervise,
    /// A turn of a researcher.
    Turn,
    /// Names the gaps of a report.
    Gaps,
    /// Summarizes a text, or a part of one.
    Summarize,
    /// Summarizes several short texts.
    SummarizeTogether,
    /// Makes findings of passages.
    Compress,
    /// Writes the report.
    Write,
    /// Judges statements, or whether they answer the question.
    Judge,
    /// Writes statements anew that failed.
    Repair,
    /// Rates the report as a whole.
    Rate,
}

impl Work {
    /// The role whose models are called.
    pub(super) fn role(self) -> Role {
        match self {
            Self::Plan | Self::Supervise | Self::Gaps => Role::Supervision,
            Self::Turn => Role::Research,
            Self::Summarize | Self::SummarizeTogether => Role::Summarization,
            Self::Compress => Role::Compression,
            Self::Write | Self::Repair => Role::Synthesis,
            Self::Judge | Self::Rate => Role::Evaluation,
        }
    }

    /// The most requests to one provider that one call may pay for.
    pub(super) fn requests(self) -> u64 {
        self.questions() * (TRIES + SHRINKS * (TRIES - 1))
    }

    /// How often one provider is asked at most: once, again after each unreadable answer, then for a simpler answer or for the rest of one
    /// that was cut off.
    fn questions(self) -> u64 {
        match self {
            Self::Plan | Self::Supervise | Self::Turn | Self::Gaps => 3,
            Self::Summarize | Self::Write => 3,
            Self::SummarizeTogether | Self::Compress | Self::Judge | Self::Repair | Self::Rate => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use precis_runtime::model::CallPolicy;

    use super::*;

    #[test]
    fn a_provider_is_tried_as_often_as_the_models_do() {
        assert_eq!(u64::from(CallPolicy::default().tries), TRIES);
        assert_eq!((Work::Compress.requests(), Work::Write.requests()), (8, 12));
    }
}

//! What was said about disclosure when a question was asked. It is part of the report, and later commands keep to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::research::ResearchOptions;

/// The label of a report: who may be told what about its question and its files. The default discloses the question to the search
/// providers that a command names, and nothing else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Privacy {
    /// Whether the question is confidential: no search provider is asked anything.
    pub confidential_query: bool,
    /// Whether the files were declared public: names found in them may be sent to search providers.
    pub public: bool,
    /// Whether the setting `strict_privacy` was on: no foreign model received private texts.
    pub strict_privacy: bool,
}

impl Privacy {
    /// Returns what the options of a search say.
    #[must_use]
    pub fn of_research(options: &ResearchOptions) -> Self {
        Self { confidential_query: options.confidential_query, public: options.public, strict_privacy: false }
    }

    /// Returns the label that discloses what both labels disclose.
    #[must_use]
    pub fn tighten_with(self, other: Self) -> Self {
        Self {
            confidential_query: self.confidential_query || other.confidential_query,
            public: self.public && other.public,
            strict_privacy: self.strict_privacy || other.strict_privacy,
        }
    }

    /// Returns the label of a report by others: what it says restricts, and never permits.
    #[must_use]
    pub fn from_elsewhere(self) -> Self {
        Self { confidential_query: true, public: false, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label([confidential_query, public, strict_privacy]: [bool; 3]) -> Privacy {
        Privacy { confidential_query, public, strict_privacy }
    }

    #[test]
    fn of_two_labels_the_tighter_word_holds() {
        let (no, yes) = (false, true);
        for (one, other, both) in [
            ([no, no, no], [no, no, no], [no, no, no]),
            ([yes, no, no], [no, no, no], [yes, no, no]),
            ([no, yes, no], [no, no, no], [no, no, no]),
            ([no, yes, no], [no, yes, no], [no, yes, no]),
            ([no, no, yes], [no, no, no], [no, no, yes]),
            ([yes, yes, no], [no, yes, yes], [yes, yes, yes]),
        ] {
            assert_eq!(label(one).tighten_with(label(other)), label(both), "{one:?} {other:?}");
            assert_eq!(label(other).tighten_with(label(one)), label(both), "{other:?} {one:?}");
        }
    }

    #[test]
    fn a_label_by_others_permits_nothing() {
        assert_eq!(label([false, true, false]).from_elsewhere(), label([true, false, false]));
        assert_eq!(label([false, false, true]).from_elsewhere(), label([true, false, true]));
    }
}

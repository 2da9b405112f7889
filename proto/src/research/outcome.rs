//! What research ended with: coverage, hits, what is open, what was used, why it ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a sub-question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// No facet is covered.
    No,
    /// Some facets are.
    Partly,
    /// All are.
    Yes,
}

impl Answered {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::No, Self::Partly, Self::Yes];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Partly => "partly",
            Self::Yes => "yes",
        }
    }
}

/// How the coverage of a sub-question changed in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageChange {
    /// The sub-question.
    pub sub_question: String,
    /// Before the round.
    pub before: Answered,
    /// After it.
    pub after: Answered,
    /// Documents with a covering passage.
    pub documents: u32,
    /// Of these, documents that do not repeat one another.
    pub independent: u32,
}

/// How far a sub-question is covered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// The sub-question.
    pub sub_question: String,
    /// Whether it is answered.
    pub answered: Answered,
    /// Its facets, in the order of the plan.
    pub facets: Vec<FacetCoverage>,
    /// Share of its facets that are covered, 0 to 1.
    pub adequacy: f64,
    /// Independent documents in relation to two, at most 1.
    pub corroboration: f64,
}

/// How far a facet is covered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FacetCoverage {
    /// The facet.
    pub id: String,
    /// Passages that cover it; near-duplicates count as one.
    pub passages: u32,
    /// Documents they stand in.
    pub documents: u32,
    /// Of these, documents that do not repeat one another.
    pub independent: u32,
}

/// How sure it is that a question is covered, over all its parts, those that nobody worked on among them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageScore {
    /// The whole, 0 to 1: half of it is adequacy, three tenths completion, two tenths corroboration.
    pub whole: f64,
    /// Mean share of the facets of a part that are covered.
    pub adequacy: f64,
    /// Mean of the documents of a part in relation to two, at most 1.
    pub corroboration: f64,
    /// Share of the parts that are covered.
    pub completion: f64,
}

/// What became of the hits: `found` is the sum of the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HitCounts {
    /// Hits of all searches.
    pub found: u32,
    /// In a document that is read.
    pub read: u32,
    /// Seen before, or nearly the same as one seen before.
    pub duplicate: u32,
    /// In a document too far from the question.
    pub below_cut: u32,
    /// In a document that would have been read if more were allowed.
    pub over_budget: u32,
    /// In a document that may not be read.
    pub refused: u32,
    /// In a document that could not be read.
    pub failed: u32,
}

/// One thing for which documents give different values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TypedDisagreement {
    /// The thing.
    pub subject: String,
    /// What of it.
    pub attribute: String,
    /// What kind of value differs.
    pub kind: ValueKind,
    /// The values; at least two.
    pub values: Vec<DifferingValue>,
}

/// Kinds of value that can differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    /// A number with what it counts.
    #[default]
    Number,
    /// A day, month or year.
    Date,
    /// A version of an identifier.
    Version,
    /// A status of an identifier.
    Status,
}

impl ValueKind {
    /// Whether it is a number, as it was before there were others.
    #[must_use]
    pub fn is_number(&self) -> bool {
        *self == Self::Number
    }
}

/// One of the values that differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DifferingValue {
    /// As it is written.
    pub value: String,
    /// The document that gives it.
    pub document: String,
    /// Number of the citation that quotes it, where the report has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<u32>,
}

/// A sub-question without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unanswered {
    /// The sub-question.
    pub sub_question: String,
    /// What was looked for and not found, in words.
    pub looked_for: String,
    /// The searches made for it, as `r1.d1#1`: directive and number.
    pub tried: Vec<String>,
    /// The passage that came nearest; absent where nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
    /// What could help, in words.
    pub suggest: String,
}

/// The passage that came nearest to an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Nearest {
    /// Path or address of its document.
    pub document: String,
    /// Its number among the sources, where it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
    /// Its place in the document's text.
    pub range: crate::CharRange,
    /// Terms of the sub-question that it does not hold.
    pub lacks: Vec<String>,
}

/// What was used of what was allowed, each as `[used, limit]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetUse {
    /// Rounds.
    pub rounds: [u32; 2],
    /// Searches, failed ones included.
    pub searches: [u32; 2],
    /// Documents that are read.
    pub sources: [u32; 2],
    /// Tool calls of models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<[u32; 2]>,
    /// US dollars; without a limit the second is null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<(f64, Option<f64>)>,
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<(f64, f64)>,
}

/// Why research ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The supervisor said that it is complete.
    Complete,
    /// Every sub-question is covered.
    Covered,
    /// The rounds are used up.
    Rounds,
    /// The searches are used up.
    Searches,
    /// The tokens are used up.
    Tokens,
    /// The money is used up.
    Money,
    /// The time is over.
    Time,
    /// A round changed nothing among the best passages.
    NoNewSources,
    /// No search found anything.
    NothingFound,
    /// Every search failed.
    AllFailed,
    /// The caller asked to stop.
    Asked,
    /// Nothing was left to look for.
    NoDirectives,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_pairs_of_used_and_limit() {
        let used = BudgetUse {
            rounds: [2, 6],
            searches: [7, 20],
            sources: [9, 10],
            tool_calls: None,
            usd: Some((0.0, None)),
            seconds: None,
        };
        let json = serde_json::to_string(&used).expect("it encodes");
        assert_eq!(json, r#"{"rounds":[2,6],"searches":[7,20],"sources":[9,10],"usd":[0.0,null]}"#);
        assert_eq!(serde_json::from_str::<BudgetUse>(&json).expect("it decodes"), used);
    }
}

//! The outcome of a research: coverage, hits, unanswered parts, budget used, and why it ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;

closed_words! {
    /// How far a sub-question is answered.
    #[derive(PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    pub enum Answered: serde {
        /// No facet is covered.
        No => "no",
        /// Some facets are covered.
        Partly => "partly",
        /// All facets are covered.
        Yes => "yes",
    }
}

/// How the coverage of a sub-question changed in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageChange {
    /// The sub-question.
    pub sub_question: String,
    /// Coverage before the round.
    pub before: Answered,
    /// Coverage after the round.
    pub after: Answered,
    /// Number of documents with a covering passage.
    pub documents: u32,
    /// Number of these documents that do not repeat one another.
    pub independent: u32,
}

/// The coverage of a sub-question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// The sub-question.
    pub sub_question: String,
    /// How far it is answered.
    pub answered: Answered,
    /// Coverage of its facets, in the order of the plan.
    pub facets: Vec<FacetCoverage>,
    /// Share of its facets that are covered, 0 to 1.
    pub adequacy: f64,
    /// Number of independent documents divided by two, at most 1.
    pub corroboration: f64,
}

/// The coverage of a facet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FacetCoverage {
    /// The facet.
    pub id: String,
    /// Number of passages that cover it; near-duplicates count as one.
    pub passages: u32,
    /// Number of documents with such a passage.
    pub documents: u32,
    /// Number of these documents that do not repeat one another.
    pub independent: u32,
}

/// How well a question is covered, over all its parts, including those not worked on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageScore {
    /// Total score, 0 to 1: 50 % adequacy, 30 % completion, 20 % corroboration.
    pub whole: f64,
    /// Mean share of covered facets per part.
    pub adequacy: f64,
    /// Mean number of documents per part divided by two, each at most 1.
    pub corroboration: f64,
    /// Share of the parts that are covered.
    pub completion: f64,
}

/// Numbers of hits by what happened to them: `found` is the sum of the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HitCounts {
    /// Hits of all searches.
    pub found: u32,
    /// Hits in a document that is read.
    pub read: u32,
    /// Hits seen before, or nearly the same as one seen before.
    pub duplicate: u32,
    /// Hits in a document that is not relevant enough.
    pub below_cut: u32,
    /// Hits in a document that was not read because of the limit on documents.
    pub over_budget: u32,
    /// Hits in a document that may not be read.
    pub refused: u32,
    /// Hits in a document that could not be read.
    pub failed: u32,
}

/// Something for which documents give different values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TypedDisagreement {
    /// The thing.
    pub subject: String,
    /// Its attribute that has different values.
    pub attribute: String,
    /// Kind of the values.
    pub kind: ValueKind,
    /// The values; at least two.
    pub values: Vec<DifferingValue>,
}

/// The kind of a value.
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
    /// A time of day.
    Time,
    /// A name for who holds one office.
    Name,
    /// Sentences of which one denies or forbids what the other says.
    Contradiction,
    /// Sentences in nearly the same words; which of their differences matter is not judged.
    Wording,
}

impl ValueKind {
    /// Returns whether it is a number, the only kind in messages of older versions.
    #[must_use]
    pub fn is_number(&self) -> bool {
        *self == Self::Number
    }
}

/// One of several differing values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DifferingValue {
    /// The value as written.
    pub value: String,
    /// The document that gives it.
    pub document: String,
    /// Number of the citation that quotes it, if the report has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<u32>,
}

/// A sub-question without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unanswered {
    /// The sub-question.
    pub sub_question: String,
    /// Description of what was looked for and not found.
    pub looked_for: String,
    /// The searches made for it, as `r1.d1#1`: directive and number.
    pub tried: Vec<String>,
    /// The passage closest to an answer; absent if nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
    /// Suggestion of what could help.
    pub suggest: String,
}

/// The passage closest to an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Nearest {
    /// Path or address of its document.
    pub document: String,
    /// Number of the document among the sources, if it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
    /// Position of the passage in the text of the document.
    pub range: crate::CharRange,
    /// Terms of the sub-question that the passage lacks.
    pub lacks: Vec<String>,
}

/// How much of each limit was used, as `[used, limit]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetUse {
    /// Rounds.
    pub rounds: [u32; 2],
    /// Charged searches, failed ones included. Those of folders are free and counted in `folder_searches`; without it, they are among these.
    pub searches: [u32; 2],
    /// Searches of folders; absent in reports of versions that counted them among `searches`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder_searches: Option<u32>,
    /// Documents that are read.
    pub sources: [u32; 2],
    /// Tool calls of models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<[u32; 2]>,
    /// US dollars; the second value is null without a limit.
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
    /// The supervisor reported that the research is complete.
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
    /// The time is used up.
    Time,
    /// A round did not change the best passages.
    NoNewSources,
    /// No search found anything.
    NothingFound,
    /// Every search failed.
    AllFailed,
    /// The caller requested a stop.
    Asked,
    /// No directive was left to work on.
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
            folder_searches: None,
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

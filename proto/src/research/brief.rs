//! The brief and the sub-questions of a research.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The brief: the question as understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Brief {
    /// The question as submitted.
    pub question: String,
    /// The question without form of address, extra white space and final punctuation.
    pub restated: String,
    /// Kind of the question.
    #[serde(rename = "type")]
    pub kind: QuestionKind,
    /// Complexity of the question.
    pub complexity: Complexity,
    /// BCP 47 tag of its language; `und` if unknown.
    pub language: String,
    /// Constraints that the question puts on the answer, such as years.
    #[serde(default)]
    pub constraints: Vec<String>,
    /// Assumptions made in reading the question.
    pub assumptions: Vec<String>,
    /// The model that wrote the brief.
    pub written_by: String,
}

/// The kind of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// A single fact about one thing.
    Fact,
    /// A comparison of several things.
    Comparison,
    /// A list of all things of a kind.
    Enumeration,
    /// How to do something.
    HowTo,
    /// Why or how something is the way it is.
    Explanation,
    /// Whether something is true.
    YesNo,
    /// The order of events.
    Timeline,
    /// A fact about something that has to be found first.
    MultiHop,
}

/// The complexity of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// One sub-question.
    Simple,
    /// A few sub-questions, or one that depends on another.
    Moderate,
    /// Many sub-questions.
    Complex,
}

/// One sub-question of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubQuestion {
    /// Id: `q1`, `q2` and so on in the order of the plan.
    pub id: String,
    /// The sub-question, in words of the question.
    pub text: String,
    /// Condition under which it counts as answered, in words.
    pub answered_when: String,
    /// The facets that passages have to cover.
    #[serde(default)]
    pub facets: Vec<Facet>,
    /// Priority from 1, the most important, to 3.
    pub priority: u8,
    /// Ids of the sub-questions whose answers it needs.
    #[serde(default)]
    pub after: Vec<String>,
    /// Where it comes from.
    pub origin: SubQuestionOrigin,
}

/// A facet: something a passage has to mention to cover a part of a sub-question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Facet {
    /// Id: `q1.f1` and so on.
    pub id: String,
    /// The thing it is about, as written in the question; absent if the question names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Terms that have to be mentioned with it; empty if any mention covers it.
    pub terms: Vec<String>,
}

/// Where a sub-question comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubQuestionOrigin {
    /// The plan.
    Plan,
    /// A gap found in a later round.
    Gap,
    /// A plan given by the user.
    User,
}

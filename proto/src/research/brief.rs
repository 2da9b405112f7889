//! The question as understood, and the parts of what is to be found out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The question as understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Brief {
    /// As it was asked.
    pub question: String,
    /// Without its form of address, white space and mark at the end.
    pub restated: String,
    /// What kind of question it is.
    #[serde(rename = "type")]
    pub kind: QuestionKind,
    /// How much work it is.
    pub complexity: Complexity,
    /// BCP 47 tag of its language; `und` where it could not be told.
    pub language: String,
    /// What the question itself limits the answer to, such as years.
    #[serde(default)]
    pub constraints: Vec<String>,
    /// What was taken for granted in reading it.
    pub assumptions: Vec<String>,
    /// The model that wrote the brief.
    pub written_by: String,
}

/// Kinds of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// One fact of one thing.
    Fact,
    /// Several things side by side.
    Comparison,
    /// All things of a kind.
    Enumeration,
    /// How something is done.
    HowTo,
    /// Why or how something is as it is.
    Explanation,
    /// Whether something is so.
    YesNo,
    /// What happened in order.
    Timeline,
    /// A fact of a thing that must be found first.
    MultiHop,
}

/// How much work a question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// One sub-question.
    Simple,
    /// A few sub-questions, or one that rests on another.
    Moderate,
    /// Many sub-questions.
    Complex,
}

/// One part of what is to be found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubQuestion {
    /// `q1`, `q2` and so on in the order of the plan.
    pub id: String,
    /// In words of the question.
    pub text: String,
    /// When it counts as answered, in words.
    pub answered_when: String,
    /// What a passage must speak of.
    #[serde(default)]
    pub facets: Vec<Facet>,
    /// From 1, the most important, to 3.
    pub priority: u8,
    /// Sub-questions whose answer this one needs.
    #[serde(default)]
    pub after: Vec<String>,
    /// Who added it.
    pub origin: SubQuestionOrigin,
}

/// One thing a passage must speak of to cover a part of a sub-question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Facet {
    /// `q1.f1` and so on.
    pub id: String,
    /// What it is about, as the question writes it; absent where the question names nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// What is to be said of it, as terms; empty where any mention covers it.
    pub terms: Vec<String>,
}

/// Who added a sub-question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubQuestionOrigin {
    /// The plan.
    Plan,
    /// A gap that a later round found.
    Gap,
    /// The user's own plan.
    User,
}

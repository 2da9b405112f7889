//! How a report was researched: the question as understood, what was looked for, what each search brought, what is not answered.
//!
//! It is `research` in the report's data. Times, money and model turns are filled in by whoever runs the rounds; a run without a
//! model has none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::ContentRef;

/// The course and the outcome of research.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Research {
    /// The question as understood.
    pub brief: Brief,
    /// What was to be found out, in order; never empty.
    pub plan: Vec<SubQuestion>,
    /// The rounds in order; empty where nothing was searched.
    pub rounds: Vec<Round>,
    /// How far each sub-question of the plan is covered at the end, in the order of the plan.
    pub coverage: Vec<Coverage>,
    /// What became of the hits.
    pub hits: HitCounts,
    /// Values on which documents differ.
    pub disagreements: Vec<TypedDisagreement>,
    /// Sub-questions without an answer, in the order of the plan.
    pub unanswered: Vec<Unanswered>,
    /// What was used of what was allowed.
    pub budget: BudgetUse,
    /// Why the research ended.
    pub stop: Stop,
    /// Searches that were not made because they would have carried private text.
    #[serde(default)]
    pub withheld: u32,
}

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

/// One pass of supervision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// From 1.
    pub n: u32,
    /// What was decided after it.
    pub decision: Decision,
    /// Why, in words.
    pub reason: String,
    /// What was looked for.
    pub directives: Vec<Directive>,
    /// How the coverage changed; sub-questions without a change are left out.
    pub coverage: Vec<CoverageChange>,
    /// The supervisor's thoughts, where a model had any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<ContentRef>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// What it cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
}

/// What a round ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Another round.
    Delegate,
    /// Everything is covered.
    Complete,
    /// The end without everything covered.
    Stop,
}

/// One task of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Directive {
    /// `r1.d1` and so on.
    pub id: String,
    /// Sub-questions it works on.
    pub sub_questions: Vec<String>,
    /// What to look for.
    pub topic: String,
    /// Why it ended.
    pub stopped: DirectiveStop,
    /// The searches made, in order.
    pub queries: Vec<Query>,
    /// Turns of a model.
    #[serde(default)]
    pub turns: u32,
    /// Tool calls of a model.
    #[serde(default)]
    pub tool_calls: u32,
    /// Answers of a model that were no tool call that could be read.
    #[serde(default)]
    pub tool_parse_failures: u32,
    /// What it found.
    pub inventory: Inventory,
    /// Messages that were dropped to make room, oldest first.
    #[serde(default)]
    pub dropped_messages: Vec<DroppedMessage>,
    /// The raw notes, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_notes: Option<ContentRef>,
}

/// Why a directive ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DirectiveStop {
    /// Its searches were made.
    Complete,
    /// Its share of the budget was used.
    Budget,
    /// Its time was over.
    Time,
    /// No search found anything.
    NoResults,
    /// It repeated itself.
    Loop,
    /// Every search failed.
    Failed,
    /// The caller asked to stop.
    Stopped,
}

/// One search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Query {
    /// From 1 within its directive.
    pub n: u32,
    /// What was searched for; absent where it may not be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Who was asked.
    pub provider: String,
    /// Hits it gave: `new + related + duplicate`.
    pub hits: u32,
    /// Passages unlike all before.
    pub new: u32,
    /// Passages much like one before.
    pub related: u32,
    /// Passages seen before, or nearly the same as one seen before.
    pub duplicate: u32,
    /// Where the answer came from.
    pub served: Served,
    /// Why it failed, in words; absent where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Why it was not made; absent where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
}

/// Where the answer of a search came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Served {
    /// The provider.
    Paid,
    /// The memo of an earlier call.
    Memo,
    /// The log of this session.
    Log,
    /// Nowhere: it failed or was not made.
    None,
}

/// Why a search was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Withheld {
    /// It would have carried private text.
    PrivateText,
}

/// What a directive found, for the next decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Inventory {
    /// Documents with a passage among its hits.
    pub sources: u32,
    /// Distinct folders or web domains of them.
    pub domains: u32,
    /// The best of them, best first; whole lines only.
    pub lines: Vec<InventoryLine>,
    /// Numbers and dates in the passages that cover something.
    pub data_points: u32,
}

/// One document of an inventory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InventoryLine {
    /// Its number in the session, from 1.
    pub n: u32,
    /// Its title.
    pub title: String,
    /// Its path or address.
    pub r#where: String,
    /// Facets that its passages cover.
    pub covers: Vec<String>,
}

/// A message that was dropped to make room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DroppedMessage {
    /// Its place in the conversation, from 1.
    pub n: u32,
    /// Who said it.
    pub role: String,
    /// Why it was dropped.
    pub why: String,
}

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    /// A number with what it counts.
    Number,
    /// A day, month or year.
    Date,
    /// A version of an identifier.
    Version,
    /// A status of an identifier.
    Status,
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
    /// The tool calls are used up.
    ToolCalls,
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
    /// The supervisor failed.
    SupervisorFailed,
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

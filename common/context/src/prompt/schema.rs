//! JSON Schema for the answer to each task, and its tokens in a request.
//!
//! The schemas use the subset that all strict modes accept: every property required, no additional ones, no ranges. Plans, delegations and
//! turns also bound their lists; a server that does not support bounds gets the schema without them.

mod research;
mod strict;

use precis_proto::claim::Verdict;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::judgement::Dimension;
use precis_proto::task::{CompressTask, Judgement, LISTED_STATEMENTS, StatementVerdict, SynthesizeTask, Task};
use serde_json::json;

pub use research::Tool;
pub(super) use research::{count_tools, tools};
pub use strict::OutputSchema;
use strict::{list, object};

/// Most ids listed in a schema. More are not worth their tokens, since unknown ids are removed when the answer is read.
const MOST_NAMED: usize = 64;
/// Tokens of a sentence with its numbers, if a model writes it over several lines.
const ITEM_TOKENS: u64 = 64;
/// Most numbers for a statement.
const MOST_BEHIND: usize = 4;

/// The schema of `task`'s answer; `None` for a report, which is plain Markdown. On a retry (`again`) the schema is stricter: a report is a
/// list of statements, numbers are restricted to the given ones, and lists are bounded by the room for the answer.
#[must_use]
pub fn of(task: &Task, again: Option<AnswerRoom>) -> Option<OutputSchema> {
    match (task, again) {
        (Task::Compress(t), Some(room)) => Some(findings(t, room)),
        (Task::Synthesize(t), Some(room)) => Some(statements(t, room)),
        _ => first(task),
    }
}

/// Tokens available for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerRoom(pub u64);

impl AnswerRoom {
    /// Number of list items that fit, at least 1 and at most `most`.
    fn items(self, most: usize) -> usize {
        usize::try_from(self.0 / ITEM_TOKENS).unwrap_or(most).clamp(1, most.max(1))
    }
}

/// The schema of a first answer.
fn first(task: &Task) -> Option<OutputSchema> {
    let text = json!({"type": "string"});
    match task {
        Task::Summarize(t) => Some(OutputSchema { name: "summary", schema: object(summary(t.level)) }),
        Task::SummarizeTogether(t) => {
            let mut one = summary(t.level);
            one["id"] = json!({"type": "integer"});
            Some(OutputSchema { name: "summaries", schema: object(json!({"summaries": list(object(one))})) })
        }
        Task::Compress(_) => {
            let finding =
                json!({"statement": text, "passages": list(json!({"type": "integer"})), "score": {"type": "number"}});
            Some(OutputSchema { name: "findings", schema: object(json!({"findings": list(object(finding))})) })
        }
        Task::Synthesize(_) => None,
        Task::Plan(t) => Some(research::plan(t.max_sub_questions)),
        Task::CritiquePlan(t) => Some(research::plan(t.max_sub_questions)),
        Task::Think(_) => Some(research::thought()),
        Task::Delegate(t) => Some(research::delegation(t.max_directives)),
        Task::CritiqueDirectives(t) => Some(research::delegation(t.max_directives)),
        Task::Gaps(t) => Some(research::gaps(t.max_gaps, t.max_queries)),
        Task::Turn(_) => Some(research::turn()),
        Task::Judge(_) => Some(judgement()),
        Task::JudgeParts(_) => Some(part_verdicts()),
        Task::JudgeStatements(_) => Some(verdicts()),
        Task::Repair(_) => Some(replacements()),
        Task::Rate(_) => Some(ratings()),
    }
}

/// Findings restricted to passages of `task`.
fn findings(task: &CompressTask, room: AnswerRoom) -> OutputSchema {
    let ids = numbers(task.passages.iter().map(|passage| passage.id));
    let finding = json!({"statement": {"type": "string"}, "passages": ids, "score": {"type": "number"}});
    OutputSchema {
        name: "findings",
        schema: object(json!({"findings": bounded_list(object(finding), room.items(task.max_findings))})),
    }
}

/// A report as its statements, each with the numbers of findings of `task`.
fn statements(task: &SynthesizeTask, room: AnswerRoom) -> OutputSchema {
    let ids = numbers(task.citable());
    let statement = json!({"text": {"type": "string"}, "findings": ids});
    OutputSchema {
        name: "report",
        schema: object(json!({"statements": bounded_list(object(statement), room.items(LISTED_STATEMENTS))})),
    }
}

/// A list of one to [`MOST_BEHIND`] of `ids`.
fn numbers(ids: impl Iterator<Item = u32>) -> serde_json::Value {
    let ids: Vec<u32> = ids.collect();
    let number = match ids.len() {
        1..=MOST_NAMED => json!({"type": "integer", "enum": ids}),
        _ => json!({"type": "integer"}),
    };
    bounded_list(number, MOST_BEHIND)
}

/// A list of one to `most` of `items`.
fn bounded_list(items: serde_json::Value, most: usize) -> serde_json::Value {
    let mut bounded = list(items);
    bounded["minItems"] = 1.into();
    bounded["maxItems"] = most.into();
    bounded
}

/// The properties of a summary at `level`.
fn summary(level: FidelityLevel) -> serde_json::Value {
    let text = json!({"type": "string"});
    match level {
        FidelityLevel::KeyPoints => json!({"summary": text, "key_points": list(text)}),
        _ => json!({"summary": text}),
    }
}

/// A verdict for each statement of a list.
fn verdicts() -> OutputSchema {
    let words = StatementVerdict::VERDICTS.map(Verdict::as_str);
    let text = json!({"type": "string"});
    let verdict = json!({"type": "string", "enum": words});
    let one = object(json!({"statement": {"type": "integer"}, "verdict": verdict, "quote": text, "reason": text}));
    OutputSchema { name: "verdicts", schema: object(json!({"verdicts": list(one)})) }
}

/// A new text for each statement of a list.
fn replacements() -> OutputSchema {
    let one = object(json!({"statement": {"type": "integer"}, "text": {"type": "string"}}));
    OutputSchema { name: "replacements", schema: object(json!({"replacements": list(one)})) }
}

fn judgement() -> OutputSchema {
    let words = Judgement::VERDICTS.map(Verdict::as_str);
    let text = json!({"type": "string"});
    let properties = json!({"verdict": {"type": "string", "enum": words}, "quote": text, "reason": text});
    OutputSchema { name: "answer_judgement", schema: object(properties) }
}

/// A verdict for each part of a question.
fn part_verdicts() -> OutputSchema {
    let words = Judgement::VERDICTS.map(Verdict::as_str);
    let text = json!({"type": "string"});
    let verdict = json!({"type": "string", "enum": words});
    let one = object(json!({"part": {"type": "integer"}, "verdict": verdict, "quote": text, "reason": text}));
    OutputSchema { name: "part_verdicts", schema: object(json!({"verdicts": list(one)})) }
}

fn ratings() -> OutputSchema {
    let words = Dimension::ALL.map(Dimension::as_str);
    let text = json!({"type": "string"});
    let score = json!({"type": "integer", "enum": [1, 2, 3, 4, 5]});
    let dimension = json!({"type": "string", "enum": words});
    let one = object(json!({"dimension": dimension, "quote": text, "reason": text, "score": score}));
    OutputSchema { name: "ratings", schema: object(json!({"ratings": list(one)})) }
}

#[cfg(test)]
mod tests {
    use precis_proto::task::{SummarizeTask, TaskFinding};
    use serde_json::Value;

    use super::strict::spaced_json;
    use super::*;

    fn summarize(level: FidelityLevel) -> Task {
        Task::Summarize(SummarizeTask {
            level,
            query: String::new(),
            title: String::new(),
            text: String::new(),
            target_tokens: 10,
        })
    }

    fn compress() -> Task {
        Task::Compress(CompressTask {
            notes: Vec::new(),
            query: String::new(),
            topic: String::new(),
            passages: Vec::new(),
            max_findings: 3,
            known: Default::default(),
        })
    }

    fn all_objects_are_closed(schema: &Value) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            assert_eq!(schema["additionalProperties"], false);
            assert_eq!(schema["required"].as_array().map(Vec::len), Some(properties.len()));
            properties.values().for_each(all_objects_are_closed);
        }
        if let Some(items) = schema.get("items") {
            all_objects_are_closed(items);
        }
    }

    #[test]
    fn every_schema_is_strict() {
        let judge = Task::Judge(precis_proto::task::JudgeTask::default());
        let parts = Task::JudgeParts(precis_proto::task::JudgePartsTask::default());
        let together = Task::SummarizeTogether(precis_proto::task::SummarizeTogetherTask {
            level: FidelityLevel::KeyPoints,
            query: String::new(),
            texts: Vec::new(),
        });
        let summaries = [summarize(FidelityLevel::KeyPoints), summarize(FidelityLevel::Headline), together];
        let rate = Task::Rate(precis_proto::task::RateTask::default());
        let gaps = Task::Gaps(precis_proto::task::GapsTask::default());
        for task in summaries.into_iter().chain([compress(), judge, parts, rate, gaps]) {
            all_objects_are_closed(&of(&task, None).expect("has a schema").schema);
        }
    }

    #[test]
    fn key_points_are_asked_for_at_their_level_only() {
        let has = |l| of(&summarize(l), None).expect("has a schema").schema["properties"].get("key_points").is_some();
        assert!(has(FidelityLevel::KeyPoints));
        assert!(!has(FidelityLevel::Headline));
        assert!(!has(FidelityLevel::Condensed));
    }

    fn synthesize(findings: usize) -> Task {
        let finding = |n: usize| TaskFinding {
            id: u32::try_from(n).expect("small"),
            topic: String::new(),
            statement: String::new(),
            title: String::new(),
            source: 1,
            score: 0.5,
            headings: Vec::new(),
            path: String::new(),
            context: Vec::new(),
            similarity: None,
        };
        Task::Synthesize(SynthesizeTask {
            evidence: Default::default(),
            raw_notes: Vec::new(),
            status: None,
            notes: Vec::new(),
            query: String::new(),
            findings: (1..=findings).map(finding).collect(),
            target_tokens: 9,
            begun: String::new(),
        })
    }

    #[test]
    fn a_report_has_a_schema_only_where_one_was_refused() {
        assert_eq!(of(&synthesize(2), None), None);
        let schema = of(&synthesize(2), Some(AnswerRoom(4_096))).expect("statements").schema;
        all_objects_are_closed(&schema);
        assert_eq!(schema["properties"]["statements"]["maxItems"], LISTED_STATEMENTS);
    }

    #[test]
    fn a_schema_names_the_numbers_that_were_given_while_they_are_few() {
        let named = |count: usize| {
            let schema = of(&synthesize(count), Some(AnswerRoom(4_096))).expect("statements").schema;
            let numbers = &schema["properties"]["statements"]["items"]["properties"]["findings"];
            assert_eq!(numbers["minItems"], 1, "nothing stands on nothing");
            numbers["items"]["enum"].as_array().map(Vec::len)
        };
        assert_eq!(named(MOST_NAMED - 1), Some(MOST_NAMED - 1));
        assert_eq!(named(MOST_NAMED), Some(MOST_NAMED));
        assert_eq!(named(MOST_NAMED + 1), None);
        assert_eq!(named(0), None, "a list of no numbers is no schema");
        let again = of(&compress(), Some(AnswerRoom(4_096))).expect("findings").schema;
        assert_eq!(again["properties"]["findings"]["maxItems"], 3);
        all_objects_are_closed(&again);
    }

    #[test]
    fn a_list_ends_before_the_room_for_the_answer_does() {
        let most = |tokens: u64| {
            let schema = of(&synthesize(2), Some(AnswerRoom(tokens))).expect("statements").schema;
            schema["properties"]["statements"]["maxItems"].as_u64()
        };
        assert_eq!((most(0), most(2 * ITEM_TOKENS - 1), most(2 * ITEM_TOKENS)), (Some(1), Some(1), Some(2)));
        let all = LISTED_STATEMENTS as u64;
        assert_eq!((most(all * ITEM_TOKENS), most(u64::MAX)), (Some(all), Some(all)));
    }

    #[test]
    fn a_schema_costs_what_its_dearer_spelling_costs() {
        let schema = of(&compress(), None).expect("has a schema");
        let bytes = |t: &str| t.len() as u64;
        assert_eq!(schema.count(&bytes), bytes(&spaced_json(&schema.wire_schema())));
        assert_eq!(spaced_json(&json!({"a": [1, "b\n"]})), r#"{"a": [1, "b\n"]}"#);
    }
}

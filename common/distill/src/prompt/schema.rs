//! What the answer to each task must look like, as JSON Schema, and what that schema costs in a request.
//!
//! The schemas keep to the subset that strict modes accept everywhere: every property required, none beside them, no ranges. Plans,
//! delegations and turns also bound their lists; a server that knows no such bound is sent the schema without it.

mod research;
mod strict;

use precis_proto::claim::Verdict;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::judgement::Dimension;
use precis_proto::task::{Judgement, Task};
use serde_json::json;

pub use research::Tool;
pub(super) use research::{count_tools, tools};
pub use strict::OutputSchema;
use strict::{list, object};

/// The schema of `task`'s answer; a report is plain Markdown and has none.
#[must_use]
pub fn of(task: &Task) -> Option<OutputSchema> {
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
        Task::Rate(_) => Some(ratings()),
    }
}

/// The properties of a summary at `level`.
fn summary(level: FidelityLevel) -> serde_json::Value {
    let text = json!({"type": "string"});
    match level {
        FidelityLevel::KeyPoints => json!({"summary": text, "key_points": list(text)}),
        _ => json!({"summary": text}),
    }
}

fn judgement() -> OutputSchema {
    let words = Judgement::VERDICTS.map(Verdict::as_str);
    let text = json!({"type": "string"});
    let properties = json!({"verdict": {"type": "string", "enum": words}, "quote": text, "reason": text});
    OutputSchema { name: "judgement", schema: object(properties) }
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
    use super::strict::spaced;
    use super::*;
    use precis_proto::task::{CompressTask, SummarizeTask, SynthesizeTask};
    use serde_json::Value;

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
        let together = Task::SummarizeTogether(precis_proto::task::SummarizeTogetherTask {
            level: FidelityLevel::KeyPoints,
            query: String::new(),
            texts: Vec::new(),
        });
        let summaries = [summarize(FidelityLevel::KeyPoints), summarize(FidelityLevel::Headline), together];
        let rate = Task::Rate(precis_proto::task::RateTask::default());
        let gaps = Task::Gaps(precis_proto::task::GapsTask::default());
        for task in summaries.into_iter().chain([compress(), judge, rate, gaps]) {
            all_objects_are_closed(&of(&task).expect("has a schema").schema);
        }
    }

    #[test]
    fn key_points_are_asked_for_at_their_level_only() {
        let has = |l| of(&summarize(l)).expect("has a schema").schema["properties"].get("key_points").is_some();
        assert!(has(FidelityLevel::KeyPoints));
        assert!(!has(FidelityLevel::Headline));
        assert!(!has(FidelityLevel::Condensed));
    }

    #[test]
    fn a_report_has_no_schema() {
        let task = Task::Synthesize(SynthesizeTask {
            raw_notes: Vec::new(),
            status: None,
            notes: Vec::new(),
            query: String::new(),
            findings: Vec::new(),
            target_tokens: 9,
        });
        assert_eq!(of(&task), None);
    }

    #[test]
    fn a_schema_costs_what_its_dearer_spelling_costs() {
        let schema = of(&compress()).expect("has a schema");
        let bytes = |t: &str| t.len() as u64;
        assert_eq!(schema.count(&bytes), bytes(&spaced(&schema.wrapped())));
        assert_eq!(spaced(&json!({"a": [1, "b\n"]})), r#"{"a": [1, "b\n"]}"#);
    }
}

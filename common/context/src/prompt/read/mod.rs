//! Parses a model's text into an answer: found, checked against its task, tidied.
//!
//! An error is a complaint to show to the model: one sentence, without the model's text. Only answers that belong to the task pass: unknown
//! passage numbers are removed, and a report that cites none of its findings is refused.

mod citation_forms;
mod continued;
#[cfg(test)]
mod fixture;
mod gaps;
mod json;
mod judge;
mod lenient;
mod rate;
mod repair;
mod report;
mod report_forms;
mod research;
mod statements;
mod summary;
mod tidy;
mod turn;

use precis_proto::fidelity::FidelityLevel;
use precis_proto::task::{
    CompressTask, FindingDraft, FindingDrafts, ReportDraft, SUB_QUESTION_BOUND, SummarizeTask, Task,
};
use serde_json::Value;

use tidy::{says_something, tidy_line};

/// Parses `text` as the answer to `task` and returns it as JSON: a [`Summary`], [`Summaries`], [`FindingDrafts`], [`ReportDraft`],
/// [`PlanDraft`], [`Thought`], [`Delegation`], [`GapDrafts`], [`Turn`], [`Judgement`], [`Verdicts`],
/// [`Replacements`] or [`Ratings`].
///
/// [`Summary`]: precis_proto::task::Summary
/// [`Summaries`]: precis_proto::task::Summaries
/// [`PlanDraft`]: precis_proto::task::PlanDraft
/// [`Thought`]: precis_proto::task::Thought
/// [`Delegation`]: precis_proto::task::Delegation
/// [`GapDrafts`]: precis_proto::task::GapDrafts
/// [`Turn`]: precis_proto::task::Turn
/// [`Judgement`]: precis_proto::task::Judgement
/// [`Verdicts`]: precis_proto::task::Verdicts
/// [`Replacements`]: precis_proto::task::Replacements
/// [`Ratings`]: precis_proto::task::Ratings
///
/// # Errors
/// What is wrong with the answer, as a complaint for the model.
pub fn read(task: &Task, text: &str) -> Result<Value, String> {
    let text = json::without_thoughts(text);
    if text.is_empty() {
        return Err("the answer was empty".to_owned());
    }
    let value = match task {
        Task::Summarize(t) => serde_json::to_value(summary::summary(t.level, text)?),
        Task::SummarizeTogether(t) => serde_json::to_value(summary::summaries(t, text)?),
        Task::Compress(t) => serde_json::to_value(findings(t, text)?),
        Task::Synthesize(t) => serde_json::to_value(report::report(t, text)?),
        Task::Plan(t) => {
            let most = t.max_sub_questions.min(SUB_QUESTION_BOUND);
            serde_json::to_value(research::plan(t.built_in.brief.kind, most, text)?)
        }
        Task::CritiquePlan(t) => {
            let most = t.max_sub_questions.min(SUB_QUESTION_BOUND);
            serde_json::to_value(research::plan(t.draft.kind, most, text)?)
        }
        Task::Think(_) => serde_json::to_value(research::thought(text)?),
        Task::Delegate(t) => serde_json::to_value(research::of_delegate(t, text)?),
        Task::CritiqueDirectives(t) => serde_json::to_value(research::of_critique(t, text)?),
        Task::Gaps(t) => serde_json::to_value(gaps::gaps(t, text)?),
        Task::Turn(_) => serde_json::to_value(turn::turn(text)?),
        Task::Judge(_) => serde_json::to_value(judge::judgement(text)?),
        Task::JudgeParts(t) => serde_json::to_value(judge::part_verdicts(t, text)?),
        Task::JudgeStatements(t) => serde_json::to_value(judge::verdicts(t, text)?),
        Task::Repair(t) => serde_json::to_value(repair::replacements(t, text)?),
        Task::Rate(_) => serde_json::to_value(rate::ratings(text)?),
    };
    value.map_err(|e| format!("the answer cannot be kept: {e}"))
}

/// The whole sentences of an answer to `task` that was cut off, as JSON; `None` if it cannot be gone on with: only reports can.
#[must_use]
pub fn parse_beginning(task: &Task, text: &str) -> Option<Value> {
    let Task::Synthesize(task) = task else { return None };
    let begun = continued::parse_beginning(task, json::without_thoughts(text))?;
    serde_json::to_value(begun).ok()
}

/// The task to go on with an answer to `task` that [`parse_beginning`] returned; `None` for one that goes on already.
#[must_use]
pub fn going_on(task: &Task, begun: &Value) -> Option<Task> {
    let Task::Synthesize(task) = task else { return None };
    let begun: ReportDraft = serde_json::from_value(begun.clone()).ok()?;
    task.begun.is_empty().then(|| continued::task_to_go_on(task, &begun))
}

/// Both parts of an answer as one; the first alone if they are no reports.
#[must_use]
pub fn join_parts(begun: Value, rest: &Value) -> Value {
    let draft = |value: &Value| serde_json::from_value::<ReportDraft>(value.clone()).ok();
    let both = draft(&begun)
        .zip(draft(rest))
        .and_then(|(first, rest)| serde_json::to_value(continued::join(&first, &rest)).ok());
    both.unwrap_or(begun)
}

/// A summary task one level down (condensed, key points, headline); `None` at the lowest level and for other tasks.
#[must_use]
pub fn step_down(task: &Task) -> Option<Task> {
    let Task::Summarize(t) = task else { return None };
    let level = match t.level {
        FidelityLevel::Raw => FidelityLevel::Condensed,
        FidelityLevel::Condensed => FidelityLevel::KeyPoints,
        FidelityLevel::KeyPoints | FidelityLevel::Digest => FidelityLevel::Headline,
        FidelityLevel::Headline | FidelityLevel::Truncated | FidelityLevel::Dropped => return None,
    };
    Some(Task::Summarize(SummarizeTask { level, ..t.clone() }))
}

fn findings(task: &CompressTask, text: &str) -> Result<FindingDrafts, String> {
    let value = json::find_list(text, "findings").ok_or("the answer holds no JSON object with the key `findings`")?;
    let list = value.get("findings").unwrap_or(&value).as_array().ok_or("`findings` is not a list")?;
    let count = list.len().min(task.max_findings).max(1) as f64;
    let mut findings: Vec<FindingDraft> = Vec::new();
    for item in list {
        if findings.len() == task.max_findings {
            break;
        }
        let statement = item.get("statement").and_then(Value::as_str).map(tidy_line).unwrap_or_default();
        let passages = known_passages(task, item.get("passages"));
        if !says_something(&statement) || passages.is_empty() || findings.iter().any(|f| f.statement == statement) {
            continue;
        }
        // The list is ordered by importance, so without a score the position counts.
        let by_place = 1.0 - findings.len() as f64 / count;
        let score = item.get("score").and_then(Value::as_f64).filter(|s| s.is_finite()).unwrap_or(by_place);
        findings.push(FindingDraft {
            statement,
            passages,
            span: None,
            score: score.clamp(0.0, 1.0),
            answer: Vec::new(),
            is_list: false,
            similarity: None,
        });
    }
    // An empty list says that nothing bears on the question.
    let says_none = list.is_empty() && value.get("findings").is_some();
    match findings.is_empty() && !says_none {
        true => Err("no finding has a statement and the number of a passage that was given".to_owned()),
        false => Ok(FindingDrafts { findings }),
    }
}

/// The passage numbers in `value` that `task` has, each once, in the order written; accepts `3`, `"3"` and `"[3]"`.
fn known_passages(task: &CompressTask, value: Option<&Value>) -> Vec<u32> {
    let items = match value {
        Some(Value::Array(items)) => items.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let mut known = Vec::new();
    for item in items {
        let number = match item {
            Value::Number(n) => n.as_u64().and_then(|n| u32::try_from(n).ok()),
            Value::String(s) => s.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok(),
            _ => None,
        };
        if let Some(id) = number.filter(|id| !known.contains(id) && task.passages.iter().any(|p| p.id == *id)) {
            known.push(id);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use precis_proto::task::TaskPassage;
    use serde_json::json;

    use super::*;

    fn summarize(level: FidelityLevel) -> Task {
        let task = SummarizeTask { level, query: "q".into(), title: "t".into(), text: "x".into(), target_tokens: 9 };
        Task::Summarize(task)
    }

    fn compress(max_findings: usize) -> Task {
        let passage = |id| TaskPassage {
            id,
            title: "t".into(),
            path: String::new(),
            source: 1,
            text: "x".into(),
            score: 0.5,
            units: Vec::new(),
            headings: Vec::new(),
            columns: String::new(),
            context: Vec::new(),
            similarity: Default::default(),
        };
        let passages = [1, 2, 4].map(passage).to_vec();
        Task::Compress(CompressTask {
            notes: Vec::new(),
            query: "q".into(),
            topic: String::new(),
            passages,
            max_findings,
            known: Default::default(),
        })
    }

    fn synthesize() -> Task {
        Task::Synthesize(fixture::synthesize(&[12]))
    }

    #[test]
    fn a_summary_is_read_tidied_and_held_to_its_level() {
        let text = "Sure:\n{\"summary\": \" A\\r\\nb\\u0007 \", \"key_points\": [\"- one\", \"two \", \"\", \"two\"], \"x\": 1}";
        assert_eq!(
            read(&summarize(FidelityLevel::KeyPoints), text),
            Ok(json!({"summary": "A\nb", "key_points": ["one", "two"]}))
        );
        assert_eq!(read(&summarize(FidelityLevel::Headline), text), Ok(json!({"summary": "A\nb", "key_points": []})));
        let bare = r#"{"summary": "A"}"#;
        assert!(read(&summarize(FidelityLevel::Condensed), bare).is_ok());
        for (level, refused) in [
            (FidelityLevel::KeyPoints, bare),
            (FidelityLevel::KeyPoints, r#"{"summary": "A", "key_points": [" "]}"#),
            (FidelityLevel::Headline, r#"{"summary": " "}"#),
            (FidelityLevel::Headline, r#"{"summary": 3}"#),
            (FidelityLevel::Headline, "A"),
            (FidelityLevel::Headline, ""),
        ] {
            assert!(read(&summarize(level), refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_finding_keeps_only_passages_it_was_given() {
        let text = json!({"findings": [
            {"statement": "both", "passages": [9, 4, "[1]", 4], "score": 7},
            {"statement": "none", "passages": [3]},
            {"statement": " ", "passages": [1]},
            {"statement": "...", "passages": [1]},
            {"statement": "both", "passages": [2]},
            {"statement": "last\none", "passages": 2},
        ]});
        let value = read(&compress(4), &text.to_string()).expect("two findings are left");
        let read: FindingDrafts = serde_json::from_value(value).expect("a list of findings");
        assert_eq!(read.findings.len(), 2);
        assert_eq!((read.findings[0].passages.as_slice(), read.findings[0].score), (&[4, 1][..], 1.0));
        assert_eq!((read.findings[1].statement.as_str(), read.findings[1].score), ("last one", 0.75));
        assert!(read.findings.iter().all(|f| f.span.is_none()));
    }

    #[test]
    fn findings_are_bounded_and_none_are_told_by_an_empty_list() {
        let many: Vec<Value> = (0..9).map(|i| json!({"statement": format!("s{i}"), "passages": [1]})).collect();
        let value = read(&compress(3), &Value::from(many).to_string()).expect("a bare list will do");
        assert_eq!(value["findings"].as_array().map(Vec::len), Some(3));
        let bare = read(&compress(3), "```json\n{'findings': [{'statement': 's1', 'passages': [1],},],}\n```");
        assert!(bare.is_ok_and(|value| value["findings"].as_array().is_some_and(|found| found.len() == 1)));
        let none = read(&compress(3), "{\"findings\": []}");
        assert_eq!(none, Ok(json!({ "findings": [] })));
        for refused in ["[]", "{\"findings\": 3}", "{\"findings\": [{}]}", "nothing"] {
            assert!(read(&compress(3), refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_report_is_markdown_plain_fenced_or_in_an_object_and_cites() {
        for text in [
            "# A\n\nB [12]",
            "```markdown\n# A\n\nB [12]\n```",
            r##"{"markdown": "# A\n\nB [12]"}"##,
            "```json\n{\"report\": \"# A\\n\\nB [^12]\",}\n```",
            "Here is the report:\n\n# A\n\nB 【12】\n\nI hope this helps!",
            "hm\n</think>\n# A\n\nB [Finding 12]\n\n## References\n\n- [12] t",
        ] {
            assert_eq!(read(&synthesize(), text), Ok(json!({"markdown": "# A\n\nB [12]"})), "{text}");
        }
        for refused in ["", "```\n```", "B [1]", "B", r#"{"markdown": ""}"#] {
            assert!(read(&synthesize(), refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_summary_steps_down_to_the_headline_and_no_further() {
        let level = |task: &Task| match task {
            Task::Summarize(t) => t.level,
            _ => FidelityLevel::Raw,
        };
        let down = step_down(&summarize(FidelityLevel::Condensed)).expect("there is one");
        assert_eq!(level(&down), FidelityLevel::KeyPoints);
        let down = step_down(&down).expect("there is one");
        assert_eq!(level(&down), FidelityLevel::Headline);
        assert_eq!(step_down(&down), None);
        assert_eq!(step_down(&compress(1)), None);
    }
}

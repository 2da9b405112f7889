//! Parses plans, thoughts and delegations from a model's text. An empty answer is malformed; it does not mean that research is complete.

use precis_proto::research::QuestionKind;
use precis_proto::task::{
    CritiqueDirectivesTask, DIRECTIVES_READ, DRAFT_NOTES, DRAFT_TEXT_CHARS, DelegateTask, Delegation, DirectiveDraft,
    PlanDraft, PlanRow, SubQuestionDraft, THOUGHT_CHARS, Thought,
};
use serde_json::Value;

use super::json;
use super::tidy::{cut, says_something, strip_bullet, tidy, tidy_line};

/// Most characters of a topic: two to four sentences.
const TOPIC_CHARS: usize = 1_000;
/// Default priority: the middle of 1 to 3.
const PRIORITY: u8 = 2;

/// Parses a plan of at most `most` sub-questions; `kind` is used if the model gives none.
pub(super) fn plan(kind: QuestionKind, most: usize, text: &str) -> Result<PlanDraft, String> {
    let object = json::find_object(text, &["sub_questions"])
        .ok_or("the answer holds no JSON object with the key `sub_questions`")?;
    let list = object.get("sub_questions").and_then(Value::as_array).ok_or("`sub_questions` is not a list")?;
    let mut kept: Vec<(usize, &Value)> = Vec::new();
    for (place, item) in list.iter().enumerate() {
        if kept.len() < most && says_something(&question_text(item)) {
            kept.push((place + 1, item));
        }
    }
    if kept.is_empty() {
        return Err("`sub_questions` holds no sub-question".to_owned());
    }
    let sub_questions = kept.iter().enumerate().map(|(at, (_, item))| SubQuestionDraft {
        text: question_text(item),
        answered_when: line(item.get("answered_when")),
        priority: priority(item.get("priority")),
        after: after(item.get("after"), &kept, at),
    });
    let restated = line(object.get("restated"));
    Ok(PlanDraft {
        restated: if restated.is_empty() { question_text(kept[0].1) } else { restated },
        kind: object.get("kind").and_then(|k| serde_json::from_value(k.clone()).ok()).unwrap_or(kind),
        constraints: lines(object.get("constraints")),
        assumptions: lines(object.get("assumptions")),
        sub_questions: sub_questions.collect(),
    })
}

/// The text of a sub-question, which may also be a bare string.
fn question_text(item: &Value) -> String {
    line(item.get("text").or(Some(item)))
}

/// The sub-question numbers in `value`, renumbered for the `kept` ones, without its own.
fn after(value: Option<&Value>, kept: &[(usize, &Value)], own: usize) -> Vec<u32> {
    let mut places = Vec::new();
    for item in items(value) {
        let number = match item {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok(),
            _ => None,
        };
        let at = number.and_then(|number| kept.iter().position(|(place, _)| *place as u64 == number));
        if let Some(at) = at.filter(|at| *at != own) {
            let place = at as u32 + 1;
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places
}

/// Parses a thought.
pub(super) fn thought(text: &str) -> Result<Thought, String> {
    let object = json::find_object(text, &["text"]).ok_or("the answer holds no JSON object with the key `text`")?;
    let text = cut(&tidy(object.get("text").and_then(Value::as_str).ok_or("`text` is not a text")?), THOUGHT_CHARS);
    if !says_something(&text) {
        return Err("`text` is empty".to_owned());
    }
    Ok(Thought { text, is_enough: is_true(object.get("is_enough")) })
}

/// Parses directives for the sub-questions of `plan`; directives for none of them are left out.
pub(super) fn delegation(plan: &[PlanRow], text: &str) -> Result<Delegation, String> {
    let object = json::find_object(text, &["directives", "is_complete"])
        .ok_or("the answer holds no JSON object with the keys `directives` and `is_complete`")?;
    let mut directives = Vec::new();
    for item in items(object.get("directives")) {
        if directives.len() < DIRECTIVES_READ
            && let Some(directive) = directive(plan, item)
            && !directives.contains(&directive)
        {
            directives.push(directive);
        }
    }
    let is_complete = is_true(object.get("is_complete"));
    if directives.is_empty() && !is_complete {
        return Err("no directive has a topic and a sub-question of the plan, and `is_complete` is not true".to_owned());
    }
    let reason = line(object.get("reason"));
    // A delegation that still has directives is not complete, whatever the model claims.
    Ok(Delegation { is_complete: directives.is_empty(), directives, reason })
}

pub(super) fn of_delegate(task: &DelegateTask, text: &str) -> Result<Delegation, String> {
    delegation(&task.seen.plan, text)
}

/// Parses the delegation after a critique, which must have directives: a critique may not declare research complete.
pub(super) fn of_critique(task: &CritiqueDirectivesTask, text: &str) -> Result<Delegation, String> {
    let read = delegation(&task.plan, text)?;
    match read.directives.is_empty() {
        true => Err("the answer holds no directives".to_owned()),
        false => Ok(read),
    }
}

fn directive(plan: &[PlanRow], item: &Value) -> Option<DirectiveDraft> {
    let topic = cut(&tidy_line(item.get("topic")?.as_str()?), TOPIC_CHARS);
    let mut sub_questions: Vec<String> = Vec::new();
    for named in items(item.get("sub_questions")) {
        let id = match named {
            Value::String(text) => text.trim().to_lowercase(),
            Value::Number(number) => format!("q{number}"),
            _ => continue,
        };
        let row = plan.iter().find(|row| row.id == id || row.id.strip_prefix('q') == Some(id.as_str()));
        if let Some(row) = row.filter(|row| !sub_questions.contains(&row.id)) {
            sub_questions.push(row.id.clone());
        }
    }
    (says_something(&topic) && !sub_questions.is_empty()).then(|| DirectiveDraft {
        sub_questions,
        topic,
        perspective: line(item.get("perspective")),
        evidence_needed: line(item.get("evidence_needed")),
        priority: priority(item.get("priority")),
    })
}

fn priority(value: Option<&Value>) -> u8 {
    let number = match value {
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        _ => None,
    };
    number.map_or(PRIORITY, |number| number.clamp(1.0, 3.0) as u8)
}

fn is_true(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(is)) => *is,
        Some(Value::String(text)) => text.trim().eq_ignore_ascii_case("true"),
        _ => false,
    }
}

fn items(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(items)) => items,
        Some(Value::Null) | None => &[],
        Some(one) => std::slice::from_ref(one),
    }
}

fn line(value: Option<&Value>) -> String {
    cut(&tidy_line(value.and_then(Value::as_str).unwrap_or_default()), DRAFT_TEXT_CHARS)
}

fn lines(value: Option<&Value>) -> Vec<String> {
    let texts = items(value).iter().filter_map(Value::as_str);
    let texts = texts.map(|text| cut(&tidy_line(strip_bullet(text)), DRAFT_TEXT_CHARS)).filter(|text| !text.is_empty());
    texts.take(DRAFT_NOTES).collect()
}

#[cfg(test)]
mod tests;

//! The wording of planning, supervision and research tasks.
//!
//! A row is text that a document, web page or model may have influenced, so it becomes a piece between the marks. Only the question, the
//! date and numbers are outside of them.

use std::fmt::Write;

use askama::Template;
use precis_proto::research::{Answered, Complexity};
use precis_proto::task::{
    CoverageRow, CritiqueDirectivesTask, CritiquePlanTask, DelegateTask, Delegation, EvidenceRow, PlanDraft, PlanRow,
    PlanTask, SubQuestionDraft, TaskPlan, ThinkTask, TurnDirective, TurnRole, TurnTask,
};

use super::shown::{LabelledText, MAX_TITLE_CHARS, one_line, readable, render_template};

/// Most characters of a question, which is shown outside the marks.
pub(super) const MAX_QUESTION_CHARS: usize = 4_000;
/// Most titles of given documents that are shown.
const MAX_TITLES: usize = 100;

/// Score of what was found in earlier rounds: it goes before the latest messages.
const FOUND_BEFORE: f64 = 0.3;
/// Score of a row that is never left out.
const NEEDED: f64 = 1.0;

#[derive(Template)]
#[template(path = "plan_v1.txt", block = "system")]
struct PlanSystem;

#[derive(Template)]
#[template(path = "plan_v1.txt", block = "user")]
struct PlanUser<'a> {
    nonce: &'a str,
    today: &'a str,
    language: &'a str,
    question: &'a str,
    most: usize,
    is_critique: bool,
}

#[derive(Template)]
#[template(path = "think_v1.txt", block = "system")]
struct ThinkSystem;

#[derive(Template)]
#[template(path = "think_v1.txt", block = "user")]
struct ThinkUser<'a> {
    nonce: &'a str,
    today: &'a str,
    question: &'a str,
    round: u32,
    rounds: u32,
    searches: u32,
    calls: u32,
}

#[derive(Template)]
#[template(path = "delegate_v1.txt", block = "system")]
struct DelegateSystem;

#[derive(Template)]
#[template(path = "delegate_v1.txt", block = "user")]
struct DelegateUser<'a> {
    nonce: &'a str,
    today: &'a str,
    left: &'a str,
    question: &'a str,
    class: &'a str,
    most: usize,
    is_critique: bool,
}

#[derive(Template)]
#[template(path = "turn_v2.txt", block = "system")]
struct TurnSystem;

#[derive(Template)]
#[template(path = "turn_v2.txt", block = "user")]
struct TurnUser<'a> {
    nonce: &'a str,
    today: &'a str,
    searches: u32,
    now: u32,
    calls: u32,
    brief: &'a str,
}

/// Version, rules and question of a payload.
pub(super) type PayloadText = (&'static str, String, String);

pub(super) fn plan(t: &PlanTask, nonce: &str) -> PayloadText {
    plan_payload(nonce, &t.today, &t.language, &t.question, t.max_sub_questions, false)
}

pub(super) fn critique_plan(t: &CritiquePlanTask, nonce: &str) -> PayloadText {
    plan_payload(nonce, &t.today, &t.language, &t.question, t.max_sub_questions, true)
}

fn plan_payload(
    nonce: &str,
    today: &str,
    language: &str,
    question: &str,
    most: usize,
    is_critique: bool,
) -> PayloadText {
    let (today, language, question) = (&word(today), &word(language), &question_line(question));
    let user = PlanUser { nonce, today, language, question, most, is_critique };
    ("plan_v1", render_template(&PlanSystem), render_template(&user))
}

pub(super) fn think(t: &ThinkTask, nonce: &str) -> PayloadText {
    let user = ThinkUser {
        nonce,
        today: &word(&t.today),
        question: &question_line(&t.question),
        round: t.round,
        rounds: t.rounds,
        searches: t.searches_left,
        calls: t.calls_left,
    };
    ("think_v1", render_template(&ThinkSystem), render_template(&user))
}

pub(super) fn delegate(t: &DelegateTask, nonce: &str) -> PayloadText {
    let ThinkTask { round, rounds, searches_left, calls_left, .. } = t.seen;
    let left =
        format!("This is round {round} of {rounds}. Left: {searches_left} searches and {calls_left} tool calls.");
    let user = DelegateUser {
        nonce,
        today: &word(&t.seen.today),
        left: &left,
        question: &question_line(&t.seen.question),
        class: &class(t.complexity, t.compared),
        most: t.max_directives,
        is_critique: false,
    };
    ("delegate_v1", render_template(&DelegateSystem), render_template(&user))
}

pub(super) fn critique_directives(t: &CritiqueDirectivesTask, nonce: &str) -> PayloadText {
    let user = DelegateUser {
        nonce,
        today: &word(&t.today),
        left: "This is the first round.",
        question: &question_line(&t.question),
        class: &class(t.complexity, t.compared),
        most: t.max_directives,
        is_critique: true,
    };
    ("delegate_v1", render_template(&DelegateSystem), render_template(&user))
}

pub(super) fn turn(t: &TurnTask, nonce: &str) -> PayloadText {
    let user = TurnUser {
        nonce,
        today: &word(&t.today),
        searches: t.searches_left,
        now: t.searches_now,
        calls: t.calls_left,
        brief: &question_line(&t.brief),
    };
    ("turn_v2", render_template(&TurnSystem), render_template(&user))
}

fn word(text: &str) -> String {
    one_line(text, 40)
}

fn question_line(text: &str) -> String {
    one_line(&readable(text), MAX_QUESTION_CHARS)
}

fn class(complexity: Complexity, compared: usize) -> String {
    match (compared, complexity) {
        (2.., _) => format!("a comparison of {compared} things"),
        (_, Complexity::Simple) => "simple".to_owned(),
        (_, Complexity::Moderate) => "moderate".to_owned(),
        (_, Complexity::Complex) => "complex".to_owned(),
    }
}

pub(super) fn plan_rows(t: &PlanTask) -> Vec<LabelledText> {
    let rows = [given_titles(&t.given), LabelledText::new(0, NEEDED, "first plan", first_plan(&t.built_in))];
    rows.into_iter().flatten().collect()
}

pub(super) fn critique_plan_rows(t: &CritiquePlanTask) -> Vec<LabelledText> {
    let rows = [given_titles(&t.given), LabelledText::new(0, NEEDED, "plan", draft(&t.draft))];
    rows.into_iter().flatten().collect()
}

fn given_titles(titles: &[String]) -> Option<LabelledText> {
    let mut lines = String::new();
    for title in titles.iter().take(MAX_TITLES) {
        line(&mut lines, &one_line(title, MAX_TITLE_CHARS));
    }
    if titles.len() > MAX_TITLES {
        line(&mut lines, &format!("and {} more", titles.len() - MAX_TITLES));
    }
    LabelledText::new(0, 0.5, "titles of given documents", lines)
}

fn first_plan(plan: &TaskPlan) -> String {
    let mut text = String::new();
    line(&mut text, &format!("restated: {}", plan.brief.restated));
    notes(&mut text, &plan.brief.constraints, &plan.brief.assumptions);
    for (n, one) in plan.sub_questions.iter().enumerate() {
        let place = |id: &String| plan.sub_questions.iter().position(|other| other.id == *id).map(|at| at + 1);
        let after: Vec<String> = one.after.iter().filter_map(place).map(|at| at.to_string()).collect();
        line(&mut text, &sub_question(&(n + 1).to_string(), &one.text, &one.answered_when, one.priority, &after));
    }
    text
}

fn draft(plan: &PlanDraft) -> String {
    let mut text = String::new();
    line(&mut text, &format!("restated: {}", plan.restated));
    notes(&mut text, &plan.constraints, &plan.assumptions);
    for (n, SubQuestionDraft { text: asked, answered_when, priority, after }) in plan.sub_questions.iter().enumerate() {
        let after: Vec<String> = after.iter().map(u32::to_string).collect();
        line(&mut text, &sub_question(&(n + 1).to_string(), asked, answered_when, *priority, &after));
    }
    text
}

fn notes(text: &mut String, constraints: &[String], assumptions: &[String]) {
    constraints.iter().for_each(|one| line(text, &format!("constraint: {one}")));
    assumptions.iter().for_each(|one| line(text, &format!("assumption: {one}")));
}

fn sub_question(id: &str, text: &str, answered_when: &str, priority: u8, after: &[String]) -> String {
    let mut row = format!("{id}. {text} [priority {priority}");
    if !after.is_empty() {
        let _ = write!(row, ", after {}", after.join(", "));
    }
    if !answered_when.is_empty() {
        let _ = write!(row, ", answered when: {answered_when}");
    }
    row + "]"
}

pub(super) fn think_rows(t: &ThinkTask) -> Vec<LabelledText> {
    let ThinkTask { evidence, findings, thoughts, .. } = t;
    let mut rows: Vec<Option<LabelledText>> = vec![
        LabelledText::new(0, NEEDED, "plan", plan_lines(&t.plan)),
        LabelledText::new(0, NEEDED, "coverage", coverage_lines(&t.coverage)),
    ];
    // Cutting order: older rows first; evidence before findings before thoughts, the last thoughts at the end.
    let age = |n: usize, of: usize| 0.2 * n as f64 / of.max(1) as f64;
    let mut ids = 1..;
    for (n, EvidenceRow { directive, text }) in evidence.iter().enumerate() {
        let label = format!("evidence we have, {}", one_line(directive, 40));
        rows.push(ids.next().and_then(|id| LabelledText::new(id, 0.1 + age(n, evidence.len()), label, text.clone())));
    }
    for (n, text) in findings.iter().enumerate() {
        let score = 0.4 + age(n, findings.len());
        rows.push(ids.next().and_then(|id| LabelledText::new(id, score, "what we found", text.clone())));
    }
    for (n, text) in thoughts.iter().enumerate() {
        let score = if n + KEPT_THOUGHTS >= thoughts.len() { 0.9 } else { 0.7 };
        rows.push(ids.next().and_then(|id| LabelledText::new(id, score, "thought before", text.clone())));
    }
    let mut refused = String::new();
    t.refused.iter().for_each(|one| line(&mut refused, one));
    rows.push(LabelledText::new(0, 0.8, "refused directives", refused));
    rows.into_iter().flatten().collect()
}

/// Number of latest thoughts that are never left out.
pub(in crate::prompt) const KEPT_THOUGHTS: usize = 2;

pub(super) fn plan_lines(plan: &[PlanRow]) -> String {
    let mut text = String::new();
    for PlanRow { id, text: asked, answered_when, priority, after } in plan {
        line(&mut text, &sub_question(id, asked, answered_when, *priority, after));
    }
    text
}

fn coverage_lines(coverage: &[CoverageRow]) -> String {
    let mut text = String::new();
    for row in coverage {
        let mut said = format!("{}: {}", row.sub_question, coverage_word(row.answered));
        match row.before {
            Some(before) if before != row.answered => _ = write!(said, " (was: {})", coverage_word(before)),
            Some(_) => said.push_str(" (as before)"),
            None => {}
        }
        let _ = write!(said, "; {} documents, {} independent", row.documents, row.independent);
        if !row.missing.is_empty() {
            let _ = write!(said, "; missing: {}", row.missing);
        }
        line(&mut text, &said);
    }
    text
}

fn coverage_word(answered: Answered) -> &'static str {
    match answered {
        Answered::No => "not covered",
        Answered::Partly => "partly covered",
        Answered::Yes => "covered",
    }
}

pub(super) fn delegate_rows(t: &DelegateTask) -> Vec<LabelledText> {
    let mut rows = think_rows(&t.seen);
    rows.extend(LabelledText::new(0, NEEDED, "thought of this round", t.thought.text.clone()));
    rows
}

pub(super) fn critique_directives_rows(t: &CritiqueDirectivesTask) -> Vec<LabelledText> {
    let rows = [
        LabelledText::new(0, NEEDED, "plan", plan_lines(&t.plan)),
        LabelledText::new(0, NEEDED, "directives", directive_lines(&t.delegation)),
    ];
    rows.into_iter().flatten().collect()
}

fn directive_lines(delegation: &Delegation) -> String {
    let mut text = String::new();
    for (n, one) in delegation.directives.iter().enumerate() {
        let of = one.sub_questions.join(", ");
        line(&mut text, &format!("{}. for {of}, priority {}: {}", n + 1, one.priority, one.topic));
        sides(&mut text, &one.perspective, &one.evidence_needed);
    }
    text
}

fn sides(text: &mut String, perspective: &str, evidence_needed: &str) {
    for (name, said) in [("perspective", perspective), ("evidence needed", evidence_needed)] {
        if !said.is_empty() {
            line(text, &format!("{name}: {said}"));
        }
    }
}

pub(super) fn turn_rows(t: &TurnTask) -> Vec<LabelledText> {
    let mut rows: Vec<Option<LabelledText>> = vec![LabelledText::new(0, NEEDED, "directive", directive(&t.directive))];
    for EvidenceRow { directive, text } in &t.earlier {
        let label = format!("found before, {}", one_line(directive, 40));
        rows.push(LabelledText::new(0, FOUND_BEFORE, label, text.clone()));
    }
    let last_result = t.messages.iter().rposition(|m| m.role == TurnRole::Result);
    let thinks: Vec<usize> = (0..t.messages.len()).filter(|at| t.messages[*at].role == TurnRole::Think).collect();
    let kept = &thinks[thinks.len().saturating_sub(KEPT_THOUGHTS)..];
    for (at, message) in t.messages.iter().enumerate() {
        let score = if Some(at) == last_result || kept.contains(&at) {
            0.9
        } else {
            0.1 + 0.6 * at as f64 / t.messages.len() as f64
        };
        let label = format!("{} {}", message.n, message.role.as_str());
        rows.push(LabelledText::new(message.n, score, label, message.text.clone()));
    }
    rows.into_iter().flatten().collect()
}

fn directive(directive: &TurnDirective) -> String {
    let mut text = String::new();
    line(&mut text, &directive.topic);
    sides(&mut text, &directive.perspective, &directive.evidence_needed);
    line(&mut text, "sub-questions:");
    format!("{text}\n{}", plan_lines(&directive.sub_questions))
}

/// Appends `said` as one line, if it is not empty.
fn line(text: &mut String, said: &str) {
    let said = one_line(said, usize::MAX);
    if !said.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&said);
    }
}

//! The wording of the task that asks for the gaps of a finished report.

use askama::Template;
use precis_proto::task::GapsTask;

use super::research::{MAX_QUESTION_CHARS, plan_lines};
use super::shown::{LabelledText, one_line, render_template};

/// Most characters of a gap or a query that are shown.
const LINE_CHARS: usize = 300;
/// Cutting order: the plan is kept longest, then the report.
const PLAN_SCORE: f64 = 1.0;
const REPORT_SCORE: f64 = 0.8;
const KNOWN_SCORE: f64 = 0.5;

#[derive(Template)]
#[template(path = "gaps_v1.txt", block = "system")]
struct GapsSystem;

#[derive(Template)]
#[template(path = "gaps_v1.txt", block = "user")]
struct GapsUser<'a> {
    nonce: &'a str,
    today: &'a str,
    question: &'a str,
    most: usize,
    queries: usize,
}

/// Version, rules and question.
pub(super) fn gaps(task: &GapsTask, nonce: &str) -> (&'static str, String, String) {
    let question = one_line(&task.question, MAX_QUESTION_CHARS);
    let user =
        GapsUser { nonce, today: &task.today, question: &question, most: task.max_gaps, queries: task.max_queries };
    ("gaps_v1", render_template(&GapsSystem), render_template(&user))
}

/// The plan, the known gaps, earlier queries, and the report.
pub(super) fn gaps_rows(task: &GapsTask) -> Vec<LabelledText> {
    let lines = |all: &[String]| {
        all.iter().map(|line| format!("- {}", one_line(line, LINE_CHARS))).collect::<Vec<_>>().join("\n")
    };
    let rows = [
        LabelledText::new(1, PLAN_SCORE, "plan", plan_lines(&task.plan)),
        LabelledText::new(2, KNOWN_SCORE, "gaps that are known", lines(&task.known)),
        LabelledText::new(3, KNOWN_SCORE, "what was searched for", lines(&task.asked)),
        LabelledText::new(4, REPORT_SCORE, "report", task.report.clone()),
    ];
    rows.into_iter().flatten().collect()
}

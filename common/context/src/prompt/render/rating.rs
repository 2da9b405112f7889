//! The wording of the task that rates a whole report, in either of two orders.

use askama::Template;
use precis_proto::judgement::{Dimension, JudgingOrder};
use precis_proto::task::{RateTask, RatedSource};

use super::research::MAX_QUESTION_CHARS;
use super::shown::{LabelledText, one_line, render_template, title};

/// Cutting order: the report is kept longest, then its sources.
const REPORT_SCORE: f64 = 1.0;
const SOURCE_SCORE: f64 = 0.5;

#[derive(Template)]
#[template(path = "rate_v1.txt", block = "system")]
struct RateSystem;

#[derive(Template)]
#[template(path = "rate_v1.txt", block = "user")]
struct RateUser<'a> {
    nonce: &'a str,
    question: &'a str,
    dimensions: &'a str,
    first: &'a str,
}

/// Version, rules and question.
pub(super) fn rate(task: &RateTask, nonce: &str) -> (&'static str, String, String) {
    let mut dimensions = Dimension::ALL.map(Dimension::as_str);
    if task.order == JudgingOrder::EvidenceFirst {
        dimensions.reverse();
    }
    let question = one_line(&task.question, MAX_QUESTION_CHARS);
    let user = RateUser { nonce, question: &question, dimensions: &dimensions.join(", "), first: dimensions[0] };
    ("rate_v1", render_template(&RateSystem), render_template(&user))
}

/// The report, its sources and the notes, or in reverse order: each row, and whether it is a note (notes are cut first).
pub(super) fn rate_rows(task: &RateTask) -> Vec<(LabelledText, bool)> {
    let source = |source: &RatedSource| {
        let label = format!("source {}: {}", source.id, title(&source.title));
        LabelledText::new(source.id, SOURCE_SCORE, label.trim_end_matches([' ', ':']), source.text.clone())
    };
    let report = LabelledText::new(0, REPORT_SCORE, "report", task.report.clone());
    let sources = task.sources.iter().filter_map(source);
    let notes = task.notes.iter().filter_map(|note| LabelledText::new(0, 0.0, "research notes", note.clone()));
    let rows = report.into_iter().chain(sources).map(|row| (row, false)).chain(notes.map(|row| (row, true)));
    let mut rows: Vec<(LabelledText, bool)> = rows.collect();
    if task.order == JudgingOrder::EvidenceFirst {
        rows.reverse();
    }
    rows
}

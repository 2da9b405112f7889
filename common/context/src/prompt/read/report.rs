//! Reads a report: Markdown that cites what was given, or a list of statements in its place.

use std::collections::BTreeSet;

use precis_proto::task::{ReportDraft, SynthesizeTask};

use super::tidy::tidy;
use super::{citation_forms, json, report_forms, statements};

pub(super) fn report(task: &SynthesizeTask, text: &str) -> Result<ReportDraft, String> {
    let object = |keys: &[&str]| text.starts_with(['{', '`']).then(|| json::find_object(text, keys)).flatten();
    if let Some(object) = object(&["statements"]) {
        return statements::report(task, &object["statements"]);
    }
    let within = object(&REPORT_KEYS);
    let within = within.as_ref().and_then(|object| REPORT_KEYS.iter().find_map(|key| object[*key].as_str()));
    let known: BTreeSet<u32> = task.citable().collect();
    let markdown = tidy(json::strip_fence(within.unwrap_or_else(|| json::strip_fence(text))));
    let markdown = report_forms::report_alone(&citation_forms::plain_citations(&markdown, &known));
    if markdown.is_empty() {
        return Err("the report is empty".to_owned());
    }
    match known.is_empty() || citation_forms::cites(&markdown, &known) {
        true => Ok(ReportDraft { markdown }),
        false => {
            Err("the report cites nothing that was given: write their numbers in brackets behind each statement"
                .to_owned())
        }
    }
}

/// Keys under which models put a report that they were asked to give as Markdown.
const REPORT_KEYS: [&str; 4] = ["markdown", "report", "answer", "content"];

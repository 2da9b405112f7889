//! Calls of tools: from their arguments to the result that a client gets.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answers::{CollectionsAnswer, DocumentAnswer, EvidenceAnswer, SessionAnswer, VerdictAnswer};
use super::arguments::{self, AskArguments, ReportArguments, ResearchArguments};
use super::desk::Desk;
use super::failure::ToolFailure;
use super::kept_call::KeptCall;
use super::progress::Progress;
use super::session_answer::in_words;
use super::tool::Tool;
use super::untrusted::mark_untrusted;
use super::{collections, evidence, reading, sessions};
use crate::commands::submit::new_session_id;

/// Calls `tool`; returns the result as the protocol has it, also if the tool failed.
pub(super) async fn call_tool(
    desk: &Arc<Desk>,
    tool: Tool,
    arguments: &Map<String, Value>,
    progress: &Progress,
) -> Value {
    match attempt(desk, tool, arguments, progress).await {
        Ok(result) => result,
        Err(failure) => {
            tracing::info!(tool = tool.as_str(), code = failure.code, "a call failed");
            failure.result()
        }
    }
}

async fn attempt(
    desk: &Arc<Desk>,
    tool: Tool,
    arguments: &Map<String, Value>,
    progress: &Progress,
) -> Result<Value, ToolFailure> {
    Ok(match tool {
        Tool::Research => {
            let wait = arguments::read::<ResearchArguments>(arguments)?.wait_seconds;
            about_session(&open_session(desk, tool, arguments, wait, progress).await?)
        }
        Tool::Ask => {
            let wait = arguments::read::<AskArguments>(arguments)?.wait_seconds;
            about_session(&open_session(desk, tool, arguments, wait, progress).await?)
        }
        Tool::GetReport => {
            let ReportArguments { session, wait_seconds } = arguments::read(arguments)?;
            about_session(&sessions::standing(desk, &session, within(desk, wait_seconds), progress).await?)
        }
        Tool::Verify => verdict(&reading::verify(desk, &arguments::read(arguments)?).await?),
        Tool::SearchEvidence => {
            let within = desk.allowed.answer_within;
            passages(&evidence::search(desk, &arguments::read(arguments)?, within, progress).await?)
        }
        Tool::Extract => document(&reading::document(desk, &arguments::read(arguments)?).await?),
        Tool::ListCollections => listed(&collections::list(desk, &arguments::read(arguments)?).await?),
    })
}

async fn open_session(
    desk: &Arc<Desk>,
    tool: Tool,
    arguments: &Map<String, Value>,
    wait_seconds: Option<u64>,
    progress: &Progress,
) -> Result<SessionAnswer, ToolFailure> {
    let (session, tool) = (new_session_id(), tool.as_str().to_owned());
    let tenant = desk.allowed.tenant.clone();
    let call = KeptCall { session, tenant, tool, arguments: arguments.clone(), failure: None };
    sessions::open(desk, call, within(desk, wait_seconds), progress).await
}

/// How long a call waits: as long as it says, at most as long as the server allows.
fn within(desk: &Desk, wait_seconds: Option<u64>) -> Duration {
    let most = desk.allowed.answer_within;
    wait_seconds.map_or(most, |seconds| most.min(Duration::from_secs(seconds)))
}

fn about_session(answer: &SessionAnswer) -> Value {
    result(answer, &in_words(answer))
}

fn verdict(answer: &VerdictAnswer) -> Value {
    let VerdictAnswer { citations_proved, texts_proved, .. } = answer;
    let word = if answer.holds { "verified" } else { "NOT VERIFIED" };
    let mut text =
        format!("{word}: {citations_proved} citations found in the texts, {texts_proved} texts match their hashes\n");
    if !answer.mismatches.is_empty() {
        text.push_str(&mark_untrusted(&answer.mismatches.join("\n")));
    }
    result(answer, &text)
}

fn passages(answer: &EvidenceAnswer) -> Value {
    let passage = |(number, hit): (usize, &super::answers::Passage)| {
        let of = hit.collection.as_ref().map_or_else(String::new, |id| format!(" of collection {id}"));
        format!("{}. {}{of} ({})\n{}\n", number + 1, hit.path, hit.locator, hit.text)
    };
    let passages: String = answer.hits.iter().enumerate().map(passage).collect();
    let text = match (answer.status.as_str(), answer.hits.is_empty()) {
        ("indexing", _) => "the documents are still being read: call again".to_owned(),
        (_, true) => format!("no passage matches the question, in {} documents", answer.documents),
        (_, false) => mark_untrusted(&passages),
    };
    // Inside marks: they have names of folders and files.
    let warnings = match answer.warnings.is_empty() {
        true => String::new(),
        false => format!("\nNot searched:\n{}", mark_untrusted(&answer.warnings.join("\n"))),
    };
    result(answer, &format!("{text}{warnings}"))
}

fn listed(answer: &CollectionsAnswer) -> Value {
    let row = |row: &super::answers::CollectionRow| {
        let state = match row.indexed_version {
            Some(version) if version == row.version => "can be searched".to_owned(),
            Some(version) => format!("version {version} of {} can be searched", row.version),
            None => "not indexed yet".to_owned(),
        };
        format!("{} {} ({} files, {state})\n", row.id, row.name, row.files)
    };
    let rows: String = answer.collections.iter().map(row).collect();
    let text = if rows.is_empty() { "there is no collection".to_owned() } else { mark_untrusted(&rows) };
    let more = answer.next.as_ref().map_or_else(String::new, |next| format!("\nmore from cursor {next}"));
    result(answer, &format!("{text}{more}"))
}

fn document(answer: &DocumentAnswer) -> Value {
    let more = answer.next_offset.map_or_else(String::new, |next| format!("; more from offset {next}"));
    let head = format!("{}: {} characters{more}", answer.path, answer.chars);
    result(answer, &format!("{head}\n{}\n", mark_untrusted(&answer.text)))
}

fn result(answer: &impl Serialize, text: &str) -> Value {
    let structured = serde_json::to_value(answer).expect("answers are plain data");
    json!({ "content": [{ "type": "text", "text": text }], "structuredContent": structured, "isError": false })
}

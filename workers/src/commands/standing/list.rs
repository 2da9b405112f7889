//! `precis standing list`.

use precis_proto::Timestamp;
use precis_proto::standing::StandingQuestion;
use precis_runtime::clock::Clock;
use serde_json::json;

use super::args::ListArgs;
use super::own_records::records;
use crate::cli::every::Every;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::commands::block_on;

/// Prints the questions, one line each or as JSON. A record that cannot be read is a warning, and the others are listed.
pub(super) fn list(args: &ListArgs) -> Result<Exit, CommandFailure> {
    let records = records()?;
    let mut questions = Vec::new();
    for id in block_on(records.ids())? {
        match block_on(records.get(&id)) {
            Ok(question) => questions.extend(question),
            Err(failure) => terminal::print_warning(&failure.message),
        }
    }
    let now = Clock::system().now();
    if args.json {
        let rows: Vec<_> = questions.iter().map(|question| as_json(question, now)).collect();
        terminal::print_json(&format!("{:#}\n", json!(rows)))?;
    } else {
        terminal::print(&questions.iter().map(|question| as_line(question, now)).collect::<String>())?;
    }
    Ok(Exit::Ok)
}

fn as_json(question: &StandingQuestion, now: Timestamp) -> serde_json::Value {
    json!({
        "id": question.id, "query": question.query, "corpora": question.corpora,
        "collections": question.collections, "web": question.web,
        "academic": question.academic, "every_seconds": question.every_seconds, "report": question.out,
        "due_at": question.due_at(), "is_due": question.due_at() <= now, "has_notice": question.notice.is_some(),
        "privacy": question.privacy,
    })
}

fn as_line(question: &StandingQuestion, now: Timestamp) -> String {
    let every = Every::try_from(question.every_seconds).map_or_else(|_| "?".to_owned(), |every| every.to_string());
    let due = if question.due_at() <= now { "due now".to_owned() } else { format!("due {}", question.due_at()) };
    let notice = if question.notice.is_some() { ", a notice waits" } else { "" };
    let query = question.query.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{}  every {every}, {due}{notice}  {query}  {}\n", question.id, question.out)
}

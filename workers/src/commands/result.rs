//! `precis result`: prints the result of an ended session, or writes it to a directory as `precis run` does.

use std::path::{Path, PathBuf};

use precis_proto::SessionId;
use precis_proto::response::{ReportData, Response, Status};
use precis_runtime::clock::Clock;
use precis_runtime::content::ContentStore;
use precis_runtime::runner::status_of;
use serde_json::json;

use super::asked;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::{ConfigArgs, terminal};
use crate::fleet;
use crate::report::closing_summary::{Places, answer_line, summary};
use crate::report::{files, outcome};

/// Arguments of `precis result`.
#[derive(Debug, clap::Args)]
pub struct ResultArgs {
    /// The id of the session
    pub session: String,
    /// Write report.json, report.md, report.html and archive/ into this directory
    #[arg(long, short, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Write into a directory that contains other files
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Print the response envelope as JSON
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Prints or writes the result; returns the exit code of the session. Needs only the content store, no broker.
#[must_use]
pub fn run(args: &ResultArgs) -> Exit {
    super::finish_as(attempt(args))
}

fn attempt(args: &ResultArgs) -> Result<Exit, CommandFailure> {
    let session = super::session_id(&args.session)?;
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        let content = fleet::content(&settings)?;
        let response = fleet::result(&content, &session).await;
        let response = response.map_err(|e| super::fleet_failed(&format!("read the result of {session}"), &e))?;
        let Some(response) = response else {
            let failure =
                CommandFailure::new(Exit::Failed, "no_result", format!("session `{session}` has no result yet"));
            return Err(failure.with_remedy(format!("run `precis watch {session}` to wait for it")));
        };
        let response = asked::labelled(response, &session, false);
        match (&args.out, &response.data) {
            (Some(out), Some(data)) => {
                write((out, args.force), &response, data, &content).await?;
                if !args.json {
                    terminal::print(&summary(data, &Places { dir: out, archive: None, archived: true }))?;
                }
            }
            (None, Some(data)) if !args.json => {
                let line =
                    answer_line(data).map_or(String::new(), |line| format!("{}\n\n", terminal::printable(&line)));
                terminal::print(&format!("{line}{}\n", data.report))?;
            }
            (_, None) if !args.json => terminal::print(&last_line(&session, &response))?,
            _ => {}
        }
        // After the report is written: it must not be lost because nobody reads standard output.
        if args.json {
            terminal::print_json(&files::json(&response))?;
        }
        Ok(exit_of(&response))
    })
}

/// Writes a report as `precis run` does. A text that is no longer there is left out with a warning.
///
/// # Errors
/// As [`fleet::write_report`].
pub async fn write(
    place: (&Path, bool),
    response: &Response,
    data: &ReportData,
    content: &ContentStore,
) -> Result<(), CommandFailure> {
    let left_out = fleet::write_report(place, response, data, content, Clock::system().now()).await?;
    left_out.iter().for_each(|one| terminal::print_warning(one));
    Ok(())
}

/// Returns the exit code of a command that shows this result.
#[must_use]
pub fn exit_of(response: &Response) -> Exit {
    match (status_of(response), &response.data) {
        (Status::Completed, Some(data)) => outcome::exit_of(data),
        (Status::Completed, _) => Exit::Ok,
        _ => Exit::Failed,
    }
}

/// Returns one line on how a session ended.
#[must_use]
pub fn last_line(session: &SessionId, response: &Response) -> String {
    let status = status_of(response).as_str();
    let line = match (&response.data, &response.error) {
        (Some(data), _) => {
            let why = data.session.stop_reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
            let missing = if data.session.incomplete { ", incomplete" } else { "" };
            let answer = answer_line(data).map_or(String::new(), |line| format!(": {line}"));
            format!("{session}: {status}{missing}{why}, {} citations{answer}", data.citations.len())
        }
        (None, Some(error)) => format!("{session}: {status}: {} ({})", error.message, error.code),
        (None, None) => format!("{session}: {status}"),
    };
    format!("{}\n", terminal::printable(&line))
}

/// Returns how a session ended, as one line of JSON.
#[must_use]
pub fn status_json(session: &SessionId, response: &Response) -> String {
    let info = response.data.as_ref().map(|data| &data.session);
    let value = json!({
        "session_id": session,
        "status": status_of(response),
        "stop_reason": info.and_then(|info| info.stop_reason.clone()),
        "answer": response.data.as_ref().and_then(|data| data.answer.as_ref()).map(|answer| answer.status),
        "incomplete": info.is_some_and(|info| info.incomplete),
        "citations": response.data.as_ref().map(|data| data.citations.len()),
        "error": response.error,
    });
    format!("{value}\n")
}

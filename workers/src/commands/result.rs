//! `precis result`: prints the result of an ended session, or writes it to a directory as `precis run` does.

use std::path::{Path, PathBuf};
use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::response::{ReportData, Response, Status};
use precis_runtime::clock::Clock;
use precis_runtime::config::Settings;
use precis_runtime::content::ContentStore;
use precis_runtime::runner::status_of;
use serde_json::json;

use super::asked;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::signals::stop_signal;
use crate::cli::{ConfigArgs, terminal};
use crate::documents::parse::Parser;
use crate::fleet::{self, Caller, LocalFleet, SessionMessage, SubmitError};
use crate::report::closing_summary::{Places, answer_line, summary};
use crate::report::{files, outcome};

/// How long the request of a session in a data folder may wait for its turn before the session counts as unknown, and how often it is looked.
const TAKEN_WITHIN: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(50);

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
    /// Take it from this data folder of `precis serve --embedded` or `precis mcp`, which nothing else may use meanwhile; a session that has
    /// not ended is finished first
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// Print the response envelope as JSON
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Prints or writes the result; returns the exit code of the session. Needs only the content store, no broker, or a data folder.
#[must_use]
pub fn run(args: &ResultArgs) -> Exit {
    super::finish_as(attempt(args))
}

fn attempt(args: &ResultArgs) -> Result<Exit, CommandFailure> {
    let session = super::session_id(&args.session)?;
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        if let Some(data) = &args.data {
            let fleet = finishing(&settings, data).await?;
            let response = wait_for_end(&fleet.caller(), &session).await;
            let shown = match response {
                Ok(response) => show(args, &session, response, &fleet.content()).await,
                Err(failure) => Err(failure),
            };
            fleet.shutdown().await;
            return shown;
        }
        let content = fleet::content(&settings)?;
        let response = fleet::result(&content, &session).await;
        let response = response.map_err(|e| super::fleet_failed(&format!("read the result of {session}"), &e))?;
        let Some(response) = response else {
            let failure =
                CommandFailure::new(Exit::Failed, "no_result", format!("session `{session}` has no result yet"));
            return Err(failure.with_remedy(format!("run `precis watch {session}` to wait for it")));
        };
        show(args, &session, response, &content).await
    })
}

/// Starts the fleet of a data folder that is there.
async fn finishing(settings: &Settings, data: &Path) -> Result<LocalFleet, CommandFailure> {
    if !data.is_dir() {
        let failure = CommandFailure::new(Exit::Refused, "no_such_folder", format!("{} is no folder", data.display()));
        return Err(failure.with_remedy("pass the --data of `precis serve --embedded` or `precis mcp`"));
    }
    LocalFleet::start(settings, data, Parser::for_run(settings)).await
}

/// Waits until `session` has ended, or somebody interrupts; it goes on with the next start then.
async fn wait_for_end(caller: &Caller, session: &SessionId) -> Result<Response, CommandFailure> {
    let failed = |e: SubmitError| super::fleet_failed(&format!("read the result of {session}"), &e);
    // Before the first look, so that an end between the two is not missed.
    let mut listener = caller.listen(session).await.map_err(|e| failed(e.into()))?;
    if let Some(response) = caller.result(session).await.map_err(failed)? {
        return Ok(response);
    }
    let waiting = async {
        // Its request may still wait in the queue: then nothing but its turn tells that there is such a session.
        let known = async {
            while !caller.is_known(session).await.map_err(failed)? {
                tokio::time::sleep(LOOK).await;
            }
            Ok(())
        };
        tokio::time::timeout(TAKEN_WITHIN, known).await.map_err(|_| super::unknown_session(session))??;
        loop {
            if let SessionMessage::Result(response) = listener.next().await.map_err(failed)? {
                return Ok(*response);
            }
        }
    };
    tokio::select! {
        response = waiting => response,
        () = stop_signal() => {
            let failure = CommandFailure::new(Exit::Interrupted, "interrupted", "interrupted; the session is kept");
            Err(failure.with_remedy("run the command again"))
        }
    }
}

async fn show(
    args: &ResultArgs,
    session: &SessionId,
    response: Response,
    content: &ContentStore,
) -> Result<Exit, CommandFailure> {
    let response = asked::label_response(response, session, false);
    match (&args.out, &response.data) {
        (Some(out), Some(data)) => {
            write((out, args.force), &response, data, content).await?;
            if !args.json {
                terminal::print(&summary(data, &Places { dir: out, archive: None, archived: true }))?;
            }
        }
        (None, Some(data)) if !args.json => {
            let line = answer_line(data).map_or(String::new(), |line| format!("{}\n\n", terminal::printable(&line)));
            terminal::print(&format!("{line}{}\n", data.report))?;
        }
        (_, None) if !args.json => terminal::print(&last_line(session, &response))?,
        _ => {}
    }
    // After the report is written: it must not be lost because nobody reads standard output.
    if args.json {
        terminal::print_json(&files::json(&response))?;
    }
    Ok(exit_of(&response))
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

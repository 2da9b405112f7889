//! `precis cancel` and `precis stop`: end sessions now without a report, or early with one.

use precis_proto::control::Control;
use precis_proto::response::Status;
use precis_proto::{SessionId, closed_words};
use precis_runtime::runner::status_of;
use serde_json::json;

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet::Caller;

/// Arguments of `precis cancel` and `precis stop`.
#[derive(Debug, clap::Args)]
pub struct ControlArgs {
    /// The sessions
    #[arg(required = true, value_name = "SESSION")]
    pub sessions: Vec<String>,
    /// Print one JSON object per session
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

closed_words! {
    /// How a session is to end.
    pub enum EndRequest {
        /// Now; the status of the result is `cancelled`.
        Cancel => "cancel",
        /// Early; the result is a report on what is there by then.
        Stop => "stop",
    }
}

impl EndRequest {
    fn control(self, session_id: SessionId) -> Control {
        match self {
            Self::Cancel => Control::Cancel { session_id },
            Self::Stop => Control::Stop { session_id },
        }
    }
}

/// Sends the request to the fleet. A session that has already ended is reported as such; an unknown one makes the exit code 3.
#[must_use]
pub fn run(args: &ControlArgs, end: EndRequest) -> Exit {
    super::finish(attempt(args, end))
}

fn attempt(args: &ControlArgs, end: EndRequest) -> Result<(), CommandFailure> {
    let sessions = args.sessions.iter().map(|id| super::session_id(id)).collect::<Result<Vec<_>, _>>()?;
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        let caller = super::caller(&settings, end.as_str()).await?;
        let mut unknown = None;
        for session in sessions {
            let result = send(&caller, &session, end).await?;
            terminal::print_as(args.json, &line(args.json, &session, end, result))?;
            if result == ControlResult::Unknown {
                unknown.get_or_insert(super::unknown_session(&session));
            }
        }
        caller.broker.close().await;
        unknown.map_or(Ok(()), Err)
    })
}

/// The outcome of asking the fleet to end a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ControlResult {
    /// The control message was sent.
    Asked,
    /// The session had already ended.
    HadEnded(Status),
    /// The fleet does not know the session, and no queued request could be its own.
    Unknown,
}

async fn send(caller: &Caller, session: &SessionId, end: EndRequest) -> Result<ControlResult, CommandFailure> {
    let failed = |e| super::fleet_failed(&format!("{end} {session}"), &e);
    if let Some(response) = caller.result(session).await.map_err(failed)? {
        return Ok(ControlResult::HadEnded(status_of(&response)));
    }
    // With requests queued, the session may be among them and unknown so far: its request is ended when a worker takes it.
    let may_wait = caller.requests().await.is_none_or(|requests| requests.ready > 0);
    if !may_wait && !caller.is_known(session).await.map_err(failed)? {
        return Ok(ControlResult::Unknown);
    }
    caller.control(&end.control(session.clone())).await.map_err(|e| failed(e.into()))?;
    Ok(ControlResult::Asked)
}

fn line(as_json: bool, session: &SessionId, end: EndRequest, result: ControlResult) -> String {
    if as_json {
        let had_ended = if let ControlResult::HadEnded(status) = result { Some(status) } else { None };
        let is_known = result != ControlResult::Unknown;
        let line = json!({ "session_id": session, "asked": end.as_str(), "had_ended": had_ended, "known": is_known });
        return format!("{line}\n");
    }
    match result {
        ControlResult::HadEnded(status) => format!("{session}: had already ended, {}\n", status.as_str()),
        ControlResult::Asked => format!("{session}: asked to {end}\n"),
        ControlResult::Unknown => format!("{session}: unknown\n"),
    }
}

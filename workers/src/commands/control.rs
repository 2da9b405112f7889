//! `precis cancel` and `precis stop`: end sessions now, or early with what there is.

use precis_proto::SessionId;
use precis_proto::control::Control;
use precis_proto::response::Status;
use precis_runtime::runner::status_of;
use serde_json::json;

use crate::cli::ConfigArgs;
use crate::exit::{Exit, Failure};
use crate::fleet::Caller;
use crate::terminal;

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

/// Which end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Now; the result says `cancelled`.
    Cancel,
    /// Early; the result is a report of what there is.
    Stop,
}

impl End {
    fn control(self, session_id: SessionId) -> Control {
        match self {
            Self::Cancel => Control::Cancel { session_id },
            Self::Stop => Control::Stop { session_id },
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Stop => "stop",
        }
    }
}

/// Tells the fleet. A session that has ended already stays as it is, which is said.
#[must_use]
pub fn run(args: &ControlArgs, end: End) -> Exit {
    super::finish(attempt(args, end))
}

fn attempt(args: &ControlArgs, end: End) -> Result<(), Failure> {
    let sessions = args.sessions.iter().map(|id| super::session_id(id)).collect::<Result<Vec<_>, _>>()?;
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        let caller = super::caller(&settings, end.word()).await?;
        for session in sessions {
            let ended = tell(&caller, &session, end).await?;
            terminal::print(&line(args.json, &session, end, ended))?;
        }
        caller.broker.close().await;
        Ok(())
    })
}

/// `None` where the fleet was told, else how the session had ended before.
async fn tell(caller: &Caller, session: &SessionId, end: End) -> Result<Option<Status>, Failure> {
    let failed = |e| super::fleet_failed(&format!("{} {session}", end.word()), &e);
    if let Some(response) = caller.result(session).await.map_err(failed)? {
        return Ok(Some(status_of(&response)));
    }
    caller.control(&end.control(session.clone())).await.map_err(|e| failed(e.into()))?;
    Ok(None)
}

fn line(as_json: bool, session: &SessionId, end: End, ended: Option<Status>) -> String {
    if as_json {
        return format!("{}\n", json!({ "session_id": session, "asked": end.word(), "had_ended": ended }));
    }
    match ended {
        Some(status) => format!("{session}: had ended, {}\n", status.as_str()),
        None => format!("{session}: asked to {}\n", end.word()),
    }
}

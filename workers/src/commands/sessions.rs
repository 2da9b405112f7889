//! `precis sessions`: which sessions there are, and how they stand.
//!
//! Accepted and ended sessions are read off the content store; where a running one stands is what its worker last told the
//! shared store, which may have forgotten it.

use precis_proto::SessionId;
use precis_proto::response::{Response, Status};
use precis_runtime::runner::{SessionView, known_sessions, status_of};
use serde::Serialize;
use serde_json::json;

use crate::cli::ConfigArgs;
use crate::exit::{Exit, Failure};
use crate::{fleet, terminal};

/// Arguments of `precis sessions`.
#[derive(Debug, clap::Args)]
pub struct SessionsArgs {
    /// Only those that stand like this: queued, running, completed, failed, cancelled
    #[arg(long, value_name = "STATUS", value_parser = ["queued", "running", "completed", "failed", "cancelled"])]
    pub status: Option<String>,
    /// Most sessions shown, the newest first
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
    /// Print one JSON object per session
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// One session as it is shown.
#[derive(Debug, Serialize)]
struct Row {
    session_id: SessionId,
    status: Status,
    accepted_at: precis_proto::Timestamp,
    #[serde(flatten)]
    view: Option<SessionView>,
    stop_reason: Option<String>,
    incomplete: bool,
}

/// Lists sessions, newest first. Asks no broker.
#[must_use]
pub fn run(args: &SessionsArgs) -> Exit {
    super::finish(attempt(args))
}

fn attempt(args: &SessionsArgs) -> Result<(), Failure> {
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        let content = fleet::content(&settings)?;
        let store = fleet::store(&settings)?;
        let failed = |e| super::fleet_failed("list sessions", &fleet::SubmitError::Content(e));
        let mut shown = 0;
        for (session_id, accepted_at) in known_sessions(&content).await.map_err(failed)? {
            if shown >= args.limit {
                break;
            }
            let response = fleet::result(&content, &session_id).await.unwrap_or(None);
            let view = match response {
                Some(_) => None,
                None => SessionView::read(&store, &session_id).await,
            };
            let row = row(session_id, accepted_at, response.as_ref(), view);
            if args.status.as_ref().is_none_or(|status| *status == row.status.as_str()) {
                terminal::print(&line(args.json, &row))?;
                shown += 1;
            }
        }
        Ok(())
    })
}

fn row(
    session_id: SessionId,
    accepted_at: precis_proto::Timestamp,
    response: Option<&Response>,
    view: Option<SessionView>,
) -> Row {
    let info = response.and_then(|r| r.data.as_ref()).map(|data| &data.session);
    let status = match (response, &view) {
        (Some(response), _) => status_of(response),
        (None, Some(_)) => Status::Running,
        (None, None) => Status::Queued,
    };
    Row {
        session_id,
        status,
        accepted_at,
        view,
        stop_reason: info.and_then(|info| info.stop_reason.clone()),
        incomplete: info.is_some_and(|info| info.incomplete),
    }
}

fn line(as_json: bool, row: &Row) -> String {
    if as_json {
        return format!("{}\n", json!(row));
    }
    let at = row.view.as_ref().map_or(String::new(), |view| format!("{} (revision {})", view.phase, view.revision));
    let missing = if row.incomplete { "incomplete" } else { "" };
    let text = format!("{}  {:9}  {}  {at}{missing}", row.accepted_at, row.status.as_str(), row.session_id);
    format!("{}\n", terminal::printable(text.trim_end()))
}

//! `precis sessions`: lists sessions and their status.
//!
//! Accepted and ended sessions are read from the content store. The phase of a running one is what its worker last wrote to the shared
//! store, where it may have expired.

use precis_proto::SessionId;
use precis_proto::response::{Response, Status};
use precis_proto::stop_reason::StopReason;
use precis_runtime::runner::{SessionView, known_sessions, status_of};
use serde::Serialize;
use serde_json::json;

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet;

/// Arguments of `precis sessions`.
#[derive(Debug, clap::Args)]
pub struct SessionsArgs {
    /// Only sessions with this status: queued, running, completed, failed, cancelled
    #[arg(long, value_name = "STATUS", value_parser = ["queued", "running", "completed", "failed", "cancelled"])]
    pub status: Option<String>,
    /// Maximum number of sessions to show, newest first
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: usize,
    /// Print one JSON object per session
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Most characters of a question shown.
const QUESTION_CHARS: usize = 60;
/// The names of the columns, with the usual widths of a timestamp and an id.
const HEADER: &str = "ACCEPTED                  STATUS     SECONDS  SESSION                   QUESTION\n";

/// One session of the list.
#[derive(Debug, Serialize)]
struct SessionRow {
    session_id: SessionId,
    status: Status,
    accepted_at: precis_proto::Timestamp,
    #[serde(flatten)]
    view: Option<SessionView>,
    stop_reason: Option<StopReason>,
    incomplete: bool,
    /// Seconds from acceptance to result; `None` while it runs, and for results written by an older version.
    seconds: Option<f64>,
    /// The question; `None` until there is a result.
    query: Option<String>,
}

/// Lists sessions, newest first. Needs no broker.
#[must_use]
pub fn run(args: &SessionsArgs) -> Exit {
    super::finish(attempt(args))
}

fn attempt(args: &SessionsArgs) -> Result<(), CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        let content = fleet::content(&settings)?;
        let store = fleet::store(&settings, &content)?;
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
                if shown == 0 && !args.json {
                    terminal::print(HEADER)?;
                }
                terminal::print_as(args.json, &line(args.json, &row))?;
                shown += 1;
            }
        }
        if shown == 0 && !args.json { terminal::print("no sessions\n") } else { Ok(()) }
    })
}

fn row(
    session_id: SessionId,
    accepted_at: precis_proto::Timestamp,
    response: Option<&Response>,
    view: Option<SessionView>,
) -> SessionRow {
    let data = response.and_then(|r| r.data.as_ref());
    let info = data.map(|data| &data.session);
    let generated = data.and_then(|data| data.generated.as_ref());
    let status = match (response, &view) {
        (Some(response), _) => status_of(response),
        (None, Some(_)) => Status::Running,
        (None, None) => Status::Queued,
    };
    SessionRow {
        session_id,
        status,
        accepted_at,
        view,
        stop_reason: info.and_then(|info| info.stop_reason.clone()),
        incomplete: info.is_some_and(|info| info.incomplete),
        seconds: generated.map(|generated| (generated.at.0 - accepted_at.0).max(0) as f64 / 1_000.0),
        query: data.map(|data| data.query.clone()),
    }
}

fn line(as_json: bool, row: &SessionRow) -> String {
    if as_json {
        return format!("{}\n", json!(row));
    }
    let at = row.view.as_ref().map_or(String::new(), |view| format!("{} (revision {})", view.phase, view.revision));
    let missing = if row.incomplete { "incomplete: " } else { "" };
    let seconds = row.seconds.map_or(String::new(), |seconds| format!("{seconds:.1}"));
    let query = row.query.as_deref().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut asked: String = query.chars().take(QUESTION_CHARS).collect();
    if asked.len() < query.len() {
        asked.push('…');
    }
    let status = row.status.as_str();
    let text =
        format!("{}  {status:9}  {seconds:>7}  {:24}  {at}{missing}{asked}", row.accepted_at, row.session_id.as_str());
    format!("{}\n", terminal::printable(text.trim_end()))
}

#[cfg(test)]
mod tests {
    use precis_proto::Timestamp;

    use super::*;
    use crate::report::sample::{id, report, source};

    #[test]
    fn a_session_is_a_line_under_the_header_with_its_question_once_it_has_ended() {
        let mut response = report(vec![source(&id("a"), Some("text"))]);
        let data = response.data.as_mut().expect("a report");
        data.query = format!("Why\n{}?", "so ".repeat(40));
        data.generated = Some(precis_proto::response::Generated {
            at: Timestamp(12_500),
            version: String::new(),
            models: Vec::new(),
        });
        let session = || SessionId::new("s-1").expect("an id");
        let ended = line(false, &row(session(), Timestamp(0), Some(&response), None));
        let column = |name: &str| HEADER.find(name).expect("a column");
        assert_eq!(ended.find("completed"), Some(column("STATUS")), "{HEADER}{ended}");
        assert_eq!(ended.find("12.5").map(|at| at + 4), Some(column("SECONDS") + 7), "{HEADER}{ended}");
        assert_eq!(ended.find("s-1"), Some(column("SESSION")), "{HEADER}{ended}");
        assert_eq!(ended.find("Why so"), Some(column("QUESTION")), "{HEADER}{ended}");
        assert!(ended.ends_with("…\n"), "{ended}");
        let waits = line(false, &row(session(), Timestamp(0), None, None));
        assert!(waits.contains("queued") && waits.trim_end().ends_with("s-1"), "{waits}");
    }
}

//! `precis sessions`: lists sessions and where they stand.
//!
//! Sessions are found in the index of the content store, newest first, and read from their records there. The phase of a running one is what
//! its worker last wrote to the shared store, where it may have expired.

use precis_proto::response::Status;
use precis_proto::stop_reason::StopReason;
use precis_proto::{Phase, SessionId, Timestamp};
use precis_runtime::clock::Clock;
use precis_runtime::records::{IndexFilter, ListingPlace, moment};
use precis_runtime::runner::{FoundSession, SessionFilter, SessionView, find_sessions};
use serde::Serialize;
use serde_json::json;

use super::fleet_workers;
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet;

/// Arguments of `precis sessions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis sessions --status failed --since 24h
  precis sessions --tenant legal --query harbour
  precis sessions --limit 100 --cursor 2026-03-01.8227…   # the next page, as the last one said

TIME is 2026-03-01T12:00:00Z, the start of a day (2026-03-01), or so long ago (90s, 30m, 12h, 7d). A tenant and times are looked up in the index;
for everything else the records of up to 1,000 sessions are read, and then the command says how far it came.")]
pub struct SessionsArgs {
    /// Only sessions of this tenant
    #[arg(long, value_name = "NAME")]
    pub tenant: Option<String>,
    /// Only sessions with this status: queued, running, completed, failed, cancelled
    #[arg(long, value_name = "STATUS", value_parser = Status::ALL.map(Status::as_str))]
    pub status: Option<String>,
    /// Only running sessions in this phase
    #[arg(long, value_name = "PHASE", value_parser = Phase::ALL.map(Phase::as_str))]
    pub phase: Option<String>,
    /// Only sessions accepted at this time or later
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only sessions accepted before this time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only sessions whose question contains this, in upper or lower case
    #[arg(long, value_name = "TEXT")]
    pub query: Option<String>,
    /// Go on after an earlier page
    #[arg(long, value_name = "CURSOR")]
    pub cursor: Option<String>,
    /// Maximum number of sessions to show, newest first
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=MAX_LIMIT))]
    pub limit: u64,
    /// List the workers of the fleet instead, as each told of itself within the last 15 seconds
    #[arg(long, conflicts_with_all = ["tenant", "status", "phase", "since", "until", "query", "cursor", "limit"])]
    pub workers: bool,
    /// Print one JSON object per session; its `cursor` goes on after it
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Most sessions of a page.
const MAX_LIMIT: u64 = 10_000;
/// Most characters of a question shown.
const QUESTION_CHARS: usize = 60;
/// The names of the columns, with the usual widths of a timestamp and an id.
const HEADER: &str = "ACCEPTED                  STATUS     SECONDS  SESSION                           QUESTION\n";

/// One session of the list.
#[derive(Debug, Serialize)]
struct SessionRow {
    session_id: SessionId,
    status: Status,
    accepted_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    #[serde(flatten)]
    view: Option<SessionView>,
    stop_reason: Option<StopReason>,
    incomplete: bool,
    /// The code of its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    /// Seconds from acceptance to result; `None` while it runs.
    seconds: Option<f64>,
    /// The question.
    query: String,
    /// Where a page after this session begins.
    cursor: String,
}

/// Lists sessions, newest first. Needs no broker.
#[must_use]
pub fn run(args: &SessionsArgs) -> Exit {
    super::finish(attempt(args))
}

fn attempt(args: &SessionsArgs) -> Result<(), CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    if args.workers {
        return super::block_on(async {
            let content = fleet::content(&settings)?;
            fleet_workers::print(&fleet::store(&settings, &content)?, args.json).await
        });
    }
    let now = Clock::system().now();
    let time = |name: &str, text: Option<&String>| match text {
        None => Ok(None),
        Some(text) => {
            moment(text, now).map(Some).ok_or_else(|| invalid(&format!("--{name} must be a time, got `{text}`")))
        }
    };
    let index = IndexFilter {
        tenant: args.tenant.as_deref().map(Some),
        since: time("since", args.since.as_ref())?,
        until: time("until", args.until.as_ref())?,
    };
    let place = args.cursor.as_deref().map(ListingPlace::from_text).transpose();
    let place = place.map_err(|error| invalid(&format!("--cursor: {error}")))?;
    let (limit, filter) = (usize::try_from(args.limit).unwrap_or(usize::MAX), filter(args));
    super::block_on(async {
        let content = fleet::content(&settings)?;
        let store = fleet::store(&settings, &content)?;
        let failed = |e| super::fleet_failed("list sessions", &fleet::SubmitError::Content(e));
        let found = find_sessions((&content, &store), &index, &filter, place.as_ref(), limit, now);
        let page = found.await.map_err(failed)?;
        if !page.sessions.is_empty() && !args.json {
            terminal::print(HEADER)?;
        }
        for found in &page.sessions {
            terminal::print_as(args.json, &line(args.json, &row(found)))?;
        }
        if let Some(next) = &page.next {
            terminal::print_aside(&format!("{}\n", goes_on(page.looked_to, next)));
        } else if page.sessions.is_empty() && !args.json {
            terminal::print("no sessions\n")?;
        }
        Ok(())
    })
}

fn invalid(message: &str) -> CommandFailure {
    CommandFailure::new(Exit::Usage, "invalid_argument", message.to_owned()).with_remedy("precis sessions --help")
}

fn filter(args: &SessionsArgs) -> SessionFilter {
    SessionFilter {
        status: args.status.as_ref().and_then(|status| status.parse().ok()),
        phase: args.phase.as_ref().and_then(|phase| phase.parse().ok()),
        query: args.query.clone(),
    }
}

fn goes_on(looked_to: Option<Timestamp>, next: &ListingPlace) -> String {
    let seen = looked_to.map_or(String::new(), |at| format!("looked at sessions back to {at}; "));
    format!("{seen}there may be earlier ones: --cursor {}", next.to_text())
}

fn row(found: &FoundSession) -> SessionRow {
    let (record, standing) = (&found.record, &found.standing);
    let ended = standing.ended.as_ref();
    SessionRow {
        session_id: record.session_id.clone(),
        status: standing.status,
        accepted_at: record.accepted_at,
        tenant: record.tenant.clone(),
        view: standing.view.clone(),
        stop_reason: ended.and_then(|ended| ended.stop_reason.clone()),
        incomplete: ended.is_some_and(|ended| ended.incomplete),
        error_code: ended.and_then(|ended| ended.error_code.clone()),
        seconds: ended.map(|ended| (ended.ended_at.0 - record.accepted_at.0).max(0) as f64 / 1_000.0),
        query: record.query.clone(),
        cursor: found.place().to_text(),
    }
}

fn line(as_json: bool, row: &SessionRow) -> String {
    if as_json {
        return format!("{}\n", json!(row));
    }
    let at = row.view.as_ref().map_or(String::new(), place);
    let failed = row.error_code.as_ref().map_or(String::new(), |code| format!("{code}: "));
    let missing = if row.incomplete { "incomplete: " } else { "" };
    let seconds = row.seconds.map_or(String::new(), |seconds| format!("{seconds:.1}"));
    let query = row.query.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut asked: String = query.chars().take(QUESTION_CHARS).collect();
    if asked.len() < query.len() {
        asked.push('…');
    }
    let status = row.status.as_str();
    let text = format!(
        "{}  {status:9}  {seconds:>7}  {:32}  {at}{failed}{missing}{asked}",
        row.accepted_at,
        row.session_id.as_str()
    );
    format!("{}\n", terminal::printable(text.trim_end()))
}

/// Where a running session is.
fn place(view: &SessionView) -> String {
    let waits = view.waiting.map_or(String::new(), |wait| {
        let until = wait.until.map_or(String::new(), |until| format!(" until {until}"));
        format!(", waits ({}{until})", wait.reason.as_str())
    });
    format!("{} (revision {}{waits}): ", view.phase, view.revision)
}

#[cfg(test)]
mod tests {
    use precis_proto::failure_code::FailureCode;
    use precis_proto::response::{ErrorInfo, Response};
    use precis_runtime::records::{AcceptedSession, AskedBy, EndedSession};
    use precis_runtime::runner::{SessionStanding, SessionWait, WaitReason};

    use super::*;

    fn found(query: &str, ended: Option<EndedSession>) -> FoundSession {
        let request = json!({ "schema_version": 2, "session_id": "s-1", "query": query, "sources": [] });
        let request = serde_json::from_value(request).expect("a request");
        let asked_by = AskedBy::Amqp { user: None };
        let record = AcceptedSession::of(&request, String::new(), None, asked_by, Timestamp(0));
        let status = ended.as_ref().map_or(Status::Queued, |ended| ended.status);
        FoundSession { record, standing: SessionStanding { status, ended, view: None } }
    }

    #[test]
    fn a_session_is_a_line_under_the_header_with_its_question() {
        let error = ErrorInfo::new(Status::Failed, FailureCode::OverBudget, "words");
        let response = Response::failure(error);
        let ended = EndedSession::of(&response, b"kept", Status::Failed, Timestamp(12_500));
        let text = line(false, &row(&found(&format!("Why\n{}?", "so ".repeat(40)), Some(ended))));
        let column = |name: &str| HEADER.find(name).expect("a column");
        assert_eq!(text.find("failed"), Some(column("STATUS")), "{HEADER}{text}");
        assert_eq!(text.find("12.5").map(|at| at + 4), Some(column("SECONDS") + 7), "{HEADER}{text}");
        assert_eq!(text.find("s-1"), Some(column("SESSION")), "{HEADER}{text}");
        assert_eq!(text.find("over_budget: Why so"), Some(column("QUESTION")), "{HEADER}{text}");
        assert!(text.ends_with("…\n"), "{text}");
        let waiting = Some(SessionWait { reason: WaitReason::Retry, until: Some(Timestamp(0)) });
        let view = SessionView {
            phase: Phase::Digest,
            revision: 7,
            attempt: 2,
            worker: "w".to_owned(),
            since: Timestamp(0),
            waiting,
        };
        assert_eq!(place(&view), "digest (revision 7, waits (retry until 1970-01-01T00:00:00.000Z)): ");
        let waits = line(false, &row(&found("Why?", None)));
        assert!(waits.contains("queued") && waits.trim_end().ends_with("Why?"), "{waits}");
        let json: serde_json::Value = serde_json::from_str(&line(true, &row(&found("Why?", None)))).expect("JSON");
        let cursor = json["cursor"].as_str().expect("a cursor");
        assert!(ListingPlace::from_text(cursor).is_ok(), "{cursor}");
    }
}

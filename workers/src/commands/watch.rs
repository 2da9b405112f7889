//! `precis watch`: shows the progress of a session until it ends.

use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::response::Response;
use precis_runtime::broker::QueueDepth;
use serde_json::json;

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::progress::{Progress, ProgressMode};
use crate::cli::signals::stop_signal;
use crate::cli::terminal;
use crate::fleet::{Caller, SessionListener, SessionMessage};

/// Events buffered for the display; more are dropped.
const EVENTS: usize = 1_024;
/// How long a watched session may be unknown at first; also the interval at which it is looked up again.
const UNKNOWN_FOR: Duration = Duration::from_secs(2);

/// Arguments of `precis watch`.
#[derive(Debug, clap::Args)]
pub struct WatchArgs {
    /// The id of the session
    pub session: String,
    /// Print each event as a line of JSON, and the status of the result last
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Watches the session. Exit code 0 with a report, 5 with an incomplete one, 1 without a report, 3 for an unknown session. Ctrl-C stops
/// watching; the session continues.
#[must_use]
pub fn run(args: &WatchArgs) -> Exit {
    super::finish_as(attempt(args))
}

fn attempt(args: &WatchArgs) -> Result<Exit, CommandFailure> {
    let session = super::session_id(&args.session)?;
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        let caller = super::caller(&settings, "watch").await?;
        let failed = |e| super::fleet_failed(&format!("watch {session}"), &e);
        // Listening starts before the result is looked up: a session that ends in between is seen by one of the two.
        let listener = caller.listen(&session).await.map_err(|e| failed(e.into()))?;
        let response = match caller.result(&session).await.map_err(failed)? {
            Some(response) => response,
            None => tokio::select! {
                refused = unknown(&caller, &session) => return Err(refused?),
                heard = follow(listener, Screen::choose(args.json, false)) => heard.map_err(failed)?,
                () = stop_signal() => return Ok(Exit::Interrupted),
            },
        };
        caller.broker.close().await;
        let text = if args.json {
            super::result::status_json(&session, &response)
        } else {
            super::result::last_line(&session, &response)
        };
        terminal::print_as(args.json, &text)?;
        Ok(super::result::exit_of(&response))
    })
}

/// Returns once it is certain that the fleet does not know the session: no queued request could be its own. Otherwise never returns. A
/// request that was just submitted may take a moment until a worker accepts it.
///
/// # Errors
/// The content store cannot be read.
async fn unknown(caller: &Caller, session: &SessionId) -> Result<CommandFailure, CommandFailure> {
    let failed = |e| super::fleet_failed(&format!("watch {session}"), &e);
    let mut is_warned = false;
    loop {
        tokio::time::sleep(UNKNOWN_FOR).await;
        match look(caller.requests(), caller.is_known(session)).await.map_err(failed)? {
            SessionTrace::Known => return std::future::pending().await,
            SessionTrace::Queued { is_consumed } => {
                if !is_consumed && !is_warned {
                    terminal::print_warning(super::NOBODY_CONSUMES);
                    is_warned = true;
                }
            }
            SessionTrace::None => return Ok(super::unknown_session(session)),
        }
    }
}

/// What the fleet has of a session.
#[derive(Debug, PartialEq, Eq)]
enum SessionTrace {
    /// A worker has accepted its request.
    Known,
    /// Requests are queued, one of which may be its own.
    Queued {
        /// Whether a worker consumes them.
        is_consumed: bool,
    },
    None,
}

/// Looks for the request of a session: in the queue, then among the accepted ones. In this order, because a request moves from the
/// first to the second: one that is accepted between the two looks is seen by the second.
async fn look<E>(
    requests: impl Future<Output = Option<QueueDepth>>,
    is_known: impl Future<Output = Result<bool, E>>,
) -> Result<SessionTrace, E> {
    let requests = requests.await;
    Ok(match requests {
        _ if is_known.await? => SessionTrace::Known,
        Some(requests) if requests.ready > 0 => SessionTrace::Queued { is_consumed: requests.consumers > 0 },
        _ => SessionTrace::None,
    })
}

/// Where events are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// As JSON lines on standard output.
    Json,
    /// As progress on standard error.
    Progress(ProgressMode),
}

impl Screen {
    /// Chooses the display by the flags of a command.
    #[must_use]
    pub fn choose(json: bool, quiet: bool) -> Self {
        if json { Self::Json } else { Self::Progress(ProgressMode::choose(quiet)) }
    }
}

/// Shows events until the session ends, and returns its result.
///
/// # Errors
/// As [`SessionListener::next`].
pub async fn follow(mut listener: SessionListener, screen: Screen) -> Result<Response, crate::fleet::SubmitError> {
    let (sender, inbox) = tokio::sync::mpsc::channel(EVENTS);
    let mode = match screen {
        Screen::Json => ProgressMode::Silent,
        Screen::Progress(mode) => mode,
    };
    let showing = tokio::spawn(Progress::new(mode).follow(inbox));
    let ended = loop {
        match listener.next().await {
            Ok(SessionMessage::Event(event)) => {
                if screen == Screen::Json {
                    // A closed standard output must not end the session.
                    let _ = terminal::print_json(&format!("{}\n", json!(event)));
                }
                // Never waits for the terminal: a slow one costs progress lines, not the result.
                let _ = sender.try_send(listener.show_event(event).await);
            }
            Ok(SessionMessage::Result(response)) => break Ok(*response),
            Err(error) => break Err(error),
        }
    };
    // Without it the next line would wait forever: the display ends when the channel is closed.
    drop(sender);
    let _ = showing.await;
    ended
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn depth(ready: u64, consumers: u64) -> Option<QueueDepth> {
        Some(QueueDepth { ready, unacked: None, consumers })
    }

    #[tokio::test]
    async fn a_session_is_known_queued_or_not_there() {
        let queued = |is_consumed| SessionTrace::Queued { is_consumed };
        for (requests, is_known, want) in [
            (depth(1, 1), true, SessionTrace::Known),
            (None, true, SessionTrace::Known),
            (depth(1, 1), false, queued(true)),
            (depth(1, 0), false, queued(false)),
            (depth(0, 1), false, SessionTrace::None),
            (None, false, SessionTrace::None),
        ] {
            let known = std::future::ready(Ok::<_, CommandFailure>(is_known));
            assert_eq!(look(std::future::ready(requests), known).await.expect("readable"), want);
        }
    }

    #[tokio::test]
    async fn a_request_that_is_accepted_between_the_two_looks_is_known() {
        let is_accepted = Cell::new(false);
        let requests = async {
            let ready = u64::from(!is_accepted.replace(true));
            depth(ready, 1)
        };
        let known = async { Ok::<_, CommandFailure>(is_accepted.replace(true)) };
        assert_eq!(look(requests, known).await.expect("readable"), SessionTrace::Known);
    }
}

//! A reader of the events of one session, whose connection may be cut within any event.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::Request;
use futures_util::StreamExt;
use precis_proto::SessionId;
use tokio::time::timeout;

use super::World;

/// For how long a reader hears nothing before it is taken to have heard all. Longer than a door takes to look again by itself.
const SILENCE: Duration = Duration::from_secs(5);

/// More text than any session has: a stream that is longer repeats itself.
const MOST: usize = 1 << 20;

/// An event as its reader got it; a snapshot has no id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Got {
    pub(super) id: Option<String>,
    pub(super) word: String,
    pub(super) json: String,
}

/// A reader.
#[derive(Default)]
pub(super) struct Reader {
    connection: Option<BodyDataStream>,
    /// What was sent and is not a whole event yet.
    begun: String,
    /// Everything that it got, over all connections.
    pub(super) got: Vec<Got>,
}

impl Reader {
    /// The id of the last event that has one.
    fn last(&self) -> Option<&str> {
        self.got.iter().rev().find_map(|got| got.id.as_deref())
    }

    /// Connects anew, where it left off.
    pub(super) async fn connect(&mut self, door: &World, session: &SessionId) {
        let request = Request::builder().uri(format!("/v1/sessions/{session}/events"));
        let mut request = request.header("authorization", "Bearer alpha");
        if let Some(last) = self.last() {
            request = request.header("last-event-id", last);
        }
        let answer = door.raw(request.body(Body::empty()).expect("a request")).await;
        let is_open = answer.status() == 200;
        assert!(is_open || answer.status() == 204, "{}", answer.status());
        (self.connection, self.begun) = (is_open.then(|| answer.into_body().into_data_stream()), String::new());
    }

    /// Reads what there is; without its last `cut` bytes, with which the connection goes.
    pub(super) async fn read(&mut self, cut: Option<usize>) {
        let Some(connection) = &mut self.connection else { return };
        let mut is_over = false;
        while !is_over {
            assert!(self.begun.len() < MOST, "a stream repeats itself");
            match timeout(SILENCE, connection.next()).await {
                Ok(Some(bytes)) => self.begun += std::str::from_utf8(&bytes.expect("no error")).expect("text"),
                Ok(None) => is_over = true,
                Err(_) => break,
            }
        }
        if let Some(cut) = cut {
            // Signs of life come by time: with them the cut would depend on it.
            self.begun = self.begun.replace(": alive\n\n", "");
            self.begun.truncate(self.begun.len().saturating_sub(cut));
        }
        if is_over || cut.is_some() {
            self.connection = None;
        }
        while let Some((frame, rest)) = self.begun.split_once("\n\n") {
            self.got.extend(parse(frame));
            self.begun = rest.to_owned();
        }
    }

    /// Reads to the end of the session.
    pub(super) async fn finish(&mut self, door: &World, session: &SessionId) {
        self.read(Some(0)).await;
        self.connect(door, session).await;
        self.read(None).await;
        assert!(self.connection.is_none(), "a stream has no end");
        assert_eq!(self.got.last().map(|got| got.word.as_str()), Some("session_finished"));
    }
}

/// An event; `None` for a sign of life.
fn parse(frame: &str) -> Option<Got> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    Some(Got { id: field("id: "), word: field("event: ")?, json: field("data: ")? })
}

//! The record of an accepted request. It decides who has a session id: it is written before anything else of the session, and only if none
//! is there.

use bytes::Bytes;
use precis_proto::request::{RequestOptions, RequestSource, ResearchRequest};
use precis_proto::{SessionId, SourceId, Timestamp};
use serde::{Deserialize, Serialize};

use super::days;
use crate::content::{ContentError, ContentStore};

/// Kind of the named contents that hold these records.
pub const ACCEPTED: &str = "sessions";
/// Version of the record.
const RECORD_VERSION: u32 = 1;

/// What was asked, by whom, and when. Has no text of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AcceptedSession {
    /// Version of this record; readers ignore fields they do not know.
    pub schema_version: u32,
    /// The session.
    pub session_id: SessionId,
    /// When it was accepted, by the clock of whoever accepted it.
    pub accepted_at: Timestamp,
    /// SHA-256 of the request as published, in hexadecimal digits.
    pub request_sha256: String,
    /// The tenant it was submitted for; `None` for the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Who submitted it.
    pub asked_by: AskedBy,
    /// The question.
    pub query: String,
    /// The options, without background, earlier context and conversation, which are texts.
    #[serde(default)]
    pub options: RequestOptions,
    /// The sources of the request.
    pub sources: Vec<RecordedSource>,
}

/// Who submitted a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "over", rename_all = "snake_case")]
pub enum AskedBy {
    /// A user of the broker; `None` if the message named none.
    Amqp {
        /// The user.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<String>,
    },
    /// A caller over HTTP.
    Http {
        /// The name of its token; `None` where no tokens are set up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<String>,
    },
}

/// A source of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSource {
    /// Its id.
    pub source_id: SourceId,
    /// Its title.
    pub title: String,
    /// How its content was given.
    pub kind: SourceKind,
}

/// How the content of a source was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// As text.
    Text,
    /// As the bytes of a document.
    Document,
    /// As a reference to the content store.
    Stored,
    /// As an address to fetch.
    Address,
}

impl AcceptedSession {
    /// The record of `request`, whose published bytes have the hash `request_sha256`.
    #[must_use]
    pub fn of(
        request: &ResearchRequest,
        request_sha256: String,
        tenant: Option<String>,
        asked_by: AskedBy,
        accepted_at: Timestamp,
    ) -> Self {
        Self {
            schema_version: RECORD_VERSION,
            session_id: request.session_id.clone(),
            accepted_at,
            request_sha256,
            tenant,
            asked_by,
            query: request.query.clone(),
            options: without_texts(&request.options),
            sources: request.sources.iter().map(recorded_source).collect(),
        }
    }

    /// Whether `other` is the same request for the same tenant.
    #[must_use]
    pub fn admits(&self, other: &Self) -> bool {
        self.request_sha256 == other.request_sha256 && self.tenant == other.tenant
    }
}

fn without_texts(options: &RequestOptions) -> RequestOptions {
    RequestOptions { project_context: String::new(), prior_context: Vec::new(), history: Vec::new(), ..options.clone() }
}

fn recorded_source(source: &RequestSource) -> RecordedSource {
    let kind = match source {
        RequestSource { content: Some(_), .. } => SourceKind::Text,
        RequestSource { content_base64: Some(_), .. } => SourceKind::Document,
        RequestSource { content_ref: Some(_), .. } => SourceKind::Stored,
        _ => SourceKind::Address,
    };
    RecordedSource { source_id: source.source_id.clone(), title: source.title.clone(), kind }
}

/// Keeps `record` unless its session has one, and marks its day; returns the record that is kept. The same however often it is repeated.
///
/// # Errors
/// [`ContentError`], also if the record that is there cannot be read.
pub async fn keep_accepted(content: &ContentStore, record: &AcceptedSession) -> Result<AcceptedSession, ContentError> {
    keep_and(content, record, std::future::ready(Ok(()))).await
}

/// [`keep_accepted`], with `mark` at the same time as the mark of the day: each waits for the disk. `mark` is not begun if the session is another's.
///
/// # Errors
/// As [`keep_accepted`], and of `mark`.
pub(super) async fn keep_and(
    content: &ContentStore,
    record: &AcceptedSession,
    mark: impl Future<Output = Result<(), ContentError>>,
) -> Result<AcceptedSession, ContentError> {
    let json = serde_json::to_vec(record).expect("a record is plain data");
    let kept = content.put_named_if_absent(ACCEPTED, record.session_id.as_str(), Bytes::from(json)).await?;
    let kept = decode(&kept)?;
    // After the record: a marker without one would be a row that nobody can read. A crash in between is mended by the repeat.
    if kept.admits(record) {
        let day = days::mark(content, kept.accepted_at, kept.tenant.as_deref(), &kept.session_id);
        tokio::try_join!(day, mark)?;
    }
    Ok(kept)
}

/// Removes the record of a session that nobody was told of, and its marker.
///
/// # Errors
/// [`ContentError`]; the record may be there still.
pub async fn withdraw_accepted(content: &ContentStore, record: &AcceptedSession) -> Result<(), ContentError> {
    // The marker first: one without a record would be a row that nobody can read.
    days::unmark(content, record.accepted_at, record.tenant.as_deref(), &record.session_id).await?;
    content.remove_named(ACCEPTED, record.session_id.as_str()).await.map(drop)
}

/// Returns the record of the session with this id; `None` if there is none. Any text may be asked for.
///
/// # Errors
/// [`ContentError`], also if it cannot be read.
pub async fn read_accepted(content: &ContentStore, id: &str) -> Result<Option<AcceptedSession>, ContentError> {
    content.get_named(ACCEPTED, id).await?.map(|kept| decode(&kept)).transpose()
}

fn decode(kept: &[u8]) -> Result<AcceptedSession, ContentError> {
    let unreadable = |_| ContentError::Unavailable("the record of the session cannot be parsed".to_owned());
    serde_json::from_slice(kept).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(query: &str) -> ResearchRequest {
        let sources = json!([
            { "source_id": "a", "title": "A", "content": "SECRET TEXT" },
            { "source_id": "b", "content_base64": "U0VDUkVU" },
            { "source_id": "c", "url": "https://example.org/c" },
        ]);
        let options = json!({
            "project_context": "SECRET BACKGROUND",
            "prior_context": [{ "text": "SECRET BLOCK" }],
            "history": [{ "role": "user", "content": "SECRET TALK" }],
            "report_tokens": 900,
        });
        let request =
            json!({ "schema_version": 2, "session_id": "s", "query": query, "sources": sources, "options": options });
        serde_json::from_value(request).expect("a request")
    }

    fn record(query: &str, tenant: Option<&str>) -> AcceptedSession {
        let asked_by = AskedBy::Http { token: Some("t".to_owned()) };
        AcceptedSession::of(
            &request(query),
            format!("hash of {query}"),
            tenant.map(str::to_owned),
            asked_by,
            Timestamp(7),
        )
    }

    #[test]
    fn a_record_says_what_was_asked_and_has_no_text() {
        let json = serde_json::to_string(&record("Why?", Some("legal"))).expect("plain data");
        assert!(!json.contains("SECRET") && !json.contains("U0VDUkVU"), "{json}");
        for part in ["\"Why?\"", "\"legal\"", "\"report_tokens\":900", "\"text\"", "\"document\"", "\"address\""] {
            assert!(json.contains(part), "{part} is not in {json}");
        }
    }

    #[tokio::test]
    async fn the_first_record_of_a_session_stays() {
        let content = ContentStore::in_memory();
        let first = record("Why?", None);
        assert_eq!(keep_accepted(&content, &first).await.expect("kept"), first);
        let later = AcceptedSession { accepted_at: Timestamp(9), ..first.clone() };
        assert_eq!(keep_accepted(&content, &later).await.expect("kept"), first);
        for other in [record("When?", None), record("Why?", Some("legal"))] {
            assert!(!keep_accepted(&content, &other).await.expect("kept").admits(&other));
        }
        assert_eq!(read_accepted(&content, "s").await.expect("read"), Some(first));
        for absent in ["", "..", "%2E", "s/..", &"x".repeat(9_999)] {
            assert_eq!(read_accepted(&content, absent).await.expect("read"), None);
        }
    }
}

//! Where a session stands, as its caller is told.

use std::collections::BTreeMap;

use precis_proto::response::Status;
use precis_proto::state::PhaseTime;
use precis_proto::stop_reason::StopReason;
use precis_proto::warning::WarningCode;
use precis_proto::{Phase, SessionId, Timestamp};
use precis_runtime::records::{AcceptedSession, EndedSession};
use precis_runtime::runner::{SessionStanding, SessionView, SessionWait, session_end, session_standing};
use schemars::JsonSchema;
use serde::Serialize;

use crate::base_path::BasePath;
use crate::door::Door;
use crate::problem::Problem;

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionDocument {
    /// Its id.
    pub id: SessionId,
    /// `queued`: no worker has taken it. `running`: one has. `completed`, `failed`, `cancelled`: it has ended, and this word stays.
    pub status: Status,
    /// The question.
    pub query: String,
    /// The tenant it belongs to; absent for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// Number of its sources.
    pub sources: u64,
    /// Where it is; absent unless it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<SessionProgress>,
    /// How it ended; absent until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<SessionEnd>,
    /// Addresses of what belongs to it.
    pub links: BTreeMap<String, String>,
}

/// Where a running session is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionProgress {
    /// Its phase; `null` if it is not known: the cache was wiped, or no worker has begun with it.
    pub phase: Option<Phase>,
    /// The attempt of the phase, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// When a worker took it for this phase, or let it go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// What it waits for; absent while a worker holds it, and where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<SessionWait>,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionEnd {
    /// When its result was kept.
    pub at: Timestamp,
    /// Why it ended early, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub stop_reason: Option<StopReason>,
    /// Whether something that was asked for is missing.
    pub incomplete: bool,
    /// The code of its failure; absent with a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// Number of citations.
    pub citations: u64,
    /// Seconds in each phase.
    pub phases: Vec<PhaseTime>,
    /// US dollars spent on models; a call whose price is not known counts as 0.
    pub cost_usd: f64,
    /// Distinct warning codes.
    pub warnings: Vec<WarningCode>,
    /// SHA-256 of the result, which is its `ETag`.
    pub result_sha256: String,
    /// Size of the result, in bytes.
    pub result_bytes: u64,
}

impl Door {
    /// Returns how `session` ended; `None` if it has not.
    ///
    /// # Errors
    /// 503.
    pub(crate) async fn ended_session(&self, session: &SessionId) -> Result<Option<EndedSession>, Problem> {
        Ok(session_end(&self.parts.content, session, self.parts.clock.now()).await?)
    }

    /// Returns where the session of `record` stands.
    ///
    /// # Errors
    /// 503.
    pub(crate) async fn document(&self, record: &AcceptedSession) -> Result<SessionDocument, Problem> {
        let (content, store, now) = (&self.parts.content, &self.parts.store, self.parts.clock.now());
        let standing = session_standing(content, store, &record.session_id, now).await?;
        Ok(document(record, standing, &self.parts.base_path))
    }

    /// Where the session of `record` stands while only this request knows it.
    pub(crate) fn new_document(&self, record: &AcceptedSession) -> SessionDocument {
        let standing = SessionStanding { status: Status::Queued, ended: None, view: None };
        document(record, standing, &self.parts.base_path)
    }
}

fn progress(view: Option<SessionView>) -> SessionProgress {
    match view {
        Some(view) => SessionProgress {
            phase: Some(view.phase),
            attempt: Some(view.attempt),
            since: Some(view.since),
            waiting: view.waiting,
        },
        None => SessionProgress { phase: None, attempt: None, since: None, waiting: None },
    }
}

/// The session of `record`, as its caller is told.
pub(crate) fn document(record: &AcceptedSession, standing: SessionStanding, base: &BasePath) -> SessionDocument {
    let SessionStanding { status, ended, view } = standing;
    let progress = (status == Status::Running).then(|| progress(view));
    let own = format!("{}/v1/sessions/{}", base.as_str(), escape_segment(record.session_id.as_str()));
    let link = |name: &str| (name.to_owned(), format!("{own}/{name}"));
    let mut links = BTreeMap::from([("self".to_owned(), own.clone()), link("events")]);
    links.extend(match &ended {
        Some(ended) if ended.error_code.is_none() => {
            ["result", "report.md", "report.html", "archive.zip", "verify"].map(link).to_vec()
        }
        Some(_) => vec![link("result")],
        None => ["stop", "cancel"].map(link).to_vec(),
    });
    SessionDocument {
        id: record.session_id.clone(),
        status,
        query: record.query.clone(),
        tenant: record.tenant.clone(),
        accepted_at: record.accepted_at,
        sources: record.sources.len() as u64,
        progress,
        ended: ended.as_ref().map(end),
        links,
    }
}

fn end(ended: &EndedSession) -> SessionEnd {
    SessionEnd {
        at: ended.ended_at,
        stop_reason: ended.stop_reason.clone(),
        incomplete: ended.incomplete,
        error_code: ended.error_code.clone(),
        citations: ended.citations,
        phases: ended.phases.clone(),
        cost_usd: ended.spend.values().map(|spend| spend.cost_usd).sum(),
        warnings: ended.warnings.clone(),
        result_sha256: ended.result_sha256.clone(),
        result_bytes: ended.result_bytes,
    }
}

/// An id as a segment of a path: it may contain any character.
pub(crate) fn escape_segment(id: &str) -> String {
    let mut text = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => text.push(char::from(byte)),
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_segment_of_a_path() {
        for (id, expected) in [("s-1_A~", "s-1_A~"), ("a/b", "a%2Fb"), ("..", "%2E%2E"), ("é?", "%C3%A9%3F")] {
            assert_eq!(escape_segment(id), expected);
        }
    }
}

//! Prepares a dead letter to be processed again.
//!
//! A session has exactly one result, and a failed session already has it: the failure reported to its caller. A redriven session therefore
//! gets a new id, the old one with a number appended, and its result is a separate message. Model answers are still reused: they are stored
//! by request, not by session.

use precis_proto::dead_reason::DeadReason;
use precis_proto::envelope::{CodecError, Envelope, Header, MAX_STATE_BYTES, message_type};
use precis_proto::request::ResearchRequest;
use precis_proto::{Phase, SessionId};
use precis_runtime::broker::{Delivery, JOB_KINDS, names};
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::runner::RESULTS;
use precis_runtime::runner::sealed_letter::{self, NotOurs};
use serde_json::Value;

/// Queue and message of a redrive.
#[derive(Debug)]
pub struct RedriveMessage {
    /// The target queue.
    pub queue: String,
    /// The message.
    pub envelope: Envelope,
    /// The new session id, if it was renamed.
    pub renamed: Option<SessionId>,
}

/// Adds reason and original queue to a dead letter of the last queue, which has neither: no worker processed it to write them.
#[must_use]
pub fn with_reason(mut letter: Delivery) -> Delivery {
    let header = &mut letter.envelope.header;
    if letter.queue == names::LAST && header.dead_reason.is_none() {
        header.subject = home(header).unwrap_or_default();
        header.dead_reason = Some(DeadReason::UndertakerLimit.to_string());
    }
    letter
}

/// Returns the queue a message is first processed in, according to its headers.
fn home(header: &Header) -> Option<String> {
    let subject = header.subject.as_str();
    match header.message_type.as_str() {
        message_type::STATE => subject.parse().ok().map(names::session_queue),
        message_type::JOB => JOB_KINDS.contains(&subject).then(|| names::job_queue(subject)),
        message_type::WEBHOOK => Some(names::WEBHOOKS.to_owned()),
        _ => Some(names::REQUESTS.to_owned()),
    }
}

/// Why a dead letter cannot be redriven.
#[derive(Debug, thiserror::Error)]
pub enum RedriveError {
    /// The content store cannot be read, so it is unknown whether the session has ended.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// Its body exceeds a size limit.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// Its sealed body cannot be opened.
    #[error(transparent)]
    NotOurs(#[from] NotOurs),
}

/// Returns `letter` with its body unsealed.
///
/// # Errors
/// [`RedriveError::Content`] if the fleet key cannot be read, [`RedriveError::NotOurs`] if it does not open the body.
pub async fn open_letter(letter: &Envelope, content: &ContentStore) -> Result<Envelope, RedriveError> {
    match sealed_letter::is_sealed(letter) {
        true => Ok(sealed_letter::open(letter, &content.fleet_key().await?)?),
        false => Ok(letter.clone()),
    }
}

/// Prepares `letter` to return to its original queue: first attempt, no reason, and a new session id if its session has ended.
///
/// # Errors
/// [`RedriveError`].
pub async fn redriven(letter: &Envelope, content: &ContentStore) -> Result<RedriveMessage, RedriveError> {
    let mut envelope = open_letter(letter, content).await?;
    let queue = std::mem::take(&mut envelope.header.subject);
    envelope.header.dead_reason = None;
    (envelope.header.attempt, envelope.header.waits) = (1, 0);
    envelope.header.subject = subject_of(&queue, &envelope).unwrap_or_default();
    let (envelope, renamed) = match envelope.header.message_type.as_str() {
        message_type::STATE | message_type::REQUEST => rename_session(envelope, content).await?,
        _ => (envelope, None),
    };
    Ok(RedriveMessage { queue, envelope, renamed })
}

/// Returns the subject that a message of `queue` had before it was a dead letter, whose subject is the queue: for a job its kind, by which
/// a worker finds the handler; for a session its phase, which is told if the session is given up again.
fn subject_of(queue: &str, envelope: &Envelope) -> Option<String> {
    if let Some(kind) = queue.strip_prefix(names::JOBS_ALONE).or_else(|| queue.strip_prefix("precis.jobs.")) {
        return Some(kind.to_owned());
    }
    if envelope.header.message_type != message_type::STATE {
        return None;
    }
    let is_phase = |word: &&str| word.parse::<Phase>().is_ok();
    if let Some(phase) = queue.strip_prefix("precis.session.").filter(is_phase) {
        return Some(phase.to_owned());
    }
    // Sessions that were worked on alone have one queue for all phases.
    let state = envelope.decode_within::<Value>(MAX_STATE_BYTES).ok()?;
    state["phase"].as_str().filter(is_phase).map(str::to_owned)
}

async fn rename_session(
    envelope: Envelope,
    content: &ContentStore,
) -> Result<(Envelope, Option<SessionId>), RedriveError> {
    // Return an unreadable message unchanged: a newer worker may be able to read it.
    let Some(session) = session_of(&envelope) else { return Ok((envelope, None)) };
    let mut name = session.clone();
    let mut number = 1_u32;
    // The lowest free number, so that two copies of a letter get the same id.
    while content.get_named(RESULTS, name.as_str()).await?.is_some() {
        number += 1;
        match SessionId::new(format!("{session}.{number}")) {
            Ok(next) => name = next,
            // The id is too long to append a number: return it under its own id.
            Err(_) => return Ok((envelope, None)),
        }
    }
    if name == session {
        return Ok((envelope, None));
    }
    let body = match envelope.header.message_type.as_str() {
        message_type::REQUEST => {
            serde_json::to_vec(&ResearchRequest { session_id: name.clone(), ..envelope.decode()? })
        }
        _ => {
            let mut state = envelope.decode_within::<Value>(MAX_STATE_BYTES)?;
            state["session_id"] = Value::from(name.as_str());
            serde_json::to_vec(&state)
        }
    };
    let body = body.map_err(|e| CodecError::Json(e.to_string()))?;
    let mut header = envelope.header;
    header.message_id = match header.message_type.as_str() {
        message_type::STATE => format!("{name}/{}", header.revision),
        _ => name.to_string(),
    };
    header.correlation_id = name.to_string();
    Ok((Envelope::from_json(header, body)?, Some(name)))
}

/// Returns the session id of a state or a request. A request may be large; parsing it as its type enforces its limits.
fn session_of(envelope: &Envelope) -> Option<SessionId> {
    match envelope.header.message_type.as_str() {
        message_type::REQUEST => envelope.decode::<ResearchRequest>().ok().map(|request| request.session_id),
        _ => SessionId::new(envelope.decode_within::<Value>(MAX_STATE_BYTES).ok()?["session_id"].as_str()?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use precis_proto::envelope::Header;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_last_queue_letter_returns_to_the_start_of_its_kind() {
        let of = |kind: &str, subject: &str| {
            home(&Header { message_type: kind.to_owned(), subject: subject.to_owned(), ..Header::default() })
        };
        assert_eq!(of(message_type::STATE, "digest").as_deref(), Some("precis.session.digest"));
        assert_eq!(of(message_type::JOB, "extraction").as_deref(), Some("precis.jobs.extraction"));
        assert_eq!(of(message_type::REQUEST, "anything").as_deref(), Some(names::REQUESTS));
        assert_eq!(of(message_type::JOB, "../dead"), None);
        assert_eq!(of(message_type::STATE, ""), None);
    }

    fn letter() -> Envelope {
        let header = Header {
            message_type: message_type::STATE.to_owned(),
            message_id: "s/7".to_owned(),
            correlation_id: "s".to_owned(),
            revision: 7,
            attempt: 5,
            subject: "precis.session.digest".to_owned(),
            dead_reason: Some("attempts_exhausted".to_owned()),
            ..Header::default()
        };
        Envelope::encode(header, &json!({ "session_id": "s" })).expect("small")
    }

    #[tokio::test]
    async fn a_session_that_has_not_ended_goes_on_under_its_name() {
        let made = redriven(&letter(), &ContentStore::in_memory()).await.expect("works");
        assert_eq!((made.queue.as_str(), made.renamed), ("precis.session.digest", None));
        let header = made.envelope.header;
        assert_eq!((header.attempt, header.dead_reason, header.message_id.as_str()), (1, None, "s/7"));
        assert_eq!(header.subject, "digest");
    }

    #[tokio::test]
    async fn an_ended_session_continues_under_a_name_without_result() {
        let content = ContentStore::in_memory();
        for ended in ["s", "s.2"] {
            content.put_named_if_absent(RESULTS, ended, Bytes::from("{}")).await.expect("kept");
        }
        let made = redriven(&letter(), &content).await.expect("works");
        assert_eq!(made.renamed.as_ref().map(SessionId::as_str), Some("s.3"));
        let header = &made.envelope.header;
        assert_eq!((header.message_id.as_str(), header.correlation_id.as_str()), ("s.3/7", "s.3"));
        assert_eq!(made.envelope.decode::<Value>().expect("JSON")["session_id"], "s.3");
    }

    #[test]
    fn the_subject_of_a_dead_letter_is_what_it_was() {
        let of = |kind: &str, queue: &str| {
            let header = Header { message_type: kind.to_owned(), subject: queue.to_owned(), ..Header::default() };
            let letter = Envelope::from_json(header, br#"{"phase":"synthesis"}"#.to_vec()).expect("small");
            subject_of(queue, &letter)
        };
        for (kind, queue, subject) in [
            (message_type::STATE, "precis.session.digest", Some("digest")),
            (message_type::STATE, "precis.session.alone", Some("synthesis")),
            (message_type::JOB, "precis.jobs.extraction", Some("extraction")),
            (message_type::JOB, "precis.jobs.alone.extraction", Some("extraction")),
            (message_type::REQUEST, "precis.requests", None),
        ] {
            assert_eq!(of(kind, queue).as_deref(), subject, "{queue}");
        }
    }
}

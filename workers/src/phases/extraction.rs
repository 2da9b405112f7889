//! Extraction: produces the canonical text of each source, and archives it if the archive is on.

use std::sync::Arc;

use precis_extract::{FollowPolicy, Hint};
use precis_proto::extraction::ExtractionAnswer;
use precis_proto::failure_code::FailureCode;
use precis_proto::job::{Extraction as Job, ExtractionJob, JobFailure, JobOutcome};
use precis_proto::source::Origin;
use precis_proto::state::SessionState;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{DocumentFormat, Phase, SourceId};
use precis_report::fold;
use precis_runtime::archive::{Archive, ArchiveError};
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use super::compression::{from_notes, load_gathered};
use super::give_up;
use super::route::{PhaseEnd, next};
use super::writer_evidence::WriterRoom;
use crate::documents::pages::FETCH_REFUSED;
use crate::documents::texts;

/// The extraction phase.
#[derive(Debug)]
pub struct ExtractionPhase {
    /// The archive of canonical texts; `None` if it is off.
    pub archive: Option<Arc<Archive>>,
    /// Which URLs are fetched.
    pub follow: FollowPolicy,
    /// How much the writer of the report reads.
    pub writer: WriterRoom,
}

impl PhaseHandler for ExtractionPhase {
    const PHASE: Phase = Phase::Extraction;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let left = self.left_alone(&session);
        // Recorded first: a source with a failure gets no job below.
        fold::extraction(&mut session, left, ctx.now());
        let jobs = jobs(&session);
        let ids: Vec<SourceId> = jobs.iter().map(|(_, job)| job.source_id.clone()).collect();
        let outcomes = ctx.scatter::<Job>(jobs).await?;
        fold::extraction(&mut session, ids.into_iter().zip(outcomes).collect(), ctx.now());
        if session.sources.iter().all(|s| s.text.is_none()) {
            if !session.raw_notes.is_empty() {
                session.warn(from_notes(Some("no source could be read")));
                return Ok(next(session, Self::PHASE, PhaseEnd::OnlyNotes));
            }
            if session.research.is_some() {
                // A search that found nothing readable still ends in a report of what was searched.
                return Ok(next(session, Self::PHASE, PhaseEnd::NothingToRead));
            }
            return Err(give_up(&session, FailureCode::NoReadableSource, "no source could be read", &remedy(&session)));
        }
        if !session.raw_notes.is_empty()
            && let Some(gathered) = load_gathered(&session, ctx).await?
        {
            fold::unseen(&mut session, &gathered);
        }
        let room = WriterRoom { tokens: super::beside_earlier(self.writer.tokens, ctx).await?, ..self.writer };
        session.writer_reads = Some(room.reads(&session));
        self.archive(&mut session, ctx).await?;
        Ok(next(session, Self::PHASE, PhaseEnd::Done))
    }
}

/// Returns the remedy if no source could be read: a URL that may not be fetched needs a setting, not another document.
fn remedy(session: &SessionState) -> String {
    let mut failures = session.sources.iter().filter_map(|source| source.failure.as_ref());
    match failures.all(|failure| failure.code == FETCH_REFUSED) {
        true => {
            "give a URL that may be fetched, or allow it in fetch_allow_hosts or fetch_allow_networks of the workers"
                .to_owned()
        }
        false => format!("give at least one document that contains readable text: {}", DocumentFormat::list("or")),
    }
}

fn jobs(session: &SessionState) -> Vec<(String, ExtractionJob)> {
    let unread = session.sources.iter().filter(|s| s.text.is_none() && s.failure.is_none());
    unread
        .map(|source| {
            let job = ExtractionJob {
                source_id: source.source_id.clone(),
                origin: source.origin.clone(),
                content_type: source.content_type.clone(),
                title: source.title.clone(),
            };
            (source.source_id.to_string(), job)
        })
        .collect()
}

impl ExtractionPhase {
    /// Lists the sources without a text that the settings exclude from fetching, as failed outcomes.
    fn left_alone(&self, session: &SessionState) -> Vec<(SourceId, JobOutcome<ExtractionAnswer>)> {
        let unread = session.sources.iter().filter(|s| s.text.is_none() && s.failure.is_none());
        let refused = unread.filter_map(|source| {
            let Origin::Url(url) = &source.origin else { return None };
            let hint = Hint { content_type: source.content_type.as_deref(), name: url };
            let setting = self.follow.follows(&hint).err()?;
            let failure = JobFailure::permanent(fold::NOT_FETCHED, format!("{setting} is off"));
            Some((source.source_id.clone(), JobOutcome::Failed(failure)))
        });
        refused.collect()
    }

    /// Archives every text, then the researchers' notes. The first failed write turns the archive off for this session, with one warning.
    ///
    /// # Errors
    /// [`PhaseError::Interrupted`] while the content store that the archive is part of is away or full: the session waits for it.
    async fn archive(&self, session: &mut SessionState, ctx: &PhaseContext) -> Result<(), PhaseError> {
        let is_wanted = session.options.archive != Some(false);
        let Some(archive) = self.archive.as_ref().filter(|_| is_wanted) else { return Ok(()) };
        for source in &session.sources {
            let Some(text) = &source.text else { continue };
            let content = &ctx.services().content;
            let read = tokio::try_join!(content.get(&text.content), texts::blocks(content, text));
            let kept = match read {
                Ok((bytes, blocks)) => archive.put(source, text, &bytes, blocks, ctx.now()).await,
                Err(error) => Err(error.into()),
            };
            if !is_kept(kept, ctx)? {
                return Ok(());
            }
            // Only after the write: the report must not name a text that the archive lacks.
            session.content_archive_hashes.insert(source.source_id.clone(), text.content.clone());
        }
        for notes in &session.raw_notes {
            let kept = match ctx.services().content.get(notes).await {
                Ok(bytes) => archive.put_notes(notes, &bytes, ctx.now()).await,
                Err(error) => Err(error.into()),
            };
            if !is_kept(kept, ctx)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Whether something was archived; warns if it was not.
fn is_kept(kept: Result<(), ArchiveError>, ctx: &PhaseContext) -> Result<bool, PhaseError> {
    match kept {
        Ok(()) => Ok(true),
        // A report without its archive is less than one of a day on which the store is there.
        Err(ArchiveError::Content(fault)) if fault.is_outage() => Err(ctx.without_content(fault)),
        Err(error @ (ArchiveError::Content(_) | ArchiveError::Unwritable(_))) => {
            ctx.warn(Warning::new(WarningCode::ArchiveWriteFailed, Phase::Extraction, error.to_string()));
            Ok(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_remedy_lists_every_format_unless_addresses_were_refused() {
        let remedy_of = |code: &str| {
            let failure = json!({ "code": code, "message": "m" });
            let source =
                json!({ "source_id": "a", "title": "a", "origin": { "url": "https://a.b" }, "failure": failure });
            let state = json!({
                "schema_version": 2, "session_id": "s", "revision": 1, "phase": "extraction", "query": "q", "sources": [source],
            });
            remedy(&serde_json::from_value(state).expect("a state"))
        };
        for format in DocumentFormat::ALL {
            assert!(remedy_of("unreadable").contains(format.name()), "{format:?}");
        }
        assert!(remedy_of(FETCH_REFUSED).contains("fetch_allow_hosts"));
    }
}

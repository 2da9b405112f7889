//! Digest: rank on full text, select, digest the eligible, record fidelity.

use std::collections::BTreeMap;

use precis_distill::digest::{Candidate, eligible, rank_sources};
use precis_distill::fold;
use precis_distill::relevance::relevance;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{Digest as Job, DigestJob, content_key};
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId};
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use crate::settings::DigestSettings;
use crate::texts;

/// The digest phase.
#[derive(Debug)]
pub struct Digest {
    /// Policy, sizes, ranker.
    pub settings: DigestSettings,
}

impl PhaseHandler for Digest {
    const PHASE: Phase = Phase::Digest;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        rank(&mut session, ctx).await?;
        let selected = self.select(&session);
        let jobs = selected.iter().filter_map(|id| job(&session, id)).collect();
        let outcomes = ctx.scatter::<Job>(jobs).await?;
        let outcomes: BTreeMap<_, _> = selected.into_iter().zip(outcomes).collect();
        fold::digest(&mut session, outcomes, ctx.now());
        Ok(Step::Next(Box::new(session), Phase::Summarization))
    }
}

/// Gives every readable source its relevance, measured on its full text.
async fn rank(session: &mut SessionState, ctx: &PhaseContext) -> Result<(), PhaseError> {
    let query = session.query.clone();
    for source in session.sources.iter_mut().filter(|s| s.text.is_some()) {
        let Some(text) = &source.text else { continue };
        let text = texts::load(&ctx.services().content, text)
            .await
            .map_err(|e| PhaseError::transient("content_unavailable", format!("read {}: {e}", source.source_id)))?;
        let query = query.clone();
        source.relevance = texts::compute(move || relevance(&text, &query)).await;
    }
    Ok(())
}

impl Digest {
    fn select(&self, session: &SessionState) -> Vec<SourceId> {
        let (policy, min_chars) = (self.settings.policy, self.settings.min_chars);
        let candidates = session.sources.iter().map(candidate);
        let mut chosen: Vec<Candidate> = candidates.filter(|c| eligible(policy, min_chars, c).is_ok()).collect();
        rank_sources(&mut chosen);
        chosen.truncate(self.settings.max_sources);
        chosen.into_iter().map(|c| c.source_id).collect()
    }
}

fn candidate(source: &Source) -> Candidate {
    Candidate {
        source_id: source.source_id.clone(),
        quality: source.quality,
        relevance: source.relevance,
        chars: source.text.as_ref().map_or(0, |t| t.chars),
        is_digest: source.reduction.as_ref().is_some_and(|r| r.level == FidelityLevel::Digest),
    }
}

fn job(session: &SessionState, id: &SourceId) -> Option<(String, DigestJob)> {
    let source = session.source(id)?;
    let text = source.text.clone()?;
    let key = content_key(id, &text.content, "digest");
    let job = DigestJob { source_id: id.clone(), title: source.title.clone(), text, query: session.query.clone() };
    Some((key, job))
}

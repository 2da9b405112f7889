//! The phases of a session, one file each.

mod carried_rows;
mod checked_handler;
mod claims;
mod compression;
mod compression_batches;
mod computed;
mod digest;
mod ending;
mod evaluation;
mod evaluation_warnings;
mod extraction;
mod fallback;
mod found_id;
mod found_sources;
mod gathering;
mod gathering_round;
mod judged_report;
mod judgement;
mod known_sources;
mod lane_courses;
mod lane_numbers;
mod lane_plans;
mod own_notes;
mod planning;
mod pointed_findings;
mod proof;
mod rating;
mod refinement;
mod refinement_log;
mod route;
mod summarization;
mod supervision;
mod synthesis;
mod text_places;
mod thin_report;
mod topics;
mod verdict_memo;
mod writer_evidence;

pub use checked_handler::CheckedHandler;
pub use compression::CompressionPhase;
pub use digest::DigestPhase;
pub use evaluation::EvaluationPhase;
pub use extraction::ExtractionPhase;
pub use fallback::FallsBack;
pub use gathering::GatheringPhase;
pub use planning::PlanningPhase;
pub use refinement::RefinementPhase;
pub use summarization::SummarizationPhase;
pub use synthesis::SynthesisPhase;
pub use writer_evidence::WriterRoom;

use precis_context::allocate::{AllocationItem, confidence, priority, recency};
use precis_context::prompt::earlier_tokens;
use precis_proto::Phase;
use precis_proto::failure_code::FailureCode;
use precis_proto::response::{ErrorInfo, Status};
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_report::fold;
use precis_research::extractive::{DocumentName, is_named, named_documents};
use precis_runtime::runner::{PhaseContext, PhaseError};
use precis_text::tokens;

use crate::documents::texts;

/// Returns the tokens of `budget` left for evidence after background, carried context and conversation of the session.
///
/// # Errors
/// Transient if the prior context cannot be read.
async fn beside_earlier(budget: u64, ctx: &PhaseContext) -> Result<u64, PhaseError> {
    let prior = ctx.prior().await?;
    // Without token management there is no budget to share.
    if prior.is_empty() || budget == u64::MAX {
        return Ok(budget);
    }
    let taken = texts::compute(move || earlier_tokens(&prior, budget, &tokens::count)).await;
    Ok(budget.saturating_sub(taken))
}

/// Returns the tokens of evidence that all calls of the analysis may carry together.
async fn carried_budget(of_call: u64, calls: Option<usize>, ctx: &PhaseContext) -> Result<u64, PhaseError> {
    let of_call = beside_earlier(of_call, ctx).await?;
    Ok(of_call.saturating_mul(calls.map_or(1, |calls| calls as u64)))
}

/// The name of the document of a source.
fn document_name(source: &Source) -> DocumentName<'_> {
    DocumentName { title: &source.title, path: source.path.as_deref().unwrap_or_default() }
}

/// Whether the carried evidence costs money: a language model reads it, and tokens are managed.
fn is_paid(has_model: bool, budget: u64) -> bool {
    has_model && budget < u64::MAX
}

/// Returns the readable sources as they enter `phase`, for an allocation. Recency is measured from the session's creation, so that a repeat
/// of the phase decides alike. `is_paid` is whether a language model reads the evidence, so that relevance decides what is worth its price.
fn items(session: &SessionState, phase: Phase, is_paid: bool) -> Vec<AllocationItem> {
    // The built-in model is free, and a document named in the question is relevant regardless of its score.
    let named = named_documents(&session.query, session.sources.iter().map(document_name));
    let counts = |source: &Source| is_paid && !is_named(&named, document_name(source));
    let item = |(place, source): (usize, &Source)| AllocationItem {
        source_id: source.source_id.clone(),
        found_at: (!source.found_by.is_empty()).then_some(place),
        tokens: fold::carried_tokens(session, &source.source_id, phase),
        priority: priority(
            source.quality,
            Some(confidence(session, source).value),
            recency(source.published_at, session.created_at),
            source.relevance.unwrap_or_default(),
        ),
        quality: source.quality,
        protected: source.protected,
        whole_tokens: source.text.as_ref().map_or(0, |text| text.tokens),
        relevance: source.relevance.filter(|_| counts(source)),
    };
    session.sources.iter().enumerate().filter(|(_, source)| source.text.is_some()).map(item).collect()
}

/// Builds the permanent error of a session that cannot continue, with the outcome of each source.
fn give_up(state: &SessionState, code: FailureCode, message: &str, remedy: &str) -> PhaseError {
    PhaseError::Permanent(Box::new(ErrorInfo {
        session_id: Some(state.session_id.clone()),
        remedy: Some(remedy.to_owned()),
        sources: precis_report::response::source_rows(&state.sources),
        ..ErrorInfo::new(Status::Failed, code, message)
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn quality_confidence_date_and_relevance_decide_a_sources_weight() {
        let content = precis_proto::source::ContentRef::from_bytes(b"text");
        let source = |id: &str, quality: &str, published: serde_json::Value, relevance: f64| {
            json!({
                "source_id": id, "title": id, "origin": { "content": content }, "quality": quality,
                "published_at": published, "relevance": relevance,
                "text": { "content": content, "chars": 40, "tokens": 10, "pages": 0 },
            })
        };
        let now = json!("2026-01-31T00:00:00Z");
        let mut withdrawn = source("withdrawn", "medium", json!(null), 0.5);
        withdrawn["title"] = "RETRACTED: Dams".into();
        let state = json!({
            "schema_version": 2, "session_id": "s", "revision": 1, "phase": "summarization", "query": "q", "created_at": now,
            "sources": [
                source("plain", "medium", json!(null), 0.5),
                source("good", "high", json!(null), 0.5),
                source("new", "medium", now, 0.5),
                source("old", "medium", json!("2001-01-31T00:00:00Z"), 0.5),
                source("near", "medium", json!(null), 0.9),
                withdrawn,
            ],
        });
        let session: SessionState = serde_json::from_value(state).expect("a state");
        let items = items(&session, Phase::Summarization, false);
        let priority = |id: &str| items.iter().find(|i| i.source_id.as_str() == id).expect("an item").priority;
        for (more, less) in [
            ("good", "near"),
            ("near", "plain"),
            ("new", "plain"),
            ("plain", "old"),
            ("good", "new"),
            ("plain", "withdrawn"),
        ] {
            assert!(priority(more) > priority(less), "{more} {less}");
        }
        assert_eq!(items[1].quality, precis_proto::source::Quality::High);
    }

    #[test]
    fn relevance_counts_with_paid_models_but_not_for_named_documents() {
        let content = precis_proto::source::ContentRef::from_bytes(b"text");
        let source = |id: &str, title: &str| {
            json!({
                "source_id": id, "title": title, "origin": { "content": content }, "relevance": 0.2,
                "text": { "content": content, "chars": 40, "tokens": 10, "pages": 0 },
            })
        };
        let state = json!({
            "schema_version": 2, "session_id": "s", "revision": 1, "phase": "summarization", "query": "What does PEP 572 add?",
            "sources": [source("named", "PEP 572: Assignment Expressions"), source("other", "PEP 9: Salt")],
        });
        let session: SessionState = serde_json::from_value(state).expect("a state");
        let relevances = |has_model: bool, budget: u64| -> Vec<Option<f64>> {
            let items = items(&session, Phase::Summarization, is_paid(has_model, budget));
            items.into_iter().map(|item| item.relevance).collect()
        };
        assert_eq!(relevances(true, 9_000), [None, Some(0.2)]);
        assert_eq!(relevances(false, 9_000), [None, None], "the built-in model reads for nothing");
        assert_eq!(relevances(true, u64::MAX), [None, None], "tokens are not managed");
    }
}

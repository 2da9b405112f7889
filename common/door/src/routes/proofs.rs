//! The proofs of a request that its tenant stored what it refers to.

use axum::http::StatusCode;
use precis_proto::failure_code::FailureCode;
use precis_proto::request::ResearchRequest;

use crate::callers::Caller;
use crate::door::Door;
use crate::problem::Problem;

/// Checks that the caller's tenant stored what the request refers to, as the worker will: here the caller hears of it at once.
///
/// # Errors
/// 422 with the place of the first content without one. 503.
pub(super) async fn check_proofs(door: &Door, caller: &Caller, request: &ResearchRequest) -> Result<(), Problem> {
    let tenant = caller.tenant.as_deref().unwrap_or_default();
    for (place, source) in request.sources.iter().enumerate() {
        let Some(content) = &source.content_ref else { continue };
        let is_proved = match &source.content_proof {
            Some(proof) => door.parts.content.proves(tenant, content, proof).await?,
            None => false,
        };
        if !is_proved {
            let detail = "content_proof is missing, or does not match this content and tenant";
            let problem =
                Problem::new(StatusCode::UNPROCESSABLE_ENTITY, FailureCode::ContentNotProved.as_str(), detail);
            return Err(problem.at(format!("/sources/{place}/content_proof")).with_remedy(
                "store the document with PUT /v1/content/{sha256}, and send the content_proof of its answer",
            ));
        }
    }
    Ok(())
}

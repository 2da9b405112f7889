//! The versions of collections that a request searches: those of its first acceptance.

use precis_proto::failure_code::FailureCode;
use precis_proto::request::ResearchRequest;
use precis_proto::research::ResearchOptions;
use precis_proto::response::{ErrorInfo, Status};
use precis_runtime::collections::{BindFault, bind};

use crate::callers::Caller;
use crate::door::Door;
use crate::limits::INDEX_AGAIN;
use crate::problem::Problem;

/// Gives each collection of `request` its version: the one in `earlier`, the options of the same request as it was accepted before, so that
/// a repeated request is the same one whatever came to its collections since. Workers search what the version says.
///
/// # Errors
/// 422 with the place of a collection that is not the caller's, and of one that is not indexed. 503.
pub(crate) async fn bind_collections(
    door: &Door,
    caller: &Caller,
    request: &mut ResearchRequest,
    earlier: Option<&ResearchOptions>,
) -> Result<(), Problem> {
    let Some(research) = request.options.research.as_mut().filter(|research| !research.collections.is_empty()) else {
        return Ok(());
    };
    let BindFault { code, message, pointer } =
        match bind(&door.parts.content, caller.tenant.as_deref(), research, earlier).await? {
            Ok(_) => return Ok(()),
            Err(fault) => fault,
        };
    let is_waiting = code == FailureCode::CollectionNotIndexed;
    if is_waiting {
        for collection in &research.collections {
            // Best effort, and only for the caller's own: whoever asks again has them told again.
            if let Ok(found) = door.collection(caller, collection.id.as_str()).await {
                let _ = door.collection_document(found, false).await;
            }
        }
    }
    let problem = Problem::from(ErrorInfo { pointer: Some(pointer), ..ErrorInfo::new(Status::Failed, code, message) });
    Err(if is_waiting { problem.again_after(INDEX_AGAIN) } else { problem })
}

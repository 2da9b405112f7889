//! Looks a collection up, or says why it cannot be.

use precis_runtime::collections::{Collection, read_collection};
use precis_runtime::content::{ContentError, ContentStore};

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;

/// Returns the collection of `tenant` with this id.
pub(super) async fn find_collection(
    content: &ContentStore,
    tenant: Option<&str>,
    id: &str,
) -> Result<Collection, CommandFailure> {
    read_collection(content, tenant, id).await.map_err(|e| content_failure(&e))?.ok_or_else(|| {
        let message = format!("there is no collection `{}`", terminal::printable(id));
        CommandFailure::new(Exit::Refused, "unknown_collection", message)
            .with_remedy("list collections with `precis collection list`; --tenant names another tenant")
    })
}

/// The content store cannot be used.
pub(super) fn content_failure(error: &ContentError) -> CommandFailure {
    let exit = if error.is_outage() { Exit::Unreachable } else { Exit::Failed };
    CommandFailure::new(exit, "content_store_unavailable", format!("collections: {error}"))
        .with_remedy("check content_url with `precis doctor`")
}

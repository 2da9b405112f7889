//! `precis corpus publish`.

use precis_runtime::content::ContentStore;
use serde_json::json;

use super::args::StatusArgs;
use super::place::open;
use crate::cli::closing_summary::grouped;
use crate::cli::exit::{CommandFailure, Exit};
use crate::fleet;
use crate::lanes::{self, PublishedError};

/// Puts the index of a folder into the content store that the settings name; the hash by which requests name it.
pub(super) fn publish(args: &StatusArgs) -> Result<String, CommandFailure> {
    let (place, _) = open(&args.config, &args.dir)?;
    let settings = crate::commands::operator_settings(&args.config)?;
    let content: ContentStore = fleet::content(&settings)?;
    let failed =
        |e: PublishedError| CommandFailure::new(Exit::Failed, "publish_failed", format!("publish the corpus: {e}"));
    let publishing = async { lanes::publish(&place, &content).await.map_err(failed) };
    let (manifest, files, bytes) = crate::commands::block_on(publishing)?;
    Ok(match args.json {
        true => format!("{}\n", json!({ "manifest": manifest, "files": files, "bytes": bytes })),
        false => format!("{manifest}\n  {} files, {} bytes\n", grouped(files as u64), grouped(bytes)),
    })
}

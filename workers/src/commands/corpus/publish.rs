//! `precis corpus publish`.

use precis_runtime::content::ContentStore;
use serde_json::json;

use super::args::StatusArgs;
use super::place::open;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::numbers::group_digits;
use crate::cli::terminal::print_aside;
use crate::fleet;
use crate::lanes::{self, PublishedError};

/// Uploads the index of a folder to the configured content store; returns the hash that requests name it by.
pub(super) fn publish(args: &StatusArgs) -> Result<String, CommandFailure> {
    let (_, place, _) = open(&args.config, &args.dir)?;
    let settings = crate::commands::operator_settings(&args.config)?;
    let content: ContentStore = fleet::content(&settings)?;
    let failed =
        |e: PublishedError| CommandFailure::new(Exit::Failed, "publish_failed", format!("publish the corpus: {e}"));
    let publishing = async { lanes::publish(&place, &content).await.map_err(failed) };
    let (manifest, files, bytes) = crate::commands::block_on(publishing)?;
    if args.json {
        return Ok(format!("{}\n", json!({ "manifest": manifest, "files": files, "bytes": bytes })));
    }
    // Standard output has the hash alone: `precis submit --corpus "$(precis corpus publish notes)"`.
    print_aside(&format!("{} files, {} bytes\n", group_digits(files as u64), group_digits(bytes)));
    Ok(format!("{manifest}\n"))
}

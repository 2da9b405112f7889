//! The indexes of the folders, in the data folder.

use std::path::PathBuf;

use precis_corpus::{IndexPlace, UpdateSummary};
use tokio_util::sync::CancellationToken;

use super::desk::Desk;
use super::failure::ToolFailure;
use crate::commands::corpus::indexing::{bring_up_to_date_with, place_of};
use crate::input::FolderContents;

/// Folder of the indexes in the data folder.
const DIR: &str = "indexes";

/// Resolves `folders`; all that may be read if none is given.
///
/// # Errors
/// [`ToolFailure`] if one may not be read, or is no folder.
pub(super) async fn folders(desk: &Desk, folders: &[String]) -> Result<Vec<PathBuf>, ToolFailure> {
    let roots = desk.roots().await;
    if folders.is_empty() {
        return Ok(roots.all()?);
    }
    let resolved = folders.iter().map(|folder| Ok(roots.resolve(folder)?));
    let resolved = resolved.collect::<Result<Vec<PathBuf>, ToolFailure>>()?;
    match resolved.iter().find(|folder| !folder.is_dir()) {
        None => Ok(resolved),
        Some(_) => Err(ToolFailure::new("not_a_folder", "only folders can be searched")
            .with_remedy("name the folder of the file, or read the file with `ask` or `extract`")),
    }
}

/// An index that is up to date.
#[derive(Debug)]
pub(super) struct IndexedFolder {
    /// Where it is.
    pub(super) place: IndexPlace,
    /// What it lacks of the folder.
    pub(super) warnings: Vec<String>,
}

/// Brings the index of `folder` up to date; `say` is told what is done, and how many documents are done of how many.
///
/// # Errors
/// [`ToolFailure`] if there is nothing to index, or the disk fails.
pub(super) async fn up_to_date(
    desk: &Desk,
    folder: PathBuf,
    say: impl Fn(&str, u64, u64),
) -> Result<IndexedFolder, ToolFailure> {
    let (roots, _turn) = (desk.roots().await, desk.readers.acquire().await);
    let cache = desk.data.join(DIR);
    let place = tokio::task::spawn_blocking(move || place_of(&cache, &folder)).await;
    let place = place.map_err(|error| ToolFailure::new("corpus_failed", error.to_string()))??;
    // What may not be read is not indexed: the data folder may lie in the folder, and links may have changed.
    let admitted = |mut found: FolderContents| {
        found.files.retain(|file| roots.may_read(&file.path));
        found
    };
    let brought =
        bring_up_to_date_with(&place, (&desk.settings, None), &CancellationToken::new(), admitted, say).await?;
    let warnings = lacks(&brought.summary, &place.folder().display().to_string());
    Ok(IndexedFolder { place, warnings })
}

/// What the index of `folder` lacks, in words.
fn lacks(summary: &UpdateSummary, folder: &str) -> Vec<String> {
    let of =
        |count: usize, what: &str| (count > 0).then(|| format!("{folder}: {count} of {} files {what}", summary.files));
    let unread = of(summary.failed, "could not be read");
    unread.into_iter().chain(of(summary.read_in_part, "were read in part")).collect()
}

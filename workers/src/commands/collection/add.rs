//! `precis collection add`: uploads files, and makes a version with them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use precis_runtime::clock::Clock;
use precis_runtime::collections::{
    ChangeError, Collection, CollectionFile, CollectionVersion, FileChange, MAX_COLLECTION_FILES, change_files,
    index_of, wake_message,
};
use precis_runtime::files::{FileLimits, Links, read_regular};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::args::AddArgs;
use super::look::{content_failure, find_collection};
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet::Caller;
use crate::input::collect;
use crate::input::source::InputOrigin;

/// Files that are uploaded at once: a disk makes many durable in the time of one.
const AT_ONCE: usize = 16;
/// Bytes of them that are held in memory, but for a larger file, which is alone.
const MAX_HELD_BYTES: usize = 32 * 1_024 * 1_024;

/// Adds files.
pub(super) fn add(args: &AddArgs) -> Result<Exit, CommandFailure> {
    let settings = crate::commands::operator_settings(&args.of.config)?;
    let max_bytes = settings.extraction.max_bytes;
    let collected = collect(&args.paths, &[], max_bytes, None, &CancellationToken::new())?;
    for unread in &collected.unread {
        terminal::print_warning(&format!("{} is left out: {}", unread.title, unread.message));
    }
    let mut names = BTreeSet::new();
    let mut files = Vec::new();
    for source in &collected.sources {
        let InputOrigin::File { path, .. } = &source.origin else { continue };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !names.insert(name.clone()) {
            let message = format!("two files have the name `{}`", terminal::printable(&name));
            return Err(CommandFailure::new(Exit::Refused, "duplicate_file_name", message)
                .with_remedy("rename one of them, or add them to different collections"));
        }
        files.push((name, path.clone()));
    }
    crate::commands::block_on(async {
        let caller = crate::commands::caller(&settings, "collection").await?;
        let done = add_files(args, &caller, files, max_bytes).await;
        caller.broker.close().await;
        done
    })?;
    Ok(Exit::Ok)
}

async fn add_files(
    args: &AddArgs,
    caller: &Caller,
    files: Vec<(String, PathBuf)>,
    max_bytes: u64,
) -> Result<(), CommandFailure> {
    let collection = find_collection(&caller.content, args.of.tenant.as_deref(), &args.id).await?;
    let room = &Semaphore::new(MAX_HELD_BYTES);
    let uploads = files.into_iter().map(async |(name, path): (String, PathBuf)| {
        // As large as it is now: one that grows meanwhile is read up to the limit of a document.
        let size = std::fs::metadata(&path).map_or(0, |data| data.len());
        let _held = room.acquire_many(share(size)).await;
        let bytes = read(&path, max_bytes)?;
        let size = bytes.len() as u64;
        let content = caller.content.put(bytes).await.map_err(|e| content_failure(&e))?;
        Ok::<_, CommandFailure>(CollectionFile { name, content, bytes: size })
    });
    let uploaded: Vec<CollectionFile> = stream::iter(uploads).buffered(AT_ONCE).try_collect().await?;
    let (count, adding) = (uploaded.len(), FileChange::Add(uploaded));
    let Some((version, is_new)) = change(caller, &collection, &adding).await? else { return Ok(()) };
    let text = match (args.of.json, is_new) {
        (true, _) => {
            format!("{}\n", json!({ "id": collection.id, "version": version.version, "files": version.files.len() }))
        }
        (false, true) => format!("version {}: {count} files given, {} in all\n", version.version, version.files.len()),
        (false, false) => format!("version {}: nothing changed\n", version.version),
    };
    terminal::print_as(args.of.json, &text)
}

/// What a file of so many bytes takes of the memory for files: all of it, if it is larger.
fn share(bytes: u64) -> u32 {
    u32::try_from(bytes.min(MAX_HELD_BYTES as u64)).unwrap_or(u32::MAX)
}

fn read(path: &Path, max_bytes: u64) -> Result<Bytes, CommandFailure> {
    // Links are refused when collecting and again here: a file swapped for a link in between must not be uploaded.
    let read = read_regular(path, Links::Refused, FileLimits::bytes(max_bytes));
    read.map(Bytes::from).map_err(|e| {
        let shown = terminal::printable(&path.display().to_string());
        CommandFailure::new(Exit::Failed, "upload_failed", format!("upload {shown}: {e}"))
    })
}

/// Makes a version with `change`, and tells workers of it; returns the newest version, and whether it is new.
///
/// # Errors
/// [`Exit::Refused`] for too many files; [`Exit::Unreachable`] if the store or the broker is not there.
pub(super) async fn change(
    caller: &Caller,
    collection: &Collection,
    change: &FileChange,
) -> Result<Option<(CollectionVersion, bool)>, CommandFailure> {
    let (content, id) = (&caller.content, &collection.id);
    let changed = change_files(content, id, change, MAX_COLLECTION_FILES, &Clock::system()).await;
    let changed = changed.map_err(|error| match error {
        ChangeError::Content(error) => content_failure(&error),
        ChangeError::TooMany(many) => {
            let message = format!("a collection must have at most {} files, and would have {}", many.most, many.found);
            CommandFailure::new(Exit::Refused, "too_many_files", message).with_remedy("make another collection")
        }
    })?;
    let Some((version, is_new)) = changed else { return Ok(None) };
    if index_of(content, id, version.version).await.map_err(|e| content_failure(&e))?.is_none() {
        let message = wake_message(id, caller.broker.user().map(str::to_owned));
        let sent = caller.broker.unless_blocked(caller.broker.publish(message)).await;
        sent.map_err(|e| {
            CommandFailure::new(Exit::Unreachable, "broker_unavailable", format!("tell workers of the files: {e}"))
                .with_remedy("run the command again: what was added is kept, and only the message is sent once more")
        })?;
    }
    Ok(Some((version, is_new)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_its_size_of_memory_a_large_one_all() {
        let most = MAX_HELD_BYTES as u64;
        for (bytes, taken) in [(0, 0), (most - 1, most - 1), (most, most), (most + 1, most), (u64::MAX, most)] {
            assert_eq!(u64::from(share(bytes)), taken, "{bytes}");
        }
    }
}

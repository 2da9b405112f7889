//! `precis corpus watch`: polls folders and updates their indexes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use precis_corpus::{Corpus, FileOutcome, IndexPlace};
use precis_runtime::config::Settings;
use tokio_util::sync::CancellationToken;

use super::args::WatchArgs;
use super::indexing::{bring_up_to_date_with, list, place_of, vector_model};
use super::place::cache;
use super::polls::{Listing, Polls};
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::numbers::group_digits;
use crate::cli::signals::stop_signal;
use crate::cli::terminal::{self, printable};
use crate::commands::block_on;
use crate::meaning::ModelOfMeaning;

/// Longest time between the first two polls: what changed before the start is indexed soon, whatever the interval.
const FIRST: Duration = Duration::from_secs(1);
/// Most file names of a kind in the line on an update; the number counts all.
const NAMED: usize = 3;

/// The hash of the bytes of each file, by path; empty for one that cannot be read.
type Hashes = BTreeMap<String, String>;

/// A folder that is watched.
struct WatchedFolder {
    place: IndexPlace,
    /// The folder as the user wrote it, for messages.
    shown: String,
    polls: Polls,
    hashes: Hashes,
    /// Whether this process has updated the index: the settings may have changed since another did.
    is_updated: bool,
    /// The failure shown last; it is not shown again while it lasts.
    failure: Option<String>,
}

/// Keeps the indexes of folders current until a signal ends the command.
pub(super) fn watch(args: &WatchArgs) -> Result<Exit, CommandFailure> {
    let (settings, cache) = cache(&args.config)?;
    let mut folders = Vec::new();
    for dir in &args.dirs {
        folders.push(WatchedFolder::open(&cache, dir)?);
    }
    let cancel = CancellationToken::new();
    block_on(async {
        let mut work = std::pin::pin!(poll_until(&mut folders, &settings, args, &cancel));
        tokio::select! {
            ended = &mut work => return ended,
            () = stop_signal() => cancel.cancel(),
        }
        // Not dropped: a cancelled update ends by itself, between two documents.
        work.await
    })
}

async fn poll_until(
    folders: &mut [WatchedFolder],
    settings: &Settings,
    args: &WatchArgs,
    cancel: &CancellationToken,
) -> Result<Exit, CommandFailure> {
    let model = vector_model(settings, args.meaning)?;
    let every = args.every.duration();
    let mut wait = every.min(FIRST);
    loop {
        for folder in folders.iter_mut() {
            folder.poll((settings, model.as_ref()), args.quiet, cancel).await?;
            if cancel.is_cancelled() {
                return Ok(Exit::Ok);
            }
        }
        tokio::select! {
            () = cancel.cancelled() => return Ok(Exit::Ok),
            () = tokio::time::sleep(wait) => wait = every,
        }
    }
}

impl WatchedFolder {
    fn open(cache: &Path, dir: &Path) -> Result<Self, CommandFailure> {
        let place = place_of(cache, dir)?;
        let shown = printable(&dir.display().to_string());
        let (stamps, hashes) = in_index(&place);
        Ok(Self { place, shown, polls: Polls::new(stamps), hashes, is_updated: false, failure: None })
    }

    /// Looks at the folder once, and updates its index if files rest that the index does not have.
    async fn poll(
        &mut self,
        by: (&Settings, Option<&ModelOfMeaning>),
        quiet: bool,
        cancel: &CancellationToken,
    ) -> Result<(), CommandFailure> {
        let is_first = self.polls.is_first();
        let wanted = match list(&self.place).await {
            Ok(folder) => self.polls.see(&folder),
            Err(failure) => {
                self.tell(&failure);
                return Ok(());
            }
        };
        let wanted = match wanted {
            Some(wanted) => wanted,
            None if is_first || self.is_updated || self.polls.in_index().is_empty() => {
                self.is_back();
                return Ok(());
            }
            None => self.polls.in_index().clone(),
        };
        self.is_back();
        let (polls, root) = (&self.polls, self.place.folder());
        let admitted = |folder| polls.admit(&wanted, folder, root);
        match bring_up_to_date_with(&self.place, by, cancel, admitted, |_, _, _| {}).await {
            Err(failure) if failure.exit != Exit::Interrupted => {
                self.tell(&failure);
                Ok(())
            }
            Err(_) => Ok(()),
            Ok(indexed) => {
                if let Some(why) = &indexed.lacking {
                    terminal::print_warning(&format!(
                        "{}: {why}; documents without vectors are found by words",
                        self.shown
                    ));
                }
                self.polls.record_indexed(wanted);
                self.is_updated = true;
                let before = std::mem::replace(&mut self.hashes, in_index(&self.place).1);
                match line(&before, &self.hashes).filter(|_| !quiet) {
                    None => Ok(()),
                    Some(line) => {
                        let documents = group_digits(indexed.summary.documents as u64);
                        terminal::print(&format!("{}: {line}; {documents} documents\n", self.shown))
                    }
                }
            }
        }
    }

    /// Prints a failure when it begins: a folder may be away for days.
    fn tell(&mut self, failure: &CommandFailure) {
        if self.failure.as_ref() != Some(&failure.message) {
            terminal::print_warning(&format!("{}; the index stays as it is", failure.message));
            self.failure = Some(failure.message.clone());
        }
    }

    fn is_back(&mut self) {
        if self.failure.take().is_some() {
            terminal::print_warning(&format!("`{}` can be read again", self.shown));
        }
    }
}

/// Returns the size and time, and the hash, of each file of an index; none if there is no index that can be used.
fn in_index(place: &IndexPlace) -> (Listing, Hashes) {
    let Ok(corpus) = Corpus::open(place) else { return Default::default() };
    // An entry that could not even be looked at has neither size nor time, and is in no poll.
    let seen = corpus.files().filter(|row| row.stamp.mtime_ns != 0);
    let stamps = seen.map(|row| (row.stamp.path.clone(), (row.stamp.size, row.stamp.mtime_ns)));
    let hashes = corpus.files().map(|row| {
        let is_read = matches!(row.outcome, FileOutcome::Read(_));
        (row.stamp.path.clone(), row.sha256.clone().filter(|_| is_read).unwrap_or_default())
    });
    (stamps.collect(), hashes.collect())
}

/// Returns what an update changed, with the names of the first files of each kind; `None` if no file has other bytes.
fn line(before: &Hashes, now: &Hashes) -> Option<String> {
    let new = now.keys().filter(|path| !before.contains_key(*path)).collect();
    let changed = now.iter().filter(|(path, hash)| before.get(*path).is_some_and(|old| old != *hash));
    let removed = before.keys().filter(|path| !now.contains_key(*path)).collect();
    let kinds: [(&str, Vec<&String>); 3] =
        [("new", new), ("changed", changed.map(|(path, _)| path).collect()), ("removed", removed)];
    let parts: Vec<String> = kinds.iter().filter(|(_, paths)| !paths.is_empty()).map(part).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn part((kind, paths): &(&str, Vec<&String>)) -> String {
    let named: Vec<String> = paths.iter().take(NAMED).map(|path| path.replace('\n', "\u{fffd}")).collect();
    let more = if paths.len() > NAMED { ", …" } else { "" };
    format!("{} {kind} ({}{more})", group_digits(paths.len() as u64), named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_on_an_update_names_the_first_files_of_each_kind() {
        let hashes = |files: &[(&str, &str)]| -> Hashes {
            files.iter().map(|(path, hash)| ((*path).to_owned(), (*hash).to_owned())).collect()
        };
        let before = hashes(&[("a", "1"), ("b", "1"), ("c", "1")]);
        assert_eq!(line(&before, &before), None);
        let now = hashes(&[("a", "2"), ("b", "1"), ("d", "1"), ("e", "1"), ("f", "1"), ("g\nh", "1")]);
        assert_eq!(line(&before, &now).as_deref(), Some("4 new (d, e, f, …), 1 changed (a), 1 removed (c)"));
    }
}

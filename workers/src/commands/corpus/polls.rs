//! Which files of a watched folder may be indexed, from the size and time of each at two polls.
//!
//! Pure. A file counts only in a state in which two polls in a row saw it, so a file that is being written is taken once it rests, and
//! one that is replaced is never missing in between.

use std::collections::{BTreeMap, BTreeSet};

use crate::input::{FolderContents, FolderFile};

/// Size in bytes and modification time in nanoseconds of each file of a folder, by its path within it.
pub(super) type Listing = BTreeMap<String, (u64, i64)>;

/// What a watch knows of its folder.
#[derive(Debug, Default)]
pub(super) struct Polls {
    /// The files as they are in the index.
    indexed: Listing,
    /// The files as the last poll saw them; `None` before the first.
    last: Option<Listing>,
}

impl Polls {
    /// Starts with the files of the index.
    pub(super) fn new(indexed: Listing) -> Self {
        Self { indexed, last: None }
    }

    /// Takes a poll; returns the files that the index should have, which is `None` as long as it has them. Files below a place that
    /// cannot be accessed stay as they are.
    pub(super) fn see(&mut self, folder: &FolderContents) -> Option<Listing> {
        let now = listing(folder);
        let mut wanted = Listing::new();
        for place in self.indexed.keys().chain(now.keys()).collect::<BTreeSet<_>>() {
            let rests = self.last.as_ref().is_some_and(|last| last.get(place) == now.get(place));
            let state = if rests && !is_below(place, folder) { now.get(place) } else { self.indexed.get(place) };
            wanted.extend(state.map(|state| (place.clone(), *state)));
        }
        self.last = Some(now);
        (wanted != self.indexed).then_some(wanted)
    }

    /// Records what an update has put into the index.
    pub(super) fn record_indexed(&mut self, listing: Listing) {
        self.indexed = listing;
    }

    /// Whether no poll was taken yet.
    pub(super) fn is_first(&self) -> bool {
        self.last.is_none()
    }

    /// Returns the files of the index.
    pub(super) fn in_index(&self) -> &Listing {
        &self.indexed
    }

    /// Returns `folder` as an update may take it: the files that are as `wanted`, and the others as they are in the index, if they are.
    pub(super) fn admit(&self, wanted: &Listing, folder: FolderContents, root: &std::path::Path) -> FolderContents {
        let mut found = listing(&folder);
        found.retain(|place, state| wanted.get(place) == Some(state));
        for (place, state) in &self.indexed {
            if wanted.get(place) == Some(state) {
                found.insert(place.clone(), *state);
            }
        }
        let file = |(place, (size, mtime_ns)): (String, (u64, i64))| FolderFile {
            path: root.join(&place),
            place,
            size,
            mtime_ns,
        };
        FolderContents { files: found.into_iter().map(file).collect(), ..folder }
    }
}

/// The files of a folder by their places.
pub(super) fn listing(folder: &FolderContents) -> Listing {
    folder.files.iter().map(|file| (file.place.clone(), (file.size, file.mtime_ns))).collect()
}

/// Whether `place` is, or lies below, an entry that cannot be accessed.
fn is_below(place: &str, folder: &FolderContents) -> bool {
    let below = |at: &str| place.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    folder.obstacles.iter().any(|(at, _)| below(at))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn folder(files: &[(&str, u64)]) -> FolderContents {
        let file = |(place, size): &(&str, u64)| FolderFile {
            path: Path::new("/d").join(place),
            place: (*place).to_owned(),
            size: *size,
            mtime_ns: 1,
        };
        FolderContents { files: files.iter().map(file).collect(), ..FolderContents::default() }
    }

    fn shown(listing: Option<Listing>) -> Vec<(String, u64)> {
        listing.into_iter().flatten().map(|(place, (size, _))| (place, size)).collect()
    }

    fn row(place: &str, size: u64) -> (String, u64) {
        (place.to_owned(), size)
    }

    #[test]
    fn a_file_is_taken_once_two_polls_saw_it_alike() {
        let mut polls = Polls::new(listing(&folder(&[("a", 1)])));
        for (seen, wanted) in [
            (&[("a", 1), ("b", 1)][..], vec![]),
            (&[("a", 1), ("b", 2)], vec![]),
            (&[("a", 1), ("b", 2)], vec![row("a", 1), row("b", 2)]),
            (&[("b", 2)], vec![]),
            (&[("a", 1), ("b", 2)], vec![row("a", 1), row("b", 2)]),
            (&[("b", 2)], vec![]),
            (&[("b", 2)], vec![row("b", 2)]),
        ] {
            assert_eq!(shown(polls.see(&folder(seen)).filter(|_| !wanted.is_empty())), wanted, "{seen:?}");
        }
    }

    #[test]
    fn a_log_that_always_grows_holds_up_no_other_file() {
        let mut polls = Polls::new(listing(&folder(&[("log", 1)])));
        assert_eq!(polls.see(&folder(&[("log", 2), ("new", 5)])), None);
        let wanted = polls.see(&folder(&[("log", 3), ("new", 5)])).expect("an update");
        assert_eq!(shown(Some(wanted.clone())), [row("log", 1), row("new", 5)]);
        // The log has grown once more when the update lists the folder, and a file came that no poll has seen.
        let admitted = polls.admit(&wanted, folder(&[("late", 1), ("log", 4), ("new", 5)]), Path::new("/d"));
        assert_eq!(shown(Some(listing(&admitted))), [row("log", 1), row("new", 5)]);
        polls.record_indexed(wanted);
        assert_eq!(polls.see(&folder(&[("log", 5), ("new", 5)])), None);
    }

    #[test]
    fn files_below_a_place_that_went_away_stay() {
        let mut polls = Polls::new(listing(&folder(&[("share/a", 1), ("sharp", 1)])));
        let away = || FolderContents { obstacles: vec![("share".to_owned(), "stale".to_owned())], ..folder(&[]) };
        assert_eq!(polls.see(&away()), None);
        assert_eq!(shown(polls.see(&away())), [row("share/a", 1)]);
    }
}

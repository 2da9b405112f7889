//! Expands paths to files: enters folders, follows links once and only within the given folder, and skips hidden entries. Entries are
//! visited in the order of their names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::distinct_names::tell_apart;
use super::walked_file::WalkedFile;

/// Most folders inside each other that are entered, and the first that is not: real ones have a few dozen, and each level costs more than
/// the one before (chosen, not measured).
const MAX_LEVELS: usize = 128;

/// An entry that is not a regular file, or cannot be accessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Obstacle {
    pub(super) place: String,
    pub(super) named: bool,
    /// Lower case, no full stop.
    pub(super) reason: String,
}

/// The files under some paths.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Each file once.
    pub(super) found: Vec<WalkedFile>,
    pub(super) obstacles: Vec<Obstacle>,
    /// Number of folder entries that are not files: pipes, devices.
    pub(super) skipped: u64,
    /// Whether the walk ended early because there are more files than the limit.
    pub(super) is_cut: bool,
    seen: BTreeSet<PathBuf>,
    rules: Rules,
}

/// What a walk leaves out besides hidden entries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Names of folders that are not entered.
    pub(super) ignored: &'static [&'static str],
    /// Most files to return.
    pub(super) max_files: usize,
}

impl Default for Rules {
    /// Leaves out nothing else.
    fn default() -> Self {
        Self { ignored: &[], max_files: usize::MAX }
    }
}

/// Walks `paths` in their order. The output directory `except` is not entered, so that a report never quotes an earlier report.
pub(super) fn walk(paths: &[PathBuf], except: Option<&Path>) -> Walk {
    walk_by(Rules::default(), paths, except)
}

/// Walks `paths` like [`walk`], with `rules`.
pub(super) fn walk_by(rules: Rules, paths: &[PathBuf], except: Option<&Path>) -> Walk {
    let mut walk = Walk { rules, ..Walk::default() };
    // Named files come first: if a given folder contains the same file, it still counts as named.
    let (files, dirs): (Vec<_>, Vec<_>) = paths.iter().partition(|path| !path.is_dir());
    // Marked as seen, so that it is not entered, whichever path or link leads to it.
    walk.seen.extend(except.and_then(|dir| dir.canonicalize().ok()));
    for path in files {
        walk.file(path, name_of(path), None);
    }
    for path in dirs {
        // A given link is resolved once: its target is the folder that links must not leave.
        match path.canonicalize() {
            Ok(root) => walk.dir(path, "", &name_of(path), &root),
            Err(error) => {
                walk.obstacles.push(Obstacle { place: name_of(path), named: true, reason: reason(&error) });
            }
        }
    }
    tell_apart(&mut walk.found);
    walk
}

impl Walk {
    /// Adds `path`, an entry of the folder `root`, or a file given by name if there is no `root`.
    fn file(&mut self, path: &Path, place: String, root: Option<&Path>) {
        let named = root.is_none();
        let known = path.canonicalize().and_then(|real| Ok((std::fs::metadata(&real)?, real)));
        match known {
            Err(error) => self.obstacles.push(Obstacle { place, named, reason: reason(&error) }),
            Ok((_, real)) if root.is_some_and(|root| !real.starts_with(root)) => self.leads_out(place),
            Ok((metadata, real)) if metadata.is_file() => {
                if self.seen.insert(real.clone()) {
                    self.found.push(WalkedFile { path: real, place, named });
                }
            }
            Ok(_) if named => {
                let reason = "is a pipe or a device; write its content to a file first".to_owned();
                self.obstacles.push(Obstacle { place, named, reason });
            }
            Ok(_) => self.skipped += 1,
        }
    }

    /// Refuses a link that leaves the folder: otherwise whoever created the folder would decide which other files of the user are read.
    fn leads_out(&mut self, place: String) {
        let reason = "is a link to a place outside the folder".to_owned();
        self.obstacles.push(Obstacle { place, named: false, reason });
    }

    /// Enters `dir` in the folder `root`. The places of its entries are `prefix` plus their name; `shown` is the place of `dir` itself.
    fn dir(&mut self, dir: &Path, prefix: &str, shown: &str, root: &Path) {
        let named = prefix.is_empty();
        if prefix.matches('/').count() >= MAX_LEVELS {
            let reason = format!("is a folder inside {MAX_LEVELS} others, and deeper ones are not entered");
            self.obstacles.push(Obstacle { place: shown.to_owned(), named, reason });
            return;
        }
        let real = dir.canonicalize();
        if real.as_ref().is_ok_and(|real| !real.starts_with(root)) {
            return self.leads_out(shown.to_owned());
        }
        let listed = real.and_then(|real| {
            // Each folder once: a link to a folder above would otherwise never end.
            if !self.seen.insert(real.clone()) {
                return Ok(Vec::new());
            }
            std::fs::read_dir(real)?.collect::<Result<Vec<_>, _>>()
        });
        let mut entries = match listed {
            Ok(entries) => entries,
            Err(error) => {
                self.obstacles.push(Obstacle { place: shown.to_owned(), named, reason: reason(&error) });
                return;
            }
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            if self.found.len() + self.obstacles.len() > self.rules.max_files {
                self.is_cut = true;
                return;
            }
            let (path, place) = (entry.path(), format!("{prefix}{name}"));
            if path.is_dir() {
                if self.rules.ignored.contains(&name.as_str()) {
                    continue;
                }
                self.dir(&path, &format!("{place}/"), &place, root);
            } else {
                self.file(&path, place, Some(root));
            }
        }
    }
}

/// Returns the last part of `path`, or the path as typed if there is none (`..`).
fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Returns the message of the system in lower case, without the error number.
pub(super) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn places(walk: &Walk) -> Vec<&str> {
        walk.found.iter().map(|f| f.place.as_str()).collect()
    }

    #[test]
    fn members_come_in_name_order_without_hidden_ones() {
        let root = tempfile::tempdir().expect("a directory");
        for file in ["b.txt", "a/z.md", "a/.secret", ".git/config", "x.pdf/inner.txt", "c.txt"] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            fs::write(path, file).expect("written");
        }
        let walk = walk(&[root.path().to_owned()], None);
        assert_eq!(places(&walk), ["a/z.md", "b.txt", "c.txt", "x.pdf/inner.txt"]);
        assert!(walk.found.iter().all(|f| !f.named) && walk.obstacles.is_empty());
    }

    #[test]
    fn folders_are_entered_up_to_the_limit_of_levels() {
        for (levels, is_found) in [(MAX_LEVELS - 1, true), (MAX_LEVELS, true), (MAX_LEVELS + 1, false)] {
            let root = tempfile::tempdir().expect("a directory");
            // The folder that is given is the first level.
            let deep = (1..levels).fold(root.path().to_owned(), |dir, _| dir.join("d"));
            fs::create_dir_all(&deep).expect("created");
            fs::write(deep.join("a.txt"), "a").expect("written");
            let walk = walk(&[root.path().to_owned()], None);
            assert_eq!(
                (walk.found.len(), walk.obstacles.len()),
                (usize::from(is_found), usize::from(!is_found)),
                "{levels}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_cycle_is_walked_once_and_results_are_skipped() {
        let root = tempfile::tempdir().expect("a directory");
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("docs/in")).expect("created");
        fs::create_dir_all(at("docs/out")).expect("created");
        fs::write(at("docs/in/a.txt"), "a").expect("written");
        fs::write(at("docs/out/report.md"), "r").expect("written");
        std::os::unix::fs::symlink(at("docs"), at("docs/in/up")).expect("linked");
        std::os::unix::fs::symlink(at("docs/in/a.txt"), at("docs/link.txt")).expect("linked");
        std::os::unix::fs::symlink(at("nowhere"), at("docs/lost.txt")).expect("linked");
        let walk = walk(&[at("docs")], Some(&at("docs/out")));
        assert_eq!(places(&walk), ["in/a.txt"]);
        assert_eq!(walk.obstacles.len(), 1);
        assert_eq!(walk.obstacles[0].reason, "no such file or directory");
    }

    #[cfg(unix)]
    #[test]
    fn an_escaping_link_is_an_obstacle_unless_it_was_given() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().expect("a directory");
        let at = |name: &str| root.path().join(name);
        for file in ["docs/a.txt", "docs-of-others/b.txt", "c.txt"] {
            fs::create_dir_all(at(file).parent().expect("a parent")).expect("created");
            fs::write(at(file), file).expect("written");
        }
        for (to, name) in [("docs-of-others", "docs/others"), ("c.txt", "docs/c.txt"), ("docs/a.txt", "docs/same.txt")]
        {
            symlink(at(to), at(name)).expect("linked");
        }
        symlink(at("docs"), at("door")).expect("linked");
        let out = |walk: &Walk| walk.obstacles.iter().map(|o| (o.place.clone(), o.named)).collect::<Vec<_>>();
        for given in ["docs", "door"] {
            let walk = walk(&[at(given)], None);
            assert_eq!(places(&walk), ["a.txt"]);
            assert_eq!(out(&walk), [("c.txt".to_owned(), false), ("others".to_owned(), false)], "{given}");
        }
        let walk = walk(&[at("docs/c.txt"), at("docs/others")], None);
        assert_eq!((places(&walk), out(&walk)), (vec!["c.txt", "b.txt"], vec![]));
    }

    #[test]
    fn ignored_folders_are_not_entered_and_a_walk_ends_behind_its_limit() {
        let root = tempfile::tempdir().expect("a directory");
        for file in ["a.txt", "b/node_modules/x.txt", "b/c.txt", "node_modules.txt"] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            fs::write(path, file).expect("written");
        }
        let rules = |max_files| Rules { ignored: &["node_modules"], max_files };
        for (max, is_cut) in [(2, true), (3, false), (4, false)] {
            let walk = walk_by(rules(max), &[root.path().to_owned()], None);
            assert_eq!(walk.found.len() > max || walk.is_cut, is_cut, "{max}: {walk:?}");
            if !is_cut {
                assert_eq!(places(&walk), ["a.txt", "b/c.txt", "node_modules.txt"]);
            }
        }
    }

    #[test]
    fn a_file_named_and_in_a_named_folder_counts_as_named() {
        let root = tempfile::tempdir().expect("a directory");
        let file = root.path().join("a.txt");
        fs::write(&file, "a").expect("written");
        let walk = walk(&[root.path().to_owned(), file, root.path().join("missing.pdf")], None);
        assert_eq!(walk.found.iter().map(|f| f.named).collect::<Vec<_>>(), [true]);
        assert_eq!((walk.obstacles[0].place.as_str(), walk.obstacles[0].named), ("missing.pdf", true));
    }
}

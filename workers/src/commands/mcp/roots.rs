//! The folders that may be read, and which files in them.
//!
//! A path is resolved with all its links, and must then lie in a folder that was given at the start or declared by the client, outside the
//! data of this server, and under no hidden name: keys and settings lie there. A refusal does not tell whether there is such a file.

use std::path::{Component, Path, PathBuf};

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal::printable;

/// Most folders that a client may declare.
pub(super) const MAX_CLIENT_ROOTS: usize = 64;

/// The folders that may be read, with all links resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Roots {
    folders: Vec<PathBuf>,
    /// The data of this server, never read through a path.
    data: PathBuf,
}

impl Roots {
    /// The folders `given`, except what is in `data`.
    ///
    /// # Errors
    /// [`Exit::Usage`] if one is no folder.
    pub(super) fn from_folders(given: &[PathBuf], data: &Path) -> Result<Self, CommandFailure> {
        let mut folders = Vec::new();
        for dir in given {
            let real = dir.canonicalize().ok().filter(|real| real.is_dir());
            folders.push(real.ok_or_else(|| {
                let message = format!("--root {}: there is no such folder", dir.display());
                CommandFailure::new(Exit::Usage, "invalid_usage", message)
            })?);
        }
        Ok(Self { folders, data: data.canonicalize().unwrap_or_else(|_| data.to_owned()) })
    }

    /// Returns these folders and those of the client's `addresses`, as far as they are folders of this machine. The whole file system is
    /// none: no client means it.
    pub(super) fn with_client(&self, addresses: &[String]) -> Self {
        let mut roots = self.clone();
        for address in addresses.iter().take(MAX_CLIENT_ROOTS) {
            let path = url::Url::parse(address).ok().and_then(|url| url.to_file_path().ok());
            let real = path.and_then(|path| path.canonicalize().ok()).filter(|real| real.is_dir());
            let Some(real) = real.filter(|real| real.parent().is_some()) else {
                tracing::warn!("a folder that the client declared is left out: it is not one of this machine");
                continue;
            };
            if !roots.folders.contains(&real) {
                roots.folders.push(real);
            }
        }
        roots
    }

    /// All folders.
    ///
    /// # Errors
    /// [`Exit::Refused`] if there is none.
    pub(super) fn all(&self) -> Result<Vec<PathBuf>, CommandFailure> {
        if self.folders.is_empty() {
            let failure = CommandFailure::new(Exit::Refused, "no_roots", "this server may read no folder");
            return Err(failure.with_remedy("start it with --root DIR, or let the client declare its roots"));
        }
        Ok(self.folders.clone())
    }

    /// Resolves `path`; a relative one in the first folder that has it.
    ///
    /// # Errors
    /// [`Exit::Refused`] if it may not be read; `not_found` if there is no such file in a folder that may.
    pub(super) fn resolve(&self, path: &str) -> Result<PathBuf, CommandFailure> {
        let (folders, given) = (self.all()?, Path::new(path));
        let tried: Vec<PathBuf> = match given.is_absolute() {
            true => vec![given.to_owned()],
            false => folders.iter().map(|folder| folder.join(given)).collect(),
        };
        let found = tried.iter().find_map(|path| path.canonicalize().ok());
        match found {
            Some(real) if self.may_read(&real) => Ok(real),
            // The path itself would be one that may be read, so that it is missing is no news.
            None if tried.iter().any(|path| self.would_be_in(path)) => {
                let message = format!("there is no `{}` in the folders that this server may read", printable(path));
                Err(CommandFailure::new(Exit::Refused, "not_found", message))
            }
            _ => {
                let message = format!("`{}` is not in a folder that this server may read", printable(path));
                let shown: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
                let failure = CommandFailure::new(Exit::Refused, "outside_roots", message);
                Err(failure.with_remedy(format!("name files that are not hidden in {}", shown.join(", "))))
            }
        }
    }

    /// Whether the file or folder with the resolved path `real` may be read.
    pub(super) fn may_read(&self, real: &Path) -> bool {
        !real.starts_with(&self.data) && self.would_be_in(real)
    }

    fn would_be_in(&self, path: &Path) -> bool {
        let plain = |part: Component<'_>| match part {
            Component::Normal(name) => !name.as_encoded_bytes().starts_with(b"."),
            Component::CurDir => true,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
        };
        self.folders.iter().any(|folder| path.strip_prefix(folder).is_ok_and(|below| below.components().all(plain)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_what_lies_in_a_root_is_resolved_whatever_links_say() {
        let dir = tempfile::tempdir().expect("a directory");
        let base = dir.path().canonicalize().expect("there");
        let at = |name: &str| base.join(name);
        for file in
            ["docs/a.txt", "docs/in/b.txt", "docs/.hidden/key", "docs/.env", "docs/data/content/t", "other/c.txt"]
        {
            fs::create_dir_all(at(file).parent().expect("a parent")).expect("created");
            fs::write(at(file), file).expect("written");
        }
        symlink(at("other"), at("docs/out")).expect("linked");
        symlink(at("other/c.txt"), at("docs/c.txt")).expect("linked");
        symlink(at("docs/in/b.txt"), at("docs/b.txt")).expect("linked");
        symlink(at("docs/.env"), at("docs/env.txt")).expect("linked");
        let roots = Roots::from_folders(&[at("docs")], &at("docs/data")).expect("folders");
        let absolute = |name: &str| at(name).display().to_string();
        for (path, expected) in [
            ("a.txt".to_owned(), Ok("docs/a.txt")),
            ("./in/../a.txt".to_owned(), Ok("docs/a.txt")),
            ("b.txt".to_owned(), Ok("docs/in/b.txt")),
            (".".to_owned(), Ok("docs")),
            (absolute("docs/in"), Ok("docs/in")),
            ("missing.txt".to_owned(), Err("not_found")),
            ("../other/c.txt".to_owned(), Err("outside_roots")),
            ("../missing".to_owned(), Err("outside_roots")),
            (absolute("other/c.txt"), Err("outside_roots")),
            (absolute("missing"), Err("outside_roots")),
            ("out/c.txt".to_owned(), Err("outside_roots")),
            ("c.txt".to_owned(), Err("outside_roots")),
            (".env".to_owned(), Err("outside_roots")),
            ("env.txt".to_owned(), Err("outside_roots")),
            (".hidden/key".to_owned(), Err("outside_roots")),
            ("data/content/t".to_owned(), Err("outside_roots")),
            ("/".to_owned(), Err("outside_roots")),
        ] {
            let found = roots.resolve(&path).map_err(|failure| failure.code);
            assert_eq!(found, expected.map(at), "{path}");
        }
    }

    #[test]
    fn without_a_folder_nothing_is_read_and_a_folder_must_be_one() {
        let roots = Roots::from_folders(&[], Path::new("/data")).expect("none");
        assert_eq!(roots.resolve("a").map_err(|failure| failure.code), Err("no_roots"));
        assert_eq!(
            Roots::from_folders(&[PathBuf::from("/no/such")], Path::new("/data")).map_err(|e| e.exit),
            Err(Exit::Usage)
        );
    }

    #[test]
    fn a_client_declares_folders_of_this_machine_up_to_a_number() {
        let dir = tempfile::tempdir().expect("a directory");
        let base = dir.path().canonicalize().expect("there");
        let address = |name: &str| {
            fs::create_dir_all(base.join(name)).expect("created");
            url::Url::from_directory_path(base.join(name)).expect("absolute").to_string()
        };
        let none = Roots::default();
        let odd: Vec<String> =
            ["file:///", "https://example.org/a", "nonsense", "file:///no/such"].map(str::to_owned).into();
        assert_eq!(none.with_client(&odd), none);
        assert_eq!(none.with_client(&[address("a"), address("a")]).folders, [base.join("a")]);
        for (count, kept) in [(MAX_CLIENT_ROOTS - 1, 63), (MAX_CLIENT_ROOTS, 64), (MAX_CLIENT_ROOTS + 1, 64)] {
            let declared: Vec<String> = (0..count).map(|n| address(&format!("r{n}"))).collect();
            assert_eq!(none.with_client(&declared).folders.len(), kept);
        }
    }
}

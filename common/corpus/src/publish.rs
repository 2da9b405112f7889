//! A corpus as a set of files that can be copied to another place and opened there: the published state only.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::index_place::{private_dir, write_file};
use crate::states::open_published;
use crate::texts::TextStore;
use crate::version::CURRENT;
use crate::{CorpusError, IndexPlace};

/// A file of a published corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedFile {
    /// Path relative to the directory of the index, parts joined by `/`.
    pub name: String,
    /// Path on this machine.
    pub path: PathBuf,
}

/// Returns the files of the state published at `place`, sorted by name. Another run may publish in the meantime: if a file is gone when
/// it is read, the caller has to start again.
///
/// # Errors
/// [`CorpusError::Missing`], [`CorpusError::Unusable`].
pub fn pack(place: &IndexPlace) -> Result<Vec<PackedFile>, CorpusError> {
    let (dir, _, table) = open_published(place)?;
    let mut paths = vec![place.dir().join(CURRENT)];
    for entry in fs::read_dir(&dir).map_err(CorpusError::io(&dir))? {
        let path = entry.map_err(CorpusError::io(&dir))?.path();
        // Lock files are left out; the list of segments, whose name begins with a dot, is included.
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_file() && !name.ends_with(".lock") {
            paths.push(path);
        }
    }
    let texts = TextStore::new(place.dir());
    paths.extend(table.documents().into_values().map(|(_, read)| texts.path(&read.text)));
    paths.sort();
    paths.dedup();
    let relative = |path: PathBuf| {
        let name = path.strip_prefix(place.dir()).ok()?.to_str()?.to_owned();
        Some(PackedFile { name, path })
    };
    paths
        .into_iter()
        .map(|path| relative(path).ok_or_else(|| CorpusError::unusable("one of its files is outside its directory")))
        .collect()
}

/// Returns whether an untrusted name may be a file of a corpus: a relative path of plain parts, within the directory.
#[must_use]
pub fn is_packed_name(name: &str) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    !name.is_empty() && name.len() <= 300 && Path::new(name).components().all(plain)
}

/// Writes a file of a published corpus to `dir`.
///
/// # Errors
/// [`CorpusError::Unusable`] for a name outside the directory, or [`CorpusError::Io`].
pub fn unpack(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), CorpusError> {
    if !is_packed_name(name) {
        return Err(CorpusError::unusable("the name of one of its files points outside its directory"));
    }
    let path = dir.join(name);
    private_dir(path.parent().unwrap_or(dir)).map_err(CorpusError::io(&path))?;
    write_file(&path, bytes, false).map_err(CorpusError::io(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_within_the_directory_are_written() {
        for (name, fine) in [
            ("current.json", true),
            ("index-1/meta.json", true),
            ("index-1/.managed.json", true),
            ("texts/ab/abcd", true),
            ("../x", false),
            ("/etc/passwd", false),
            ("index-1/../../x", false),
            ("./x", false),
            ("", false),
        ] {
            assert_eq!(is_packed_name(name), fine, "{name}");
        }
        let dir = tempfile::tempdir().expect("a directory");
        assert!(unpack(dir.path(), "../x", b"").is_err());
        unpack(dir.path(), "texts/ab/abcd", b"x").expect("written");
        assert_eq!(fs::read(dir.path().join("texts/ab/abcd")).expect("there"), b"x");
    }
}

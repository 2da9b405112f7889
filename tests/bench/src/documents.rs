//! Which files of a folder a whole run reads: always the same ones, from all of it.

use std::path::{Path, PathBuf};

/// Endings of the files that count as documents.
const ENDINGS: [&str; 5] = ["pdf", "html", "htm", "md", "txt"];

/// At most `limit` documents under `dir`: where there are more, spread evenly over all of them in the order of their paths, so
/// that no subfolder is left out. Paths are absolute.
///
/// # Errors
/// The folder that cannot be read, and why.
pub fn choose(dir: &Path, limit: usize) -> Result<Vec<PathBuf>, String> {
    let root = dir.canonicalize().map_err(|e| format!("read {}: {e}", dir.display()))?;
    let mut all = Vec::new();
    collect(&root, &mut all)?;
    all.sort();
    Ok(spread(all, limit))
}

fn collect(dir: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("read {}: {e}", dir.display());
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // A link is not followed, so that a folder cannot contain itself.
        let kind = entry.file_type().map_err(failed)?;
        let path = entry.path();
        let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        if kind.is_dir() {
            collect(&path, found)?;
        } else if kind.is_file() && ending.is_some_and(|e| ENDINGS.contains(&e.as_str())) {
            found.push(path);
        }
    }
    Ok(())
}

fn spread<T>(all: Vec<T>, limit: usize) -> Vec<T> {
    let (count, limit) = (all.len(), limit.max(1));
    if count <= limit {
        return all;
    }
    // Item n stays where n·limit/count passes a whole number: exactly `limit` times.
    let stays = |n: usize| (n * limit) / count != ((n + 1) * limit) / count;
    all.into_iter().enumerate().filter(|(n, _)| stays(*n)).map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_documents_are_all_taken_and_many_are_thinned_evenly() {
        assert_eq!(spread(vec![1, 2, 3], 5), [1, 2, 3]);
        assert_eq!(spread((0..10).collect(), 5), [1, 3, 5, 7, 9]);
        for count in 1..300 {
            assert_eq!(spread((0..count).collect(), 100).len(), count.min(100));
        }
    }

    #[test]
    fn documents_are_found_in_subfolders_by_path_order_without_other_files() {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(dir.path().join("a")).expect("a folder");
        for name in ["b.txt", "a/z.PDF", "c.json", "a/noending"] {
            std::fs::write(dir.path().join(name), "x").expect("a file");
        }
        let found = choose(dir.path(), 100).expect("readable");
        let root = dir.path().canonicalize().expect("it exists");
        assert_eq!(found, [root.join("a/z.PDF"), root.join("b.txt")]);
    }
}

//! Distinguishes files of the same name by the folders that contain them.

use std::collections::BTreeMap;
use std::path::Path;

use super::walked_file::WalkedFile;

/// Most folders prefixed to a name.
const MOST_FOLDERS: usize = 8;

/// Prefixes files of the same name with as many of their folders as are needed to distinguish them, at most [`MOST_FOLDERS`]. All other
/// files keep their names, so that the report does not reveal more paths of this machine than necessary.
pub(super) fn tell_apart(found: &mut [WalkedFile]) {
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, file) in found.iter().enumerate() {
        alike.entry(file.place.clone()).or_default().push(at);
    }
    for (place, files) in alike.into_iter().filter(|(_, files)| files.len() > 1) {
        let parts = place.split('/').count();
        for folders in 1..=MOST_FOLDERS {
            let longer: Vec<String> = files.iter().map(|at| tail(&found[*at].path, parts + folders)).collect();
            let mut distinct = longer.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() == files.len() || folders == MOST_FOLDERS {
                files.iter().zip(longer).for_each(|(at, place)| found[*at].place = place);
                break;
            }
        }
    }
}

/// Returns the last `most` parts of `path`, joined by `/`.
fn tail(path: &Path, most: usize) -> String {
    let parts: Vec<_> = path.components().filter(|part| matches!(part, std::path::Component::Normal(_))).collect();
    let kept = &parts[parts.len().saturating_sub(most)..];
    kept.iter().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn files_of_one_name_are_distinguished_by_the_fewest_folders() {
        let file =
            |path: &str, place: &str| WalkedFile { path: PathBuf::from(path), place: place.to_owned(), named: true };
        let mut found = [
            file("/w/p/README.md", "README.md"),
            file("/w/p/proto/README.md", "README.md"),
            file("/w/p/a.md", "a.md"),
            file("/x/docs/in/a.txt", "in/a.txt"),
            file("/y/docs/in/a.txt", "in/a.txt"),
        ];
        tell_apart(&mut found);
        let places: Vec<&str> = found.iter().map(|file| file.place.as_str()).collect();
        assert_eq!(places, ["p/README.md", "proto/README.md", "a.md", "x/docs/in/a.txt", "y/docs/in/a.txt"]);
    }
}

//! What becomes of the files of a collection. Pure.

use std::collections::BTreeMap;

use super::record::CollectionFile;

/// A change of the files of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Adds files; each takes the place of one with the same name.
    Add(Vec<CollectionFile>),
    /// Removes the file with this name.
    Remove(String),
}

/// There would be more files than there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyFiles {
    /// How many there would be.
    pub found: usize,
    /// How many there may be.
    pub most: usize,
}

impl FileChange {
    /// Returns the files after this change, in the order of their names; `None` if nothing changes.
    ///
    /// # Errors
    /// [`TooManyFiles`] if there would be more than `most`.
    pub fn apply(&self, files: &[CollectionFile], most: usize) -> Result<Option<Vec<CollectionFile>>, TooManyFiles> {
        let mut by_name: BTreeMap<&str, &CollectionFile> =
            files.iter().map(|file| (file.name.as_str(), file)).collect();
        let is_changed = match self {
            Self::Add(added) => added.iter().fold(false, |is_changed, file| {
                let replaced = by_name.insert(&file.name, file);
                is_changed || replaced.is_none_or(|old| old.content != file.content)
            }),
            Self::Remove(name) => by_name.remove(name.as_str()).is_some(),
        };
        let found = by_name.len();
        match (is_changed, found > most && found > files.len()) {
            (_, true) => Err(TooManyFiles { found, most }),
            (false, false) => Ok(None),
            (true, false) => Ok(Some(by_name.into_values().cloned().collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::source::ContentRef;

    use super::*;

    fn file(name: &str, text: &str) -> CollectionFile {
        let content = ContentRef::from_bytes(text.as_bytes());
        CollectionFile { name: name.to_owned(), content, bytes: text.len() as u64 }
    }

    #[test]
    fn a_file_takes_the_place_of_one_with_its_name() {
        let there = [file("a", "1"), file("c", "1")];
        let added = |files: Vec<CollectionFile>| FileChange::Add(files).apply(&there, 9).expect("few");
        assert_eq!(added(vec![file("b", "2")]), Some(vec![file("a", "1"), file("b", "2"), file("c", "1")]));
        assert_eq!(added(vec![file("a", "2")]), Some(vec![file("a", "2"), file("c", "1")]));
        assert_eq!(
            added(vec![file("b", "1"), file("b", "2")]),
            Some(vec![there[0].clone(), file("b", "2"), there[1].clone()])
        );
        assert_eq!(added(vec![file("a", "1"), file("c", "1")]), None, "nothing new");
        assert_eq!(added(Vec::new()), None);
        let removed = |name: &str| FileChange::Remove(name.to_owned()).apply(&there, 9).expect("few");
        assert_eq!((removed("a"), removed("b")), (Some(vec![file("c", "1")]), None));
    }

    #[test]
    fn there_are_as_many_files_as_there_may_be_and_no_more() {
        let there = [file("a", "1"), file("b", "1")];
        for (most, added, is_refused) in
            [(3, 0, false), (3, 1, false), (3, 2, true), (2, 1, true), (1, 0, false), (1, 1, true)]
        {
            let added = (0..added).map(|n| file(&format!("n{n}"), "1")).collect();
            let refused = FileChange::Add(added).apply(&there, most).is_err();
            assert_eq!(refused, is_refused, "{most}");
        }
        // More than there may be, after the limit was lowered: taking some away is no fault, and neither is a new text for one.
        assert!(FileChange::Remove("a".to_owned()).apply(&there, 1).is_ok());
        assert!(FileChange::Add(vec![file("a", "2")]).apply(&there, 1).is_ok());
    }
}

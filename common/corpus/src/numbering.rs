//! The numbers of the documents of an update.

use std::collections::{BTreeMap, BTreeSet};

use crate::table::{FileOutcome, FileRow, FileTable, IndexedFile};

/// Sets the document number of every readable row: the published number if bytes, title and first path are unchanged, else a new
/// one. Returns the new documents with their first path, and the next free number.
pub(crate) fn number(rows: &mut BTreeMap<String, FileRow>, old: &FileTable) -> (Vec<(u32, String)>, u32) {
    let known: BTreeMap<&str, (u32, &str, &IndexedFile)> = old
        .documents()
        .into_iter()
        .map(|(document, (path, read))| (read.text.as_str(), (document, path, read)))
        .collect();
    let mut next = old.header.next_document;
    let mut numbers: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut new = Vec::new();
    for (path, row) in rows {
        let FileOutcome::Read(read) = &mut row.outcome else { continue };
        let given = numbers.entry(read.text.clone()).or_insert_with(|| match known.get(read.text.as_str()) {
            Some((document, first, same)) if *first == path.as_str() && same.title == read.title => {
                (*document, same.chunks)
            }
            _ => {
                new.push((next, path.clone()));
                next += 1;
                (next - 1, 0)
            }
        });
        (read.document, read.chunks) = *given;
    }
    (new, next)
}

/// The numbers of the documents of `rows`.
pub(crate) fn documents(rows: &BTreeMap<String, FileRow>) -> BTreeSet<u32> {
    let read = rows.values().filter_map(|row| match &row.outcome {
        FileOutcome::Read(read) => Some(read.document),
        FileOutcome::Failed { .. } => None,
    });
    read.collect()
}

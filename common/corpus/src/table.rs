//! The table of files: one row per file of the folder, readable or not, sorted by path.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use precis_proto::source::ContentRef;
use serde::{Deserialize, Serialize};

use crate::CorpusError;
use crate::index_place::write_file;
use crate::vector_table::VectorFile;

/// The properties by which a file is recognised without opening it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Path relative to the folder, parts joined by `/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last modification, in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// A file of the folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRow {
    /// Path, size and time when the file was read.
    #[serde(flatten)]
    pub stamp: FileStamp,
    /// SHA-256 of its bytes, in hexadecimal digits; `None` if they could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Whether the file was read, or why not.
    #[serde(flatten)]
    pub outcome: FileOutcome,
}

/// The outcome of reading a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum FileOutcome {
    /// The file was read and is searched.
    Read(IndexedFile),
    /// The file could not be read.
    Failed {
        /// Stable code: `unsupported`, `encrypted`, `too_large`, `unreadable`, …
        code: String,
        /// Message for users: lower case, no full stop.
        message: String,
        /// Whether the file is not tried again until it changes.
        is_final: bool,
    },
}

/// A file whose text is searched. Files with equal bytes share all values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedFile {
    /// Number of its document within the index.
    pub document: u32,
    /// Name of its text in the text store.
    pub text: String,
    /// Hash of its canonical text.
    pub source_text_hash: ContentRef,
    /// Title found in the document, or the file name.
    pub title: String,
    /// Number of pages; 0 if it has none.
    pub pages: u32,
    /// Number of characters of the canonical text.
    pub chars: u64,
    /// Number of characters that the limits of reading left out of it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub chars_cut: u64,
    /// Number of its chunks.
    pub chunks: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The table of files: header and rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileTable {
    pub(crate) header: TableHeader,
    /// By path.
    pub(crate) rows: BTreeMap<String, FileRow>,
}

/// First line of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableHeader {
    /// All settings that may change the text of the same bytes.
    pub(crate) extraction: String,
    /// Number of the next document; numbers are never reused.
    pub(crate) next_document: u32,
    pub(crate) files: usize,
    /// The vectors of its documents, if any have some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) vectors: Option<VectorFile>,
}

impl FileTable {
    /// Reads a table written by [`FileTable::write`].
    pub(crate) fn read(path: &Path) -> Result<Self, CorpusError> {
        let damaged = || CorpusError::unusable("its table of files is damaged");
        let file = std::fs::File::open(path).map_err(|_| damaged())?;
        let mut lines = BufReader::new(file).lines().map(|line| line.map_err(|_| damaged()));
        let first = lines.next().ok_or_else(damaged)??;
        let header: TableHeader = serde_json::from_str(&first).map_err(|_| damaged())?;
        let mut rows = BTreeMap::new();
        for line in lines {
            let row: FileRow = serde_json::from_str(&line?).map_err(|_| damaged())?;
            rows.insert(row.stamp.path.clone(), row);
        }
        // A file that was cut off between two lines has fewer rows than its header states.
        if rows.len() == header.files { Ok(Self { header, rows }) } else { Err(damaged()) }
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), CorpusError> {
        let header = TableHeader { files: self.rows.len(), ..self.header.clone() };
        let mut bytes = serde_json::to_vec(&header).expect("strings and numbers encode");
        for row in self.rows.values() {
            bytes.push(b'\n');
            serde_json::to_writer(&mut bytes, row).expect("strings and numbers encode");
        }
        write_file(path, &bytes, true).map_err(CorpusError::io(path))
    }

    /// Returns the documents, each with the first of its paths.
    pub(crate) fn documents(&self) -> BTreeMap<u32, (&str, &IndexedFile)> {
        let mut documents = BTreeMap::new();
        for (path, row) in &self.rows {
            if let FileOutcome::Read(read) = &row.outcome {
                documents.entry(read.document).or_insert((path.as_str(), read));
            }
        }
        documents
    }
}

impl FileRow {
    /// Returns whether a file with this stamp is unchanged and need not be read again.
    pub(crate) fn still_holds(&self, stamp: &FileStamp) -> bool {
        self.stamp == *stamp && !matches!(self.outcome, FileOutcome::Failed { is_final: false, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, outcome: FileOutcome) -> FileRow {
        FileRow { stamp: FileStamp { path: path.to_owned(), size: 3, mtime_ns: -5 }, sha256: None, outcome }
    }

    fn failed(is_final: bool) -> FileOutcome {
        FileOutcome::Failed { code: "unreadable".to_owned(), message: "it is torn".to_owned(), is_final }
    }

    #[test]
    fn a_table_reads_back_and_a_torn_one_does_not() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("files");
        let read = FileOutcome::Read(IndexedFile {
            document: 7,
            text: "ab".to_owned(),
            source_text_hash: ContentRef::from_bytes(b"x"),
            title: "A \"title\"\n".to_owned(),
            pages: 2,
            chars_cut: 0,
            chars: 10,
            chunks: 1,
        });
        let header = TableHeader { extraction: "x".to_owned(), next_document: 8, files: 2, vectors: None };
        let mut table = FileTable { header, ..FileTable::default() };
        for row in [row("b/ü.txt", read), row("a\n.txt", failed(true))] {
            table.rows.insert(row.stamp.path.clone(), row);
        }
        table.write(&path).expect("written");
        assert_eq!(FileTable::read(&path).expect("read"), table);
        assert_eq!(table.documents()[&7].0, "b/ü.txt");
        let bytes = std::fs::read(&path).expect("bytes");
        for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..cut]).expect("written");
            assert!(FileTable::read(&path).is_err(), "{cut}");
        }
    }

    #[test]
    fn a_file_is_retried_if_changed_or_its_failure_is_transient() {
        let stamp = row("a", failed(true)).stamp;
        let other = [
            FileStamp { size: 4, ..stamp.clone() },
            FileStamp { mtime_ns: -4, ..stamp.clone() },
            FileStamp { path: "b".to_owned(), ..stamp.clone() },
        ];
        assert!(row("a", failed(true)).still_holds(&stamp));
        assert!(!row("a", failed(false)).still_holds(&stamp));
        assert!(other.iter().all(|other| !row("a", failed(true)).still_holds(other)));
    }
}

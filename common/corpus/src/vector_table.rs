//! The vectors of a published state: one file with a row a passage, in the order of the documents.
//!
//! `PRECVEC1`, the numbers of a vector and of documents, then number and passages of each document, all as `u32`, little-endian; then the
//! rows, each a scale and as many whole numbers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use precis_evidence::meaning::{VECTOR_SCALE_BYTES, Vector, dot};
use precis_proto::ids::sha256_hex;
use serde::{Deserialize, Serialize};

use crate::CorpusError;
use crate::index_place::write_file;

const MAGIC: &[u8; 8] = b"PRECVEC1";
const NUMBER: usize = 4;

/// What a table of files says of the vectors that belong to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VectorFile {
    /// Name in the directory of the index.
    pub(crate) file: String,
    /// SHA-256 of its bytes.
    pub(crate) sha256: String,
    /// Hash of the model that made them.
    pub(crate) model: String,
    /// Number of documents that have vectors.
    pub(crate) documents: usize,
}

/// The vectors of documents, by their numbers.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct VectorTable {
    dimensions: usize,
    /// First row and number of rows.
    rows: BTreeMap<u32, (usize, usize)>,
    scales: Vec<f32>,
    numbers: Vec<i8>,
}

impl VectorTable {
    /// Adds the rows of a document, each as [`Vector::to_bytes`] gives it; returns whether they are rows of this table.
    pub(crate) fn add(&mut self, document: u32, rows: &[u8], passages: usize) -> bool {
        let Some(size) = rows.len().checked_div(passages).filter(|size| size * passages == rows.len()) else {
            return false;
        };
        let Some(dimensions) = size.checked_sub(VECTOR_SCALE_BYTES).filter(|dimensions| *dimensions > 0) else {
            return false;
        };
        if (self.dimensions != 0 && self.dimensions != dimensions) || self.rows.contains_key(&document) {
            return false;
        }
        let Some(vectors) = rows.chunks_exact(size).map(Vector::from_bytes).collect::<Option<Vec<_>>>() else {
            return false;
        };
        self.dimensions = dimensions;
        self.rows.insert(document, (self.scales.len(), passages));
        for vector in &vectors {
            let (numbers, scale) = vector.parts();
            self.scales.push(scale);
            self.numbers.extend_from_slice(numbers);
        }
        true
    }

    /// The rows of a document as [`Self::add`] takes them, and their number.
    pub(crate) fn rows(&self, document: u32) -> Option<(Vec<u8>, usize)> {
        let (first, count) = *self.rows.get(&document)?;
        let mut bytes = Vec::with_capacity(count * (VECTOR_SCALE_BYTES + self.dimensions));
        (first..first + count).for_each(|row| self.write_row(row, &mut bytes));
        Some((bytes, count))
    }

    pub(crate) fn documents(&self) -> usize {
        self.rows.len()
    }

    /// The cosine of each passage of a document to `asked`, in order; empty if it has no vectors, or those of another model.
    pub(crate) fn cosines(&self, document: u32, asked: &Vector) -> impl Iterator<Item = f64> {
        let (wide, (_, scale)) = (asked.wide(), asked.parts());
        let (first, count) = match self.rows.get(&document) {
            Some(rows) if wide.len() == self.dimensions => *rows,
            _ => (0, 0),
        };
        (first..first + count).map(move |row| {
            let own = &self.numbers[row * self.dimensions..(row + 1) * self.dimensions];
            f64::from(dot(&wide, own)) * (f64::from(scale) * f64::from(self.scales[row]))
        })
    }

    fn write_row(&self, row: usize, bytes: &mut Vec<u8>) {
        bytes.extend(self.scales[row].to_le_bytes());
        bytes.extend(self.numbers[row * self.dimensions..(row + 1) * self.dimensions].iter().map(|n| *n as u8));
    }

    /// Writes the table; returns the SHA-256 of the file.
    pub(crate) fn write(&self, path: &Path) -> Result<String, CorpusError> {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
        let mut bytes = MAGIC.to_vec();
        bytes.extend([number(self.dimensions), number(self.rows.len())].concat());
        // In the order of their rows, so that the rows need no places of their own.
        let mut documents: Vec<_> = self.rows.iter().collect();
        documents.sort_by_key(|(_, (first, _))| *first);
        for (document, (_, count)) in &documents {
            bytes.extend([document.to_le_bytes(), number(*count)].concat());
        }
        (0..self.scales.len()).for_each(|row| self.write_row(row, &mut bytes));
        write_file(path, &bytes, true).map_err(CorpusError::io(path))?;
        Ok(sha256_hex(&bytes))
    }

    /// Reads a table that [`Self::write`] wrote with this hash.
    #[expect(clippy::disallowed_methods, reason = "this program wrote it, in a folder of its own")]
    pub(crate) fn read(path: &Path, sha256: &str) -> Result<Self, CorpusError> {
        let damaged = || CorpusError::unusable("its vectors are damaged");
        let bytes = fs::read(path).map_err(|_| CorpusError::unusable("its vectors are missing"))?;
        if sha256_hex(&bytes) != sha256 {
            return Err(damaged());
        }
        Self::parse(&bytes).ok_or_else(damaged)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut number = || {
            let (first, after) = rest.split_first_chunk::<NUMBER>()?;
            rest = after;
            Some(u32::from_le_bytes(*first))
        };
        let (dimensions, documents) = (usize::try_from(number()?).ok()?, number()?);
        let mut counts = Vec::new();
        for _ in 0..documents {
            counts.push((number()?, usize::try_from(number()?).ok()?));
        }
        let mut table = Self::default();
        for (document, count) in counts {
            let size = count.checked_mul(dimensions.checked_add(VECTOR_SCALE_BYTES)?)?;
            let (own, after) = rest.split_at_checked(size)?;
            rest = after;
            table.add(document, own, count).then_some(())?;
        }
        rest.is_empty().then_some(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(vectors: &[[f32; 2]]) -> Vec<u8> {
        vectors.iter().flat_map(|vector| Vector::from_unit(vector).to_bytes()).collect()
    }

    fn table() -> VectorTable {
        let mut table = VectorTable::default();
        assert!(table.add(7, &rows(&[[1.0, 0.0], [0.0, 1.0]]), 2));
        assert!(table.add(3, &rows(&[[0.6, 0.8]]), 1));
        table
    }

    #[test]
    fn it_compares_each_passage_of_a_document() {
        let (table, asked) = (table(), Vector::from_unit(&[1.0, 0.0]));
        let of = |document| table.cosines(document, &asked).map(|cosine| (cosine * 100.0).round()).collect::<Vec<_>>();
        assert_eq!((of(7), of(3), of(1)), (vec![100.0, 0.0], vec![60.0], vec![]));
        assert_eq!(table.cosines(7, &Vector::from_unit(&[1.0])).count(), 0, "of another model");
    }

    #[test]
    fn what_is_written_is_read_and_a_changed_byte_is_found() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("vectors");
        let sha256 = table().write(&path).expect("written");
        assert_eq!(VectorTable::read(&path, &sha256).expect("read"), table());
        let mut bytes = std::fs::read(&path).expect("bytes");
        *bytes.last_mut().expect("some") ^= 1;
        std::fs::write(&path, &bytes).expect("written");
        assert!(VectorTable::read(&path, &sha256).is_err());
        std::fs::remove_file(&path).expect("removed");
        assert!(VectorTable::read(&path, &sha256).is_err());
    }

    #[test]
    fn a_truncated_or_overlong_file_is_no_table() {
        let dir = tempfile::tempdir().expect("a directory");
        table().write(&dir.path().join("v")).expect("written");
        let bytes = std::fs::read(dir.path().join("v")).expect("bytes");
        assert!((0..bytes.len()).all(|end| VectorTable::parse(&bytes[..end]).is_none()));
        assert!(VectorTable::parse(&[&bytes[..], &[0]].concat()).is_none(), "one byte more");
        for at in 0..32 {
            let mut wrong = bytes.clone();
            wrong[at] = 0xff;
            let _ = VectorTable::parse(&wrong);
        }
    }

    #[test]
    fn rows_of_another_size_or_of_a_known_document_are_not_added() {
        let mut table = table();
        assert!(!table.add(3, &rows(&[[1.0, 0.0]]), 1), "known");
        assert!(!table.add(4, &rows(&[[1.0, 0.0]])[1..], 1), "another size");
        assert!(!table.add(4, &rows(&[[1.0, 0.0]]), 0), "no passage");
        assert!(!table.add(4, &f32::NAN.to_le_bytes().repeat(3)[..6], 1), "no number");
        assert_eq!(table.documents(), 2);
        assert_eq!(table.rows(7), Some((rows(&[[1.0, 0.0], [0.0, 1.0]]), 2)));
    }
}

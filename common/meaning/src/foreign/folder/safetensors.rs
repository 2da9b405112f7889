//! The file of the weights: eight bytes with the length of a header, the header in JSON, the numbers of all tensors. Nothing in it is
//! ever executed.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::FolderError;
use super::json;
use crate::encoder::half;

pub(super) const FILE: &str = "model.safetensors";
/// Bytes of a header; one of 24 layers has 50 kB.
pub const MAX_HEADER_BYTES: usize = 1 << 20;

/// The tensors of a file, by name.
#[derive(Debug)]
pub(super) struct Tensors<'a> {
    entries: BTreeMap<String, Entry>,
    numbers: &'a [u8],
}

#[derive(Debug, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

#[derive(Deserialize)]
struct Header {
    #[serde(rename = "__metadata__", default)]
    _metadata: Option<IgnoredAny>,
    #[serde(flatten)]
    entries: BTreeMap<String, Entry>,
}

/// Every tensor lies in the file, has the bytes that its shape needs, and begins where the one before it ends.
pub(super) fn read(file: &[u8]) -> Result<Tensors<'_>, FolderError> {
    let invalid = |reason: &str| FolderError::invalid(FILE, reason);
    let (length, rest) = file.split_first_chunk::<8>().ok_or_else(|| invalid("it has no header"))?;
    let length = u64::from_le_bytes(*length);
    if length > MAX_HEADER_BYTES as u64 {
        return Err(invalid(&format!("its header has {length} bytes, at most {MAX_HEADER_BYTES} are allowed")));
    }
    let (header, numbers) =
        rest.split_at_checked(length as usize).ok_or_else(|| invalid("it ends within its header"))?;
    let Header { entries, .. } = json::read(FILE, header)?;
    let mut places: Vec<(&String, &Entry)> = entries.iter().collect();
    places.sort_by_key(|(_, entry)| entry.data_offsets);
    let mut from = 0;
    for (name, Entry { dtype, shape, data_offsets: [first, end] }) in places {
        let size = bytes_of(dtype).ok_or_else(|| FolderError::tensor(name, format!("has the kind {dtype}")))?;
        let needed = shape.iter().try_fold(size, |bytes, count| bytes.checked_mul(*count));
        if *first != from || end.checked_sub(*first) != needed || needed.is_none() || *end > numbers.len() as u64 {
            return Err(FolderError::tensor(name, "does not lie where its shape and the one before it say"));
        }
        from = *end;
    }
    if from != numbers.len() as u64 {
        return Err(invalid("it has bytes that are of no tensor"));
    }
    Ok(Tensors { entries, numbers })
}

/// Bytes of one number of a kind.
fn bytes_of(kind: &str) -> Option<u64> {
    match kind {
        "F64" | "I64" | "U64" => Some(8),
        "F32" | "I32" | "U32" => Some(4),
        "F16" | "BF16" | "I16" | "U16" => Some(2),
        "I8" | "U8" | "BOOL" | "F8_E4M3" | "F8_E5M2" => Some(1),
        _ => None,
    }
}

impl Tensors<'_> {
    /// Their names, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The numbers of a tensor of exactly this shape, a row of `length` at a time, each finite.
    pub(super) fn rows(&self, name: &str, shape: &[usize], mut take: impl FnMut(&[f32])) -> Result<(), FolderError> {
        let Entry { dtype, shape: found, data_offsets: [first, end] } =
            self.entries.get(name).ok_or_else(|| FolderError::tensor(name, "is missing"))?;
        if !found.iter().copied().eq(shape.iter().map(|count| *count as u64)) {
            return Err(FolderError::tensor(name, format!("has the shape {found:?}, not {shape:?}")));
        }
        let bytes = &self.numbers[*first as usize..*end as usize];
        let length = shape.last().copied().unwrap_or_default();
        if length == 0 {
            return Err(FolderError::tensor(name, "has no numbers"));
        }
        let (size, number): (usize, fn(&[u8]) -> f32) = match dtype.as_str() {
            "F32" => (4, |bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            "F16" => (2, |bytes| half(u16::from_le_bytes([bytes[0], bytes[1]]))),
            "BF16" => (2, |bytes| f32::from_bits(u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << 16)),
            other => return Err(FolderError::tensor(name, format!("has numbers of the kind {other}"))),
        };
        let mut row = Vec::with_capacity(length);
        for bytes in bytes.chunks_exact(length * size) {
            row.clear();
            row.extend(bytes.chunks_exact(size).map(number));
            if !row.iter().all(|value| value.is_finite()) {
                return Err(FolderError::tensor(name, "has a value that is not a finite number"));
            }
            take(&row);
        }
        Ok(())
    }

    /// All numbers of a tensor of exactly this shape.
    pub(super) fn fractions(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, FolderError> {
        let mut all = Vec::new();
        self.rows(name, shape, |row| all.extend_from_slice(row))?;
        Ok(all)
    }
}
